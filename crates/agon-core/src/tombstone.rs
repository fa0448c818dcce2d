//! What is left of a debate whose words were deleted: for each entry its number, kind, key and hash, so that the hash
//! chain can still be followed from the first entry to the head.
//!
//! The hash of an erased entry cannot be computed again, but it stands in the chain twice: as its own hash and as the
//! `prev` of the next entry. An entry that was kept is verified in full.

use serde::{Deserialize, Serialize};

use crate::{DebateId, Digest, Entry, Key, RecordError, Stamp, record::check_link};

/// A deleted debate: which, how long its record was, and who deleted it, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tombstone {
    /// The debate.
    pub debate: DebateId,
    /// Its protocol.
    pub protocol: String,
    /// Number of its entries.
    pub entries: u64,
    /// Hash of its last entry.
    pub head: Digest,
    /// When it was deleted.
    pub at: Stamp,
    /// Who deleted it.
    pub by: String,
    /// Why; can be empty.
    pub why: String,
}

/// An entry whose words were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasedEntry {
    /// Its number.
    pub seq: u64,
    /// Its kind, as [`crate::Event::index`] names it.
    pub kind: String,
    /// The name of its request or ruling, if its kind has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// Hash of the entry before it.
    pub prev: Digest,
    /// Its hash.
    pub hash: Digest,
}

/// One entry of a deleted debate.
#[derive(Debug, Clone, PartialEq)]
pub enum LeftEntry {
    /// It was kept as it was.
    Kept(Box<Entry>),
    /// Its words are gone.
    Erased(ErasedEntry),
}

/// Names of the kinds of entries.
const KINDS: [&str; 7] = ["opened", "asked", "answered", "ruled", "extended", "acted", "closed"];

impl ErasedEntry {
    /// What is left of `entry`.
    pub fn from_entry(entry: &Entry) -> Self {
        let (kind, key) = entry.what.index();
        Self {
            seq: entry.seq,
            kind: kind.to_owned(),
            key: key.map(Key::from_parts),
            prev: entry.prev.clone(),
            hash: entry.hash.clone(),
        }
    }
}

impl Tombstone {
    /// Follows the chain through `left`: every number, every link, the hash of every kept entry, the head and the
    /// length.
    ///
    /// # Errors
    ///
    /// The first entry that does not fit, and why.
    pub fn verify_chain(&self, left: &[LeftEntry]) -> Result<(), RecordError> {
        let mut head = Digest::genesis();
        for (at, entry) in left.iter().enumerate() {
            let left = match entry {
                LeftEntry::Kept(entry) => ErasedEntry::from_entry(entry),
                LeftEntry::Erased(entry) => entry.clone(),
            };
            check_link((at as u64, &head), (left.seq, &left.prev))?;
            if let LeftEntry::Kept(entry) = entry {
                entry.check_hash()?;
            }
            if !KINDS.contains(&left.kind.as_str()) {
                return Err(RecordError { seq: left.seq, why: "its kind is not one of a record".into() });
            }
            head = left.hash;
        }
        let seq = left.len() as u64;
        if seq != self.entries {
            let why = format!("the tombstone counts {} entries, but there are {seq}", self.entries);
            return Err(RecordError { seq, why });
        }
        if head != self.head {
            return Err(RecordError { seq, why: "the head differs from the hash of the last entry".into() });
        }
        Ok(())
    }

    /// Number of the entries whose words are gone.
    pub fn count_erased(left: &[LeftEntry]) -> u64 {
        left.iter().filter(|entry| matches!(entry, LeftEntry::Erased(_))).count() as u64
    }

    /// When, by whom and why, for readers.
    pub fn describe_deletion(&self) -> String {
        let day = self.at.0.get(..10).unwrap_or(&self.at.0);
        let why = if self.why.is_empty() { String::new() } else { format!(": {}", self.why) };
        format!("the debate {} was deleted on {day} by {}{why}", self.debate, self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Outcome, Record, Ruling, RulingKind, sample};

    fn record() -> Record {
        let at = || Stamp("2026-01-01T00:00:00.000Z".into());
        let mut record = Record::open(sample::sample_opened("test", &["a"]), at()).unwrap();
        let ruling = Ruling::new(RulingKind::Noted, "words");
        record.append_event(at(), Event::Ruled { key: Key::from_parts("a/b"), ruling }).unwrap();
        record.append_event(at(), Event::Closed { outcome: Outcome::valid("done", "") }).unwrap();
        record
    }

    fn deleted(record: &Record) -> (Tombstone, Vec<LeftEntry>) {
        let tombstone = Tombstone {
            debate: record.opened().debate.clone(),
            protocol: record.opened().protocol.clone(),
            entries: record.len(),
            head: record.head_hash().clone(),
            at: Stamp("2026-02-01T00:00:00.000Z".into()),
            by: "Ada".into(),
            why: "asked for".into(),
        };
        let left = record.entries().iter().map(|entry| LeftEntry::Erased(ErasedEntry::from_entry(entry)));
        (tombstone, left.collect())
    }

    #[test]
    fn a_chain_without_words_is_followed_and_every_change_is_found() {
        let record = record();
        let (tombstone, left) = deleted(&record);
        assert_eq!((tombstone.verify_chain(&left), Tombstone::count_erased(&left)), (Ok(()), 3));
        assert!(!format!("{left:?}").contains("words"));
        let mut kept = left.clone();
        kept[1] = LeftEntry::Kept(Box::new(Entry::clone(&record.entries()[1])));
        assert_eq!((tombstone.verify_chain(&kept), Tombstone::count_erased(&kept)), (Ok(()), 2));
        if let LeftEntry::Kept(entry) = &mut kept[1] {
            entry.at = Stamp("2027-01-01T00:00:00.000Z".into());
        }
        assert!(tombstone.verify_chain(&kept).unwrap_err().why.contains("changed"));
        for at in 0..3 {
            let mut changed = left.clone();
            if let LeftEntry::Erased(entry) = &mut changed[at] {
                entry.hash = Digest::from_content("x");
            }
            assert!(tombstone.verify_chain(&changed).is_err(), "hash of entry {at}");
            let mut shorter = left.clone();
            shorter.remove(at);
            assert!(tombstone.verify_chain(&shorter).is_err(), "without entry {at}");
        }
        assert_eq!(
            tombstone.describe_deletion(),
            "the debate x was deleted on 2026-02-01 by Ada: asked for".replace("x", tombstone.debate.as_str())
        );
    }
}
