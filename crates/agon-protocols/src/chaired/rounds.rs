//! Phases 1 and 2: openings, and rounds with their turns, relayed findings and audience questions.

use agon_core::{Attempt, Floor, Flow, Reply, Request};
use std::{collections::BTreeSet, sync::Arc};

use super::{
    announce, audience, chair,
    conduct::{self, ConductRuling},
    confirmation,
    debaters::Debater,
    log::{EntryRuling, Phase, Type},
    quoted_figures,
    slips::Slip,
    sources,
    state::ChairedState,
    statement::DebaterStatement,
    turn::{DebatePart, TurnRules},
    verification::SourceStatus,
};
use crate::common::{
    absence::{rule_absent, warn},
    seat,
};

/// Phase 1: every debater opens, in turn order.
pub(super) fn openings(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    for debater in state.active() {
        // After a reopening only those open who have not.
        if state.log.last_of(&debater.name).is_some() {
            continue;
        }
        sources::overhear(floor, state)?;
        let key = state.key(&format!("opening/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "opening");
        if let Some((seqs, _)) = speak(floor, state, &debater, request, DebatePart::Opening)? {
            sources::check(floor, state, &key, &seqs)?;
        }
    }
    sources::resolve(floor, state)?;
    state.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, announce::OPENED)).map(drop)
}

/// One round of phase 2.
pub(super) fn round(floor: &mut Floor<'_>, state: &mut ChairedState, rounds_max: u32) -> Flow<()> {
    sources::resolve(floor, state)?;
    let announced = announce::round(state.round, rounds_max);
    state.log.write(floor, EntryRuling::chair(Phase::Rebuttal, Type::Announcement, announced))?;
    rest_of_round(floor, state, &BTreeSet::new())
}

/// A round from where it stands: everyone but those who `spoke` in it already.
pub(super) fn rest_of_round(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    spoke: &BTreeSet<String>,
) -> Flow<()> {
    for debater in state.active().into_iter().filter(|debater| !spoke.contains(&debater.name)) {
        sources::overhear(floor, state)?;
        turn(floor, state, &debater)?;
    }
    sources::resolve(floor, state)?;
    let relayed = announce::relay(&sources::relayed(state));
    state.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, relayed))?;
    question_time(floor, state)
}

/// A statement of a debater, checked and logged; `None` where the turn is forfeited.
pub(super) fn speak(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    debater: &Debater,
    request: Request,
    part: DebatePart,
) -> Flow<Option<(Vec<u64>, Arc<DebaterStatement>)>> {
    let key = request.key.to_string();
    let turn = TurnRules { log: &state.log, speaker: &debater.name, part };
    let motion = floor.opened().motion.clone();
    let check = |draft: Attempt<'_>| {
        let said = turn.check(draft.text, draft.was_told("repetition"))?;
        let said = turn.check_figures(said, &motion, draft.was_told(quoted_figures::RULE))?;
        turn.check_framework(said, draft.was_told("framework"))
    };
    match floor.ask_until_valid(request.clone(), check)? {
        Ok(statement) => {
            let statement = sources::vet(floor, state, debater, &request, statement, &check)?;
            let redrafted = statement.key.as_str() != key;
            let said = &statement.value;
            let slips = turn.slips(said, redrafted);
            let seqs = state.log.write_said(floor, part.phase(), &debater.name, &statement.key, said)?;
            let warnings: Vec<String> = slips.iter().map(Slip::warning).collect();
            warn(floor, &key, &debater.name, &warnings)?;
            let rulings: Vec<ConductRuling> = slips.iter().filter_map(|slip| slip.ruling(&seqs)).collect();
            for ruling in &rulings {
                confirmation::write_ruling(floor, state, ruling, None)?;
            }
            state.spoke(debater);
            Ok(Some((seqs, statement.value)))
        }
        Err(lost) => {
            state.forfeit(floor, debater, &key, &lost, part == DebatePart::Closing)?;
            Ok(None)
        }
    }
}

/// A turn, which may be interrupted once by a request to the chair and is then resumed.
fn turn(floor: &mut Floor<'_>, state: &mut ChairedState, debater: &Debater) -> Flow<()> {
    let key = state.round_key(debater.seat.as_str());
    let request = Request::new(&key, &debater.seat, "turn");
    let Some((seqs, said)) = speak(floor, state, debater, request, DebatePart::Round(true))? else {
        return Ok(());
    };
    if !said.interrupts() {
        return sources::check(floor, state, &key, &seqs);
    }
    if let Some((seq, entry)) = seqs.first().zip(said.entries.first()) {
        match entry.target_seq {
            Some(target) => challenge(floor, state, &key, *seq, target)?,
            None => clarification(floor, state, &key, *seq)?,
        }
    }
    sources::check(floor, state, &key, &seqs)?;
    let key = format!("{key}/resumed");
    let request = Request::new(&key, &debater.seat, "turn").fact("resumed", true);
    match speak(floor, state, debater, request, DebatePart::Round(false))? {
        Some((seqs, _)) => sources::check(floor, state, &key, &seqs),
        None => Ok(()),
    }
}

/// The chair answers a clarification request at once.
fn clarification(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64) -> Flow<()> {
    let key = format!("{key}/clarification");
    let request =
        Request::new(&key, &seat("chair"), "chair").fact("matter", "clarification").fact("seq", seq);
    match floor.ask_until_valid(request, |draft| chair::parse_clarification(draft.text))? {
        Ok(statement) => {
            let long = chair::too_long("the ruling", &statement.value, chair::RULING_WORDS_MAX);
            warn_of_length(floor, &key, long.into_iter().collect())?;
            let text = announce::ruling(seq, &statement.value);
            state.log.write(floor, EntryRuling::chair(Phase::System, Type::Ruling, text)).map(drop)
        }
        Err(lost) => rule_absent(floor, &seat("chair"), "chair", &key, &lost).map(drop),
    }
}

/// A challenged source is verified at once, and the chair rules by what was found.
fn challenge(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64, target: u64) -> Flow<()> {
    let found = sources::check_urgently(floor, state, &format!("{key}/challenge"), target)?.findings;
    let found: Vec<_> = found.into_iter().map(|finding| finding.standing(&state.log)).collect();
    let any = |status: SourceStatus| found.iter().any(|finding| finding.status == status);
    let text = if any(SourceStatus::Fabricated) {
        format!(
            "the challenge to seq {target} is upheld. A source is fabricated; the entry is struck and counts against its debater."
        )
    } else if any(SourceStatus::Unreliable) {
        format!(
            "the challenge to seq {target} is upheld. A source is unreliable; its debater is to withdraw or replace it."
        )
    } else if found.iter().all(|finding| finding.status == SourceStatus::Verified) {
        format!("the challenge to seq {target} is dismissed. Its sources are verified.")
    } else {
        format!(
            "the challenge to seq {target} is left open. What was found of its sources decides neither way, and that counts against nobody."
        )
    };
    state
        .log
        .write(floor, EntryRuling::chair(Phase::System, Type::Ruling, announce::ruling(seq, &text)))
        .map(drop)
}

/// The audience may ask; the chair relays what is worth an answer.
fn question_time(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let key = state.round_key("questions");
    let request =
        Request::new(&key, &seat("audience"), "questions").or_absent().within(audience::QUESTION_SECONDS);
    let answer = floor.ask(request)?;
    let text = match &answer.reply {
        Reply::Said { text } => text,
        // Silence is allowed.
        Reply::Elapsed => return Ok(()),
        Reply::Failed(failed) => {
            let lost = agon_core::Lost::Failed(failed.clone());
            let absent = rule_absent(floor, &seat("audience"), "audience", &key, &lost)?;
            state.without(absent);
            return Ok(());
        }
    };
    let (questions, wrong) = audience::questions(text, &state.debaters);
    state.absent.retain(|absent| absent.seat != seat("audience"));
    warn(floor, &key, "audience", &wrong)?;
    if questions.is_empty() {
        return Ok(());
    }
    let key = state.round_key("questions/relay");
    let request = Request::new(&key, &seat("chair"), "chair")
        .fact("matter", "questions")
        .fact("of", answer.key.as_str())
        .fact("count", questions.len());
    match floor.ask_until_valid(request, |draft| chair::parse_relay(draft.text, questions.len()))? {
        Ok(statement) => {
            for (question, _) in questions.iter().zip(statement.value.iter()).filter(|(_, relay)| **relay) {
                let content = format!("To {}: {}", question.to, question.question);
                let mut item = EntryRuling::new(Phase::Rebuttal, "audience", Type::AudienceQuestion, content);
                item.to = Some(question.to.clone());
                state.log.write(floor, item)?;
            }
            Ok(())
        }
        Err(lost) => rule_absent(floor, &seat("chair"), "chair", &key, &lost).map(drop),
    }
}

/// The chair looks back at a round: it rules on conduct and, where the debate `may_end`, says whether
/// everything has been said. Without an answer the debate continues.
pub(super) fn look_back(floor: &mut Floor<'_>, state: &mut ChairedState, may_end: bool) -> Flow<bool> {
    let key = state.round_key("ending");
    let matter = if may_end { "ending" } else { "review" };
    let request = Request::new(&key, &seat("chair"), "chair").fact("matter", matter);
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let rulings = conduct::parse_rulings(draft.text, log, draft.was_told(conduct::RULE))?;
        let ending = if may_end { Some(chair::parse_ending(draft.text)?) } else { None };
        Ok((ending, rulings))
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let (ending, rulings) = &*statement.value;
            confirmation::rule_on_conduct(floor, state, &statement.key, rulings)?;
            let Some((end, reason)) = ending else { return Ok(false) };
            let long = chair::too_long("the reason", reason, chair::REASON_WORDS_MAX);
            warn_of_length(floor, &key, long.into_iter().collect())?;
            let what = if *end { "The debate has come to its natural end" } else { "The debate goes on" };
            let ruling = agon_core::Ruling::new(agon_core::RulingKind::Noted, format!("{what}: {reason}"));
            floor.rule(format!("{key}/decided"), ruling)?;
            Ok(*end)
        }
        Err(lost) => {
            rule_absent(floor, &seat("chair"), "chair", &key, &lost)?;
            Ok(false)
        }
    }
}

/// Says on the record that an answer of the chair is longer than was asked for.
pub(super) fn warn_of_length(floor: &mut Floor<'_>, key: &str, warnings: Vec<String>) -> Flow<()> {
    // The same answer may be warned of for something else.
    warn(floor, &format!("{key}/length"), "chair", &warnings)
}
