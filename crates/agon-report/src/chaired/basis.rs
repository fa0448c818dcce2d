//! The chair's answer, the reasons of its conclusion with the entries that they rest on, and the rulings that stand.

use agon_core::Record;
use agon_protocols::{
    chaired::{conduct, log::Logged, outcome::ChairReason, turn_rules::CONJECTURE},
    common::final_answer::accepted_answer,
};

use super::{DebateView, find_entry_ruling};
use crate::{
    first_page::{AnswerBasis, BasisPoint, StatedAnswer},
    graph::answer_seq,
};

/// What the chair tells those who asked; nothing where the order of the debaters decided, or no chair did.
pub(super) fn collect_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let debate = DebateView::from_record(record);
    let stated = debate.chair_answer().and_then(|of| {
        let answer = accepted_answer(&debate.said_by_name(&of)?)?;
        Some(StatedAnswer { by: "the chair".to_owned(), answer, seq: answer_seq(record, &of) })
    });
    stated.into_iter().collect()
}

/// The reasons, the winner's first, and what was ruled of those who argued.
pub(super) fn collect_answer_basis(record: &Record) -> AnswerBasis {
    let debate = DebateView::from_record(record);
    let seq = debate.chair_answer().map_or(0, |of| answer_seq(record, &of));
    let reasons = debate.list_reasons().into_iter().map(|reason| build_reason_point(&debate, reason, seq));
    let mut points: Vec<BasisPoint> = reasons.collect();
    points.sort_by_key(|point| point.state == FOR_OTHERS);
    points.extend(list_ruling_points(&debate));
    AnswerBasis { title: if points.is_empty() { "" } else { "Reasons and rulings" }, points }
}

const FOR_WINNER: &str = "for the winner";
const FOR_OTHERS: &str = "for the others";
const WEIGHED: &str = "weighed";

fn build_reason_point(debate: &DebateView<'_>, reason: ChairReason, seq: u64) -> BasisPoint {
    let winner = debate.record.closing_outcome().and_then(|outcome| outcome.winner.as_deref());
    let state = match winner {
        Some(winner) if winner == reason.debater => FOR_WINNER,
        Some(_) => FOR_OTHERS,
        None => WEIGHED,
    };
    let title = debate.debaters.title_of(&reason.debater).to_owned();
    let entries = reason.entries.iter().filter_map(|seq| debate.log.entry_at(*seq));
    let entries = entries.map(|logged| ("Rests on", describe_entry(debate, logged)));
    BasisPoint {
        text: reason.text,
        notes: [("For", title)].into_iter().chain(entries).collect(),
        ..BasisPoint::new(state, seq)
    }
}

/// An entry in its first sentence, with the mark that it bears.
fn describe_entry(debate: &DebateView<'_>, logged: &Logged) -> String {
    let seq = logged.item.seq;
    let mut marks: Vec<&str> =
        debate.findings.iter().filter(|found| found.seq == seq).map(|found| found.status.name()).collect();
    marks.dedup();
    if logged.visible_content().starts_with(CONJECTURE) {
        marks.push("conjecture");
    }
    if conduct::standing_rulings(&debate.log).iter().any(|(_, conduct)| conduct.of == seq) {
        marks.push("ruled on");
    }
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    let by = debate.debaters.title_of(&logged.item.speaker);
    format!("seq {seq} of {by}{marks}: “{}”", logged.gist())
}

/// Rulings on conduct that stand, and entries that were struck.
pub(super) fn list_ruling_points(debate: &DebateView<'_>) -> Vec<BasisPoint> {
    let at = |seq: u64| find_entry_ruling(debate.record, seq).unwrap_or(0);
    let ruled = conduct::standing_rulings(&debate.log).into_iter().map(|(logged, conduct)| {
        let (state, text) = (conduct.verdict.describe_verdict(), conduct::ruling_words(logged));
        build_ruling_point(debate, state, conduct.of, text, at(logged.item.seq))
    });
    let struck = debate.log.0.iter().filter_map(|logged| {
        let why = logged.struck.clone()?;
        let strikes = debate.log.0.iter().find(|by| by.item.strikes == Some(logged.item.seq))?;
        Some(build_ruling_point(debate, "struck", logged.item.seq, why, at(strikes.item.seq)))
    });
    ruled.chain(struck).collect()
}

fn build_ruling_point(debate: &DebateView<'_>, state: &'static str, of: u64, text: String, seq: u64) -> BasisPoint {
    let by = debate.log.entry_at(of).map(|logged| debate.debaters.title_of(&logged.item.speaker).to_owned());
    BasisPoint {
        id: format!("seq {of}"),
        text,
        notes: by.map(|by| ("Of", by)).into_iter().collect(),
        ..BasisPoint::new(state, seq)
    }
}
