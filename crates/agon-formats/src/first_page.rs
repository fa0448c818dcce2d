//! The first page of a debate: what was asked, what the answer is, how it ended and how far that can be trusted, what
//! it rests on, and what would change it. Memo, report, page, terminal, MCP and HTTP draw it from this one type.

use agon_protocols::common::final_answer::FinalAnswer;

/// An answer to the question of a debate, as it stands on the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedAnswer {
    /// Who gives it, as readers call them; for example "the moderator", or the name of a participant. A review's is
    /// computed: "the program".
    pub by: String,
    /// The answer. Words of a participant, but where it is computed.
    pub answer: FinalAnswer,
    /// The entry that holds it.
    pub seq: u64,
}

/// What the answer rests on, in the terms of its protocol: a review's findings, a duel's flaws and repairs, a panel's
/// points, a plan's weaknesses, the clash of an exchange, the reasons of a chair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Basis {
    /// Heading, for example "Findings". Empty where there are no points.
    pub title: &'static str,
    /// The gravest or most decisive first.
    pub points: Vec<BasisPoint>,
}

/// One line of a [`Basis`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasisPoint {
    /// What became of it, in a word or two of the protocol's own: "blocks", "refuted", "agreed", "not settled".
    pub state: &'static str,
    /// Whether it weighs on the outcome as it stands: what blocks, what was not settled, what went unanswered.
    pub is_open: bool,
    /// What it is called in the debate, for example `F2` or `D1`; empty where it has no name.
    pub id: String,
    /// The place that it is about, for example `src/lock.rs:40`; empty where it is about none.
    pub place: String,
    /// The point in a sentence: words of a participant.
    pub text: String,
    /// What belongs to it, each with its label: ("Repair", "…"), ("Held by", "Ada, Brunel"), ("Why open", "…").
    pub notes: Vec<(&'static str, String)>,
    /// The entry that it rests on.
    pub seq: u64,
}
