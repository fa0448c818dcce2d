//! What an answer in cross-examination brought, as the record keeps it.

use agon_core::{Key, Seat};
use serde::{Deserialize, Serialize};

/// A participant accepted the claim of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convergence {
    /// On which disagreement.
    pub disagreement: String,
    /// The claim that both now hold.
    pub claim: String,
    /// With whom.
    pub with: Seat,
    /// Whether the answer says so. What is only implied is noted and resolves nothing.
    pub explicit: bool,
    /// The words by which it counts without the moderator, who did not take them up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<String>,
}

/// Nothing new comes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deadlock {
    /// Something does.
    None,
    /// The answer restates an earlier one.
    Repetition {
        /// The round it restates; 0 is the opening.
        round: u32,
    },
    /// Both sides alternate the same arguments.
    Circular,
}

/// What an answer brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerEffect {
    /// The moderator's answer.
    pub of: Key,
    /// Who came round to what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub convergence: Vec<Convergence>,
    /// Whether it stands still.
    pub deadlock: Deadlock,
    /// A claim or distinction that no earlier round has.
    pub new_insight: bool,
    /// Evidence that no earlier round has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_evidence: Vec<String>,
    /// The speaker narrowed or changed their position.
    pub position_shift: bool,
}

impl AnswerEffect {
    /// Whether anything is new (S2).
    pub fn is_new(&self) -> bool {
        self.new_insight || self.position_shift || !self.new_evidence.is_empty()
    }
}
