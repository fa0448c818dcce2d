//! Removing contents that no debate names any more.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use super::{MaterialStore, MaterialStoreError, TREE_LIST, index_words};
use crate::{
    manifest::MaterialFile,
    passages::{MaterialKind, cut_passages},
};

impl MaterialStore {
    /// Removes contents with their passages and words, and overwrites where they were; but for those that a list of files
    /// around a change names, unless that goes too. Gives how many there were.
    pub fn remove_contents(&self, digests: &[String]) -> Result<usize, MaterialStoreError> {
        self.with_database(|db| {
            db.pragma_update(None, "secure_delete", true)?;
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let (mut removed, kept) = (0, list_kept_digests(&tx, digests)?);
            for digest in digests.iter().filter(|digest| !kept.contains(*digest)) {
                removed += usize::from(remove_content(&tx, digest)?);
            }
            tx.commit()?;
            // The write-ahead log holds the old pages until it is written back.
            db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            Ok(removed)
        })
    }
}

/// Digests that the lists of files around a change name which are not among `digests`.
fn list_kept_digests(tx: &Transaction<'_>, digests: &[String]) -> rusqlite::Result<HashSet<String>> {
    let sql = "SELECT texts.digest, content FROM cuts JOIN texts ON texts.digest = cuts.digest WHERE cutting = ?";
    let mut lists = tx.prepare_cached(sql)?;
    let lists = lists.query_map([TREE_LIST], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut kept = HashSet::new();
    for list in lists {
        let (digest, list) = list?;
        if !digests.contains(&digest) {
            let files: Vec<MaterialFile> = serde_json::from_str(&list).unwrap_or_default();
            kept.extend(files.into_iter().map(|file| file.digest));
        }
    }
    Ok(kept)
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
        let mut passages = tx.prepare_cached("SELECT id FROM passages WHERE cut = ? ORDER BY ordinal")?;
        let passages: Vec<i64> = passages.query_map([cut], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        // The index holds no text, so it must be told the words that it is to forget.
        for (id, passage) in passages.iter().zip(cut_passages(kind, &text)) {
            tx.prepare_cached("INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)")?
                .execute(params![id, index_words(&passage).1])?;
        }
        tx.execute("DELETE FROM passages WHERE cut = ?", [cut])?;
        tx.execute("DELETE FROM cuts WHERE id = ?", [cut])?;
    }
    tx.execute("DELETE FROM texts WHERE digest = ?", [digest])?;
    Ok(true)
}
