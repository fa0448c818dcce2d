//! `agon show`: one debate, or a duel whose lock agon keeps, as it stands.

use agon_core::What;
use agon_protocols::common::withheld;
use agon_runtime::journal::duels::Report;
use serde_json::json;

use super::{Hand, companion, debate_id};
use crate::{
    cli::DebateArg,
    dropin,
    failure::{Result, exit},
    ui,
};

pub fn run(hand: &Hand, args: &DebateArg) -> Result<u8> {
    let id = debate_id(&args.id)?;
    if let Some(report) = dropin::check_duel(&hand.places.home, id.as_str())? {
        duel(hand, &report);
        return Ok(exit::OK);
    }
    let journal = hand.journal()?;
    let record = journal.read(&id)?;
    let shown = withheld::shown(&record);
    let spent = journal.spent(&id)?;
    let summary = journal.summary(&id)?;
    let companions = companion::told(&journal, &record)?;
    let under_way: Vec<_> = record.unanswered().map(|request| request.key.clone()).collect();
    let asked = record.entries().iter().filter(|entry| matches!(entry.what, What::Asked(_))).count();
    let state = json!({
        "opened": record.opened(), "entries": record.len(), "head": record.head(), "asked": asked,
        "open_requests": under_way, "outcome": shown.outcome(), "closed": record.closed().is_some(),
        "used": spent, "directory": summary.as_ref().and_then(|summary| summary.directory.as_ref()),
        "companions": companions.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    });
    hand.print(&state, || {
        let transcript =
            agon_formats::find("transcript").map(|format| format.render(&shown)).unwrap_or_default();
        let mut text: String = transcript.into_iter().map(|file| ui::visible(&file.content)).collect();
        companions.iter().for_each(|(_, told)| text.push_str(&format!("\n{}", ui::visible(told))));
        text.push_str(&format!(
            "\n{} entries, {} calls, {} tokens",
            record.len(),
            spent.requests,
            ui::count(spent.tokens())
        ));
        if spent.cost_microusd > 0 {
            text.push_str(&format!(", {}", ui::money(spent.cost_microusd)));
        }
        if record.closed().is_none() {
            let open: Vec<String> = under_way.iter().map(ToString::to_string).collect();
            text.push_str(&format!("\nopen: {}\ngo on with: agon resume {id}", open.join(", ")));
        }
        text
    });
    Ok(exit::OK)
}

/// A duel: who takes part, who holds the lock, and what others did to the artifact.
fn duel(hand: &Hand, report: &Report) {
    let mut duel = report.stands.duel.clone();
    // A token is told to nobody but the one it was given to.
    duel.lease_token = None;
    let participants = &report.stands.participants;
    let state = json!({
        "duel": duel, "participants": participants, "outcome": report.outcome, "changes": report.changes,
    });
    hand.print(&state, || {
        let mut lines =
            vec![format!("{} about {}", duel.id, duel.topic.as_deref().unwrap_or(&duel.target_path))];
        lines.extend(participants.iter().map(|one| {
            let holds = duel.current_owner_id.as_ref().filter(|owner| **owner == one.id);
            let until = holds.and(duel.lease_expires_at.as_ref());
            let until = until.map_or(String::new(), |until| format!(", holds the lock until {until}"));
            format!("  {} ({} / {}){until}", one.display_name, one.harness, one.model_id)
        }));
        lines.extend(duel.debate_path.iter().map(|path| format!("artifact: {path}")));
        lines.extend(report.outcome.iter().map(|outcome| format!("closed as {outcome}")));
        lines.extend(report.changes.iter().cloned());
        ui::visible(&lines.join("\n"))
    });
}
