//! Calls of all debates of a process wait here for each other, first come, first served.

use std::{
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Mutex as QueueMutex, Notify},
    time::{Instant, sleep},
};

use super::{
    RateLimits,
    bucket::RateBucket,
    headers::{RateReport, RateWindow},
};
use crate::retry::PAUSE_MAX;

/// Calls that a server of which nothing is known gets at once, and each second.
const RAMP_START: f64 = 32.0;
/// How many more each success makes room for.
const RAMP_GROWTH: f64 = 4.0;
/// Where this many have passed, there is no limit that is worth learning slowly.
const RAMP_MAX: f64 = 2_000.0;
/// The pause after a refusal that names none.
const PAUSE_DEFAULT: Duration = Duration::from_secs(1);
/// Calls at once, and each second, after a refusal that told no limit.
const RAMP_AGAIN: f64 = 2.0;

/// Each call of this process that waits at any gate holds this.
static WAITING: LazyLock<Arc<()>> = LazyLock::new(Arc::default);

/// How many calls of this process wait for a limit of rate now.
pub fn count_waiting_calls() -> usize {
    Arc::strong_count(&WAITING) - 1
}

/// Processes that use the accounts of this one.
static SHARERS: AtomicUsize = AtomicUsize::new(1);

/// Says how many processes, this one included, use the accounts of this one at the same time. Each takes an equal share
/// of every limit of rate.
pub fn share_rates(processes: usize) {
    SHARERS.store(processes.max(1), Ordering::Relaxed);
}

fn count_sharers() -> f64 {
    SHARERS.load(Ordering::Relaxed) as f64
}

/// Where calls wait.
#[derive(Debug)]
pub(super) struct RateGate {
    /// Held by the next call; the others wait for it in the order in which they came.
    turn: QueueMutex<()>,
    state: Mutex<GateState>,
    /// Wakes the next call when a limit has changed.
    changed: Notify,
}

#[derive(Debug, Default)]
struct GateState {
    requests: Option<RateBucket>,
    tokens: Option<RateBucket>,
    /// Holds back while nothing is known.
    ramp: Option<RateBucket>,
    paused_until: Option<Instant>,
}

impl RateGate {
    /// For a server of which nothing is known.
    pub fn with_unknown_limits() -> Self {
        let ramp = RateBucket::new(Instant::now(), RAMP_START, RAMP_START);
        Self::new(GateState { ramp: Some(ramp), ..GateState::default() })
    }

    /// For limits of requests and tokens a minute; without one, everything passes.
    pub fn with_limits(limits: RateLimits) -> Self {
        let now = Instant::now();
        let bucket = |limit: Option<u64>| limit.map(|limit| RateBucket::from_limit(now, limit));
        let (requests, tokens) = (bucket(limits.requests_per_minute), bucket(limits.tokens_per_minute));
        Self::new(GateState { requests, tokens, ..GateState::default() })
    }

    fn new(state: GateState) -> Self {
        Self { turn: QueueMutex::new(()), state: Mutex::new(state), changed: Notify::new() }
    }

    /// Waits until a call of `tokens` tokens may be made, and counts it. Dropping the future leaves the queue
    /// and counts nothing.
    ///
    /// # Errors
    ///
    /// The wait, where it is longer than anyone waits.
    pub async fn admit_call(&self, tokens: u64) -> Result<(), Duration> {
        if let Ok(_turn) = self.turn.try_lock()
            && self.lock_state().try_pass(Instant::now(), tokens).is_zero()
        {
            return Ok(());
        }
        let _waiter = Arc::clone(&WAITING);
        tracing::info!(waiting = count_waiting_calls(), "waits for a limit of rate");
        let _turn = self.turn.lock().await;
        loop {
            let changed = self.changed.notified();
            let wait = self.lock_state().try_pass(Instant::now(), tokens);
            if wait.is_zero() {
                return Ok(());
            }
            if wait > PAUSE_MAX {
                return Err(wait);
            }
            tokio::select! {
                () = sleep(wait) => {}
                () = changed => {}
            }
        }
    }

    /// Takes over what an answer tells.
    pub fn apply_report(&self, report: RateReport) {
        if report == RateReport::default() {
            return;
        }
        let now = Instant::now();
        let mut state = self.lock_state();
        let take = |bucket: &mut Option<RateBucket>, window: Option<RateWindow>| match (bucket, window) {
            (Some(bucket), Some(window)) => bucket.apply_window(now, window),
            (bucket, Some(window)) => *bucket = Some(RateBucket::from_window(now, window)),
            (_, None) => {}
        };
        take(&mut state.requests, report.requests);
        take(&mut state.tokens, report.tokens);
        state.ramp = None;
        drop(state);
        self.changed.notify_waiters();
    }

    /// A call was refused because there were too many: all wait as long as it says.
    pub fn record_refusal(&self, report: RateReport, pause: Option<Duration>) {
        self.apply_report(report);
        let now = Instant::now();
        let mut state = self.lock_state();
        let until = now + pause.unwrap_or(PAUSE_DEFAULT).min(PAUSE_MAX * 1_000);
        state.paused_until = Some(state.paused_until.map_or(until, |before| before.max(until)));
        if state.requests.is_none() && state.tokens.is_none() {
            // After the pause not all at once.
            state.ramp = Some(RateBucket::new(now, RAMP_AGAIN, RAMP_AGAIN));
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// A call was answered; `unspent` of its tokens were not used.
    pub fn record_answer(&self, unspent: u64) {
        let now = Instant::now();
        let mut state = self.lock_state();
        if let Some(bucket) = &mut state.tokens {
            bucket.return_units(now, unspent as f64 * count_sharers());
        }
        if let Some(ramp) = &mut state.ramp {
            ramp.widen_capacity(now, RAMP_GROWTH);
            if ramp.capacity() > RAMP_MAX {
                state.ramp = None;
            }
            drop(state);
            self.changed.notify_waiters();
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GateState {
    /// Zero where a call may be made, which is counted then; else how long until it may.
    fn try_pass(&mut self, now: Instant, tokens: u64) -> Duration {
        let pause = self.paused_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        // A share of a limit is a limit for calls that cost as much more.
        let share = count_sharers();
        let costs = [(&mut self.requests, share), (&mut self.tokens, tokens as f64 * share), (&mut self.ramp, share)];
        let wait = costs.iter().filter_map(|(bucket, cost)| Some(bucket.as_ref()?.time_until(now, *cost)));
        let wait = wait.max().unwrap_or_default().max(pause);
        if wait.is_zero() {
            self.paused_until = None;
            for (bucket, cost) in costs {
                bucket.iter_mut().for_each(|bucket| bucket.spend_units(now, cost));
            }
        }
        wait
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// So long takes a unit to come back, or a refusal to pass.
    const RESET: Duration = Duration::from_millis(60);

    #[tokio::test]
    async fn calls_pass_in_the_order_in_which_they_came() {
        let gate = Arc::new(RateGate::with_unknown_limits());
        let window = RateWindow { limit: 2, remaining: 0, reset: Some(RESET) };
        gate.apply_report(RateReport { requests: Some(window), tokens: None });
        let passed = Arc::new(Mutex::new(Vec::new()));
        let start = Instant::now();
        let calls: Vec<_> = (0..6)
            .map(|number| {
                let (gate, passed) = (Arc::clone(&gate), Arc::clone(&passed));
                tokio::spawn(async move {
                    gate.admit_call(1).await.unwrap();
                    passed.lock().unwrap().push(number);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(count_waiting_calls() >= 6);
        // One that is given up makes room for the next, and counts nothing.
        calls[1].abort();
        for call in calls {
            let _ = call.await;
        }
        assert_eq!(*passed.lock().unwrap(), [0, 2, 3, 4, 5]);
        assert!(start.elapsed() >= RESET * 5, "one comes back in that time: {:?}", start.elapsed());
    }

    #[tokio::test]
    async fn a_refusal_stops_all_and_ends_what_nobody_waits_for() {
        let gate = RateGate::with_unknown_limits();
        let start = Instant::now();
        gate.admit_call(1).await.unwrap();
        gate.record_refusal(RateReport::default(), Some(RESET));
        assert!(gate.admit_call(1).now_or_never().is_none());
        gate.admit_call(1).await.unwrap();
        assert!(start.elapsed() >= RESET);
        // After it, two a second until answers come.
        for _ in 0..4 {
            gate.admit_call(1).await.unwrap();
        }
        assert!(start.elapsed() >= RESET + Duration::from_secs(1), "{:?}", start.elapsed());
        gate.record_refusal(RateReport::default(), Some(PAUSE_MAX * 2));
        assert!(gate.admit_call(1).await.unwrap_err() > PAUSE_MAX);
    }

    #[tokio::test]
    async fn an_unknown_server_is_asked_more_and_more() {
        let gate = RateGate::with_unknown_limits();
        for _ in 0..16 {
            assert_eq!(gate.admit_call(1).now_or_never(), Some(Ok(())));
        }
        for _ in 0..1_100 {
            gate.record_answer(0);
        }
        for _ in 0..5_000 {
            let passes = gate.admit_call(1).now_or_never();
            assert_eq!(passes, Some(Ok(())), "what answers a thousand calls has no small limit");
        }
    }
}
