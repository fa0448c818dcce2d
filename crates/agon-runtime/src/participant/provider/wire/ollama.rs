//! Ollama's own interface: it takes a schema, a seed and the size of the context, which its interface like OpenAI's
//! does not all pass on.

use std::collections::BTreeSet;

use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use super::{
    EndReason, RoleMessage, StreamEvent, ToolCallPiece, UsageReport, Wire, WireProfile, arguments_object, encode_json,
    extend_path, function_tools, json::FrameText, lookup_turns, masked_seed, role_messages, rounded_temperature,
};
use crate::{
    lookups::MadeCall,
    participant::{
        BYTES_PER_TOKEN, Call, Effort,
        provider::{frames::Framing, request_fields::RequestFields},
    },
};

/// This context is taken where none is asked for, and the head of longer prompts is dropped without a word.
const CONTEXT_TOKENS_DEFAULT: u64 = 4_096;
const CONTEXT_TOKENS_MAX: u64 = 131_072;

/// Chat.
#[derive(Debug)]
pub(in super::super) struct OllamaWire;

#[derive(Serialize)]
struct OllamaChatBody<'c> {
    model: &'c str,
    stream: bool,
    options: SamplingOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'c Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
    messages: Vec<OllamaTurn<'c>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum OllamaTurn<'c> {
    Said(RoleMessage<'c>),
    Called { role: &'static str, content: &'c str, tool_calls: Vec<Value> },
    Result { role: &'static str, tool_name: &'c str, content: &'c str },
}

/// The messages of a call, with what was looked up behind them.
fn ollama_turns<'c>(call: &'c Call, fields: &RequestFields) -> Vec<OllamaTurn<'c>> {
    let mut turns: Vec<_> = role_messages(call, fields).into_iter().map(OllamaTurn::Said).collect();
    for turn in lookup_turns(call) {
        let called = turn
            .results
            .iter()
            .map(|MadeCall { call, .. }| json!({"function": {"name": call.name, "arguments": arguments_object(call)}}));
        turns.push(OllamaTurn::Called { role: "assistant", content: &turn.said, tool_calls: called.collect() });
        turns.extend(turn.results.iter().map(|result| OllamaTurn::Result {
            role: "tool",
            tool_name: &result.call.name,
            content: &result.text,
        }));
    }
    turns
}

#[derive(Serialize)]
struct SamplingOptions {
    num_predict: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u64>,
}

#[derive(Deserialize)]
struct OllamaChatLine<'f> {
    #[serde(borrow, default)]
    model: FrameText<'f>,
    #[serde(borrow)]
    message: Option<OllamaMessage<'f>>,
    #[serde(default)]
    done: bool,
    #[serde(borrow, default)]
    done_reason: FrameText<'f>,
    #[serde(borrow)]
    error: Option<&'f RawValue>,
    #[serde(borrow)]
    prompt_eval_count: Option<&'f RawValue>,
    #[serde(borrow)]
    prompt_eval_cached_count: Option<&'f RawValue>,
    #[serde(borrow)]
    eval_count: Option<&'f RawValue>,
}

#[derive(Deserialize)]
struct OllamaMessage<'f> {
    #[serde(borrow, default)]
    content: FrameText<'f>,
    #[serde(borrow, default)]
    thinking: FrameText<'f>,
    #[serde(borrow)]
    tool_calls: Option<Vec<OllamaToolCall<'f>>>,
}

#[derive(Deserialize)]
struct OllamaToolCall<'f> {
    #[serde(borrow, default)]
    id: FrameText<'f>,
    #[serde(borrow)]
    function: Option<OllamaFunctionCall<'f>>,
}

#[derive(Deserialize)]
struct OllamaFunctionCall<'f> {
    #[serde(borrow, default)]
    name: FrameText<'f>,
    #[serde(borrow)]
    arguments: Option<&'f RawValue>,
}

impl Wire for OllamaWire {
    fn profile(&self) -> &'static WireProfile {
        &WireProfile {
            name: "ollama",
            address: "http://localhost:11434/",
            path: "/",
            // Its own interface stands next to the paths that its users know from other programs.
            surplus: &["/api/chat", "/api", "/v1/chat/completions", "/v1"],
            key_variable: "OLLAMA_API_KEY",
            address_variable: Some("OLLAMA_HOST"),
            key_header: "authorization",
            headers: &[],
            families: &[],
            schema_fields: &["schema", "format", "grammar"],
            counts_ahead: false,
        }
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn generation_url(&self, base: &Url, _model: &str) -> Url {
        extend_path(base, &["api", "chat"])
    }

    fn models_url(&self, base: &Url) -> Url {
        extend_path(base, &["api", "tags"])
    }

    fn is_listed(&self, models: &BTreeSet<String>, model: &str) -> bool {
        models.contains(model) || models.contains(&format!("{model}:latest"))
    }

    fn build_body(&self, model: &str, call: &Call, fields: &RequestFields) -> Vec<u8> {
        let limit = fields.tokens_max(call);
        let bytes: usize = call.prompt_bytes();
        let needed = (bytes as u64).div_ceil(BYTES_PER_TOKEN) + u64::from(limit);
        let think = fields.effort.map(|effort| match effort {
            Effort::None => false.into(),
            Effort::Minimal => "low".into(),
            effort => effort.to_string().into(),
        });
        let tools = function_tools(call, fields);
        encode_json(&OllamaChatBody {
            model,
            stream: true,
            options: SamplingOptions {
                num_predict: limit,
                temperature: rounded_temperature(call, fields),
                seed: masked_seed(call, fields),
                // In powers of two, because every change makes it load the model again.
                num_ctx: (needed > CONTEXT_TOKENS_DEFAULT).then(|| needed.next_power_of_two().min(CONTEXT_TOKENS_MAX)),
            },
            think,
            // A form would bind the calls of tools, too.
            format: call.schema.as_deref().filter(|_| fields.schema && tools.is_none()),
            tools,
            messages: ollama_turns(call, fields),
        })
    }

    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error> {
        let line: OllamaChatLine<'_> = serde_json::from_str(frame)?;
        if line.error.is_some() {
            sink(StreamEvent::Failed(frame));
            return Ok(());
        }
        line.model.as_text().into_iter().for_each(|model| sink(StreamEvent::Model(model)));
        if let Some(said) = &line.message {
            said.thinking.as_text().into_iter().for_each(|thought| sink(StreamEvent::Reasoning(thought)));
            said.content.as_text().into_iter().for_each(|text| sink(StreamEvent::Text(text)));
            for call in said.tool_calls.iter().flatten() {
                let function = call.function.as_ref();
                sink(StreamEvent::ToolCall(ToolCallPiece {
                    id: call.id.as_text(),
                    name: function.and_then(|function| function.name.as_text()),
                    arguments: function.and_then(|function| function.arguments).map(RawValue::get),
                    ..ToolCallPiece::default()
                }));
            }
        }
        if line.done {
            let count = |raw: Option<&RawValue>| raw.and_then(|raw| raw.get().parse().ok());
            sink(StreamEvent::Usage(UsageReport {
                prompt: count(line.prompt_eval_count),
                cached: count(line.prompt_eval_cached_count),
                cache_write: None,
                completion: count(line.eval_count),
                cost_usd: None,
            }));
            // Servers of old versions give no reason.
            sink(StreamEvent::End(line.done_reason.as_text().map_or(EndReason::Complete, end_reason)));
            sink(StreamEvent::Done);
        }
        Ok(())
    }
}

fn end_reason(reason: &str) -> EndReason<'_> {
    match reason {
        "stop" => EndReason::Complete,
        "length" => EndReason::Truncated,
        _ => EndReason::Unknown(reason),
    }
}
