//! Ollama's own interface: it takes a schema, a seed and the size of the context, which its interface like OpenAI's
//! does not all pass on.

use std::collections::BTreeSet;

use agon_core::form::FormField;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    AnswerEnd, CalledFunction, ChatTurn, FunctionArguments, ResultOf, StreamEvent, ToolCallPiece, UsageReport, Wire,
    WireProfile, arguments_object, chat_turns, encode_json, extend_path, function_tools, masked_seed,
    rounded_temperature,
};
use crate::participant::{
    BYTES_PER_TOKEN, Call, Effort,
    json::{FrameCount, FrameText, FrameToolCall},
    provider::{frames::Framing, request_fields::RequestFields},
};

/// This context is taken where none is asked for, and the head of longer prompts is dropped without a word.
const CONTEXT_TOKENS_DEFAULT: u64 = 4_096;
const CONTEXT_TOKENS_MAX: u64 = 131_072;

/// Chat.
#[derive(Debug)]
pub(in super::super) struct OllamaWire;

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct OllamaChatBody<'c, T> {
    model: &'c str,
    stream: bool,
    options: SamplingOptions,
    think: Option<ThinkingLevel>,
    format: Option<&'c FormField>,
    tools: Option<Vec<T>>,
    messages: Vec<ChatTurn<'c, Box<RawValue>>>,
}

/// How much thinking is asked for.
#[derive(Serialize)]
#[serde(untagged)]
enum ThinkingLevel {
    Off(bool),
    Effort(Effort),
}

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct SamplingOptions {
    num_predict: u32,
    temperature: Option<f64>,
    seed: Option<u64>,
    num_ctx: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct OllamaChatLine<'f> {
    model: FrameText<'f>,
    message: Option<OllamaMessage<'f>>,
    done: bool,
    done_reason: FrameText<'f>,
    error: Option<&'f RawValue>,
    prompt_eval_count: FrameCount,
    prompt_eval_cached_count: FrameCount,
    eval_count: FrameCount,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct OllamaMessage<'f> {
    content: FrameText<'f>,
    thinking: FrameText<'f>,
    tool_calls: Option<Vec<FrameToolCall<'f, Option<&'f RawValue>>>>,
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
            Effort::None => ThinkingLevel::Off(false),
            Effort::Minimal => ThinkingLevel::Effort(Effort::Low),
            effort => ThinkingLevel::Effort(effort),
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
            messages: chat_turns(call, fields, |call| {
                let function = FunctionArguments { name: &call.name, arguments: arguments_object(call) };
                (CalledFunction { id: None, r#type: None, function }, ResultOf::ToolName(&call.name))
            }),
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
            sink(StreamEvent::Usage(UsageReport {
                prompt: line.prompt_eval_count.0,
                cached: line.prompt_eval_cached_count.0,
                completion: line.eval_count.0,
                ..UsageReport::default()
            }));
            // Servers of old versions give no reason.
            sink(StreamEvent::End(line.done_reason.as_text().map_or(AnswerEnd::Complete, end_reason)));
            sink(StreamEvent::Done);
        }
        Ok(())
    }
}

fn end_reason(reason: &str) -> AnswerEnd {
    match reason {
        "stop" => AnswerEnd::Complete,
        "length" => AnswerEnd::Truncated,
        _ => AnswerEnd::Broken(reason.to_owned()),
    }
}
