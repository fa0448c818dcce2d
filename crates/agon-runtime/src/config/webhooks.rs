//! `[webhooks.NAME]`: where a server tells what happens in debates.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::value_fault::{ValueFault, is_web_address, refuse_found, refuse_if};

/// Events that a webhook can be told.
pub const WEBHOOK_EVENTS: [&str; 4] = ["closed", "suspended", "turn", "seat_open"];
/// Maximum number of webhooks.
const WEBHOOKS_MAX: usize = 32;
/// Longest address, in bytes.
const URL_BYTES_MAX: usize = 2_000;
/// Longest pause before the second attempt, in seconds.
const RETRY_SECONDS_MAX: f64 = 3_600.0;
/// Most attempts that can be set.
const ATTEMPTS_MAX: u32 = 20;

/// One section `[webhooks.NAME]` of the user's configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookConfig {
    /// Where messages are sent, `https://…` or `http://…`.
    pub url: String,
    /// Name of the environment variable with the secret that signs them.
    pub secret_env: String,
    /// Which events; see [`WEBHOOK_EVENTS`].
    pub events: Vec<String>,
    /// Whether the address may be on this machine or a private network.
    #[serde(default)]
    pub allow_private: bool,
    /// Maximum number of attempts for one message; 10 where not given.
    pub attempts: Option<u32>,
    /// Pause before the second attempt; each further one is three times as long, at most 6 hours. 10 where not given.
    pub retry_seconds: Option<f64>,
}

impl WebhookConfig {
    /// Maximum number of attempts.
    pub fn max_attempts(&self) -> u32 {
        self.attempts.unwrap_or(10)
    }

    /// Pause before the second attempt, in seconds.
    pub fn retry_seconds(&self) -> f64 {
        self.retry_seconds.unwrap_or(10.0)
    }

    fn check(&self) -> Result<(), ValueFault> {
        let fits =
            is_web_address(&self.url) && self.url.len() <= URL_BYTES_MAX && !self.url.contains(char::is_whitespace);
        refuse_if(!fits, "url", "an address begins with https:// and has no white space")?;
        let authority = self.url.split('/').nth(2).unwrap_or_default();
        let why = "an address has a host, and neither a user name nor a password";
        refuse_if(authority.contains('@') || authority.is_empty(), "url", why)?;
        let known = WEBHOOK_EVENTS.join(", ");
        let unknown = self.events.iter().find(|event| !WEBHOOK_EVENTS.contains(&event.as_str()));
        refuse_found(unknown, "events", |unknown| format!("{unknown:?} is not an event; the events are {known}"))?;
        refuse_if(self.events.is_empty(), "events", format!("name at least one of {known}"))?;
        let attempts = self.attempts.filter(|attempts| !(1..=ATTEMPTS_MAX).contains(attempts));
        refuse_found(attempts, "attempts", |attempts| format!("{attempts} is not within 1 and {ATTEMPTS_MAX}"))?;
        let seconds = self.retry_seconds.filter(|s| !(0.05..=RETRY_SECONDS_MAX).contains(s));
        refuse_found(seconds, "retry_seconds", |seconds| {
            format!("{seconds} is not within 0.05 and {RETRY_SECONDS_MAX} seconds")
        })
    }
}

/// Refuses the first webhook that cannot be meant.
pub(super) fn check_webhooks(webhooks: &BTreeMap<String, WebhookConfig>) -> Result<(), ValueFault> {
    refuse_if(webhooks.len() > WEBHOOKS_MAX, "", format!("there are more than {WEBHOOKS_MAX}"))?;
    for (name, webhook) in webhooks {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_name = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
        refuse_if(!is_name, name, "a name has 1 to 64 of a-z, 0-9 and -")?;
        webhook.check().map_err(|fault| fault.within_section(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_cannot_be_meant_are_named() {
        let with = |more: &str| {
            let text = format!("url = \"https://a.example/hook\"\nsecret_env = \"S\"\n{more}");
            let webhook: WebhookConfig = toml::from_str(&text).unwrap();
            webhook.check().map_err(|fault| fault.key)
        };
        assert_eq!(with("events = [\"closed\", \"turn\"]"), Ok(()));
        for (more, field) in [
            ("events = [\"opened\"]", "events"),
            ("events = []", "events"),
            ("events = [\"turn\"]\nattempts = 0", "attempts"),
            ("events = [\"turn\"]\nretry_seconds = 0.0", "retry_seconds"),
            ("events = [\"turn\"]\nretry_seconds = nan", "retry_seconds"),
        ] {
            assert_eq!(with(more), Err(field.to_owned()), "{more}");
        }
        for url in ["ftp://a", "https://", "https://u:p@a.example/", "https://a b"] {
            let text = format!("url = \"{url}\"\nsecret_env = \"S\"\nevents = [\"turn\"]");
            let webhook: WebhookConfig = toml::from_str(&text).unwrap();
            assert_eq!(webhook.check().map_err(|fault| fault.key), Err("url".to_owned()), "{url}");
        }
    }
}
