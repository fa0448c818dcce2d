//! The only loop: reads the record, steps, appends, and reconciles the requests that a step wants
//! open with the calls under way.

mod call;
mod error;
mod lock;
mod watch;

use std::{
    collections::BTreeMap,
    future::Future,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use agon_core::{
    Answered, By, DebateId, Digest, Failed, FailureKind, Fit, Key, Outcome, Protocol, Record, Reply, Request,
    Seat, Step, Usage, What, step,
};
use futures::{StreamExt, stream::FuturesUnordered};

use self::call::{Caller, Done};
pub use self::{
    call::Seated,
    error::{DriveError, Stop},
    lock::DriveLock,
    watch::{Notice, Quiet, Watch},
};
use crate::{
    journal::{Append, Budget, Journal, JournalError},
    prompts::Renderer,
    retry::RetryPolicy,
};

/// Who sits where.
pub type Seats = BTreeMap<Seat, Seated>;

/// Everything that one debate needs to go on.
pub struct Drive<'a> {
    /// Where the record is.
    pub journal: &'a Journal,
    /// Which debate.
    pub debate: &'a DebateId,
    /// Its rules.
    pub protocol: &'a dyn Protocol,
    /// Its pinned templates.
    pub renderer: &'a Renderer,
    /// Who answers.
    pub seats: &'a Seats,
    /// Who is told what happens.
    pub watch: &'a dyn Watch,
    /// How failed calls are tried again.
    pub retry: RetryPolicy,
}

impl Drive<'_> {
    /// Drives the debate until it closes, or until it must stop and can be resumed. `interrupt`
    /// completes when the user wants it to stop.
    pub async fn run(&self, interrupt: impl Future<Output = ()>) -> Result<Outcome, DriveError> {
        let caller = Caller::new(self);
        let mut record = self.journal.read(self.debate)?;
        let mut clock = Clock::new(self.journal, self.debate)?;
        let mut calls = FuturesUnordered::new();
        let mut under_way: BTreeMap<Key, futures::future::AbortHandle> = BTreeMap::new();
        let mut fitted: BTreeMap<Key, u32> = BTreeMap::new();
        let mut stop: Option<Stop> = None;
        let mut interrupt = std::pin::pin!(interrupt);
        loop {
            let open = match step(self.protocol, &record)? {
                Step::Record(whats) => {
                    self.append(&mut record, Append { whats, ..Append::default() }, &mut clock).await?;
                    continue;
                }
                Step::Close(outcome) => {
                    if record.closed().is_none() {
                        let whats = vec![What::Closed { outcome: outcome.clone() }];
                        self.append(&mut record, Append { whats, ..Append::default() }, &mut clock).await?;
                        continue;
                    }
                    return Ok(outcome);
                }
                Step::Await(open) => open,
            };
            under_way.retain(|key, call| {
                let wanted = open.iter().any(|request| request.key == *key);
                if !wanted {
                    call.abort();
                }
                wanted
            });
            // Once the debate must stop nothing new is asked; what is under way is awaited.
            for request in open.into_iter().filter(|_| stop.is_none()) {
                if under_way.contains_key(&request.key) {
                    continue;
                }
                let prepared =
                    caller.prepare(&record, &request, fitted.get(&request.key).copied().unwrap_or(0))?;
                let (call, handle) = futures::future::abortable(caller.call(request.clone(), prepared));
                under_way.insert(request.key, handle);
                calls.push(call);
            }
            if calls.is_empty() {
                return Err(stop.map_or(DriveError::Idle, DriveError::Stopped));
            }
            let limit = clock.remaining(&record);
            let done = tokio::select! {
                biased;
                () = &mut interrupt => return Err(DriveError::Interrupted),
                () = limit.sleep() => return Err(DriveError::Stopped(Stop::Budget(limit.budget()))),
                done = calls.next() => done,
            };
            match done {
                // A withdrawn call; what it may still cost stands at its reservation.
                None | Some(Err(futures::future::Aborted)) => {}
                Some(Ok(Done::Answered { answered, settlement })) => {
                    under_way.remove(&answered.key);
                    let whats = vec![What::Answered(answered)];
                    let append =
                        Append { whats, settle: settlement.into_iter().collect(), ..Append::default() };
                    self.append(&mut record, append, &mut clock).await?;
                }
                Some(Ok(Done::TooLong { request, prompt, participant, why })) => {
                    under_way.remove(&request.key);
                    let shortened = fitted.entry(request.key.clone()).or_default();
                    *shortened = (*shortened * 2).max(1);
                    let shorter = caller.prepare(&record, &request, *shortened)?;
                    // Where shortening changes nothing, too long a prompt is the answer.
                    if self.protocol.manifest().fit == Fit::Whole || shorter.digest() == prompt {
                        let answered = too_long(&request, prompt, participant, why);
                        let append = Append { whats: vec![What::Answered(answered)], ..Append::default() };
                        self.append(&mut record, append, &mut clock).await?;
                    } else {
                        self.watch.notice(&Notice::Shortened { key: request.key, statements: *shortened });
                    }
                }
                Some(Ok(Done::Stopped { key, why })) => {
                    under_way.remove(&key);
                    caller.stopping.store(true, Ordering::Relaxed);
                    stop.get_or_insert(why);
                }
                Some(Ok(Done::Failed(error))) => return Err(error),
            }
        }
    }

    /// Appends, or re-reads where somebody else was faster: the next step decides anew.
    async fn append(
        &self,
        record: &mut Record,
        mut append: Append,
        clock: &mut Clock,
    ) -> Result<(), DriveError> {
        append.after = record.len();
        append.driven_ms = clock.lap();
        let answered = append.whats.iter().find(|what| matches!(what, What::Answered(_))).cloned();
        let settle = append.settle.clone();
        match self.journal.append(self.debate, append).await {
            Ok(entries) => {
                for entry in entries {
                    self.watch.entry(&entry);
                    record.push(entry).map_err(|error| DriveError::Record(error.to_string()))?;
                }
                Ok(self.watch.record(record)?)
            }
            Err(JournalError::Conflict { .. }) => {
                let known = record.len();
                *record = self.journal.read(self.debate)?;
                for entry in &record.entries()[known.min(record.len()) as usize..] {
                    self.watch.entry(entry);
                }
                self.watch.record(record)?;
                // An answer was paid for: it is kept unless somebody else's stands by now.
                match answered.filter(|what| record.admits(what).is_ok()) {
                    Some(what) => {
                        let again = Append { whats: vec![what], settle, ..Append::default() };
                        Box::pin(self.append(record, again, clock)).await
                    }
                    None => Ok(()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn too_long(request: &Request, prompt: Digest, participant: String, why: String) -> Answered {
    Answered {
        key: request.key.clone(),
        reply: Reply::Failed(Failed { kind: FailureKind::TooLong, detail: why }),
        usage: Usage::default(),
        by: By { participant, model: None },
        prompt: Some(prompt),
        shortened: 0,
    }
}

/// Driven time: what counts against a debate's time limit, restarts included.
struct Clock {
    before: Duration,
    started: Instant,
    lap: Instant,
}

impl Clock {
    fn new(journal: &Journal, debate: &DebateId) -> Result<Self, DriveError> {
        let driven = journal.summary(debate)?.map_or(0, |summary| summary.driven_ms);
        let now = Instant::now();
        Ok(Self { before: Duration::from_millis(driven), started: now, lap: now })
    }

    /// Milliseconds since the last lap.
    fn lap(&mut self) -> u64 {
        let elapsed = self.lap.elapsed().as_millis() as u64;
        self.lap += Duration::from_millis(elapsed);
        elapsed
    }

    fn remaining(&self, record: &Record) -> TimeLimit {
        let max = limits(record).time_seconds_max;
        let left =
            max.map(|max| Duration::from_secs(max).saturating_sub(self.before + self.started.elapsed()));
        TimeLimit { max, left }
    }
}

struct TimeLimit {
    max: Option<u64>,
    left: Option<Duration>,
}

impl TimeLimit {
    async fn sleep(&self) {
        match self.left {
            Some(left) => tokio::time::sleep(left).await,
            None => std::future::pending().await,
        }
    }

    fn budget(&self) -> Budget {
        Budget::Time { max: self.max.unwrap_or_default() }
    }
}

/// The limits that stand now, every extension counted: budgets are the driver's, and a person who
/// allows more means it at once.
pub fn limits(record: &Record) -> agon_core::Limits {
    let mut limits = record.opened().limits.clone();
    for entry in record.entries() {
        if let What::Extended { limits: more } = &entry.what {
            limits.extend(more);
        }
    }
    limits
}

/// Asks every participant, for nothing, whether it can be asked.
pub async fn probe(
    seats: &Seats,
) -> Vec<(Seat, Result<crate::participant::Probe, crate::participant::Failure>)> {
    let probes = seats.iter().map(|(seat, seated)| {
        let participant = Arc::clone(&seated.participant);
        async move { (seat.clone(), participant.probe().await) }
    });
    futures::future::join_all(probes).await
}

/// Where the lock of a debate is.
pub(crate) fn lock_path(home: &Path, debate: &DebateId) -> std::path::PathBuf {
    home.join("locks").join(format!("{debate}.lock"))
}
