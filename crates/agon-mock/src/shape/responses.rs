//! OpenAI's responses, which Codex speaks.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Piece, Shape, TextRequest, format_named_event, read_common_fields};
use crate::{
    log::Tokens,
    reply::{FinishReason, ReplyText},
};

/// `/v1/responses`.
#[derive(Debug)]
pub struct Responses;

fn build_output_item(said: &ReplyText, text: &Piece) -> Value {
    let kind = if said.finish == FinishReason::Refusal { "refusal" } else { "output_text" };
    let field = if said.finish == FinishReason::Refusal { "refusal" } else { "text" };
    let part = json!({"type": kind, field: text, "annotations": []});
    json!({"id": format!("msg_{}", said.id), "type": "message", "role": "assistant", "status": "completed", "content": [part]})
}

fn build_response(said: &ReplyText, status: &str, output: Value) -> Value {
    let usage = said.shown.map(|Tokens { prompt, cached, completion }| {
        json!({
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": completion,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": prompt.saturating_add(completion),
        })
    });
    let id = format!("resp_{}", said.id);
    let mut response = json!({"id": id, "object": "response", "status": status, "model": said.model, "output": output});
    response["usage"] = if status == "in_progress" { Value::Null } else { usage.into() };
    response
}

/// The last event, or the whole answer: complete, or cut and why.
fn build_final_event(said: &ReplyText) -> (&'static str, Value) {
    let output = json!([build_output_item(said, &said.whole_content())]);
    let reason = match said.finish {
        FinishReason::Stop | FinishReason::Refusal => {
            return ("response.completed", build_response(said, "completed", output));
        }
        FinishReason::Length => "max_output_tokens",
        FinishReason::Filter => "content_filter",
    };
    let mut response = build_response(said, "incomplete", output);
    response["incomplete_details"] = json!({"reason": reason});
    ("response.incomplete", response)
}

impl Shape for Responses {
    fn parse_request(&self, _call: &str, body: &Value) -> TextRequest {
        let mut said = read_common_fields(body, "input");
        if let Some(text) = body["input"].as_str() {
            (said.prompt, said.messages) = (format!("user: {text}"), 1);
        }
        let format = body.pointer("/text/format").filter(|format| format["type"] == "json_schema");
        TextRequest {
            schema: format.map(|format| format["schema"].clone()),
            tokens_max: body["max_output_tokens"].as_u64(),
            ..said.with_system_text(body["instructions"].as_str().unwrap_or_default())
        }
    }

    fn render_opening(&self, said: &ReplyText) -> Vec<Bytes> {
        let mut begun = build_output_item(said, &Piece::Text(String::new()));
        (begun["status"], begun["content"]) = (json!("in_progress"), json!([]));
        let created = build_response(said, "in_progress", json!([]));
        vec![
            format_named_event(&json!({"type": "response.created", "response": created})),
            format_named_event(&json!({"type": "response.output_item.added", "output_index": 0, "item": begun})),
        ]
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        let kind = match said.finish {
            FinishReason::Refusal => "response.refusal.delta",
            _ => "response.output_text.delta",
        };
        let id = format!("msg_{}", said.id);
        format_named_event(
            &json!({"type": kind, "item_id": id, "output_index": 0, "content_index": 0, "delta": content}),
        )
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let (kind, response) = build_final_event(said);
        let done = json!({"type": "response.output_item.done", "output_index": 0, "item": build_output_item(said, &said.whole_content())});
        vec![format_named_event(&done), format_named_event(&json!({"type": kind, "response": response}))]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> Value {
        build_final_event(said).1
    }
}
