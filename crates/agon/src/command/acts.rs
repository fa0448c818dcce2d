//! `agon interject`, `agon pause` and `agon cancel`: what a person does to a debate without having been
//! asked. Whoever drives the debate notices within a second.

use agon_app::{Result, exit, output_dir, session};
use agon_runtime::drive::DriveLock;
use serde_json::json;

use super::{CommandContext, answer, outside_seats::CommandDebate};
use crate::{
    cli::{ActArgs, InterjectArgs},
    frontend::StandardError,
    ui,
};

pub async fn interject(hand: &CommandContext, args: InterjectArgs) -> Result<u8> {
    let room = CommandDebate::enter(hand, &args.id)?;
    let text = answer::read(&args.file)?;
    let acted = room.desk().interject(&args.name.unwrap_or_else(answer::user), &text).await?;
    hand.print(&json!(acted), || {
        format!("said, by entry {}; whoever is asked from now on reads it", acted.seq)
    });
    Ok(exit::OK)
}

pub async fn pause(hand: &CommandContext, args: ActArgs) -> Result<u8> {
    let room = CommandDebate::enter(hand, &args.id)?;
    let acted = room.desk().pause(&args.name.unwrap_or_else(answer::user), &args.why).await?;
    hand.print(&json!(acted), || format!("paused; it goes on with: agon resume {}", room.id));
    Ok(exit::OK)
}

pub async fn cancel(hand: &CommandContext, args: ActArgs) -> Result<u8> {
    let room = CommandDebate::enter(hand, &args.id)?;
    let acted = room.desk().cancel(&args.name.unwrap_or_else(answer::user), &args.why).await?;
    // Whoever drives it writes its files; where nobody does, that is left to this process.
    let lock = DriveLock::take(&hand.places.home, &room.id);
    let directory = room.journal.summary(&room.id)?.and_then(|summary| summary.directory);
    if let (Ok(_lock), Some(directory)) = (lock, directory) {
        let record = room.journal.read(&room.id)?;
        output_dir::leave(&room.journal, &record, &directory, &StandardError::default())?;
    }
    crate::human::forget_drafts(&hand.places.home, &room.id);
    hand.print(&json!(acted), || {
        acted.closed.as_ref().map(|outcome| ui::visible(&outcome.told())).unwrap_or_default()
    });
    Ok(acted.closed.as_ref().map_or(exit::OK, session::code))
}
