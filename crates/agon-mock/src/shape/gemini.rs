//! Google's generateContent, and its stream.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Ask, Shape, data, messages, text, word};
use crate::reply::Said;

/// `/v1beta/models/NAME:streamGenerateContent`, the same without a stream, and `/v1beta/models`.
#[derive(Debug)]
pub struct Gemini;

fn usage(said: &Said) -> Value {
    let Some((prompt, cached, completion)) = said.shown.counts() else { return Value::Null };
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt.saturating_add(completion),
    })
}

fn part(said: &Said, content: &Value) -> Value {
    let candidate = json!({"content": {"role": "model", "parts": [{"text": content}]}, "index": 0});
    json!({"candidates": [candidate], "modelVersion": said.model, "responseId": said.id})
}

impl Shape for Gemini {
    fn ask(&self, call: &str, body: &Value) -> Ask {
        let (model, verb) = call.split_once(':').unwrap_or((call, ""));
        let (said, count) = messages(&body["contents"], "parts");
        let config = &body["generationConfig"];
        Ask {
            model: model.to_owned(),
            prompt: format!("system: {}\n{said}", text(&body["systemInstruction"]["parts"])),
            messages: count + 1,
            schema: config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned(),
            tokens_max: config["maxOutputTokens"].as_u64(),
            stream: verb != "generateContent",
            usage: true,
            ..Ask::default()
        }
    }

    fn opening(&self, _said: &Said) -> Vec<Bytes> {
        Vec::new()
    }

    fn piece(&self, said: &Said, content: &Value) -> Bytes {
        data(&part(said, content))
    }

    fn closing(&self, _ask: &Ask, said: &Said) -> Vec<Bytes> {
        let mut last = part(said, &json!(""));
        last["candidates"][0]["finishReason"] =
            json!(word(said.finish, ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"]));
        if said.shown.counts().is_some() {
            last["usageMetadata"] = usage(said);
        }
        vec![data(&last)]
    }

    fn whole(&self, said: &Said) -> Value {
        let mut whole = part(said, &said.content());
        whole["candidates"][0]["finishReason"] =
            json!(word(said.finish, ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"]));
        whole["usageMetadata"] = usage(said);
        whole
    }

    fn ping(&self) -> Bytes {
        Bytes::from_static(b": keep-alive\n\n")
    }

    fn error(&self, kind: &str, message: &str) -> Value {
        json!({"error": {"code": 500, "message": message, "status": kind}})
    }

    fn models(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"name": format!("models/{name}"), "displayName": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
