//! What the chair of a debate rests its conclusion on, and what it named as unresolved.

use agon_core::{Record, View};
use agon_protocols::chaired::{
    announce, audience,
    log::{DebateLog, Logged},
};

use super::find_entry_ruling;
use crate::{
    agreement::Orders,
    first_page::{Sentence, quote::QuotedEntries},
    graph::Graph,
};

/// In how many orders a blind chair was asked, by the figure of the outcome.
pub(super) fn count_orders(record: &Record) -> Orders {
    let judged = record.closing_outcome().map(|outcome| &outcome.figures["judged"]);
    let Some(judged) = judged.filter(|judged| judged.is_object()) else {
        return Orders { all: 1, ..Orders::default() };
    };
    let both = usize::from(judged["answered"].as_u64().unwrap_or_default() > 1);
    Orders { all: 1, both, flips: usize::from(judged["flip"] == true) }
}

/// The entries that the chair's reason rests on.
pub(super) fn list_outcome_changes(entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
    let log = DebateLog::of(&View::of_whole_record(entries.record));
    let Some(conclusion) = log.find_conclusion() else { return Vec::new() };
    let seq = ruling_seq(entries, conclusion.item.seq);
    let places = find_named_statements(&log, graph);
    let mut named: Vec<(&str, Vec<&str>)> = Vec::new();
    for statement in places.into_iter().map(|at| &graph.statements[at]) {
        let number = statement.id.trim_start_matches("seq-");
        match named.iter_mut().find(|(speaker, _)| *speaker == statement.speaker) {
            Some((_, seqs)) => seqs.push(number),
            None => named.push((&statement.speaker, vec![number])),
        }
    }
    let named: Vec<String> =
        named.into_iter().map(|(speaker, seqs)| format!("seq {} of {speaker}", seqs.join(", "))).collect();
    let text = match named.is_empty() {
        true => "The chair's reason names no entry: another chair could decide otherwise on the same log.".to_owned(),
        false => format!(
            "The chair's reason rests on {}: if one of them does not hold, it has to be given again.",
            named.join("; ")
        ),
    };
    vec![Sentence::new(seq, text)]
}

/// What the chair called unresolved before the closings.
pub(super) fn list_open_points(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let log = DebateLog::of(&View::of_whole_record(entries.record));
    let review =
        |logged: &&Logged| logged.item.content.as_deref().is_some_and(|text| text.starts_with(announce::REVIEW));
    let Some(review) = log.0.iter().rev().find(review) else { return Vec::new() };
    let (seq, content) = (ruling_seq(entries, review.item.seq), review.visible_content());
    let points =
        content.lines().filter_map(|line| line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok()));
    let told = points.filter_map(|(_, point)| {
        let words = point.rsplit_once(" — ").map_or(point, |(words, _)| words);
        entries.quote_entry(seq, "The chair left to the closings:", words)
    });
    told.collect()
}

/// Places of the statements that the chair's reason names, in its order.
fn find_named_statements(log: &DebateLog, graph: &Graph) -> Vec<usize> {
    let reason = log.find_conclusion().map(Logged::visible_content).unwrap_or_default();
    audience::find_seq_references(&reason).into_iter().filter_map(|seq| graph.index(&format!("seq-{seq}"))).collect()
}

/// The ruling that fixed an entry of the log.
fn ruling_seq(entries: &QuotedEntries<'_>, of: u64) -> u64 {
    find_entry_ruling(entries.record, of).unwrap_or_else(|| entries.end_seq())
}
