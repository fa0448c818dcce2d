//! The content of a request, independent of the provider's dialect.

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
