//! The rules that a debater can break, and the possible rulings on a breach.

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
    pub(super) const ALL: [RulingVerdict; 4] =
        [RulingVerdict::Warning, RulingVerdict::Infraction, RulingVerdict::OutOfOrder, RulingVerdict::Lifted];

    /// As answers have it.
    pub fn name(self) -> &'static str {
        match self {
            RulingVerdict::Warning => "warning",
            RulingVerdict::Infraction => "infraction",
            RulingVerdict::OutOfOrder => "out_of_order",
            RulingVerdict::Lifted => "lifted",
        }
    }
}

/// A ruling on conduct: the entry, the rule and the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conduct {
    /// The entry.
    pub of: u64,
    /// The rule, by its number in [`RULES`].
    pub rule: u32,
    /// What is ruled.
    pub verdict: RulingVerdict,
}

/// What a rule is called.
pub fn rule_name(rule: u32) -> Option<&'static str> {
    RULES.into_iter().find(|(number, _)| *number == rule).map(|(_, name)| name)
}
