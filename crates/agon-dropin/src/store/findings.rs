//! Where folders made elsewhere break rules that their own programs do not check.

use std::path::Path;

use agon_core::Stamp;
use rusqlite::params;

use agon_journal::{JournalError, sqlite::read_row};

use super::with_journal;

/// Keeps what was found in `folder`: once, however often it is said to have been found `at` that time.
pub fn record_findings(home: &Path, folder: &Path, found: &[String], at: &Stamp) -> Result<(), JournalError> {
    with_journal(home, |db| {
        let tx = db.transaction()?;
        for finding in found {
            tx.execute(
                "INSERT INTO findings (folder, at, finding) SELECT ?1, ?2, ?3
                 WHERE NOT EXISTS (SELECT 1 FROM findings WHERE folder = ?1 AND at = ?2 AND finding = ?3)",
                params![folder_name(folder), at.0, finding],
            )?;
        }
        tx.commit()
    })
}

/// What was found in `folder` so far, each with its time.
pub fn list_findings(home: &Path, folder: &Path) -> Result<Vec<(String, String)>, JournalError> {
    with_journal(home, |db| {
        let mut rows = db.prepare("SELECT at, finding FROM findings WHERE folder = ? ORDER BY number")?;
        rows.query_map(params![folder_name(folder)], read_row)?.collect()
    })
}

/// One name for a folder, wherever it is looked at from.
fn folder_name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.to_string_lossy().into_owned()
}
