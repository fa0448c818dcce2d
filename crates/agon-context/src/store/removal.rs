//! Removing contents that no debate names any more.

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use super::{MaterialStore, MaterialStoreError, cut_bodies};
use crate::passages::MaterialKind;

impl MaterialStore {
    /// Removes contents with their passages and words, and overwrites where they were. Gives how many there were.
    pub fn remove_contents(&self, digests: &[String]) -> Result<usize, MaterialStoreError> {
        self.with_database(|db| {
            db.pragma_update(None, "secure_delete", true)?;
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut removed = 0;
            for digest in digests {
                removed += usize::from(remove_content(&tx, digest)?);
            }
            tx.commit()?;
            // The write-ahead log holds the old pages until it is written back.
            db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            Ok(removed)
        })
    }
}

fn remove_content(tx: &Transaction<'_>, digest: &str) -> rusqlite::Result<bool> {
    let text = tx
        .query_row("SELECT content FROM texts WHERE digest = ?", [digest], |row| row.get::<_, String>(0))
        .optional()?;
    let Some(text) = text else { return Ok(false) };
    let cuts: Vec<(i64, String)> = tx
        .prepare_cached("SELECT id, cutting FROM cuts WHERE digest = ?")?
        .query_map([digest], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (cut, cutting) in cuts {
        let kind = if cutting == "diff" { MaterialKind::Diff } else { MaterialKind::File };
        let passages: Vec<i64> = tx
            .prepare_cached("SELECT id FROM passages WHERE cut = ? ORDER BY ordinal")?
            .query_map([cut], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        // The index holds no text, so it must be told the words that it is to forget.
        for (passage, body) in passages.iter().zip(cut_bodies(kind, &text)) {
            tx.prepare_cached("INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)")?
                .execute(params![passage, body.words])?;
        }
        tx.execute("DELETE FROM passages WHERE cut = ?", [cut])?;
        tx.execute("DELETE FROM cuts WHERE id = ?", [cut])?;
    }
    tx.execute("DELETE FROM texts WHERE digest = ?", [digest])?;
    Ok(true)
}
