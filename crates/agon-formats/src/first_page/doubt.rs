//! What makes an outcome untrustworthy: said before anything that a reader might rely on.

use std::collections::BTreeSet;

use agon_core::{Reply, Role, RulingKind, Standing};

use super::{Sentence, quote::QuotedEntries};
use crate::{agreement::Orders, cited::Counts, conduct, graph::Graph, places};

pub(super) fn list_doubts(entries: &QuotedEntries<'_>, graph: &Graph, counts: Counts) -> Vec<Sentence> {
    let record = entries.record;
    let mut all: Vec<Sentence> = crate::other_rules(record).map(|text| Sentence::new(0, text)).into_iter().collect();
    let outcome = record.closing_outcome();
    let is_void = outcome.is_some_and(|outcome| outcome.standing == Standing::Void);
    if is_void {
        let heard = graph.statements.iter().any(|statement| statement.text.is_some());
        let text = if heard {
            "There is no verdict: nothing below is a result."
        } else {
            "Nobody was heard; there is no verdict."
        };
        all.push(Sentence::new(entries.end_seq(), text));
    }
    if let Some(outcome) = outcome.filter(|outcome| !outcome.absent.is_empty() && !is_void) {
        let names: Vec<String> =
            outcome.absent.iter().map(|absent| conduct::display_name(record, &absent.seat)).collect();
        let ruled = record.rulings().find(|(_, _, ruling)| ruling.kind == RulingKind::Absent);
        let seq = ruled.map_or(entries.end_seq(), |(seq, ..)| seq);
        all.push(Sentence::new(seq, format!("Degraded: it ended without a usable answer of {}.", names.join(", "))));
    }
    let unreviewed = places::PinnedMaterial::of(record).and_then(|material| material.describe_unread_files(record));
    all.extend(unreviewed.map(|text| Sentence::new(0, text)));
    all.extend(list_independence_doubts(entries));
    let Orders { both, flips, .. } = crate::views_of(record).judgment_orders(record);
    if flips > 0 {
        all.push(Sentence::new(
            entries.end_seq(),
            format!("The order of the sides decided {flips} of {both} judgments that were heard in both."),
        ));
    }
    if record.opened().import_details().is_some() {
        all.push(Sentence::new(0, "It was taken over from files made elsewhere; who spoke there is not known."));
    }
    if let Some(text) = (counts.bad > 0).then(|| counts.describe_troubles().into_iter().next()).flatten() {
        all.push(Sentence::new(entries.end_seq(), text));
    }
    let named = places::collect_named_places(record, graph);
    if let Some(missing) = named.iter().find(|named| !named.is_there) {
        let text = places::describe_coverage(&named).unwrap_or_default();
        all.push(Sentence::new(missing.seq, format!("{text} One is {}.", missing.place)));
    }
    all
}

/// One model at every seat, or a judge that is or resembles those that it judged.
fn list_independence_doubts(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let record = entries.record;
    let manifest = agon_protocols::find_recorded_protocol(record).ok().map(|protocol| protocol.manifest());
    let is_program = |sat: &conduct::SeatSummary| {
        let role = manifest.and_then(|all| all.find_seat(sat.seat.as_str())).map(|seat| seat.role);
        role == Some(Role::Verifier) && sat.asked == "fetched"
    };
    let mut said = record.answers().filter(|(_, answer)| matches!(answer.reply, Reply::Said { .. }));
    let is_model = said.all(|(_, answer)| !answer.is_imported());
    let seats =
        conduct::list_seat_summaries(record).into_iter().filter(|sat| !sat.answered.is_empty() && !is_program(sat));
    let seats: Vec<conduct::SeatSummary> = seats.collect();
    let models: BTreeSet<&String> = seats.iter().flat_map(|sat| &sat.answered).collect();
    if let ([model], true) = (models.iter().collect::<Vec<_>>().as_slice(), is_model && seats.len() > 1) {
        let text = match model.strip_prefix("outside:") {
            Some(name) => {
                format!("{name}, from outside, answered at every seat: that seats agree proves little.")
            }
            None if model.starts_with("scripted") => {
                "A script spoke for every seat: its words were written beforehand.".to_owned()
            }
            None => format!("One model ({model}) spoke for every seat: that seats agree proves little."),
        };
        return vec![Sentence::new(0, text)];
    }
    let judged = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored).last();
    let seq = judged.map_or(entries.end_seq(), |(seq, ..)| seq);
    let own = conduct::own_judges(record).into_iter().map(|text| Sentence::new(seq, text));
    own.chain(own_chair(&seats, entries, |sat| {
        manifest.and_then(|all| all.find_seat(sat.seat.as_str())).map(|seat| seat.role)
    }))
    .collect()
}

/// A chair that also argued: it decides on its own words.
fn own_chair(
    seats: &[conduct::SeatSummary],
    entries: &QuotedEntries<'_>,
    role: impl Fn(&conduct::SeatSummary) -> Option<Role>,
) -> Option<Sentence> {
    let chair = seats.iter().find(|sat| role(sat) == Some(Role::Chair))?;
    let own = seats.iter().filter(|sat| role(sat) == Some(Role::Debater) && !sat.answered.is_disjoint(&chair.answered));
    let own: Vec<&str> = own.map(conduct::SeatSummary::title).collect();
    let who = chair.answered.iter().next()?.trim_start_matches("outside:");
    let text = format!("The chair ({who}) also spoke for {}.", own.join(" and "));
    (!own.is_empty()).then(|| Sentence::new(entries.end_seq(), text))
}
