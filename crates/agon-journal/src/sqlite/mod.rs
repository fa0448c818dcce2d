//! The journal in one SQLite file that several processes of one machine may use.

mod connection;
mod file;
mod lock;
mod search;
pub mod snapshot;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use agon_core::DebateId;
use rusqlite::{Connection, TransactionBehavior};

use self::connection::SqliteConnection;
pub use self::connection::read_row;
pub(super) use self::file::find_orphan_trace;
pub use self::file::{create_private_folder, has_journal, open_journal, restrict_access};
use super::{
    JournalError, Result,
    storage::{DebateSearch, DriveLock, JournalStore, LockError, ReadAt, StoreLook, WriteJob},
    write_queue,
};

/// The store in a data directory.
pub(super) struct SqliteStore {
    home: PathBuf,
    path: Arc<Path>,
    /// Closed before the connection that writes: SQLite moves its log into the file when the last connection is closed, and
    /// only one that may write can do so.
    reader: Mutex<Connection>,
    writer: Writer,
}

/// The queue of what is to be written, with the thread that writes it: it ends with the store, when all is written and its
/// connection closed, so that a copy of the journal's file is a whole journal.
struct Writer {
    jobs: Option<mpsc::Sender<Box<dyn WriteJob>>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        // Where a job holds the store last, this is that thread, which then ends by itself.
        if let Some(thread) = self.thread.take().filter(|thread| thread.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

impl SqliteStore {
    /// Opens the store in the data directory `home`, and makes it where there is none.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened, or another program or a newer version wrote it.
    pub(super) fn open(home: &Path) -> Result<Self> {
        let (path, mut writing) = file::open_journal(home)?;
        let reader = Mutex::new(file::connect_to_read(&path)?);
        let path: Arc<Path> = path.into();
        let place = Arc::clone(&path);
        let (jobs, thread) = write_queue::start_writer(move |group| commit_group(&mut writing, &place, group));
        let writer = Writer { jobs: Some(jobs), thread: Some(thread) };
        Ok(Self { home: home.to_owned(), path, reader, writer })
    }
}

impl JournalStore for SqliteStore {
    fn location(&self) -> &Arc<Path> {
        &self.path
    }

    fn queue_job(&self, job: Box<dyn WriteJob>) -> Result<()> {
        let queued = self.writer.jobs.as_ref().and_then(|jobs| jobs.send(job).ok());
        queued.ok_or_else(|| JournalError::damaged(&self.path, "its writer has stopped"))
    }

    fn read(&self, at: ReadAt, look: &mut StoreLook<'_>) -> Result<()> {
        let db = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = |error| JournalError::sqlite(&self.path, error);
        // It is rolled back at the end, which is all that a transaction without changes needs.
        let _moment = match at {
            ReadAt::OneMoment => Some(db.unchecked_transaction().map_err(fault)?),
            ReadAt::EachStatement => None,
        };
        look(&SqliteConnection { db: &db, path: &self.path })
    }

    fn debate_search(&self) -> &'static dyn DebateSearch {
        &search::TrigramIndex
    }

    fn wipe_log(&self) -> Result<()> {
        let db = file::open_connection(&self.path)?;
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| JournalError::sqlite(&self.path, error))
    }

    fn is_locked(&self, debate: &DebateId) -> Result<Option<bool>> {
        lock::is_held(&self.home, debate).map(Some).map_err(|error| JournalError::io(&self.path, error))
    }

    fn take_debate_lock(&self, debate: &DebateId) -> Result<Option<DriveLock>, LockError> {
        lock::acquire_lock(&self.home, debate).map(Some)
    }
}

/// Does the jobs of `group` in one transaction.
fn commit_group(db: &mut Connection, path: &Arc<Path>, group: &mut [Box<dyn WriteJob>]) -> Result<()> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let mut tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
    for job in group {
        // A job that is refused leaves no trace, and does not disturb its group.
        let savepoint = tx.savepoint().map_err(fault)?;
        if job.apply(&SqliteConnection { db: &savepoint, path }) {
            savepoint.commit().map_err(fault)?;
        }
    }
    tx.commit().map_err(fault)
}
