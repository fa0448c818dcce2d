//! The output of `run`, `resume` and `extend` while they drive a debate.

use agon_app::{
    Context, Result,
    session::{StartedDebate, exit_code},
};
use agon_protocols::common::withheld;
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
    let (id, directory) = (debate.id.clone(), debate.directory.clone());
    let record = context.journal.read_record(&id)?;
    if let Some(view) = LiveView::of(command_context, context, &debate, &record) {
        return live::drive_in_view(command_context, context, debate, record, view).await;
    }
    let screen: Box<dyn Watch> = match output {
        Output::Json => Box::new(JsonLines),
        Output::Text => Box::new(Live::new(quiet, &record, sum_usage(&record))),
    };
    let screen = Box::new(Veil::new(screen, record));
    let driven = debate.drive(context, screen, wait_for_interrupt()).await;
    ui::clear_status();
    let (outcome, record) = driven.map_err(|failure| report_suspension(failure, output))?;
    let shown = withheld::publishable_record(&record);
    print_ending(&shown, shown.closing_outcome().unwrap_or(&outcome), directory.as_deref(), output, quiet);
    Ok(exit_code(&outcome))
}
