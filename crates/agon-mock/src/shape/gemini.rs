//! Google's generateContent, and its stream.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Piece, Shape, TextRequest, choose_finish_word, format_data_event, join_messages, join_text_parts};
use crate::{log::Tokens, reply::ReplyText};

/// `/v1beta/models/NAME:streamGenerateContent`, the same without a stream, and `/v1beta/models`.
#[derive(Debug)]
pub struct Gemini;

fn build_usage(said: &ReplyText) -> Value {
    let Some(Tokens { prompt, cached, completion }) = said.shown else { return Value::Null };
    json!({
        "promptTokenCount": prompt,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt.saturating_add(completion),
    })
}

fn build_last_chunk(said: &ReplyText, content: &Piece) -> Value {
    let mut last = build_candidate_chunk(said, content);
    let words = ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"];
    last["candidates"][0]["finishReason"] = json!(choose_finish_word(said.finish, words));
    last
}

fn build_candidate_chunk(said: &ReplyText, content: &Piece) -> Value {
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

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        format_data_event(&build_candidate_chunk(said, content))
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let mut last = build_last_chunk(said, &Piece::Text(String::new()));
        if said.shown.is_some() {
            last["usageMetadata"] = build_usage(said);
        }
        vec![format_data_event(&last)]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> Value {
        let mut whole = build_last_chunk(said, &said.whole_content());
        whole["usageMetadata"] = build_usage(said);
        whole
    }

    fn error_body(&self, kind: &str, message: &str) -> Value {
        json!({"error": {"code": 500, "message": message, "status": kind}})
    }

    fn render_model_list(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"name": format!("models/{name}"), "displayName": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
