//! What a process says of itself to those who share a store, and whose silence it believes.

use std::{
    sync::{
        Arc, Mutex, Once, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use agon_core::Stamp;

use super::{
    JournalError, Result,
    storage::{JournalStore, StoreConnection},
    uuid,
    write_queue::job_that_tells,
};
use crate::time::{add_seconds, epoch_milliseconds, subtract_seconds};

/// How long a process that says nothing counts as alive, by the clock of the store.
pub(super) const ALIVE_SECONDS: u32 = 10;
/// How long it must have been silent after that for one that was not there all the time, such as a command.
const SILENT_SECONDS: u32 = 20;
/// How often a process says that it lives.
const BEAT: Duration = Duration::from_secs(3);
/// How long the store may take to answer before a beat counts as missed.
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// By how much the clock of the store may run ahead of or behind the own one between two looks.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);
/// How long the row of a process that ended stays.
const FORGOTTEN_SECONDS: u32 = 24 * 3600;

/// What a process says of itself.
pub(super) struct ProcessLiveness {
    /// Its name among those who share the store, without the engine.
    pub(super) process: String,
    /// The engine that it drives for, and that it does so all the time; none for commands.
    pub(super) engine: OnceLock<String>,
    /// Its name for people.
    pub(super) words: String,
    /// Since when no beat was missed. Only who has been alive as long as others may be silent takes debates over: after
    /// a failure of the store, everyone is silent.
    pub(super) steady: Mutex<Option<Instant>>,
    /// When the store was last asked for its time, and what it said, in milliseconds.
    clock: Mutex<Option<(Instant, i64)>>,
    /// Whether it says nothing any more.
    pub(super) left: AtomicBool,
    /// Processes that were alive at the last beat.
    pub(super) alive: AtomicU32,
    pub(super) started: Once,
}

/// Whose debates a process may take over.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TakeoverRule {
    /// Nobody's.
    Nobody,
    /// Those of processes that were alive until this moment, or an earlier one.
    SilentSince(Stamp),
    /// The same, if it is still the moment that was seen before, if one was.
    Confirmed(Stamp, Option<String>),
}

impl ProcessLiveness {
    /// Of this process. Nothing is said before it is told to.
    pub(super) fn new() -> Self {
        let process = std::process::id();
        // Without randomness, the moment tells processes of equal number apart.
        let name = uuid::random_uuid().unwrap_or_else(|_| format!("{process}-{}", crate::time::current_stamp().0));
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let words = format!("process {process} on {host}");
        Self {
            process: name,
            engine: OnceLock::new(),
            words,
            steady: Mutex::default(),
            clock: Mutex::default(),
            left: AtomicBool::new(false),
            alive: AtomicU32::new(1),
            started: Once::new(),
        }
    }

    /// The name of the process among those who share the store: with the engine in front, if it has one.
    pub(super) fn holder_name(&self) -> String {
        match self.engine.get() {
            Some(engine) => format!("{engine}/{}", self.process),
            None => self.process.clone(),
        }
    }

    pub(super) fn is_steady(&self) -> bool {
        let steady = self.steady.lock().unwrap_or_else(PoisonError::into_inner);
        steady.is_some_and(|since| since.elapsed() >= Duration::from_secs(ALIVE_SECONDS.into()))
    }

    fn clear_steady(&self) {
        *self.steady.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether the clock of the store, which says `now`, ran as the own one did since it was last asked.
    fn runs_evenly(&self, now: &Stamp) -> bool {
        let own = Instant::now();
        let Some(now) = epoch_milliseconds(now) else { return false };
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let before = clock.replace((own, now));
        let Some((then, told)) = before else { return true };
        let passed = i64::try_from(own.duration_since(then).as_millis()).unwrap_or(i64::MAX);
        (now - told).abs_diff(passed) <= CLOCK_TOLERANCE.as_millis() as u64
    }

    /// Whose debates may be taken over `now`; `seen` is the moment at which one seemed silent before.
    pub(super) fn takes_over(&self, now: &Stamp, seen: Option<String>) -> TakeoverRule {
        if !self.runs_evenly(now) {
            tracing::warn!(now = now.0, "the clock of the store was set; nothing is taken over for a while");
            self.clear_steady();
            return TakeoverRule::Nobody;
        }
        match (self.is_steady(), self.engine.get()) {
            (true, _) => TakeoverRule::SilentSince(now.clone()),
            (false, Some(_)) => TakeoverRule::Nobody,
            (false, None) => TakeoverRule::Confirmed(subtract_seconds(now, SILENT_SECONDS), seen),
        }
    }

    pub(super) fn write_heartbeat(&self, store: &Arc<dyn JournalStore>) -> Result<()> {
        let (holder, words) = (self.holder_name(), self.words.clone());
        let beaten = now_or_later(store, move |db| {
            let now = db.now()?;
            let until = add_seconds(&now, ALIVE_SECONDS);
            // Nobody is alive for longer: the clock was set back.
            let most = add_seconds(&now, ALIVE_SECONDS + CLOCK_TOLERANCE.as_secs() as u32);
            let sql = "UPDATE drivers SET until = ?1 WHERE until > ?2";
            db.execute_later(sql, &[&until, &most], None)?;
            let sql = "INSERT INTO drivers (holder, words, until) VALUES (?1, ?2, ?3)
                       ON CONFLICT (holder) DO UPDATE SET until = excluded.until";
            db.execute_later(sql, &[&holder, &words, &until], None)?;
            // A day after its end, nothing refers to a process any more that was not taken over.
            let old = subtract_seconds(&now, FORGOTTEN_SECONDS);
            db.execute_later("DELETE FROM drivers WHERE until < ?1", &[&old], None)?;
            let sql = "SELECT count(*) FROM drivers WHERE until > ?1";
            let alive = db.query_first(sql, &[&now])?;
            Ok((alive.map_or(Ok(1), |mut row| row.take(0))?, now))
        });
        match beaten {
            Ok((alive, now)) => {
                if !self.runs_evenly(&now) {
                    tracing::warn!(now = now.0, "the clock of the store was set");
                    self.clear_steady();
                }
                let mut steady = self.steady.lock().unwrap_or_else(PoisonError::into_inner);
                steady.get_or_insert_with(Instant::now);
                self.alive.store(alive, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                self.clear_steady();
                Err(error)
            }
        }
    }

    /// Says that the process lives until nobody uses its journal any more.
    pub(super) fn keep_on(&self, store: &Weak<dyn JournalStore>) {
        let mut last = Instant::now();
        loop {
            thread::sleep(BEAT);
            let Some(store) = store.upgrade() else { return };
            if self.left.load(Ordering::Relaxed) {
                return;
            }
            // A process that was stopped does not know how long others were without it.
            if last.elapsed() > Duration::from_secs(ALIVE_SECONDS.into()) {
                self.clear_steady();
            }
            if let Err(error) = self.write_heartbeat(&store) {
                tracing::warn!(%error, "the store does not hear that this process lives");
            }
            last = Instant::now();
        }
    }
}

/// Does `work` in a transaction and waits for it, outside of any runtime.
pub(super) fn now_or_later<T: Send + 'static>(
    store: &Arc<dyn JournalStore>,
    work: impl FnMut(&dyn StoreConnection) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (done, result) = mpsc::sync_channel(1);
    // A caller that no longer waits has given up.
    store.queue_job(job_that_tells(work, move |told| drop(done.try_send(told))))?;
    result.recv_timeout(ANSWER_WAIT).map_err(|_| JournalError::Io {
        path: store.location().to_path_buf(),
        why: "the store does not answer".into(),
        cause: None,
    })?
}
