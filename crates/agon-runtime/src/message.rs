//! The messages of a chat with a model.

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ChatRole {
    /// Instructions.
    System,
    /// What the participant is told.
    User,
    /// What the participant said itself.
    Assistant,
}

impl ChatRole {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One part of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What.
    pub text: String,
    /// Bytes at the beginning of the text up to which it is likely that later prompts of the debate begin in the same
    /// way, shortest first: providers that keep what they have read are told.
    pub shared: Vec<usize>,
}

impl ChatMessage {
    /// A message of which nobody knows whether others begin so.
    pub fn new(role: ChatRole, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), shared: Vec::new() }
    }

    /// Ends what other prompts begin with, and adds the paragraph `text`.
    pub fn end_prefix(&mut self, text: &str) {
        let end = self.text.len();
        if self.shared.last() != Some(&end) {
            self.shared.push(end);
        }
        if !text.is_empty() {
            self.add_paragraph(text);
        }
    }

    /// Adds the paragraph `text`.
    pub fn add_paragraph(&mut self, text: &str) {
        self.text.push_str("\n\n");
        self.text.push_str(text);
    }
}
