//! Google's generateContent.

use std::{borrow::Cow, collections::BTreeSet};

use agon_core::form::FormField;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    AnswerEnd, RoleMessage, StreamEvent, ToolCallPiece, UsageReport, Wire, WireProfile, arguments_object, declare_tool,
    encode_json, extend_path, lookup_turns, masked_seed, rounded_temperature, split_system,
};
use crate::{
    lookups::{LookupTurn, RequestedLookups},
    participant::{
        Call, ChatRole, Effort,
        json::{FrameCount, FrameField, FrameFunction, FrameText},
        provider::request_fields::{EffortForm, RequestFields},
    },
};

/// generateContent, as a stream.
#[derive(Debug)]
pub(in super::super) struct GeminiWire;

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerateContentBody<'c, T> {
    system_instruction: Option<ContentTurn<'c>>,
    contents: Vec<ContentTurn<'c>>,
    tools: Option<[FunctionTools<T>; 1]>,
    generation_config: GenerationConfig<'c>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionTools<T> {
    function_declarations: Vec<T>,
}

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct ContentTurn<'c> {
    role: Option<&'static str>,
    parts: Vec<ContentTurnPart<'c>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum ContentTurnPart<'c> {
    Text(Cow<'c, str>),
    FunctionResponse {
        name: &'c str,
        response: FunctionResult<'c>,
    },
    #[serde(untagged)]
    Called {
        function_call: CalledWith<'c>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'c str>,
    },
}

#[derive(Serialize)]
struct CalledWith<'c> {
    name: &'c str,
    args: Box<RawValue>,
}

#[derive(Serialize)]
struct FunctionResult<'c> {
    result: &'c str,
}

/// A turn in which something was looked up, and what it gave.
fn lookup_contents(turn: &LookupTurn) -> [ContentTurn<'_>; 2] {
    let RequestedLookups { said, calls, .. } = &turn.requested;
    let said = (!said.is_empty()).then(|| ContentTurnPart::Text(said.as_str().into()));
    let called = calls.iter().map(|call| ContentTurnPart::Called {
        function_call: CalledWith { name: &call.name, args: arguments_object(call) },
        thought_signature: call.signature.as_deref(),
    });
    let results = turn.made_calls().map(|(call, result)| ContentTurnPart::FunctionResponse {
        name: &call.name,
        response: FunctionResult { result },
    });
    [
        ContentTurn { role: Some("model"), parts: said.into_iter().chain(called).collect() },
        ContentTurn { role: Some("user"), parts: results.collect() },
    ]
}

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'c> {
    max_output_tokens: u32,
    temperature: Option<f64>,
    seed: Option<u64>,
    response_mime_type: Option<&'static str>,
    response_json_schema: Option<&'c FormField>,
    thinking_config: Option<ThinkingConfig>,
}

/// How an effort is asked for: newer models take levels, older ones tokens.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ThinkingConfig {
    ThinkingLevel(&'static str),
    ThinkingBudget(u32),
}

/// A chunk of a stream, or a whole answer.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"), rename_all = "camelCase")]
struct ContentChunk<'f> {
    candidates: Vec<ContentCandidate<'f>>,
    prompt_feedback: Option<PromptFeedback<'f>>,
    model_version: FrameText<'f>,
    response_id: FrameText<'f>,
    usage_metadata: FrameField<UsageMetadata>,
    error: Option<&'f RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct UsageMetadata {
    prompt_token_count: FrameCount,
    tool_use_prompt_token_count: FrameCount,
    cached_content_token_count: FrameCount,
    candidates_token_count: FrameCount,
    thoughts_token_count: FrameCount,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"), rename_all = "camelCase")]
struct PromptFeedback<'f> {
    block_reason: FrameText<'f>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"), rename_all = "camelCase")]
struct ContentCandidate<'f> {
    content: Option<CandidateParts<'f>>,
    finish_reason: FrameText<'f>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct CandidateParts<'f> {
    parts: Vec<CandidatePart<'f>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"), rename_all = "camelCase")]
struct CandidatePart<'f> {
    text: FrameText<'f>,
    thought: bool,
    function_call: Option<FrameFunction<'f, Option<&'f RawValue>>>,
    thought_signature: FrameText<'f>,
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
        let tools = tools.map(|lookups| lookups.desk.tools().iter());
        let tools = tools.map(|tools| tools.map(|tool| declare_tool(*tool, "parametersJsonSchema")).collect());
        // Older models take no form in addition to tools.
        let form = call.schema.as_deref().filter(|_| fields.schema && tools.is_none());
        let turn = |RoleMessage { role, content }| ContentTurn {
            role: Some(if role == ChatRole::Assistant { "model" } else { "user" }),
            parts: vec![ContentTurnPart::Text(content)],
        };
        let looked_up = lookup_turns(call).iter().flat_map(lookup_contents);
        encode_json(&GenerateContentBody {
            system_instruction: system.map(|text| ContentTurn { role: None, parts: vec![ContentTurnPart::Text(text)] }),
            contents: messages.into_iter().map(turn).chain(looked_up).collect(),
            tools: tools.map(|function_declarations| [FunctionTools { function_declarations }]),
            generation_config: GenerationConfig {
                max_output_tokens: fields.tokens_max(call),
                temperature: rounded_temperature(call, fields),
                seed: masked_seed(call, fields),
                response_mime_type: form.map(|_| "application/json"),
                response_json_schema: form,
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
        chunk.usage_metadata.0.iter().for_each(|usage| sink(StreamEvent::Usage(report_usage(usage))));
        if let Some(reason) = chunk.prompt_feedback.as_ref().and_then(|feedback| feedback.block_reason.as_text()) {
            sink(StreamEvent::End(AnswerEnd::Refused(reason.to_owned())));
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
                    arguments: called.arguments.map(RawValue::get),
                    signature: part.thought_signature.as_text(),
                    ..ToolCallPiece::default()
                }));
            }
        }
        candidate.finish_reason.as_text().into_iter().for_each(|reason| sink(StreamEvent::End(end_reason(reason))));
        Ok(())
    }
}

fn thinking_config(effort: Effort, form: EffortForm) -> ThinkingConfig {
    let (level, tokens) = match effort {
        Effort::None => return ThinkingConfig::ThinkingBudget(0),
        Effort::Minimal => ("MINIMAL", 1_000),
        Effort::Low => ("LOW", 1_000),
        Effort::Medium => ("MEDIUM", 8_000),
        Effort::High => ("HIGH", 24_000),
    };
    match form {
        EffortForm::Words => ThinkingConfig::ThinkingLevel(level),
        EffortForm::Tokens => ThinkingConfig::ThinkingBudget(tokens),
    }
}

fn end_reason(reason: &str) -> AnswerEnd {
    match reason {
        "STOP" | "FINISH_REASON_UNSPECIFIED" => AnswerEnd::Complete,
        "MAX_TOKENS" => AnswerEnd::Truncated,
        "SAFETY" => AnswerEnd::Refused(reason.to_owned()),
        "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" | "IMAGE_SAFETY" => {
            AnswerEnd::Filtered(reason.to_owned())
        }
        _ => AnswerEnd::Broken(reason.to_owned()),
    }
}

fn report_usage(usage: &UsageMetadata) -> UsageReport {
    let sum = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a.saturating_add(b.unwrap_or(0))));
    let prompt = usage.prompt_token_count.0;
    UsageReport {
        prompt: prompt.and_then(|_| sum(prompt, usage.tool_use_prompt_token_count.0)),
        cached: usage.cached_content_token_count.0,
        completion: sum(usage.candidates_token_count.0, usage.thoughts_token_count.0),
        ..UsageReport::default()
    }
}
