//! `agon show`: the current state of one debate, or of a duel or run of the drop-in verbs.

use agon_app::{Failure, Result, declarations, display, exit, local_run::exit_code};
use agon_core::Event;
use agon_dropin::stored as verbs;
use agon_journal::CallReceipt;
use agon_protocols::common::struck_text;
use agon_report::first_page::FirstPage;
use agon_text::count_noun;
use serde_json::json;

use super::{
    CommandContext, check,
    gate::{Pipeline, UNCLEAR},
    stored,
};
use crate::{cli::ShowArgs, ui};

/// The id that stands for the kept debate, where no debate has it.
pub(super) const KEPT: &str = "example";
/// The first page of a debate of capable participants, as examples/human-review has it.
const KEPT_PAGE: &str = include_str!("kept_debate.md");

pub fn run(command_context: &CommandContext, args: &ShowArgs) -> Result<u8> {
    if args.id == KEPT && args.gate.is_empty() && !check::is_debate(command_context, KEPT)? {
        // Its references are to a file of the repository.
        let page = drop_references(KEPT_PAGE);
        return command_context.print_success(&json!({ "example": KEPT_PAGE }), || page);
    }
    if !check::is_debate(command_context, &args.id)?
        && let Some(found) = verbs::find_stored(&command_context.places.home, &args.id)?
    {
        if !args.gate.is_empty() {
            let why = format!("{}: a duel or run of the drop-in verbs has no gate and no summary", args.id);
            let remedy = "show it without --fail-on and --summary, and read its status with --output json";
            return Err(Failure::usage(why, remedy));
        }
        stored::show_stored(command_context, &found);
        return Ok(exit::OK);
    }
    let (journal, id, record) = command_context.open_debate(&args.id)?;
    let shown = struck_text::publishable_record(&record);
    let spent = journal.sum_usage(&id)?;
    let calls = journal.list_call_receipts(&id)?;
    let summary = journal.find_summary(&id)?;
    let companions = agon_app::companion::collect_companion_texts(&journal, &record)?;
    let under_way: Vec<_> = record.unanswered_requests().map(|request| request.key.clone()).collect();
    let extraction = agon_report::companion::find_extraction(&record, |id| journal.find_record(id))?;
    let asked = record.entries().iter().filter(|entry| matches!(entry.what, Event::Asked(_))).count();
    let state = json!({
        "opened": record.opened(), "entries": record.len(), "head": record.head_hash(), "asked": asked,
        "open_requests": under_way, "outcome": shown.latest_outcome(), "closed": record.closing_outcome().is_some(),
        "used": spent.render_receipt(), "calls": calls, "directory": summary.as_ref().and_then(|summary| summary.directory.as_ref()),
        "first_page": FirstPage::with_extraction(&shown, extraction.as_ref()),
        "companions": companions.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    });
    // Of a summary for a pipeline nobody reads the whole debate above it.
    if !args.gate.is_empty() {
        let pipeline = Pipeline::new(&args.gate, declarations::find_record_protocol(&record)?)?;
        // Of a debate that is not over, it is unclear.
        let code = shown.closing_outcome().map_or(UNCLEAR, exit_code);
        return pipeline.report_ending(command_context, &journal, &id, Ok(code));
    }
    command_context.print_success(&state, || {
        let mut text = match args.full {
            true => {
                let files = agon_report::find_format("transcript").map(|format| format.render_files(&shown));
                files.into_iter().flatten().map(|file| ui::escape_invisible(&file.content)).collect()
            }
            false => ui::render_first_page(&shown, extraction.as_ref(), false) + "\n",
        };
        companions.iter().for_each(|(_, told)| text.push_str(&format!("\n{}", ui::escape_invisible(told))));
        let used = display::describe_usage(&spent);
        let entries = count_noun(record.len(), "entry", "entries");
        text.push_str(&format!("\n{entries}, {}, {used}", count_noun(spent.requests, "call", "calls")));
        if ui::is_verbose() {
            calls.iter().for_each(|call| text.push_str(&format!("\n  {}", ui::escape_invisible(&format_call(call)))));
        }
        if record.closing_outcome().is_none() {
            let open: Vec<String> = under_way.iter().map(ToString::to_string).collect();
            text.push_str(&format!("\nopen: {}", open.join(", ")));
            if agon_report::other_rules(&record).is_none() {
                text.push_str(&format!("\ncontinue with: agon resume {id}"));
            }
        }
        if !args.full {
            text.push_str(&format!("\nthe whole debate: agon show {id} --full"));
        }
        text
    })
}

/// One call, for people.
fn format_call(call: &CallReceipt) -> String {
    let failure = call.failure.as_ref().map_or(String::new(), |kind| format!(" ({kind})"));
    let used = display::describe_usage(&call.usage);
    format!("{}, attempt {}: {}{failure}, {used}", call.key, call.attempt + 1, call.state)
}
/// A page in Markdown without its links to entries.
fn drop_references(page: &str) -> String {
    let lines = page.lines().filter(|line| !line.starts_with('_'));
    let plain = |line: &str| {
        line.rsplit_once(" [")
            .filter(|(_, end)| end.contains("](report.md"))
            .map_or_else(|| line.to_owned(), |(text, _)| text.to_owned())
    };
    lines.map(|line| plain(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kept_debate_is_that_of_the_examples() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/human-review/memo.md");
        assert_eq!(std::fs::read_to_string(path).unwrap(), KEPT_PAGE);
        let page = drop_references(KEPT_PAGE);
        assert!(page.contains("## Answer") && !page.contains("report.md"), "{page}");
    }
}
