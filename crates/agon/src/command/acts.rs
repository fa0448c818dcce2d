//! `agon interject`, `agon pause` and `agon cancel`: what a person does to a debate without having been
//! asked. The driver of the debate notices within a second.

use agon_app::{Result, exit, output_dir, session};
use agon_journal::DriveLock;
use serde_json::json;

use super::{CommandContext, answer, outside_seats::CommandDebate};
use crate::{
    cli::{ActArgs, InterjectArgs},
    frontend::StandardError,
    ui,
};

pub async fn interject(command_context: &CommandContext, args: InterjectArgs) -> Result<u8> {
    let debate = CommandDebate::enter(command_context, &args.id)?;
    let text = args.text.map_or_else(|| answer::read(&args.file), Ok)?;
    let acted = debate.seats().interject(&args.name.unwrap_or_else(answer::user), &text).await?;
    command_context
        .print(&json!(acted), || format!("recorded as entry {}; every later prompt shows it", acted.seq));
    Ok(exit::OK)
}

pub async fn pause(command_context: &CommandContext, args: ActArgs) -> Result<u8> {
    let debate = CommandDebate::enter(command_context, &args.id)?;
    let acted = debate.seats().pause(&args.name.unwrap_or_else(answer::user), &args.why).await?;
    command_context.print(&json!(acted), || format!("paused; continue with: agon resume {}", debate.id));
    Ok(exit::OK)
}

pub async fn cancel(command_context: &CommandContext, args: ActArgs) -> Result<u8> {
    let debate = CommandDebate::enter(command_context, &args.id)?;
    let acted = debate.seats().cancel(&args.name.unwrap_or_else(answer::user), &args.why).await?;
    // Its driver writes its files; without a driver, this process does.
    let lock = DriveLock::take(&debate.journal, &debate.id);
    let directory = debate.journal.summary(&debate.id)?.and_then(|summary| summary.directory);
    if let (Ok(_lock), Some(directory)) = (lock, directory) {
        let record = debate.journal.read(&debate.id)?;
        output_dir::leave(&debate.journal, &record, &directory, &StandardError::default())?;
    }
    crate::human::forget_drafts(&command_context.places.home, &debate.id);
    command_context.print(&json!(acted), || {
        acted.closed.as_ref().map(|outcome| ui::visible(&outcome.told())).unwrap_or_default()
    });
    Ok(acted.closed.as_ref().map_or(exit::OK, session::code))
}
