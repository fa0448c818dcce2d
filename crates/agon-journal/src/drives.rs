//! Who drives a debate, where the processes that share a store are on several machines and no lock of an operating
//! system reaches all of them.
//!
//! A claim lasts as long as its process says again and again that it lives. One that was silent for too long loses its
//! debates to others; should it continue all the same, what it appends carries an old fence and is refused in the same
//! transaction. The clock is that of the store alone. Nobody takes over while that clock runs otherwise than the own one,
//! so that a clock that was set does not make everyone look silent.

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};

use agon_core::DebateId;

use super::{
    JournalError, Result,
    liveness::{ProcessLiveness, TakeoverRule, now_or_later},
    storage::{DriveLock, JournalStore, LockError, StoreConnection},
};

/// How long a command looks whether a process that seems silent is: longer than between two beats.
const CONFIRMED_AFTER: Duration = Duration::from_secs(4);

/// The claims of this process on debates of a store.
pub(super) struct DriveClaims {
    store: Arc<dyn JournalStore>,
    liveness: Arc<ProcessLiveness>,
}

impl DriveClaims {
    /// For debates of `store`. Nothing is written before the first claim.
    pub(super) fn new(store: &Arc<dyn JournalStore>) -> Self {
        let liveness = ProcessLiveness::new();
        Self { store: Arc::clone(store), liveness: Arc::new(liveness) }
    }

    /// Says from now on that this process drives debates for `engine` all the time; the name of an engine is a UUID.
    ///
    /// # Errors
    ///
    /// [`JournalError::OtherEngine`] where processes of another engine are alive, or where the store cannot be written.
    pub(super) fn join_for(&self, engine: &str) -> Result<()> {
        let engine = self.liveness.engine.get_or_init(|| engine.to_owned()).clone();
        self.join_drivers()?;
        let others = now_or_later(&self.store, move |db| {
            let sql = "SELECT words FROM drivers WHERE until > ?1 AND holder LIKE '%/%' AND holder NOT LIKE ?2
                       ORDER BY words LIMIT 1";
            let own = format!("{engine}/%");
            Ok(db.query_texts(sql, &[&db.now()?, &own])?.pop())
        });
        match others? {
            None => Ok(()),
            Some(words) => {
                self.leave_drivers();
                Err(JournalError::OtherEngine { path: self.store.location().to_path_buf(), words })
            }
        }
    }

    /// Says that this process drives nothing any more. Others need not wait until it was silent.
    pub(super) fn leave_drivers(&self) {
        self.liveness.left.store(true, Ordering::Relaxed);
        let holder = self.liveness.holder_name();
        let _ = now_or_later(&self.store, move |db| {
            db.execute("DELETE FROM drivers WHERE holder = ?1", &[&holder]).map(drop)
        });
    }

    /// Begins to say that this process lives, if it does not yet.
    ///
    /// # Errors
    ///
    /// Where the store cannot be written.
    pub(super) fn join_drivers(&self) -> Result<()> {
        let mut begun = Ok(());
        self.liveness.started.call_once(|| {
            begun = self.liveness.write_heartbeat(&self.store);
            let (liveness, store) = (Arc::clone(&self.liveness), Arc::downgrade(&self.store));
            thread::spawn(move || liveness.keep_on(&store));
        });
        begun
    }

    /// How many processes that drive debates share the store now, this one included.
    pub(super) fn count_live_processes(&self) -> u32 {
        self.liveness.alive.load(Ordering::Relaxed).max(1)
    }

    /// Claims `debate` for this process.
    pub(super) fn claim_debate(&self, debate: &DebateId) -> Result<DriveLock, LockError> {
        let fault = |error: JournalError| LockError::Fault {
            path: self.store.location().to_path_buf(),
            why: error.into_reason(),
        };
        self.join_drivers().map_err(fault)?;
        let mut seen = None;
        loop {
            let (of, liveness, known) = (debate.clone(), Arc::clone(&self.liveness), seen.take());
            let claimed = now_or_later(&self.store, move |db| {
                let takes_over = liveness.takes_over(&db.now()?, known.clone());
                try_claim(db, &of, &liveness.holder_name(), &takes_over)
            });
            match claimed.map_err(fault)? {
                Claimed::Fence(fence) => {
                    let (store, holder) = (Arc::clone(&self.store), self.liveness.holder_name());
                    let claim = DriveClaim { store, holder, debate: debate.clone(), fence };
                    return Ok(DriveLock { fence: Some(fence), _held: Box::new(claim) });
                }
                Claimed::Held(words) => return Err(LockError::Held(format!("{words} drives {debate}"))),
                // The clock may have been set; one that lives is heard again soon.
                Claimed::SeemsSilent(until) => {
                    thread::sleep(CONFIRMED_AFTER);
                    seen = Some(until);
                }
            }
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

impl Drop for DriveClaim {
    fn drop(&mut self) {
        let (debate, holder, fence) = (self.debate.clone(), self.holder.clone(), self.fence);
        // One that cannot be given back lapses with the process.
        let _ = now_or_later(&self.store, move |db| {
            let sql = "UPDATE drives SET holder = NULL WHERE debate = ?1 AND holder = ?2 AND fence = ?3";
            db.execute(sql, &[&debate, &holder, &fence]).map(drop)
        });
    }
}

enum Claimed {
    Fence(u64),
    Held(String),
    /// By a process that was alive until this moment; it is to be looked at again.
    SeemsSilent(String),
}

fn try_claim(db: &dyn StoreConnection, debate: &DebateId, holder: &str, takes_over: &TakeoverRule) -> Result<Claimed> {
    // What is appended under the claim before is in the record, or is refused: none of it comes in between.
    match db.lock_debate(debate) {
        Ok(_) | Err(JournalError::NoSuchDebate(_)) => {}
        Err(error) => return Err(error),
    }
    // Moments are compared as texts, of one form and in UTC.
    let (may, silent, seen) = match takes_over {
        TakeoverRule::Nobody => (false, "", None),
        TakeoverRule::SilentSince(silent) => (true, silent.0.as_str(), None),
        TakeoverRule::Confirmed(silent, seen) => (true, silent.0.as_str(), Some(seen)),
    };
    if let Some(seen) = seen {
        let sql = "SELECT r.until FROM drives d JOIN drivers r ON r.holder = d.holder
                   WHERE d.debate = ?1 AND r.until <= ?2";
        let until = db.query_texts(sql, &[&debate, &silent])?.pop();
        if let Some(until) = until.filter(|until| seen.as_ref() != Some(until)) {
            return Ok(Claimed::SeemsSilent(until));
        }
    }
    let sql = "INSERT INTO drives (debate, holder, fence) VALUES (?1, ?2, 1)
               ON CONFLICT (debate) DO UPDATE SET holder = ?2, fence = drives.fence + 1
               WHERE drives.holder IS NULL OR (CAST(?4 AS BIGINT) = 1 AND NOT EXISTS
                   (SELECT 1 FROM drivers r WHERE r.holder = drives.holder AND r.until > ?3))";
    let is_claimed = db.execute(sql, &[&debate, &holder, &silent, &may])? > 0;
    let sql = "SELECT d.fence, r.words FROM drives d LEFT JOIN drivers r ON r.holder = d.holder
               WHERE d.debate = ?1";
    let row = db.query_first(sql, &[&debate])?;
    let Some(mut row) = row else {
        return Err(JournalError::damaged(db.store_location(), format!("the claim of {debate} is missing")));
    };
    Ok(match is_claimed {
        true => Claimed::Fence(row.take(0)?),
        false => Claimed::Held(row.take::<Option<_>>(1)?.unwrap_or_else(|| "another process".to_owned())),
    })
}

/// Whether a process that is alive has a claim on `debate`.
pub(super) fn is_claimed(db: &dyn StoreConnection, debate: &DebateId) -> Result<bool> {
    let sql = "SELECT 1 FROM drives d JOIN drivers r ON r.holder = d.holder WHERE d.debate = ?1 AND r.until > ?2";
    db.has_row(sql, &[&debate, &db.now()?])
}

/// Refuses what is done under an old claim of `debate`, which nobody else writes about now; without a fence, the lock of the store excludes others.
pub(super) fn check_fence(db: &dyn StoreConnection, debate: &DebateId, fence: Option<u64>) -> Result<()> {
    let Some(fence) = fence else { return Ok(()) };
    let sql = "SELECT 1 FROM drives WHERE debate = ?1 AND fence = ?2";
    let none = JournalError::Fenced { debate: debate.clone() };
    db.expect_later(sql, &[&debate, &fence], none)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use agon_core::Stamp;

    use super::{
        super::{liveness::ALIVE_SECONDS, sqlite::SqliteStore},
        *,
    };
    use crate::time::{add_seconds, subtract_seconds};

    fn store(home: &std::path::Path) -> Arc<dyn JournalStore> {
        Arc::new(SqliteStore::open(home).unwrap())
    }

    fn silent(store: &Arc<dyn JournalStore>, holder: &str) {
        let holder = holder.to_owned();
        now_or_later(store, move |db| {
            let until = subtract_seconds(&db.now()?, 1);
            let sql = "UPDATE drivers SET until = ?2 WHERE holder = ?1";
            db.execute(sql, &[&holder, &until]).map(drop)
        })
        .unwrap();
    }

    #[test]
    fn one_process_has_a_debate_until_it_gives_it_back_or_is_silent() {
        let home = tempfile::tempdir().unwrap();
        let debate = DebateId::new("d1").unwrap();
        let (a, b) = (DriveClaims::new(&store(home.path())), DriveClaims::new(&store(home.path())));
        let first = a.claim_debate(&debate).unwrap();
        assert_eq!(first.fence(), Some(1));
        assert!(matches!(b.claim_debate(&debate), Err(LockError::Held(words)) if words.contains("process")));
        assert!(matches!(a.claim_debate(&debate), Err(LockError::Held(_))), "once per process");
        drop(first);
        let second = b.claim_debate(&debate).unwrap();
        assert_eq!(second.fence(), Some(2));

        // Silence alone is not enough: who takes over must have been alive as long.
        silent(&b.store, &b.liveness.holder_name());
        assert!(matches!(a.claim_debate(&debate), Err(LockError::Held(_))));
        let long_ago = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        *a.liveness.steady.lock().unwrap() = Some(long_ago);
        let third = a.claim_debate(&debate).unwrap();
        assert_eq!(third.fence(), Some(3));

        // What the one that was silent still does is refused, and giving back is not its to do.
        let (of, on) = (debate.clone(), debate.clone());
        let old = now_or_later(&b.store, move |db| check_fence(db, &of, Some(2)));
        assert_eq!(old, Err(JournalError::Fenced { debate: debate.clone() }));
        assert_eq!(now_or_later(&b.store, move |db| check_fence(db, &on, Some(3))), Ok(()));
        drop(second);
        assert!(matches!(b.claim_debate(&debate), Err(LockError::Held(_))));
    }

    #[test]
    fn a_clock_that_was_set_moves_no_debate() {
        let home = tempfile::tempdir().unwrap();
        let debate = DebateId::new("d1").unwrap();
        let (a, b) = (DriveClaims::new(&store(home.path())), DriveClaims::new(&store(home.path())));
        let held = a.claim_debate(&debate).unwrap();
        b.join_drivers().unwrap();
        let long_ago = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        let steady = || *b.liveness.steady.lock().unwrap() = Some(long_ago);
        steady();
        let now = crate::time::current_stamp();
        assert_eq!(b.liveness.takes_over(&now, None), TakeoverRule::SilentSince(now.clone()));

        // An hour ahead, everyone looks silent; an hour back, nobody ever would be.
        for moved in [add_seconds(&now, 3600), now.clone()] {
            steady();
            assert_eq!(b.liveness.takes_over(&moved, None), TakeoverRule::Nobody, "{moved:?}");
            assert!(!b.liveness.is_steady(), "it looks anew how long others are silent");
        }
        let of = debate.clone();
        let taken = now_or_later(&b.store, move |db| try_claim(db, &of, "b", &TakeoverRule::Nobody)).unwrap();
        assert!(matches!(taken, Claimed::Held(_)));

        // Who was alive until an hour from now is alive for ten seconds like all others.
        let (far, holder) = (add_seconds(&now, 3600), a.liveness.holder_name());
        now_or_later(&b.store, move |db| {
            db.execute("UPDATE drivers SET until = ?2 WHERE holder = ?1", &[&holder, &far])
        })
        .unwrap();
        b.liveness.write_heartbeat(&b.store).unwrap();
        let until = now_or_later(&b.store, |db| {
            db.query_first("SELECT max(until) FROM drivers", &[])?.map(|mut row| row.take(0)).transpose()
        });
        let until = Stamp(until.unwrap().unwrap());
        assert!(crate::time::seconds_until(&until) <= u64::from(ALIVE_SECONDS), "{until:?}");
        drop(held);
    }

    #[test]
    fn a_command_looks_twice_at_a_process_that_seems_silent() {
        let home = tempfile::tempdir().unwrap();
        let debate = DebateId::new("d1").unwrap();
        let (a, store) = (DriveClaims::new(&store(home.path())), store(home.path()));
        let _held = a.claim_debate(&debate).unwrap();
        let look = |takes_over: TakeoverRule| {
            let of = debate.clone();
            now_or_later(&store, move |db| try_claim(db, &of, "b", &takes_over)).unwrap()
        };
        // The store says that it is an hour later.
        let silent = add_seconds(&crate::time::current_stamp(), 3600);
        let Claimed::SeemsSilent(seen) = look(TakeoverRule::Confirmed(silent.clone(), None)) else {
            panic!("taken at first sight")
        };
        // It was heard meanwhile.
        thread::sleep(Duration::from_millis(5));
        a.liveness.write_heartbeat(&a.store).unwrap();
        let Claimed::SeemsSilent(next) = look(TakeoverRule::Confirmed(silent.clone(), Some(seen))) else {
            panic!("taken although it was heard")
        };
        assert!(matches!(look(TakeoverRule::Confirmed(silent, Some(next))), Claimed::Fence(2)));
    }

    #[test]
    fn processes_of_two_engines_do_not_share_a_store() {
        let home = tempfile::tempdir().unwrap();
        let [a, b, c] = [0, 1, 2].map(|_| DriveClaims::new(&store(home.path())));
        a.join_for("engine-a").unwrap();
        c.join_drivers().unwrap();
        let refused = b.join_for("engine-b").unwrap_err();
        assert!(matches!(&refused, JournalError::OtherEngine { words, .. } if words.contains("process")));
        // A command is of no engine, and one that left does not count.
        a.leave_drivers();
        let b = DriveClaims::new(&b.store);
        b.join_for("engine-b").unwrap();
    }

    #[test]
    fn of_many_who_claim_one_debate_at_once_one_has_it() {
        let home = tempfile::tempdir().unwrap();
        let claims: Vec<DriveClaims> = (0..8).map(|_| DriveClaims::new(&store(home.path()))).collect();
        claims.iter().for_each(|claims| claims.join_drivers().unwrap());
        for round in 0..10 {
            let debate = DebateId::new(format!("d{round}")).unwrap();
            let taken: Vec<_> = thread::scope(|scope| {
                let takers: Vec<_> = claims.iter().map(|claims| scope.spawn(|| claims.claim_debate(&debate))).collect();
                takers.into_iter().map(|taker| taker.join().unwrap()).collect()
            });
            assert_eq!(taken.iter().filter(|taken| taken.is_ok()).count(), 1);
        }
        assert!(claims[0].count_live_processes() >= 1);
    }
}
