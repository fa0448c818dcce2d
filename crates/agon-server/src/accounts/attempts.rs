//! How often a login may be tried: by address, by name from one address, and by name from everywhere. The journal counts,
//! so that the limits hold across all servers that share it.

use std::{net::IpAddr, num::NonZeroU32};

use agon_core::Digest;
use agon_journal::{Journal, accounts::AttemptLimit};
use governor::{DefaultKeyedRateLimiter, Quota};

use crate::{Refusal, visitor::client_network};

/// Failures within 15 minutes: of one name from one address, of one address, of one name from everywhere. The last is
/// high, so that others can hardly keep a person out.
const OF_NAME_AT_ADDRESS_MAX: u32 = 10;
const OF_ADDRESS_MAX: u32 = 50;
const OF_NAME_MAX: u32 = 200;
/// Lines of the audit about one address that is not believed, of a kind.
const LINES_AT_ONCE: u32 = 10;
const LINES_PER_HOUR: u32 = 40;
/// Maximum number of addresses that are counted for the audit.
const ADDRESSES_MAX: usize = 20_000;

/// What is counted as one client, of an address as the audit has it.
fn format_client_network(address: &str) -> String {
    let known = address.parse::<IpAddr>();
    known.map_or_else(|_| address.to_owned(), |address| client_network(address).to_string())
}

fn counter_of(kind: &str, of: &str) -> String {
    Digest::from_content(format!("{kind} {of}")).to_string()
}

/// The counters of an attempt: the first begins again at zero after a success.
fn build_attempt_limits(address: &str, name: &str) -> [AttemptLimit; 3] {
    let name: String = name.trim().to_ascii_lowercase().chars().take(64).collect();
    let address = format_client_network(address);
    let limit = |kind: &str, of: &str, most: u32| AttemptLimit { counter: counter_of(kind, of), most };
    [
        limit("both", &format!("{address} {name}"), OF_NAME_AT_ADDRESS_MAX),
        limit("address", &address, OF_ADDRESS_MAX),
        limit("name", &name, OF_NAME_MAX),
    ]
}

/// Counts an attempt, or refuses it where one of `limits` is reached.
async fn count_attempt(journal: &Journal, limits: Vec<AttemptLimit>) -> Result<(), Refusal> {
    let wait = "wait 15 minutes, and try again";
    let too_often = || Refusal::new(429, "too_many_logins", "too many failed logins", wait);
    journal.count_attempt(limits).await?.then_some(()).ok_or_else(too_often)
}

/// Counts an attempt of `name` from `address` as one that fails, until [`uncount_login`].
pub(crate) async fn begin_login(journal: &Journal, address: &str, name: &str) -> Result<(), Refusal> {
    count_attempt(journal, build_attempt_limits(address, name).into()).await
}

/// The attempt was right: it does not count.
pub(crate) async fn uncount_login(journal: &Journal, address: &str, name: &str) -> Result<(), Refusal> {
    let [both, of_address, of_name] = build_attempt_limits(address, name).map(|limit| limit.counter);
    Ok(journal.uncount_attempt(both, vec![of_address, of_name]).await?)
}

/// Counts something else that clients without an account can do, at most `most` times from one address.
pub(crate) async fn begin_other(journal: &Journal, what: &str, address: &str, most: u32) -> Result<(), Refusal> {
    count_attempt(journal, vec![AttemptLimit { counter: counter_of(what, &format_client_network(address)), most }])
        .await
}

/// Lines that the audit gets about addresses that are not believed. They are counted in this process: what is to keep a
/// flood of requests out of the journal cannot write to it.
pub(crate) struct AuditAllowance(DefaultKeyedRateLimiter<(&'static str, String)>);

impl Default for AuditAllowance {
    fn default() -> Self {
        let [rate, burst] =
            [LINES_PER_HOUR, LINES_AT_ONCE].map(|lines| NonZeroU32::new(lines).unwrap_or(NonZeroU32::MIN));
        Self(DefaultKeyedRateLimiter::keyed(Quota::per_hour(rate).allow_burst(burst)))
    }
}

impl AuditAllowance {
    /// Whether the audit may have one more line of this kind about an address.
    pub fn take_audit_line(&self, kind: &'static str, address: &str) -> bool {
        if self.0.len() >= ADDRESSES_MAX {
            self.0.retain_recent();
        }
        self.0.len() < ADDRESSES_MAX && self.0.check_key(&(kind, format_client_network(address))).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn guessing_ends_and_others_can_still_log_in() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        let tries = async |count: usize, address: &dyn Fn(usize) -> String, name: &dyn Fn(usize) -> String| {
            let mut made = 0;
            for n in 0..count {
                made += u32::from(begin_login(&journal, &address(n), &name(n)).await.is_ok());
            }
            made
        };
        let (one, two) = (|_| "192.0.2.1".to_owned(), |_| "192.0.2.2".to_owned());
        assert_eq!(tries(40, &one, &|_| "Ada".into()).await, OF_NAME_AT_ADDRESS_MAX);
        assert_eq!(tries(1, &two, &|_| "ada".into()).await, 1, "from another address");
        uncount_login(&journal, "192.0.2.2", "ada").await.unwrap();
        let sprayed = tries(100, &one, &|n| format!("person-{n}")).await;
        assert_eq!(sprayed, OF_ADDRESS_MAX - OF_NAME_AT_ADDRESS_MAX);
        for _ in 0..60 {
            assert!(begin_login(&journal, "192.0.2.3", "bob").await.is_ok(), "who is right may come again");
            uncount_login(&journal, "192.0.2.3", "bob").await.unwrap();
        }
        let spread = tries(300, &|n| format!("198.51.100.{n}"), &|_| "eve".into()).await;
        assert_eq!(spread, OF_NAME_MAX);
        let mut other = 0;
        for _ in 0..20 {
            other += u32::from(begin_other(&journal, "else", "192.0.2.1", 7).await.is_ok());
        }
        assert_eq!(other, 7, "counted apart from logins");
        // Whoever has one address of version 6 has a whole network of them.
        let of_network = tries(100, &|n| format!("2001:db8:1:2::{n:x}"), &|n| format!("somebody-{n}")).await;
        assert_eq!(of_network, OF_ADDRESS_MAX);
        assert_eq!(tries(1, &|_| "2001:db8:1:3::1".into(), &|_| "somebody".into()).await, 1);
        let allowance = AuditAllowance::default();
        assert_eq!((0..100).filter(|_| allowance.take_audit_line("forged", "192.0.2.1")).count(), 10);
        let far = |n: usize| format!("2001:db8:1:2::{n:x}");
        assert_eq!((0..100).filter(|n| allowance.take_audit_line("forged", &far(*n))).count(), 10);
    }
}
