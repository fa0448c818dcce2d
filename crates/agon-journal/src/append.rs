//! The rules by which records grow: opened once, appended to by who knows their end, and never changed.

use std::{path::PathBuf, sync::Arc};

use agon_core::{DebateId, Digest, Entry, Event, Key, Opened};

use super::{
    Append, JournalError, Reserved, Result, calls, drives,
    storage::{EntryRow, StoreConnection, put_texts},
    tombstone,
};
use crate::time::current_stamp;

/// Opens a debate with its first entry.
pub(super) fn create_debate(
    db: &dyn StoreConnection,
    first: Event,
    texts: &[(Digest, String)],
    directory: Option<&PathBuf>,
) -> Result<Arc<Entry>> {
    let entry = Arc::new(Entry::seal(0, current_stamp(), first, Digest::genesis()));
    import_record(db, std::slice::from_ref(&entry), texts, directory)?;
    Ok(entry)
}

/// Takes a whole record.
pub(super) fn import_record(
    db: &dyn StoreConnection,
    entries: &[Arc<Entry>],
    texts: &[(Digest, String)],
    directory: Option<&PathBuf>,
) -> Result<()> {
    let Some(Entry { what: Event::Opened(opened), at, .. }) = entries.first().map(Arc::as_ref) else {
        return Err(JournalError::damaged(db.store_location(), "a record begins with its opening"));
    };
    let debate = &opened.debate;
    // A deletion meanwhile does not take what this debate names.
    db.hold_texts()?;
    let directory = directory.map(|directory| directory.to_string_lossy().into_owned());
    let sql = "INSERT INTO debates (id, protocol, motion, opened_at, length, head, last_at, directory)
               VALUES (?1, ?2, ?3, ?4, 0, ?5, ?4, ?6) ON CONFLICT DO NOTHING";
    let Opened { protocol, motion, .. } = opened;
    if db.execute(sql, &[debate, protocol, motion, at, &Digest::genesis(), &directory])? == 0 {
        return Err(JournalError::Exists(debate.clone()));
    }
    if let Some(deleted) = tombstone::query_tombstone(db, debate)? {
        return Err(JournalError::Deleted(Box::new(deleted)));
    }
    insert_entries(db, debate, entries, texts)?;
    for entry in entries {
        if let Event::Answered(answered) = &entry.what {
            calls::spent_elsewhere(db, debate, &entry.at.0, answered)?;
        }
    }
    db.flush()
}

/// Appends to a record that ends where its next entries begin, settles calls and reserves others.
pub(super) fn append_entries(db: &dyn StoreConnection, debate: &DebateId, append: &Append) -> Result<Vec<Reserved>> {
    // Locked before the claim is looked at: who takes it over meanwhile waits, or is seen.
    let is_locked = append.fence.is_some() || !append.entries.is_empty() || !append.reserve.is_empty();
    let end = if is_locked { Some(db.lock_debate(debate)?) } else { None };
    drives::check_fence(db, debate, append.fence)?;
    if let Some((first, (length, head))) = append.entries.first().zip(end)
        && (length, head.as_str()) != (first.seq, first.prev.as_str())
    {
        // A claim that was lost is told first.
        db.flush()?;
        return Err(JournalError::Conflict { debate: debate.clone(), length });
    }
    insert_entries(db, debate, &append.entries, &append.texts)?;
    for settlement in &append.settle {
        calls::settle_call(db, debate, settlement)?;
    }
    if append.driven_ms > 0 {
        let sql = "UPDATE debates SET driven_ms = driven_ms + ?2 WHERE id = ?1";
        db.execute_later(sql, &[&debate, &append.driven_ms], None)?;
    }
    let now = current_stamp().0;
    let reserve = append.reserve.iter().map(|wanted| {
        if wanted.fence != append.fence {
            drives::check_fence(db, debate, wanted.fence)?;
        }
        calls::reserve_locked(db, debate, &now, wanted)
    });
    let reserved = reserve.collect::<Result<_, _>>()?;
    db.flush()?;
    Ok(reserved)
}

fn insert_entries(
    db: &dyn StoreConnection,
    debate: &DebateId,
    entries: &[Arc<Entry>],
    texts: &[(Digest, String)],
) -> Result<()> {
    put_texts(db, texts)?;
    for entry in entries {
        let (kind, key) = entry.what.index();
        let line = serde_json::to_string(entry).map_err(|error| JournalError::unsound(db.store_location(), error))?;
        // Two answers to one request: the first stands.
        let why = format!("{kind} {} is already on the record", key.unwrap_or_default());
        insert_line(db, debate, entry, &line, why)?;
    }
    let Some(last) = entries.last() else { return Ok(()) };
    let outcome = match &last.what {
        Event::Closed { outcome } => Some(outcome.name.as_str()),
        _ => None,
    };
    let sql = "UPDATE debates SET length = ?2, head = ?3, last_at = ?4, outcome = ?5 WHERE id = ?1";
    db.execute_later(sql, &[&debate, &(last.seq + 1), &last.hash, &last.at, &outcome], None)
}

/// Adds an entry, as [`StoreConnection::execute_later`] does; refuses it because of `why` where another stands at its place.
pub(super) fn insert_line(
    db: &dyn StoreConnection,
    debate: &DebateId,
    entry: &Entry,
    line: &str,
    why: String,
) -> Result<()> {
    let (kind, key) = entry.what.index();
    // What a search finds in it, and of which answer it finds nothing any more.
    let (said, redacted) = match &entry.what {
        Event::Opened(opened) => (Some(opened.motion.as_str()), None),
        Event::Answered(answered) => (answered.reply.text(), None),
        Event::Ruled { ruling, .. } => (None, ruling.redacted_answer()),
        _ => (None, None),
    };
    let redacts = redacted.as_ref().map(Key::as_str);
    let row = EntryRow { debate, seq: entry.seq, kind, key, line, said, redacts };
    db.insert_entry(&row, JournalError::Refused { debate: debate.clone(), why })
}
