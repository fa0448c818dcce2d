//! Anthropic's messages.

use axum::body::Bytes;
use serde::Serialize;
use serde_json::json;

use super::{Piece, SentBody, Shape, TextRequest, choose_finish_word, format_named_event};
use crate::{
    log::Tokens,
    reply::{FinishReason, ReplyText},
};

/// The tool by which Claude Code has its model answer a schema.
const ANSWER_TOOL: &str = "StructuredOutput";

/// `/v1/messages` and `/v1/models`.
#[derive(Debug)]
pub struct Anthropic;

/// Usage with `completion` tokens written; cached tokens are not part of `input_tokens` here.
fn build_usage(said: &ReplyText, completion: impl Fn(u64) -> u64) -> impl Serialize {
    let Some(Tokens { prompt, cached, completion: written }) = said.shown else { return json!({}) };
    json!({
        "input_tokens": prompt - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": completion(written),
    })
}

fn stop_reason(said: &ReplyText) -> &'static str {
    if said.tool.is_some() && said.finish == FinishReason::Stop {
        return "tool_use";
    }
    choose_finish_word(said.finish, ["end_turn", "max_tokens", "refusal", "refusal"])
}

impl Shape for Anthropic {
    fn parse_request(&self, _call: &str, body: SentBody<'_>) -> TextRequest {
        let tool = body.parts_at("/tools").find(|tool| tool.read_at("/name") == Some(ANSWER_TOOL));
        let input = || tool?.read_at("/input_schema");
        TextRequest {
            schema: body.read_at("/output_config/format/schema").or_else(input),
            tool: tool.map(|_| ANSWER_TOOL.to_owned()),
            tokens_max: body.read_at("/max_tokens"),
            ..body.read_messages("/messages", "/content").with_system_text(&body.content_at("/system"))
        }
    }

    fn render_opening(&self, said: &ReplyText) -> Vec<Bytes> {
        let message = json!({
            "id": said.id, "type": "message", "role": "assistant", "model": said.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": build_usage(said, |_| 1),
        });
        let block = match &said.tool {
            Some(tool) => {
                json!({"type": "tool_use", "id": format!("toolu_{}", said.id), "name": tool, "input": {}})
            }
            None => json!({"type": "text", "text": ""}),
        };
        vec![
            format_named_event(json!({"type": "message_start", "message": message})),
            format_named_event(json!({"type": "content_block_start", "index": 0, "content_block": block})),
            self.render_ping(),
        ]
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        let delta = match &said.tool {
            Some(_) => json!({"type": "input_json_delta", "partial_json": content}),
            None => json!({"type": "text_delta", "text": content}),
        };
        format_named_event(json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let usage = said.shown.map_or(json!({}), |shown| json!({"output_tokens": shown.completion}));
        let delta = json!({"stop_reason": stop_reason(said), "stop_sequence": null});
        vec![
            format_named_event(json!({"type": "content_block_stop", "index": 0})),
            format_named_event(json!({"type": "message_delta", "delta": delta, "usage": usage})),
            format_named_event(json!({"type": "message_stop"})),
        ]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> impl Serialize {
        json!({
            "id": said.id, "type": "message", "role": "assistant", "model": said.model,
            "content": [{"type": "text", "text": said.whole_content()}],
            "stop_reason": stop_reason(said), "stop_sequence": null, "usage": build_usage(said, |written| written),
        })
    }

    fn render_ping(&self) -> Bytes {
        format_named_event(json!({"type": "ping"}))
    }

    fn error_body(&self, kind: &str, message: &str) -> impl Serialize {
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_mock"})
    }

    fn format_event(&self, value: impl Serialize) -> Bytes {
        format_named_event(value)
    }

    fn render_model_list(&self, names: &[String]) -> impl Serialize {
        let list = names.iter().map(|name| json!({"type": "model", "id": name, "display_name": name}));
        json!({"data": list.collect::<Vec<_>>(), "has_more": false})
    }
}
