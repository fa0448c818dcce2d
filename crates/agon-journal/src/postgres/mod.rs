//! The journal in a Postgres database that several machines may use.

mod address;
mod commit;
mod connection;
mod password;
mod pipeline;
mod schema;
mod search;
mod tls;
mod version;

use std::{
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use agon_core::DebateId;

pub use self::address::PostgresAddress;
use self::{
    commit::Committer,
    connection::{Link, LinkState, LinkThread, NoLink},
};
use super::{
    JournalError, Result,
    storage::{DebateSearch, DriveLock, JournalStore, LockError, ReadAt, StoreLook, WriteJob},
    write_queue,
};

/// How long a reader waits for a server that is away.
const SERVER_WAIT: Duration = Duration::from_secs(20);
/// How long opening waits for a server that is starting.
const OPENING_WAIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of connections of one process that read.
const READERS_MAX: usize = 4;

/// The store in a schema of a database.
pub(super) struct PostgresStore {
    thread: Arc<LinkThread>,
    address: PostgresAddress,
    place: Arc<Path>,
    readers: Mutex<Readers>,
    is_free: Condvar,
    writer: mpsc::Sender<Box<dyn WriteJob>>,
}

/// Connections that read.
#[derive(Default)]
struct Readers {
    idle: Vec<Link>,
    used: usize,
}

impl PostgresStore {
    /// Opens the store at `address`, and makes its tables where there are none.
    ///
    /// # Errors
    ///
    /// Where the server cannot be reached or refuses, or where the schema is not agon's or of a newer version.
    pub(super) fn open(address: PostgresAddress) -> Result<Self> {
        let place = address.location();
        let thread = LinkThread::start().map_err(|error| JournalError::io(&place, error))?;
        let until = Instant::now() + OPENING_WAIT;
        let link = loop {
            match Link::connect(&thread, &address) {
                Ok(link) => break link,
                // One that refuses connections altogether is not there; that is said at once.
                Err(NoLink { error, passes: true }) if error.is_starting() && Instant::now() < until => {
                    thread::sleep(PAUSE);
                }
                Err(none) => return Err(none.error),
            }
        };
        schema::prepare_schema(&link, &address)?;
        let mut committer = Committer::new(Arc::clone(&thread), address.clone(), link)?;
        let (writer, _) = write_queue::start_writer(move |group| committer.write_group(group));
        let (readers, is_free) = (Mutex::default(), Condvar::new());
        Ok(Self { thread, address, place, readers, is_free, writer })
    }

    fn lock_readers(&self) -> MutexGuard<'_, Readers> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection that nobody else uses now.
    fn take_reader(&self) -> Result<Link, NoLink> {
        let mut readers = self.lock_readers();
        while readers.used >= READERS_MAX {
            readers = self.is_free.wait(readers).unwrap_or_else(PoisonError::into_inner);
        }
        readers.used += 1;
        let idle = readers.idle.pop();
        drop(readers);
        match idle.filter(|link| link.state() == LinkState::Sound) {
            Some(link) => Ok(link),
            None => Link::connect(&self.thread, &self.address).inspect_err(|_| self.give_back(None)),
        }
    }

    fn give_back(&self, link: Option<Link>) {
        let mut readers = self.lock_readers();
        readers.used -= 1;
        readers.idle.extend(link.filter(|link| link.state() == LinkState::Sound));
        self.is_free.notify_one();
    }
}

impl JournalStore for PostgresStore {
    fn location(&self) -> &Arc<Path> {
        &self.place
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn queue_job(&self, job: Box<dyn WriteJob>) -> Result<()> {
        self.writer.send(job).map_err(|_| JournalError::damaged(&self.place, "its writer has stopped"))
    }

    fn read(&self, at: ReadAt, look: &mut StoreLook<'_>) -> Result<()> {
        let until = Instant::now() + SERVER_WAIT;
        loop {
            let error = match self.take_reader() {
                Ok(link) => {
                    let done = read_at(&link, at, look);
                    let is_lost = link.state() == LinkState::Lost;
                    self.give_back(Some(link));
                    match done {
                        Err(error) if is_lost => error,
                        done => return done,
                    }
                }
                Err(NoLink { error, passes: true }) => error,
                Err(NoLink { error, .. }) => return Err(error),
            };
            if Instant::now() >= until {
                return Err(error);
            }
            thread::sleep(PAUSE);
        }
    }

    fn debate_search(&self) -> &'static dyn DebateSearch {
        &search::SaidSearch
    }

    fn is_locked(&self, _: &DebateId) -> Result<Option<bool>> {
        Ok(None)
    }

    fn take_debate_lock(&self, _: &DebateId) -> Result<Option<DriveLock>, LockError> {
        Ok(None)
    }
}

fn read_at(link: &Link, at: ReadAt, look: &mut StoreLook<'_>) -> Result<()> {
    if at == ReadAt::EachStatement {
        return look(link);
    }
    link.run_batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
    let done = look(link);
    link.run_batch("ROLLBACK").and(done)
}
