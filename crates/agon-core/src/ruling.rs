//! Rulings: the recorded decisions of a script, and the data of those that every protocol makes.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Key, Seat};

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
    /// A text may no longer be shown: [`RedactedAnswer`].
    Redacted,
    /// A rule was broken without consequence.
    Warned,
    /// Judged scores were accepted.
    Scored,
    /// A seat did not answer: [`AbsentSeat`].
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
    /// The decision for a program: what [`with_data`](Self::with_data) recorded.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    data: Value,
}

impl Ruling {
    /// A ruling without data.
    pub fn new(kind: RulingKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), data: Value::Null }
    }

    /// The same with data, which becomes an object of JSON: a type of the protocol's own, or one of this module.
    pub fn with_data(mut self, data: impl Serialize) -> Self {
        // Nothing that a protocol records holds a map with keys that are not texts, which alone could fail here.
        self.data = serde_json::to_value(data).unwrap_or_default();
        self
    }

    /// The answer that may no longer be shown, where it rules so.
    pub fn redacted_answer(&self) -> Option<Key> {
        let data = (self.kind == RulingKind::Redacted).then(|| self.decode_data()).flatten();
        data.map(|RedactedAnswer { key }| key)
    }

    /// What readers call the author of an answer that stands in spite of broken rules, where it rules so.
    pub fn warned_author(&self) -> Option<String> {
        let data = (self.kind == RulingKind::Warned).then(|| self.decode_data()).flatten();
        data.map(|Warnings { of, .. }| of)
    }

    /// The data as a whole, for programs that pass them on.
    pub fn export_data(&self) -> impl Serialize {
        &self.data
    }

    /// The data, if they are a `T`: for the protocol that recorded them, and for what every protocol records.
    pub fn decode_data<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.data).ok()
    }
}

/// Data of a ruling that a seat gave no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbsentSeat {
    /// Which.
    pub seat: Seat,
}

/// Data of a ruling that an answer stands in spite of broken rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warnings {
    /// What readers call the author.
    pub of: String,
    /// Each broken rule, as a sentence.
    pub warnings: Vec<String>,
}

/// Data of a ruling that an answer may no longer be shown. A protocol may record more of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactedAnswer {
    /// The answer.
    pub key: Key,
}

/// Data of a ruling that answers of a round were accepted. A protocol may record more of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedAnswers {
    /// Of which round, from 1.
    pub round: u32,
    /// Who gave them, and the draft that stands.
    pub statements: Vec<(Seat, Key)>,
}

/// Data of a ruling that a round begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundBegins {
    /// Which, from 1; 0 is what comes before the first.
    pub round: u32,
}
