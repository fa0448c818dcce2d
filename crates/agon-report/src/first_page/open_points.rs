//! What a debate did not settle: what the protocol knows of, sources that nobody could verify, and seats that did not
//! answer.

use agon_core::RulingKind;

use super::{PageInput, Sentence};
use crate::cited_source::Counts;

/// Seats without an answer that are named.
const ABSENT_MAX: usize = 2;

pub(super) fn list_open_points(input: &PageInput<'_>) -> Vec<Sentence> {
    let mut all = crate::views_of(input.record()).open_points(&input.entries, input.graph);
    let opened = input.counts.open > 0;
    // What is wrong is said with what makes the outcome untrustworthy.
    let told = Counts { bad: 0, ..input.counts }.describe_troubles().into_iter().enumerate();
    all.extend(told.map(|(i, text)| {
        let is_open = i == 0 && opened;
        Sentence::new(input.first_citing_entry(|cited| cited.is_open == is_open), text)
    }));
    let absent = input.record().rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Absent);
    let absent = absent.take(ABSENT_MAX);
    all.extend(absent.map(|(seq, _, ruling)| Sentence::new(seq, format!("{}.", ruling.text.trim_end_matches('.')))));
    all
}
