//! What makes an outcome untrustworthy: said before anything that a reader might rely on.

use std::collections::BTreeSet;

use agon_core::{Role, RulingKind};

use super::{PageInput, Sentence};
use crate::{agreement::Orders, material_places, participation};

pub(super) fn list_doubts(input: &PageInput<'_>) -> Vec<Sentence> {
    let (record, entries) = (input.record(), &input.entries);
    let mut all: Vec<Sentence> = crate::other_rules(record).map(|text| Sentence::new(0, text)).into_iter().collect();
    if input.is_void {
        let is_heard = input.graph.statements.iter().any(|statement| statement.text.is_some());
        let unheard = "Nobody was heard; there is no verdict.";
        let text = if is_heard { "There is no verdict: nothing below is a result." } else { unheard };
        all.push(entries.sentence_at_end(text));
    } else if !input.absent_seats().is_empty() {
        let names = input.absent_seats().iter().map(|absent| participation::display_name(record, &absent.seat));
        let names = names.collect::<Vec<_>>().join(", ");
        let ruled = record.rulings().find(|(_, _, ruling)| ruling.kind == RulingKind::Absent);
        let seq = ruled.map_or(entries.end_seq(), |(seq, ..)| seq);
        all.push(Sentence::new(seq, format!("Degraded: it ended without a usable answer of {names}.")));
    }
    let unreviewed = material_places::PinnedMaterial::from_record(record)
        .and_then(|material| material.describe_unread_files(record));
    all.extend(unreviewed.map(|text| Sentence::new(0, text)));
    all.extend(list_independence_doubts(input));
    let Orders { both, flips, .. } = crate::views_of(input.record()).judgment_orders(record);
    if flips > 0 {
        let text = format!("The order of the sides decided {flips} of {both} judgments that were heard in both.");
        all.push(entries.sentence_at_end(text));
    }
    if record.opened().import_details().is_some() {
        all.push(Sentence::new(0, "It was taken over from files made elsewhere; who spoke there is not known."));
    }
    let bad = input.counts.describe_troubles().into_iter().next().filter(|_| input.counts.bad > 0);
    all.extend(bad.map(|text| entries.sentence_at_end(text)));
    let named = material_places::collect_named_places(record, input.graph);
    if let Some(missing) = named.iter().find(|named| !named.is_there) {
        let text = material_places::describe_coverage(&named).unwrap_or_default();
        all.push(Sentence::new(missing.seq, format!("{text} One is {}.", missing.place)));
    }
    all
}

/// One model at every seat, or a judge that is or resembles those that it judged.
fn list_independence_doubts(input: &PageInput<'_>) -> Vec<Sentence> {
    let record = input.record();
    let is_program = |sat: &participation::SeatSummary| sat.role == Some(Role::Verifier) && sat.asked == "fetched";
    let is_model = participation::spoken_answers(record).all(|(.., answer)| !answer.is_imported());
    let mut seats = participation::list_seat_summaries(record);
    seats.retain(|sat| !sat.answered.is_empty() && !is_program(sat));
    let models: BTreeSet<&String> = seats.iter().flat_map(|sat| &sat.answered).collect();
    if let ([model], true) = (Vec::from_iter(models).as_slice(), is_model && seats.len() > 1) {
        let text = match model.strip_prefix("outside:") {
            Some(name) => format!(
                "{name}, from outside, answered for all seats, whatever they are called: that they agree proves little."
            ),
            None if model.starts_with("scripted") => {
                "A script spoke for every seat: its words were written beforehand.".to_owned()
            }
            None => format!(
                "One model ({model}) answered for all seats, whatever they are called: that they agree proves little."
            ),
        };
        return vec![Sentence::new(0, text)];
    }
    let judged = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored).last();
    let seq = judged.map_or(input.entries.end_seq(), |(seq, ..)| seq);
    let own = participation::own_judges(record).into_iter().map(|text| Sentence::new(seq, text));
    own.chain(describe_own_chair(&seats).map(|text| input.entries.sentence_at_end(text))).collect()
}

/// A chair that also argued: it decides on its own words.
fn describe_own_chair(seats: &[participation::SeatSummary]) -> Option<String> {
    let chair = seats.iter().find(|sat| sat.role == Some(Role::Chair))?;
    let own = seats.iter().filter(|sat| sat.role == Some(Role::Debater) && !sat.answered.is_disjoint(&chair.answered));
    let own: Vec<&str> = own.map(participation::SeatSummary::title).collect();
    let who = chair.answered.iter().next()?.trim_start_matches("outside:");
    (!own.is_empty()).then(|| format!("The chair ({who}) also spoke for {}.", own.join(" and ")))
}
