//! Reading a record out of the store, verified entry by entry.

use std::{fmt::Display, path::Path};

use agon_core::{DebateId, Digest, Entry, Record, RecordError};

use super::{JournalError, Result, storage::StoreConnection};

/// The record of a debate without its documents. `known` is the length and the head that the list of debates
/// has for it, read before the entries: a debate that is being driven grows between the two.
pub(super) fn read_record(
    db: &dyn StoreConnection,
    debate: &DebateId,
    known: Option<(u64, &Digest)>,
) -> Result<Record> {
    let place = db.store_location();
    let lines = read_entry_lines(db, debate)?;
    let mut record = None;
    for (seq, line) in lines.iter().enumerate() {
        let unsound = |error: RecordError| JournalError::unsound_in(place, format!("debate {debate}: {error}"), error);
        let entry = parse_entry(place, debate, seq, line)?;
        match &mut record {
            None => record = Some(Record::new(entry).map_err(unsound)?),
            Some(record) => record.append_entry(entry).map_err(unsound)?,
        }
    }
    let record = record.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
    if let Some((length, head)) = known {
        let at = length.checked_sub(1).and_then(|last| record.entries().get(last as usize));
        if at.is_none_or(|entry| entry.hash != *head) {
            let why = format!("debate {debate}: its last entries are missing or were changed");
            return Err(JournalError::damaged(place, why));
        }
    }
    Ok(record)
}

/// The lines of a debate's entries, in order.
pub(super) fn read_entry_lines(db: &dyn StoreConnection, debate: &DebateId) -> Result<Vec<String>> {
    let lines = "SELECT line FROM entries WHERE debate = ?1 ORDER BY seq";
    db.query_texts(lines, &[&debate])
}

/// The entry `seq` of a debate from its line.
pub(super) fn parse_entry(place: &Path, debate: impl Display, seq: usize, line: &str) -> Result<Entry> {
    serde_json::from_str(line).map_err(|error| {
        let why = format!("debate {debate}: entry {seq} cannot be read: {error}");
        JournalError::unsound_in(place, why, error)
    })
}
