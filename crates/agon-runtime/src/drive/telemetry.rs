//! Spans and figures of a debate for OpenTelemetry, named by its semantic conventions for generative AI.
//!
//! They have a target of their own, so that logs do not hold them. Without a subscriber for it they cost nothing.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use agon_core::DebateId;
use serde_json::json;
use tracing::{Level, Span, field::Empty};

use super::SeatHandle;
use crate::participant::{Answer, Call, CallFailure};

/// Target of every span.
pub const SPANS: &str = "telemetry";
/// Target of the events that carry figures.
pub const FIGURES: &str = "telemetry_figures";
/// Longest text of a prompt or an answer in a span, in bytes.
const CONTENT_BYTES_MAX: usize = 64 * 1024;

static WITH_CONTENT: AtomicBool = AtomicBool::new(false);

/// From now on, spans of calls hold the texts of prompts and answers.
pub fn capture_content() {
    WITH_CONTENT.store(true, Ordering::Relaxed);
}

/// The span of a debate, from its start or resumption to its end or suspension.
pub(super) fn debate_span(debate: &DebateId, protocol: &str) -> Span {
    tracing::info_span!(target: SPANS, "debate", "agon.debate" = %debate, "agon.protocol" = protocol)
}

/// The span of one step of the rules.
pub(super) fn step_span(entries: u64) -> Span {
    tracing::info_span!(target: SPANS, "step", "agon.entries" = entries)
}

/// The span of one call of a participant.
pub(super) fn call_span(seated: &SeatHandle, call: &Call) -> Span {
    let (provider, model) = split_participant(&seated.name);
    let span = tracing::info_span!(
        target: SPANS,
        "call",
        "otel.name" = format!("chat {model}"),
        "otel.kind" = "client",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "chat",
        "gen_ai.provider.name" = provider,
        "gen_ai.request.model" = model,
        "gen_ai.request.max_tokens" = u64::from(call.tokens_max),
        "gen_ai.request.temperature" = f64::from(call.temperature),
        "gen_ai.response.model" = Empty,
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "gen_ai.usage.cache_read.input_tokens" = Empty,
        "gen_ai.input.messages" = Empty,
        "gen_ai.output.messages" = Empty,
        "error.type" = Empty,
        "agon.key" = %call.key,
        "agon.attempt" = u64::from(call.attempt),
    );
    if WITH_CONTENT.load(Ordering::Relaxed) && !span.is_disabled() {
        let messages = call.messages.iter().map(|message| {
            json!({"role": message.role, "parts": [{"type": "text", "content": truncate_content(&message.text)}]})
        });
        span.record("gen_ai.input.messages", json!(messages.collect::<Vec<_>>()).to_string());
    }
    span
}

/// Adds to the span of a call how it ended, and counts it.
pub(super) fn call_ended(span: &Span, seated: &SeatHandle, took: Duration, answer: &Result<Answer, CallFailure>) {
    let (provider, model) = split_participant(&seated.name);
    let usage = match answer {
        Ok(answer) => {
            if let Some(model) = &answer.model {
                span.record("gen_ai.response.model", model.as_str());
            }
            if WITH_CONTENT.load(Ordering::Relaxed) && !span.is_disabled() {
                let parts = json!([{"type": "text", "content": truncate_content(&answer.text)}]);
                let said = json!([{"role": "assistant", "parts": parts, "finish_reason": "stop"}]);
                span.record("gen_ai.output.messages", said.to_string());
            }
            answer.usage
        }
        Err(failure) => {
            span.record("error.type", failure.kind());
            span.record("otel.status_code", "ERROR");
            failure.usage()
        }
    };
    let error = answer.as_ref().err().map(CallFailure::kind);
    tracing::event!(target: FIGURES, Level::INFO, {
        "histogram.gen_ai.client.operation.duration" = took.as_secs_f64(),
        "gen_ai.operation.name" = "chat",
        "gen_ai.provider.name" = provider,
        "gen_ai.request.model" = model,
        "error.type" = error
    });
    let Some(usage) = usage else { return };
    span.record("gen_ai.usage.input_tokens", usage.prompt_tokens);
    span.record("gen_ai.usage.output_tokens", usage.completion_tokens);
    span.record("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens);
    for (kind, tokens) in [("input", usage.prompt_tokens), ("output", usage.completion_tokens)] {
        tracing::event!(target: FIGURES, Level::INFO, {
            "histogram.gen_ai.client.token.usage" = tokens,
            "gen_ai.token.type" = kind,
            "gen_ai.operation.name" = "chat",
            "gen_ai.provider.name" = provider,
            "gen_ai.request.model" = model
        });
    }
}

/// Provider and model of a participant, as the conventions name them, without settings and without paths of this
/// machine.
fn split_participant(participant: &str) -> (&str, &str) {
    let (provider, model) = participant.split_once(':').unwrap_or((participant, participant));
    let model = model.split('?').next().unwrap_or(model);
    let provider = if provider == "gemini" { "gcp.gemini" } else { provider };
    match provider {
        "local" | "scripted" | "recorded" if model.contains(['/', '\\', '.']) => (provider, provider),
        _ => (provider, model),
    }
}

/// The beginning of a text, at most [`CONTENT_BYTES_MAX`] bytes.
fn truncate_content(text: &str) -> &str {
    &text[..text.floor_char_boundary(CONTENT_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_conventions() {
        for (participant, provider, model) in [
            ("openai:gpt-5?effort=high", "openai", "gpt-5"),
            ("gemini:gemini-2.5-pro", "gcp.gemini", "gemini-2.5-pro"),
            ("lab:org/model:free", "lab", "org/model:free"),
            ("scripted:/home/ada/answers.json", "scripted", "scripted"),
            ("local", "local", "local"),
            ("cli:claude", "cli", "claude"),
        ] {
            assert_eq!(split_participant(participant), (provider, model), "{participant}");
        }
        assert_eq!(truncate_content(&"é".repeat(CONTENT_BYTES_MAX)).len(), CONTENT_BYTES_MAX);
    }
}
