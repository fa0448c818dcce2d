//! `agon journal`: copies the journal from one store into another.

use agon_app::{Failure, Result, exit};
use agon_core::plural;
use agon_runtime::journal::{CopyError, Journal, JournalPlace, PasswordSource, sqlite};
use serde_json::json;

use super::CommandContext;
use crate::{
    cli::{JournalAction, JournalArgs},
    ui,
};

pub async fn run(command_context: &CommandContext, args: JournalArgs) -> Result<u8> {
    let JournalAction::Copy { from, to } = args.action;
    let (from, to) = (place("FROM", &from)?, place("TO", &to)?);
    // A source is never made.
    if let JournalPlace::Directory(folder) = &from
        && !sqlite::exists(folder)
    {
        let message = format!("{} has no journal", folder.display());
        return Err(Failure::usage(message, "name a folder with a journal.db, or the address of a database"));
    }
    let (from, to) = (Journal::open_at(&from)?, Journal::open_at(&to)?);
    let copied = from.copy_to(&to, |_, _| {}).await.map_err(failure)?;
    let value = json!({"from": from.path(), "to": to.path(), "copy": copied});
    command_context.print(&value, || {
        ui::visible(&format!(
            "{} compared: {} copied, {} continued, {} as before, {} deleted in the target; with {}, {} and {}",
            plural(copied.debates, "debate", "debates"),
            copied.copied,
            copied.extended,
            copied.unchanged,
            copied.deleted,
            plural(copied.entries, "entry", "entries"),
            plural(copied.calls, "call", "calls"),
            plural(copied.texts, "text", "texts"),
        ))
    });
    Ok(exit::OK)
}

fn place(name: &str, text: &str) -> Result<JournalPlace> {
    let read = JournalPlace::read(text, PasswordSource::Environment);
    read.map_err(|why| Failure::usage(format!("{name}: {why}"), "docs/journal.md shows addresses"))
}

fn failure(error: CopyError) -> Failure {
    let message = error.to_string();
    match error {
        CopyError::Journal(error) => error.into(),
        CopyError::Differ(_) => Failure::new(
            exit::CONFLICT,
            "conflict",
            message,
            "nothing was copied; copy into another database or folder, or into another schema of this one",
        ),
        CopyError::Arrived { .. } => Failure::new(
            exit::DAMAGED,
            "damaged",
            message,
            "check the disk of the target, and copy into a new store",
        ),
    }
}
