//! Ollama's own interface.

use axum::body::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Piece, SentBody, Shape, TextRequest, choose_finish_word};
use crate::{log::Tokens, reply::ReplyText};

/// `/api/chat` and `/api/tags`.
#[derive(Debug)]
pub struct Ollama;

fn build_message(said: &ReplyText, content: &Piece, done: bool) -> impl Serialize + use<> {
    let mut line = json!({
        "model": said.model, "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": content}, "done": done,
    });
    if done {
        line["done_reason"] = json!(choose_finish_word(said.finish, ["stop", "length", "stop", "stop"]));
    }
    if let Some(Tokens { prompt, cached, completion }) = said.shown.filter(|_| done) {
        line["prompt_eval_count"] = json!(prompt);
        line["prompt_eval_cached_count"] = json!(cached);
        line["eval_count"] = json!(completion);
    }
    line
}

impl Shape for Ollama {
    fn parse_request(&self, _call: &str, body: SentBody<'_>) -> TextRequest {
        TextRequest {
            schema: body.read_at("/format").filter(Value::is_object),
            tokens_max: body.read_at("/options/num_predict"),
            stream: body.read_at("/stream").unwrap_or(true),
            ..body.read_messages("/messages", "/content")
        }
    }

    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        self.format_event(build_message(said, content, false))
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        vec![self.format_event(build_message(said, &Piece::Text(String::new()), true))]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> impl Serialize {
        build_message(said, &said.whole_content(), true)
    }

    fn render_ping(&self) -> Bytes {
        Bytes::from_static(b"\n")
    }

    fn error_body(&self, _kind: &str, message: &str) -> impl Serialize {
        json!({"error": message})
    }

    fn format_event(&self, value: impl Serialize) -> Bytes {
        Bytes::from(format!("{}\n", json!(value)))
    }

    fn render_model_list(&self, names: &[String]) -> impl Serialize {
        let list = names.iter().map(|name| json!({"name": format!("{name}:latest"), "model": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
