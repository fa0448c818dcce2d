//! The poll: three speakers answer at once, in rounds, and the last round is counted.

use std::cmp::Ordering;

use agon_core::{Absent, Floor, Flow, Outcome, Protocol, Request, Ruling, RulingKind, View, form::FormField};
use serde::Deserialize;

use agon_protocols::{
    common::{
        REDRAFT,
        form::{Form, Kind, form_field, text_kind},
        rounds::ask_round,
    },
    shipped_files,
};

/// The protocol.
pub struct Poll;

/// What the script reads of an answer; its reason is for the others and for readers.
#[derive(Debug, Deserialize)]
pub struct PollAnswer {
    /// Whether it is yes.
    pub yes: bool,
}

impl Protocol for Poll {
    shipped_files! { "poll.toml"; "answer"; REDRAFT }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let (mut round, mut outcome) = (0, Outcome::default());
        loop {
            while round < floor.current_limits().rounds {
                round += 1;
                let heard = ask_round(floor, round, "speaker", "answer", |draft| {
                    answer_form().parse_answer::<PollAnswer>(draft.text)
                })?;
                let yes = heard.statements.iter().filter(|said| said.value.yes).count();
                outcome = count_votes(yes, heard.statements.len(), heard.absent);
                let counted = Ruling::new(RulingKind::Scored, &outcome.summary);
                floor.record_ruling(format!("round-{round}/counted"), counted)?;
            }
            floor.adjourn_debate(outcome.clone())?;
        }
    }

    fn answer_schema(&self, _: &View<'_>, _: &Request) -> Option<FormField> {
        Some(answer_form().to_schema())
    }
}

/// The fields of an answer: schema, reader, and what people fill in follow from them.
fn answer_form() -> Form {
    let reason = form_field("reason", text_kind(1, 300)).with_description(Some("why, in one sentence"));
    let yes = form_field("yes", Kind::YesNo).with_description(Some("whether you say yes"));
    Form::new("answer", [reason, yes])
}

/// Who is ahead; no result where fewer than two answered.
fn count_votes(yes: usize, answered: usize, absent: Vec<Absent>) -> Outcome {
    if answered < 2 {
        let summary = format!("No result: {answered} of {} speakers answered.", answered + absent.len());
        return Outcome { absent, ..Outcome::void("no_quorum", summary) };
    }
    let name = match (2 * yes).cmp(&answered) {
        Ordering::Greater => "yes",
        Ordering::Less => "no",
        Ordering::Equal => "even",
    };
    Outcome { absent, ..Outcome::valid(name, format!("{yes} of {answered} say yes.")) }
}
