//! The append-only record of one debate, with an index by key.
//!
//! A record can only be built by appending, and refuses what no debate can contain. It keeps the
//! parsed form of each answer next to it, so that a step neither searches nor parses twice.

mod redacted;

use std::{collections::BTreeMap, sync::Arc};

use indexmap::IndexMap;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Act, ActKind, Answered, Digest, Entry, Event, Key, Opened, Outcome, Request, Ruling, Stamp,
    derived_cache::DerivedCache,
};

/// Why a record does not admit an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq}: {why}")]
pub struct RecordError {
    /// The entry.
    pub seq: u64,
    /// What is wrong with it.
    pub why: String,
}

/// The record of one debate: its entries, in order. It is never empty and begins with [`Event::Opened`].
/// Entries are only appended. Parsed answers and indexes are cached next to them.
#[derive(Debug, Clone)]
pub struct Record {
    // Shared, so that a copy for the drawing thread costs little.
    entries: Vec<Arc<Entry>>,
    index: RecordIndex,
    pub(crate) kept: DerivedCache,
    documents: BTreeMap<String, String>,
}

/// Where in a record what stands.
#[derive(Debug, Clone, Default)]
struct RecordIndex {
    asked: IndexMap<Key, usize>,
    answered: IndexMap<Key, usize>,
    ruled: IndexMap<Key, usize>,
    extended: Vec<usize>,
    closed: Vec<usize>,
    /// Those of `closed` that a script wanted: a cancellation does not run the script.
    closed_by_rules: Vec<usize>,
    acted: Vec<usize>,
    /// The act by which it stands still now.
    paused: Option<usize>,
    /// The act by which it ends, or has ended, until someone extends it.
    cancelled: Option<usize>,
    /// Answers that may no longer be shown, and the ruling that says so.
    redacted: BTreeMap<Key, u64>,
}

impl Record {
    /// A record that begins with `first`, which must be a sound [`Event::Opened`].
    pub fn new(first: impl Into<Arc<Entry>>) -> Result<Self, RecordError> {
        Self::from_entries([first])
    }

    fn empty() -> Self {
        let (index, kept) = (RecordIndex::default(), DerivedCache::default());
        Self { entries: Vec::new(), index, kept, documents: BTreeMap::new() }
    }

    /// A new debate.
    pub fn open(opened: Opened, at: Stamp) -> Result<Self, RecordError> {
        Self::new(Entry::seal(0, at, Event::Opened(opened), Digest::genesis()))
    }

    /// A record out of entries in order.
    pub fn from_entries<E: Into<Arc<Entry>>>(entries: impl IntoIterator<Item = E>) -> Result<Self, RecordError> {
        let mut record = Self::empty();
        for entry in entries {
            record.append_entry(entry)?;
        }
        let empty = || RecordError { seq: 0, why: "the record is empty".into() };
        if record.entries.is_empty() { Err(empty()) } else { Ok(record) }
    }

    /// The same record with the documents that it is pinned to, out of `texts`. A text that does
    /// not have the digest of its name is left out.
    pub fn with_documents(mut self, texts: &BTreeMap<Digest, String>) -> Self {
        let pinned = self.opened().documents.iter().filter_map(|(name, digest)| {
            let text = texts.get(digest).filter(|text| Digest::from_content(text) == *digest)?;
            Some((name.clone(), text.clone()))
        });
        self.documents = pinned.collect();
        self
    }

    /// The same record with the documents of `other`, which was opened alike.
    pub fn with_documents_of(mut self, other: &Record) -> Self {
        self.documents.clone_from(&other.documents);
        self
    }

    /// A document that the debate was opened with, by name.
    pub fn document(&self, name: &str) -> Option<&str> {
        self.documents.get(name).map(String::as_str)
    }

    /// Every document that the debate was opened with, by name.
    pub fn documents(&self) -> &BTreeMap<String, String> {
        &self.documents
    }

    /// Seals and appends what happened.
    pub fn append_event(&mut self, at: Stamp, what: Event) -> Result<&Arc<Entry>, RecordError> {
        let entry = Entry::seal(self.len(), at, what, self.head_hash().clone());
        self.check_event(&entry.what).map_err(|why| RecordError { seq: entry.seq, why })?;
        self.push_entry(Arc::new(entry));
        Ok(&self.entries[self.entries.len() - 1])
    }

    /// Appends an entry after checking that it can stand here.
    pub fn append_entry(&mut self, entry: impl Into<Arc<Entry>>) -> Result<(), RecordError> {
        let entry = entry.into();
        check_link((self.len(), self.head_hash()), (entry.seq, &entry.prev))?;
        entry.check_hash()?;
        self.check_event(&entry.what).map_err(|why| RecordError { seq: entry.seq, why })?;
        self.push_entry(entry);
        Ok(())
    }

    fn push_entry(&mut self, entry: Arc<Entry>) {
        self.index.add_event(self.entries.len(), &entry.what);
        self.entries.push(entry);
        self.kept.add_entry();
    }

    /// Whether `what` may be appended now; says why not.
    pub fn check_event(&self, what: &Event) -> Result<(), String> {
        if self.entries.is_empty() != matches!(what, Event::Opened(_)) {
            return Err("a debate is opened once, by its first entry".into());
        }
        if self.closing_outcome().is_some() && !matches!(what, Event::Extended { .. }) {
            return Err("the debate is closed; only an extension may follow".into());
        }
        if self.index.cancelled.is_some() && !matches!(what, Event::Closed { .. } | Event::Extended { .. }) {
            return Err("the debate is cancelled; only its end may follow".into());
        }
        let once = |seen: &IndexMap<Key, usize>, key: &Key, verb: &str| match seen.get(key) {
            Some(at) => Err(format!("{key} was already {verb} by entry {at}")),
            None => Ok(()),
        };
        match what {
            Event::Asked(request) => once(&self.index.asked, &request.key, "asked"),
            Event::Answered(answered) if !self.index.asked.contains_key(&answered.key) => {
                Err(format!("{} is answered, but was not asked", answered.key))
            }
            Event::Answered(answered) => once(&self.index.answered, &answered.key, "answered"),
            Event::Ruled { key, .. } => once(&self.index.ruled, key, "ruled"),
            Event::Acted(Act { deed: ActKind::Paused { .. }, .. }) if self.index.paused.is_some() => {
                Err("the debate is already paused".into())
            }
            Event::Acted(Act { deed: ActKind::Resumed, .. }) if self.index.paused.is_none() => {
                Err("the debate is not paused".into())
            }
            Event::Acted(_) | Event::Opened(_) | Event::Extended { .. } | Event::Closed { .. } => Ok(()),
        }
    }

    /// How the debate was opened.
    pub fn opened(&self) -> &Opened {
        match &self.entries[0].what {
            Event::Opened(opened) => opened,
            _ => unreachable!("admits() lets only Opened be first"),
        }
    }

    /// All entries, oldest first.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Digests of all texts that its entries name: what must be stored for it to be resumed, read and exported.
    pub fn list_text_digests(&self) -> impl Iterator<Item = &Digest> {
        self.entries.iter().flat_map(|entry| entry.what.list_text_digests())
    }

    /// Number of entries.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Hash of the last entry.
    pub fn head_hash(&self) -> &Digest {
        static GENESIS: std::sync::LazyLock<Digest> = std::sync::LazyLock::new(Digest::genesis);
        self.entries.last().map_or(&GENESIS, |entry| &entry.hash)
    }

    /// The outcome, where the debate is closed now.
    pub fn closing_outcome(&self) -> Option<&Outcome> {
        self.entries.last()?.what.outcome()
    }

    /// The latest outcome, also where the debate was extended since.
    pub fn latest_outcome(&self) -> Option<&Outcome> {
        self.entries[*self.index.closed.last()?].what.outcome()
    }

    /// What was asked under `key`, and by which entry.
    pub fn find_request(&self, key: &Key) -> Option<(u64, &Request)> {
        let at = *self.index.asked.get(key)?;
        Some((at as u64, self.entries[at].what.request()?))
    }

    /// The answer to `key`, and the entry that holds it.
    pub fn find_answer(&self, key: &Key) -> Option<(u64, &Answered)> {
        let at = *self.index.answered.get(key)?;
        Some((at as u64, self.entries[at].what.answer()?))
    }

    /// The ruling under `key`, and the entry that holds it.
    pub fn find_ruling(&self, key: &Key) -> Option<(u64, &Ruling)> {
        let at = *self.index.ruled.get(key)?;
        Some((at as u64, self.entries[at].what.ruling()?.1))
    }

    /// The data of the ruling under `key` and the entry that holds it, read once for each entry;
    /// `None` if it is not a `T`.
    pub fn find_ruling_data<T: DeserializeOwned + Send + Sync + 'static>(&self, key: &str) -> Option<(u64, Arc<T>)> {
        let at = *self.index.ruled.get(key)?;
        let (_, ruling) = self.entries[at].what.ruling()?;
        let read = self.parse_once(at as u64, || ruling.decode_data::<T>().map(Arc::new));
        read.as_ref().clone().map(|data| (at as u64, data))
    }

    /// What `make` makes of the record as it stood at `heard` and `asked` (see [`crate::View`]). The
    /// last value made is kept: what asks a round of seats needs the same one many times.
    pub(crate) fn derive_once<T: Send + Sync + 'static>(
        &self,
        (heard, asked): (u64, u64),
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        // Requests change nothing that can be made of a record.
        let ruled = self.entries[..(asked as usize).min(self.entries.len())]
            .iter()
            .rposition(|entry| !matches!(entry.what, Event::Asked(_)));
        self.kept.derive_once((heard, ruled), make)
    }

    /// The entry by which the answer to `key` may no longer be shown.
    pub fn redaction_seq(&self, key: &Key) -> Option<u64> {
        self.index.redacted.get(key).copied()
    }

    /// Every ruling, oldest first.
    pub fn rulings(&self) -> impl Iterator<Item = (u64, &Key, &Ruling)> {
        self.entries.iter().filter_map(|entry| entry.what.ruling().map(|(key, ruling)| (entry.seq, key, ruling)))
    }

    /// Every answer, oldest first.
    pub fn answers(&self) -> impl Iterator<Item = (u64, &Answered)> {
        self.entries.iter().filter_map(|entry| Some((entry.seq, entry.what.answer()?)))
    }

    /// Everything that people did without having been asked, oldest first.
    pub fn acts(&self) -> impl Iterator<Item = (u64, &Act)> {
        self.index.acted.iter().filter_map(|at| self.act_at(*at))
    }

    /// What people said to all who take part before entry `seq`, oldest first: which entry says so, who, and the words.
    pub(crate) fn interjections_before(&self, seq: u64) -> impl Iterator<Item = (u64, &str, &str)> {
        let before = self.acts().take_while(move |(at, _)| *at < seq);
        before.filter_map(|(at, act)| match &act.deed {
            ActKind::Interjected { text } => Some((at, act.by.as_str(), text.as_str())),
            _ => None,
        })
    }

    /// The act by which the debate stands still now.
    pub fn find_pause(&self) -> Option<&Act> {
        self.act_at(self.index.paused?).map(|(_, act)| act)
    }

    /// The act by which the debate ends, or has ended, and nobody has extended it since.
    pub fn find_cancellation(&self) -> Option<&Act> {
        self.act_at(self.index.cancelled?).map(|(_, act)| act)
    }

    fn act_at(&self, at: usize) -> Option<(u64, &Act)> {
        let Event::Acted(act) = &self.entries[at].what else { return None };
        Some((at as u64, act))
    }

    /// Requests that were asked and not answered, oldest first.
    pub fn unanswered_requests(&self) -> impl Iterator<Item = &Request> {
        let requests = self.entries.iter().filter_map(|entry| entry.what.request());
        requests.filter(|request| !self.index.answered.contains_key(&request.key))
    }

    pub(crate) fn extension_positions(&self) -> &[usize] {
        &self.index.extended
    }

    pub(crate) fn closing_positions(&self) -> &[usize] {
        &self.index.closed_by_rules
    }

    /// What `parse` makes of the answer in entry `seq`, computed once for each entry.
    ///
    /// `parse` must depend on nothing but the record up to the answer; the value kept is that of
    /// the first call.
    pub fn parse_once<T: Send + Sync + 'static>(&self, seq: u64, parse: impl FnOnce() -> T) -> Arc<T> {
        self.kept.parse_once(seq, parse)
    }
}

/// Whether an entry of number `seq` that names `prev` as the one before it follows on the `count` entries up to `head`.
pub(crate) fn check_link((count, head): (u64, &Digest), (seq, prev): (u64, &Digest)) -> Result<(), RecordError> {
    let why = if seq != count {
        format!("found number {seq} instead")
    } else if prev != head {
        "it does not follow the entry before it (hash chain broken)".to_owned()
    } else {
        return Ok(());
    };
    Err(RecordError { seq: count, why })
}

impl RecordIndex {
    fn add_event(&mut self, at: usize, event: &Event) {
        match event {
            Event::Opened(_) => {}
            Event::Asked(request) => drop(self.asked.insert(request.key.clone(), at)),
            Event::Answered(answered) => drop(self.answered.insert(answered.key.clone(), at)),
            Event::Ruled { key, ruling } => {
                self.ruled.insert(key.clone(), at);
                if let Some(key) = ruling.redacted_answer() {
                    self.redacted.entry(key).or_insert(at as u64);
                }
            }
            Event::Extended { .. } => {
                self.cancelled = None;
                self.extended.push(at);
            }
            Event::Acted(act) => {
                self.acted.push(at);
                match act.deed {
                    ActKind::Interjected { .. } => {}
                    ActKind::Paused { .. } => self.paused = Some(at),
                    ActKind::Resumed => self.paused = None,
                    // What has ended does not stand still.
                    ActKind::Cancelled { .. } => (self.paused, self.cancelled) = (None, Some(at)),
                }
            }
            Event::Closed { .. } => {
                self.closed.push(at);
                if self.cancelled.is_none() {
                    self.closed_by_rules.push(at);
                }
            }
        }
    }
}

impl Entry {
    /// Puts what happened into its envelope.
    pub fn seal(seq: u64, at: Stamp, what: Event, prev: Digest) -> Self {
        let mut entry = Self { seq, at, what, prev, hash: Digest::genesis() };
        entry.hash = entry.computed_hash();
        entry
    }

    /// Whether its hash is that of its content.
    pub(crate) fn check_hash(&self) -> Result<(), RecordError> {
        if self.hash == self.computed_hash() {
            return Ok(());
        }
        Err(RecordError { seq: self.seq, why: "its content was changed (hash differs)".into() })
    }

    /// SHA-256 of this entry's JSON without its hash.
    pub fn computed_hash(&self) -> Digest {
        #[derive(Serialize)]
        struct Sealed<'a> {
            seq: u64,
            at: &'a Stamp,
            what: &'a Event,
            prev: &'a Digest,
        }
        let sealed = Sealed { seq: self.seq, at: &self.at, what: &self.what, prev: &self.prev };
        // Every field is a plain value with text keys, so serialisation has no way to fail.
        Digest::from_content(serde_json::to_vec(&sealed).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ruling, ruling::RulingKind};

    fn opened() -> Record {
        Record::open(crate::sample::sample_opened("test", &[]), Stamp("2026-01-01T00:00:00.000Z".into())).unwrap()
    }

    fn ruled(key: &str) -> Event {
        Event::Ruled { key: Key::from_parts(key), ruling: Ruling::new(RulingKind::Noted, "x") }
    }

    #[test]
    fn a_key_is_ruled_once() {
        let mut record = opened();
        record.append_event(Stamp("t".into()), ruled("a")).unwrap();
        let error = record.append_event(Stamp("t".into()), ruled("a")).unwrap_err();
        assert!(error.to_string().contains("already ruled by entry 1"), "{error}");
        assert_eq!(record.len(), 2);
    }

    #[test]
    fn a_changed_entry_is_named() {
        let mut record = opened();
        record.append_event(Stamp("t".into()), ruled("a")).unwrap();
        let mut entries: Vec<Entry> = record.entries().iter().map(|entry| Entry::clone(entry)).collect();
        entries[1].what = ruled("b");
        let error = Record::from_entries(entries).unwrap_err();
        assert_eq!(error.seq, 1);
        assert!(error.why.contains("changed"));
    }

    #[test]
    fn nothing_but_an_extension_follows_the_end() {
        let mut record = opened();
        let closed = || Event::Closed { outcome: Outcome::valid("done", "") };
        record.append_event(Stamp("t".into()), closed()).unwrap();
        assert!(record.append_event(Stamp("t".into()), ruled("a")).is_err());
        assert!(record.append_event(Stamp("t".into()), closed()).is_err());
        let more = Event::Extended { limits: crate::Extension { rounds: 1, ..Default::default() } };
        record.append_event(Stamp("t".into()), more).unwrap();
        record.append_event(Stamp("t".into()), ruled("a")).unwrap();
    }
}
