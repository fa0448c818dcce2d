//! What would change the outcome: what the protocol's own rules tell, then what the argument graph rests on.

use std::collections::BTreeSet;

use agon_core::{RulingKind, Standing};

use super::{Sentence, case::basis, quote::QuotedEntries};
use crate::{
    conduct,
    graph::{Graph, opinion::Opinion},
};

/// Statements of a graph from which on none is struck for a trial: each costs a computation of the graph.
const TRIALS_MAX: usize = 80;
/// Sentences about the graph.
const TRIALS_TOLD_MAX: usize = 2;

pub(super) fn usual(entries: &QuotedEntries<'_>, graph: &Graph, opinion: &Opinion) -> Vec<Sentence> {
    let record = entries.record;
    let is_void = record.closed().is_some_and(|outcome| outcome.standing == Standing::Void);
    if is_void {
        return missing(entries);
    }
    let mut all = crate::views_of(record).flips(entries, graph);
    all.extend(struck(graph, opinion));
    all
}

/// Of a debate without a result: whose answer would give it one.
fn missing(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let record = entries.record;
    let absent = record.closed().map(|outcome| outcome.absent.as_slice()).unwrap_or_default();
    let seats = absent.iter().map(|absent| {
        let ruled = record.rulings().filter(|(_, _, ruling)| {
            ruling.kind == RulingKind::Absent && ruling.data["seat"] == absent.seat.as_str()
        });
        let seq = ruled.last().map_or(entries.end(), |(seq, ..)| seq);
        let name = conduct::called(record, &absent.seat);
        Sentence::new(
            seq,
            format!("A usable answer of {name}, which did not come: {}.", absent.why.trim_end_matches('.')),
        )
    });
    seats.collect()
}

/// Statements without which the graph would favour another side, or nobody.
fn struck(graph: &Graph, opinion: &Opinion) -> Vec<Sentence> {
    if opinion.favours.is_none() || !opinion.engaged || graph.statements.len() > TRIALS_MAX {
        return Vec::new();
    }
    let name = |favours: Option<usize>| favours.map_or("nobody", |side| graph.sides[side].as_str());
    let trials = graph.statements.iter().enumerate().filter_map(|(at, statement)| {
        let now = Opinion::favoured(&graph.without(&BTreeSet::from([at])));
        (now != opinion.favours).then(|| {
            let text = format!(
                "Without {} of {} {} would favour {}; now it favours {}.",
                statement.id,
                statement.speaker,
                basis(graph),
                name(now),
                name(opinion.favours)
            );
            Sentence::new(statement.seq, text)
        })
    });
    trials.take(TRIALS_TOLD_MAX).collect()
}
