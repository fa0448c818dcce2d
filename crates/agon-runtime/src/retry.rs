//! When to repeat a failed call: full jitter, and never earlier than the provider asked.

use std::time::Duration;

/// Longest pause that is waited out; a provider that asks for more gets no further call.
pub const PAUSE_MAX: Duration = Duration::from_secs(600);

/// How often and how soon to repeat a call that failed temporarily.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Calls in all, the first and those before a restart included.
    pub attempts_max: u32,
    /// The pause after the first attempt is drawn from zero to this; it doubles with each.
    pub base: Duration,
    /// The longest pause that is drawn.
    pub cap: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts_max: 5, base: Duration::from_secs(1), cap: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// After how long to call again when attempt number `attempt` (from 1) failed temporarily.
    ///
    /// `retry_after` is what the provider asked for: the pause is never shorter, and up to a tenth
    /// of it longer, so that many speakers do not come back at one instant. `jitter` is uniform in
    /// 0..1 and out of range values count as the nearest.
    ///
    /// # Errors
    ///
    /// Why it is not called again, in one line for the user.
    pub fn decide_retry(&self, attempt: u32, retry_after: Option<Duration>, jitter: f64) -> Result<Duration, String> {
        if attempt >= self.attempts_max {
            return Err(format!("{attempt} attempts failed"));
        }
        let jitter = if jitter.is_nan() { 0.0 } else { jitter.clamp(0.0, 1.0) };
        match retry_after {
            Some(asked) if asked > PAUSE_MAX => {
                let (seconds, most) = (asked.as_secs(), PAUSE_MAX.as_secs());
                Err(format!("the provider asks for a pause of {seconds} s, more than the limit of {most} s"))
            }
            Some(asked) => {
                let spread = (asked / 10).min(self.cap).mul_f64(jitter);
                Ok((asked + spread).min(PAUSE_MAX))
            }
            None => {
                let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
                Ok(self.base.saturating_mul(doubled).min(self.cap).mul_f64(jitter))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy =
        RetryPolicy { attempts_max: 5, base: Duration::from_secs(1), cap: Duration::from_secs(5) };

    fn seconds(seconds: f64) -> Result<Duration, String> {
        Ok(Duration::from_secs_f64(seconds))
    }

    #[test]
    fn pauses_double_up_to_the_cap_with_full_jitter() {
        let table = [
            (1, 0.0, 0.0),
            (1, 1.0, 1.0),
            (2, 1.0, 2.0),
            (3, 0.5, 2.0),
            (3, 1.0, 4.0),
            (4, 1.0, 5.0),
            (4, 0.1, 0.5),
            (1, -3.0, 0.0),
            (1, f64::NAN, 0.0),
            (1, 9.0, 1.0),
        ];
        for (attempt, jitter, wanted) in table {
            assert_eq!(POLICY.decide_retry(attempt, None, jitter), seconds(wanted), "{attempt} {jitter}");
        }
    }

    #[test]
    fn what_the_provider_asks_is_never_undercut() {
        let table = [(0, 0.0, 0.0), (7, 0.0, 7.0), (7, 1.0, 7.7), (100, 1.0, 105.0), (600, 1.0, 600.0)];
        for (asked, jitter, wanted) in table {
            let asked = Duration::from_secs(asked);
            assert_eq!(POLICY.decide_retry(1, Some(asked), jitter), seconds(wanted), "{asked:?} {jitter}");
        }
        for jitter in 0..=100 {
            let asked = Duration::from_millis(6_999);
            assert!(POLICY.decide_retry(4, Some(asked), f64::from(jitter) / 100.0).unwrap() >= asked);
        }
    }

    #[test]
    fn above_ten_minutes_and_after_the_last_attempt_nothing_is_called() {
        let asked = Some(Duration::from_secs(601));
        let why = POLICY.decide_retry(1, asked, 0.5).unwrap_err();
        assert_eq!(why, "the provider asks for a pause of 601 s, more than the limit of 600 s");
        for attempt in [5, 6, u32::MAX] {
            assert!(POLICY.decide_retry(attempt, None, 0.5).is_err(), "{attempt}");
        }
        let endless = RetryPolicy { attempts_max: u32::MAX, ..POLICY };
        assert_eq!(endless.decide_retry(1_000, None, 1.0), seconds(5.0));
    }
}
