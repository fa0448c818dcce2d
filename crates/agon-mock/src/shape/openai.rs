//! Chat completions.

use axum::body::Bytes;
use serde::Serialize;
use serde_json::json;

use super::{Piece, SentBody, Shape, TextRequest, choose_finish_word, format_data_event};
use crate::{
    log::Tokens,
    reply::{FinishReason, ReplyText},
};

/// `/v1/chat/completions` and `/v1/models`.
#[derive(Debug)]
pub struct OpenAi;

fn build_usage(said: &ReplyText) -> Option<impl Serialize + use<>> {
    let Tokens { prompt, cached, completion } = said.shown?;
    Some(json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt.saturating_add(completion),
        "prompt_tokens_details": {"cached_tokens": cached},
    }))
}

fn finish_reason(said: &ReplyText) -> &'static str {
    choose_finish_word(said.finish, ["stop", "length", "stop", "content_filter"])
}

fn format_chunk(said: &ReplyText, choices: impl Serialize, usage: Option<impl Serialize>) -> Bytes {
    let ReplyText { id, model, .. } = said;
    let mut chunk =
        json!({"id": id, "object": "chat.completion.chunk", "created": 0, "model": model, "choices": choices});
    if let Some(usage) = usage {
        chunk["usage"] = json!(usage);
    }
    format_data_event(chunk)
}

/// A chunk of the one choice there is.
fn format_choice(said: &ReplyText, delta: impl Serialize, finish: Option<&str>) -> Bytes {
    format_chunk(said, json!([{"index": 0, "delta": delta, "finish_reason": finish}]), None::<()>)
}

impl Shape for OpenAi {
    fn parse_request(&self, _call: &str, body: SentBody<'_>) -> TextRequest {
        TextRequest {
            schema: body.read_at("/response_format/json_schema/schema"),
            tokens_max: body.read_at("/max_completion_tokens").or_else(|| body.read_at("/max_tokens")),
            usage: body.read_at("/stream_options/include_usage") == Some(true),
            ..body.read_messages("/messages", "/content")
        }
    }

    fn render_opening(&self, said: &ReplyText) -> Vec<Bytes> {
        vec![format_choice(said, json!({"role": "assistant", "content": ""}), None)]
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        let field = if said.finish == FinishReason::Refusal { "refusal" } else { "content" };
        format_choice(said, json!({field: content}), None)
    }

    fn render_closing(&self, ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let end = format_choice(said, json!({}), Some(finish_reason(said)));
        let usage = build_usage(said).filter(|_| ask.usage).map(|usage| format_chunk(said, json!([]), Some(usage)));
        let done = Bytes::from_static(b"data: [DONE]\n\n");
        [Some(end), usage, Some(done)].into_iter().flatten().collect()
    }

    fn render_whole_reply(&self, said: &ReplyText) -> impl Serialize {
        let content = said.whole_content();
        let message = match said.finish {
            FinishReason::Refusal => json!({"role": "assistant", "content": null, "refusal": content}),
            _ => json!({"role": "assistant", "content": content, "refusal": null}),
        };
        json!({
            "id": said.id, "object": "chat.completion", "created": 0, "model": said.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(said)}],
            "usage": build_usage(said),
        })
    }
}
