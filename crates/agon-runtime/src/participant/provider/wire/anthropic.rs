//! Anthropic's messages.

use std::{borrow::Cow, collections::BTreeSet};

use agon_core::form::FormField;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    AnswerEnd, RoleMessage, StreamEvent, ToolCallPiece, UsageReport, Wire, WireProfile, arguments_object, declare_tool,
    encode_json, extend_path, lookup_turns, rounded_temperature, split_system,
};
use crate::{
    lookups::{LookupTurn, RequestedLookups, Thought},
    participant::{
        Call, ChatRole, Effort,
        json::{FrameCount, FrameField, FrameText},
        provider::request_fields::{EffortForm, RequestFields},
    },
};

/// The highest temperature that is taken.
const TEMPERATURE_MAX: f64 = 1.0;
/// Most marks of what is kept that a request may have, the one of the system text apart.
const KEPT_MAX: usize = 3;
/// Tokens of thinking that a model without efforts gets for them; its least is the first.
const THINKING_TOKENS: [u32; 3] = [1_024, 8_000, 24_000];

/// Messages.
#[derive(Debug)]
pub(in super::super) struct AnthropicWire;

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct MessagesBody<'c, T> {
    model: &'c str,
    stream: bool,
    max_tokens: u32,
    temperature: Option<f64>,
    thinking: Option<ThinkingMode>,
    output_config: Option<OutputConfig<'c>>,
    system: Option<[ContentBlock<'c>; 1]>,
    tools: Option<Vec<T>>,
    tool_choice: Option<ToolChoice>,
    messages: Vec<AnthropicMessage<'c>>,
}

/// How thinking is asked for.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ThinkingMode {
    Disabled,
    Adaptive,
    Enabled { budget_tokens: u32 },
}

#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct OutputConfig<'c> {
    effort: Option<&'static str>,
    format: Option<OutputFormat<'c>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OutputFormat<'c> {
    JsonSchema { schema: &'c FormField },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ToolChoice {
    None,
}

#[derive(Serialize)]
struct AnthropicMessage<'c> {
    role: ChatRole,
    content: MessageContent<'c>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum MessageContent<'c> {
    Text(Cow<'c, str>),
    Blocks(Vec<ContentBlock<'c>>),
}

/// A turn in which something was looked up, and what it gave.
fn lookup_messages(turn: &LookupTurn) -> [AnthropicMessage<'_>; 2] {
    let RequestedLookups { thoughts, said, calls } = &turn.requested;
    let thoughts = thoughts.iter();
    let thoughts = thoughts.map(|Thought { text, signature }| ContentBlock::Thinking { thinking: text, signature });
    let said = (!said.is_empty()).then(|| ContentBlock::text(said.as_str(), false));
    let called = calls.iter();
    let called =
        called.map(|call| ContentBlock::ToolUse { id: &call.id, name: &call.name, input: arguments_object(call) });
    let results = turn.made_calls();
    let results = results.map(|(call, content)| ContentBlock::ToolResult { tool_use_id: &call.id, content });
    [(ChatRole::Assistant, thoughts.chain(said).chain(called).collect()), (ChatRole::User, results.collect())]
        .map(|(role, blocks)| AnthropicMessage { role, content: MessageContent::Blocks(blocks) })
}

/// A part of a content. A text has a mark if the service is to keep everything up to its end.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentBlock<'c> {
    Text {
        text: Cow<'c, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheMark>,
    },
    Thinking {
        thinking: &'c str,
        signature: &'c str,
    },
    ToolUse {
        id: &'c str,
        name: &'c str,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: &'c str,
        content: &'c str,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum CacheMark {
    Ephemeral,
}

impl<'c> ContentBlock<'c> {
    fn text(text: impl Into<Cow<'c, str>>, is_kept: bool) -> Self {
        Self::Text { text: text.into(), cache_control: is_kept.then_some(CacheMark::Ephemeral) }
    }
}

/// An event of a stream, or a whole message. An enum with a tag would copy the event to read the tag first.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct MessageEvent<'f> {
    r#type: FrameText<'f>,
    index: Option<u32>,
    message: Option<MessageHead<'f>>,
    delta: Option<MessageBlock<'f>>,
    content_block: Option<MessageBlock<'f>>,
    error: Option<&'f RawValue>,
    usage: FrameField<MessageUsage>,
    // What a whole message has of its own.
    content: Vec<MessageBlock<'f>>,
    model: FrameText<'f>,
    id: FrameText<'f>,
    stop_reason: FrameText<'f>,
}

/// How a message begins.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct MessageHead<'f> {
    model: FrameText<'f>,
    id: FrameText<'f>,
    usage: FrameField<MessageUsage>,
}

/// What was read from or written to the cache is not part of `input_tokens`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageUsage {
    input_tokens: FrameCount,
    cache_read_input_tokens: FrameCount,
    cache_creation_input_tokens: FrameCount,
    output_tokens: FrameCount,
}

/// A block of content, what is added to one, or how a message ends.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct MessageBlock<'f> {
    r#type: FrameText<'f>,
    id: FrameText<'f>,
    name: FrameText<'f>,
    input: Option<&'f RawValue>,
    partial_json: FrameText<'f>,
    signature: FrameText<'f>,
    text: FrameText<'f>,
    thinking: FrameText<'f>,
    stop_reason: FrameText<'f>,
}

impl Wire for AnthropicWire {
    fn profile(&self) -> &'static WireProfile {
        &WireProfile {
            name: "anthropic",
            address: "https://api.anthropic.com/v1/",
            path: "/v1/",
            surplus: &["/messages"],
            key_variable: "ANTHROPIC_API_KEY",
            address_variable: Some("ANTHROPIC_BASE_URL"),
            key_header: "x-api-key",
            headers: &[("anthropic-version", "2023-06-01")],
            families: &["claude-"],
            schema_fields: &["output_config.format", "output_format", "schema", "structured output", "grammar"],
            counts_ahead: false,
        }
    }

    fn generation_url(&self, base: &Url, _model: &str) -> Url {
        extend_path(base, &["messages"])
    }

    fn models_url(&self, base: &Url) -> Url {
        let mut url = extend_path(base, &["models"]);
        url.query_pairs_mut().append_pair("limit", "1000");
        url
    }

    /// Dated names are listed, and undated ones are taken.
    fn is_listed(&self, models: &BTreeSet<String>, model: &str) -> bool {
        let model = model.strip_suffix("-latest").unwrap_or(model);
        models.iter().any(|listed| listed.strip_prefix(model).is_some_and(is_date))
    }

    fn build_body(&self, model: &str, call: &Call, fields: &RequestFields) -> Vec<u8> {
        let (system, messages) = split_system(call, fields);
        let limit = fields.tokens_max(call);
        let (thinking, effort) = thinking_fields(fields, limit);
        let format = call.schema.as_deref().filter(|_| fields.schema);
        let format = format.map(|schema| OutputFormat::JsonSchema { schema });
        let has_config = effort.is_some() || format.is_some();
        let said = call.messages.iter().filter(|message| message.role != ChatRole::System);
        let messages = messages.into_iter().zip(said).map(|(RoleMessage { role, content }, message)| {
            // Where the system text stands in front, nobody knows where what is shared ends.
            let shared = if content.len() == message.text.len() { message.shared.as_slice() } else { &[] };
            AnthropicMessage { role, content: build_content(content, shared) }
        });
        // What was called must be declared as long as the calls are shown.
        let tools = call.lookups.as_ref().filter(|_| fields.tools);
        encode_json(&MessagesBody {
            model,
            stream: true,
            max_tokens: limit,
            temperature: rounded_temperature(call, fields).map(|temperature| temperature.min(TEMPERATURE_MAX)),
            thinking,
            output_config: has_config.then_some(OutputConfig { effort, format }),
            system: system.map(|text| [ContentBlock::text(text, true)]),
            tools: tools
                .map(|lookups| lookups.desk.tools().iter().map(|tool| declare_tool(*tool, "input_schema")).collect()),
            tool_choice: tools.filter(|lookups| lookups.desk.is_closed()).map(|_| ToolChoice::None),
            messages: messages.chain(lookup_turns(call).iter().flat_map(lookup_messages)).collect(),
        })
    }

    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error> {
        let event: MessageEvent<'_> = serde_json::from_str(frame)?;
        if let Some(error) = event.error {
            sink(StreamEvent::Failed(error.get()));
            return Ok(());
        }
        let head = event.message.iter().map(|head| (&head.model, &head.id, &head.usage));
        for (model, id, usage) in head.chain([(&event.model, &event.id, &event.usage)]) {
            model.as_text().into_iter().for_each(|model| sink(StreamEvent::Model(model)));
            id.as_text().into_iter().for_each(|id| sink(StreamEvent::Id(id)));
            usage.0.iter().for_each(|usage| sink(StreamEvent::Usage(report_usage(usage))));
        }
        for block in event.content.iter().chain(&event.content_block).chain(&event.delta) {
            block.thinking.as_text().into_iter().for_each(|thought| sink(StreamEvent::Reasoning(thought)));
            block.text.as_text().into_iter().for_each(|text| sink(StreamEvent::Text(text)));
            block.signature.as_text().into_iter().for_each(|signature| sink(StreamEvent::ThoughtSignature(signature)));
            let is_called = block.r#type.as_text() == Some("tool_use");
            if is_called || block.partial_json.as_text().is_some() {
                // An empty object stands in the place of arguments that follow in pieces.
                let whole = block.input.map(RawValue::get).filter(|input| *input != "{}");
                sink(StreamEvent::ToolCall(ToolCallPiece {
                    index: event.index,
                    id: block.id.as_text(),
                    name: block.name.as_text(),
                    arguments: block.partial_json.as_text().or(whole),
                    signature: None,
                }));
            }
        }
        let ends = [event.delta.as_ref().and_then(|delta| delta.stop_reason.as_text()), event.stop_reason.as_text()];
        ends.into_iter().flatten().for_each(|reason| sink(StreamEvent::End(end_reason(reason))));
        if event.r#type.as_text() == Some("message_stop") {
            sink(StreamEvent::Done);
        }
        Ok(())
    }
}

/// The text of a message in blocks that end where those of other prompts do: the service finds what it has kept at the
/// ends of blocks alone. Up to the last ones everything is kept.
fn build_content<'c>(text: Cow<'c, str>, shared: &[usize]) -> MessageContent<'c> {
    let (mut blocks, mut from) = (Vec::new(), 0);
    for (at, end) in shared.iter().copied().enumerate() {
        blocks.push(ContentBlock::text(text[from..end].to_owned(), at + KEPT_MAX >= shared.len()));
        from = end;
    }
    if blocks.is_empty() {
        return MessageContent::Text(text);
    }
    if from < text.len() {
        blocks.push(ContentBlock::text(text[from..].to_owned(), false));
    }
    MessageContent::Blocks(blocks)
}

/// Whether what follows the name of a model is nothing or a date.
fn is_date(rest: &str) -> bool {
    let date = |date: &str| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    rest.is_empty() || rest.strip_prefix('-').is_some_and(date)
}

/// The fields of an effort: how thinking is asked for, and the effort itself. Older models take tokens of thinking in
/// its place, which must leave room for the answer.
fn thinking_fields(fields: &RequestFields, limit: u32) -> (Option<ThinkingMode>, Option<&'static str>) {
    let Some(effort) = fields.effort else { return (None, None) };
    let (word, tokens) = match effort {
        Effort::None => return (Some(ThinkingMode::Disabled), None),
        Effort::Minimal | Effort::Low => ("low", THINKING_TOKENS[0]),
        Effort::Medium => ("medium", THINKING_TOKENS[1]),
        Effort::High => ("high", THINKING_TOKENS[2]),
    };
    match fields.effort_form {
        EffortForm::Words => (Some(ThinkingMode::Adaptive), Some(word)),
        EffortForm::Tokens => {
            let budget_tokens = tokens.min(limit / 2);
            ((budget_tokens >= THINKING_TOKENS[0]).then_some(ThinkingMode::Enabled { budget_tokens }), None)
        }
    }
}

fn end_reason(reason: &str) -> AnswerEnd {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" => AnswerEnd::Complete,
        "max_tokens" | "model_context_window_exceeded" => AnswerEnd::Truncated,
        "refusal" => AnswerEnd::Refused("no reason given".to_owned()),
        _ => AnswerEnd::Broken(reason.to_owned()),
    }
}

fn report_usage(usage: &MessageUsage) -> UsageReport {
    let cached = usage.cache_read_input_tokens.0.unwrap_or(0);
    let written = usage.cache_creation_input_tokens.0.unwrap_or(0);
    let prompt = usage.input_tokens.0.map(|input| input.saturating_add(cached).saturating_add(written));
    UsageReport {
        prompt,
        cached: prompt.map(|_| cached),
        cache_write: prompt.map(|_| written),
        completion: usage.output_tokens.0,
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_end_where_those_of_other_prompts_do_and_the_last_ends_are_kept() {
        let shown = |shared: &[usize]| serde_json::to_value(build_content("abcdef".into(), shared)).unwrap();
        assert_eq!(shown(&[]), json!("abcdef"));
        let blocks = shown(&[1, 2, 3, 4]);
        let all: Vec<(&str, bool)> = blocks
            .as_array()
            .unwrap()
            .iter()
            .map(|block| (block["text"].as_str().unwrap(), block["cache_control"].is_object()))
            .collect();
        assert_eq!(all, [("a", false), ("b", true), ("c", true), ("d", true), ("ef", false)]);
        assert_eq!(shown(&[6])[0]["cache_control"], json!({"type": "ephemeral"}));
        assert_eq!(shown(&[6]).as_array().unwrap().len(), 1);
    }
}
