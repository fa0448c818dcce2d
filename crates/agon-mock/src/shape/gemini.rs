//! Google's generateContent, and its stream.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Shape, TextRequest, choose_finish_word, format_data_event, join_messages, join_text_parts};
use crate::reply::ReplyText;

/// `/v1beta/models/NAME:streamGenerateContent`, the same without a stream, and `/v1beta/models`.
#[derive(Debug)]
pub struct Gemini;

fn build_usage(said: &ReplyText) -> Value {
    let Some((prompt, cached, completion)) = said.shown.token_counts() else { return Value::Null };
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt.saturating_add(completion),
    })
}

fn build_candidate_chunk(said: &ReplyText, content: &Value) -> Value {
    let candidate = json!({"content": {"role": "model", "parts": [{"text": content}]}, "index": 0});
    json!({"candidates": [candidate], "modelVersion": said.model, "responseId": said.id})
}

impl Shape for Gemini {
    fn parse_request(&self, call: &str, body: &Value) -> TextRequest {
        let (model, verb) = call.split_once(':').unwrap_or((call, ""));
        let (said, count) = join_messages(&body["contents"], "parts");
        let config = &body["generationConfig"];
        TextRequest {
            model: model.to_owned(),
            prompt: format!("system: {}\n{said}", join_text_parts(&body["systemInstruction"]["parts"])),
            messages: count + 1,
            schema: config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned(),
            tokens_max: config["maxOutputTokens"].as_u64(),
            stream: verb != "generateContent",
            usage: true,
            ..TextRequest::default()
        }
    }

    fn render_opening(&self, _said: &ReplyText) -> Vec<Bytes> {
        Vec::new()
    }

    fn render_piece(&self, said: &ReplyText, content: &Value) -> Bytes {
        format_data_event(&build_candidate_chunk(said, content))
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let mut last = build_candidate_chunk(said, &json!(""));
        last["candidates"][0]["finishReason"] =
            json!(choose_finish_word(said.finish, ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"]));
        if said.shown.token_counts().is_some() {
            last["usageMetadata"] = build_usage(said);
        }
        vec![format_data_event(&last)]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> Value {
        let mut whole = build_candidate_chunk(said, &said.whole_content());
        whole["candidates"][0]["finishReason"] =
            json!(choose_finish_word(said.finish, ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"]));
        whole["usageMetadata"] = build_usage(said);
        whole
    }

    fn render_ping(&self) -> Bytes {
        Bytes::from_static(b": keep-alive\n\n")
    }

    fn error_body(&self, kind: &str, message: &str) -> Value {
        json!({"error": {"code": 500, "message": message, "status": kind}})
    }

    fn render_model_list(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"name": format!("models/{name}"), "displayName": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
