//! `agon journal`: copies the journal from one store into another.

use agon_app::{Failure, Result, exit};
use agon_core::DebateId;
use agon_journal::{CopyError, Journal, JournalAddress, JournalCopy, PasswordSource, sqlite};
use agon_text::count_noun;
use serde_json::json;

use super::CommandContext;
use crate::{cli::JournalAction, ui};

/// Debates that a warning names.
const NAMED_MAX: usize = 5;

pub async fn run(command_context: &CommandContext, action: JournalAction) -> Result<u8> {
    let JournalAction::Copy { from, to } = action;
    let (from, to) = (parse_address("FROM", &from)?, parse_address("TO", &to)?);
    // A source is never made.
    if let JournalAddress::Directory(folder) = &from
        && !sqlite::has_journal(folder)
    {
        let message = format!("{} has no journal", folder.display());
        return Err(Failure::usage(message, "name a folder with a journal.db, or the address of a database"));
    }
    let (from, to) = (Journal::open_at(&from)?, Journal::open_at(&to)?);
    let copied = from.copy_to(&to, |_, _| {}).await.map_err(copy_failure)?;
    let value = json!({"from": from.path(), "to": to.path(), "copy": copied});
    command_context.print(&value, || ui::escape_invisible(&describe_copy(&copied)));
    for warning in list_copy_warnings(&copied) {
        ui::print_warning(&warning);
    }
    Ok(exit::OK)
}

fn describe_copy(copied: &JournalCopy) -> String {
    format!(
        "{} compared: {} copied, {} continued, {} as before, {} deleted in the target; with {}, {} and {}\n\
         added: {}, {}, {}, {} and {}",
        count_noun(copied.debates, "debate", "debates"),
        copied.copied,
        copied.extended,
        copied.unchanged,
        copied.deleted,
        count_noun(copied.entries, "entry", "entries"),
        count_noun(copied.calls, "call", "calls"),
        count_noun(copied.texts, "text", "texts"),
        count_noun(copied.labels, "label", "labels"),
        count_noun(copied.tombstones, "tombstone", "tombstones"),
        count_noun(copied.messages, "message of a webhook", "messages of webhooks"),
        count_noun(copied.people, "person", "people"),
        count_noun(copied.roles, "role", "roles"),
    )
}

/// What a copy leaves to be done.
fn list_copy_warnings(copied: &JournalCopy) -> Vec<String> {
    let mut warnings = Vec::new();
    if copied.people > 0 {
        warnings.push(format!(
            "what proves {} was not copied: passwords, tokens, links, and the right to administer; agon users gives them",
            count_noun(copied.people, "person", "people")
        ));
    }
    if copied.people_left_out > 0 {
        warnings.push(format!(
            "{} left out, since another person has the login name in the target",
            count_noun(copied.people_left_out, "person was", "people were")
        ));
    }
    if !copied.not_deleted.is_empty() {
        let names: Vec<&str> = copied.not_deleted.iter().take(NAMED_MAX).map(DebateId::as_str).collect();
        warnings.push(format!(
            "{} deleted in the source and still in the target ({}); agon delete deletes it there, too",
            count_noun(copied.not_deleted.len() as u64, "debate is", "debates are"),
            names.join(", ")
        ));
    }
    warnings
}

fn parse_address(name: &str, text: &str) -> Result<JournalAddress> {
    let read = JournalAddress::parse(text, PasswordSource::Environment);
    read.map_err(|why| Failure::usage(format!("{name}: {why}"), "docs/journal.md shows addresses"))
}

fn copy_failure(error: CopyError) -> Failure {
    let message = error.to_string();
    match error {
        CopyError::Journal(error) => error.into(),
        CopyError::Differ(_) => {
            let remedy = "nothing was copied; copy into another database or folder, or into another schema of this one";
            Failure::new(exit::CONFLICT, "conflict", message, remedy)
        }
        CopyError::Arrived { .. } => {
            Failure::damaged(message, "check the disk of the target, and copy into a new store")
        }
    }
}
