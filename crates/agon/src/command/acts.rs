//! `agon interject`, `agon pause` and `agon cancel`: what a person does to a debate without having been
//! asked. The driver of the debate notices within a second.

use agon_app::{FileSet, Result, exit, local_run, output_folder};
use agon_journal::DriveLock;

use super::{CommandContext, answer, outside_seats::CommandDebate};
use crate::{
    cli::{ActArgs, InterjectArgs},
    frontend::Terminal,
    ui,
};

pub async fn interject_text(command_context: &CommandContext, args: InterjectArgs) -> Result<u8> {
    let debate = CommandDebate::open(command_context, &args.id)?;
    let text = args.text.map_or_else(|| answer::read_file_or_stdin(&args.file), Ok)?;
    let acted = debate.outside_seats().interject(&args.name.unwrap_or_else(answer::user_name), &text).await?;
    command_context.print_success(&acted, || format!("recorded as entry {}; every later prompt shows it", acted.seq))
}

pub async fn pause_debate(command_context: &CommandContext, args: ActArgs) -> Result<u8> {
    let debate = CommandDebate::open(command_context, &args.id)?;
    let acted = debate.outside_seats().pause_debate(&args.name.unwrap_or_else(answer::user_name), &args.why).await?;
    command_context.print_success(&acted, || format!("paused; continue with: agon resume {}", debate.id))
}

pub async fn cancel_debate(command_context: &CommandContext, args: ActArgs) -> Result<u8> {
    let debate = CommandDebate::open(command_context, &args.id)?;
    let acted = debate.outside_seats().cancel_debate(&args.name.unwrap_or_else(answer::user_name), &args.why).await?;
    // Its driver writes its files; without a driver, this process does.
    let lock = DriveLock::acquire(&debate.journal, &debate.id);
    let directory = debate.journal.find_summary(&debate.id)?.and_then(|summary| summary.directory);
    if let (Ok(_lock), Some(directory)) = (lock, directory) {
        let record = debate.journal.read_record(&debate.id)?;
        let (journal, frontend) = (&debate.journal, Terminal::default());
        output_folder::write_debate_files(journal, &record, &directory, FileSet::All, &frontend)?;
    }
    crate::human::forget_drafts(&command_context.places.home, &debate.id);
    command_context.print(&acted, || {
        acted.closed.as_ref().map(|outcome| ui::escape_invisible(&outcome.render_summary())).unwrap_or_default()
    });
    Ok(acted.closed.as_ref().map_or(exit::OK, local_run::exit_code))
}
