//! The lock on a debate: an advisory lock of Postgres, which ends with the session of its process.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};

use agon_core::{DebateId, Digest};

use super::{
    super::JournalError,
    address::PostgresAddress,
    link::{Link, LinkState, LinkThread},
};
use crate::journal::storage::{DebateLock, LockFault, StoreConnection};

/// How often it is looked whether the session of the locks is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The locks of this process, all in one session.
pub(super) struct Locks {
    thread: Arc<LinkThread>,
    address: PostgresAddress,
    session: Mutex<LockSession>,
}

#[derive(Default)]
struct LockSession {
    link: Option<Link>,
    held: BTreeSet<DebateId>,
    is_watched: bool,
}

impl Locks {
    pub(super) fn new(thread: Arc<LinkThread>, address: PostgresAddress) -> Arc<Self> {
        Arc::new(Self { thread, address, session: Mutex::default() })
    }

    /// Takes the lock of `debate`, or says who holds it.
    pub(super) fn take(self: &Arc<Self>, debate: &DebateId) -> Result<Box<dyn DebateLock>, LockFault> {
        let mut session = self.session();
        if session.held.contains(debate) {
            return Err(LockFault::Held(format!("process {}", std::process::id())));
        }
        let place = self.address.place().to_path_buf();
        let fault = |error: JournalError| LockFault::Fault { path: place, why: error.bare() };
        match self.try_lock(&mut session, debate) {
            Ok(None) => {}
            Ok(Some(holder)) => return Err(LockFault::Held(holder)),
            Err(error) => return Err(fault(error)),
        }
        session.held.insert(debate.clone());
        if !std::mem::replace(&mut session.is_watched, true) {
            let locks = Arc::downgrade(self);
            thread::spawn(move || watch(&locks));
        }
        Ok(Box::new(AdvisoryLock { locks: Arc::clone(self), debate: debate.clone() }))
    }

    fn session(&self) -> MutexGuard<'_, LockSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a lock in the session; gives its holder where there is one.
    fn try_lock(&self, session: &mut LockSession, debate: &DebateId) -> Result<Option<String>, JournalError> {
        self.connect(session)?;
        let Some(link) = &session.link else {
            return Err(JournalError::unreached(&self.address.place(), "no session"));
        };
        let number = self.number(debate);
        let taken = link.query_first("SELECT pg_try_advisory_lock(?1)", &[number.into()])?;
        if taken.map_or(Ok(false), |mut row| row.truth(0))? {
            return Ok(None);
        }
        let sql = r#"SELECT a.application_name::text,
            to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
            AND CAST(l.classid AS BIGINT) = ?1 AND CAST(l.objid AS BIGINT) = ?2"#;
        let halves = [((number as u64) >> 32).into(), ((number as u64) & 0xffff_ffff).into()];
        let holder = match link.query_first(sql, &halves)? {
            Some(mut row) => match (row.optional_text(0)?, row.optional_text(1)?) {
                (Some(name), Some(since)) if !name.is_empty() => {
                    let name = name.strip_prefix("agon, ").unwrap_or(&name).to_owned();
                    Some(format!("{name}, connected since {since},"))
                }
                _ => None,
            },
            None => None,
        };
        Ok(Some(holder.unwrap_or_else(|| "another process".to_owned())))
    }

    /// Makes the session, and takes again what was held in one that is lost.
    fn connect(&self, session: &mut LockSession) -> Result<(), JournalError> {
        if session.link.as_ref().is_some_and(|link| link.state() != LinkState::Lost) {
            return Ok(());
        }
        let link = Link::connect(&self.thread, &self.address)?;
        for debate in &session.held {
            let taken = link.query_first("SELECT pg_try_advisory_lock(?1)", &[self.number(debate).into()])?;
            if !taken.map_or(Ok(false), |mut row| row.truth(0))? {
                // Compare-and-append keeps the record right; the other process pays for its own calls.
                tracing::warn!(%debate, "another process took the lock while the database was away");
            }
        }
        session.link = Some(link);
        Ok(())
    }

    /// The number of a debate's lock among all advisory locks of the database.
    fn number(&self, debate: &DebateId) -> i64 {
        let digest = Digest::of(format!("agon {} {debate}", self.address.schema()));
        u64::from_str_radix(&digest.as_str()[..16], 16).unwrap_or_default().cast_signed()
    }
}

/// Keeps the session alive while locks are held.
fn watch(locks: &Weak<Locks>) {
    loop {
        thread::sleep(LOOK_EVERY);
        let Some(locks) = locks.upgrade() else { return };
        let mut session = locks.session();
        if !session.held.is_empty()
            && let Err(error) = locks.connect(&mut session)
        {
            tracing::debug!(%error, "no session for locks");
        }
    }
}

/// The lock of a debate in the session of this process.
struct AdvisoryLock {
    locks: Arc<Locks>,
    debate: DebateId,
}

impl fmt::Debug for AdvisoryLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AdvisoryLock({})", self.debate)
    }
}

impl DebateLock for AdvisoryLock {}

impl Drop for AdvisoryLock {
    fn drop(&mut self) {
        let mut session = self.locks.session();
        session.held.remove(&self.debate);
        let number = self.locks.number(&self.debate);
        if let Some(link) = session.link.as_ref().filter(|link| link.state() != LinkState::Lost)
            && let Err(error) = link.query("SELECT pg_advisory_unlock(?1)", &[number.into()])
        {
            // A session that does not answer is given up, with its locks.
            tracing::debug!(%error, "unlock failed");
            session.link = None;
        }
    }
}
