//! What kind of failure it is that a provider or the way to it had.

use std::time::Duration;

use agon_core::{FailureKind, Usage};
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::{ProviderKind, endpoint::Endpoint, plain, unpaid};
use crate::participant::CallFailure;

/// Numbers below this in a complaint about a long prompt are not token counts.
const CONTEXT_TOKENS_MIN: u64 = 256;
/// Types of errors that trying again does not help, whatever the status.
const LASTING: [&str; 9] = [
    "authentication_error",
    "permission_error",
    "permission_denied",
    "unauthenticated",
    "invalid_api_key",
    "not_found",
    "invalid_request",
    "invalid_argument",
    "request_too_large",
];
/// Ways to say that money is gone, which waiting does not bring back.
///
/// Google's limits by the minute speak of quota and billing too, so those words alone do not count.
const QUOTA: [&str; 6] = [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit",
    "billing_not_active",
    "credit balance is too low",
    "insufficient credit",
];

/// A status that is not a success.
#[derive(Debug, Clone, Default)]
pub(super) struct ErrorStatus {
    pub code: u16,
    pub headers: HeaderMap,
    pub body: String,
}

/// How a call broke.
#[derive(Debug, Clone)]
pub(super) enum BrokenCall {
    /// It was turned away; nothing was generated.
    Status(Box<ErrorStatus>),
    /// An error came within the stream.
    Reported(Value),
    /// No connection came to be; nothing was generated.
    Unreached(String),
    /// The connection broke.
    Connection(String),
    /// What came is not what the interface promises.
    Garbled(String),
    /// A page of markup came, as a success.
    Page,
    /// The request could not be made; a fault of ours or of the configuration.
    Unsent(String),
}

impl BrokenCall {
    /// An error of the HTTP client while talking to `endpoint`.
    pub fn from_http(error: &reqwest::Error, endpoint: &Endpoint) -> Self {
        let host = endpoint.host();
        let seconds = endpoint.timeouts.connect.as_secs_f64();
        if error.is_builder() {
            Self::Unsent(plain::root(error))
        } else if error.is_connect() && error.is_timeout() {
            Self::Unreached(format!("no connection to {host} within {seconds} s"))
        } else if error.is_connect() {
            Self::Unreached(format!("cannot connect to {host}: {}", plain::root(error)))
        } else {
            Self::Connection(format!("the connection to {host} broke: {}", plain::root(error)))
        }
    }
}

impl Endpoint {
    /// The failure that `broken` is, after `text` was heard and `usage` was probably paid.
    pub fn failure(&self, broken: BrokenCall, text: &str, usage: Usage) -> CallFailure {
        match broken {
            BrokenCall::Status(status) => self.status_failure(&status),
            BrokenCall::Reported(error) => self.reported_failure(&error, text, usage),
            BrokenCall::Unreached(why) => {
                let message = format!("{}: {}", self.name, self.plain(&why));
                CallFailure::Transient { message, retry_after: None, usage: Some(unpaid()) }
            }
            BrokenCall::Connection(why) | BrokenCall::Garbled(why) => self.cut(text, &why, usage),
            BrokenCall::Page => self.no_stream(),
            BrokenCall::Unsent(why) => CallFailure::Unavailable {
                message: format!("{}: the request cannot be sent: {}", self.name, self.plain(&why)),
                remedy: "check base_url and the model's name in the configuration".to_owned(),
            },
        }
    }

    /// An answer that broke off after `text`.
    pub fn cut(&self, text: &str, why: &str, usage: Usage) -> CallFailure {
        CallFailure::Transient { message: self.cut_off(text, why), retry_after: None, usage: Some(usage) }
    }

    /// A success that is not an answer of a model. Asking again would bring the same.
    pub fn no_stream(&self) -> CallFailure {
        let message = format!(
            "{}: {} answers with something else than a stream of events, a web page perhaps",
            self.name,
            self.host()
        );
        let remedy = format!(
            "check the base URL of provider {}, and that no sign-in page of the network answers in its place",
            self.name
        );
        CallFailure::Unavailable { message, remedy }
    }

    /// An answer of which nothing more came after `text`.
    pub fn silent(&self, text: &str, why: &str, usage: Usage) -> CallFailure {
        CallFailure::Silent { message: self.cut_off(text, why), usage: Some(usage) }
    }

    fn cut_off(&self, text: &str, why: &str) -> String {
        let (name, why) = (&self.name, self.plain(why));
        match text.chars().count() {
            0 => format!("{name}: {why}"),
            after => format!("{name}: the answer broke off after {after} characters: {why}"),
        }
    }

    /// The failure behind a status.
    pub fn status_failure(&self, status: &ErrorStatus) -> CallFailure {
        let reason = plain::reason(&status.body);
        if let Some(failure) = too_long(status.code, &reason) {
            return failure;
        }
        let code = status.code;
        let shown = match self.plain(&reason) {
            empty if empty.is_empty() => canonical(code).to_owned(),
            reason => reason,
        };
        let id =
            ["x-request-id", "request-id"].iter().find_map(|name| status.headers.get(*name)?.to_str().ok());
        let id = id.map(|id| format!(" (request {})", self.plain(id))).unwrap_or_default();
        let message = format!("{}: {code}: {shown}{id}", self.name);
        let body = status.body.to_ascii_lowercase();
        let quota = QUOTA.iter().any(|word| body.contains(word)) && matches!(code, 400..=403 | 429);
        if !quota && matches!(code, 408 | 409 | 425 | 429 | 500..) {
            let retry_after = retry_after(&status.headers, &status.body, Timestamp::now());
            return CallFailure::Transient { message, retry_after, usage: Some(unpaid()) };
        }
        CallFailure::Unavailable {
            message,
            remedy: if quota { self.quota_remedy() } else { self.remedy(code) },
        }
    }

    fn reported_failure(&self, error: &Value, text: &str, usage: Usage) -> CallFailure {
        let error = error.get("error").unwrap_or(error);
        let code = error["code"]
            .as_u64()
            .or_else(|| error["status"].as_u64())
            .filter(|code| (400..600).contains(code));
        let words =
            format!("{} {} {} {error}", error["type"], error["code"], error["status"]).to_ascii_lowercase();
        let lasting = match code {
            Some(code) => !matches!(code, 408 | 409 | 425 | 429 | 500..),
            None => LASTING.iter().any(|word| words.contains(word)),
        };
        let quota = QUOTA.iter().any(|word| words.contains(word));
        let why = plain::message(error).unwrap_or_else(|| error.to_string());
        let kind = error["type"].as_str().map(|kind| format!("{kind}: ")).unwrap_or_default();
        let why = format!("{kind}{why}");
        if lasting || quota {
            let message = self.cut_off(text, &why);
            let remedy = if quota { self.quota_remedy() } else { self.remedy(code.unwrap_or(400) as u16) };
            return match text.is_empty() {
                true => CallFailure::Unavailable { message, remedy },
                // What came before it was generated, and is owed.
                false => CallFailure::BrokenOff { message, remedy, usage },
            };
        }
        self.cut(text, &why, usage)
    }

    fn quota_remedy(&self) -> String {
        format!("add credit or raise the limit at {}, or seat another model", self.name)
    }

    fn remedy(&self, code: u16) -> String {
        match code {
            401 | 403 if self.has_key() => format!("check the key in {} and what it may use", self.key_hint),
            401 | 403 => self.key_remedy(),
            402 => self.quota_remedy(),
            404 if self.kind == ProviderKind::Ollama => {
                "fetch the model with `ollama pull`, or check its name".to_owned()
            }
            404 | 405 => format!("check the model's name and the base URL of provider {}", self.name),
            300..=399 => {
                format!("set the base URL of provider {} to the address that it redirects to", self.name)
            }
            413 => "shorten the motion or the debate, or seat a model with a larger context".to_owned(),
            _ => format!("check the model's name and the settings of provider {}", self.name),
        }
    }
}

fn canonical(code: u16) -> &'static str {
    let status = reqwest::StatusCode::from_u16(code).ok();
    status.and_then(|status| status.canonical_reason()).unwrap_or("no reason given")
}

/// The failure of a prompt that does not fit, told by the words that providers have for it.
fn too_long(code: u16, reason: &str) -> Option<CallFailure> {
    let words = reason.to_ascii_lowercase();
    let says = [
        "context length",
        "context_length",
        "prompt is too long",
        "maximum number of tokens",
        "context window",
        "context size",
    ];
    if !matches!(code, 400 | 413 | 422) || !says.iter().any(|phrase| words.contains(phrase)) {
        return None;
    }
    let digits = words.replace(',', "");
    let numbers = digits.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<u64> = numbers.filter(|number| *number >= CONTEXT_TOKENS_MIN).take(2).collect();
    Some(match numbers.as_slice() {
        [a, b] if a != b => CallFailure::TooLong { tokens: *a.max(b), context: *a.min(b) },
        _ => CallFailure::Answered {
            kind: FailureKind::TooLong,
            message: "the prompt does not fit the model".to_owned(),
            usage: Some(unpaid()),
        },
    })
}

/// What the provider asks to wait: `retry-after-ms`, `retry-after` in seconds or as a date, or the
/// retry delay in the body of Google's errors.
fn retry_after(headers: &HeaderMap, body: &str, now: Timestamp) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |text: &str, unit: f64| {
        let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0)?;
        // More than can be represented is certainly more than anyone waits.
        Some(Duration::try_from_secs_f64(number * unit).unwrap_or(Duration::MAX))
    };
    if let Some(pause) = header("retry-after-ms").and_then(|text| seconds(text, 0.001)) {
        return Some(pause);
    }
    if let Some(text) = header(RETRY_AFTER.as_str()) {
        let date = || {
            let date = DateTimeParser::new().parse_timestamp(text).ok()?;
            // Dates have no fraction: the second that is under way counts whole.
            let wait = date.as_second().saturating_sub(now.as_second());
            Some(Duration::from_secs(wait.max(0) as u64))
        };
        return seconds(text, 1.0).or_else(date);
    }
    let body: Value = serde_json::from_str(body).ok()?;
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    seconds(delay.trim_end_matches('s'), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_ask_for_a_pause_is_understood() {
        let now: Timestamp = "2026-11-21T22:00:00.4Z".parse().unwrap();
        let header = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
        };
        let delay = r#"{"error":{"details":[{"@type":"x"},{"retryDelay":"34.5s"}]}}"#;
        let table = [
            (header("retry-after", "7"), "", Some(7.0)),
            (header("retry-after", "0.5"), "", Some(0.5)),
            (header("retry-after-ms", "1500"), "", Some(1.5)),
            (header("retry-after", "Sat, 21 Nov 2026 22:00:09 GMT"), "", Some(9.0)),
            (header("retry-after", "Sat, 21 Nov 2026 21:00:00 GMT"), "", Some(0.0)),
            (header("retry-after", "soon"), "", None),
            (header("retry-after", "-4"), "", None),
            (HeaderMap::new(), delay, Some(34.5)),
            (HeaderMap::new(), "", None),
        ];
        for (headers, body, wanted) in table {
            assert_eq!(retry_after(&headers, body, now), wanted.map(Duration::from_secs_f64), "{headers:?}");
        }
        assert_eq!(retry_after(&header("retry-after", "1e300"), "", now), Some(Duration::MAX));
    }

    #[test]
    fn prompts_that_do_not_fit_are_told_from_other_complaints() {
        let table = [
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
                Some((9001, 8192)),
            ),
            ("prompt is too long: 215,000 tokens > 200,000 maximum", Some((215_000, 200_000))),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                Some((1_200_000, 1_048_576)),
            ),
            ("the request exceeds the available context size, try increasing it", Some((0, 0))),
            ("no such model", None),
        ];
        for (reason, wanted) in table {
            let found = match too_long(400, reason) {
                Some(CallFailure::TooLong { tokens, context }) => Some((tokens, context)),
                Some(CallFailure::Answered { kind: FailureKind::TooLong, .. }) => Some((0, 0)),
                other => {
                    assert_eq!(other, None);
                    None
                }
            };
            assert_eq!(found, wanted, "{reason}");
        }
    }
}
