//! Phases 1 and 2: openings, and rounds with their turns, relayed findings and audience questions.

use agon_core::{Attempt, Faults, Floor, Flow, Lost, Reply, Request, Ruling, RulingKind, Statement};
use std::{collections::BTreeSet, sync::Arc};

use super::{
    announcements,
    audience::{self, Question},
    chair, conduct,
    conduct_rules::{Conduct, RulingVerdict},
    confirmation,
    debaters::Debater,
    log::{EntryRuling, Phase, Type},
    source_checks,
    state::{ChairedState, FORFEITS_MAX, rule_official_absent},
    statement::DebaterStatement,
    turn_rules::{DebatePart, FIGURES_RULE, TurnRules},
    verification::SourceStatus,
};
use crate::common::{
    absence::{record_warnings, rule_absent},
    named_seat,
};

/// Phase 1: every debater opens, in turn order.
pub(super) fn run_openings(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    for debater in state.active_debaters() {
        // After a reopening only those open who have not.
        if state.log.last_of(&debater.name).is_some() {
            continue;
        }
        source_checks::apply_early_findings(floor, state)?;
        let key = state.stage_key(&format!("opening/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "opening");
        if let Some((seqs, _)) = ask_statement(floor, state, &debater, request, DebatePart::Opening)? {
            source_checks::start_check(floor, state, &key, &seqs)?;
        }
    }
    source_checks::resolve_checks(floor, state)?;
    state.write_announcement(floor, announcements::OPENED)
}

/// One round of phase 2.
pub(super) fn run_round(floor: &mut Floor<'_>, state: &mut ChairedState, rounds_max: u32) -> Flow<()> {
    source_checks::resolve_checks(floor, state)?;
    let announced = announcements::round_text(state.round, rounds_max);
    state.log.write_script_entry(floor, EntryRuling::by_chair(Phase::Rebuttal, Type::Announcement, announced))?;
    rest_of_round(floor, state, &BTreeSet::new())
}

/// A round from where it stands: everyone but those who `spoke` in it already.
pub(super) fn rest_of_round(floor: &mut Floor<'_>, state: &mut ChairedState, spoke: &BTreeSet<String>) -> Flow<()> {
    for debater in state.active_debaters().into_iter().filter(|debater| !spoke.contains(&debater.name)) {
        source_checks::apply_early_findings(floor, state)?;
        run_turn(floor, state, &debater)?;
    }
    source_checks::resolve_checks(floor, state)?;
    let relayed = announcements::relay_text(&source_checks::take_relay_text(state));
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
        let said = turn.check_figures(said, &motion, draft.was_told(FIGURES_RULE))?;
        turn.check_framework(said, draft.was_told("framework"))
    };
    match floor.ask_until_valid(request.clone(), check)? {
        Ok(statement) => {
            let statement = source_checks::vet_statement(floor, state, debater, &request, statement, &check)?;
            let redrafted = statement.key.as_str() != key;
            let said = &statement.value;
            let (warnings, breaches) = turn.find_slips(said, redrafted);
            let seqs = state.log.write_said(floor, part.phase(), &debater.name, &statement.key, said)?;
            record_warnings(floor, &key, &debater.name, &warnings)?;
            for (entry, rule, reason) in breaches {
                let conduct = Conduct::without_quote(seqs[entry], rule, RulingVerdict::Warning);
                state.write_conduct(floor, conduct, &reason)?;
            }
            state.forfeits.remove(&debater.name);
            state.absent.retain(|absent| absent.seat != debater.seat);
            Ok(Some((seqs, statement.value)))
        }
        Err(lost) => {
            // The turn is forfeited, and the debate continues; after a closing no other turn follows.
            let forfeited = if part == DebatePart::Closing { FORFEITS_MAX } else { 1 };
            *state.forfeits.entry(debater.name.clone()).or_default() += forfeited;
            state.record_absent(rule_absent(floor, &debater.seat, &debater.name, &key, &lost)?);
            let opened = state.log.0.iter().rev().find(|logged| logged.item.kind == Type::Announcement);
            let seq = opened.map_or(0, |logged| logged.item.seq);
            // The failure itself is nobody's speech and stays out of the log.
            let text = format!("{} gave no usable statement; the turn is forfeited.", debater.name);
            state.write_ruling(floor, seq, &text)?;
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
        return source_checks::start_check(floor, state, &key, &seqs);
    }
    if let Some((seq, entry)) = seqs.first().zip(said.entries.first()) {
        match entry.target_seq {
            Some(target) => rule_on_challenge(floor, state, &key, *seq, target)?,
            None => answer_clarification(floor, state, &key, *seq)?,
        }
    }
    source_checks::start_check(floor, state, &key, &seqs)?;
    let key = format!("{key}/resumed");
    let request = Request::new(&key, &debater.seat, "turn").with_fact("resumed", true);
    match ask_statement(floor, state, debater, request, DebatePart::Round(false))? {
        Some((seqs, _)) => source_checks::start_check(floor, state, &key, &seqs),
        None => Ok(()),
    }
}

/// The chair answers a clarification request at once.
fn answer_clarification(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64) -> Flow<()> {
    let key = format!("{key}/clarification");
    let request = chair_request(&key, "clarification").with_fact("seq", seq);
    let ruling = ask_chair(floor, request, |draft| chair::parse_clarification(draft.text))?;
    let Some(Statement { value: ruling, .. }) = ruling else { return Ok(()) };
    warn_of_length(floor, &key, chair::too_long("the ruling", &ruling, chair::RULING_WORDS_MAX))?;
    state.write_ruling(floor, seq, &ruling)
}

/// A challenged source is verified at once, and the chair rules by what was found.
fn rule_on_challenge(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64, target: u64) -> Flow<()> {
    let found = source_checks::check_urgently(floor, state, &format!("{key}/challenge"), target)?.findings;
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
            return state.record_lost_official(floor, "audience", &key, &Lost::Failed(failed.clone()));
        }
    };
    let (questions, wrong) = audience::parse_questions(text, &state.debaters);
    state.absent.retain(|absent| absent.seat != named_seat("audience"));
    record_warnings(floor, &key, "audience", &wrong)?;
    if questions.is_empty() {
        return Ok(());
    }
    let key = state.round_key("questions/relay");
    let request = chair_request(&key, "questions").with_fact("of", answer.key.as_str());
    let request = request.with_fact("count", questions.len());
    let relayed = ask_chair(floor, request, |draft| chair::parse_relay(draft.text, questions.len()))?;
    let relayed = relayed.map(|statement| statement.value.to_vec()).unwrap_or_default();
    for (Question { to, question }, _) in questions.into_iter().zip(relayed).filter(|(_, relay)| *relay) {
        let content = format!("To {to}: {question}");
        let item = EntryRuling::new(Phase::Rebuttal, "audience", Type::AudienceQuestion, content);
        state.log.write_script_entry(floor, EntryRuling { to: Some(to), ..item })?;
    }
    Ok(())
}

/// The chair looks back at a round: it rules on conduct and, where the debate `may_end`, says whether
/// everything has been said. Without an answer the debate continues.
pub(super) fn look_back(floor: &mut Floor<'_>, state: &mut ChairedState, may_end: bool) -> Flow<bool> {
    let key = state.round_key("ending");
    let request = chair_request(&key, if may_end { "ending" } else { "review" });
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let rulings = conduct::parse_rulings(draft.text, log, draft.was_told(conduct::RULE))?;
        let ending = if may_end { Some(chair::parse_ending(draft.text)?) } else { None };
        Ok((ending, rulings))
    };
    let Some(statement) = ask_chair(floor, request, check)? else { return Ok(false) };
    let (ending, rulings) = &*statement.value;
    confirmation::rule_on_conduct(floor, state, &statement.key, rulings)?;
    let Some((end, reason)) = ending else { return Ok(false) };
    warn_of_length(floor, &key, chair::too_long("the reason", reason, chair::REASON_WORDS_MAX))?;
    let what = if *end { "The debate has come to its natural end" } else { "The debate goes on" };
    let ruling = Ruling::new(RulingKind::Noted, format!("{what}: {reason}"));
    floor.record_ruling(format!("{key}/decided"), ruling)?;
    Ok(*end)
}

/// What the chair is asked about a small matter.
pub(super) fn chair_request(key: &str, matter: &str) -> Request {
    Request::new(key, &named_seat("chair"), "chair").with_fact("matter", matter)
}

/// An answer of the chair that the debate can do without; where there is none, that is ruled.
pub(super) fn ask_chair<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    request: Request,
    check: impl Fn(Attempt<'_>) -> Result<T, Faults>,
) -> Flow<Option<Statement<T>>> {
    let key = request.key.to_string();
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => Ok(Some(statement)),
        Err(lost) => rule_official_absent(floor, "chair", &key, &lost).map(|_| None),
    }
}

/// Says on the record that an answer of the chair is longer than was asked for.
pub(super) fn warn_of_length(floor: &mut Floor<'_>, key: &str, long: impl IntoIterator<Item = String>) -> Flow<()> {
    // The same answer may be warned of for something else.
    record_warnings(floor, &format!("{key}/length"), "chair", &Vec::from_iter(long))
}
