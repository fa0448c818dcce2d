//! Rulings: the recorded decisions of a script.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a ruling decides. One vocabulary for all protocols, so that transcripts, pages and search
/// can show the ruling of a protocol they do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RulingKind {
    /// A phase, round or exchange begins.
    Phase,
    /// Who takes part.
    Lineup,
    /// Participants agree.
    Converged,
    /// Participants cannot move further.
    Deadlocked,
    /// A text may no longer be shown; `data.key` names the answer.
    Redacted,
    /// A rule was broken without consequence.
    Warned,
    /// Judged scores were accepted.
    Scored,
    /// A seat did not answer; `data.seat` names it.
    Absent,
    /// The debate can have no result, for another reason than a seat that did not answer.
    Invalidated,
    /// Anything else that the audit trail should hold.
    Noted,
}

/// A decision of the script, recorded with its data. Only scripts make rulings.
/// When the script runs again, it must make the same ruling under the same key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    /// What it decides.
    pub kind: RulingKind,
    /// One line for a reader.
    pub text: String,
    /// The decision for a program.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl Ruling {
    /// A ruling without data.
    pub fn new(kind: RulingKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), data: Value::Null }
    }

    /// The same with data.
    pub fn with(mut self, data: Value) -> Self {
        self.data = data;
        self
    }
}
