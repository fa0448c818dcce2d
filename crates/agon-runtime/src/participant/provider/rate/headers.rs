//! What the headers of an answer say about limits of rate.
//!
//! OpenAI and the servers that speak like it: `x-ratelimit-limit-requests: 60`, `x-ratelimit-remaining-requests: 59`,
//! `x-ratelimit-reset-requests: 1s` and the same for `tokens`; the reset is how long until nothing is missing, as
//! `20ms` or `6m0s` (platform.openai.com/docs/guides/rate-limits). Anthropic:
//! `anthropic-ratelimit-requests-limit`, `-remaining` and `-reset`, a time of RFC 3339, and the same for `tokens`,
//! the one of its limits on tokens that is nearest (docs.anthropic.com/en/api/rate-limits).

use std::time::Duration;

use jiff::{Span, SpanRelativeTo, Timestamp};
use reqwest::header::HeaderMap;

/// Limits above this are none.
const LIMIT_MAX: u64 = 1_000_000_000_000;

/// One limit as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct RateWindow {
    /// Units (requests or tokens) that are allowed.
    pub limit: u64,
    /// Units that are left.
    pub remaining: u64,
    /// Until all of them are back; `None` where it is not told.
    pub reset: Option<Duration>,
}

/// What an answer tells of limits of rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct RateReport {
    /// Of requests.
    pub requests: Option<RateWindow>,
    /// Of tokens.
    pub tokens: Option<RateWindow>,
}

impl RateReport {
    /// What the head of an answer that came now tells.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let told = headers.keys().any(|name| name.as_str().contains("ratelimit"));
        if told { Self::parse_headers(headers, Timestamp::now()) } else { Self::default() }
    }

    /// Reads what is told; what cannot be understood is not told.
    fn parse_headers(headers: &HeaderMap, now: Timestamp) -> Self {
        Self { requests: parse_window(headers, "requests", now), tokens: parse_window(headers, "tokens", now) }
    }
}

fn parse_window(headers: &HeaderMap, unit: &str, now: Timestamp) -> Option<RateWindow> {
    let header = |name: String| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let openai = |what: &str| header(format!("x-ratelimit-{what}-{unit}"));
    let anthropic = |what: &str| header(format!("anthropic-ratelimit-{unit}-{what}"));
    let (limit, remaining, reset) = match (openai("limit"), openai("remaining")) {
        (Some(limit), Some(remaining)) => (limit, remaining, openai("reset").and_then(parse_duration)),
        _ => {
            let reset = anthropic("reset").and_then(|text| text.parse::<Timestamp>().ok());
            // One that has passed is over.
            let reset = reset.map(|at| Duration::try_from(at.duration_since(now)).unwrap_or_default());
            (anthropic("limit")?, anthropic("remaining")?, reset)
        }
    };
    let limit = limit.parse::<u64>().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit))?;
    Some(RateWindow { limit, remaining: remaining.parse::<u64>().ok()?.min(limit), reset })
}

/// A time as `1s`, `6m0s`, `1h2m3.5s`, `20ms`, or a plain number of seconds.
pub(in super::super) fn parse_duration(text: &str) -> Option<Duration> {
    if let Ok(number) = text.parse() {
        return Duration::try_from_secs_f64(number).ok();
    }
    let span = text.parse::<Span>().ok()?;
    span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_providers_write_them() {
        for (text, wanted) in [
            ("1s", Some(1.0)),
            ("6m0s", Some(360.0)),
            ("20ms", Some(0.02)),
            ("1h2m3.5s", Some(3723.5)),
            ("1d0h0m0s", Some(86_400.0)),
            ("7.66s", Some(7.66)),
            ("2", Some(2.0)),
            ("soon", None),
            ("1s!", None),
            ("-1", None),
            ("1mo", None),
            ("", None),
        ] {
            assert_eq!(parse_duration(text), wanted.map(Duration::from_secs_f64), "{text}");
        }
    }

    #[test]
    fn limits_are_read_from_the_headers_of_both_families() {
        let now: Timestamp = "2026-11-24T07:00:00Z".parse().unwrap();
        let headers = |pairs: &[(&'static str, &str)]| {
            HeaderMap::from_iter(pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())))
        };
        let window = |limit, remaining, seconds: Option<u64>| {
            Some(RateWindow { limit, remaining, reset: seconds.map(Duration::from_secs) })
        };
        let openai = headers(&[
            ("x-ratelimit-limit-requests", "60"),
            ("x-ratelimit-remaining-requests", "59"),
            ("x-ratelimit-reset-requests", "1s"),
            ("x-ratelimit-limit-tokens", "150000"),
            ("x-ratelimit-remaining-tokens", "149984"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        let read = RateReport::parse_headers(&openai, now);
        assert_eq!(read, RateReport { requests: window(60, 59, Some(1)), tokens: window(150_000, 149_984, Some(360)) });
        let anthropic = headers(&[
            ("anthropic-ratelimit-requests-limit", "50"),
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-11-24T07:00:30Z"),
            ("anthropic-ratelimit-tokens-limit", "40000"),
            ("anthropic-ratelimit-tokens-remaining", "39000"),
            ("anthropic-ratelimit-tokens-reset", "2026-11-24T06:59:59Z"),
        ]);
        let read = RateReport::parse_headers(&anthropic, now);
        assert_eq!(read, RateReport { requests: window(50, 0, Some(30)), tokens: window(40_000, 39_000, Some(0)) });
        // What makes no sense is not told.
        for (limit, remaining) in [("0", "0"), ("-1", "3"), ("many", "3"), ("99999999999999", "1"), ("5", "x")] {
            let odd = headers(&[("x-ratelimit-limit-requests", limit), ("x-ratelimit-remaining-requests", remaining)]);
            assert_eq!(RateReport::parse_headers(&odd, now), RateReport::default(), "{limit} {remaining}");
        }
        let more = headers(&[("x-ratelimit-limit-requests", "5"), ("x-ratelimit-remaining-requests", "9")]);
        assert_eq!(RateReport::parse_headers(&more, now).requests, window(5, 5, None));
    }
}
