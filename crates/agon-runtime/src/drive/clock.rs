//! Driven time: the time that counts against a debate's limit, restarts included.

use std::time::{Duration, Instant};

use agon_core::{DebateId, Record};
use agon_journal::Journal;

use super::{DriveError, current_limits};

pub(super) struct Clock {
    before: Duration,
    started: Instant,
    lap: Instant,
}

impl Clock {
    pub(super) fn new(journal: &Journal, debate: &DebateId) -> Result<Self, DriveError> {
        let driven = journal.find_summary(debate)?.map_or(0, |summary| summary.driven_ms);
        let now = Instant::now();
        Ok(Self { before: Duration::from_millis(driven), started: now, lap: now })
    }

    /// Milliseconds since the last lap.
    pub(super) fn take_lap_ms(&mut self) -> u64 {
        let elapsed = self.lap.elapsed().as_millis() as u64;
        self.lap += Duration::from_millis(elapsed);
        elapsed
    }

    /// The seconds that `record` allows, and what is left of them.
    pub(super) fn remaining_time(&self, record: &Record) -> Option<(u64, Duration)> {
        let max = current_limits(record).time_seconds_max?;
        Some((max, Duration::from_secs(max).saturating_sub(self.before + self.started.elapsed())))
    }
}

/// Sleeps for this long; without a limit for ever.
pub(super) async fn sleep_if_limited(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}
