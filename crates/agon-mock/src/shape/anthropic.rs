//! Anthropic's messages.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Shape, TextRequest, event, messages, text, word};
use crate::reply::{FinishReason, ReplyText};

/// The tool by which Claude Code has its model answer a schema.
const ANSWER_TOOL: &str = "StructuredOutput";

/// `/v1/messages` and `/v1/models`.
#[derive(Debug)]
pub struct Anthropic;

/// Usage with `completion` tokens written; cached tokens are not part of `input_tokens` here.
fn usage(said: &ReplyText, completion: impl Fn(u64) -> u64) -> Value {
    let Some((prompt, cached, written)) = said.shown.counts() else { return json!({}) };
    json!({
        "input_tokens": prompt - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": completion(written),
    })
}

fn finish(said: &ReplyText) -> &'static str {
    if said.tool.is_some() && said.finish == FinishReason::Stop {
        return "tool_use";
    }
    word(said.finish, ["end_turn", "max_tokens", "refusal", "refusal"])
}

impl Shape for Anthropic {
    fn ask(&self, _call: &str, body: &Value) -> TextRequest {
        let (said, count) = messages(&body["messages"], "content");
        let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        let tool = tools.iter().find(|tool| tool["name"] == ANSWER_TOOL);
        TextRequest {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            prompt: format!("system: {}\n{said}", text(&body["system"])),
            messages: count + 1,
            schema: body
                .pointer("/output_config/format/schema")
                .or(tool.map(|t| &t["input_schema"]))
                .cloned(),
            tool: tool.map(|_| ANSWER_TOOL.to_owned()),
            tokens_max: body["max_tokens"].as_u64(),
            stream: body["stream"] == json!(true),
            usage: true,
        }
    }

    fn opening(&self, said: &ReplyText) -> Vec<Bytes> {
        let message = json!({
            "id": said.id, "type": "message", "role": "assistant", "model": said.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage(said, |_| 1),
        });
        let block = match &said.tool {
            Some(tool) => {
                json!({"type": "tool_use", "id": format!("toolu_{}", said.id), "name": tool, "input": {}})
            }
            None => json!({"type": "text", "text": ""}),
        };
        vec![
            event(&json!({"type": "message_start", "message": message})),
            event(&json!({"type": "content_block_start", "index": 0, "content_block": block})),
            self.ping(),
        ]
    }

    fn piece(&self, said: &ReplyText, content: &Value) -> Bytes {
        let delta = match &said.tool {
            Some(_) => json!({"type": "input_json_delta", "partial_json": content}),
            None => json!({"type": "text_delta", "text": content}),
        };
        event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    }

    fn closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let usage = match said.shown.counts() {
            Some((_, _, written)) => json!({"output_tokens": written}),
            None => json!({}),
        };
        let delta = json!({"stop_reason": finish(said), "stop_sequence": null});
        vec![
            event(&json!({"type": "content_block_stop", "index": 0})),
            event(&json!({"type": "message_delta", "delta": delta, "usage": usage})),
            event(&json!({"type": "message_stop"})),
        ]
    }

    fn whole(&self, said: &ReplyText) -> Value {
        json!({
            "id": said.id, "type": "message", "role": "assistant", "model": said.model,
            "content": [{"type": "text", "text": said.content()}],
            "stop_reason": finish(said), "stop_sequence": null, "usage": usage(said, |written| written),
        })
    }

    fn ping(&self) -> Bytes {
        event(&json!({"type": "ping"}))
    }

    fn error(&self, kind: &str, message: &str) -> Value {
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_mock"})
    }

    fn error_event(&self, kind: &str) -> Bytes {
        event(&self.error(kind, "the mock failed on request"))
    }

    fn models(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"type": "model", "id": name, "display_name": name}));
        json!({"data": list.collect::<Vec<_>>(), "has_more": false})
    }
}
