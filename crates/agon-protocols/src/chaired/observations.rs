//! What is put before the chair when it looks back at a round: what the program finds by comparing and counting, and
//! cannot judge. It rules nothing.

use agon_core::View;
use agon_text::{FoldedText, count_words, find_links, find_quotations, find_quote, restore_marks, split_sentences};
use serde::Serialize;

use super::{
    conduct_rules::SOURCE_RULE,
    log::{DebateLog, Logged, Phase, Type},
    turn_rules::CONJECTURE,
    verification::{self, SourceFinding},
};
use crate::common::claim_reading::ClaimVerdict;

/// Shortest quotation that is looked for in the log, in words.
const QUOTED_WORDS_MIN: usize = 4;

/// Something that the chair may rule on.
#[derive(Serialize)]
pub(super) struct EntryObservation {
    seq: u64,
    rule: u32,
    what: String,
}

/// What the chair is shown, of entries since it last looked back. What it ruled on is not shown again.
pub(super) fn observe_entries(heard: &View<'_>, log: &DebateLog) -> Vec<EntryObservation> {
    let found = verification::collect_findings(heard);
    let begins = |logged: &&Logged| logged.item.kind == Type::Announcement && logged.item.phase == Phase::Rebuttal;
    let rounds: Vec<u64> = log.0.iter().filter(begins).map(|logged| logged.item.seq).collect();
    // The first entry of the round that is over; the openings belong to the first round.
    let since = rounds.last().copied().filter(|_| rounds.len() > 1).unwrap_or_default();
    let mut all = Vec::new();
    for entry in log.standing_arguments().filter(|entry| entry.item.seq >= since) {
        all.extend(observe_quotation(entry, log, &found));
        all.extend(observe_unsourced(entry));
        all.extend(observe_readings(entry, &found));
        all.extend(observe_frameworks(entry, log));
    }
    let is_ruled = |seen: &EntryObservation| {
        let mut ruled = log.0.iter().filter_map(|logged| logged.item.conduct.as_ref());
        ruled.any(|conduct| (conduct.of, conduct.rule) == (seen.seq, seen.rule))
    };
    all.retain(|seen| !is_ruled(seen));
    all
}

/// Words within quotation marks that are attributed to the debate, and that nobody said and no page holds. An entry
/// attributes them where it cites no page, or names an entry by its seq in the same sentence.
fn observe_quotation(entry: &Logged, log: &DebateLog, found: &[SourceFinding]) -> Option<EntryObservation> {
    let content = entry.visible_content();
    let is_sourced = entry.cited_addresses().next().is_some();
    let others = log.0.iter().filter(|other| other.item.seq != entry.item.seq);
    let pages = found.iter().filter_map(|found| found.sentence.as_deref());
    let known: Vec<FoldedText> =
        others.map(|other| other.original_content().0).chain(pages).map(FoldedText::new).collect();
    let is_attributed = |at: usize| {
        let sentence = split_sentences(&content).into_iter().find(|sentence| sentence.range.contains(&at));
        let sentence = sentence.map_or("", |sentence| sentence.text);
        find_links(sentence).is_empty() && (!is_sourced || !super::audience::find_seq_references(sentence).is_empty())
    };
    let invented = find_quotations(&content).into_iter().find(|quoted| {
        count_words(quoted.text) >= QUOTED_WORDS_MIN
            && is_attributed(quoted.range.start)
            && !known.iter().any(|text| find_quote(text, quoted.text).verbatim_ranges().is_some())
    })?;
    let what = format!("it quotes words that no other entry has: {:?}", invented.text);
    Some(EntryObservation { seq: entry.item.seq, rule: 7, what })
}

/// An entry that can state facts, with neither a source nor the label at its beginning.
fn observe_unsourced(entry: &Logged) -> Option<EntryObservation> {
    let states = matches!(entry.item.kind, Type::OpeningStatement | Type::NewPoint | Type::Rebuttal);
    let is_bare = entry.cited_addresses().next().is_none() && !entry.original_content().0.starts_with(CONJECTURE);
    let what = "it has neither a source nor the label [CONJECTURE] at its beginning; it breaks the rule if it states facts of its own".to_owned();
    (states && is_bare).then_some(EntryObservation { seq: entry.item.seq, rule: 11, what })
}

/// Pages that a model read and that do not bear out what the entry says of them.
fn observe_readings(entry: &Logged, found: &[SourceFinding]) -> Vec<EntryObservation> {
    let seq = entry.item.seq;
    let read = verification::latest_findings(found).into_iter().filter(|found| found.seq == seq).filter_map(|found| {
        let reading = found.reading.as_ref().filter(|reading| !reading.is_unfit)?;
        let is_against = matches!(reading.verdict, ClaimVerdict::Contradicts | ClaimVerdict::Silent);
        let by = reading.sentence.as_ref().map(|by| format!(", by {by:?}")).unwrap_or_default();
        is_against.then(|| format!("what it quotes stands on {}, but {}{by}", found.url, reading.describe_reading()))
    });
    read.map(|what| EntryObservation { seq, rule: SOURCE_RULE, what: restore_marks(what) }).collect()
}

/// Frameworks of others that were due in the turn that an entry belongs to.
fn observe_frameworks(entry: &Logged, log: &DebateLog) -> Vec<EntryObservation> {
    if entry.item.phase != Phase::Rebuttal {
        return Vec::new();
    }
    let (seq, speaker) = (entry.item.seq, entry.item.speaker.as_str());
    let earlier: Vec<&Logged> =
        log.standing_arguments().filter(|other| other.item.speaker == speaker && other.item.seq < seq).collect();
    // A turn of several entries answers once, in its first.
    let is_first = !earlier.iter().any(|other| other.item.key == entry.item.key);
    let is_turn = |other: &&&Logged| other.item.phase == Phase::Rebuttal && other.item.key != entry.item.key;
    let since = earlier.iter().rev().find(is_turn).map_or(0, |before| before.item.seq);
    let mut due = log.list_frameworks();
    due.retain(|framework| framework.by != speaker && (since..seq).contains(&framework.seq) && is_first);
    let due = due.into_iter().map(|framework| {
        let what = format!(
            "the framework {:?} of {} (seq {}) was due in this turn; it breaks the rule if the turn neither engages with it nor defers it",
            framework.name, framework.by, framework.seq
        );
        EntryObservation { seq, rule: 23, what: restore_marks(what) }
    });
    due.collect()
}
