//! How a debate that is driven or shown here ends: what is printed last, and what interrupts it.

use std::path::Path;

use agon_app::{Failure, exit};
use agon_core::{Opened, Outcome, Record, Seat, Usage};
use agon_runtime::outside_seats::is_outside;
use serde_json::json;

use super::CommandContext;
use crate::{cli::Output, ui};

/// Ends when a person presses Ctrl-C. Without a handler for it the system ends the process, which is as
/// resumable.
pub async fn wait_for_interrupt() {
    let _ = tokio::signal::ctrl_c().await;
}

/// The same, and when the system or a service manager asks this process to end.
pub async fn wait_for_end() {
    #[cfg(unix)]
    if let Ok(mut ended) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            () = wait_for_interrupt() => {}
            _ = ended.recv() => {}
        }
        return;
    }
    wait_for_interrupt().await;
}

/// The last lines of a closed debate.
pub fn print_ending(command_context: &CommandContext, record: &Record, outcome: &Outcome, directory: Option<&Path>) {
    match command_context.output {
        Output::Json => ui::print_line(&ui::render_safe_json(
            &json!({"event": "closed", "outcome": outcome, "used": sum_usage(record).render_receipt()}),
        )),
        Output::Text if command_context.quiet => {}
        Output::Text => {
            ui::print_line("");
            ui::print_line(&ui::render_first_page(record, None, true));
            let format = agon_report::find_recorded_format(record);
            let report = format.and_then(|format| format.render_completion(record)).unwrap_or_default();
            // The view has printed the summary with the entry that closed.
            let report = ui::without_warnings(&report);
            let report = report.strip_prefix(&outcome.summary).unwrap_or(&report).trim();
            if !report.is_empty() {
                let report = if ui::is_terminal() { ui::without_marks(report) } else { report.to_owned() };
                ui::print_line("");
                ui::print_line(&ui::fold_text(&ui::escape_invisible(&report)));
            }
            ui::print_warnings(record);
            ui::print_line("");
            ui::print_line(&format!("{}  {}", ui::paint_text("debate", ui::DIM), record.opened().debate));
            if let Some(directory) = directory {
                let directory = ui::escape_invisible(&directory.display().to_string());
                ui::print_line(&format!("{}   {directory}", ui::paint_text("files", ui::DIM)));
            }
        }
    }
}

/// The last line of a debate that stopped before its end.
pub fn report_suspension(failure: Failure, output: Output) -> Failure {
    let resumable = [exit::PROVIDER, exit::BUDGET, exit::IO, exit::INTERRUPTED].contains(&failure.exit);
    if output == Output::Json && resumable {
        ui::print_line(&ui::render_safe_json(&json!({"event": "suspended", "error": failure})));
    }
    failure
}

/// What the answers of a record have used.
pub fn sum_usage(record: &Record) -> Usage {
    let mut used = Usage::default();
    record.answers().for_each(|(_, answered)| used += answered.usage);
    used
}

/// What is said of an open debate that no process runs: who is to answer from outside, or how it continues.
pub fn not_driven(record: &Record) -> String {
    let Opened { debate, lineup, .. } = record.opened();
    let mut waiting = record.unanswered_requests().map(|request| &request.seat).collect::<Vec<_>>();
    waiting.dedup();
    let is_outside = |seat: &&Seat| lineup.iter().any(|sat| sat.seat == **seat && is_outside(&sat.model));
    match waiting.iter().all(is_outside) && !waiting.is_empty() {
        true => {
            let names: Vec<&str> = waiting.into_iter().map(Seat::as_str).collect();
            format!("waits for {}; agon seats {debate} shows what is asked", names.join(", "))
        }
        false => format!("no process runs this debate; agon resume {debate} continues it"),
    }
}
