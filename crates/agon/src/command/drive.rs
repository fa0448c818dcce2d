//! The output of `run`, `resume` and `extend` while they drive a debate.

use agon_app::{
    Context, Result,
    local_run::{StartedDebate, exit_code},
};
use agon_protocols::common::struck_text;
use agon_runtime::drive::Watch;

use super::{
    CommandContext,
    ending::{print_ending, report_suspension, sum_usage, wait_for_interrupt},
    live::{self, LiveView},
};
use crate::{
    cli::Output,
    ui::{self, JsonLines, Live, Veil},
};

/// Drives a debate and leaves its files; gives the exit code.
pub async fn drive_debate(command_context: &CommandContext, context: &Context, debate: StartedDebate) -> Result<u8> {
    let &CommandContext { output, quiet, .. } = command_context;
    let directory = debate.directory.clone();
    let record = context.journal.read_record(&debate.id)?;
    let (driven, was_shown) = match LiveView::from_debate(command_context, context, &debate, &record) {
        Some(view) => live::drive_in_view(command_context, context, debate, record, view).await,
        None => {
            let screen: Box<dyn Watch> = match output {
                Output::Json => Box::new(JsonLines),
                Output::Text => Box::new(Live::new(quiet, &record, sum_usage(&record))),
            };
            let screen = Box::new(Veil::new(screen, record));
            (debate.drive_debate(context, screen, wait_for_interrupt()).await, false)
        }
    };
    ui::clear_status();
    let (outcome, record) = driven.map_err(|failure| report_suspension(failure, output))?;
    let shown = struck_text::publishable_record(&record);
    let told = shown.closing_outcome().unwrap_or(&outcome);
    if was_shown {
        ui::live::print_outcome(told);
    }
    print_ending(command_context, &shown, told, directory.as_deref());
    Ok(exit_code(&outcome))
}
