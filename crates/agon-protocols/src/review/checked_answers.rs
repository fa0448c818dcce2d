//! What critic and judge said of a finding, and whether the words that they quote stand in the material. An
//! answer that quotes other words does not count: it neither keeps a finding nor drops one.

use agon_core::Key;
use serde::{Deserialize, Serialize};

use super::answers::{CriticStance, FindingCritique, FindingRuling, ForEach, PlaceCheck};

/// An answer to a finding that can quote the material.
pub trait QuotingAnswer {
    /// Where it says that the words stand; empty where it does not say.
    fn place(&self) -> &str;
    /// The words; may be empty.
    fn quote(&self) -> &str;
}

impl QuotingAnswer for FindingCritique {
    /// Only who refutes must name a place; otherwise the words may stand anywhere.
    fn place(&self) -> &str {
        if self.stance == CriticStance::Refuted { &self.place } else { "" }
    }

    fn quote(&self) -> &str {
        &self.quote
    }
}

impl QuotingAnswer for FindingRuling {
    fn place(&self) -> &str {
        ""
    }

    fn quote(&self) -> &str {
        &self.quote
    }
}

/// What one statement says about a finding.
#[derive(Debug, Clone)]
pub struct Heard<T> {
    /// The statement.
    pub key: Key,
    /// What it says.
    pub said: T,
    /// What the comparison of its quote found; nothing before anyone looked, or where nothing is to compare.
    pub check: Option<PlaceCheck>,
    /// Whether it quotes, and so counts only after its quote was found in the material.
    is_compared: bool,
}

impl<T: QuotingAnswer> Heard<T> {
    /// What `said` says under `key`.
    pub fn new(key: Key, said: T) -> Self {
        let is_compared = !said.quote().trim().is_empty();
        Self { key, said, check: None, is_compared }
    }

    /// Whether it counts: it quotes nothing, or what stands in the material.
    pub fn is_counted(&self) -> bool {
        match &self.check {
            Some(check) => !check.code.is_demoting(),
            None => !self.is_compared,
        }
    }

    /// Its name in a comparison, where it still needs one: the finding, and the end of its key.
    pub(super) fn pending_comparison(&self, finding: &str, round: &str) -> Option<String> {
        let name = self.key.as_str().strip_prefix(round)?;
        (self.is_compared && self.check.is_none()).then(|| format!("{finding}/{name}"))
    }

    /// Takes the result of a comparison, if there is one.
    pub(super) fn apply_comparison(&mut self, finding: &str, round: &str, checks: &ForEach<PlaceCheck>) {
        if let Some(name) = self.pending_comparison(finding, round) {
            self.check = checks.get(&name).cloned();
        }
    }
}

/// Whose quotes are compared, as requests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ComparedAnswers {
    #[serde(rename = "answers")]
    Critic,
    #[serde(rename = "rulings")]
    Judge,
}
