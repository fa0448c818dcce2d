//! The one thread that writes, and commits together what arrives together.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use agon_core::{DebateId, Digest, Entry, Event, Key};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::{Append, JournalError, Reservation, Reserved, Settlement, calls};
use crate::time::stamp;

/// Maximum number of jobs in one transaction.
const GROUP_MAX: usize = 512;

type Done<T> = oneshot::Sender<Result<T, JournalError>>;

/// What can be written.
pub(super) enum WriteJob {
    Create {
        first: Box<Event>,
        texts: Vec<(Digest, String)>,
        directory: Option<PathBuf>,
        done: Done<Arc<Entry>>,
    },
    Import {
        entries: Vec<Arc<Entry>>,
        texts: Vec<(Digest, String)>,
        directory: Option<PathBuf>,
        done: Done<()>,
    },
    Append {
        debate: DebateId,
        append: Append,
        done: Done<Vec<Reserved>>,
    },
    Reserve {
        debate: DebateId,
        reservation: Reservation,
        done: Done<Reserved>,
    },
    Settle {
        debate: DebateId,
        settlement: Settlement,
        done: Done<()>,
    },
    GiveUp {
        debate: DebateId,
        key: Key,
        done: Done<()>,
    },
    SetDirectory {
        debate: DebateId,
        directory: PathBuf,
        done: Done<()>,
    },
    Work(Work),
}

/// Something else to be done in a transaction, or the error for which it cannot be.
type Work = Box<dyn FnOnce(Result<(&Connection, &Path), JournalError>) -> (Acknowledge, bool) + Send>;

/// Tells a waiting caller the result, once the transaction has been committed or has failed.
type Acknowledge = Box<dyn FnOnce(Result<(), JournalError>) + Send>;

pub(super) fn start(mut db: Connection, path: PathBuf) -> mpsc::Sender<WriteJob> {
    let (sender, jobs) = mpsc::channel::<WriteJob>();
    thread::spawn(move || {
        while let Ok(first) = jobs.recv() {
            let mut group = vec![first];
            while group.len() < GROUP_MAX
                && let Ok(next) = jobs.try_recv()
            {
                group.push(next);
            }
            commit(&mut db, &path, group);
        }
    });
    sender
}

fn commit(db: &mut Connection, path: &Path, group: Vec<WriteJob>) {
    let (jobs, since) = (group.len(), Instant::now());
    let mut waiting = Vec::with_capacity(jobs);
    let mut group = group.into_iter();
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let result = (|| {
        let mut tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        for job in group.by_ref() {
            // A job that is refused leaves no trace, and does not disturb its group.
            let savepoint = match tx.savepoint() {
                Ok(savepoint) => savepoint,
                Err(error) => {
                    let error = fault(error);
                    job.refuse(error.clone());
                    return Err(error);
                }
            };
            let (acknowledge, applied) = job.apply(&savepoint, path);
            waiting.push(acknowledge);
            if applied {
                savepoint.commit().map_err(fault)?;
            }
        }
        tx.commit().map_err(fault)
    })();
    let took_ms = since.elapsed().as_millis() as u64;
    match &result {
        Ok(()) => tracing::debug!(jobs, took_ms, "commit"),
        Err(error) => tracing::warn!(jobs, took_ms, %error, "commit failed"),
    }
    for acknowledge in waiting {
        acknowledge(result.clone());
    }
    // Without a transaction none of them was tried.
    if let Err(error) = result {
        group.for_each(|job| job.refuse(error.clone()));
    }
}

impl WriteJob {
    /// Tells the caller that the job was not done. A caller that went away needs no answer.
    fn refuse(self, error: JournalError) {
        match self {
            WriteJob::Create { done, .. } => drop(done.send(Err(error))),
            WriteJob::Append { done, .. } => drop(done.send(Err(error))),
            WriteJob::Reserve { done, .. } => drop(done.send(Err(error))),
            WriteJob::Import { done, .. }
            | WriteJob::Settle { done, .. }
            | WriteJob::GiveUp { done, .. }
            | WriteJob::SetDirectory { done, .. } => drop(done.send(Err(error))),
            WriteJob::Work(work) => drop(work(Err(error))),
        }
    }

    /// Does `work` in the transaction that the job gets.
    pub(super) fn work<T: Send + 'static>(
        done: Done<T>,
        work: impl FnOnce(&Connection, &Path) -> Result<T, JournalError> + Send + 'static,
    ) -> Self {
        WriteJob::Work(Box::new(move |store| match store {
            Ok((db, path)) => answer(done, work(db, path)),
            Err(error) => {
                let _ = done.send(Err(error));
                (Box::new(drop), false)
            }
        }))
    }

    /// Does the job, and gives the acknowledgement that may be sent after the commit.
    fn apply(self, db: &Connection, path: &Path) -> (Acknowledge, bool) {
        match self {
            WriteJob::Create { first, texts, directory, done } => {
                answer(done, create(db, path, *first, &texts, directory.as_deref()))
            }
            WriteJob::Import { entries, texts, directory, done } => {
                answer(done, import(db, path, &entries, &texts, directory.as_deref()))
            }
            WriteJob::Append { debate, append, done } => {
                answer(done, self::append(db, path, &debate, &append))
            }
            WriteJob::Reserve { debate, reservation, done } => {
                let reserved = calls::reserve(db, &debate, &stamp().0, &reservation);
                answer(done, reserved.map_err(|error| JournalError::sqlite(path, error)))
            }
            WriteJob::Settle { debate, settlement, done } => {
                let settled = calls::settle(db, &debate, &settlement);
                answer(done, settled.map_err(|error| JournalError::sqlite(path, error)))
            }
            WriteJob::GiveUp { debate, key, done } => {
                let given_up = calls::give_up(db, &debate, &key);
                answer(done, given_up.map_err(|error| JournalError::sqlite(path, error)))
            }
            WriteJob::Work(work) => work(Ok((db, path))),
            WriteJob::SetDirectory { debate, directory, done } => {
                let set = db.execute(
                    "UPDATE debates SET directory = ?2 WHERE id = ?1",
                    params![debate.as_str(), directory.to_string_lossy()],
                );
                answer(done, set.map(drop).map_err(|error| JournalError::sqlite(path, error)))
            }
        }
    }
}

fn answer<T: Send + 'static>(done: Done<T>, result: Result<T, JournalError>) -> (Acknowledge, bool) {
    let applied = result.is_ok();
    let acknowledge = move |committed: Result<(), JournalError>| {
        // A caller that went away needs no answer.
        let _ = done.send(match committed {
            Ok(()) => result,
            Err(error) => Err(error),
        });
    };
    (Box::new(acknowledge), applied)
}

fn create(
    db: &Connection,
    path: &Path,
    first: Event,
    texts: &[(Digest, String)],
    directory: Option<&Path>,
) -> Result<Arc<Entry>, JournalError> {
    let entry = Arc::new(Entry::seal(0, stamp(), first, Digest::genesis()));
    import(db, path, std::slice::from_ref(&entry), texts, directory)?;
    Ok(entry)
}

fn import(
    db: &Connection,
    path: &Path,
    entries: &[Arc<Entry>],
    texts: &[(Digest, String)],
    directory: Option<&Path>,
) -> Result<(), JournalError> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let Some(Entry { what: Event::Opened(opened), at, .. }) = entries.first().map(Arc::as_ref) else {
        return Err(JournalError::damaged(path, "a record begins with its opening"));
    };
    let debate = &opened.debate;
    let known = db.prepare_cached("SELECT 1 FROM debates WHERE id = ?").map_err(fault)?;
    if { known }.exists(params![debate.as_str()]).map_err(fault)? {
        return Err(JournalError::Exists(debate.clone()));
    }
    if let Some(deleted) = super::tombstone::tombstone(db, debate).map_err(fault)? {
        return Err(JournalError::Deleted(Box::new(deleted)));
    }
    let directory = directory.map(|directory| directory.to_string_lossy());
    db.execute(
        "INSERT INTO debates (id, protocol, motion, opened_at, length, head, last_at, directory)
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?4, ?6)",
        params![debate.as_str(), opened.protocol, opened.motion, at.0, Digest::genesis().as_str(), directory],
    )
    .map_err(fault)?;
    insert(db, path, debate, entries, texts)?;
    for entry in entries {
        if let Event::Answered(answered) = &entry.what {
            calls::spent_elsewhere(db, debate, &entry.at.0, answered).map_err(fault)?;
        }
    }
    Ok(())
}

pub(super) fn append(
    db: &Connection,
    path: &Path,
    debate: &DebateId,
    append: &Append,
) -> Result<Vec<Reserved>, JournalError> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    if let Some(first) = append.entries.first() {
        let row = db
            .prepare_cached("SELECT length, head FROM debates WHERE id = ?")
            .map_err(fault)?
            .query_row(params![debate.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
            .optional()
            .map_err(fault)?;
        let (length, head) = row.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
        let length = length.unsigned_abs();
        if (length, head.as_str()) != (first.seq, first.prev.as_str()) {
            return Err(JournalError::Conflict { debate: debate.clone(), length });
        }
    }
    insert(db, path, debate, &append.entries, &[])?;
    for settlement in &append.settle {
        calls::settle(db, debate, settlement).map_err(fault)?;
    }
    if append.driven_ms > 0 {
        let driven = i64::try_from(append.driven_ms).unwrap_or(i64::MAX);
        db.prepare_cached("UPDATE debates SET driven_ms = driven_ms + ?2 WHERE id = ?1")
            .and_then(|mut update| update.execute(params![debate.as_str(), driven]))
            .map_err(fault)?;
    }
    let now = stamp().0;
    let reserved = append.reserve.iter().map(|wanted| calls::reserve(db, debate, &now, wanted));
    reserved.collect::<rusqlite::Result<_>>().map_err(fault)
}

fn insert(
    db: &Connection,
    path: &Path,
    debate: &DebateId,
    entries: &[Arc<Entry>],
    texts: &[(Digest, String)],
) -> Result<(), JournalError> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    for (digest, content) in texts {
        db.prepare_cached("INSERT OR IGNORE INTO texts (digest, content) VALUES (?, ?)")
            .and_then(|mut insert| insert.execute(params![digest.as_str(), content]))
            .map_err(fault)?;
    }
    let mut add = db
        .prepare_cached("INSERT INTO entries (debate, seq, kind, key, line) VALUES (?, ?, ?, ?, ?)")
        .map_err(fault)?;
    for entry in entries {
        let (kind, key) = entry.what.index();
        let line = serde_json::to_string(entry).map_err(|error| JournalError::unsound(path, error))?;
        let seq = i64::try_from(entry.seq).unwrap_or(i64::MAX);
        add.execute(params![debate.as_str(), seq, kind, key, line]).map_err(|error| {
            match error.sqlite_error_code() {
                // Two answers to one request: the first stands.
                Some(rusqlite::ErrorCode::ConstraintViolation) => {
                    let why = format!("{kind} {} is already on the record", key.unwrap_or_default());
                    JournalError::Refused { debate: debate.clone(), why }
                }
                _ => fault(error),
            }
        })?;
    }
    let Some(last) = entries.last() else { return Ok(()) };
    let outcome = match &last.what {
        Event::Closed { outcome } => Some(outcome.name.as_str()),
        _ => None,
    };
    let length = i64::try_from(last.seq + 1).unwrap_or(i64::MAX);
    db.prepare_cached("UPDATE debates SET length = ?2, head = ?3, last_at = ?4, outcome = ?5 WHERE id = ?1")
        .and_then(|mut update| {
            update.execute(params![debate.as_str(), length, last.hash.as_str(), last.at.0, outcome])
        })
        .map(drop)
        .map_err(fault)
}
