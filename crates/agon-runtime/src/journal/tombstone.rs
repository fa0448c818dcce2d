//! Deleting debates: their words go, and a tombstone stays that keeps the hash chain checkable.

use std::{collections::BTreeSet, path::Path};

use agon_core::{DebateId, Digest, Entry, ErasedEntry, Key, LeftEntry, Stamp, Tombstone};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Journal, JournalError, sound, store};
use crate::time::stamp;

/// A deletion that is to be done.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// The debate.
    pub debate: DebateId,
    /// Entries whose words are to go; `None` for all. The others are kept as they are.
    pub entries: Option<BTreeSet<u64>>,
    /// Who wants it.
    pub by: String,
    /// Why; can be empty.
    pub why: String,
}

const TOMBSTONE: &str =
    "SELECT debate, protocol, length, head, deleted_at, deleted_by, reason FROM tombstones";

impl Journal {
    /// Deletes a debate: entries, calls, leases, labels, the search index, and the texts that no other debate names.
    /// A tombstone and the names and hashes of its entries stay. The caller holds the debate's lock.
    ///
    /// # Errors
    ///
    /// [`JournalError::NoSuchDebate`], [`JournalError::Deleted`] if it was deleted before, and whatever makes its
    /// record unsound: a damaged record is not deleted, since its tombstone would hide the damage.
    pub async fn delete(&self, deletion: Deletion) -> Result<Tombstone, JournalError> {
        self.transact(move |db, path| delete(db, path, &deletion)).await
    }

    /// Overwrites what deletions left in the write-ahead log. Others that read at this moment can prevent it; the
    /// next checkpoint does it then.
    pub fn wipe_log(&self) -> Result<(), JournalError> {
        let db = store::connect(self.path())?;
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| JournalError::sqlite(self.path(), error))
    }

    /// The tombstone of a deleted debate.
    pub fn tombstone(&self, debate: &DebateId) -> Result<Option<Tombstone>, JournalError> {
        self.reading(|db| tombstone(db, debate))
    }

    /// The tombstones, newest first, at most `limit`.
    pub fn tombstones(&self, limit: u32) -> Result<Vec<Tombstone>, JournalError> {
        self.reading(|db| {
            let sql = format!("{TOMBSTONE} ORDER BY deleted_at DESC, debate DESC LIMIT ?");
            db.prepare_cached(&sql)?.query_map(params![limit], row_of)?.collect()
        })
    }

    /// What is left of a deleted debate, its chain verified.
    pub fn left(&self, debate: &DebateId) -> Result<(Tombstone, Vec<LeftEntry>), JournalError> {
        self.look(|db, path| {
            let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
            let tombstone = tombstone(db, debate).map_err(fault)?;
            let tombstone = tombstone.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
            let left = verified(db, path, &tombstone)?;
            Ok((tombstone, left))
        })
    }

    /// The error of a debate that is not there: deleted, or never opened.
    pub(super) fn absent(&self, debate: &DebateId) -> JournalError {
        match self.tombstone(debate) {
            Ok(Some(tombstone)) => JournalError::Deleted(Box::new(tombstone)),
            Ok(None) => JournalError::NoSuchDebate(debate.clone()),
            Err(error) => error,
        }
    }
}

/// The tombstone of a deleted debate.
pub(super) fn tombstone(db: &Connection, debate: &DebateId) -> rusqlite::Result<Option<Tombstone>> {
    let sql = format!("{TOMBSTONE} WHERE debate = ?");
    db.prepare_cached(&sql)?.query_row(params![debate.as_str()], row_of).optional()
}

/// Verifies what is left of every deleted debate.
pub(super) fn verify_all(db: &Connection, path: &Path) -> Result<(), JournalError> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let mut rows = db.prepare(TOMBSTONE).map_err(fault)?;
    let all = rows.query_map([], row_of).map_err(fault)?.collect::<rusqlite::Result<Vec<_>>>();
    all.map_err(fault)?.iter().try_for_each(|tombstone| verified(db, path, tombstone).map(drop))
}

fn verified(db: &Connection, path: &Path, tombstone: &Tombstone) -> Result<Vec<LeftEntry>, JournalError> {
    let debate = &tombstone.debate;
    let unsound = |why: String| JournalError::damaged(path, format!("deleted debate {debate}: {why}"));
    let rows = (|| {
        let sql = "SELECT kind, key, hash, line FROM tombstone_entries WHERE debate = ? ORDER BY seq";
        let mut rows = db.prepare_cached(sql)?;
        let rows = rows.query_map(params![debate.as_str()], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, Option<String>>(1)?,
                digest(row, 2)?,
                row.get::<_, Option<String>>(3)?,
            ))
        })?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    })();
    let mut prev = Digest::genesis();
    let mut left = Vec::new();
    for (seq, (kind, key, hash, line)) in (0..).zip(rows.map_err(|error| JournalError::sqlite(path, error))?)
    {
        let entry = match line {
            Some(line) => serde_json::from_str::<Entry>(&line)
                .map(|entry| LeftEntry::Kept(Box::new(entry)))
                .map_err(|error| unsound(format!("entry {seq} cannot be read: {error}")))?,
            None => {
                let key = key.map(Key::of);
                LeftEntry::Erased(ErasedEntry { seq, kind, key, prev: prev.clone(), hash: hash.clone() })
            }
        };
        left.push(entry);
        prev = hash;
    }
    tombstone.verify(&left).map_err(|error| unsound(error.to_string()))?;
    Ok(left)
}

fn delete(db: &Connection, path: &Path, deletion: &Deletion) -> Result<Tombstone, JournalError> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let debate = &deletion.debate;
    if let Some(tombstone) = tombstone(db, debate).map_err(fault)? {
        return Err(JournalError::Deleted(Box::new(tombstone)));
    }
    let sql = format!("{} WHERE id = ?", store::SUMMARY);
    let summary = db.query_row(&sql, params![debate.as_str()], store::summary).optional().map_err(fault)?;
    let summary = summary.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
    let record = sound::record(db, path, debate, Some((summary.entries, &summary.head)))?;
    if let Some(unknown) = deletion.entries.iter().flatten().find(|seq| **seq >= record.len()) {
        let why = format!("it has no entry {unknown}; its last is {}", record.len() - 1);
        return Err(JournalError::Refused { debate: debate.clone(), why });
    }
    let tombstone = Tombstone {
        debate: debate.clone(),
        protocol: record.opened().protocol.clone(),
        entries: record.len(),
        head: record.head().clone(),
        at: stamp(),
        by: deletion.by.clone(),
        why: deletion.why.clone(),
    };
    let goes = |seq: u64| deletion.entries.as_ref().is_none_or(|entries| entries.contains(&seq));
    let lines = sound::lines(db, debate).map_err(fault)?;
    let names_texts: BTreeSet<&Digest> = match goes(0) {
        true => record.opened().texts().map(|(_, digest)| digest).collect(),
        false => BTreeSet::new(),
    };
    (|| {
        // Freed pages are overwritten, so that the words are not in the file any more.
        db.pragma_update(None, "secure_delete", true)?;
        db.execute(
            "INSERT INTO tombstones (debate, protocol, length, head, deleted_at, deleted_by, reason)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![
                debate.as_str(),
                tombstone.protocol,
                i64::try_from(tombstone.entries).unwrap_or(i64::MAX),
                tombstone.head.as_str(),
                tombstone.at.0,
                tombstone.by,
                tombstone.why
            ],
        )?;
        let mut leave = db.prepare_cached(
            "INSERT INTO tombstone_entries (debate, seq, kind, key, hash, line) VALUES (?, ?, ?, ?, ?, ?)",
        )?;
        for (entry, line) in record.entries().iter().zip(&lines) {
            let (kind, key) = entry.what.index();
            let line = (!goes(entry.seq)).then_some(line);
            leave.execute(params![
                debate.as_str(),
                entry.seq as i64,
                kind,
                key,
                entry.hash.as_str(),
                line
            ])?;
        }
        remove(db, debate)?;
        remove_texts(db, &names_texts)?;
        db.pragma_update(None, "secure_delete", false)
    })()
    .map_err(fault)?;
    Ok(tombstone)
}

/// Removes a debate from every table that refers to it, and from the list.
fn remove(db: &Connection, debate: &DebateId) -> rusqlite::Result<()> {
    let number: Option<i64> = db
        .query_row("SELECT number FROM searchable WHERE debate = ?", params![debate.as_str()], |row| {
            row.get(0)
        })
        .optional()?;
    if let Some(number) = number {
        db.execute("DELETE FROM search_index WHERE rowid = ?", params![number])?;
    }
    // Read from the schema, so that a table that comes later is not forgotten.
    let referring = "SELECT m.name, f.\"from\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
        WHERE m.type = 'table' AND f.\"table\" = 'debates'";
    let mut tables = db.prepare(referring)?;
    let tables = tables.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    for (table, column) in tables.collect::<rusqlite::Result<Vec<_>>>()? {
        db.execute(&format!("DELETE FROM \"{table}\" WHERE \"{column}\" = ?"), params![debate.as_str()])?;
    }
    db.execute("DELETE FROM debates WHERE id = ?", params![debate.as_str()]).map(drop)
}

/// Removes those of `texts` that no debate names.
fn remove_texts(db: &Connection, texts: &BTreeSet<&Digest>) -> rusqlite::Result<()> {
    let mut unused: BTreeSet<&Digest> = texts.clone();
    let kept = "SELECT e.line FROM debates d CROSS JOIN entries e ON e.debate = d.id AND e.seq = 0
        UNION ALL SELECT line FROM tombstone_entries WHERE seq = 0 AND line IS NOT NULL";
    let mut openings = db.prepare_cached(kept)?;
    let mut openings = openings.query([])?;
    while let Some(row) = openings.next()? {
        if unused.is_empty() {
            return Ok(());
        }
        let line: String = row.get(0)?;
        unused.retain(|digest| !line.contains(digest.as_str()));
    }
    for digest in unused {
        db.execute("DELETE FROM texts WHERE digest = ?", params![digest.as_str()])?;
    }
    Ok(())
}

fn row_of(row: &Row<'_>) -> rusqlite::Result<Tombstone> {
    let id: String = row.get(0)?;
    Ok(Tombstone {
        debate: DebateId::new(id)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?,
        protocol: row.get(1)?,
        entries: row.get::<_, i64>(2)?.unsigned_abs(),
        head: digest(row, 3)?,
        at: Stamp(row.get(4)?),
        by: row.get(5)?,
        why: row.get(6)?,
    })
}

fn digest(row: &Row<'_>, at: usize) -> rusqlite::Result<Digest> {
    serde_json::from_value(row.get::<_, String>(at)?.into())
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
