//! What reports, pages and other commands show of a review.

use std::collections::BTreeMap;

use agon_core::{Key, Record, Standing, View};
use agon_protocols::{
    common::{final_answer::FinalAnswer, named_seat},
    review::{
        CRITIC, JUDGE,
        answers::CriticStance,
        finding::FindingSeverity,
        list_reviewers, outcome,
        state::{FindingCase, FindingStatus, ReviewState, counts_passages},
    },
};
use agon_text::{count_noun, end_sentence};

use super::{answers::list_answers, by_severity, html};
use crate::{
    first_page::{AnswerBasis, BasisPoint, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, Relation, answer_seq, semantics::StatementLabel, shorten_text},
    page::part::PagePart,
    participation::display_name,
    summary::{Annotation, AnnotationLevel},
    views::{Mark, Views},
};

/// Findings that the answer or a part of a report names.
const NAMED_MAX: usize = 3;
/// Steps of a pass: findings, what the critic says of them, and what the judge says.
const STEPS: u32 = 3;
/// Longest claim that the answer repeats, in characters.
const CLAIM_CHARS_MAX: usize = 160;

/// The views of a review.
pub(super) struct ReviewViews;

impl Views for ReviewViews {
    /// Findings, and what critic and judge said of each. A concern cites its finding; so do a
    /// ruling that cannot tell, and what does not count.
    fn build_graph(&self, record: &Record) -> Graph {
        let state = ReviewState::from_view(&View::of_whole_record(record));
        let seats: Vec<_> =
            list_reviewers(record.opened()).into_iter().chain([named_seat(CRITIC), named_seat(JUDGE)]).collect();
        let sides: Vec<String> = seats.iter().map(|seat| display_name(record, seat)).collect();
        // A review decides by its own rules: an answer of the critic alone fells nothing.
        let decided = state.cases.iter().map(|case| (case.id.clone(), decided_label(&state, case))).collect();
        let mut graph = Graph { sides, decided: Some(decided), ..Graph::default() };
        let add = |graph: &mut Graph, key: &Key, (id, side, step): (String, usize, u32), title, text: String| {
            let when = (step, format!("Pass {}", step / STEPS + 1));
            graph.add_statement(id, answer_seq(record, key), side, when, Some(text)).title = title;
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

    /// What follows from the verdict; nothing before there is one.
    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        let Some(outcome) = record.closing_outcome().filter(|outcome| outcome.standing == Standing::Valid) else {
            return Vec::new();
        };
        let state = ReviewState::from_view(&View::of_whole_record(record));
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
                (
                    format!("Nothing blocks it; {what} and can be looked at. {}", describe_findings(&lighter)),
                    String::new(),
                )
            }
            _ if undecided.is_empty() => {
                let why = "Do not rely on this review: too little of the material was read by reviewers who cite it.";
                (why.to_owned(), "another pass reads it".to_owned())
            }
            _ => {
                let text = format!(
                    "Look yourself before you accept it: nobody could decide. {}",
                    describe_findings(&undecided)
                );
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

    /// Every finding, what blocks first.
    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        let state = ReviewState::from_view(&View::of_whole_record(record));
        let cases = by_severity(&state, FindingStatus::ALL).into_iter();
        let points: Vec<_> = cases.map(|case| build_finding_point(record, &state, case)).collect();
        AnswerBasis { title: if points.is_empty() { "" } else { "Findings" }, points }
    }

    fn page_parts(&self, record: &Record, _: &AnswerBasis) -> Vec<PagePart> {
        html::build_page_parts(record)
    }

    /// The findings of each list by their names, which the part of the page about them explains.
    fn collect_argument_marks(&self, record: &Record) -> BTreeMap<Key, Vec<Mark>> {
        let mut marks: BTreeMap<Key, Vec<Mark>> = BTreeMap::new();
        for case in &ReviewState::from_view(&View::of_whole_record(record)).cases {
            let mark = Mark { id: case.id.clone(), score: None, is_elsewhere: true };
            marks.entry(case.key.clone()).or_default().push(mark);
        }
        marks
    }

    /// Those of the findings: the verifier looked for each in the material.
    fn describe_quotations(&self, entries: &QuotedEntries<'_>) -> Option<Sentence> {
        let state = ReviewState::from_view(&View::of_whole_record(entries.record));
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
        let state = ReviewState::from_view(&View::of_whole_record(record));
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
        let state = ReviewState::from_view(&View::of_whole_record(record));
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
        let state = ReviewState::from_view(&View::of_whole_record(entries.record));
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
fn build_finding_point(record: &Record, state: &ReviewState, case: &FindingCase) -> BasisPoint {
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
