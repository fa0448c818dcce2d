//! What a question asks for, and how the program asks for it.

use serde::{Deserialize, Serialize};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// What shows it.
    Evidence,
    /// Under which circumstances it would no longer hold.
    Condition,
    /// A case in which it was so, or was not.
    Case,
    /// How it comes about.
    Mechanism,
    /// What follows from it.
    Consequence,
    /// What is given up for it.
    TradeOff,
}

impl Demand {
    /// Each with its word.
    pub const ALL: [(&str, Self); 6] = [
        ("evidence", Self::Evidence),
        ("condition", Self::Condition),
        ("case", Self::Case),
        ("mechanism", Self::Mechanism),
        ("consequence", Self::Consequence),
        ("trade_off", Self::TradeOff),
    ];

    /// The question of the program that asks for it.
    pub(super) fn question(self) -> &'static str {
        match self {
            Self::Evidence => {
                "Which evidence or reason decides here, and what would show that your own claim has to change?"
            }
            Self::Condition => {
                "Under which conditions does your own claim no longer hold, and how would one notice?"
            }
            Self::Case => {
                "In which case that you know did the opposite of your claim happen, and what was different there?"
            }
            Self::Mechanism => {
                "By which steps does what you claim come about, and which of them does this put in doubt?"
            }
            Self::Consequence => {
                "What would follow within a year if this were so, and who would see it first?"
            }
            Self::TradeOff => "What is given up where your claim is followed, and why is that worth less?",
        }
    }
}
