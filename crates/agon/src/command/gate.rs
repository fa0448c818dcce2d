//! What a pipeline learns from a debate: the exit code of its gate, and the summary.

use agon_app::{Failure, Result, display, exit};
use agon_core::{DebateId, Gate, GateResult, Protocol};
use agon_journal::Journal;
use agon_protocols::common::struck_text;
use agon_report::summary;
use serde_json::json;

use super::CommandContext;
use crate::{
    cli::{GateArgs, Output, SummaryKind},
    ui,
};

/// Exit codes of a gate; those of other ends are in [`exit`].
const FAILED: u8 = 10;
/// There is no clear result.
pub const UNCLEAR: u8 = 11;

/// The gate and the summary that a command is asked for.
pub struct Pipeline<'a> {
    gate: Option<Gate>,
    args: &'a GateArgs,
    protocol: &'a dyn Protocol,
}

impl<'a> Pipeline<'a> {
    /// What `args` ask for of a debate by `protocol`.
    ///
    /// # Errors
    ///
    /// Where a code is none that such a debate can have. Nothing is paid for yet.
    pub fn new(args: &'a GateArgs, protocol: &'a dyn Protocol) -> Result<Self> {
        let gate = args.fail_on.as_deref().map(|list| Gate::parse(list, protocol.manifest())).transpose();
        let gate = gate.map_err(|why| Failure::usage(format!("--fail-on: {why}"), "docs/exit-codes.md lists them"))?;
        Ok(Self { gate, args, protocol })
    }

    /// Tells the pipeline how the debate `id` ended, or that it did not; gives the exit code instead of `done`.
    pub fn report_ending(
        &self,
        command_context: &CommandContext,
        journal: &Journal,
        id: &DebateId,
        done: Result<u8>,
    ) -> Result<u8> {
        if self.args.is_empty() {
            return done;
        }
        let record = journal.read_record(id)?;
        let record = struck_text::publishable_record(&record);
        let ended = self.gate.as_ref().zip(record.closing_outcome());
        let result = ended.map(|(gate, outcome)| gate.evaluate_outcome(self.protocol.manifest(), outcome));
        let told = result.as_ref().map(|(result, codes)| describe_result(*result, codes));
        if let Some(kind) = self.args.summary.summary {
            let used = display::describe_usage(&journal.sum_usage(id)?);
            self.write_summary(command_context, &summary::render_summary(&record, told.as_deref(), &used))?;
            if kind == SummaryKind::Github && ui::github_output::is_action() {
                summary::workflow_commands(&record).iter().for_each(|command| ui::runner_command(command));
            }
        }
        let Some((result, codes)) = result else {
            // A debate that is not over passes no gate, also if another process continues it.
            return if self.gate.is_some() { done.map(|_| UNCLEAR) } else { done };
        };
        if command_context.output == Output::Json {
            ui::print_line(&ui::render_safe_json(&json!({"event": "gate", "result": result, "codes": codes})));
        } else if !command_context.quiet {
            ui::print_line(&ui::escape_invisible(&format!("gate: {}", told.unwrap_or_default())));
        }
        done.map(|_| match result {
            GateResult::Pass => exit::OK,
            GateResult::Fail => FAILED,
            GateResult::Unclear => UNCLEAR,
        })
    }

    /// Adds the summary to its file, or prints it.
    fn write_summary(&self, command_context: &CommandContext, text: &str) -> Result<()> {
        use std::io::Write;
        let Some(path) = self.args.summary.summary_path() else {
            // Standard output is for programs where JSON is asked for.
            match command_context.output {
                Output::Text => ui::print_line(&ui::escape_invisible(text)),
                Output::Json => ui::print_line(&ui::render_safe_json(&json!({"event": "summary", "text": text}))),
            }
            return Ok(());
        };
        // A step that writes its summary twice shows both; a file of the user is replaced.
        let is_named = self.args.summary.summary_file.is_some();
        let file =
            std::fs::OpenOptions::new().create(true).write(true).append(!is_named).truncate(is_named).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| {
            let remedy = "name another file with --summary-file";
            Failure::io(format!("{}: {error}", path.display()), remedy)
        })
    }
}

fn describe_result(result: GateResult, codes: &[String]) -> String {
    let word = match result {
        GateResult::Pass => return "pass".to_owned(),
        GateResult::Fail => "fail",
        GateResult::Unclear => "unclear",
    };
    format!("{word} ({})", codes.join(", "))
}
