//! What reports, pages and other commands show of a review.

use std::collections::BTreeMap;

use agon_core::{Key, Record, View};
use agon_protocols::{
    common::named_seat,
    review::{
        CRITIC, JUDGE,
        finding::FindingSeverity,
        list_reviewers, outcome,
        state::{FindingCase, FindingStatus, ReviewState, counts_passages},
    },
};

use super::{ReviewFiles, answers::list_answers, basis, by_severity, html};
use crate::{
    conduct::display_name,
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, GraphStatement, Relation, answer_seq, semantics::StatementLabel},
    page::part::PagePart,
    summary::{Annotation, AnnotationLevel},
    views::{Mark, Views},
};

/// Findings that a part of a report names.
const NAMED_MAX: usize = 3;
/// Steps of a pass: findings, what the critic says of them, and what the judge says.
const STEPS: u32 = 3;

impl Views for ReviewFiles {
    /// Findings, and what critic and judge said of each. A concern cites its finding; so do a
    /// ruling that cannot tell, and what does not count.
    fn build_graph(&self, record: &Record) -> Graph {
        let state = ReviewState::of(&View::of_whole_record(record));
        let seats: Vec<_> =
            list_reviewers(record.opened()).into_iter().chain([named_seat(CRITIC), named_seat(JUDGE)]).collect();
        let sides: Vec<String> = seats.iter().map(|seat| display_name(record, seat)).collect();
        // A review decides by its own rules: an answer of the critic alone fells nothing.
        let decided = state.cases.iter().map(|case| (case.id.clone(), decided_label(&state, case))).collect();
        let mut graph = Graph { sides, decided: Some(decided), ..Graph::default() };
        let add = |graph: &mut Graph, key: &Key, (id, side, step): (String, usize, u32), title, text: String| {
            graph.statements.push(GraphStatement {
                id,
                seq: answer_seq(record, key),
                speaker: graph.sides[side].clone(),
                side,
                step,
                when: format!("Pass {}", step / STEPS + 1),
                title,
                words: text.clone(),
                text: Some(text),
                score: None,
            });
        };
        let passes = state.cases.iter().map(|case| case.round).max().unwrap_or(0);
        for (pass, later) in (1..=passes).flat_map(|pass| (0..STEPS).map(move |later| (pass, later))) {
            for case in state.cases.iter().filter(|case| case.round == pass) {
                let step = STEPS * (pass - 1) + later;
                if later == 0 {
                    let side = seats.iter().position(|seat| *seat == case.by).unwrap_or(0);
                    let title = format!("{}: {}", case.place(), case.finding.claim);
                    let text = format!("{title} {}", case.finding.why);
                    add(&mut graph, &case.key, (case.id.clone(), side, step), title, text);
                    continue;
                }
                for answer in list_answers(case).into_iter().filter(|answer| answer.is_critic == (later == 1)) {
                    // The last two seats are critic and judge.
                    let (name, side) =
                        if answer.is_critic { (CRITIC, seats.len() - 2) } else { (JUDGE, seats.len() - 1) };
                    let relation = match answer.holds.filter(|_| answer.is_counted) {
                        Some(true) => Relation::Support,
                        Some(false) => Relation::Attack,
                        None => Relation::Citation,
                    };
                    let id = format!("{}-{name}-{}", case.id, answer.number);
                    let title = format!("{} of {}", answer.word.replace('_', " "), case.id);
                    add(&mut graph, answer.key, (id, side, step), title, answer.text.to_owned());
                    let (from, to) = (graph.statements.len() - 1, graph.index(&case.id).unwrap_or_default());
                    graph.add_edge(from, to, relation, answer.word, answer.text);
                }
            }
        }
        for case in &state.cases {
            let into = case.merged_into.map(|into| state.cases[into].id.as_str());
            if let Some((from, to)) = graph.index(&case.id).zip(into.and_then(|into| graph.index(into))) {
                graph.add_edge(from, to, Relation::Support, "merged", &case.finding.claim);
            }
        }
        graph
    }

    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        basis::list_stated_answers(record)
    }

    /// Every finding, what blocks first.
    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        let state = ReviewState::of(&View::of_whole_record(record));
        let cases = by_severity(&state, FindingStatus::ALL).into_iter();
        let points: Vec<_> = cases.map(|case| basis::build_finding_point(record, &state, case)).collect();
        AnswerBasis { title: if points.is_empty() { "" } else { "Findings" }, points }
    }

    fn page_parts(&self, record: &Record, _: &AnswerBasis) -> Vec<PagePart> {
        html::build_page_parts(record)
    }

    /// The findings of each list by their names, which the part of the page about them explains.
    fn collect_argument_marks(&self, record: &Record) -> BTreeMap<Key, Vec<Mark>> {
        let mut marks: BTreeMap<Key, Vec<Mark>> = BTreeMap::new();
        for case in &ReviewState::of(&View::of_whole_record(record)).cases {
            let mark = Mark { id: case.id.clone(), score: None, is_elsewhere: true };
            marks.entry(case.key.clone()).or_default().push(mark);
        }
        marks
    }

    /// Those of the findings: the verifier looked for each in the material.
    fn describe_quotations(&self, entries: &QuotedEntries<'_>) -> Option<Sentence> {
        let state = ReviewState::of(&View::of_whole_record(entries.record));
        let checks: Vec<_> = state.cases.iter().filter_map(|case| case.check.as_ref()).collect();
        let there = checks.iter().filter(|check| !check.code.is_demoting()).count();
        let text = format!("Quotations of findings that stand in the material: {there} of {}", checks.len());
        (!checks.is_empty()).then(|| entries.sentence_at_end(text))
    }

    fn counts_passages(&self, record: &Record) -> bool {
        counts_passages(record.opened())
    }

    fn decided_by(&self) -> &'static str {
        "the verdict is counted from the findings that hold"
    }

    /// Findings that alone decide the verdict, by the function that computes it.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let record = entries.record;
        let state = ReviewState::of(&View::of_whole_record(record));
        let asked = list_reviewers(record.opened()).len();
        let statuses: Vec<FindingStatus> = state.cases.iter().map(FindingCase::status).collect();
        let now = outcome::decide_verdict(&state, &statuses, asked);
        let told = state.cases.iter().enumerate().filter_map(|(at, case)| {
            let (instead, what) = match statuses[at] {
                FindingStatus::Held => (FindingStatus::Refuted, "did not hold"),
                FindingStatus::Merged => return None,
                _ => (FindingStatus::Held, "held"),
            };
            let mut other = statuses.clone();
            other[at] = instead;
            let then = outcome::decide_verdict(&state, &other, asked);
            let text = format!("If {} at {} {what}, the verdict would be {then}.", case.id, case.place());
            (then != now).then(|| Sentence::new(answer_seq(record, &case.key), text))
        });
        let told: Vec<Sentence> = told.take(NAMED_MAX).collect();
        match told.is_empty() {
            true => vec![entries.sentence_at_end(explain_verdict_change(&state, now))],
            false => told,
        }
    }

    /// Findings that hold, are undecided, or are concerns.
    fn list_annotations(&self, record: &Record) -> Vec<Annotation> {
        let state = ReviewState::of(&View::of_whole_record(record));
        let told = [FindingStatus::Held, FindingStatus::Undecided, FindingStatus::Concern];
        let annotations = by_severity(&state, told).into_iter().map(|case| {
            let (path, lines) = super::locate_finding(case);
            let status = case.status();
            let level = match (status, case.severity()) {
                (FindingStatus::Held, FindingSeverity::High) => AnnotationLevel::Error,
                (FindingStatus::Held, _) | (FindingStatus::Undecided, FindingSeverity::High) => {
                    AnnotationLevel::Warning
                }
                _ => AnnotationLevel::Notice,
            };
            Annotation {
                level,
                path,
                lines,
                title: format!("{} {}, {}", case.id, case.severity().name(), status.name()),
                text: case.finding.claim.clone(),
                key: case.key.clone(),
            }
        });
        annotations.collect()
    }

    /// Concerns and undecided findings, in the words of their reviewers.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let state = ReviewState::of(&View::of_whole_record(entries.record));
        let open = by_severity(&state, [FindingStatus::Undecided, FindingStatus::Concern]);
        let told = open.into_iter().take(NAMED_MAX).filter_map(|case| {
            let what = match case.status() {
                FindingStatus::Undecided => "undecided",
                _ => "a concern",
            };
            let text = format!("{} ({}, {}), {what}:", case.id, case.severity().name(), case.place());
            entries.quote_entry(answer_seq(entries.record, &case.key), text, &case.finding.claim)
        });
        told.collect()
    }
}

/// What became of a finding, or of the one that it was merged into.
fn decided_label(state: &ReviewState, case: &FindingCase) -> StatementLabel {
    match case.merged_into.map_or(case, |into| &state.cases[into]).status() {
        FindingStatus::Held => StatementLabel::Stands,
        FindingStatus::Refuted | FindingStatus::Demoted => StatementLabel::Falls,
        FindingStatus::Concern | FindingStatus::Undecided | FindingStatus::Merged => StatementLabel::Open,
    }
}

/// What would have to be different for another verdict, where no finding alone makes one.
fn explain_verdict_change(state: &ReviewState, verdict: &str) -> String {
    let of_high_severity = |status| -> Vec<&str> {
        let found = state.with_status(status).filter(|case| case.severity() == FindingSeverity::High);
        found.map(|case| case.id.as_str()).collect()
    };
    match (verdict, of_high_severity(FindingStatus::Held), of_high_severity(FindingStatus::Undecided)) {
        ("approved", ..) => "A finding of high severity that holds would block it. None is known.".to_owned(),
        ("blocked", held, _) => format!("The verdict would change only if none of {} held.", held.join(", ")),
        (_, _, undecided) if !undecided.is_empty() => {
            format!("The verdict would be clear once {} are decided.", undecided.join(", "))
        }
        _ => "No finding alone decides the verdict.".to_owned(),
    }
}
