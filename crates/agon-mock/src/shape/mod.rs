//! How each provider's requests are read and its replies written.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use axum::body::Bytes;
use serde_json::{Value, json};

use crate::{
    ask::TextRequest,
    reply::{FinishReason, Piece, ReplyText},
};
pub use anthropic::Anthropic;
pub use gemini::Gemini;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use responses::Responses;

/// The HTTP dialect of one provider; what several have in common is as OpenAI has it.
pub trait Shape: Send + Sync {
    /// Reads a request; `call` is the end of its path, where some have model and verb.
    fn parse_request(&self, call: &str, body: &Value) -> TextRequest;
    /// Content type of a stream.
    fn content_type(&self) -> &'static str {
        "text/event-stream"
    }
    /// What comes before the text.
    fn render_opening(&self, _said: &ReplyText) -> Vec<Bytes> {
        Vec::new()
    }
    /// One piece of the text.
    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes;
    /// What comes after the text.
    fn render_closing(&self, ask: &TextRequest, said: &ReplyText) -> Vec<Bytes>;
    /// The whole reply at once.
    fn render_whole_reply(&self, said: &ReplyText) -> Value;
    /// A keep-alive.
    fn render_ping(&self) -> Bytes {
        Bytes::from_static(b": keep-alive\n\n")
    }
    /// The body of an error.
    fn error_body(&self, kind: &str, message: &str) -> Value {
        json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
    }
    /// An error within a stream.
    fn error_event(&self, kind: &str) -> Bytes {
        format_data_event(&self.error_body(kind, "the mock failed on request"))
    }
    /// The list of models.
    fn render_model_list(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"id": name, "object": "model", "owned_by": "agon-mock"}));
        json!({"object": "list", "data": list.collect::<Vec<_>>()})
    }
}

/// A server-sent event without a name.
pub(crate) fn format_data_event(value: &Value) -> Bytes {
    Bytes::from(format!("data: {value}\n\n"))
}

/// A server-sent event named by its `type`.
pub(crate) fn format_named_event(value: &Value) -> Bytes {
    Bytes::from(format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default()))
}

/// Text of `content`: a string, or a list of parts with a `text`.
pub(crate) fn join_text_parts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| join_text_parts(&part["text"])).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// The messages of `list` as one text and their number.
pub(crate) fn join_messages(list: &Value, field: &str) -> (String, usize) {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let lines =
        list.iter().map(|m| format!("{}: {}", m["role"].as_str().unwrap_or("user"), join_text_parts(&m[field])));
    (lines.collect::<Vec<_>>().join("\n"), list.len())
}

/// What most dialects say alike in `body`, whose messages are in the field `messages`.
pub(crate) fn read_common_fields(body: &Value, messages: &str) -> TextRequest {
    let (prompt, messages) = join_messages(&body[messages], "content");
    TextRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        prompt,
        messages,
        stream: body["stream"] == json!(true),
        usage: true,
        ..TextRequest::default()
    }
}

/// The word for an end, of the four that a shape has.
pub(crate) fn choose_finish_word(finish: FinishReason, words: [&'static str; 4]) -> &'static str {
    let [stop, length, refusal, filter] = words;
    match finish {
        FinishReason::Stop => stop,
        FinishReason::Length => length,
        FinishReason::Refusal => refusal,
        FinishReason::Filter => filter,
    }
}
