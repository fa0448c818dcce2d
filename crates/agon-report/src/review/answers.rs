//! What critic and judge said of a finding, in one shape, so that page, file and graph tell the same.

use agon_core::Key;
use agon_protocols::review::{
    answers::{CriticStance, HoldRuling, PlaceCheck},
    checked_answers::{Heard, QuotingAnswer},
    finding::FindingSeverity,
    state::FindingCase,
};

/// What critic or judge said of a finding.
pub(super) struct FindingAnswer<'c> {
    /// The answer that has it.
    pub key: &'c Key,
    /// Whether the critic said it, else the judge.
    pub is_critic: bool,
    /// Its place among those of the same seat, from 1.
    pub number: usize,
    /// Whether it is for the finding or against it; `None` where it cannot tell.
    pub holds: Option<bool>,
    /// What it says, in the third person.
    pub verdict: &'static str,
    /// The same as the record has it.
    pub word: &'static str,
    /// The severity that it would have instead.
    pub lowered: Option<FindingSeverity>,
    /// Why, in its author's words.
    pub text: &'c str,
    /// What it quotes; may be empty.
    pub quote: &'c str,
    /// What the comparison of its quote found.
    pub check: Option<&'c PlaceCheck>,
    /// Whether it counts.
    pub is_counted: bool,
}

impl<'c> FindingAnswer<'c> {
    /// What is alike of both; what it says is still to come.
    fn from_heard<T: QuotingAnswer>(heard: &'c Heard<T>, number: usize) -> Self {
        let (key, quote, check, is_counted) =
            (&heard.key, heard.said.quote(), heard.check.as_ref(), heard.is_counted());
        let (is_critic, holds, verdict, word, lowered, text) = Default::default();
        Self { key, is_critic, number, holds, verdict, word, lowered, text, quote, check, is_counted }
    }
}

/// What the critic said, and then what the judge said.
pub(super) fn list_answers(case: &FindingCase) -> Vec<FindingAnswer<'_>> {
    let looks = case.looks.iter().zip(1..).map(|(look, number)| {
        let said = &look.said;
        let (holds, verdict) = match said.stance {
            CriticStance::Agree => (Some(true), "agrees"),
            CriticStance::Refuted => (Some(false), "refutes it"),
            CriticStance::Concern => (None, "has no evidence"),
        };
        let (word, lowered, text) = (said.stance.name(), said.lowered, said.checked.as_str());
        FindingAnswer {
            is_critic: true,
            holds,
            verdict,
            word,
            lowered,
            text,
            ..FindingAnswer::from_heard(look, number)
        }
    });
    let rulings = case.rulings.iter().zip(1..).map(|(ruling, number)| {
        let said = &ruling.said;
        let (holds, verdict) = match said.ruling {
            HoldRuling::Holds => (Some(true), "holds"),
            HoldRuling::DoesNotHold => (Some(false), "does not hold"),
            HoldRuling::CannotTell => (None, "cannot tell"),
        };
        let (word, text) = (said.ruling.name(), said.reasoning.as_str());
        FindingAnswer { holds, verdict, word, text, ..FindingAnswer::from_heard(ruling, number) }
    });
    looks.chain(rulings).collect()
}
