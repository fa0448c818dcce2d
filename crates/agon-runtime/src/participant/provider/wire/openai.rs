//! Chat completions, as OpenAI and most servers speak them; and the same at Azure, by deployment and version.

use std::collections::BTreeSet;

use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use super::{
    EndReason, RoleMessage, StreamEvent, ToolCallPiece, UsageReport, Wire, WireProfile, arguments_object, encode_json,
    extend_path, function_tools,
    json::{FrameContent, FrameText},
    lookup_turns, masked_seed, role_messages, rounded_temperature, schema, shared_prefix_key,
};
use crate::{
    lookups::MadeCall,
    participant::{Call, Effort, provider::request_fields::RequestFields},
};

const SCHEMA_FIELDS: &[&str] = &["response_format", "schema", "structured output", "json mode", "grammar"];

/// Chat completions.
#[derive(Debug)]
pub(in super::super) struct OpenAiWire;

/// Chat completions at Azure.
#[derive(Debug)]
pub(in super::super) struct AzureWire;

#[derive(Serialize)]
struct ChatCompletionBody<'c> {
    model: &'c str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
    messages: Vec<ChatCompletionMessage<'c>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ChatCompletionMessage<'c> {
    Said(RoleMessage<'c>),
    Called { role: &'static str, content: &'c str, tool_calls: Vec<Value> },
    Result { role: &'static str, tool_call_id: &'c str, content: &'c str },
}

/// The messages of a call, with what was looked up behind them.
fn chat_messages<'c>(call: &'c Call, fields: &RequestFields) -> Vec<ChatCompletionMessage<'c>> {
    let mut messages: Vec<_> = role_messages(call, fields).into_iter().map(ChatCompletionMessage::Said).collect();
    for turn in lookup_turns(call) {
        let tool_calls = turn.results.iter().map(|MadeCall { call, .. }| {
            let function = json!({"name": call.name, "arguments": arguments_object(call).to_string()});
            json!({"id": call.id, "type": "function", "function": function})
        });
        let (role, content) = ("assistant", turn.said.as_str());
        messages.push(ChatCompletionMessage::Called { role, content, tool_calls: tool_calls.collect() });
        messages.extend(turn.results.iter().map(|result| ChatCompletionMessage::Result {
            role: "tool",
            tool_call_id: &result.call.id,
            content: &result.text,
        }));
    }
    messages
}

/// A chunk of a stream, or a whole completion.
#[derive(Deserialize)]
struct ChatCompletionChunk<'f> {
    #[serde(borrow, default)]
    model: FrameText<'f>,
    #[serde(borrow, default)]
    id: FrameText<'f>,
    #[serde(borrow, default)]
    object: FrameText<'f>,
    #[serde(borrow, default)]
    choices: Option<Vec<ChatCompletionChoice<'f>>>,
    #[serde(borrow)]
    usage: Option<&'f RawValue>,
    #[serde(borrow)]
    x_groq: Option<&'f RawValue>,
    #[serde(borrow)]
    error: Option<&'f RawValue>,
}

#[derive(Deserialize)]
struct ChatCompletionChoice<'f> {
    #[serde(borrow)]
    delta: Option<ChatCompletionDelta<'f>>,
    #[serde(borrow)]
    message: Option<ChatCompletionDelta<'f>>,
    #[serde(borrow, default)]
    finish_reason: FrameText<'f>,
    #[serde(borrow, default)]
    native_finish_reason: FrameText<'f>,
    #[serde(borrow)]
    usage: Option<&'f RawValue>,
    #[serde(borrow)]
    error: Option<&'f RawValue>,
}

#[derive(Deserialize)]
struct ChatCompletionDelta<'f> {
    #[serde(borrow, default)]
    content: FrameContent<'f>,
    #[serde(borrow, default)]
    reasoning_content: FrameContent<'f>,
    #[serde(borrow, default)]
    reasoning: FrameContent<'f>,
    #[serde(borrow, default)]
    refusal: FrameText<'f>,
    #[serde(borrow)]
    tool_calls: Option<&'f RawValue>,
}

#[derive(Deserialize)]
struct ChatToolCall<'f> {
    index: Option<u32>,
    #[serde(borrow, default)]
    id: FrameText<'f>,
    #[serde(borrow)]
    function: Option<ChatFunctionCall<'f>>,
}

#[derive(Deserialize)]
struct ChatFunctionCall<'f> {
    #[serde(borrow, default)]
    name: FrameText<'f>,
    #[serde(borrow, default)]
    arguments: FrameText<'f>,
}

impl Wire for OpenAiWire {
    fn profile(&self) -> &'static WireProfile {
        &WireProfile {
            name: "openai",
            address: "https://api.openai.com/v1/",
            path: "/v1/",
            surplus: &["/chat/completions", "/chat"],
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
        let format = call.schema.as_deref().filter(|_| fields.schema).map(|form| {
            json!({"type": "json_schema", "json_schema": {
                "name": schema::schema_name(form), "strict": true, "schema": schema::close_schema(form, true)}})
        });
        encode_json(&ChatCompletionBody {
            model,
            stream: true,
            stream_options: fields.stream_options.then(|| json!({"include_usage": true})),
            temperature: rounded_temperature(call, fields),
            seed: masked_seed(call, fields),
            max_tokens: (!fields.completion_limit).then_some(limit),
            max_completion_tokens: fields.completion_limit.then_some(limit),
            reasoning_effort: fields.effort.map(|effort: Effort| effort.to_string()),
            prompt_cache_key: fields.cache_key.then(|| shared_prefix_key(call)).flatten(),
            response_format: format,
            tools: function_tools(call, fields),
            messages: chat_messages(call, fields),
        })
    }

    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error> {
        if frame == "[DONE]" {
            sink(StreamEvent::Done);
            return Ok(());
        }
        let chunk: ChatCompletionChunk<'_> = serde_json::from_str(frame)?;
        if chunk.object.as_text() == Some("error") {
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
        }
        let groq = chunk.x_groq.and_then(|more| serde_json::from_str::<Value>(more.get()).ok());
        let groq = groq.map(|mut more| more["usage"].take());
        for usage in [choice.and_then(|choice| choice.usage), chunk.usage].into_iter().flatten() {
            report_usage(&serde_json::from_str(usage.get())?, sink);
        }
        groq.iter().for_each(|usage| report_usage(usage, sink));
        Ok(())
    }
}

fn decode_choice(choice: &ChatCompletionChoice<'_>, sink: &mut dyn FnMut(StreamEvent<'_>)) {
    choice.error.iter().for_each(|error| sink(StreamEvent::Failed(error.get())));
    if let Some(delta) = choice.delta.as_ref().or(choice.message.as_ref()) {
        let thoughts = [&delta.reasoning_content.text, &delta.reasoning.text, &delta.content.reasoning];
        // Some servers write the same thought into two fields.
        if let Some(thought) = thoughts.into_iter().find_map(FrameText::as_text) {
            sink(StreamEvent::Reasoning(thought));
        }
        delta.content.text.as_text().into_iter().for_each(|text| sink(StreamEvent::Text(text)));
        delta.refusal.as_text().into_iter().for_each(|words| sink(StreamEvent::Refusal(words)));
        if let Some(calls) = delta.tool_calls {
            decode_tool_calls(calls, sink);
        }
    }
    if let Some(reason) = choice.finish_reason.as_text() {
        // A router says "stop" for what its provider calls an error.
        let native = choice.native_finish_reason.as_text().filter(|native| native.contains("error"));
        sink(StreamEvent::End(native.map_or_else(|| end_reason(reason), EndReason::Unknown)));
    }
}

/// Calls of tools; those of another form are calls without a name, which nobody can make.
fn decode_tool_calls(calls: &RawValue, sink: &mut dyn FnMut(StreamEvent<'_>)) {
    match serde_json::from_str::<Option<Vec<ChatToolCall<'_>>>>(calls.get()) {
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

fn end_reason(reason: &str) -> EndReason<'_> {
    match reason {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "tool_calls" | "function_call" => {
            EndReason::Complete
        }
        "length" | "max_tokens" | "model_length" => EndReason::Truncated,
        "content_filter" => EndReason::Filtered(reason),
        "refusal" => EndReason::Refused("no reason given"),
        _ => EndReason::Unknown(reason),
    }
}

/// Token counts. Where the total is the sum of all three, reasoning is counted apart from what was written.
fn report_usage(usage: &Value, sink: &mut dyn FnMut(StreamEvent<'_>)) {
    if !usage.is_object() {
        return;
    }
    let count = |place: &str| usage.pointer(place).and_then(Value::as_u64);
    let (prompt, completion) = (count("/prompt_tokens"), count("/completion_tokens"));
    let apart = || {
        let reasoning = count("/completion_tokens_details/reasoning_tokens").filter(|count| *count > 0)?;
        let sum = completion?.checked_add(reasoning)?;
        (count("/total_tokens")? == prompt?.checked_add(sum)?).then_some(sum)
    };
    sink(StreamEvent::Usage(UsageReport {
        prompt,
        cached: count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens")),
        cache_write: None,
        completion: apart().or(completion),
        cost_usd: usage["cost"].as_f64(),
    }));
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
