//! `agon watch`: follows a debate of the journal, regardless of its driver.

use std::time::Duration;

use agon_app::{Result, exit, local_run};
use agon_core::{Outcome, Usage};
use agon_protocols::common::struck_text::{self, Withheld};
use agon_runtime::drive::Watch;

use super::{
    CommandContext,
    ending::{not_driven, print_ending},
    live::{self, Followed},
    run::print_head,
};
use crate::{
    cli::Output,
    ui::{self, JsonLines, Live},
};

/// How often the journal is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Shows everything that is on the record and then what comes, until the debate is closed.
pub async fn run(command_context: &CommandContext, id: &str) -> Result<u8> {
    let (journal, id, mut record) = command_context.open_debate(id)?;
    if command_context.output == Output::Text && !command_context.quiet {
        print_head(record.opened());
    }
    match live::follow_in_view(command_context, &journal, &id, &record).await.transpose()? {
        None => {}
        Some(Followed::Left) => {
            ui::print_line(&format!("{} is not affected; agon watch {id} follows it again", record.opened().debate));
            return Ok(exit::OK);
        }
        Some(Followed::Interrupted) => return Ok(exit::INTERRUPTED),
        Some(Followed::Closed) => {
            let record = journal.read_record(&id)?;
            let shown = struck_text::publishable_record(&record);
            let directory = journal.find_summary(&id)?.and_then(|summary| summary.directory);
            let outcome = shown.closing_outcome().cloned().unwrap_or_else(|| Outcome::void("none", ""));
            ui::live::print_outcome(&outcome);
            print_ending(command_context, &shown, &outcome, directory.as_deref());
            return Ok(local_run::exit_code(&outcome));
        }
    }
    let live = Live::new(command_context.quiet, &record, Usage::default());
    let screen: &dyn Watch = match command_context.output {
        Output::Json => &JsonLines,
        Output::Text => &live,
    };
    let (mut shown, mut is_told) = (0, false);
    loop {
        let withheld = Withheld::from_record(&record);
        for entry in &record.entries()[shown..] {
            screen.on_entry(&withheld.mask_entry(entry));
        }
        shown = record.entries().len();
        let summary = journal.find_summary(&id)?;
        if let Some(outcome) = struck_text::publishable_record(&record).closing_outcome() {
            let directory = summary.and_then(|summary| summary.directory);
            print_ending(command_context, &record, outcome, directory.as_deref());
            return Ok(local_run::exit_code(outcome));
        }
        if summary.is_none_or(|summary| summary.entries == shown as u64) {
            // Once for each time that nobody runs it: who waits should know that nothing will come.
            let is_idle = !journal.is_driven(&id)?;
            if is_idle && !is_told {
                ui::print_error_line(&ui::paint_text(&not_driven(&record), ui::YELLOW));
            }
            is_told = is_idle;
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        record = journal.read_record(&id)?;
    }
}
