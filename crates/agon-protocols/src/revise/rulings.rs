//! What the script of a debate rules, as the record holds it.

use agon_core::{Key, reading::Doubt};
use serde::{Deserialize, Serialize};

use super::{critique::Critique, revision::Revision};
use crate::common::verification::SourceCheck;

/// What the synthesizer makes of the concessions of a round: part of its check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MutualConcession {
    /// Both concede the same points (V3).
    Same {
        /// The answer that paired them first.
        read: Key,
        /// The answer that paired them again.
        confirmed: Key,
    },
    /// Some point is conceded by one alone.
    Different {
        /// The answer that paired them.
        read: Key,
    },
    /// Nothing follows from what was read.
    Unclear {
        /// The answer that paired them first.
        read: Key,
        /// What stands against it.
        why: Doubt,
    },
}

/// The initial versions that stand: data of the ruling `drafts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafts {
    /// In the order of authors.
    pub drafts: Vec<Drafted>,
}

/// An initial version that stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafted {
    /// Number of the author.
    pub author: usize,
    /// The draft; none where the opener gave the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// What was found about its sources, where pages are opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
}

/// The critiques of a round: data of the ruling `round-N/critiques`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Critiques {
    /// In the order of critics, then of their targets.
    pub critiques: Vec<Criticised>,
}

/// A critique that stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criticised {
    /// Number of who wrote it.
    pub critic: usize,
    /// Number of whose document it is about.
    pub target: usize,
    /// The draft that stands.
    pub key: Key,
    /// How many weaknesses it names: the numbers of the next critique's begin behind them.
    pub weaknesses: usize,
    /// What was found about its sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
    /// What it says; nothing where it was redacted.
    #[serde(skip)]
    pub critique: Option<Critique>,
}

/// The revisions of a round: data of the ruling `round-N/revisions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revisions {
    /// In the order of authors.
    pub revisions: Vec<Revised>,
}

/// A revision that stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revised {
    /// Number of the author.
    pub author: usize,
    /// The draft that stands.
    pub key: Key,
    /// What was found about its sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
    /// What it says; nothing where it was redacted.
    #[serde(skip)]
    pub revision: Option<Revision>,
}

/// The result of a round: data of the ruling `round-N/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundCheck {
    /// Whether and how.
    pub status: RoundStatus,
    /// Why it converged, or who failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What was read of the concessions, where the synthesizer was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concessions: Option<MutualConcession>,
}

/// The result of a round: incomplete, complete, or complete with converged authors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoundStatus {
    /// Everyone answered; they do not agree.
    Complete,
    /// They agree.
    Converged,
    /// Someone did not answer.
    Failed,
}

/// A synthesis that stands: data of its ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// The draft that stands.
    pub key: Key,
    /// After how many rounds it was written.
    pub rounds: u32,
    /// What was found about its sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
}
