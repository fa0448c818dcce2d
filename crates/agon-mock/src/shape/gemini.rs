//! Google's generateContent, and its stream.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Shape, TextRequest, data, messages, text, word};
use crate::reply::ReplyText;

/// `/v1beta/models/NAME:streamGenerateContent`, the same without a stream, and `/v1beta/models`.
#[derive(Debug)]
pub struct Gemini;

fn usage(said: &ReplyText) -> Value {
    let Some((prompt, cached, completion)) = said.shown.counts() else { return Value::Null };
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt.saturating_add(completion),
    })
}

fn part(said: &ReplyText, content: &Value) -> Value {
    let candidate = json!({"content": {"role": "model", "parts": [{"text": content}]}, "index": 0});
    json!({"candidates": [candidate], "modelVersion": said.model, "responseId": said.id})
}

impl Shape for Gemini {
    fn ask(&self, call: &str, body: &Value) -> TextRequest {
        let (model, verb) = call.split_once(':').unwrap_or((call, ""));
        let (said, count) = messages(&body["contents"], "parts");
        let config = &body["generationConfig"];
        TextRequest {
            model: model.to_owned(),
            prompt: format!("system: {}\n{said}", text(&body["systemInstruction"]["parts"])),
            messages: count + 1,
            schema: config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned(),
            tokens_max: config["maxOutputTokens"].as_u64(),
            stream: verb != "generateContent",
            usage: true,
            ..TextRequest::default()
        }
    }

    fn opening(&self, _said: &ReplyText) -> Vec<Bytes> {
        Vec::new()
    }

    fn piece(&self, said: &ReplyText, content: &Value) -> Bytes {
        data(&part(said, content))
    }

    fn closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let mut last = part(said, &json!(""));
        last["candidates"][0]["finishReason"] =
            json!(word(said.finish, ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"]));
        if said.shown.counts().is_some() {
            last["usageMetadata"] = usage(said);
        }
        vec![data(&last)]
    }

    fn whole(&self, said: &ReplyText) -> Value {
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
