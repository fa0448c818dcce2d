//! How each provider's requests are read and its replies written.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use axum::body::Bytes;
use serde_json::Value;

use crate::{
    log::Tokens,
    reply::{FinishReason, ReplyText},
};
pub use anthropic::Anthropic;
pub use gemini::Gemini;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use responses::Responses;

/// A request for text, whatever its shape.
#[derive(Debug, Clone, Default)]
pub struct TextRequest {
    /// The model asked for.
    pub model: String,
    /// The text of all messages.
    pub prompt: String,
    /// How many messages.
    pub messages: usize,
    /// The native schema field.
    pub schema: Option<Value>,
    /// The tool whose input is the answer, where a schema is asked for in that way.
    pub tool: Option<String>,
    /// Most tokens to write.
    pub tokens_max: Option<u64>,
    /// Whether a stream is wanted.
    pub stream: bool,
    /// Whether usage is wanted in the stream.
    pub usage: bool,
}

/// The dialect of one provider.
pub trait Shape: Send + Sync {
    /// Reads a request; `call` is the end of its path, where some have model and verb.
    fn ask(&self, call: &str, body: &Value) -> TextRequest;
    /// Content type of a stream.
    fn content_type(&self) -> &'static str {
        "text/event-stream"
    }
    /// What comes before the text.
    fn opening(&self, said: &ReplyText) -> Vec<Bytes>;
    /// One piece of the text.
    fn piece(&self, said: &ReplyText, content: &Value) -> Bytes;
    /// What comes after the text.
    fn closing(&self, ask: &TextRequest, said: &ReplyText) -> Vec<Bytes>;
    /// The whole reply at once.
    fn whole(&self, said: &ReplyText) -> Value;
    /// A keep-alive.
    fn ping(&self) -> Bytes;
    /// The body of an error.
    fn error(&self, kind: &str, message: &str) -> Value;
    /// An error within a stream.
    fn error_event(&self, kind: &str) -> Bytes {
        data(&self.error(kind, "the mock failed on request"))
    }
    /// The list of models.
    fn models(&self, names: &[String]) -> Value;
}

/// A server-sent event without a name.
pub(crate) fn data(value: &Value) -> Bytes {
    Bytes::from(format!("data: {value}\n\n"))
}

/// A server-sent event named by its `type`.
pub(crate) fn event(value: &Value) -> Bytes {
    Bytes::from(format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default()))
}

/// Text of `content`: a string, or a list of parts with a `text`.
pub(crate) fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| text(&part["text"])).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// The messages of `list` as one text and their number.
pub(crate) fn messages(list: &Value, field: &str) -> (String, usize) {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = list.iter().map(|m| format!("{}: {}", m["role"].as_str().unwrap_or("user"), text(&m[field])));
    (lines.collect::<Vec<_>>().join("\n"), list.len())
}

/// What each shape shows of the tokens: nothing, the truth, or nonsense.
#[derive(Debug, Clone, Copy)]
pub enum Shown {
    /// Nothing.
    Nothing,
    /// What was charged.
    Charged(Tokens),
    /// More than there are.
    Absurd,
}

impl Shown {
    /// Prompt, cached and completion tokens as they are written.
    pub(crate) fn counts(self) -> Option<(u64, u64, u64)> {
        match self {
            Self::Nothing => None,
            Self::Charged(tokens) => Some((tokens.prompt, tokens.cached, tokens.completion)),
            Self::Absurd => Some((u64::from(u32::MAX), 0, 9_000_000_000_000_000_000)),
        }
    }
}

/// The word for an end, of the four that a shape has.
pub(crate) fn word(finish: FinishReason, words: [&'static str; 4]) -> &'static str {
    let [stop, length, refusal, filter] = words;
    match finish {
        FinishReason::Stop => stop,
        FinishReason::Length => length,
        FinishReason::Refusal => refusal,
        FinishReason::Filter => filter,
    }
}
