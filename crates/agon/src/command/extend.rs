//! `agon extend`: adds rounds or budget to a debate and continues it.

use agon_app::{
    Result,
    opening::parse_budget,
    resume::{ResumeRequest, check_extension},
};
use agon_core::Extension;

use super::{CommandContext, resume};
use crate::cli::ExtendArgs;

pub async fn run(command_context: &CommandContext, args: ExtendArgs) -> Result<u8> {
    let more = Extension { rounds: args.rounds, ..parse_budget(&args.budget.into())? };
    resume::resume_with(command_context, args.resume, |record, protocol| {
        check_extension(record, protocol, &more)?;
        Ok(ResumeRequest::Extend(more))
    })
    .await
}
