//! How every fault is told: what may pass, what lasts, and what is an answer that is none.

use std::time::Duration;

use agon_core::{FailureKind, Usage};
use agon_mock::{MockConfig, MockFault};
use agon_runtime::participant::{CallFailure, provider::ProviderKind};
use axum::http::StatusCode;

use crate::providers::setup::*;

const STREAMED: [ProviderKind; 2] = [ProviderKind::OpenAi, ProviderKind::Anthropic];

fn status(code: u16, after: Option<&str>) -> MockFault {
    MockFault::Status(StatusCode::from_u16(code).unwrap(), after.map(str::to_owned))
}

fn transient(failure: CallFailure) -> (String, Option<Duration>, Option<Usage>) {
    match failure {
        CallFailure::Transient { message, retry_after, usage } => (message, retry_after, usage),
        other => panic!("{other:?} does not pass"),
    }
}

fn unavailable(failure: CallFailure) -> (String, String) {
    match failure {
        CallFailure::Unavailable { message, remedy } => (message, remedy),
        other => panic!("{other:?} does not last"),
    }
}

#[tokio::test]
async fn p1_p3_what_may_pass_is_said_to_pass_and_when() {
    for kind in KINDS {
        for code in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
            let (message, after, usage) = transient(failure(kind, status(code, Some("7"))).await);
            assert!(message.contains(&format!("{code}: the mock answers")), "{kind:?}: {message}");
            assert_eq!(after, Some(Duration::from_secs(7)));
            assert_eq!(usage, Some(Usage { requests: 1, ..Usage::default() }), "nothing was generated");
        }
        assert_eq!(transient(failure(kind, status(503, None)).await).1, None);
        let (message, ..) = transient(failure(kind, MockFault::Html).await);
        assert!(message.ends_with("502: 502 Bad Gateway"), "{message}");
    }
}

#[tokio::test]
async fn p1_a_date_to_wait_for_is_understood() {
    let then = jiff::Timestamp::now() + Duration::from_secs(20);
    let date = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&then).unwrap();
    let (_, after, _) = transient(failure(ProviderKind::OpenAi, status(429, Some(&date))).await);
    let after = after.unwrap();
    assert!((Duration::from_secs(18)..=Duration::from_secs(20)).contains(&after), "{after:?}");
}

#[tokio::test]
async fn p2_what_lasts_comes_with_a_remedy_and_without_the_key() {
    for kind in KINDS {
        let (message, remedy) = unavailable(failure(kind, MockFault::Unauthorized).await);
        assert!(message.contains("401: Incorrect API key provided: [key]"), "{message}");
        assert!(remedy.contains("_API_KEY"), "{remedy}");
        for code in [400, 402, 403, 404, 405, 413, 422] {
            let (message, remedy) = unavailable(failure(kind, status(code, Some("7"))).await);
            assert!(message.contains(&code.to_string()) && !remedy.is_empty(), "{message} {remedy}");
        }
        let (message, remedy) = unavailable(failure(kind, MockFault::Redirect("http://127.0.0.2:1/".into())).await);
        assert!(message.contains("307") && remedy.contains("redirects"), "{message} {remedy}");
    }
    for kind in STREAMED {
        let (message, remedy) = unavailable(failure(kind, MockFault::Quota).await);
        assert!(message.contains("exceeded your current quota") && remedy.contains("credit"), "{message} {remedy}");
    }
    // The same words for a limit by the minute, without the code for one that lasts.
    let words = "You exceeded your current quota, please check your plan and billing details.";
    transient(failure(ProviderKind::Gemini, MockFault::Says(StatusCode::TOO_MANY_REQUESTS, words.into())).await);
}

#[tokio::test]
async fn p2_error_texts_are_one_clean_line() {
    let text = "\u{1b}[31mno\u{7}\r\nuse sk-proj-aaaabbbbccccdddd instead\u{202e}";
    let fault = MockFault::Says(StatusCode::FORBIDDEN, format!("{text}{}", "x".repeat(5_000)));
    let (message, _) = unavailable(failure(ProviderKind::OpenAi, fault).await);
    assert!(message.starts_with("openai: 403: [31mno use [key] instead xxx") && message.ends_with('…'), "{message}");
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_told_as_such() {
    let text = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
    for kind in KINDS {
        let failure = failure(kind, MockFault::Says(StatusCode::BAD_REQUEST, text.into())).await;
        let CallFailure::TooLong { message, .. } = failure else { panic!("{kind:?}: {failure:?}") };
        assert!(message.contains("resulted in 9001 tokens"), "{kind:?}: {message}");
    }
}

#[tokio::test]
async fn p5_a_stream_that_breaks_is_no_answer_however_it_breaks() {
    for kind in KINDS {
        for after in 0..4 {
            for fault in [MockFault::Cut(after), MockFault::Short(after)] {
                let (message, _, usage) = transient(failure(kind, fault.clone()).await);
                let written = usage.unwrap().completion_tokens;
                assert!(written >= 8 * after as u64, "{kind:?} {fault:?}: what was written is counted: {written}");
                let wanted = format!("the answer broke off after {} characters", after * 24);
                assert!(after == 0 || message.contains(&wanted), "{kind:?} {fault:?}: {message}");
            }
        }
        let CallFailure::Unavailable { message, remedy } = failure(kind, MockFault::Page).await else {
            panic!("{kind:?}: a page is asked for again")
        };
        assert!(message.contains("a web page perhaps") && remedy.contains("base URL"), "{message}; {remedy}");
        let (message, ..) = transient(failure(kind, MockFault::NotJson).await);
        assert!(message.contains("is not JSON"), "{kind:?}: {message}");
        let (message, ..) = transient(failure(kind, MockFault::InvalidUtf8).await);
        assert!(message.contains("not valid UTF-8"), "{kind:?}: {message}");
    }
}

#[tokio::test]
async fn p5_an_error_in_the_stream_passes_or_lasts_by_its_type() {
    for kind in STREAMED {
        for passes in ["overloaded_error", "rate_limit_error", "api_error", "server_error"] {
            let (message, ..) = transient(failure(kind, MockFault::ErrorEvent(passes.into())).await);
            assert!(
                message.contains(&format!("after 48 characters: {passes}: the mock failed")),
                "{kind:?}: {message}"
            );
        }
        for lasts in ["authentication_error", "permission_error", "invalid_request_error", "insufficient_quota"] {
            let failure = failure(kind, MockFault::ErrorEvent(lasts.into())).await;
            let CallFailure::BrokenOff { message, remedy, usage } = failure else { panic!("{failure:?}") };
            assert!(message.contains(&format!("after 48 characters: {lasts}")), "{kind:?}: {message}");
            assert!(!remedy.is_empty(), "{kind:?}");
            // What was received is paid for: the prompt, and 48 characters of an answer.
            assert!(usage.estimated && usage.requests == 1, "{kind:?}: {usage:?}");
            assert!(usage.prompt_tokens > 0 && usage.completion_tokens >= 12, "{kind:?}: {usage:?}");
        }
    }
    for kind in [ProviderKind::Gemini, ProviderKind::Ollama] {
        let (message, ..) = transient(failure(kind, MockFault::ErrorEvent("INTERNAL".into())).await);
        assert!(message.contains("the mock failed on request"), "{kind:?}: {message}");
    }
}

#[tokio::test]
async fn p6_p8_answers_that_are_none_are_told_apart_and_paid() {
    let table = [
        (MockFault::MaxTokens, FailureKind::Truncated, "cut at the token limit after"),
        (MockFault::Refusal, FailureKind::Refused, "the model declined"),
        (MockFault::Filter, FailureKind::Filtered, "a content filter cut the answer"),
        (MockFault::Empty, FailureKind::Empty, "the answer is empty"),
        (MockFault::Null, FailureKind::Empty, "the answer is empty"),
        (MockFault::WrongType, FailureKind::Empty, "the answer is empty"),
    ];
    for kind in KINDS {
        for (fault, wanted, says) in table.clone() {
            match (kind, &fault) {
                // Anthropic has one reason for both, Ollama none for either.
                (ProviderKind::Anthropic, MockFault::Filter) => continue,
                (ProviderKind::Ollama, MockFault::Filter | MockFault::Refusal) => continue,
                _ => {}
            }
            let failure = failure(kind, fault.clone()).await;
            match failure {
                CallFailure::Answered { kind: found, message, usage } => {
                    assert_eq!(found, wanted, "{kind:?} {fault:?}");
                    assert!(message.contains(says), "{kind:?} {fault:?}: {message}");
                    let cut = fault == MockFault::MaxTokens;
                    assert_eq!(message.contains("?tokens="), cut, "{kind:?} {fault:?}: {message}");
                    // Of these, Gemini's models alone think unasked.
                    let thinks = cut && kind == ProviderKind::Gemini;
                    assert_eq!(message.contains("?effort="), thinks, "{kind:?} {fault:?}: {message}");
                    assert!(kind == ProviderKind::Ollama || message.contains("(request mock-"), "{message}");
                    assert!(usage.is_some_and(|usage| usage.prompt_tokens > 0), "{kind:?} {fault:?}");
                }
                other => panic!("{kind:?} {fault:?}: {other:?}"),
            }
        }
        let (message, ..) = transient(failure(kind, MockFault::Nul).await);
        assert!(message.contains("NUL"), "{kind:?}: {message}");
    }
}

#[tokio::test]
async fn p7_text_that_breaks_its_schema_is_passed_on_as_it_is() {
    for (fault, starts) in [
        (MockFault::Fenced, "Here it is:\n\n```json\n{"),
        (MockFault::Malformed, "{\"arguments\": [{\"claim\": \""),
        (MockFault::WrongSchema, "{\"unrelated\":[1,2,3]}"),
    ] {
        for kind in KINDS {
            let (_server, provider) = pair(MockConfig::with_constant_fault(fault.clone()), kind).await;
            let answer = answer(&provider, &call_with_schema("Why?")).await.unwrap();
            assert!(answer.text.starts_with(starts), "{kind:?}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn p10_usage_that_is_missing_or_absurd_is_none_and_not_zero() {
    for kind in KINDS {
        for fault in [MockFault::MissingUsage, MockFault::AbsurdUsage] {
            let (_server, provider) = pair(MockConfig::with_constant_fault(fault.clone()), kind).await;
            let answer = answer(&provider, &call("Why?")).await.unwrap();
            assert_eq!(answer.usage, None, "{kind:?} {fault:?}");
        }
    }
}
