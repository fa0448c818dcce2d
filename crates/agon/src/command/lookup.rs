//! `agon lookup`: what a person or program at an outside seat looks up before it answers.

use agon_app::{Failure, Result, lookups::DebateLookups};
use serde_json::json;

use super::{CommandContext, outside_seats::CommandDebate};
use crate::{
    cli::{LookupArgs, OneSeat},
    ui,
};

pub async fn run(command_context: &CommandContext, args: LookupArgs) -> Result<u8> {
    let LookupArgs { seat: OneSeat { id, seat }, tool, object, first, last } = args;
    let asked = tool.request(&object.join(" "), first, last);
    let asked = asked.map_err(|why| Failure::usage(format!("{}: {why}", tool.name()), "say what to look up"))?;
    let debate = CommandDebate::open(command_context, &id)?;
    let record = debate.journal.read_record(&debate.id)?;
    let source = DebateLookups::of_record(&command_context.build_context(false)?, &record)?;
    let shown = debate.outside_seats().look_up(source, &seat, asked).await?;
    command_context
        .print_success(&json!({"debate": debate.id, "seat": seat, "tool": tool.name(), "shown": shown}), || {
            ui::escape_invisible(&shown)
        })
}
