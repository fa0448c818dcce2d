//! The answers of both participants of a duel, and what they rest on: the flaws that they found in the document, the
//! repairs, and what became of each.

use agon_core::{Record, Standing, View};
use agon_protocols::duel::{
    outcome::{ACCEPTED_CONSENSUS, TIMEOUT},
    state::{History, Turn},
    support,
    turn::{ClaimReply, ReplyStance, TurnClaim},
};

use crate::{
    first_page::{AnswerBasis, BasisPoint, StatedAnswer},
    graph::answer_seq,
};

/// A claim that its peer was asked about and did not answer.
pub(super) const NO_ANSWER: &str = "no answer";
/// A claim of a duel in which nobody was asked what it makes of the other's claims.
pub(super) const RAISED: &str = "raised";

/// The last answer of each; one where both accept consensus.
pub(super) fn collect_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let outcome =
        record.closing_outcome().filter(|outcome| outcome.standing == Standing::Valid && outcome.name != TIMEOUT);
    let Some(outcome) = outcome else { return Vec::new() };
    let history = History::from_view(&View::of_whole_record(record));
    let stated = history.members.iter().filter_map(|member| {
        let turn = history.latest_turn(member)?;
        let answer = turn.contribution.as_ref()?.answer.clone()?;
        Some(StatedAnswer { by: member.name.clone(), answer, seq: answer_seq(record, &turn.accepted.key) })
    });
    let mut stated: Vec<StatedAnswer> = stated.collect();
    if outcome.name == ACCEPTED_CONSENSUS {
        let by: Vec<String> = stated.iter().map(|answer| answer.by.clone()).collect();
        stated.sort_by_key(|answer| answer.seq);
        // Who accepted last knew the other's words.
        stated.drain(..stated.len().saturating_sub(1));
        stated.iter_mut().for_each(|answer| answer.by = by.join(" and "));
    }
    stated
}

/// What each turn says against the document, in the order of turns, with what the peer made of it.
pub(super) fn collect_answer_basis(record: &Record) -> AnswerBasis {
    let history = History::from_view(&View::of_whole_record(record));
    let points: Vec<BasisPoint> =
        list_flaws(record, &history).into_iter().map(|flaw| build_flaw_point(&history, flaw)).collect();
    AnswerBasis { title: if points.is_empty() { "" } else { "Flaws and repairs" }, points }
}

/// A flaw of the document that a turn names, and what the peer made of it.
pub(super) struct Flaw<'h> {
    /// What is claimed, as the rules of turns name it.
    pub(super) name: String,
    /// The part of the document; may be empty.
    pub(super) place: &'h str,
    /// What is wrong there.
    pub(super) said: &'h TurnClaim,
    /// The turn that names it.
    pub(super) turn: &'h Turn,
    /// The entry that holds that turn.
    pub(super) seq: u64,
    /// The last reply to it, and the turn that gives it.
    pub(super) reply: Option<(&'h Turn, &'h ClaimReply)>,
    /// Whether the peer was asked what it makes of it.
    pub(super) is_asked: bool,
}

/// Every flaw, in the order of turns.
pub(super) fn list_flaws<'h>(record: &Record, history: &'h History) -> Vec<Flaw<'h>> {
    let said = history.turns.iter().filter_map(|turn| Some((turn, turn.contribution.as_ref()?)));
    let is_asked = said.clone().any(|(_, said)| said.replies.is_some());
    let flaws = said.flat_map(|(turn, said)| {
        let seq = answer_seq(record, &turn.accepted.key);
        let named = said.claim_names(turn.accepted.turn).zip(said.counterpoints.iter().chain([&said.novel]));
        // What became of those that answer another turn is in the reply to it.
        let about_document = named.filter(|(_, said)| support::parse_turn_numbers(&said.addresses).is_empty());
        about_document.map(move |(name, said)| {
            let place = said.addresses.strip_prefix("Source").unwrap_or(&said.addresses).trim_start_matches([':', ' ']);
            Flaw { place, said, turn, seq, reply: reply_to(history, &name), is_asked, name }
        })
    });
    flaws.collect()
}

fn build_flaw_point(history: &History, flaw: Flaw<'_>) -> BasisPoint {
    let Flaw { name, place, said, turn, seq, reply, is_asked } = flaw;
    let told = |turn: &Turn| {
        let name = history.find_member(&turn.accepted.seat).map_or("", |member| member.name.as_str());
        format!("{name}, turn {}", turn.accepted.turn)
    };
    let answer = reply.map(|(by, reply)| match reply.why.as_str() {
        "" => told(by),
        why => format!("{}: {why}", told(by)),
    });
    let mut holders = vec![told(turn)];
    let mut notes = vec![("Repair", said.repair.clone())];
    notes.extend(said.support.iter().find(|entry| entry.contains('"')).map(|entry| ("Rests on", entry.clone())));
    let (state, label) = match reply.map(|(_, reply)| reply.stance) {
        Some(ReplyStance::Granted) => ("granted", ""),
        Some(ReplyStance::Narrowed) => ("narrowed", "Narrowed by"),
        Some(ReplyStance::Rejected) => ("rejected", "Rejected by"),
        None => (if is_asked { NO_ANSWER } else { RAISED }, ""),
    };
    match label {
        "" => holders.extend(answer),
        label => notes.extend(answer.map(|answer| (label, answer))),
    }
    notes.insert(1, ("Held by", holders.join("; ")));
    notes.retain(|(_, text)| !text.is_empty());
    BasisPoint {
        is_open: matches!(state, "rejected" | NO_ANSWER),
        id: name,
        place: place.to_owned(),
        text: said.claim.clone(),
        notes,
        ..BasisPoint::new(state, seq)
    }
}

/// The last reply to the claim called `name`.
fn reply_to<'h>(history: &'h History, name: &str) -> Option<(&'h Turn, &'h ClaimReply)> {
    history.turns.iter().rev().find_map(|turn| {
        let mut replies = turn.contribution.as_ref()?.replies.iter().flatten();
        Some((turn, replies.find(|reply| reply.claim == name)?))
    })
}
