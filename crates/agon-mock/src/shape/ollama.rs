//! Ollama's own interface.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Piece, Shape, TextRequest, choose_finish_word, read_common_fields};
use crate::{log::Tokens, reply::ReplyText};

/// `/api/chat` and `/api/tags`.
#[derive(Debug)]
pub struct Ollama;

fn format_json_line(value: &Value) -> Bytes {
    Bytes::from(format!("{value}\n"))
}

fn build_message(said: &ReplyText, content: &Piece, done: bool) -> Value {
    json!({
        "model": said.model, "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": content}, "done": done,
    })
}

fn build_last_message(said: &ReplyText, content: &Piece) -> Value {
    let mut last = build_message(said, content, true);
    last["done_reason"] = json!(choose_finish_word(said.finish, ["stop", "length", "stop", "stop"]));
    if let Some(Tokens { prompt, cached, completion }) = said.shown {
        last["prompt_eval_count"] = json!(prompt);
        last["prompt_eval_cached_count"] = json!(cached);
        last["eval_count"] = json!(completion);
    }
    last
}

impl Shape for Ollama {
    fn parse_request(&self, _call: &str, body: &Value) -> TextRequest {
        TextRequest {
            schema: body.get("format").filter(|format| format.is_object()).cloned(),
            tokens_max: body["options"]["num_predict"].as_u64(),
            stream: body["stream"] != json!(false),
            ..read_common_fields(body, "messages")
        }
    }

    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        format_json_line(&build_message(said, content, false))
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        vec![format_json_line(&build_last_message(said, &Piece::Text(String::new())))]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> Value {
        build_last_message(said, &said.whole_content())
    }

    fn render_ping(&self) -> Bytes {
        Bytes::from_static(b"\n")
    }

    fn error_body(&self, _kind: &str, message: &str) -> Value {
        json!({"error": message})
    }

    fn error_event(&self, kind: &str) -> Bytes {
        format_json_line(&self.error_body(kind, "the mock failed on request"))
    }

    fn render_model_list(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"name": format!("{name}:latest"), "model": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
