//! `agon extend`: adds rounds or budget to a debate and continues it.

use agon_app::{
    Result,
    opening::{budget, debate_id},
    resume::{ResumeRequest, check_extension, known},
};
use agon_core::Extension;

use super::{CommandContext, resume};
use crate::cli::ExtendArgs;

pub async fn run(command_context: &CommandContext, args: ExtendArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    let context = command_context.context(args.offline)?;
    let more = Extension { rounds: args.rounds, ..budget(&args.budget.into())? };
    let (record, protocol) = known(&context.journal, &id)?;
    check_extension(&record, protocol, &more)?;
    resume::go_on(command_context, &context, &id, &args.seats.into(), ResumeRequest::Extend(more)).await
}
