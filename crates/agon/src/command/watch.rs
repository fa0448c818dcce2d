//! `agon watch`: follows a debate of the journal, regardless of its driver.

use std::time::Duration;

use agon_app::{Result, exit, session};
use agon_core::{Outcome, Usage};
use agon_protocols::common::withheld::{self, Withheld};
use agon_runtime::drive::Watch;

use super::{
    CommandContext, debate_id,
    ending::{finish, not_driven},
    live::{self, Followed},
    run::introduce,
};
use crate::{
    cli::{DebateArg, Output},
    ui::{self, JsonLines, Live},
};

/// How often the journal is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Shows everything that is on the record and then what comes, until the debate is closed.
pub async fn run(command_context: &CommandContext, args: DebateArg) -> Result<u8> {
    let journal = command_context.journal()?;
    let id = debate_id::find(&journal, &args.id)?;
    let mut record = journal.read(&id)?;
    if command_context.output == Output::Text && !command_context.quiet {
        introduce(record.opened());
    }
    match live::follow(command_context, &journal, &id, &record).await.transpose()? {
        None => {}
        Some(Followed::Left) => {
            ui::out(&format!("{} is not affected; agon watch {id} follows it again", record.opened().debate));
            return Ok(exit::OK);
        }
        Some(Followed::Interrupted) => return Ok(exit::INTERRUPTED),
        Some(Followed::Closed) => {
            let record = journal.read(&id)?;
            let shown = withheld::shown(&record);
            let directory = journal.summary(&id)?.and_then(|summary| summary.directory);
            let outcome = shown.closed().cloned().unwrap_or_else(|| Outcome::void("none", ""));
            ui::live::closed(&outcome);
            finish(&shown, &outcome, directory.as_deref(), command_context.output, command_context.quiet);
            return Ok(session::code(&outcome));
        }
    }
    let live = Live::new(command_context.quiet, &record, Usage::default());
    let screen: &dyn Watch = match command_context.output {
        Output::Json => &JsonLines,
        Output::Text => &live,
    };
    let (mut shown, mut is_told) = (0, false);
    loop {
        let withheld = Withheld::of(&record);
        for entry in &record.entries()[shown..] {
            screen.entry(&withheld.entry(entry));
        }
        shown = record.entries().len();
        let summary = journal.summary(&id)?;
        if let Some(outcome) = withheld::shown(&record).closed() {
            let directory = summary.and_then(|summary| summary.directory);
            finish(&record, outcome, directory.as_deref(), command_context.output, command_context.quiet);
            return Ok(session::code(outcome));
        }
        if summary.is_none_or(|summary| summary.entries == shown as u64) {
            // Once for each time that nobody runs it: who waits should know that nothing will come.
            let is_idle = !journal.is_driven(&id)?;
            if is_idle && !is_told {
                ui::err(&ui::paint(&not_driven(&record), ui::YELLOW));
            }
            is_told = is_idle;
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        record = journal.read(&id)?;
    }
}
