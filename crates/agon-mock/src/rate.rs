//! A limit of requests, as providers have it: a bucket that fills up evenly, told with every answer.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// How many requests are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MockRate {
    /// Requests at once, and in each window.
    pub requests: u32,
    /// How long it takes until all of them are back: a minute at providers, less in tests.
    pub window: Duration,
}

/// The requests that are left.
#[derive(Debug)]
pub struct RequestBucket {
    rate: MockRate,
    left: Mutex<(f64, Instant)>,
}

impl RequestBucket {
    /// A full one.
    pub fn new(rate: MockRate) -> Self {
        Self { rate, left: Mutex::new((f64::from(rate.requests), Instant::now())) }
    }

    /// Takes a request, or refuses it; and the headers that say so, in the words of Anthropic or of OpenAI.
    pub fn take_request(&self, is_anthropic: bool) -> (bool, HeaderMap) {
        let most = f64::from(self.rate.requests);
        let per_second = most / self.rate.window.as_secs_f64();
        let mut held = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, at) = *held;
        let now = Instant::now();
        let mut left = (left + (now - at).as_secs_f64() * per_second).min(most);
        let taken = left >= 1.0;
        if taken {
            left -= 1.0;
        }
        *held = (left, now);
        drop(held);
        let reset = (most - left) / per_second;
        let mut headers = Vec::new();
        let remaining = (left.floor() as u64).to_string();
        if is_anthropic {
            let reset = Timestamp::now() + SignedDuration::from_secs_f64(reset);
            headers.push(("anthropic-ratelimit-requests-limit", self.rate.requests.to_string()));
            headers.push(("anthropic-ratelimit-requests-remaining", remaining));
            headers.push(("anthropic-ratelimit-requests-reset", reset.to_string()));
        } else {
            headers.push(("x-ratelimit-limit-requests", self.rate.requests.to_string()));
            headers.push(("x-ratelimit-remaining-requests", remaining));
            headers.push(("x-ratelimit-reset-requests", format!("{}ms", (reset * 1_000.0).ceil())));
        }
        if !taken {
            let pause = (1.0 - left) / per_second;
            headers.push(("retry-after-ms", (pause * 1_000.0).ceil().to_string()));
        }
        let pairs = headers
            .into_iter()
            .filter_map(|(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?)));
        (taken, pairs.collect())
    }
}
