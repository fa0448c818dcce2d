//! Finding duels without their id: as a list, and by the path of an artifact.

use std::path::Path;

use agon_journal::{JournalError, sqlite::read_row};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use super::{DUEL, DuelStatus, StoredDuel};
use crate::store::read_journal;

/// One row of the list of duels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DuelLine {
    /// A UUID.
    pub id: String,
    /// The source document.
    pub target: String,
    /// What it is about.
    pub topic: Option<String>,
    /// Where its artifact is written.
    pub artifact: Option<String>,
    /// Whether it continues.
    pub status: DuelStatus,
    /// What it was closed as, where that was said.
    pub outcome: Option<String>,
    /// Who takes part, in the order in which they joined.
    pub participants: Vec<String>,
    /// When it was opened.
    pub opened_at: String,
    /// When it last changed.
    pub last_at: String,
}

/// The latest duels, newest first.
pub fn list_duels(home: &Path, limit: u32) -> Result<Vec<DuelLine>, JournalError> {
    let line = |db: &Connection, row: &Row<'_>| -> rusqlite::Result<DuelLine> {
        let duel: StoredDuel = read_row(row)?;
        let last = "SELECT outcome FROM duel_sightings WHERE duel = ? ORDER BY number DESC LIMIT 1";
        let outcome = db.query_row(last, params![duel.id], |row| row.get(0)).optional()?.flatten();
        let participants = super::load_participants(db, &duel.id)?;
        Ok(DuelLine {
            id: duel.id,
            target: duel.target_path,
            topic: duel.topic,
            artifact: duel.debate_path,
            status: duel.status,
            outcome,
            participants: participants.into_iter().map(|one| one.display_name).collect(),
            opened_at: duel.created_at,
            last_at: duel.updated_at,
        })
    };
    read_journal(home, |db| {
        let mut rows = db.prepare(&format!("{DUEL} ORDER BY created_at DESC, rowid DESC LIMIT ?"))?;
        rows.query_map(params![limit], |row| line(db, row))?.collect()
    })
}

/// The latest duel whose artifact is at `artifact`.
pub fn of_artifact(home: &Path, artifact: &Path) -> Result<Option<StoredDuel>, JournalError> {
    let sql = format!("{DUEL} WHERE debate_path = ? ORDER BY created_at DESC, rowid DESC LIMIT 1");
    read_journal(home, |db| db.query_row(&sql, params![artifact.to_string_lossy()], read_row).optional())
}
