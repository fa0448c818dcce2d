//! Statements of declared protocols, whose fields nobody but their file knows, with what was found about the pages
//! that they cite.

use std::collections::BTreeMap;

use agon_core::{Key, Record, Standing};
use agon_protocols::declared::{
    self,
    declaration::{Ask, DeclaredField, OutcomeReading},
    figures,
    sources::tag_sources,
    state::{self, DeclaredState, PlacedStatement},
};
use serde_json::json;

use crate::{
    first_page::{Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{answer_seq, shorten_text},
};

/// Longest answer that a sentence names, in characters.
const ANSWER_CHARS_MAX: usize = 90;

/// Every statement that was accepted with what was found of its sources, as an answer would have it, by the answer
/// that gave it; none for other protocols.
pub fn tag_statements(record: &Record) -> BTreeMap<Key, String> {
    let Some((declaration, state)) = declared::read_declared_state(record) else { return BTreeMap::new() };
    let shown = state.said.iter().filter_map(|said| {
        let told = tag_sources(record.opened(), declaration.find_ask(&said.ask)?, said);
        let text = if told.values.is_empty() { told.text } else { json!(told.values).to_string() };
        Some((said.key.clone(), text))
    });
    shown.collect()
}

/// The answers that a file says where to find, one of each seat that gave one last; nothing for other protocols, and
/// while the debate is under way.
pub fn collect_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let is_over = record.closing_outcome().is_some_and(|outcome| outcome.standing == Standing::Valid);
    let Some((declaration, state)) = declared::read_declared_state(record).filter(|_| is_over) else {
        return Vec::new();
    };
    let Some(place) = &declaration.answer else { return Vec::new() };
    let stated = state.last_statements(&place.ask).into_iter().filter_map(|said| {
        Some(StatedAnswer {
            by: state::seat_name(record.opened(), &said.seat),
            answer: said.stated_answer(place)?,
            seq: answer_seq(record, &said.key),
        })
    });
    stated.collect()
}

/// What would change the outcome that a file declares; nothing for other protocols, and where nothing is counted.
pub fn list_outcome_changes(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let Some((declaration, state)) = declared::read_declared_state(entries.record) else { return Vec::new() };
    let rule = &declaration.outcome;
    let describe_vote = |ask: &Ask, field| describe_vote(entries, &state, field, &state.last_statements(&ask.name));
    let describe_median = |ask: &Ask, field| describe_median(entries, field, &state.last_statements(&ask.name));
    if rule.read == OutcomeReading::Closed {
        // Nothing decides here, but what was counted is what a reader goes by.
        let asks = declaration.asks_with_phases();
        let fields = asks.flat_map(|(_, ask)| ask.fields.iter().map(move |field| (ask, field)));
        let told = fields.flat_map(|(ask, field)| [describe_vote(ask, field), describe_median(ask, field)]);
        return told.flatten().collect();
    }
    let Some(ask) = rule.ask.as_ref().and_then(|name| declaration.find_ask(name)) else { return Vec::new() };
    let field = rule.field.as_ref().and_then(|name| ask.find_field(name));
    let told = match (rule.read, field) {
        (OutcomeReading::Vote, Some(field)) => describe_vote(ask, field),
        (OutcomeReading::Median, Some(field)) => describe_median(ask, field),
        (OutcomeReading::Field | OutcomeReading::Word, _) => state.last_statements(&ask.name).first().map(|said| {
            let name = state::seat_name(entries.record.opened(), &said.seat);
            let text = format!("The outcome is read from the answer of {name} alone.");
            Sentence::new(entries.answer_seq(&said.key), text)
        }),
        _ => None,
    };
    told.into_iter().collect()
}

/// How many votes of `field` lie between the first and the second, by the last answer of each seat.
fn describe_vote(
    entries: &QuotedEntries<'_>,
    state: &DeclaredState,
    field: &DeclaredField,
    said: &[&PlacedStatement],
) -> Option<Sentence> {
    let votes = figures::count_votes(field, said, &state.things_then(field, said));
    let [first, second, ..] = votes.as_slice() else { return None };
    let [leads, next] = [first, second].map(|vote| shorten_text(&vote.text, ANSWER_CHARS_MAX));
    let text = match first.votes - second.votes {
        0 => format!("{leads:?} and {next:?} have {} votes each: one vote decides.", first.votes),
        lead => format!(
            "{leads:?} leads by {lead} of {} votes; next is {next:?}. If {} had gone there, it would no longer lead.",
            said.len(),
            agon_text::count_noun(lead.div_ceil(2), "vote", "votes")
        ),
    };
    (first.votes > 0).then(|| entries.sentence_at_end(text))
}

/// The answer without which the median of `field` would move most, of the last answers of each seat.
fn describe_median(entries: &QuotedEntries<'_>, field: &DeclaredField, said: &[&PlacedStatement]) -> Option<Sentence> {
    let now = figures::summarise_numbers(field, said)?.median;
    let without = (0..said.len()).filter_map(|at| {
        let others = [&said[..at], &said[at + 1..]].concat();
        Some((said[at], figures::summarise_numbers(field, &others)?.median))
    });
    let (one, then) = without.max_by(|a, b| (a.1 - now).abs().total_cmp(&(b.1 - now).abs()))?;
    let name = state::seat_name(entries.record.opened(), &one.seat);
    let [now, then] = [now, then].map(figures::round_number);
    let text = match now == then {
        true => format!("No single answer moves the median of {now}."),
        false => format!(
            "Without the answer of {name} the median would be {then} instead of {now}; no other answer moves it more."
        ),
    };
    Some(Sentence::new(entries.answer_seq(&one.key), text))
}
