//! What would change the outcome, by the protocol's own rules.

use agon_core::{AbsentSeat, RulingKind};

use super::{PageInput, Sentence};
use crate::participation;

pub(super) fn list_outcome_changes(input: &PageInput<'_>) -> Vec<Sentence> {
    match input.outcome {
        None => Vec::new(),
        Some(_) if input.is_void => list_missing_answers(input),
        Some(_) => crate::views_of(input.record()).list_decisive_points(&input.entries, input.graph),
    }
}

/// Of a debate without a result: whose answer would give it one.
fn list_missing_answers(input: &PageInput<'_>) -> Vec<Sentence> {
    let record = input.record();
    let seats = input.absent_seats().iter().map(|absent| {
        let is_its = |ruled: AbsentSeat| ruled.seat == absent.seat;
        let ruled = record
            .rulings()
            .filter(|(_, _, ruling)| ruling.kind == RulingKind::Absent && ruling.decode_data().is_some_and(is_its));
        let seq = ruled.last().map_or(input.entries.end_seq(), |(seq, ..)| seq);
        let (name, why) = (participation::display_name(record, &absent.seat), absent.why.trim_end_matches('.'));
        Sentence::new(seq, format!("A usable answer of {name}, which did not come: {why}."))
    });
    seats.collect()
}
