//! The answer of a review, computed from what became of its findings, and the findings that it rests on.

use agon_core::{Record, Standing, View};
use agon_protocols::{
    common::final_answer::FinalAnswer,
    review::{
        answers::CriticStance,
        finding::FindingSeverity,
        state::{FindingCase, FindingStatus, ReviewState},
    },
};
use agon_text::{count_noun, end_sentence};

use super::by_severity;
use crate::{
    conduct::display_name,
    first_page::{BasisPoint, StatedAnswer},
    graph::{answer_seq, shorten_text},
};

/// Longest claim that the answer repeats, in characters.
const CLAIM_CHARS_MAX: usize = 160;
/// Findings that the answer names.
const NAMED_MAX: usize = 3;

/// What follows from the verdict; nothing before there is one.
pub(super) fn list_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let Some(outcome) = record.closing_outcome().filter(|outcome| outcome.standing == Standing::Valid) else {
        return Vec::new();
    };
    let state = ReviewState::of(&View::of_whole_record(record));
    let held = by_severity(&state, [FindingStatus::Held]);
    let undecided: Vec<&FindingCase> =
        by_severity(&state, [FindingStatus::Undecided]).into_iter().filter(|case| is_serious(case)).collect();
    let (serious, lighter): (Vec<&FindingCase>, Vec<&FindingCase>) =
        held.iter().copied().partition(|case| is_serious(case));
    let (action, unless) = match outcome.name.as_str() {
        "blocked" => {
            let what = count_noun(serious.len(), "serious finding holds", "serious findings hold");
            let unless = format!("{} is fixed or shown not to hold", all_of(&serious));
            (format!("Do not accept it as it is: {what}. {}", describe_findings(&serious)), unless)
        }
        "approved" if lighter.is_empty() => ("Nothing that was found holds it up.".to_owned(), String::new()),
        "approved" => {
            let what = count_noun(lighter.len(), "lighter finding holds", "lighter findings hold");
            (format!("Nothing blocks it; {what} and can be looked at. {}", describe_findings(&lighter)), String::new())
        }
        _ if undecided.is_empty() => {
            let why = "Do not rely on this review: too little of the material was read by reviewers who cite it.";
            (why.to_owned(), "another pass reads it".to_owned())
        }
        _ => {
            let text =
                format!("Look yourself before you accept it: nobody could decide. {}", describe_findings(&undecided));
            (text, format!("{} is decided", all_of(&undecided)))
        }
    };
    let seq = record.entries().last().map_or(0, |entry| entry.seq);
    vec![StatedAnswer {
        by: "the program".to_owned(),
        answer: FinalAnswer { action, because: String::new(), unless },
        seq,
    }]
}

/// The gravest with its claim, the next ones by name and place.
fn describe_findings(cases: &[&FindingCase]) -> String {
    let Some((first, others)) = cases.split_first() else { return String::new() };
    let claim = shorten_text(first.finding.claim.trim_end_matches('.'), CLAIM_CHARS_MAX);
    let mut text = end_sentence(&format!("{} at {}: {claim}", first.id, first.place()));
    let named: Vec<String> =
        others.iter().take(NAMED_MAX - 1).map(|case| format!("{} at {}", case.id, case.place())).collect();
    if !named.is_empty() {
        let more = others.len() - named.len();
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        text += &format!(" Also {}{more}.", named.join(", "));
    }
    text
}

fn all_of(cases: &[&FindingCase]) -> String {
    match cases {
        [one] => one.id.clone(),
        all => format!("each of {}", all.iter().map(|case| case.id.as_str()).collect::<Vec<_>>().join(", ")),
    }
}

fn is_serious(case: &FindingCase) -> bool {
    case.severity() == FindingSeverity::High
}

/// A finding with what was said of it.
pub(super) fn build_finding_point(record: &Record, state: &ReviewState, case: &FindingCase) -> BasisPoint {
    let status = case.status();
    let word = match status {
        FindingStatus::Held if is_serious(case) => "blocks",
        FindingStatus::Held => "holds",
        other => other.name(),
    };
    let said = &case.finding;
    let severity = match case.severity() == case.given_severity {
        true => case.severity().name().to_owned(),
        false => format!("{}; its author said {}", case.severity().name(), case.given_severity.name()),
    };
    let mut notes = vec![("Found by", display_name(record, &case.by)), ("Why", said.why.clone())];
    notes.extend(match status {
        FindingStatus::Refuted => case.rulings.last().map(|ruling| ("The judge", ruling.said.reasoning.clone())),
        FindingStatus::Demoted => case.check.as_ref().map(|check| ("The place", check.note.clone())),
        FindingStatus::Merged => case.merged_into.map(|into| ("The same as", state.cases[into].id.clone())),
        FindingStatus::Held | FindingStatus::Concern | FindingStatus::Undecided => {
            Some(("Would be refuted by", said.refuted_by.clone()))
        }
    });
    let concern = case.counted_looks().filter(|look| look.said.stance == CriticStance::Concern).last();
    notes.extend(concern.map(|look| ("The critic", look.said.checked.clone())));
    notes.retain(|(_, text)| !text.is_empty());
    BasisPoint {
        is_open: word == "blocks" || (status == FindingStatus::Undecided && is_serious(case)),
        id: case.id.clone(),
        place: format!("{} ({severity})", case.place()),
        text: said.claim.clone(),
        notes,
        ..BasisPoint::new(word, answer_seq(record, &case.key))
    }
}
