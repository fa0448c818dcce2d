//! How a debate ended, and what that means for a pipeline.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use crate::Seat;

/// A required seat that gave no answer, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    /// Who.
    pub seat: Seat,
    /// Why, in one line.
    pub why: String,
}

/// Whether an outcome is reliable: a void debate has no winner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The debate ended by its rules.
    #[default]
    Valid,
    /// The debate has no result: INVALIDATED, void, or without usable answers.
    Void,
}

/// How a debate ended, in the terms of its protocol: name, standing, winner and figures.
/// A script returns it; the entry `closed` stores it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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

/// What an outcome means for a pipeline where no list names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum GateClass {
    /// The result is positive, or a result is all that was asked for.
    Pass,
    /// The result is negative.
    Fail,
    /// The debate gives no clear result. It never passes a gate.
    Unclear,
}

impl GateClass {
    /// Its code in a list.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An outcome that a protocol can end with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeSpec {
    /// Its name, also that of a verdict among the figures. A `*` at its beginning or end stands for any text.
    pub name: String,
    /// What it means for a pipeline.
    pub gate: GateClass,
    /// Whether participants still disagreed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dissent: bool,
    /// One line: when a debate ends so.
    pub about: String,
}

impl OutcomeSpec {
    /// Whether it is that of an outcome called `name`.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        match (self.name.strip_prefix('*'), self.name.strip_suffix('*')) {
            (Some(end), _) => name.ends_with(end),
            (_, Some(start)) => name.starts_with(start),
            _ => self.name.eq_ignore_ascii_case(name),
        }
    }

    /// Whether its name stands for several.
    pub(crate) fn is_pattern(&self) -> bool {
        self.name.starts_with('*') || self.name.ends_with('*')
    }
}

impl Outcome {
    /// An outcome that stands.
    pub fn valid(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { name: name.into(), standing: Standing::Valid, summary: summary.into(), ..Self::default() }
    }

    /// An outcome without a result.
    pub fn void(name: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { standing: Standing::Void, ..Self::valid(name, summary) }
    }

    /// The summary as readers are told it. A reason that says the verdict first says it alone, and a
    /// sentence ends once.
    pub fn render_summary(&self) -> String {
        let mut told = self.summary.clone();
        let winner = self.winner.as_deref().map(|name| format!("{name} wins"));
        for verdict in winner.as_deref().into_iter().chain(["A draw", "The debate is void"]) {
            told = told.replacen(&format!("{verdict}. {verdict}"), verdict, 1);
        }
        merge_full_stops(&told)
    }
}

/// `text` with one full stop where two end a sentence; three are an omission and stay.
pub fn merge_full_stops(text: &str) -> String {
    let stops = |text: &str| text.bytes().take_while(|byte| *byte == b'.').count();
    let (mut told, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("..") {
        let (before, after) = rest.split_at(at);
        let (all, ends) = (stops(after), after[stops(after)..].starts_with(char::is_whitespace));
        let is_end = all == 2 && (ends || after.len() == 2) && before.ends_with(|c: char| !c.is_whitespace());
        told.push_str(before);
        told.push_str(if is_end { "." } else { &after[..all] });
        rest = &after[all..];
    }
    told + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_told_once_and_a_sentence_ends_once() {
        let told = |winner: Option<&str>, summary: &str| {
            Outcome { winner: winner.map(str::to_owned), ..Outcome::valid("x", summary) }.render_summary()
        };
        let doubled = "Without a verifier (it was out of reach). Ada wins. Ada wins, narrowly. It is so.";
        let once = "Without a verifier (it was out of reach). Ada wins, narrowly. It is so.";
        assert_eq!(told(Some("Ada"), doubled), once);
        assert_eq!(told(Some("Ada"), "Ada wins. Adam is wrong."), "Ada wins. Adam is wrong.");
        assert_eq!(told(None, "A draw. A draw, since nobody moved."), "A draw, since nobody moved.");
        assert_eq!(
            told(None, "Ben gave no usable turn 2: it was cut off.. No result.."),
            "Ben gave no usable turn 2: it was cut off. No result."
        );
        for kept in ["He went on... and on.", "see ../a.md .", "1..4 is a range", "So it is…"] {
            assert_eq!(told(None, kept), kept);
        }
    }
}
