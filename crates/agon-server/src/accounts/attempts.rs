//! How often a login may be tried: by address, by name from one address, and by name from everywhere.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The time in which attempts are counted.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Failures within it: of one name from one address, of one address, of one name from everywhere. The last is high,
/// so that others can hardly keep a person out.
const OF_NAME_AT_ADDRESS_MAX: u32 = 10;
const OF_ADDRESS_MAX: u32 = 50;
const OF_NAME_MAX: u32 = 200;
/// Maximum number of counters; where there are more, those whose time is over go, and else nobody new may try.
const COUNTERS_MAX: usize = 20_000;

/// Failed attempts of the last 15 minutes.
#[derive(Default)]
pub(crate) struct LoginAttempts(Mutex<HashMap<String, (Instant, u32)>>);

fn counters(address: &str, name: &str) -> [(String, u32); 3] {
    let name: String = name.trim().to_ascii_lowercase().chars().take(64).collect();
    [
        (format!("both {address} {name}"), OF_NAME_AT_ADDRESS_MAX),
        (format!("address {address}"), OF_ADDRESS_MAX),
        (format!("name {name}"), OF_NAME_MAX),
    ]
}

impl LoginAttempts {
    /// Counts an attempt of `name` from `address` as one that fails, until [`Self::succeeded`]; whether it may be made.
    pub fn begin(&self, address: &str, name: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= COUNTERS_MAX {
            known.retain(|_, (since, _)| since.elapsed() < WINDOW);
        }
        let counters = counters(address, name);
        let count = |known: &HashMap<String, (Instant, u32)>, counter: &str| {
            known.get(counter).filter(|(since, _)| since.elapsed() < WINDOW).map_or(0, |(_, count)| *count)
        };
        if known.len() >= COUNTERS_MAX
            || counters.iter().any(|(counter, most)| count(&known, counter) >= *most)
        {
            return false;
        }
        for (counter, _) in counters {
            let before = count(&known, &counter);
            let since = known.get(&counter).map(|(since, _)| *since).filter(|_| before > 0);
            known.insert(counter, (since.unwrap_or_else(Instant::now), before + 1));
        }
        true
    }

    /// Counts something else that clients without an account can do, at most `most` times from one address.
    pub fn may_again(&self, what: &str, address: &str, most: u32) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= COUNTERS_MAX {
            known.retain(|_, (since, _)| since.elapsed() < WINDOW);
        }
        let counter = format!("{what} {address}");
        let before = known.get(&counter).filter(|(since, _)| since.elapsed() < WINDOW).copied();
        let (since, count) = before.unwrap_or_else(|| (Instant::now(), 0));
        if known.len() >= COUNTERS_MAX || count >= most {
            return false;
        }
        known.insert(counter, (since, count + 1));
        true
    }

    /// The attempt was right: it does not count.
    pub fn succeeded(&self, address: &str, name: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [(both, _), (of_address, _), (of_name, _)] = counters(address, name);
        known.remove(&both);
        for counter in [of_address, of_name] {
            if let Some((_, count)) = known.get_mut(&counter) {
                *count = count.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_ends_and_others_can_still_log_in() {
        let attempts = LoginAttempts::default();
        let made = (0..100).filter(|_| attempts.begin("192.0.2.1", "Ada")).count();
        assert_eq!(made, OF_NAME_AT_ADDRESS_MAX as usize);
        assert!(attempts.begin("192.0.2.2", "ada"), "from another address");
        attempts.succeeded("192.0.2.2", "ada");
        let sprayed = (0..100).filter(|n| attempts.begin("192.0.2.1", &format!("person-{n}"))).count();
        assert_eq!(sprayed, (OF_ADDRESS_MAX - OF_NAME_AT_ADDRESS_MAX) as usize);
        for _ in 0..1000 {
            assert!(attempts.begin("192.0.2.3", "bob"), "who is right may come again");
            attempts.succeeded("192.0.2.3", "bob");
        }
        let spread = (0..1000).filter(|n| attempts.begin(&format!("198.51.100.{n}"), "eve")).count();
        assert_eq!(spread, OF_NAME_MAX as usize);
        let other = (0..100).filter(|_| attempts.may_again("else", "192.0.2.1", 7)).count();
        assert_eq!(other, 7, "counted apart from logins");
    }
}
