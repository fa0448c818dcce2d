//! Ollama's own interface.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Shape, TextRequest, messages, word};
use crate::reply::ReplyText;

/// `/api/chat` and `/api/tags`.
#[derive(Debug)]
pub struct Ollama;

fn line(value: &Value) -> Bytes {
    Bytes::from(format!("{value}\n"))
}

fn message(said: &ReplyText, content: &Value, done: bool) -> Value {
    json!({
        "model": said.model, "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": content}, "done": done,
    })
}

fn last(said: &ReplyText, content: &Value) -> Value {
    let mut last = message(said, content, true);
    last["done_reason"] = json!(word(said.finish, ["stop", "length", "stop", "stop"]));
    if let Some((prompt, cached, completion)) = said.shown.counts() {
        last["prompt_eval_count"] = json!(prompt);
        last["prompt_eval_cached_count"] = json!(cached);
        last["eval_count"] = json!(completion);
    }
    last
}

impl Shape for Ollama {
    fn ask(&self, _call: &str, body: &Value) -> TextRequest {
        let (prompt, count) = messages(&body["messages"], "content");
        TextRequest {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            prompt,
            messages: count,
            schema: body.get("format").filter(|format| format.is_object()).cloned(),
            tokens_max: body["options"]["num_predict"].as_u64(),
            stream: body["stream"] != json!(false),
            usage: true,
            ..TextRequest::default()
        }
    }

    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn opening(&self, _said: &ReplyText) -> Vec<Bytes> {
        Vec::new()
    }

    fn piece(&self, said: &ReplyText, content: &Value) -> Bytes {
        line(&message(said, content, false))
    }

    fn closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        vec![line(&last(said, &json!("")))]
    }

    fn whole(&self, said: &ReplyText) -> Value {
        last(said, &said.content())
    }

    fn ping(&self) -> Bytes {
        Bytes::from_static(b"\n")
    }

    fn error(&self, _kind: &str, message: &str) -> Value {
        json!({"error": message})
    }

    fn error_event(&self, kind: &str) -> Bytes {
        line(&self.error(kind, "the mock failed on request"))
    }

    fn models(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"name": format!("{name}:latest"), "model": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
