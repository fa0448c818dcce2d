//! What would change the outcome, by the protocol's own rules.

use agon_core::{AbsentSeat, RulingKind, Standing};

use super::{Sentence, quote::QuotedEntries};
use crate::{conduct, graph::Graph};

pub(super) fn list_outcome_changes(entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
    let record = entries.record;
    let is_void = record.closing_outcome().is_some_and(|outcome| outcome.standing == Standing::Void);
    if is_void {
        return list_missing_answers(entries);
    }
    crate::views_of(record).list_decisive_points(entries, graph)
}

/// Of a debate without a result: whose answer would give it one.
fn list_missing_answers(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let record = entries.record;
    let absent = record.closing_outcome().map(|outcome| outcome.absent.as_slice()).unwrap_or_default();
    let seats = absent.iter().map(|absent| {
        let is_its = |ruled: AbsentSeat| ruled.seat == absent.seat;
        let ruled = record
            .rulings()
            .filter(|(_, _, ruling)| ruling.kind == RulingKind::Absent && ruling.decode_data().is_some_and(is_its));
        let seq = ruled.last().map_or(entries.end_seq(), |(seq, ..)| seq);
        let name = conduct::display_name(record, &absent.seat);
        Sentence::new(
            seq,
            format!("A usable answer of {name}, which did not come: {}.", absent.why.trim_end_matches('.')),
        )
    });
    seats.collect()
}
