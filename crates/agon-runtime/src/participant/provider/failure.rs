//! What kind of failure it is that a provider or the way to it had.

use std::time::Duration;

use agon_core::Usage;
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::{
    ProviderKind,
    endpoint::Endpoint,
    rate::parse_duration,
    redact,
    status::{ErrorStatus, LIMIT_FIELDS},
    unpaid_usage,
};
use crate::participant::CallFailure;

/// Codes of errors that say that a prompt does not fit.
const TOO_LONG_CODES: [&str; 4] =
    ["context_length_exceeded", "string_above_max_length", "tokens_limit_reached", "request_too_large"];
/// What a complaint about a prompt that does not fit speaks of, and what it says of that.
const TOO_LONG_THINGS: [&str; 6] = ["prompt", "input", "context", "messages", "token", "conversation"];
const TOO_LONG_WORDS: [&str; 11] = [
    "too long",
    "too large",
    "exceed",
    "maximum",
    "reduce the length",
    "context size",
    "context length",
    "limit",
    "must have less than",
    "must be <=",
    "length should be",
];
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

/// Longer than a limit of rate lasts.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

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
        let host = endpoint.host_and_port();
        let seconds = endpoint.timeouts.connect.as_secs_f64();
        if error.is_builder() {
            Self::Unsent(redact::root_cause(error))
        } else if error.is_connect() && error.is_timeout() {
            Self::Unreached(format!("no connection to {host} within {seconds} s"))
        } else if error.is_connect() {
            Self::Unreached(format!("cannot connect to {host}: {}", redact::root_cause(error)))
        } else {
            Self::Connection(format!("the connection to {host} broke: {}", redact::root_cause(error)))
        }
    }
}

impl Endpoint {
    /// The failure that `broken` is, after `text` was heard and `usage` was probably paid.
    pub fn broken_failure(&self, broken: BrokenCall, text: &str, usage: Usage) -> CallFailure {
        match broken {
            BrokenCall::Status(status) => self.status_failure(&status),
            BrokenCall::Reported(error) => self.reported_failure(&error, text, usage),
            BrokenCall::Unreached(why) => {
                let message = format!("{}: {}", self.name, self.redact_secrets(&why));
                CallFailure::Transient { message, retry_after: None, usage: Some(unpaid_usage()) }
            }
            BrokenCall::Connection(why) | BrokenCall::Garbled(why) => self.cut_failure(text, &why, usage),
            BrokenCall::Page => self.no_stream(),
            BrokenCall::Unsent(why) => CallFailure::Unavailable {
                message: format!("{}: the request cannot be sent: {}", self.name, self.redact_secrets(&why)),
                remedy: "check base_url and the model's name in the configuration".to_owned(),
            },
        }
    }

    /// An answer that broke off after `text`.
    pub fn cut_failure(&self, text: &str, why: &str, usage: Usage) -> CallFailure {
        CallFailure::Transient { message: self.cut_off(text, why), retry_after: None, usage: Some(usage) }
    }

    /// A success that is not an answer of a model. Asking again would bring the same.
    pub fn no_stream(&self) -> CallFailure {
        let message = format!(
            "{}: {} answers with something else than a stream of events, a web page perhaps",
            self.name,
            self.host_and_port()
        );
        let remedy = format!(
            "check the base URL of provider {}, and that no sign-in page of the network answers in its place",
            self.name
        );
        CallFailure::Unavailable { message, remedy }
    }

    /// What to say of an answer of which nothing more came after `text`.
    pub fn cut_off(&self, text: &str, why: &str) -> String {
        let (name, why) = (&self.name, self.redact_secrets(why));
        match text.chars().count() {
            0 => format!("{name}: {why}"),
            after => format!("{name}: the answer broke off after {after} characters: {why}"),
        }
    }

    /// The failure behind a status.
    pub fn status_failure(&self, status: &ErrorStatus) -> CallFailure {
        let reason = redact::error_reason(&status.body);
        let code = status.code;
        let shown = match self.redact_secrets(&reason) {
            empty if empty.is_empty() => status_reason(code).to_owned(),
            reason => reason,
        };
        let id = ["x-request-id", "request-id"].iter().find_map(|name| status.headers.get(*name)?.to_str().ok());
        let id = id.map(|id| format!(" (request {})", self.redact_secrets(id))).unwrap_or_default();
        let message = format!("{}: {code}: {shown}{id}", self.name);
        if matches!(code, 400 | 413 | 422) && is_too_long(&status.body, &reason) {
            return CallFailure::TooLong { message, usage: None };
        }
        let body = status.body.to_ascii_lowercase();
        let quota = QUOTA.iter().any(|word| body.contains(word)) && matches!(code, 400..=403 | 429);
        if !quota && matches!(code, 408 | 409 | 425 | 429 | 500..) {
            let retry_after = retry_after(&status.headers, &status.body, &reason, Timestamp::now());
            return CallFailure::Transient { message, retry_after, usage: Some(unpaid_usage()) };
        }
        CallFailure::Unavailable {
            message,
            remedy: if quota { self.quota_remedy() } else { self.status_remedy(code, &reason) },
        }
    }

    fn reported_failure(&self, reported: &Value, text: &str, usage: Usage) -> CallFailure {
        // A server can report an object, a text, or an object within one.
        let error = reported.get("error").filter(|error| !error.is_null()).unwrap_or(reported);
        let code = ["code", "status"].iter().find_map(|name| error[*name].as_u64());
        let code = code.filter(|code| (400..600).contains(code));
        let words = error.to_string().to_ascii_lowercase();
        let lasting = match code {
            Some(code) => !matches!(code, 408 | 409 | 425 | 429 | 500..),
            None => LASTING.iter().any(|word| words.contains(word)),
        };
        let quota = QUOTA.iter().any(|word| words.contains(word));
        let why = redact::error_message(error).unwrap_or_else(|| error.to_string());
        let kind = error["type"].as_str().map(|kind| format!("{kind}: ")).unwrap_or_default();
        let message = self.cut_off(text, &format!("{kind}{why}"));
        // A limit of rate names tokens and limits too; the request itself was not at fault.
        if text.is_empty() && lasting && !quota && is_too_long(&words, &why) {
            return CallFailure::TooLong { message, usage: Some(usage) };
        }
        if lasting || quota {
            let code = code.unwrap_or(400) as u16;
            let remedy = if quota { self.quota_remedy() } else { self.status_remedy(code, &why) };
            return match text.is_empty() {
                true => CallFailure::Unavailable { message, remedy },
                // What came before it was generated, and is owed.
                false => CallFailure::BrokenOff { message, remedy, usage },
            };
        }
        let retry_after = retry_after(&HeaderMap::new(), &error.to_string(), &why, Timestamp::now());
        CallFailure::Transient { message, retry_after, usage: Some(usage) }
    }

    fn quota_remedy(&self) -> String {
        format!("add credit or raise the limit at {}, or seat another model", self.name)
    }

    fn status_remedy(&self, code: u16, reason: &str) -> String {
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
            _ if LIMIT_FIELDS.iter().any(|name| reason.to_ascii_lowercase().contains(name)) => {
                "set fewer tokens for an answer with ?tokens= behind the model's name".to_owned()
            }
            _ => format!("check the model's name and the settings of provider {}", self.name),
        }
    }
}

fn status_reason(code: u16) -> &'static str {
    let status = reqwest::StatusCode::from_u16(code).ok();
    status.and_then(|status| status.canonical_reason()).unwrap_or("no reason given")
}

/// Whether an error says that the prompt does not fit: by its code, or as many servers put it in words.
fn is_too_long(body: &str, reason: &str) -> bool {
    let says = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    let (body, reason) = (body.to_ascii_lowercase(), reason.to_ascii_lowercase());
    says(&body, &TOO_LONG_CODES) || says(&reason, &TOO_LONG_THINGS) && says(&reason, &TOO_LONG_WORDS)
}

/// What the provider asks to wait: `retry-after-ms`, `retry-after` in seconds or as a date, `ratelimit-reset`, a delay
/// among the fields of the error, or a time in the words of a message.
fn retry_after(headers: &HeaderMap, body: &str, reason: &str, now: Timestamp) -> Option<Duration> {
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
    // Answers of every kind have it; it is when the limit is full again, for some servers as a date in seconds.
    let reset = header("ratelimit-reset").filter(|_| header("ratelimit-remaining") == Some("0"));
    if let Some(pause) = reset.and_then(|text| seconds(text, 1.0)).filter(|pause| *pause < DAY) {
        return Some(pause);
    }
    let delay = serde_json::from_str(body).ok().and_then(|body| retry_delay(&body, now));
    delay.or_else(|| pause_in_words(reason))
}

/// The first delay in an error: Google's `retryDelay`, which can stand in a list or in JSON as a text, `retry_after`, or
/// the time in milliseconds that a router names.
fn retry_delay(body: &Value, now: Timestamp) -> Option<Duration> {
    let fields = match body {
        Value::Array(items) => return items.iter().find_map(|item| retry_delay(item, now)),
        Value::String(text) if text.starts_with('{') => return retry_delay(&serde_json::from_str(text).ok()?, now),
        Value::Object(fields) => fields,
        _ => return None,
    };
    let text =
        |name: &str| fields.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let until = |at: String| {
        let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
        Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
    };
    let named = ["retryDelay", "retry_after"].iter().find_map(|name| parse_duration(&text(name)?));
    named.or_else(|| until(text("X-RateLimit-Reset")?)).or_else(|| {
        ["error", "details", "metadata", "headers", "message"]
            .iter()
            .find_map(|name| retry_delay(fields.get(*name)?, now))
    })
}

/// The last time in a message such as `Please try again in 7m12s` or `Retry after 30 seconds.`; a quota that is
/// named before it can have one too.
fn pause_in_words(message: &str) -> Option<Duration> {
    let words: Vec<&str> = message.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ')'])).collect();
    let at = |at: usize| {
        let word = words[at];
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        match word.ends_with(|c: char| c.is_ascii_alphabetic()) {
            true => parse_duration(word),
            // A number with its unit behind it: of a unit, the first letter counts.
            false => {
                let unit = words
                    .get(at + 1)
                    .filter(|unit| ["second", "sec", "minute", "min", "hour"].contains(&unit.trim_end_matches('s')))?;
                parse_duration(&format!("{word}{}", &unit[..1]))
            }
        }
    };
    (0..words.len()).rev().find_map(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::participant::provider::ProviderSpec;

    #[test]
    fn every_way_to_ask_for_a_pause_is_understood() {
        let now: Timestamp = "2026-11-21T22:00:00.4Z".parse().unwrap();
        let header = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
        };
        let used_up = |left: &'static str, reset: &'static str| {
            let mut both = header("ratelimit-remaining", left);
            both.extend(header("ratelimit-reset", reset));
            both
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
            (used_up("0", "20"), "", Some(20.0)),
            (used_up("7", "20"), "", None),
            (used_up("0", "1795298420"), "", None),
            (HeaderMap::new(), r#"{"error":{"message":"no"},"retry_after":20}"#, Some(20.0)),
            (
                HeaderMap::new(),
                r#"{"error":{"message":"{\"error\":{\"details\":[{\"retryDelay\":\"20s\"}]}}"}}"#,
                Some(20.0),
            ),
            (
                HeaderMap::new(),
                r#"{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"1795298420400"}}}}"#,
                Some(20.0),
            ),
            (HeaderMap::new(), r#"[{"error":{"details":[{"retryDelay":"20s"}]}}]"#, Some(20.0)),
            (HeaderMap::new(), "Limit 30000 a minute. Please try again in 1m2.5s.", Some(62.5)),
            (HeaderMap::new(), "Rate limit of 5 requests; retry after 30 seconds (code 7)", Some(30.0)),
            (HeaderMap::new(), "Too many requests: 3 of 2 in 1 m, wait 250ms", Some(0.25)),
            (HeaderMap::new(), "The model gpt-4s is busy, 5 others wait", None),
            (HeaderMap::new(), "", None),
        ];
        for (headers, body, wanted) in table {
            assert_eq!(retry_after(&headers, body, body, now), wanted.map(Duration::from_secs_f64), "{headers:?}");
        }
        assert_eq!(retry_after(&header("retry-after", "1e300"), "", "", now), Some(Duration::MAX));
    }

    #[test]
    fn a_limit_of_rate_that_speaks_of_tokens_shortens_no_prompt() {
        let endpoint = Endpoint::new(ProviderSpec::new(ProviderKind::Anthropic, "m")).unwrap();
        let reported = |kind: &str, message: &str| {
            let error = serde_json::json!({"type": "error", "error": {"type": kind, "message": message}});
            endpoint.reported_failure(&error, "", unpaid_usage())
        };
        let rate = "This request would exceed your limit of 30,000 input tokens per minute; try again in 20s.";
        let CallFailure::Transient { retry_after, .. } = reported("rate_limit_error", rate) else { panic!() };
        assert_eq!(retry_after, Some(Duration::from_secs(20)));
        let long = reported("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum");
        assert!(matches!(long, CallFailure::TooLong { .. }), "{long:?}");
    }

    #[test]
    fn prompts_that_do_not_fit_are_told_from_other_complaints() {
        for reason in [
            // OpenAI, Anthropic (two), Gemini, Bedrock, xAI, Groq, Mistral, vLLM, llama.cpp, TGI, Kimi, Zhipu, DashScope,
            // OpenRouter, Poolside, GitHub Models, Cohere.
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
            "prompt is too long: 215,000 tokens > 200,000 maximum",
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "Input is too long for requested model.",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "Please reduce the length of the messages or completion.",
            "Prompt contains 70000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            "The engine prompt length 40000 exceeds the max_model_len 32768.",
            "the request exceeds the available context size, try increasing it",
            "Input validation error: `inputs` must have less than 4096 tokens. Given: 9000",
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens and 20 `max_new_tokens`",
            "Your request exceeded model token limit: 131072 (requested: 150000)",
            "Prompt exceeds max length",
            "Range of input length should be [1, 30720]",
            "The number of tokens to keep from the initial prompt is greater than the context length",
            "This endpoint's maximum context length is 32768 tokens.",
            "The maximum allowed input length is 128000 tokens",
            "Request body too large for gpt-4 model. Max size: 8000 tokens.",
            "too many tokens: total number of tokens in the prompt exceeds the limit of 4081",
        ] {
            assert!(is_too_long("{}", reason), "{reason}");
        }
        assert!(is_too_long(r#"{"error":{"code":"context_length_exceeded"}}"#, "no"));
        for reason in ["no such model", "Invalid value for 'stop'", "the model is overloaded", "bad request"] {
            assert!(!is_too_long("{}", reason), "{reason}");
        }
    }
}
