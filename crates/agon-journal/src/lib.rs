//! The journal: every debate's record, in one database that several processes may use.
//!
//! One thread of each process writes and commits together what arrives together. What keeps the
//! records right is compare-and-append and unique keys in the store itself, never a lock. The rules stand here, once;
//! [`storage`] is what they ask of a store.

mod account_tables;
pub mod accounts;
mod address;
mod append;
mod calls;
mod copied_rows;
mod copy;
mod drive_lock;
#[cfg_attr(not(feature = "cluster"), allow(dead_code))]
// Only a store that several machines share gives claims.
mod drives;
mod error;
pub mod labels;
pub mod leases;
#[cfg_attr(not(feature = "cluster"), allow(dead_code))] // The same.
mod liveness;
mod password_source;
mod pending_lookups;
#[cfg(feature = "cluster")]
mod postgres;
mod search;
mod shared_content;
mod sql_value;
pub mod sqlite;
mod stats;
mod storage;
pub mod time;
pub mod tombstone;
pub mod uuid;
mod verified_read;
mod waiting_debates;
pub mod webhook_queue;
mod write_queue;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_core::{DebateId, Digest, Entry, Event, Extension, Key, Record, RecordError};
use serde::{Deserialize, Serialize};

pub use self::{
    address::JournalAddress,
    calls::{CallEnd, CallReceipt, PassedLimit, Reservation, Reserved, Settlement},
    copy::{CopyError, JournalCopy},
    error::{JournalError, Result},
    password_source::PasswordSource,
    search::split_query,
    stats::{Amounts, ProtocolStats, Stats},
    storage::{DriveLock, LockError},
};
use self::{
    drives::DriveClaims,
    sqlite::SqliteStore,
    storage::{IdChunk, JournalStore, ReadAt, SqlRow, StoreConnection, ToSqlValue, execute_for_each, own_values},
};
use crate::time::current_stamp;

/// The changes to one debate that belong to one transaction.
#[derive(Debug, Default)]
pub struct Append {
    /// Sealed entries that follow the last one stored; see [`seal_entry`].
    pub entries: Vec<Arc<Entry>>,
    /// Texts that these name.
    pub texts: Vec<(Digest, String)>,
    /// The calls that end with these entries.
    pub settle: Vec<Settlement>,
    /// The calls that are to be made after it.
    pub reserve: Vec<Reservation>,
    /// Driven time since the last append, in milliseconds.
    pub driven_ms: u64,
    /// Under which claim of the debate, where it was claimed; see [`JournalError::Fenced`].
    pub fence: Option<u64>,
}

/// Seals what happened onto the end of `record`, at this moment. It counts only once it is stored.
pub fn seal_entry(record: &mut Record, what: Event) -> Result<Arc<Entry>, RecordError> {
    record.append_event(current_stamp(), what).cloned()
}

/// One row of the list of debates.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
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

/// Most texts that are read with one query.
const TEXTS_AT_ONCE: usize = 32;

/// The columns of [`DebateSummary`].
const SUMMARY: &str =
    "SELECT id, protocol, motion, opened_at, last_at, length, head, outcome, directory, driven_ms FROM debates";

/// The journal: all records, calls and leases, in one store.
/// One thread writes; every append is one transaction.
pub struct Journal {
    orphan: Option<PathBuf>,
    store: Arc<dyn JournalStore>,
    drives: DriveClaims,
}

impl Journal {
    /// Opens the journal in the data directory `home`, and makes it where there is none.
    pub fn open(home: &Path) -> Result<Self> {
        let orphan = sqlite::find_orphan_trace(home);
        let store: Arc<dyn JournalStore> = Arc::new(SqliteStore::open(home)?);
        Ok(Self { orphan, drives: DriveClaims::new(&store), store })
    }

    /// Opens the journal at `place`, and makes it where there is none.
    pub fn open_at(place: &JournalAddress) -> Result<Self> {
        match place {
            JournalAddress::Directory(home) => Self::open(home),
            #[cfg(feature = "cluster")]
            JournalAddress::Postgres(address) => {
                let store: Arc<dyn JournalStore> = Arc::new(postgres::PostgresStore::open(address.as_ref().clone())?);
                Ok(Self { orphan: None, drives: DriveClaims::new(&store), store })
            }
        }
    }

    /// What tells of debates that were held here before, where this journal had to be made because
    /// theirs is gone.
    pub fn orphan_trace(&self) -> Option<&Path> {
        self.orphan.as_deref()
    }

    /// Where it is stored, for messages: a path, or an address without its password.
    pub fn path(&self) -> &Path {
        self.store.location()
    }

    /// Whether a process drives a debate now. A look takes no claim and writes nothing.
    pub fn is_driven(&self, debate: &DebateId) -> Result<bool> {
        match self.store.is_locked(debate)? {
            Some(is_locked) => Ok(is_locked),
            None => self.read_store(|db| drives::is_claimed(db, debate)),
        }
    }

    /// Whether processes of other machines may use it.
    pub fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    /// Says from now on that this process drives debates of the store for `engine`, whose name is a UUID.
    ///
    /// # Errors
    ///
    /// [`JournalError::OtherEngine`] where processes of another engine do, or where the store cannot be written.
    pub fn join_drivers(&self, engine: &str) -> Result<()> {
        self.drives.join_for(engine)
    }

    /// Says that this process drives nothing any more.
    pub fn leave_drivers(&self) {
        self.drives.leave_drivers();
    }

    /// How many processes that drive debates share the store now, this one included.
    pub fn count_live_processes(&self) -> u32 {
        self.drives.count_live_processes()
    }

    /// Opens a debate with its first entry; [`JournalError::Exists`] where the id is taken.
    pub async fn create_debate(
        &self,
        first: Event,
        texts: Vec<(Digest, String)>,
        directory: Option<PathBuf>,
    ) -> Result<Record> {
        let create =
            move |db: &dyn StoreConnection| append::create_debate(db, first.clone(), &texts, directory.as_ref());
        let entry = self.transact(create).await?;
        let record = Record::new(entry).map_err(|error| JournalError::unsound(self.path(), error))?;
        self.with_documents(record)
    }

    /// Takes a whole record from elsewhere, as it is.
    pub async fn import_record(
        &self,
        entries: Vec<Arc<Entry>>,
        texts: Vec<(Digest, String)>,
        directory: Option<PathBuf>,
    ) -> Result<()> {
        self.transact(move |db| append::import_record(db, &entries, &texts, directory.as_ref())).await
    }

    /// Appends to a record; [`JournalError::Conflict`] where another entry stands there by now: read
    /// and step again. Says of each reservation whether its call may be made.
    pub async fn append_entries(&self, debate: &DebateId, append: Append) -> Result<Vec<Reserved>> {
        let debate = debate.clone();
        self.transact(move |db| append::append_entries(db, &debate, &append)).await
    }

    /// Allows a debate more, at the end of `record`.
    pub async fn extend_limits(&self, mut record: Record, limits: Extension) -> Result<Arc<Entry>> {
        let sealed = seal_entry(&mut record, Event::Extended { limits });
        let entry = sealed.map_err(|error| JournalError::unsound(self.path(), error))?;
        let append = Append { entries: vec![entry.clone()], ..Append::default() };
        self.append_entries(&record.opened().debate, append).await?;
        Ok(entry)
    }

    /// Remembers where a debate's files are written.
    pub async fn set_directory(&self, debate: &DebateId, directory: PathBuf) -> Result<()> {
        let (directory, sql) = (directory.to_string_lossy(), "UPDATE debates SET directory = ?2 WHERE id = ?1");
        self.execute_one(sql, &[&debate, &directory.as_ref()]).await.map(drop)
    }

    /// Runs one statement in a transaction; gives the number of rows that it changed.
    async fn execute_one(&self, sql: &'static str, values: &[&dyn ToSqlValue]) -> Result<u64> {
        let values = own_values(values);
        self.transact(move |db| execute_for_each(db, sql, [&values])).await
    }

    /// Does `work` in a transaction of its own part; what it refuses leaves no trace. It is done again where the
    /// transaction was lost.
    async fn transact<T: Send + 'static>(
        &self,
        work: impl FnMut(&dyn StoreConnection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, result) = write_queue::build_write_job(work);
        self.store.queue_job(job)?;
        result.await.map_err(|_| JournalError::damaged(self.path(), "its writer has stopped"))?
    }

    /// The record of a debate, verified entry by entry.
    pub fn read_record(&self, debate: &DebateId) -> Result<Record> {
        // Read first: a debate that is being driven grows between the two.
        let known = self.find_summary(debate)?;
        let Some(known) = known else { return Err(self.missing_debate_error(debate)) };
        let record =
            self.read_store(|db| verified_read::read_record(db, debate, Some((known.entries, &known.head))))?;
        self.with_documents(record)
    }

    fn with_documents(&self, record: Record) -> Result<Record> {
        let documents = self.read_texts(record.opened().documents.values())?;
        Ok(record.with_documents(&documents))
    }

    /// The debates, newest first, at most `limit`.
    pub fn list_debates(&self, limit: u32) -> Result<Vec<DebateSummary>> {
        self.read_rows(&format!("{SUMMARY} ORDER BY opened_at DESC, id DESC LIMIT ?1"), &[&limit], SqlRow::read)
    }

    /// The line of one debate.
    pub fn find_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>> {
        self.read_row(&format!("{SUMMARY} WHERE id = ?1"), &[&debate], SqlRow::read)
    }

    /// The number of entries of each of `debates`; of those that are there.
    pub fn count_entries(&self, debates: &[&DebateId]) -> Result<BTreeMap<DebateId, u64>> {
        let mut lengths = BTreeMap::new();
        for some in IdChunk::split_ids(debates, &[]) {
            let sql = format!("SELECT id, length FROM debates WHERE id IN ({})", some.places);
            lengths.extend(self.read_rows::<(DebateId, u64)>(&sql, &some.values, SqlRow::read)?);
        }
        Ok(lengths)
    }

    /// A whole debate; `None` where there is none.
    pub fn find_record(&self, debate: &DebateId) -> Result<Option<Record>> {
        self.find_summary(debate)?.map(|_| self.read_record(debate)).transpose()
    }

    /// The texts behind some digests; [`JournalError::Damaged`] where one is missing or changed.
    pub fn read_texts<'d>(&self, digests: impl IntoIterator<Item = &'d Digest>) -> Result<BTreeMap<Digest, String>> {
        let wanted: Vec<&Digest> = digests.into_iter().collect();
        let mut texts = BTreeMap::new();
        for some in wanted.chunks(TEXTS_AT_ONCE) {
            let places: Vec<String> = (1..=some.len()).map(|number| format!("?{number}")).collect();
            let sql = format!("SELECT digest, content FROM texts WHERE digest IN ({})", places.join(", "));
            let values: Vec<_> = some.iter().map(|digest| digest as &dyn ToSqlValue).collect();
            let found = self.read_rows(&sql, &values, SqlRow::read)?;
            let mut found: BTreeMap<String, String> = found.into_iter().collect();
            for digest in some {
                match found.remove(digest.as_str()).filter(|content| Digest::from_content(content) == **digest) {
                    Some(content) => drop(texts.insert((*digest).clone(), content)),
                    None if texts.contains_key(*digest) => {}
                    None => {
                        let why = format!("the text {digest} is missing or was changed");
                        return Err(JournalError::damaged(self.path(), why));
                    }
                }
            }
        }
        Ok(texts)
    }

    /// Whether `key` was answered.
    pub fn is_answered(&self, debate: &DebateId, key: &Key) -> Result<bool> {
        let sql = "SELECT 1 FROM entries WHERE debate = ?1 AND kind = 'answered' AND key = ?2";
        self.read_store(|db| db.has_row(sql, &[&debate, &key]))
    }

    /// Whether it can be read and has the schema of this program.
    pub fn is_current(&self) -> Result<bool> {
        self.read_store(|db| {
            db.query_first("SELECT id FROM debates LIMIT 1", &[])?;
            db.is_current()
        })
    }

    /// Waits for the writer and begins a transaction, which changes nothing.
    pub async fn check_writable(&self) -> Result<()> {
        self.transact(|_| Ok(())).await
    }

    /// Figures over all debates, or those that were opened at `since` or later.
    pub fn compute_stats(&self, since: Option<&str>) -> Result<Stats> {
        self.reading_at(ReadAt::OneMoment, |db| stats::compute_stats(db, since))
    }

    fn read_store<T>(&self, read: impl FnMut(&dyn StoreConnection) -> Result<T>) -> Result<T> {
        self.reading_at(ReadAt::EachStatement, read)
    }

    /// The rows of a query, as `read` takes each.
    fn read_rows<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSqlValue],
        read: impl Fn(SqlRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.read_store(|db| db.query(sql, values)?.into_iter().map(&read).collect())
    }

    /// The first row of a query.
    fn read_row<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSqlValue],
        read: impl Fn(SqlRow) -> Result<T>,
    ) -> Result<Option<T>> {
        self.read_store(|db| db.query_first(sql, values)?.map(&read).transpose())
    }

    fn reading_at<T>(&self, at: ReadAt, mut read: impl FnMut(&dyn StoreConnection) -> Result<T>) -> Result<T> {
        let mut found = None;
        self.store.read(at, &mut |db| {
            found = Some(read(db)?);
            Ok(())
        })?;
        found.ok_or_else(|| JournalError::damaged(self.path(), "nothing was read"))
    }
}
