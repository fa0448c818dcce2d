//! Transactions that are stored once, whatever becomes of their connection.

use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{
    super::{JournalError, Result},
    address::PostgresAddress,
    connection::{Link, LinkState, LinkThread},
};
use crate::{
    storage::{StoreConnection, WriteJob},
    uuid,
};

/// How long a group of jobs waits for a server that is away.
const SERVER_WAIT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);
/// Rows of processes that have long been gone are removed.
const FORGET: &str = "DELETE FROM writers WHERE seen < now() - interval '30 days'";

/// What writes for this process, one transaction after the other.
pub(super) struct Committer {
    thread: Arc<LinkThread>,
    address: PostgresAddress,
    place: Arc<Path>,
    /// The name of this process in the table of those that write.
    id: String,
    /// Number of the last transaction that was tried.
    number: u64,
    link: Option<Link>,
}

/// How a transaction failed.
enum FailedCommit {
    /// It can be tried again: nothing was stored.
    Undone(JournalError),
    /// The connection broke while it was being committed.
    Unknown(JournalError),
    /// It would fail again; nothing was stored.
    Refused(JournalError),
}

impl Committer {
    pub(super) fn new(thread: Arc<LinkThread>, address: PostgresAddress, link: Link) -> Result<Self> {
        let place = address.location();
        let id = uuid::random_uuid().map_err(|error| JournalError::io(&place, error))?;
        link.execute(FORGET, &[])?;
        register_writer(&link, &id)?;
        Ok(Self { thread, address, place, id, number: 0, link: Some(link) })
    }

    /// Does the jobs of `group` in one transaction.
    pub(super) fn write_group(&mut self, group: &mut [Box<dyn WriteJob>]) -> Result<()> {
        let until = Instant::now() + SERVER_WAIT;
        loop {
            let undone = match self.attempt_commit(group) {
                Ok(()) => return Ok(()),
                Err(FailedCommit::Refused(error)) => return Err(error),
                Err(FailedCommit::Undone(error)) => error,
                Err(FailedCommit::Unknown(error)) => match self.was_committed(until, error)? {
                    true => return Ok(()),
                    false => continue,
                },
            };
            if Instant::now() >= until {
                return Err(undone);
            }
            tracing::info!(error = %undone, "the transaction is done again");
            thread::sleep(PAUSE);
        }
    }

    fn take_link(&mut self) -> Result<Link, FailedCommit> {
        match self.link.take() {
            Some(link) if link.state() == LinkState::Sound => Ok(link),
            _ => Link::connect(&self.thread, &self.address).map_err(|none| match none.passes {
                true => FailedCommit::Undone(none.error),
                false => FailedCommit::Refused(none.error),
            }),
        }
    }

    fn attempt_commit(&mut self, group: &mut [Box<dyn WriteJob>]) -> Result<(), FailedCommit> {
        let link = self.take_link()?;
        self.number += 1;
        match self.run_transaction(&link, group) {
            Ok(()) => {
                self.link = Some(link);
                Ok(())
            }
            Err(failed) => {
                // A connection that is still there is used again, once its transaction is gone.
                if link.state() != LinkState::Lost && link.run_batch("ROLLBACK").is_ok() {
                    self.link = Some(link);
                }
                Err(failed)
            }
        }
    }

    fn run_transaction(&self, link: &Link, group: &mut [Box<dyn WriteJob>]) -> Result<(), FailedCommit> {
        let failed = |error: JournalError| match link.state() {
            LinkState::Lost | LinkState::InTheWay => FailedCommit::Undone(error),
            LinkState::Sound | LinkState::Aborted => FailedCommit::Refused(error),
        };
        link.batch_later("BEGIN");
        // Before anything else: who asks later whether this transaction was committed waits for this row.
        let mark = "UPDATE writers SET committed = ?2, seen = now() WHERE writer = ?1";
        if link.execute(mark, &[&self.id, &self.number]).map_err(failed)? == 0 {
            link.run_batch("ROLLBACK").map_err(failed)?;
            register_writer(link, &self.id).map_err(failed)?;
            return Err(FailedCommit::Undone(JournalError::unreached(&self.place, "its row of writers was removed")));
        }
        for job in group {
            // A job that is refused leaves no trace, and does not disturb its group.
            link.batch_later("SAVEPOINT job");
            let applied = job.apply(link);
            if matches!(link.state(), LinkState::Lost | LinkState::InTheWay) {
                let why = "the transaction was interrupted";
                return Err(FailedCommit::Undone(JournalError::unreached(&self.place, why)));
            }
            match applied && link.state() == LinkState::Sound {
                true => link.batch_later("RELEASE job"),
                false => {
                    // The savepoint may still be queued; a fault is undone with the job.
                    let _ = link.flush();
                    link.run_batch("ROLLBACK TO job").map_err(failed)?;
                }
            }
        }
        link.run_batch("COMMIT").map_err(|error| match link.state() {
            LinkState::Lost => FailedCommit::Unknown(error),
            _ => failed(error),
        })
    }

    /// Whether the last transaction was committed, whose connection broke with `error` before the server said so. Its
    /// row in the table of those that write tells: the row is locked until the server has finished with the transaction.
    fn was_committed(&self, until: Instant, error: JournalError) -> Result<bool> {
        tracing::warn!(%error, "the connection broke during a commit; asking whether it took place");
        loop {
            let asked = Link::connect(&self.thread, &self.address).map_err(JournalError::from).and_then(|link| {
                let sql = "SELECT committed FROM writers WHERE writer = ?1 FOR UPDATE";
                link.query_first(sql, &[&self.id])
            });
            match asked {
                Ok(Some(mut row)) => {
                    let committed = row.take::<u64>(0)? >= self.number;
                    tracing::info!(committed, "asked about the commit");
                    return Ok(committed);
                }
                Ok(None) => return Err(self.unknown_outcome_error("its row of writers was removed")),
                Err(error) if Instant::now() >= until => {
                    return Err(self.unknown_outcome_error(&error.to_string()));
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }

    fn unknown_outcome_error(&self, why: &str) -> JournalError {
        let why = format!("whether the last entries were stored is not known ({why}); agon resume reads what is there");
        JournalError::unreached(&self.place, why)
    }
}

/// Puts a process among those that write.
fn register_writer(link: &Link, id: &str) -> Result<()> {
    let sql = "INSERT INTO writers (writer, committed) VALUES (?1, 0) ON CONFLICT DO NOTHING";
    link.execute(sql, &[&id]).map(drop)
}

impl Drop for Committer {
    fn drop(&mut self) {
        if let Some(link) = self.link.take() {
            // Where this fails the row is removed later.
            let _ = link.execute("DELETE FROM writers WHERE writer = ?1", &[&self.id]);
        }
    }
}
