//! Google's generateContent, and its stream.

use axum::body::Bytes;
use serde::Serialize;
use serde_json::json;

use super::{Piece, SentBody, Shape, TextRequest, choose_finish_word, format_data_event};
use crate::{log::Tokens, reply::ReplyText};

/// `/v1beta/models/NAME:streamGenerateContent`, the same without a stream, and `/v1beta/models`.
#[derive(Debug)]
pub struct Gemini;

fn build_chunk(said: &ReplyText, content: &Piece, is_last: bool, has_usage: bool) -> impl Serialize + use<> {
    let mut candidate = json!({"content": {"role": "model", "parts": [{"text": content}]}, "index": 0});
    if is_last {
        let words = ["STOP", "MAX_TOKENS", "SAFETY", "RECITATION"];
        candidate["finishReason"] = json!(choose_finish_word(said.finish, words));
    }
    let mut chunk = json!({"candidates": [candidate], "modelVersion": said.model, "responseId": said.id});
    if has_usage {
        let usage = said.shown.map(|Tokens { prompt, cached, completion }| {
            json!({
                "promptTokenCount": prompt,
                "cachedContentTokenCount": cached,
                "candidatesTokenCount": completion,
                "totalTokenCount": prompt.saturating_add(completion),
            })
        });
        chunk["usageMetadata"] = json!(usage);
    }
    chunk
}

impl Shape for Gemini {
    fn parse_request(&self, call: &str, body: SentBody<'_>) -> TextRequest {
        let (model, verb) = call.split_once(':').unwrap_or((call, ""));
        let schemas = ["/generationConfig/responseJsonSchema", "/generationConfig/responseSchema"];
        let said = body.read_messages("/contents", "/parts");
        TextRequest {
            model: model.to_owned(),
            schema: schemas.into_iter().find_map(|at| body.read_at(at)),
            tokens_max: body.read_at("/generationConfig/maxOutputTokens"),
            stream: verb != "generateContent",
            ..said.with_system_text(&body.content_at("/systemInstruction/parts"))
        }
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        format_data_event(build_chunk(said, content, false, false))
    }

    fn render_closing(&self, _ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        vec![format_data_event(build_chunk(said, &Piece::Text(String::new()), true, said.shown.is_some()))]
    }

    fn render_whole_reply(&self, said: &ReplyText) -> impl Serialize {
        build_chunk(said, &said.whole_content(), true, true)
    }

    fn error_body(&self, kind: &str, message: &str) -> impl Serialize {
        json!({"error": {"code": 500, "message": message, "status": kind}})
    }

    fn render_model_list(&self, names: &[String]) -> impl Serialize {
        let list = names.iter().map(|name| json!({"name": format!("models/{name}"), "displayName": name}));
        json!({"models": list.collect::<Vec<_>>()})
    }
}
