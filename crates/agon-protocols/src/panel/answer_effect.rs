//! What an answer in cross-examination brought, as the record keeps it.

use agon_core::{
    Key, Seat,
    reading::{Doubt, Meaning, Reading},
};
use serde::{Deserialize, Serialize};

/// What a panelist's words say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimReading {
    /// The speaker still holds it.
    Holds,
    /// The speaker no longer holds it, and grants the other side its own.
    GivesUp,
    /// A part of it is given up.
    Partly,
    /// The speaker holds it again, having given it up.
    TakesBack,
    /// A third: the claim of one side is the better one.
    SidesWith,
    /// A third: neither is.
    Neither,
    /// It cannot be told.
    Unclear,
}

impl ClaimReading {
    /// What a side can be read to say of the claim that it was asked about.
    pub const OF_SIDE: [&str; 4] = ["holds", "gives_up", "partly", "unclear"];
    /// What a side can be read to say of its other claims.
    pub const OF_OTHERS: [&str; 4] = ["partly", "gives_up", "takes_back", "unclear"];
    /// What a third can be read to say of both claims.
    pub const OF_THIRD: [&str; 3] = ["neither", "sides_with", "unclear"];
    /// What speakers can say of their own claim, in another order than a reader was given.
    pub const OF_SPEAKER: [&str; 3] = ["partly", "gives_up", "holds"];

    /// Whether it needs the words that say so.
    pub fn needs_quote(self) -> bool {
        matches!(self, Self::GivesUp | Self::Partly | Self::TakesBack | Self::SidesWith)
    }
}

/// A claim as the moderator reads an answer on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadClaim {
    /// The disagreement that it is a side of.
    pub disagreement: String,
    /// Whose claim is granted instead; of a third, who has the better one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Seat>,
    /// What the moderator reads, and in which words.
    pub reading: Reading<ClaimReading>,
    /// What it comes to with the speaker's own word, where it would decide something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<Meaning<ClaimReading>>,
}

impl ReadClaim {
    /// What is settled by it.
    pub fn settled_reading(&self) -> Option<ClaimReading> {
        self.meaning.as_ref().and_then(Meaning::settled_choice).copied()
    }

    /// Why nothing is settled by it, where something would be.
    pub fn doubt(&self) -> Option<Doubt> {
        self.meaning.as_ref().and_then(Meaning::doubt)
    }
}

/// A position that moved towards another without giving a claim up. It is noted and decides nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionShift {
    /// Towards whom.
    pub toward: Seat,
    /// On what.
    pub on: String,
}

/// Nothing new comes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
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
#[serde(deny_unknown_fields)]
pub struct AnswerEffect {
    /// The moderator's answer.
    pub of: Key,
    /// The claim that was asked about.
    pub claim: ReadClaim,
    /// Other claims of the speaker that the answer bears on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<ReadClaim>,
    /// Where the speaker has moved without giving a claim up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<PositionShift>,
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
    /// Of an answer on `disagreement` that brings nothing, read as `choice` in `of`.
    pub fn without_effect(of: Key, disagreement: &str, choice: ClaimReading) -> Self {
        let reading = Reading { choice, quote: String::new() };
        let disagreement = disagreement.to_owned();
        Self {
            of,
            claim: ReadClaim { disagreement, with: None, reading, meaning: None },
            others: Vec::new(),
            shift: None,
            deadlock: Deadlock::None,
            new_insight: false,
            new_evidence: Vec::new(),
            position_shift: false,
        }
    }

    /// Whether anything is new (S2).
    pub fn is_new(&self) -> bool {
        self.new_insight || self.position_shift || !self.new_evidence.is_empty()
    }

    /// Every claim that was read, the one that was asked about first.
    pub fn claims(&self) -> impl Iterator<Item = &ReadClaim> {
        std::iter::once(&self.claim).chain(&self.others)
    }

    /// The same, to be changed.
    pub fn claims_mut(&mut self) -> impl Iterator<Item = &mut ReadClaim> {
        std::iter::once(&mut self.claim).chain(&mut self.others)
    }
}
