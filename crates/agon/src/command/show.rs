//! `agon show`: the current state of one debate, or of a duel or run of the drop-in verbs.

use agon_app::{Result, exit, opening::debate_id, words};
use agon_core::{Event, noun, plural};
use agon_dropin::stored as verbs;
use agon_protocols::common::withheld;
use serde_json::json;

use super::{CommandContext, check, stored};
use crate::{cli::DebateArg, ui};

pub fn run(command_context: &CommandContext, args: &DebateArg) -> Result<u8> {
    if !check::is_debate(command_context, &args.id)?
        && let Some(found) = verbs::find(&command_context.places.home, &args.id)?
    {
        stored::show(command_context, &found);
        return Ok(exit::OK);
    }
    let id = debate_id(&args.id)?;
    let journal = command_context.journal()?;
    let record = journal.read(&id)?;
    let shown = withheld::shown(&record);
    let spent = journal.spent(&id)?;
    let summary = journal.summary(&id)?;
    let companions = agon_app::companion::told(&journal, &record)?;
    let under_way: Vec<_> = record.unanswered().map(|request| request.key.clone()).collect();
    let asked = record.entries().iter().filter(|entry| matches!(entry.what, Event::Asked(_))).count();
    let state = json!({
        "opened": record.opened(), "entries": record.len(), "head": record.head(), "asked": asked,
        "open_requests": under_way, "outcome": shown.outcome(), "closed": record.closed().is_some(),
        "used": spent, "directory": summary.as_ref().and_then(|summary| summary.directory.as_ref()),
        "companions": companions.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    });
    command_context.print(&state, || {
        let transcript =
            agon_formats::find("transcript").map(|format| format.render(&shown)).unwrap_or_default();
        let mut text: String = transcript.into_iter().map(|file| ui::visible(&file.content)).collect();
        companions.iter().for_each(|(_, told)| text.push_str(&format!("\n{}", ui::visible(told))));
        text.push_str(&format!(
            "\n{}, {}, {} {}",
            plural(record.len(), "entry", "entries"),
            plural(spent.requests, "call", "calls"),
            words::count(spent.tokens()),
            noun(&spent.tokens(), "token", "tokens")
        ));
        if spent.cost_microusd > 0 {
            text.push_str(&format!(", {}", words::money(spent.cost_microusd)));
        }
        if record.closed().is_none() {
            let open: Vec<String> = under_way.iter().map(ToString::to_string).collect();
            text.push_str(&format!("\nopen: {}\ncontinue with: agon resume {id}", open.join(", ")));
        }
        text
    });
    Ok(exit::OK)
}
