//! Who drives a debate, where the processes that share a store are on several machines and no lock of an operating
//! system reaches all of them.
//!
//! A claim lasts as long as its process says again and again that it lives. One that was silent for too long loses its
//! debates to others; should it continue all the same, what it appends carries an old fence and is refused in the same
//! transaction. The clock is that of the store alone.

use std::{
    sync::{
        Arc, Mutex, Once, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use agon_core::DebateId;

use super::{
    JournalError,
    storage::{DebateLock, JournalStore, LockFault, StoreConnection},
    uuid,
    writer::job_that_tells,
};
use crate::time::{after, before};

/// How long a process that says nothing counts as alive, by the clock of the store.
const ALIVE_SECONDS: u32 = 10;
/// How long it must have been silent after that for one that was not there all the time, such as a command.
const SILENT_SECONDS: u32 = 20;
/// How often a process says that it lives.
const BEAT: Duration = Duration::from_secs(3);
/// How long the store may take to answer before a beat counts as missed.
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// How long the row of a process that ended stays.
const FORGOTTEN_SECONDS: u32 = 24 * 3600;

/// The claims of this process on debates of a store.
pub(super) struct DriveClaims {
    store: Arc<dyn JournalStore>,
    pulse: Arc<Pulse>,
}

/// What a process says of itself.
struct Pulse {
    /// Its name among those who share the store.
    holder: String,
    /// The same for people.
    words: String,
    /// Since when no beat was missed. Only who has been alive as long as others may be silent takes debates over: after
    /// a failure of the store, everyone is silent.
    steady: Mutex<Option<Instant>>,
    /// Processes that were alive at the last beat.
    alive: AtomicU32,
    started: Once,
}

impl DriveClaims {
    /// For debates of `store`. Nothing is written before the first claim.
    pub(super) fn new(store: &Arc<dyn JournalStore>) -> Self {
        let process = std::process::id();
        // Without randomness, the moment tells processes of equal number apart.
        let holder = uuid::random().unwrap_or_else(|_| format!("{process}-{}", crate::time::stamp().0));
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let words = format!("process {process} on {host}");
        let pulse =
            Pulse { holder, words, steady: Mutex::default(), alive: AtomicU32::new(1), started: Once::new() };
        Self { store: Arc::clone(store), pulse: Arc::new(pulse) }
    }

    /// Begins to say that this process lives, if it does not yet.
    ///
    /// # Errors
    ///
    /// Where the store cannot be written.
    pub(super) fn join(&self) -> Result<(), JournalError> {
        let mut begun = Ok(());
        self.pulse.started.call_once(|| {
            begun = self.pulse.beat(&self.store);
            let (pulse, store) = (Arc::clone(&self.pulse), Arc::downgrade(&self.store));
            thread::spawn(move || pulse.keep_on(&store));
        });
        begun
    }

    /// How many processes that drive debates share the store now, this one included.
    pub(super) fn alive(&self) -> u32 {
        self.pulse.alive.load(Ordering::Relaxed).max(1)
    }

    /// Claims `debate` for this process.
    pub(super) fn take(&self, debate: &DebateId) -> Result<Box<dyn DebateLock>, LockFault> {
        let fault = |error: JournalError| LockFault::Fault {
            path: self.store.place().to_path_buf(),
            why: error.bare(),
        };
        self.join().map_err(fault)?;
        let (of, pulse) = (debate.clone(), Arc::clone(&self.pulse));
        let claimed = now_or_later(&self.store, move |db| claim(db, &of, &pulse.holder, pulse.is_steady()));
        match claimed.map_err(fault)? {
            Claimed::Fence(fence) => {
                let (store, holder) = (Arc::clone(&self.store), self.pulse.holder.clone());
                Ok(Box::new(DriveClaim { store, holder, debate: debate.clone(), fence }))
            }
            Claimed::Held(words) => Err(LockFault::Held(words)),
        }
    }
}

/// A claim of this process. It is given back when it is dropped, or lapses with its process.
struct DriveClaim {
    store: Arc<dyn JournalStore>,
    holder: String,
    debate: DebateId,
    fence: u64,
}

impl std::fmt::Debug for DriveClaim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DriveClaim").field("debate", &self.debate).field("fence", &self.fence).finish()
    }
}

impl DebateLock for DriveClaim {
    fn fence(&self) -> Option<u64> {
        Some(self.fence)
    }
}

impl Drop for DriveClaim {
    fn drop(&mut self) {
        let (debate, holder, fence) = (self.debate.clone(), self.holder.clone(), self.fence);
        // One that cannot be given back lapses with the process.
        let _ = now_or_later(&self.store, move |db| {
            let sql = "UPDATE drives SET holder = NULL WHERE debate = ?1 AND holder = ?2 AND fence = ?3";
            db.execute(sql, &[debate.as_str().into(), (&holder).into(), fence.into()]).map(drop)
        });
    }
}

enum Claimed {
    Fence(u64),
    Held(String),
}

fn claim(
    db: &dyn StoreConnection,
    debate: &DebateId,
    holder: &str,
    is_steady: bool,
) -> Result<Claimed, JournalError> {
    let now = db.now()?;
    let silent = if is_steady { now } else { before(&now, SILENT_SECONDS) };
    let sql = "INSERT INTO drives (debate, holder, fence) VALUES (?1, ?2, 1)
               ON CONFLICT (debate) DO UPDATE SET holder = ?2, fence = drives.fence + 1
               WHERE drives.holder IS NULL OR NOT EXISTS
                   (SELECT 1 FROM drivers r WHERE r.holder = drives.holder AND r.until > ?3)";
    let values = [debate.as_str().into(), holder.into(), (&silent.0).into()];
    let is_claimed = db.execute(sql, &values)? > 0;
    let sql = "SELECT d.fence, r.words FROM drives d LEFT JOIN drivers r ON r.holder = d.holder
               WHERE d.debate = ?1";
    let row = db.query_first(sql, &[debate.as_str().into()])?;
    let Some(mut row) = row else {
        return Err(JournalError::damaged(db.place(), format!("the claim of {debate} is missing")));
    };
    Ok(match is_claimed {
        true => Claimed::Fence(row.count(0)?),
        false => Claimed::Held(row.optional_text(1)?.unwrap_or_else(|| "another process".to_owned())),
    })
}

/// Refuses what is done under an old claim of `debate`; without a fence, the lock of the store excludes others.
pub(super) fn check(
    db: &dyn StoreConnection,
    debate: &DebateId,
    fence: Option<u64>,
) -> Result<(), JournalError> {
    let Some(fence) = fence else { return Ok(()) };
    let sql = "SELECT 1 FROM drives WHERE debate = ?1 AND fence = ?2";
    match db.query_first(sql, &[debate.as_str().into(), fence.into()])? {
        Some(_) => Ok(()),
        None => Err(JournalError::Fenced { debate: debate.clone() }),
    }
}

impl Pulse {
    fn is_steady(&self) -> bool {
        let steady = self.steady.lock().unwrap_or_else(PoisonError::into_inner);
        steady.is_some_and(|since| since.elapsed() >= Duration::from_secs(ALIVE_SECONDS.into()))
    }

    fn beat(&self, store: &Arc<dyn JournalStore>) -> Result<(), JournalError> {
        let (holder, words) = (self.holder.clone(), self.words.clone());
        let beaten = now_or_later(store, move |db| {
            let now = db.now()?;
            let sql = "INSERT INTO drivers (holder, words, until) VALUES (?1, ?2, ?3)
                       ON CONFLICT (holder) DO UPDATE SET until = excluded.until";
            let until = after(&now, ALIVE_SECONDS);
            db.execute(sql, &[(&holder).into(), (&words).into(), (&until.0).into()])?;
            // A day after its end, nothing refers to a process any more that was not taken over.
            let old = before(&now, FORGOTTEN_SECONDS);
            db.execute("DELETE FROM drivers WHERE until < ?1", &[(&old.0).into()])?;
            let sql = "SELECT count(*) FROM drivers WHERE until > ?1";
            let alive = db.query_first(sql, &[(&now.0).into()])?;
            alive.map_or(Ok(1), |mut row| row.small(0))
        });
        let mut steady = self.steady.lock().unwrap_or_else(PoisonError::into_inner);
        match beaten {
            Ok(alive) => {
                steady.get_or_insert_with(Instant::now);
                self.alive.store(alive, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                *steady = None;
                Err(error)
            }
        }
    }

    /// Says that the process lives until nobody uses its journal any more.
    fn keep_on(&self, store: &Weak<dyn JournalStore>) {
        let mut last = Instant::now();
        loop {
            thread::sleep(BEAT);
            let Some(store) = store.upgrade() else { return };
            // A process that was stopped does not know how long others were without it.
            if last.elapsed() > Duration::from_secs(ALIVE_SECONDS.into()) {
                *self.steady.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            if let Err(error) = self.beat(&store) {
                tracing::warn!(%error, "the store does not hear that this process lives");
            }
            last = Instant::now();
        }
    }
}

/// Does `work` in a transaction and waits for it, outside of any runtime.
fn now_or_later<T: Send + 'static>(
    store: &Arc<dyn JournalStore>,
    work: impl FnMut(&dyn StoreConnection) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    let (done, result) = mpsc::sync_channel(1);
    // A caller that no longer waits has given up.
    store.write(job_that_tells(work, move |told| drop(done.try_send(told))))?;
    result.recv_timeout(ANSWER_WAIT).map_err(|_| JournalError::Io {
        path: store.place().to_path_buf(),
        why: "the store does not answer".into(),
        cause: None,
    })?
}

#[cfg(test)]
mod tests {
    use super::{super::sqlite::SqliteStore, *};

    fn store(home: &std::path::Path) -> Arc<dyn JournalStore> {
        Arc::new(SqliteStore::open(home).unwrap())
    }

    fn silent(store: &Arc<dyn JournalStore>, holder: &str) {
        let holder = holder.to_owned();
        now_or_later(store, move |db| {
            let until = before(&db.now()?, 1);
            let sql = "UPDATE drivers SET until = ?2 WHERE holder = ?1";
            db.execute(sql, &[(&holder).into(), (&until.0).into()]).map(drop)
        })
        .unwrap();
    }

    #[test]
    fn one_process_has_a_debate_until_it_gives_it_back_or_is_silent() {
        let home = tempfile::tempdir().unwrap();
        let debate = DebateId::new("d1").unwrap();
        let (a, b) = (DriveClaims::new(&store(home.path())), DriveClaims::new(&store(home.path())));
        let first = a.take(&debate).unwrap();
        assert_eq!(first.fence(), Some(1));
        assert!(matches!(b.take(&debate), Err(LockFault::Held(words)) if words.contains("process")));
        assert!(matches!(a.take(&debate), Err(LockFault::Held(_))), "once per process");
        drop(first);
        let second = b.take(&debate).unwrap();
        assert_eq!(second.fence(), Some(2));

        // Silence alone is not enough: who takes over must have been alive as long.
        silent(&b.store, &b.pulse.holder);
        assert!(matches!(a.take(&debate), Err(LockFault::Held(_))));
        let long_ago = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        *a.pulse.steady.lock().unwrap() = Some(long_ago);
        let third = a.take(&debate).unwrap();
        assert_eq!(third.fence(), Some(3));

        // What the one that was silent still does is refused, and giving back is not its to do.
        let (of, on) = (debate.clone(), debate.clone());
        let old = now_or_later(&b.store, move |db| check(db, &of, Some(2)));
        assert_eq!(old, Err(JournalError::Fenced { debate: debate.clone() }));
        assert_eq!(now_or_later(&b.store, move |db| check(db, &on, Some(3))), Ok(()));
        drop(second);
        assert!(matches!(b.take(&debate), Err(LockFault::Held(_))));
    }

    #[test]
    fn of_many_who_claim_one_debate_at_once_one_has_it() {
        let home = tempfile::tempdir().unwrap();
        let claims: Vec<DriveClaims> = (0..8).map(|_| DriveClaims::new(&store(home.path()))).collect();
        claims.iter().for_each(|claims| claims.join().unwrap());
        for round in 0..10 {
            let debate = DebateId::new(format!("d{round}")).unwrap();
            let taken: Vec<_> = thread::scope(|scope| {
                let takers: Vec<_> =
                    claims.iter().map(|claims| scope.spawn(|| claims.take(&debate))).collect();
                takers.into_iter().map(|taker| taker.join().unwrap()).collect()
            });
            assert_eq!(taken.iter().filter(|taken| taken.is_ok()).count(), 1);
        }
        assert!(claims[0].alive() >= 1);
    }
}
