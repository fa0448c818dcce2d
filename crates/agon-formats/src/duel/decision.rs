//! What would change the outcome of a duel, by the function that decides it, and what its participants leave open.

use agon_core::{Record, View};
use agon_protocols::duel::{
    history::{ClosingVerdict, History},
    turn::Stance,
};
use agon_text::count_noun;

use crate::first_page::{Sentence, quote::QuotedEntries};

/// Shortest open item that is quoted, in characters: `none` is none.
const ITEM_CHARS_MIN: usize = 12;

/// The duel as if one participant had taken another stance in the end.
pub(super) fn list_outcome_changes(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let record = entries.record;
    let history = History::of(&View::of_whole_record(record));
    let Some(now) = closing_verdict(&history) else { return Vec::new() };
    let seats: Vec<_> = history.members.iter().map(|member| (member.seat.clone(), member.name.clone())).collect();
    let told = seats.iter().filter_map(|(seat, name)| {
        let mut other = History::clone(&history);
        let latest = other.turns.iter_mut().rev().find(|turn| turn.accepted.seat == *seat)?;
        let (stance, blocking) = (latest.accepted.stance, latest.accepted.blocking);
        let entry = record.find_answer(&latest.accepted.key).map(|(seq, _)| seq)?;
        let what = match now {
            ClosingVerdict::Consensus => {
                latest.accepted.blocking = 1;
                format!("{name} accepted. Had it kept one blocking item")
            }
            ClosingVerdict::Dissent | ClosingVerdict::MaxTurns => {
                (latest.accepted.stance, latest.accepted.blocking) = (Stance::AcceptingConsensus, 0);
                let items = match blocking {
                    0 => String::new(),
                    count => format!(", with {}", count_noun(count, "blocking item", "blocking items")),
                };
                format!("{name} ended {}{items}. Had it accepted consensus", stance.describe())
            }
        };
        let then = match closing_verdict(&other)? {
            then if then == now => "the duel would have ended the same way".to_owned(),
            ClosingVerdict::MaxTurns => "the duel would have ended with its turns used up".to_owned(),
            then => format!("the duel would have ended in {}", then.name().to_lowercase().replace('_', " ")),
        };
        Some(Sentence::new(entry, format!("{what}, {then}.")))
    });
    told.collect()
}

/// How it ends with the turns that were taken.
fn closing_verdict(history: &History) -> Option<ClosingVerdict> {
    history.find_closing_verdict(0, history.turns.len() as u32)
}

/// What each leaves open in its last turn, blocking items first, and the claims that it holds to be off the topic.
pub(super) fn list_open_points(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    let record: &Record = entries.record;
    let history = History::of(&View::of_whole_record(record));
    let mut all = Vec::new();
    for turn in &history.turns {
        let Some((seq, _)) = record.find_answer(&turn.accepted.key) else { continue };
        let name = history.find_member(&turn.accepted.seat).map_or("", |member| &member.name);
        for mark in turn.contribution.iter().flat_map(|said| &said.off_topic) {
            let text = format!("{name} holds {} to be off the topic:", mark.claim);
            all.extend(entries.quote_entry(seq, text, &mark.why).map(|sentence| (true, sentence)));
        }
    }
    for member in &history.members {
        let Some(turn) = history.latest_turn(member) else { continue };
        let Some((seq, _)) = record.find_answer(&turn.accepted.key) else { continue };
        for item in turn.contribution.iter().flat_map(|said| &said.unresolved) {
            if item.text.chars().count() < ITEM_CHARS_MIN {
                continue;
            }
            let how = if item.blocking { "as blocking" } else { "without blocking" };
            let text = format!("{} leaves open, {how}:", member.name);
            all.extend(entries.quote_entry(seq, text, &item.text).map(|sentence| (!item.blocking, sentence)));
        }
    }
    all.sort_by_key(|(is_aside, _)| *is_aside);
    all.into_iter().map(|(_, sentence)| sentence).collect()
}
