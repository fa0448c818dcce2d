//! Google's generateContent.

use std::{borrow::Cow, collections::BTreeSet};

use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use super::{
    EndReason, StreamEvent, ToolCallPiece, UsageReport, Wire, WireProfile, arguments_object, encode_json, extend_path,
    json::FrameText, lookup_turns, masked_seed, rounded_temperature, split_system,
};
use crate::{
    lookups::{LookupTool, LookupTurn, MadeCall},
    participant::{
        Call, ChatRole, Effort,
        provider::request_fields::{EffortForm, RequestFields},
    },
};

/// generateContent, as a stream.
#[derive(Debug)]
pub(in super::super) struct GeminiWire;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerateContentBody<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    contents: Vec<ContentTurn<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    generation_config: GenerationConfig,
}

#[derive(Serialize)]
struct ContentTurn<'c> {
    role: &'static str,
    parts: Vec<ContentTurnPart<'c>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum ContentTurnPart<'c> {
    Text(Cow<'c, str>),
    FunctionResponse(Value),
    #[serde(untagged)]
    Called {
        function_call: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'c str>,
    },
}

/// A turn in which something was looked up, and what it gave.
fn lookup_contents(turn: &LookupTurn) -> [ContentTurn<'_>; 2] {
    let said = (!turn.said.is_empty()).then(|| ContentTurnPart::Text(turn.said.as_str().into()));
    let called = turn.results.iter().map(|MadeCall { call, .. }| ContentTurnPart::Called {
        function_call: json!({"name": call.name, "args": arguments_object(call)}),
        thought_signature: call.signature.as_deref(),
    });
    let results = turn.results.iter().map(|MadeCall { call, text }| {
        ContentTurnPart::FunctionResponse(json!({"name": call.name, "response": {"result": text}}))
    });
    [
        ContentTurn { role: "model", parts: said.into_iter().chain(called).collect() },
        ContentTurn { role: "user", parts: results.collect() },
    ]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Value>,
}

/// A chunk of a stream, or a whole answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentChunk<'f> {
    #[serde(borrow, default)]
    candidates: Vec<ContentCandidate<'f>>,
    #[serde(borrow)]
    prompt_feedback: Option<PromptFeedback<'f>>,
    #[serde(borrow, default)]
    model_version: FrameText<'f>,
    #[serde(borrow, default)]
    response_id: FrameText<'f>,
    #[serde(borrow)]
    usage_metadata: Option<&'f RawValue>,
    #[serde(borrow)]
    error: Option<&'f RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback<'f> {
    #[serde(borrow, default)]
    block_reason: FrameText<'f>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentCandidate<'f> {
    #[serde(borrow)]
    content: Option<CandidateParts<'f>>,
    #[serde(borrow, default)]
    finish_reason: FrameText<'f>,
}

#[derive(Deserialize)]
struct CandidateParts<'f> {
    #[serde(borrow, default)]
    parts: Vec<CandidatePart<'f>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CandidatePart<'f> {
    #[serde(borrow, default)]
    text: FrameText<'f>,
    #[serde(default)]
    thought: bool,
    #[serde(borrow)]
    function_call: Option<PartFunctionCall<'f>>,
    #[serde(borrow, default)]
    thought_signature: FrameText<'f>,
}

#[derive(Deserialize)]
struct PartFunctionCall<'f> {
    #[serde(borrow, default)]
    name: FrameText<'f>,
    #[serde(borrow)]
    args: Option<&'f RawValue>,
}

impl Wire for GeminiWire {
    fn profile(&self) -> &'static WireProfile {
        &WireProfile {
            name: "gemini",
            address: "https://generativelanguage.googleapis.com/v1beta/",
            path: "/v1beta/",
            surplus: &["/models"],
            key_variable: "GEMINI_API_KEY",
            address_variable: None,
            key_header: "x-goog-api-key",
            headers: &[],
            families: &["gemini-"],
            schema_fields: &["schema", "response_mime_type", "responsemimetype", "json mode"],
            counts_ahead: false,
        }
    }

    fn generation_url(&self, base: &Url, model: &str) -> Url {
        let mut url = extend_path(base, &["models", &format!("{model}:streamGenerateContent")]);
        url.query_pairs_mut().append_pair("alt", "sse");
        url
    }

    fn models_url(&self, base: &Url) -> Url {
        let mut url = extend_path(base, &["models"]);
        url.query_pairs_mut().append_pair("pageSize", "1000");
        url
    }

    fn is_listed(&self, models: &BTreeSet<String>, model: &str) -> bool {
        models.contains(model.strip_prefix("models/").unwrap_or(model))
    }

    fn build_body(&self, _model: &str, call: &Call, fields: &RequestFields) -> Vec<u8> {
        let (system, messages) = split_system(call, fields);
        let tools = call.lookups.as_ref().filter(|lookups| fields.tools && !lookups.desk.is_closed());
        let tools = tools.map(|lookups| {
            let declare = |tool: &LookupTool| {
                json!({"name": tool.name(), "description": tool.description(),
                    "parametersJsonSchema": tool.parameters()})
            };
            json!([{"functionDeclarations": lookups.desk.tools().iter().map(declare).collect::<Vec<_>>()}])
        });
        // Older models take no form in addition to tools.
        let form = call.schema.as_deref().filter(|_| fields.schema && tools.is_none());
        let role = |role| if role == ChatRole::Assistant { "model" } else { "user" };
        let turn = |(of, text)| ContentTurn { role: role(of), parts: vec![ContentTurnPart::Text(text)] };
        let looked_up = lookup_turns(call).iter().flat_map(lookup_contents);
        encode_json(&GenerateContentBody {
            system_instruction: system.map(|text| json!({"parts": [{"text": text}]})),
            contents: messages.into_iter().map(turn).chain(looked_up).collect(),
            tools,
            generation_config: GenerationConfig {
                max_output_tokens: fields.tokens_max(call),
                temperature: rounded_temperature(call, fields),
                seed: masked_seed(call, fields),
                response_mime_type: form.map(|_| "application/json"),
                response_json_schema: form.cloned(),
                thinking_config: fields.effort.map(|effort| thinking_config(effort, fields.effort_form)),
            },
        })
    }

    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error> {
        let chunk: ContentChunk<'_> = serde_json::from_str(frame)?;
        if let Some(error) = chunk.error {
            sink(StreamEvent::Failed(error.get()));
            return Ok(());
        }
        chunk.model_version.as_text().into_iter().for_each(|model| sink(StreamEvent::Model(model)));
        chunk.response_id.as_text().into_iter().for_each(|id| sink(StreamEvent::Id(id)));
        if let Some(usage) = chunk.usage_metadata {
            report_usage(&serde_json::from_str(usage.get())?, sink);
        }
        if let Some(reason) = chunk.prompt_feedback.as_ref().and_then(|feedback| feedback.block_reason.as_text()) {
            sink(StreamEvent::End(EndReason::Refused(reason)));
        }
        let Some(candidate) = chunk.candidates.first() else { return Ok(()) };
        for part in candidate.content.iter().flat_map(|content| &content.parts) {
            match part.text.as_text() {
                Some(thought) if part.thought => sink(StreamEvent::Reasoning(thought)),
                Some(text) => sink(StreamEvent::Text(text)),
                None => {}
            }
            if let Some(called) = &part.function_call {
                sink(StreamEvent::ToolCall(ToolCallPiece {
                    name: called.name.as_text(),
                    arguments: called.args.map(RawValue::get),
                    signature: part.thought_signature.as_text(),
                    ..ToolCallPiece::default()
                }));
            }
        }
        candidate.finish_reason.as_text().into_iter().for_each(|reason| sink(StreamEvent::End(end_reason(reason))));
        Ok(())
    }
}

/// How an effort is asked for: newer models take levels, older ones tokens.
fn thinking_config(effort: Effort, form: EffortForm) -> Value {
    let (level, tokens) = match effort {
        Effort::None => return json!({"thinkingBudget": 0}),
        Effort::Minimal => ("MINIMAL", 1_000),
        Effort::Low => ("LOW", 1_000),
        Effort::Medium => ("MEDIUM", 8_000),
        Effort::High => ("HIGH", 24_000),
    };
    match form {
        EffortForm::Words => json!({"thinkingLevel": level}),
        EffortForm::Tokens => json!({"thinkingBudget": tokens}),
    }
}

fn end_reason(reason: &str) -> EndReason<'_> {
    match reason {
        "STOP" | "FINISH_REASON_UNSPECIFIED" => EndReason::Complete,
        "MAX_TOKENS" => EndReason::Truncated,
        "SAFETY" => EndReason::Refused(reason),
        "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" | "IMAGE_SAFETY" => {
            EndReason::Filtered(reason)
        }
        _ => EndReason::Unknown(reason),
    }
}

fn report_usage(usage: &Value, sink: &mut dyn FnMut(StreamEvent<'_>)) {
    let count = |name: &str| usage[name].as_u64();
    let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    };
    let prompt = count("promptTokenCount");
    sink(StreamEvent::Usage(UsageReport {
        prompt: prompt.and_then(|_| sum(prompt, count("toolUsePromptTokenCount"))),
        cached: count("cachedContentTokenCount"),
        cache_write: None,
        completion: sum(count("candidatesTokenCount"), count("thoughtsTokenCount")),
        cost_usd: None,
    }));
}
