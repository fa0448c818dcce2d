//! Deleting debates: their words go, and a tombstone stays that keeps the hash chain checkable.

use std::collections::BTreeSet;

use agon_core::{DebateId, Digest, Entry, ErasedEntry, Key, LeftEntry, Tombstone};

use super::{
    DebateSummary, Journal, JournalError, Result, SUMMARY, account_tables, pending_lookups,
    storage::{ReadAt, SqlRow, StoreConnection},
    verified_read,
};
use crate::time::current_stamp;

/// Openings that are read at a time where those that name a text are looked for.
const ROWS_AT_ONCE: u32 = 256;

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

pub(super) const TOMBSTONE: &str =
    "SELECT debate, protocol, length, head, deleted_at, deleted_by, reason FROM tombstones";

pub(super) const ADD_TOMBSTONE: &str =
    "INSERT INTO tombstones (debate, protocol, length, head, deleted_at, deleted_by, reason)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
pub(super) const ADD_TOMBSTONE_ENTRY: &str = "INSERT INTO tombstone_entries (debate, seq, kind, key, hash, line)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

impl Journal {
    /// Deletes a debate: entries, calls, leases, labels, the search index, and the texts that no other debate names.
    /// A tombstone and the names and hashes of its entries stay. The caller holds the debate's lock.
    ///
    /// # Errors
    ///
    /// [`JournalError::NoSuchDebate`], [`JournalError::Deleted`] if it was deleted before, and whatever makes its
    /// record unsound: a damaged record is not deleted, since its tombstone would hide the damage.
    pub async fn delete_debate(&self, deletion: Deletion) -> Result<Tombstone> {
        self.transact(move |db| delete_debate_rows(db, &deletion)).await
    }

    /// Overwrites what deletions left in the write-ahead log. Others that read at this moment can prevent it; the
    /// next checkpoint does it then.
    pub fn wipe_log(&self) -> Result<()> {
        self.store.wipe_log()
    }

    /// The tombstone of a deleted debate.
    pub fn find_tombstone(&self, debate: &DebateId) -> Result<Option<Tombstone>> {
        self.read_store(|db| query_tombstone(db, debate))
    }

    /// The tombstones, newest first, at most `limit`.
    pub fn list_tombstones(&self, limit: u32) -> Result<Vec<Tombstone>> {
        self.read_rows(&format!("{TOMBSTONE} ORDER BY deleted_at DESC, debate DESC LIMIT ?1"), &[&limit], SqlRow::read)
    }

    /// What is left of a deleted debate, its chain verified.
    pub fn read_left_entries(&self, debate: &DebateId) -> Result<(Tombstone, Vec<LeftEntry>)> {
        self.reading_at(ReadAt::OneMoment, |db| {
            let tombstone = query_tombstone(db, debate)?;
            let tombstone = tombstone.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
            let left = verify_left_entries(db, &tombstone)?;
            Ok((tombstone, left))
        })
    }

    /// The error of a debate that is not there: deleted, or never opened.
    pub(super) fn missing_debate_error(&self, debate: &DebateId) -> JournalError {
        match self.find_tombstone(debate) {
            Ok(Some(tombstone)) => JournalError::Deleted(Box::new(tombstone)),
            Ok(None) => JournalError::NoSuchDebate(debate.clone()),
            Err(error) => error,
        }
    }
}

/// The tombstone of a deleted debate.
pub(super) fn query_tombstone(db: &dyn StoreConnection, debate: &DebateId) -> Result<Option<Tombstone>> {
    let sql = format!("{TOMBSTONE} WHERE debate = ?1");
    db.query_first(&sql, &[&debate])?.map(SqlRow::read).transpose()
}

/// Verifies what is left of every deleted debate.
pub(super) fn verify_all(db: &dyn StoreConnection) -> Result<()> {
    db.query(TOMBSTONE, &[])?.into_iter().try_for_each(|row| verify_left_entries(db, &row.read()?).map(drop))
}

fn verify_left_entries(db: &dyn StoreConnection, tombstone: &Tombstone) -> Result<Vec<LeftEntry>> {
    let debate = &tombstone.debate;
    let unsound = |why: String| JournalError::damaged(db.store_location(), format!("deleted debate {debate}: {why}"));
    let sql = "SELECT kind, key, hash, line FROM tombstone_entries WHERE debate = ?1 ORDER BY seq";
    let rows = db.query(sql, &[&debate])?;
    let mut prev = Digest::genesis();
    let mut left = Vec::new();
    for (seq, row) in (0..).zip(rows) {
        let (kind, key, hash, line): (String, Option<String>, Digest, Option<String>) = row.read()?;
        let entry = match line {
            Some(line) => serde_json::from_str::<Entry>(&line)
                .map(|entry| LeftEntry::Kept(Box::new(entry)))
                .map_err(|error| unsound(format!("entry {seq} cannot be read: {error}")))?,
            None => {
                let key = key.map(Key::from_parts);
                LeftEntry::Erased(ErasedEntry { seq, kind, key, prev: prev.clone(), hash: hash.clone() })
            }
        };
        left.push(entry);
        prev = hash;
    }
    tombstone.verify_chain(&left).map_err(|error| unsound(error.to_string()))?;
    Ok(left)
}

fn delete_debate_rows(db: &dyn StoreConnection, deletion: &Deletion) -> Result<Tombstone> {
    let debate = &deletion.debate;
    if let Some(tombstone) = query_tombstone(db, debate)? {
        return Err(JournalError::Deleted(Box::new(tombstone)));
    }
    // Who opens a debate meanwhile waits, and then finds the texts that it names, or puts them again.
    db.lock_texts()?;
    // A process that appends or refers to it meanwhile waits, and then finds that it is gone.
    db.lock_debate(debate)?;
    let found = db.query_first(&format!("{SUMMARY} WHERE id = ?1"), &[&debate])?;
    let summary: Option<DebateSummary> = found.map(SqlRow::read).transpose()?;
    let summary = summary.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
    let record = verified_read::read_record(db, debate, Some((summary.entries, &summary.head)))?;
    if let Some(unknown) = deletion.entries.iter().flatten().find(|seq| **seq >= record.len()) {
        let why = format!("it has no entry {unknown}; its last is {}", record.len() - 1);
        return Err(JournalError::Refused { debate: debate.clone(), why });
    }
    let tombstone = Tombstone {
        debate: debate.clone(),
        protocol: record.opened().protocol.clone(),
        entries: record.len(),
        head: record.head_hash().clone(),
        at: current_stamp(),
        by: deletion.by.clone(),
        why: deletion.why.clone(),
    };
    let goes = |seq: u64| deletion.entries.as_ref().is_none_or(|entries| entries.contains(&seq));
    let lines = verified_read::read_entry_lines(db, debate)?;
    let gone = record.entries().iter().filter(|entry| goes(entry.seq));
    let pending = pending_lookups::list_text_digests(db, debate)?;
    let names_texts: BTreeSet<&Digest> =
        gone.flat_map(|entry| entry.what.list_text_digests()).chain(&pending).collect();
    // Freed pages are overwritten, so that the words are not in the file any more.
    db.overwrite_deleted(true)?;
    let Tombstone { protocol, entries, head, at, by, why, .. } = &tombstone;
    db.execute(ADD_TOMBSTONE, &[debate, protocol, entries, head, at, by, why])?;
    for (entry, line) in record.entries().iter().zip(&lines) {
        let (kind, key) = entry.what.index();
        let line = (!goes(entry.seq)).then_some(line);
        db.execute(ADD_TOMBSTONE_ENTRY, &[debate, &entry.seq, &kind, &key, &entry.hash, &line])?;
    }
    account_tables::quotas::count_as_deleted(db, debate)?;
    db.remove_debate(debate)?;
    remove_texts(db, &names_texts)?;
    db.overwrite_deleted(false)?;
    Ok(tombstone)
}

/// Removes those of `texts` that no debate names.
fn remove_texts(db: &dyn StoreConnection, texts: &BTreeSet<&Digest>) -> Result<()> {
    let mut unused: BTreeSet<&Digest> = texts.clone();
    for openings in [
        "SELECT debate, line FROM entries WHERE seq = 0 AND debate > ?1 ORDER BY debate LIMIT ?2",
        "SELECT debate, line FROM tombstone_entries WHERE seq = 0 AND line IS NOT NULL AND debate > ?1
         ORDER BY debate LIMIT ?2",
    ] {
        let mut after = String::new();
        while !unused.is_empty() {
            let rows = db.query(openings, &[&after, &ROWS_AT_ONCE])?;
            let is_last = rows.len() < ROWS_AT_ONCE as usize;
            for row in rows {
                let line: String;
                (after, line) = row.read()?;
                unused.retain(|digest| !line.contains(digest.as_str()));
            }
            if is_last {
                break;
            }
        }
    }
    for digest in unused {
        if !is_lookup_result(db, digest)? {
            db.execute("DELETE FROM texts WHERE digest = ?1", &[&digest])?;
        }
    }
    Ok(())
}

/// Whether an answer that is left names the text as what its seat looked up.
fn is_lookup_result(db: &dyn StoreConnection, digest: &Digest) -> Result<bool> {
    let pattern = format!("%\"result\":\"{digest}\"%");
    let answers = "SELECT 1 FROM entries WHERE kind = 'answered' AND line LIKE ?1 LIMIT 1";
    let left = "SELECT 1 FROM tombstone_entries WHERE kind = 'answered' AND line LIKE ?1 LIMIT 1";
    Ok(db.has_row(answers, &[&pattern])? || db.has_row(left, &[&pattern])?)
}
