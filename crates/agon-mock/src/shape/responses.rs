//! OpenAI's responses, which Codex speaks.

use axum::body::Bytes;
use serde::Serialize;
use serde_json::json;

use super::{Piece, SentBody, Shape, TextRequest, format_named_event};
use crate::{
    log::Tokens,
    reply::{FinishReason, ReplyText},
};

/// `/v1/responses`.
#[derive(Debug)]
pub struct Responses;

/// The message of the answer, which has no text where it only begins.
fn build_output_item(said: &ReplyText, text: Option<&Piece>) -> impl Serialize + use<> {
    let (kind, field) = match said.finish {
        FinishReason::Refusal => ("refusal", "refusal"),
        _ => ("output_text", "text"),
    };
    let status = if text.is_some() { "completed" } else { "in_progress" };
    let content = Vec::from_iter(text.map(|text| json!({"type": kind, field: text, "annotations": []})));
    let id = format!("msg_{}", said.id);
    json!({"id": id, "type": "message", "role": "assistant", "status": status, "content": content})
}

/// The answer that begins, or ends where `output` is there.
fn build_response(said: &ReplyText, output: Option<impl Serialize>) -> impl Serialize {
    let cut = find_cut(said).filter(|_| output.is_some());
    let usage = said.shown.filter(|_| output.is_some()).map(|Tokens { prompt, cached, completion }| {
        json!({
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": completion,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": prompt.saturating_add(completion),
        })
    });
    let status = match (&output, cut) {
        (None, _) => "in_progress",
        (_, None) => "completed",
        (_, Some(_)) => "incomplete",
    };
    let (id, output) = (format!("resp_{}", said.id), Vec::from_iter(output));
    let mut response = json!({"id": id, "object": "response", "status": status, "model": said.model, "output": output, "usage": usage});
    if let Some(reason) = cut {
        response["incomplete_details"] = json!({"reason": reason});
    }
    response
}

/// Why the answer is not whole.
fn find_cut(said: &ReplyText) -> Option<&'static str> {
    match said.finish {
        FinishReason::Stop | FinishReason::Refusal => None,
        FinishReason::Length => Some("max_output_tokens"),
        FinishReason::Filter => Some("content_filter"),
    }
}

impl Shape for Responses {
    fn parse_request(&self, _call: &str, body: SentBody<'_>) -> TextRequest {
        let mut said = body.read_messages("/input", "/content");
        if let Some(text) = body.read_at::<&str>("/input") {
            (said.prompt, said.messages) = (format!("user: {text}"), 1);
        }
        let is_form = body.read_at("/text/format/type") == Some("json_schema");
        TextRequest {
            schema: body.read_at("/text/format/schema").filter(|_| is_form),
            tokens_max: body.read_at("/max_output_tokens"),
            ..said.with_system_text(body.read_at("/instructions").unwrap_or_default())
        }
    }

    fn render_opening(&self, said: &ReplyText) -> Vec<Bytes> {
        let (created, begun) = (build_response(said, None::<()>), build_output_item(said, None));
        vec![
            format_named_event(json!({"type": "response.created", "response": created})),
            format_named_event(json!({"type": "response.output_item.added", "output_index": 0, "item": begun})),
        ]
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        let kind = match said.finish {
            FinishReason::Refusal => "response.refusal.delta",
            _ => "response.output_text.delta",
        };
        let id = format!("msg_{}", said.id);
        format_named_event(
            json!({"type": kind, "item_id": id, "output_index": 0, "content_index": 0, "delta": content}),
        )
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let item = build_output_item(said, Some(&said.whole_content()));
        let kind = if find_cut(said).is_some() { "response.incomplete" } else { "response.completed" };
        let end = json!({"type": kind, "response": self.render_whole_reply(said)});
        let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
        vec![format_named_event(done), format_named_event(end)]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> impl Serialize {
        build_response(said, Some(build_output_item(said, Some(&said.whole_content()))))
    }
}
