//! The output of `run`, `resume` and `extend` while they drive a debate.

use std::path::Path;

use agon_app::{
    Context, Failure, Result, exit,
    session::{StartedDebate, code},
};
use agon_core::{Outcome, Record, Usage};
use agon_protocols::common::withheld;
use agon_runtime::drive::Watch;
use serde_json::json;

use super::CommandContext;
use crate::{
    cli::Output,
    ui::{self, JsonLines, Live, Veil},
};

/// Drives a debate and leaves its files; gives the exit code.
pub async fn drive(command_context: &CommandContext, context: &Context, debate: StartedDebate) -> Result<u8> {
    let &CommandContext { output, quiet, .. } = command_context;
    let (id, directory) = (debate.id.clone(), debate.directory.clone());
    let record = context.journal.read(&id)?;
    let screen: Box<dyn Watch> = match output {
        Output::Json => Box::new(JsonLines),
        Output::Text => Box::new(Live::new(quiet, &record, settled(&record))),
    };
    let screen = Box::new(Veil::new(screen, record));
    let driven = debate.drive(context, screen, interrupted()).await;
    ui::clear_status();
    let (outcome, record) = driven.map_err(|failure| suspended(failure, output))?;
    let shown = withheld::shown(&record);
    finish(&shown, shown.closed().unwrap_or(&outcome), &directory, output, quiet);
    Ok(code(&outcome))
}

/// Ends when someone presses Ctrl-C. Without a handler for it the system ends the process, which is as
/// resumable.
pub async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}

/// What the answers on a record used.
fn settled(record: &Record) -> Usage {
    let mut used = Usage::default();
    record.answers().for_each(|(_, answered)| used += answered.usage);
    used
}

/// The last lines of a closed debate.
pub fn finish(record: &Record, outcome: &Outcome, directory: &Path, output: Output, quiet: bool) {
    match output {
        Output::Json => ui::out(&ui::json(&json!({"event": "closed", "outcome": outcome}))),
        Output::Text if quiet => {}
        Output::Text => {
            let format = agon_formats::of(record);
            let report = format.and_then(|format| format.completion(record)).unwrap_or_default();
            // The view has printed the summary with the entry that closed.
            let report = ui::without_warnings(&report);
            let report = report.strip_prefix(&outcome.summary).unwrap_or(&report).trim();
            if !report.is_empty() {
                ui::out("");
                ui::out(&ui::folded(&ui::visible(report)));
            }
            ui::warnings(record);
            ui::out("");
            ui::out(&format!("{}  {}", ui::paint("debate", ui::DIM), record.opened().debate));
            ui::out(&format!(
                "{}   {}",
                ui::paint("files", ui::DIM),
                ui::visible(&directory.display().to_string())
            ));
        }
    }
}

/// The last line of a debate that stopped before its end.
pub fn suspended(failure: Failure, output: Output) -> Failure {
    let resumable = [exit::PROVIDER, exit::BUDGET, exit::IO, exit::INTERRUPTED].contains(&failure.exit);
    if output == Output::Json && resumable {
        ui::out(&ui::json(&json!({"event": "suspended", "error": failure.to_json()})));
    }
    failure
}
