//! Shows the companions of a debate that has ended.

use agon_app::{
    Context, Result,
    companion::{collect_companion_texts, next, wanted_companions},
    exit,
    local_run::exit_code,
};
use agon_core::{DebateId, Standing};

use super::{CommandContext, drive::drive_debate};
use crate::{cli::Output, ui};

/// Holds the companions that a debate which has ended wants and does not have yet; gives the exit
/// code of all.
pub async fn run_companions(command_context: &CommandContext, context: &Context, of: &DebateId) -> Result<u8> {
    let journal = &context.journal;
    let record = journal.read_record(of)?;
    let Some(outcome) = record.closing_outcome() else { return Ok(exit::OK) };
    if outcome.standing == Standing::Void {
        for (kind, _) in wanted_companions(&record) {
            context.frontend.warn(&format!("no {kind}: the debate has no result"));
        }
    }
    while let Some((kind, started)) = next(context, &record).await? {
        if command_context.output == Output::Text && !command_context.quiet {
            ui::print_line(&format!("\n{}", ui::paint_text(&format!("the {kind} of {of}"), ui::BOLD)));
        } else if command_context.output == Output::Json {
            ui::print_line(&ui::render_safe_json(&journal.read_record(&started.id)?.entries()[0]));
        }
        drive_debate(command_context, context, started).await?;
        if command_context.output == Output::Text && !command_context.quiet {
            let told = collect_companion_texts(journal, &record)?;
            for (_, text) in told.into_iter().filter(|(name, _)| *name == kind) {
                ui::print_line("");
                ui::print_line(ui::escape_invisible(&text).trim_end());
            }
        }
    }
    Ok(exit_code(outcome))
}
