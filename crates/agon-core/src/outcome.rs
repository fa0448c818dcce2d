//! How a debate ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Seat;

/// A seat that was needed and did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    /// Who.
    pub seat: Seat,
    /// Why, in one line.
    pub why: String,
}

/// Whether an outcome may be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The debate ended by its rules.
    Valid,
    /// The debate has no result: INVALIDATED, void, or without usable answers.
    Void,
}

/// How a debate ended, in its protocol's words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The protocol's word, for example `proposition_ahead`, `ACCEPTED_CONSENSUS`, `void`.
    pub name: String,
    /// Whether it may be relied on.
    pub standing: Standing,
    /// One or two sentences for a reader; names absent seats first.
    pub summary: String,
    /// Who prevailed, if the rules name a winner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// Seats that did not answer. Never empty where the outcome depends on one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Absent>,
    /// Figures of the protocol, for example totals.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub figures: Value,
}

impl Outcome {
    /// An outcome that stands.
    pub fn valid(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            standing: Standing::Valid,
            summary: summary.into(),
            winner: None,
            absent: Vec::new(),
            figures: Value::Null,
        }
    }

    /// An outcome without a result.
    pub fn void(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { standing: Standing::Void, ..Self::valid(name, summary) }
    }
}
