//! `agon watch`: follows a debate of the journal, regardless of its driver.

use std::time::Duration;

use agon_app::{Result, opening::debate_id, session};
use agon_core::Usage;
use agon_protocols::common::withheld::{self, Withheld};
use agon_runtime::drive::Watch;

use super::{CommandContext, drive::finish, run::introduce};
use crate::{
    cli::{DebateArg, Output},
    ui::{JsonLines, Live},
};

/// How often the journal is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Shows everything that is on the record and then what comes, until the debate is closed.
pub async fn run(command_context: &CommandContext, args: DebateArg) -> Result<u8> {
    let id = debate_id(&args.id)?;
    let journal = command_context.journal()?;
    let mut record = journal.read(&id)?;
    if command_context.output == Output::Text && !command_context.quiet {
        introduce(record.opened());
    }
    let live = Live::new(command_context.quiet, &record, Usage::default());
    let screen: &dyn Watch = match command_context.output {
        Output::Json => &JsonLines,
        Output::Text => &live,
    };
    let mut shown = 0;
    loop {
        let withheld = Withheld::of(&record);
        for entry in &record.entries()[shown..] {
            screen.entry(&withheld.entry(entry));
        }
        shown = record.entries().len();
        let summary = journal.summary(&id)?;
        if let Some(outcome) = withheld::shown(&record).closed() {
            let directory = summary.and_then(|summary| summary.directory).unwrap_or_default();
            finish(&record, outcome, &directory, command_context.output, command_context.quiet);
            return Ok(session::code(outcome));
        }
        if summary.is_none_or(|summary| summary.entries == shown as u64) {
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        record = journal.read(&id)?;
    }
}
