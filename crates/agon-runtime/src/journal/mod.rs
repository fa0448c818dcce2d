//! The journal: every debate's record, in one SQLite database that several processes may use.
//!
//! One thread of each process writes and commits together what arrives together. What keeps the
//! records right is compare-and-append and unique keys in the store itself, never a lock.

mod calls;
pub mod copy;
mod error;
mod health;
pub mod labels;
pub mod leases;
pub mod outbox;
mod references;
mod search;
mod sound;
mod stats;
pub mod store;
pub mod tombstone;
pub mod uuid;
mod writer;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
};

use agon_core::{DebateId, Digest, Entry, Event, Extension, Key, Record, RecordError};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;

pub use self::{
    calls::{CallEnd, CallReceipt, PassedLimit, Reservation, Reserved, Settlement},
    error::JournalError,
    stats::{Amounts, ProtocolStats, Stats},
};
use crate::time::stamp;

/// The changes to one debate that belong to one transaction.
#[derive(Debug, Default)]
pub struct Append {
    /// Sealed entries that follow the last one stored; see [`seal`].
    pub entries: Vec<Arc<Entry>>,
    /// The calls that end with these entries.
    pub settle: Vec<Settlement>,
    /// The calls that are to be made after it.
    pub reserve: Vec<Reservation>,
    /// Driven time since the last append, in milliseconds.
    pub driven_ms: u64,
}

/// Seals what happened onto the end of `record`, at this moment. It counts only once it is stored.
pub fn seal(record: &mut Record, what: Event) -> Result<Arc<Entry>, RecordError> {
    record.append(stamp(), what).cloned()
}

/// One row of the list of debates.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DebateSummary {
    /// The debate.
    pub id: DebateId,
    /// Its protocol.
    pub protocol: String,
    /// Its motion.
    pub motion: String,
    /// When it was opened.
    pub opened_at: String,
    /// When it last went on.
    pub last_at: String,
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last entry.
    pub head: Digest,
    /// Name of the outcome, where it is closed.
    pub outcome: Option<String>,
    /// Where its files are written.
    pub directory: Option<PathBuf>,
    /// Driven time in milliseconds.
    pub driven_ms: u64,
}

/// The journal: all records, calls and leases, in one SQLite database.
/// One thread writes; every append is one transaction.
pub struct Journal {
    path: PathBuf,
    orphan: Option<PathBuf>,
    reader: Mutex<Connection>,
    writer: mpsc::Sender<writer::WriteJob>,
}

impl Journal {
    /// Opens the journal in the data directory `home`, and makes it where there is none.
    pub fn open(home: &Path) -> Result<Self, JournalError> {
        let orphan = store::orphaned(home);
        let (path, writing) = store::open(home)?;
        let reader = Mutex::new(store::connect_to_read(&path)?);
        let writer = writer::start(writing, path.clone());
        Ok(Self { path, orphan, reader, writer })
    }

    /// What tells of debates that were held here before, where this journal had to be made because
    /// theirs is gone.
    pub fn orphan(&self) -> Option<&Path> {
        self.orphan.as_deref()
    }

    /// Where it is stored.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a debate with its first entry; [`JournalError::Exists`] where the id is taken.
    pub async fn create(
        &self,
        first: Event,
        texts: Vec<(Digest, String)>,
        directory: Option<PathBuf>,
    ) -> Result<Record, JournalError> {
        let entry = self
            .write(|done| writer::WriteJob::Create { first: Box::new(first), texts, directory, done })
            .await?;
        let record = Record::new(entry).map_err(|error| JournalError::unsound(&self.path, error))?;
        self.with_documents(record)
    }

    /// Takes a whole record from elsewhere, as it is.
    pub async fn import(
        &self,
        entries: Vec<Arc<Entry>>,
        texts: Vec<(Digest, String)>,
        directory: Option<PathBuf>,
    ) -> Result<(), JournalError> {
        self.write(|done| writer::WriteJob::Import { entries, texts, directory, done }).await
    }

    /// Appends to a record; [`JournalError::Conflict`] where another entry stands there by now: read
    /// and step again. Says of each reservation whether its call may be made.
    pub async fn append(&self, debate: &DebateId, append: Append) -> Result<Vec<Reserved>, JournalError> {
        let debate = debate.clone();
        self.write(|done| writer::WriteJob::Append { debate, append, done }).await
    }

    /// Allows a debate more, at the end of `record`.
    pub async fn extend(&self, mut record: Record, limits: Extension) -> Result<Arc<Entry>, JournalError> {
        let sealed = seal(&mut record, Event::Extended { limits });
        let entry = sealed.map_err(|error| JournalError::unsound(&self.path, error))?;
        let append = Append { entries: vec![entry.clone()], ..Append::default() };
        self.append(&record.opened().debate, append).await?;
        Ok(entry)
    }

    /// Reserves the worst case of a call against the budget, before it is made.
    pub async fn reserve(
        &self,
        debate: &DebateId,
        reservation: Reservation,
    ) -> Result<Reserved, JournalError> {
        let debate = debate.clone();
        self.write(|done| writer::WriteJob::Reserve { debate, reservation, done }).await
    }

    /// Ends a call that gave no answer.
    pub async fn settle(&self, debate: &DebateId, settlement: Settlement) -> Result<(), JournalError> {
        let debate = debate.clone();
        self.write(|done| writer::WriteJob::Settle { debate, settlement, done }).await
    }

    /// Allows as many attempts again for a request that stopped the debate, when it is resumed.
    pub async fn give_up(&self, debate: &DebateId, key: &Key) -> Result<(), JournalError> {
        let (debate, key) = (debate.clone(), key.clone());
        self.write(|done| writer::WriteJob::GiveUp { debate, key, done }).await
    }

    /// Remembers where a debate's files are written.
    pub async fn set_directory(&self, debate: &DebateId, directory: PathBuf) -> Result<(), JournalError> {
        let debate = debate.clone();
        self.write(|done| writer::WriteJob::SetDirectory { debate, directory, done }).await
    }

    /// Does `work` in a transaction of its own part; what it refuses leaves no trace.
    async fn transact<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Path) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.write(|done| writer::WriteJob::work(done, work)).await
    }

    async fn write<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, JournalError>>) -> writer::WriteJob,
    ) -> Result<T, JournalError> {
        let (done, result) = oneshot::channel();
        let stopped = || JournalError::damaged(&self.path, "its writer has stopped");
        self.writer.send(job(done)).map_err(|_| stopped())?;
        result.await.map_err(|_| stopped())?
    }

    /// The record of a debate, verified entry by entry.
    pub fn read(&self, debate: &DebateId) -> Result<Record, JournalError> {
        // Read first: a debate that is being driven grows between the two.
        let known = self.summary(debate)?;
        let Some(known) = known else { return Err(self.absent(debate)) };
        let record =
            self.look(|db, path| sound::record(db, path, debate, Some((known.entries, &known.head))))?;
        self.with_documents(record)
    }

    fn with_documents(&self, record: Record) -> Result<Record, JournalError> {
        let documents = self.texts(record.opened().documents.values())?;
        Ok(record.with_documents(&documents))
    }

    /// The debates, newest first, at most `limit`.
    pub fn list(&self, limit: u32) -> Result<Vec<DebateSummary>, JournalError> {
        self.reading(|db| {
            let sql = format!("{} ORDER BY opened_at DESC, id DESC LIMIT ?", store::SUMMARY);
            let mut rows = db.prepare_cached(&sql)?;
            rows.query_map(params![limit], store::summary)?.collect()
        })
    }

    /// The line of one debate.
    pub fn summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, JournalError> {
        self.reading(|db| {
            let sql = format!("{} WHERE id = ?", store::SUMMARY);
            db.prepare_cached(&sql)?.query_row(params![debate.as_str()], store::summary).optional()
        })
    }

    /// Whether another debate was opened with a model whose name begins with `model`.
    pub fn has_other_with(&self, debate: &DebateId, model: &str) -> Result<bool, JournalError> {
        let said = format!("\"model\":\"{model}");
        self.reading(|db| {
            let sql = "SELECT 1 FROM debates d CROSS JOIN entries e ON e.debate = d.id AND e.seq = 0
                       WHERE d.id <> ? AND instr(e.line, ?) > 0";
            db.prepare_cached(sql)?.exists(params![debate.as_str(), said])
        })
    }

    /// A whole debate; `None` where there is none.
    pub fn find(&self, debate: &DebateId) -> Result<Option<Record>, JournalError> {
        self.summary(debate)?.map(|_| self.read(debate)).transpose()
    }

    /// The texts behind some digests; [`JournalError::Damaged`] where one is missing or changed.
    pub fn texts<'d>(
        &self,
        digests: impl IntoIterator<Item = &'d Digest>,
    ) -> Result<BTreeMap<Digest, String>, JournalError> {
        let mut texts = BTreeMap::new();
        for digest in digests {
            let content: Option<String> = self.reading(|db| {
                let mut row = db.prepare_cached("SELECT content FROM texts WHERE digest = ?")?;
                row.query_row(params![digest.as_str()], |row| row.get(0)).optional()
            })?;
            match content.filter(|content| Digest::of(content) == *digest) {
                Some(content) => drop(texts.insert(digest.clone(), content)),
                None => {
                    let why = format!("the text {digest} is missing or was changed");
                    return Err(JournalError::damaged(&self.path, why));
                }
            }
        }
        Ok(texts)
    }

    /// Whether `key` was answered.
    pub fn is_answered(&self, debate: &DebateId, key: &Key) -> Result<bool, JournalError> {
        self.reading(|db| {
            let sql = "SELECT 1 FROM entries WHERE debate = ? AND kind = 'answered' AND key = ?";
            db.prepare_cached(sql)?.exists(params![debate.as_str(), key.as_str()])
        })
    }

    /// Requests whose last call was under way when its process ended.
    pub fn unfinished(&self, debate: &DebateId) -> Result<Vec<Key>, JournalError> {
        self.reading(|db| calls::unfinished(db, debate))
    }

    /// What a debate has used so far: reservations of calls under way included.
    pub fn spent(&self, debate: &DebateId) -> Result<agon_core::Usage, JournalError> {
        self.reading(|db| calls::spent(db, debate))
    }

    /// Every call of a debate, in the order in which they were reserved.
    pub fn calls(&self, debate: &DebateId) -> Result<Vec<CallReceipt>, JournalError> {
        self.reading(|db| calls::receipts(db, debate))
    }

    /// Figures over all debates, or those that were opened at `since` or later.
    pub fn stats(&self, since: Option<&str>) -> Result<Stats, JournalError> {
        self.reading(|db| stats::stats(db, since))
    }

    fn look<T>(
        &self,
        look: impl FnOnce(&Connection, &Path) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        look(&self.reader.lock().unwrap_or_else(PoisonError::into_inner), &self.path)
    }

    fn reading<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
        let db = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        read(&db).map_err(|error| JournalError::sqlite(&self.path, error))
    }
}
