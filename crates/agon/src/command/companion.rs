//! Shows the companions of a debate that has ended.

use agon_app::{
    Context, Result,
    companion::{next, told, wanted},
    exit,
    session::code,
};
use agon_core::{DebateId, Standing};

use super::{CommandContext, drive::drive};
use crate::{cli::Output, ui};

/// Holds the companions that a debate which has ended wants and does not have yet; gives the exit
/// code of all.
pub async fn follow(command_context: &CommandContext, context: &Context, of: &DebateId) -> Result<u8> {
    let journal = &context.journal;
    let record = journal.read(of)?;
    let Some(outcome) = record.closed() else { return Ok(exit::OK) };
    if outcome.standing == Standing::Void {
        for (kind, _) in wanted(&record) {
            context.frontend.warn(&format!("no {kind}: the debate has no result"));
        }
    }
    while let Some((kind, started)) = next(context, &record).await? {
        if command_context.output == Output::Text && !command_context.quiet {
            ui::out(&format!("\n{}", ui::paint(&format!("the {kind} of {of}"), ui::BOLD)));
        } else if command_context.output == Output::Json {
            ui::out(&ui::json(&journal.read(&started.id)?.entries()[0]));
        }
        drive(command_context, context, started).await?;
        if command_context.output == Output::Text && !command_context.quiet {
            let told = told(journal, &record)?;
            for (_, text) in told.into_iter().filter(|(name, _)| *name == kind) {
                ui::out("");
                ui::out(ui::visible(&text).trim_end());
            }
        }
    }
    Ok(code(outcome))
}
