//! Chat completions, as OpenAI and most servers speak them; and the same at Azure, by deployment and version.

use std::collections::BTreeSet;

use agon_core::form::FormField;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    AnswerEnd, CalledFunction, ChatTurn, FunctionArguments, ResultOf, StreamEvent, ToolCallPiece, UsageReport, Wire,
    WireProfile, arguments_object, chat_turns, encode_json, extend_path, function_tools, masked_seed,
    rounded_temperature, shared_prefix_key,
};
use crate::participant::{
    Call, Effort,
    json::{FrameContent, FrameCount, FrameField, FrameText, FrameToolCall},
    provider::request_fields::RequestFields,
};

/// What the schema of an answer is called.
const SCHEMA_NAME: &str = "statement";
const SCHEMA_FIELDS: &[&str] = &["response_format", "schema", "structured output", "json mode", "grammar"];

/// Chat completions.
#[derive(Debug)]
pub(in super::super) struct OpenAiWire;

/// Chat completions at Azure.
#[derive(Debug)]
pub(in super::super) struct AzureWire;

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct ChatCompletionBody<'c, T> {
    model: &'c str,
    stream: bool,
    stream_options: Option<StreamOptions>,
    temperature: Option<f64>,
    seed: Option<u64>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    reasoning_effort: Option<Effort>,
    prompt_cache_key: Option<String>,
    response_format: Option<ResponseFormat<'c>>,
    tools: Option<Vec<T>>,
    messages: Vec<ChatTurn<'c, String>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", content = "json_schema", rename_all = "snake_case")]
enum ResponseFormat<'c> {
    JsonSchema { name: &'static str, strict: bool, schema: &'c FormField },
}

/// What Groq adds to a chunk.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GroqPart {
    usage: FrameField<ChatUsage>,
}

/// A chunk of a stream, or a whole completion.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct ChatCompletionChunk<'f> {
    model: FrameText<'f>,
    id: FrameText<'f>,
    object: FrameText<'f>,
    choices: Option<Vec<ChatCompletionChoice<'f>>>,
    usage: FrameField<ChatUsage>,
    x_groq: FrameField<GroqPart>,
    error: Option<&'f RawValue>,
    message: Option<&'f RawValue>,
    detail: Option<&'f RawValue>,
    code: Option<&'f RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct ChatCompletionChoice<'f> {
    delta: Option<ChatCompletionDelta<'f>>,
    message: Option<ChatCompletionDelta<'f>>,
    finish_reason: FrameText<'f>,
    native_finish_reason: FrameText<'f>,
    usage: FrameField<ChatUsage>,
    error: Option<&'f RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct ChatCompletionDelta<'f> {
    content: FrameContent<'f>,
    reasoning_content: FrameContent<'f>,
    reasoning: FrameContent<'f>,
    thinking: FrameText<'f>,
    reasoning_details: FrameField<FrameContent<'f>>,
    refusal: FrameText<'f>,
    tool_calls: Option<&'f RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatUsage {
    prompt_tokens: FrameCount,
    completion_tokens: FrameCount,
    total_tokens: FrameCount,
    prompt_cache_hit_tokens: FrameCount,
    prompt_tokens_details: FrameField<ChatTokenDetails>,
    completion_tokens_details: FrameField<ChatTokenDetails>,
    cost: FrameField<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatTokenDetails {
    cached_tokens: FrameCount,
    reasoning_tokens: FrameCount,
}

impl Wire for OpenAiWire {
    fn profile(&self) -> &'static WireProfile {
        &WireProfile {
            name: "openai",
            address: "https://api.openai.com/v1/",
            path: "/v1/",
            surplus: &["/completions", "/chat", "/responses"],
            key_variable: "OPENAI_API_KEY",
            address_variable: Some("OPENAI_BASE_URL"),
            key_header: "authorization",
            headers: &[],
            families: &["gpt-"],
            schema_fields: SCHEMA_FIELDS,
            counts_ahead: true,
        }
    }

    fn generation_url(&self, base: &Url, _model: &str) -> Url {
        extend_path(base, &["chat", "completions"])
    }

    fn build_body(&self, model: &str, call: &Call, fields: &RequestFields) -> Vec<u8> {
        let limit = fields.tokens_max(call);
        let format = call.schema.as_deref().filter(|_| fields.schema).map(|schema| ResponseFormat::JsonSchema {
            name: SCHEMA_NAME,
            strict: true,
            schema,
        });
        encode_json(&ChatCompletionBody {
            model,
            stream: true,
            stream_options: fields.stream_options.then_some(StreamOptions { include_usage: true }),
            temperature: rounded_temperature(call, fields),
            seed: masked_seed(call, fields),
            max_tokens: (!fields.completion_limit).then_some(limit),
            max_completion_tokens: fields.completion_limit.then_some(limit),
            reasoning_effort: fields.effort,
            prompt_cache_key: fields.cache_key.then(|| shared_prefix_key(call)).flatten(),
            response_format: format,
            tools: function_tools(call, fields),
            messages: chat_turns(call, fields, |call| {
                let function = FunctionArguments { name: &call.name, arguments: arguments_object(call).to_string() };
                let called = CalledFunction { id: Some(&call.id), r#type: Some("function"), function };
                (called, ResultOf::ToolCallId(&call.id))
            }),
        })
    }

    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error> {
        if frame == "[DONE]" {
            sink(StreamEvent::Done);
            return Ok(());
        }
        let chunk: ChatCompletionChunk<'_> = serde_json::from_str(frame)?;
        // Some servers write the error in place of a chunk.
        let is_chunk = chunk.choices.is_some() || chunk.usage.0.is_some() || chunk.error.is_some();
        let tells = [chunk.message, chunk.detail, chunk.code].iter().any(Option::is_some);
        if chunk.object.as_text() == Some("error") || !is_chunk && tells {
            sink(StreamEvent::Failed(frame));
            return Ok(());
        }
        chunk.model.as_text().into_iter().for_each(|model| sink(StreamEvent::Model(model)));
        chunk.id.as_text().into_iter().for_each(|id| sink(StreamEvent::Id(id)));
        chunk.error.iter().for_each(|error| sink(StreamEvent::Failed(error.get())));
        // One answer is asked for; what a server numbers otherwise is not read.
        let choice = chunk.choices.iter().flatten().next();
        if let Some(choice) = choice {
            decode_choice(choice, sink);
            // An answer in one piece is whole.
            let is_whole = choice.message.is_some() && chunk.object.as_text() == Some("chat.completion");
            if is_whole && choice.finish_reason.as_text().is_none() {
                sink(StreamEvent::End(AnswerEnd::Complete));
            }
        }
        let usages = choice.map(|choice| &choice.usage).into_iter().chain([&chunk.usage]);
        let usages = usages.chain(chunk.x_groq.0.as_ref().map(|more| &more.usage));
        usages.filter_map(|usage| usage.0.as_ref()).for_each(|usage| sink(StreamEvent::Usage(report_usage(usage))));
        Ok(())
    }
}

fn decode_choice(choice: &ChatCompletionChoice<'_>, sink: &mut dyn FnMut(StreamEvent<'_>)) {
    choice.error.iter().for_each(|error| sink(StreamEvent::Failed(error.get())));
    if let Some(delta) = choice.delta.as_ref().or(choice.message.as_ref()) {
        let thoughts =
            [&delta.reasoning_content.text, &delta.reasoning.text, &delta.content.reasoning, &delta.thinking];
        let details = delta.reasoning_details.0.as_ref().map(|details| &details.text);
        // Some servers write the same thought into two fields.
        if let Some(thought) = thoughts.into_iter().chain(details).find_map(FrameText::as_text) {
            sink(StreamEvent::Reasoning(thought));
        }
        delta.content.text.as_text().into_iter().for_each(|text| sink(StreamEvent::Text(text)));
        delta.refusal.as_text().into_iter().for_each(|words| sink(StreamEvent::Refusal(words)));
        if let Some(calls) = delta.tool_calls {
            decode_tool_calls(calls, sink);
        }
    }
    if let Some(reason) = choice.finish_reason.as_text() {
        // A router says "stop" for what its provider calls an error, or another end.
        let native = choice.native_finish_reason.as_text().and_then(native_end);
        sink(StreamEvent::End(native.unwrap_or_else(|| end_reason(reason))));
    }
}

/// Calls of tools; those of another form are calls without a name, which nobody can make.
fn decode_tool_calls(calls: &RawValue, sink: &mut dyn FnMut(StreamEvent<'_>)) {
    match serde_json::from_str::<Option<Vec<FrameToolCall<'_, FrameText<'_>>>>>(calls.get()) {
        Ok(calls) => calls.into_iter().flatten().for_each(|call| {
            let function = call.function.as_ref();
            sink(StreamEvent::ToolCall(ToolCallPiece {
                index: call.index,
                id: call.id.as_text(),
                name: function.and_then(|function| function.name.as_text()),
                arguments: function.and_then(|function| function.arguments.as_text()),
                signature: None,
            }));
        }),
        Err(_) => sink(StreamEvent::ToolCall(ToolCallPiece::default())),
    }
}

/// The end that a router's provider names, if it is a known bad one; good ones have any name.
fn native_end(native: &str) -> Option<AnswerEnd> {
    let is_bad = |name: &str| ["error", "malformed", "pause"].iter().any(|bad| name.contains(bad));
    Some(end_reason(native)).filter(|end| match end {
        AnswerEnd::Broken(_) => is_bad(&native.to_ascii_lowercase()),
        end => *end != AnswerEnd::Complete,
    })
}

fn end_reason(reason: &str) -> AnswerEnd {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "tool_calls" | "function_call" => {
            AnswerEnd::Complete
        }
        "length" | "max_tokens" | "model_length" => AnswerEnd::Truncated,
        "content_filter" => AnswerEnd::Filtered(reason.to_owned()),
        "refusal" => AnswerEnd::Refused("no reason given".to_owned()),
        _ => AnswerEnd::Broken(reason.to_owned()),
    }
}

/// Token counts. More reasoning than was written is counted apart from it; else what the total has beyond the prompt was
/// written.
fn report_usage(usage: &ChatUsage) -> UsageReport {
    let (prompt, completion) = (usage.prompt_tokens.0, usage.completion_tokens.0);
    let apart = || {
        let reasoning = usage.completion_tokens_details.0.as_ref()?.reasoning_tokens.0?;
        completion.filter(|written| reasoning > *written)?.checked_add(reasoning)
    };
    let rest = usage.total_tokens.0.zip(prompt).and_then(|(total, prompt)| total.checked_sub(prompt));
    let cached = usage.prompt_tokens_details.0.as_ref().and_then(|details| details.cached_tokens.0);
    UsageReport {
        prompt,
        cached: cached.or(usage.prompt_cache_hit_tokens.0),
        cache_write: None,
        completion: apart().or(completion.max(rest)),
        cost_usd: usage.cost.0,
    }
}

impl Wire for AzureWire {
    fn profile(&self) -> &'static WireProfile {
        &WireProfile {
            name: "azure",
            // Every customer has a host of their own.
            address: "",
            path: "/",
            surplus: &["/deployments", "/openai"],
            key_variable: "AZURE_OPENAI_API_KEY",
            address_variable: None,
            key_header: "api-key",
            headers: &[],
            families: &[],
            schema_fields: SCHEMA_FIELDS,
            counts_ahead: true,
        }
    }

    fn generation_url(&self, base: &Url, model: &str) -> Url {
        extend_path(base, &["openai", "deployments", model, "chat", "completions"])
    }

    fn models_url(&self, base: &Url) -> Url {
        extend_path(base, &["openai", "models"])
    }

    /// It lists models, and is asked for deployments.
    fn is_listed(&self, _models: &BTreeSet<String>, _model: &str) -> bool {
        true
    }

    fn build_body(&self, model: &str, call: &Call, fields: &RequestFields) -> Vec<u8> {
        OpenAiWire.build_body(model, call, fields)
    }

    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error> {
        OpenAiWire.decode_frame(frame, sink)
    }
}
