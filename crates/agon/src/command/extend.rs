//! `agon extend`: adds rounds or budget to a debate and continues it.

use agon_app::{
    Result,
    opening::parse_budget,
    resume::{ResumeRequest, check_extension, read_debate},
};
use agon_core::Extension;

use super::{CommandContext, debate_id, gate::Pipeline, resume};
use crate::cli::ExtendArgs;

pub async fn run(command_context: &CommandContext, args: ExtendArgs) -> Result<u8> {
    let command_context = &command_context.at_revision(args.revision.config_from.as_deref())?;
    let context = command_context.context_on(args.offline, &args.on)?;
    let id = debate_id::find_debate(&context.journal, &args.id)?;
    let more = Extension { rounds: args.rounds, ..parse_budget(&args.budget.clone().into())? };
    let (record, protocol) = read_debate(&context.journal, &id)?;
    check_extension(&record, protocol, &more)?;
    let pipeline = Pipeline::new(&args.gate, protocol)?;
    let wish = ResumeRequest::Extend(more);
    let done = resume::go_on(command_context, &context, &id, &args.seats.clone().into(), wish).await;
    pipeline.report_ending(command_context, &context.journal, &id, done)
}
