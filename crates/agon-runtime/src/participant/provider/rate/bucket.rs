//! A token bucket: what may be spent at once, and how fast it comes back. Pure; the time is given.

use std::time::Duration;

use tokio::time::Instant;

use super::headers::RateWindow;

/// Seconds of the window that limits are published for.
const MINUTE_SECONDS: f64 = 60.0;
/// The share of a configured limit that may be spent at once: the rest is spread over the minute, so that
/// no minute holds more than the limit.
const BURST_SHARE: f64 = 0.1;
/// The longest wait that is computed: what is more is not waited for in any case.
const WAIT_SECONDS_MAX: f64 = 1e6;

/// Units (requests or tokens) that may be spent, filled up as time passes.
#[derive(Debug, Clone)]
pub(super) struct RateBucket {
    /// Most units that it holds.
    capacity: f64,
    /// Units that it held at `at`; below zero after a call that cost more than it holds.
    level: f64,
    per_second: f64,
    at: Instant,
}

impl RateBucket {
    /// A full one with `capacity` units and `per_second` more each second.
    pub fn new(now: Instant, capacity: f64, per_second: f64) -> Self {
        Self { capacity, level: capacity, per_second, at: now }
    }

    /// For `per_minute` units a minute in any minute, as configured.
    pub fn from_limit(now: Instant, per_minute: u64) -> Self {
        let limit = per_minute as f64;
        let burst = (limit * BURST_SHARE).max(1.0);
        Self::new(now, burst, (limit - burst + 1.0) / MINUTE_SECONDS)
    }

    /// As a provider tells it.
    pub fn from_window(now: Instant, window: RateWindow) -> Self {
        let limit = window.limit as f64;
        let mut bucket = Self::new(now, limit, limit / MINUTE_SECONDS);
        bucket.apply_window(now, window);
        bucket
    }

    /// Takes over what a provider tells. What it has seen may be less than what is on its way to it, so that
    /// the level only falls.
    pub fn apply_window(&mut self, now: Instant, window: RateWindow) {
        self.refill_level(now);
        let (limit, remaining) = (window.limit as f64, window.remaining as f64);
        let missing = (limit - remaining).max(0.0);
        // The reset is when all of it is back: so much comes back each second.
        match window.reset.map(|reset| reset.as_secs_f64()).filter(|seconds| *seconds > 0.0) {
            // What remains is told in whole units, so that up to one less is missing.
            Some(seconds) if missing > 0.0 => self.per_second = (missing - 1.0).max(missing / 2.0) / seconds,
            _ if limit != self.capacity => self.per_second = limit / MINUTE_SECONDS,
            _ => {}
        }
        self.capacity = limit;
        self.level = self.level.min(remaining);
    }

    /// How long until `cost` units may be spent. What costs more than it holds waits until it is full.
    pub fn time_until(&self, now: Instant, cost: f64) -> Duration {
        let missing = cost.min(self.capacity) - self.level_at(now);
        // A rounding error is not a reason to wait.
        if missing <= 1e-9 {
            return Duration::ZERO;
        }
        Duration::from_secs_f64((missing / self.per_second.max(1e-9)).min(WAIT_SECONDS_MAX))
    }

    /// Spends `cost` units.
    pub fn spend_units(&mut self, now: Instant, cost: f64) {
        self.refill_level(now);
        self.level -= cost;
    }

    /// Gives units back that were not spent after all.
    pub fn return_units(&mut self, now: Instant, units: f64) {
        self.refill_level(now);
        self.level = (self.level + units).min(self.capacity);
    }

    /// The same with room for `units` more.
    pub fn widen_capacity(&mut self, now: Instant, units: f64) {
        self.capacity += units;
        self.return_units(now, units);
    }

    /// Most units that it holds.
    pub fn capacity(&self) -> f64 {
        self.capacity
    }

    fn refill_level(&mut self, now: Instant) {
        self.level = self.level_at(now);
        self.at = self.at.max(now);
    }

    fn level_at(&self, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        (self.level + passed * self.per_second).min(self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(limit: u64, remaining: u64, reset_seconds: f64) -> RateWindow {
        RateWindow { limit, remaining, reset: Some(Duration::from_secs_f64(reset_seconds)) }
    }

    /// Seconds at which `count` calls of one unit each are let through.
    fn times(mut bucket: RateBucket, start: Instant, count: usize) -> Vec<f64> {
        let mut now = start;
        let mut times = Vec::new();
        for _ in 0..count {
            now += bucket.time_until(now, 1.0);
            bucket.spend_units(now, 1.0);
            times.push((now - start).as_secs_f64());
        }
        times
    }

    #[test]
    fn no_minute_holds_more_than_a_configured_limit() {
        let start = Instant::now();
        for limit in [1, 2, 3, 7, 10, 60, 500] {
            let times = times(RateBucket::from_limit(start, limit), start, 3 * limit as usize + 5);
            for (at, from) in times.iter().enumerate() {
                let within = times[at..].iter().take_while(|time| **time < from + 60.0 - 1e-6).count();
                assert!(within as u64 <= limit, "{limit}: {within} within a minute from {from}");
            }
            let took = times.last().unwrap();
            let least = 60.0 * times.len() as f64 / limit as f64;
            assert!(*took < least * 1.12 + 1.0, "{limit}: slower than it may be: {took} s, not {least}");
        }
    }

    #[test]
    fn what_a_provider_tells_is_taken_over() {
        let start = Instant::now();
        // One comes back each second, as the reset of one missing says.
        let mut bucket = RateBucket::from_window(start, window(60, 59, 1.0));
        assert_eq!(bucket.time_until(start, 1.0), Duration::ZERO);
        bucket.apply_window(start, window(60, 0, 60.0));
        let wait = bucket.time_until(start, 1.0).as_secs_f64();
        assert!((1.0..1.05).contains(&wait), "{wait}");
        // Another program used the same account.
        bucket.apply_window(start + Duration::from_secs(30), window(60, 2, 58.0));
        assert_eq!(bucket.time_until(start + Duration::from_secs(30), 3.0).as_secs_f64().round(), 1.0);
        // A limit by the day comes back slowly, whatever it is called.
        let daily = RateBucket::from_window(start, window(1000, 0, 86_400.0));
        assert_eq!(daily.time_until(start, 1.0).as_secs_f64().round(), 86.0);
    }

    #[test]
    fn a_call_that_costs_more_than_there_ever_is_goes_when_all_is_there() {
        let start = Instant::now();
        let mut bucket = RateBucket::new(start, 10.0, 1.0);
        assert_eq!(bucket.time_until(start, 50.0), Duration::ZERO);
        bucket.spend_units(start, 50.0);
        assert_eq!(bucket.time_until(start, 1.0), Duration::from_secs(41));
        bucket.return_units(start, 100.0);
        assert_eq!(bucket.time_until(start, 10.0), Duration::ZERO);
    }
}
