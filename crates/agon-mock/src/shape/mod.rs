//! How each provider's requests are read and its replies written.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use axum::body::Bytes;
use serde::Serialize;
use serde_json::json;

use crate::{
    ask::{SentBody, TextRequest},
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
    fn parse_request(&self, call: &str, body: SentBody<'_>) -> TextRequest;
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
    fn render_whole_reply(&self, said: &ReplyText) -> impl Serialize;
    /// A keep-alive.
    fn render_ping(&self) -> Bytes {
        Bytes::from_static(b": keep-alive\n\n")
    }
    /// The body of an error.
    fn error_body(&self, kind: &str, message: &str) -> impl Serialize {
        json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
    }
    /// An error within a stream.
    fn error_event(&self, kind: &str) -> Bytes {
        self.format_event(self.error_body(kind, "the mock failed on request"))
    }
    /// A part of a stream.
    fn format_event(&self, value: impl Serialize) -> Bytes {
        format_data_event(value)
    }
    /// The list of models.
    fn render_model_list(&self, names: &[String]) -> impl Serialize {
        let list = names.iter().map(|name| json!({"id": name, "object": "model", "owned_by": "agon-mock"}));
        json!({"object": "list", "data": list.collect::<Vec<_>>()})
    }
}

/// A server-sent event without a name.
pub(crate) fn format_data_event(value: impl Serialize) -> Bytes {
    Bytes::from(format!("data: {}\n\n", json!(value)))
}

/// A server-sent event named by its `type`.
pub(crate) fn format_named_event(value: impl Serialize) -> Bytes {
    let value = json!(value);
    Bytes::from(format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default()))
}

/// The word for an end, of the four that a shape has in the order of the reasons.
pub(crate) fn choose_finish_word(finish: FinishReason, words: [&'static str; 4]) -> &'static str {
    words[finish as usize]
}
