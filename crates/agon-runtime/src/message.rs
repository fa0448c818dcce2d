//! The messages of a chat with a model.

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatRole {
    /// Instructions.
    System,
    /// What the participant is told.
    User,
    /// What the participant said itself.
    Assistant,
}

/// One part of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What.
    pub text: String,
}
