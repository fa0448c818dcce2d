//! The tables of the drop-in verbs in the journal's database.

pub mod duels;
pub mod events;
pub mod findings;
pub mod receipts;
pub mod runs;

use std::path::Path;

use agon_journal::{JournalError, sqlite};
use rusqlite::Connection;

/// What `work` makes of the journal in `home`.
fn with_journal<T>(home: &Path, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
    let (path, mut db) = sqlite::open_journal(home)?;
    work(&mut db).map_err(|error| JournalError::sqlite(&path, error))
}

/// The same for who looks only: looking makes no journal where there is none.
fn read_journal<T: Default>(
    home: &Path,
    read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, JournalError> {
    if sqlite::has_journal(home) { with_journal(home, |db| read(db)) } else { Ok(T::default()) }
}
