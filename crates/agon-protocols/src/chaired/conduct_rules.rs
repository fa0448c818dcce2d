//! The rules that a debater can break, and the possible rulings on a breach.

use agon_core::Key;
use serde::{Deserialize, Serialize};

/// The rules that a debater can break by what it says, with the numbers and in the order of the source system.
pub const RULES: [(u32, &str); 14] = [
    (1, "rulings are final"),
    (3, "turn order"),
    (4, "phase discipline"),
    (6, "no ad hominem"),
    (7, "no misrepresentation"),
    (9, "conjecture is labelled"),
    (10, "conjecture does not stand alone"),
    (11, "statements of fact have a source"),
    (13, "sources support what they are cited for"),
    (15, "challenges name the claim"),
    (16, "at most five sources"),
    (17, "source corrections have their form"),
    (23, "frameworks are acknowledged"),
    (24, "figures stand on their page"),
];

/// The rule under which a source is ruled unreliable, and such a ruling is lifted.
pub const SOURCE_RULE: u32 = 13;

/// The rule that is broken by words which an entry puts into another's mouth.
pub(super) const MISREPRESENTATION: u32 = 7;

/// Rules that are broken by what an entry does not say: two readers need not quote the same words for it.
pub(super) const OMISSIONS: [u32; 4] = [1, 10, 11, 23];

/// The content of a ruling on conduct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingVerdict {
    /// It is not to happen again.
    Warning,
    /// It counts against its debater.
    Infraction,
    /// What was said does not count.
    OutOfOrder,
    /// An earlier ruling no longer stands.
    Lifted,
}

impl RulingVerdict {
    /// In words.
    pub fn describe_verdict(self) -> &'static str {
        match self {
            RulingVerdict::Warning => "warning",
            RulingVerdict::Infraction => "infraction",
            RulingVerdict::OutOfOrder => "out of order",
            RulingVerdict::Lifted => "lifted",
        }
    }
}

/// What the chair can answer about an entry and a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConductChoice {
    /// The entry keeps the rule; a ruling that stands is right.
    None,
    /// This is to be ruled.
    #[serde(untagged)]
    Ruled(RulingVerdict),
}

impl ConductChoice {
    /// The choices of a look back, in its order.
    pub(super) const ALL: [&'static str; 5] = ["none", "warning", "infraction", "out_of_order", "lifted"];

    /// The choices of the second reading, in another order than those of the first.
    pub(super) fn confirmation_choices(lifts: bool) -> &'static [&'static str] {
        match lifts {
            true => &["lifted", "none"],
            false => &["out_of_order", "infraction", "warning", "none"],
        }
    }
}

/// A ruling on conduct: the entry, the rule and the verdict, with the words of the entry that decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conduct {
    /// The entry.
    pub of: u64,
    /// The rule, by its number in [`RULES`].
    pub rule: u32,
    /// What is ruled.
    pub verdict: RulingVerdict,
    /// The words of the entry that decide; empty in a ruling on what the program counts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// The second answer of the chair, where the verdict needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Key>,
}

impl Conduct {
    /// A ruling that quotes nothing: on what the program itself counts.
    pub fn without_quote(of: u64, rule: u32, verdict: RulingVerdict) -> Self {
        Self { of, rule, verdict, quote: String::new(), confirmed: None }
    }

    /// Whether both rule on one entry and one rule.
    pub fn is_about_same(&self, other: &Self) -> bool {
        (self.of, self.rule) == (other.of, other.rule)
    }
}

/// What a rule is called.
pub fn rule_name(rule: u32) -> Option<&'static str> {
    RULES.into_iter().find(|(number, _)| *number == rule).map(|(_, name)| name)
}
