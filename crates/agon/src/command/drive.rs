//! The output of `run`, `resume` and `extend` while they drive a debate.

use agon_app::{
    Context, Result,
    session::{StartedDebate, code},
};
use agon_protocols::common::withheld;
use agon_runtime::drive::Watch;

use super::{
    CommandContext,
    ending::{finish, interrupted, settled, suspended},
    live::{self, LiveView},
};
use crate::{
    cli::Output,
    ui::{self, JsonLines, Live, Veil},
};

/// Drives a debate and leaves its files; gives the exit code.
pub async fn drive(command_context: &CommandContext, context: &Context, debate: StartedDebate) -> Result<u8> {
    let &CommandContext { output, quiet, .. } = command_context;
    let (id, directory) = (debate.id.clone(), debate.directory.clone());
    let record = context.journal.read(&id)?;
    if let Some(view) = LiveView::of(command_context, context, &debate, &record) {
        return live::drive(command_context, context, debate, record, view).await;
    }
    let screen: Box<dyn Watch> = match output {
        Output::Json => Box::new(JsonLines),
        Output::Text => Box::new(Live::new(quiet, &record, settled(&record))),
    };
    let screen = Box::new(Veil::new(screen, record));
    let driven = debate.drive(context, screen, interrupted()).await;
    ui::clear_status();
    let (outcome, record) = driven.map_err(|failure| suspended(failure, output))?;
    let shown = withheld::shown(&record);
    finish(&shown, shown.closed().unwrap_or(&outcome), directory.as_deref(), output, quiet);
    Ok(code(&outcome))
}
