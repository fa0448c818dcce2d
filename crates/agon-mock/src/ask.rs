//! The content of a request, independent of the provider's dialect.

use serde::Deserialize;
use serde_json::Value;

/// A request for text, without the differences between providers.
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
    /// Maximum number of tokens to write.
    pub tokens_max: Option<u64>,
    /// Whether a stream is wanted.
    pub stream: bool,
    /// Whether usage is wanted in the stream.
    pub usage: bool,
}

impl TextRequest {
    /// The same request behind what the system says.
    pub fn with_system_text(self, system: &str) -> Self {
        Self { prompt: format!("system: {system}\n{}", self.prompt), messages: self.messages + 1, ..self }
    }
}

/// The body of a request, or a part of it. It is read by JSON pointers: what is missing or of another type is not there.
#[derive(Debug, Clone, Copy)]
pub struct SentBody<'b>(pub &'b Value);

impl<'b> SentBody<'b> {
    /// What stands at a pointer.
    pub fn read_at<T: Deserialize<'b>>(self, pointer: &str) -> Option<T> {
        T::deserialize(self.0.pointer(pointer)?).ok()
    }

    /// The parts of a list; none where it is something else.
    pub fn parts_at(self, pointer: &str) -> impl Iterator<Item = Self> + use<'b> {
        self.0.pointer(pointer).and_then(Value::as_array).into_iter().flatten().map(Self)
    }

    /// The text of a content: a text, or a list of parts with a `text`.
    pub fn content_at(self, pointer: &str) -> String {
        let parts = || self.parts_at(pointer).map(|part| part.content_at("/text")).collect::<Vec<_>>().join("\n");
        self.read_at(pointer).unwrap_or_else(parts)
    }

    /// What most dialects say alike, with the messages at one pointer and the content of each at another.
    pub fn read_messages(self, messages: &str, content: &str) -> TextRequest {
        let line = |said: Self| format!("{}: {}", said.read_at("/role").unwrap_or("user"), said.content_at(content));
        let lines: Vec<String> = self.parts_at(messages).map(line).collect();
        TextRequest {
            model: self.read_at("/model").unwrap_or_default(),
            prompt: lines.join("\n"),
            messages: lines.len(),
            stream: self.read_at("/stream").unwrap_or(false),
            usage: true,
            ..TextRequest::default()
        }
    }

    /// Whether an object has a field of this name, or one of those within it.
    pub fn has_field(self, field: &str) -> bool {
        let mut fields = self.0.as_object().into_iter().flatten();
        fields.any(|(name, value)| name == field || Self(value).has_field(field))
    }
}
