//! Phases 1 and 2: openings, and rounds with their turns, relayed findings and audience questions.

use agon_core::{Attempt, Floor, Flow, Reply, Request};
use std::{collections::BTreeSet, sync::Arc};

use super::{
    announce, audience, chair, conduct, confirmation,
    debaters::Debater,
    log::{EntryRuling, Phase, Type},
    quoted_figures, sources,
    state::{ChairedState, rule_official_absent},
    statement::DebaterStatement,
    turn::{DebatePart, TurnRules},
    verification::SourceStatus,
};
use crate::common::{absence::record_warnings, named_seat};

/// Phase 1: every debater opens, in turn order.
pub(super) fn run_openings(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    for debater in state.active_debaters() {
        // After a reopening only those open who have not.
        if state.log.last_of(&debater.name).is_some() {
            continue;
        }
        sources::apply_early_findings(floor, state)?;
        let key = state.stage_key(&format!("opening/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "opening");
        if let Some((seqs, _)) = ask_statement(floor, state, &debater, request, DebatePart::Opening)? {
            sources::start_check(floor, state, &key, &seqs)?;
        }
    }
    sources::resolve_checks(floor, state)?;
    state.write_announcement(floor, announce::OPENED)
}

/// One round of phase 2.
pub(super) fn run_round(floor: &mut Floor<'_>, state: &mut ChairedState, rounds_max: u32) -> Flow<()> {
    sources::resolve_checks(floor, state)?;
    let announced = announce::round_text(state.round, rounds_max);
    state.log.write_script_entry(floor, EntryRuling::by_chair(Phase::Rebuttal, Type::Announcement, announced))?;
    rest_of_round(floor, state, &BTreeSet::new())
}

/// A round from where it stands: everyone but those who `spoke` in it already.
pub(super) fn rest_of_round(floor: &mut Floor<'_>, state: &mut ChairedState, spoke: &BTreeSet<String>) -> Flow<()> {
    for debater in state.active_debaters().into_iter().filter(|debater| !spoke.contains(&debater.name)) {
        sources::apply_early_findings(floor, state)?;
        run_turn(floor, state, &debater)?;
    }
    sources::resolve_checks(floor, state)?;
    let relayed = announce::relay_text(&sources::take_relay_text(state));
    state.write_announcement(floor, relayed)?;
    question_time(floor, state)
}

/// A statement of a debater, checked and logged; `None` where the turn is forfeited.
pub(super) fn ask_statement(
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
        let said = turn.check_statement(draft.text, draft.was_told("repetition"))?;
        let said = turn.check_figures(said, &motion, draft.was_told(quoted_figures::RULE))?;
        turn.check_framework(said, draft.was_told("framework"))
    };
    match floor.ask_until_valid(request.clone(), check)? {
        Ok(statement) => {
            let statement = sources::vet_statement(floor, state, debater, &request, statement, &check)?;
            let redrafted = statement.key.as_str() != key;
            let said = &statement.value;
            let slips = turn.find_slips(said, redrafted);
            let seqs = state.log.write_said(floor, part.phase(), &debater.name, &statement.key, said)?;
            let warnings: Vec<String> = slips.iter().map(|slip| slip.warning.clone()).collect();
            record_warnings(floor, &key, &debater.name, &warnings)?;
            for ruling in slips.iter().filter_map(|slip| slip.warning_ruling(&seqs)) {
                confirmation::write_ruling(floor, state, &ruling, None)?;
            }
            state.mark_spoken(debater);
            Ok(Some((seqs, statement.value)))
        }
        Err(lost) => {
            state.forfeit_turn(floor, debater, &key, &lost, part == DebatePart::Closing)?;
            Ok(None)
        }
    }
}

/// A turn, which may be interrupted once by a request to the chair and is then resumed.
fn run_turn(floor: &mut Floor<'_>, state: &mut ChairedState, debater: &Debater) -> Flow<()> {
    let key = state.round_key(debater.seat.as_str());
    let request = Request::new(&key, &debater.seat, "turn");
    let Some((seqs, said)) = ask_statement(floor, state, debater, request, DebatePart::Round(true))? else {
        return Ok(());
    };
    if !said.is_interruption() {
        return sources::start_check(floor, state, &key, &seqs);
    }
    if let Some((seq, entry)) = seqs.first().zip(said.entries.first()) {
        match entry.target_seq {
            Some(target) => rule_on_challenge(floor, state, &key, *seq, target)?,
            None => answer_clarification(floor, state, &key, *seq)?,
        }
    }
    sources::start_check(floor, state, &key, &seqs)?;
    let key = format!("{key}/resumed");
    let request = Request::new(&key, &debater.seat, "turn").with_fact("resumed", true);
    match ask_statement(floor, state, debater, request, DebatePart::Round(false))? {
        Some((seqs, _)) => sources::start_check(floor, state, &key, &seqs),
        None => Ok(()),
    }
}

/// The chair answers a clarification request at once.
fn answer_clarification(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64) -> Flow<()> {
    let key = format!("{key}/clarification");
    let request =
        Request::new(&key, &named_seat("chair"), "chair").with_fact("matter", "clarification").with_fact("seq", seq);
    match floor.ask_until_valid(request, |draft| chair::parse_clarification(draft.text))? {
        Ok(statement) => {
            let long = chair::too_long("the ruling", &statement.value, chair::RULING_WORDS_MAX);
            warn_of_length(floor, &key, long.into_iter().collect())?;
            state.write_ruling(floor, seq, &statement.value)
        }
        Err(lost) => rule_official_absent(floor, "chair", &key, &lost).map(drop),
    }
}

/// A challenged source is verified at once, and the chair rules by what was found.
fn rule_on_challenge(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64, target: u64) -> Flow<()> {
    let found = sources::check_urgently(floor, state, &format!("{key}/challenge"), target)?.findings;
    let found: Vec<_> = found.into_iter().map(|finding| finding.apply_lifting(&state.log)).collect();
    let any = |status: SourceStatus| found.iter().any(|finding| finding.status == status);
    let what = if any(SourceStatus::Fabricated) {
        "upheld. A source is fabricated; the entry is struck and counts against its debater."
    } else if any(SourceStatus::Unreliable) {
        "upheld. A source is unreliable; its debater is to withdraw or replace it."
    } else if found.iter().all(|finding| finding.status == SourceStatus::Verified) {
        "dismissed. Its sources are verified."
    } else {
        "left open. What was found of its sources decides neither way, and that counts against nobody."
    };
    state.write_ruling(floor, seq, &format!("the challenge to seq {target} is {what}"))
}

/// The audience may ask; the chair relays what is worth an answer.
fn question_time(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let key = state.round_key("questions");
    let request = Request::new(&key, &named_seat("audience"), "questions")
        .or_absent()
        .with_wait_seconds(audience::QUESTION_SECONDS);
    let answer = floor.ask_seat(request)?;
    let text = match &answer.reply {
        Reply::Said { text } => text,
        // Silence is allowed.
        Reply::Elapsed => return Ok(()),
        Reply::Failed(failed) => {
            let lost = agon_core::Lost::Failed(failed.clone());
            return state.record_lost_official(floor, "audience", &key, &lost);
        }
    };
    let (questions, wrong) = audience::parse_questions(text, &state.debaters);
    state.absent.retain(|absent| absent.seat != named_seat("audience"));
    record_warnings(floor, &key, "audience", &wrong)?;
    if questions.is_empty() {
        return Ok(());
    }
    let key = state.round_key("questions/relay");
    let request = Request::new(&key, &named_seat("chair"), "chair")
        .with_fact("matter", "questions")
        .with_fact("of", answer.key.as_str())
        .with_fact("count", questions.len());
    match floor.ask_until_valid(request, |draft| chair::parse_relay(draft.text, questions.len()))? {
        Ok(statement) => {
            for (question, _) in questions.iter().zip(statement.value.iter()).filter(|(_, relay)| **relay) {
                let content = format!("To {}: {}", question.to, question.question);
                let mut item = EntryRuling::new(Phase::Rebuttal, "audience", Type::AudienceQuestion, content);
                item.to = Some(question.to.clone());
                state.log.write_script_entry(floor, item)?;
            }
            Ok(())
        }
        Err(lost) => rule_official_absent(floor, "chair", &key, &lost).map(drop),
    }
}

/// The chair looks back at a round: it rules on conduct and, where the debate `may_end`, says whether
/// everything has been said. Without an answer the debate continues.
pub(super) fn look_back(floor: &mut Floor<'_>, state: &mut ChairedState, may_end: bool) -> Flow<bool> {
    let key = state.round_key("ending");
    let matter = if may_end { "ending" } else { "review" };
    let request = Request::new(&key, &named_seat("chair"), "chair").with_fact("matter", matter);
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
            floor.record_ruling(format!("{key}/decided"), ruling)?;
            Ok(*end)
        }
        Err(lost) => rule_official_absent(floor, "chair", &key, &lost).map(|_| false),
    }
}

/// Says on the record that an answer of the chair is longer than was asked for.
pub(super) fn warn_of_length(floor: &mut Floor<'_>, key: &str, warnings: Vec<String>) -> Flow<()> {
    // The same answer may be warned of for something else.
    record_warnings(floor, &format!("{key}/length"), "chair", &warnings)
}
