//! What reports, pages and other commands show of a review.

use agon_core::{Key, Record, View};
use agon_protocols::{
    common::seat,
    review::{
        CRITIC, JUDGE,
        answers::{CriticStance, HoldRuling},
        outcome, reviewers,
        state::{FindingCase, FindingStatus, ReviewState},
    },
};

use super::ReviewFiles;
use crate::{
    conduct::called,
    graph::{Graph, GraphStatement, Relation, entry},
    report::decision::{Sentence, quote::QuotedEntries},
    views::Views,
};

/// Findings that a part of a report names.
const NAMED_MAX: usize = 3;

impl Views for ReviewFiles {
    fn graph(&self, record: &Record) -> Graph {
        graph(record)
    }

    fn decided_by(&self) -> &'static str {
        "the verdict is counted from the findings that hold"
    }

    /// Findings that alone decide the verdict, by the function that computes it.
    fn flips(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let record = entries.record;
        let state = ReviewState::of(&View::whole(record));
        let asked = reviewers(record.opened()).len();
        let statuses: Vec<FindingStatus> = state.cases.iter().map(FindingCase::status).collect();
        let now = outcome::verdict(&state, &statuses, asked);
        let told = state.cases.iter().enumerate().filter_map(|(at, case)| {
            let (instead, what) = match statuses[at] {
                FindingStatus::Held => (FindingStatus::Refuted, "did not hold"),
                FindingStatus::Merged => return None,
                _ => (FindingStatus::Held, "held"),
            };
            let mut other = statuses.clone();
            other[at] = instead;
            let then = outcome::verdict(&state, &other, asked);
            let text = format!("If {} at {} {what}, the verdict would be {then}.", case.id, case.place());
            (then != now).then(|| Sentence::new(entry(record, &case.key), text))
        });
        let told: Vec<Sentence> = told.take(NAMED_MAX).collect();
        match told.is_empty() {
            true => vec![Sentence::new(entries.end(), "No finding alone decides the verdict.")],
            false => told,
        }
    }

    /// Concerns and undecided findings, in the words of their reviewers.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let state = ReviewState::of(&View::whole(entries.record));
        let open = [FindingStatus::Undecided, FindingStatus::Concern];
        let open = open.into_iter().flat_map(|status| super::by_severity(&state, status));
        let told = open.take(NAMED_MAX).filter_map(|case| {
            let what = match case.status() {
                FindingStatus::Undecided => "undecided",
                _ => "a concern",
            };
            let text = format!("{} ({}, {}), {what}:", case.id, case.severity.name(), case.place());
            entries.quoting(entry(entries.record, &case.key), text, &case.finding.claim)
        });
        told.collect()
    }
}

/// Findings, and what critic and judge said of each.
fn graph(record: &Record) -> Graph {
    let state = ReviewState::of(&View::whole(record));
    let seats: Vec<_> = reviewers(record.opened()).into_iter().chain([seat(CRITIC), seat(JUDGE)]).collect();
    let sides: Vec<String> = seats.iter().map(|seat| called(record, seat)).collect();
    let (critic, judge) = (sides.len() - 2, sides.len() - 1);
    let mut graph = Graph { sides, ..Graph::default() };
    let passes = state.cases.iter().map(|case| case.round).max().unwrap_or(0);
    // A finding, what the critic says of it and what the judge says are three steps of a pass.
    for (pass, step) in (1..=passes).flat_map(|pass| (0..3).map(move |step| (pass, step))) {
        for case in state.cases.iter().filter(|case| case.round == pass) {
            let about = |graph: &Graph| graph.index(&case.id).unwrap_or_default();
            let claim = format!("{}: {}", case.place(), case.finding.claim);
            match step {
                0 => {
                    let side = seats.iter().position(|seat| *seat == case.by).unwrap_or(0);
                    let text = format!("{} {}", claim, case.finding.why);
                    say(
                        &mut graph,
                        record,
                        &case.key,
                        (case.id.clone(), side, 3 * (pass - 1)),
                        claim,
                        text,
                        pass,
                    );
                }
                1 => {
                    for (look, n) in case.looks.iter().zip(1..) {
                        let at = (format!("{}-critic-{n}", case.id), critic, 3 * (pass - 1) + 1);
                        let relation = match look.said.stance {
                            CriticStance::Agree => Relation::Support,
                            CriticStance::Refuted => Relation::Attack,
                            CriticStance::Concern => Relation::Citation,
                        };
                        let title = format!("{} of {}", look.said.stance.name(), case.id);
                        let from =
                            say(&mut graph, record, &look.key, at, title, look.said.checked.clone(), pass);
                        let to = about(&graph);
                        graph.link(from, to, relation, look.said.stance.name(), &look.said.checked);
                    }
                }
                _ => {
                    for (ruling, n) in case.rulings.iter().zip(1..) {
                        let at = (format!("{}-judge-{n}", case.id), judge, 3 * (pass - 1) + 2);
                        let relation = match ruling.said.ruling {
                            HoldRuling::Holds => Relation::Support,
                            HoldRuling::DoesNotHold => Relation::Attack,
                            HoldRuling::CannotTell => Relation::Citation,
                        };
                        let name = ruling.said.ruling.name();
                        let title = format!("{}: {}", case.id, name.replace('_', " "));
                        let from = say(
                            &mut graph,
                            record,
                            &ruling.key,
                            at,
                            title,
                            ruling.said.reasoning.clone(),
                            pass,
                        );
                        let to = about(&graph);
                        graph.link(from, to, relation, name, &ruling.said.reasoning);
                    }
                }
            }
        }
    }
    for case in &state.cases {
        let into = case.merged_into.map(|into| state.cases[into].id.as_str());
        if let Some((from, to)) = graph.index(&case.id).zip(into.and_then(|into| graph.index(into))) {
            graph.link(from, to, Relation::Support, "merged", &case.finding.claim);
        }
    }
    graph
}

/// Adds a statement; gives its index.
fn say(
    graph: &mut Graph,
    record: &Record,
    key: &Key,
    (id, side, step): (String, usize, u32),
    title: String,
    text: String,
    pass: u32,
) -> usize {
    graph.statements.push(GraphStatement {
        id,
        seq: entry(record, key),
        speaker: graph.sides[side].clone(),
        side,
        step,
        when: format!("Pass {pass}"),
        title,
        words: text.clone(),
        text: Some(text),
        score: None,
    });
    graph.statements.len() - 1
}
