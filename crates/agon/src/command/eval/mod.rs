//! `agon eval`: arms on items, with progress while it runs and a report at its end.

mod progress;

use std::{path::Path, sync::Arc};

use agon_app::{
    Result,
    evaluation::{
        Evaluation, plan, report,
        run_folder::RunFolder,
        schedule::{self, EvaluationProgress, RunSummary},
    },
};
use agon_text::count_noun;
use futures::FutureExt;
use serde_json::json;

use self::progress::ProgressLine;
use super::{CommandContext, ending::wait_for_interrupt, open_files};
use crate::{
    cli::{EvalAction, EvalArgs},
    ui,
};

pub async fn run(command_context: &CommandContext, args: EvalArgs) -> Result<u8> {
    match args.action {
        Some(EvalAction::Report { dir }) => write_report(command_context, &dir),
        Some(EvalAction::Import { file, out }) => import_observations(command_context, &file, &out),
        None => run_evaluation(command_context, args).await,
    }
}

async fn run_evaluation(command_context: &CommandContext, args: EvalArgs) -> Result<u8> {
    let is_plan = args.plan;
    command_context.load_config()?;
    // Nobody is asked at a terminal, and debates print nothing.
    let silent = command_context.to_silent();
    let context = silent.context_on(args.offline, &args.on)?;
    let evaluation = Arc::new(Evaluation::check(&context, args.into_request())?);
    if !command_context.quiet {
        evaluation.notes.iter().for_each(|note| ui::print_warning(note));
    }
    if is_plan {
        let (plan, text) = plan::plan_evaluation(&evaluation);
        return command_context.print_success(&plan, || ui::escape_invisible(&text));
    }
    let mut folder = evaluation.open_folder()?;
    open_files::raise_limit();
    let line = ProgressLine::new(command_context.quiet);
    let watch = |progress: &EvaluationProgress| line.show(progress);
    let summary = schedule::run(&context, &evaluation, &mut folder, &watch, wait_for_interrupt().shared()).await;
    line.clear();
    let summary = summary?;
    let text = report::write_report(&folder)?;
    print_run(command_context, &folder, &summary, &text);
    let code = summary.exit_code();
    summary.stopped.map_or(Ok(code), Err)
}

/// Prints what came of a run.
fn print_run(command_context: &CommandContext, folder: &RunFolder, summary: &RunSummary, report: &report::DrawnReport) {
    let progress = &summary.progress;
    let failures = summary.failures.iter();
    let failures = failures.map(|(arm, (count, why))| json!({"arm": arm, "debates": count, "reason": why}));
    let failures: Vec<_> = failures.collect();
    let value = json!({
        "event": "evaluation", "folder": folder.path.display().to_string(), "done": progress.done, "debates": progress.all, "new": summary.new,
        "failed": progress.failed, "failures": failures, "report": report.report,
    });
    command_context.print(&value, || {
        let done = count_noun(progress.all, "debate", "debates");
        let mut lines = vec![format!("{} of {done} done, {} of them now", progress.done, summary.new)];
        lines.extend(summary.failures.iter().map(|(arm, (count, why))| {
            let what = count_noun(*count, "debate", "debates");
            ui::escape_invisible(&format!("{arm}: {what} failed: {why}; give the same command again to try again"))
        }));
        with_files(report, &lines, folder)
    });
}

/// A report for people, what is said below it, and where its files are.
fn with_files(report: &report::DrawnReport, lines: &[String], folder: &RunFolder) -> String {
    let said: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = ui::escape_invisible(&folder.path.display().to_string());
    format!("{}\n\n{said}files  {path}", report.text.trim_end())
}

fn write_report(command_context: &CommandContext, dir: &Path) -> Result<u8> {
    let folder = RunFolder::open_existing(dir)?;
    let drawn = report::write_report(&folder)?;
    command_context.print_success(&drawn.report, || with_files(&drawn, &[], &folder))
}

fn import_observations(command_context: &CommandContext, file: &Path, out: &Path) -> Result<u8> {
    let (folder, count) = report::import_observations(file, out)?;
    let drawn = report::write_report(&folder)?;
    let value = json!({"event": "imported", "observations": count, "folder": folder.path, "report": drawn.report});
    let read = format!("{} read", count_noun(count, "observation", "observations"));
    command_context.print_success(&value, || with_files(&drawn, &[read], &folder))
}
