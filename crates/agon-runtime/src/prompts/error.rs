//! The error of a prompt.

/// A template that does not compile or render, or is not within the bounds, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("prompt {name}: {why}")]
pub struct PromptError {
    /// The template.
    pub name: String,
    /// Line and reason.
    pub why: String,
}
