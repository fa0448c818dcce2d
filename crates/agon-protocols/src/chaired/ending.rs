//! Phases 3 and 4: unresolved points, closings, and the conclusion.

use agon_core::{Attempt, Floor, Flow, Key, Outcome, Request, Ruling, RulingKind};
use serde_json::json;

use super::{
    aftermath, announce, chair, conclusion, conduct, confirmation, describe_absent,
    log::{EntryRuling, Phase, Type},
    outcome::Concluded,
    rounds, sources,
    state::{ChairedState, rule_official_absent},
    turn::DebatePart,
};
use crate::common;

/// Everything after the rounds.
pub(super) fn end_debate(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Outcome> {
    sources::resolve_checks(floor, state)?;
    if state.active_debaters().len() < 2 || state.log.standing_arguments().next().is_none() {
        return too_few(floor, state);
    }
    if state.closed.is_empty() {
        name_unresolved(floor, state)?;
    }
    let mut left = state.active_debaters();
    left.retain(|debater| !state.closed.contains(&debater.name));
    for debater in left.into_iter().rev() {
        sources::apply_early_findings(floor, state)?;
        let key = state.stage_key(&format!("closing/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "closing");
        let said = rounds::ask_statement(floor, state, &debater, request, DebatePart::Closing)?;
        if let Some((seqs, _)) = said {
            sources::start_check(floor, state, &key, &seqs)?;
        }
    }
    // The outcome relies on the closings, too.
    sources::resolve_checks(floor, state)?;
    let relayed = sources::take_relay_text(state);
    if !relayed.is_empty() {
        let text = format!("Verifier findings relayed on the closing statements: {relayed}");
        state.write_announcement(floor, text)?;
    }
    if state.active_debaters().len() < 2 {
        return too_few(floor, state);
    }
    state.write_announcement(floor, announce::CLOSED)?;
    let key = state.stage_key("conclusion");
    let (Concluded { outcome, reason }, of) = match conclusion::ask_conclusion(floor, state, &key)? {
        Ok(concluded) => concluded,
        Err(lost) => {
            state.record_lost_official(floor, "chair", &key, &lost)?;
            return conclude_void(floor, state, "The chair gave no usable answer, so the debate cannot be concluded.");
        }
    };
    let long = chair::too_long("the reason", &reason, chair::CONCLUSION_WORDS_MAX);
    common::absence::record_warnings(floor, &key, "chair", &Vec::from_iter(long))?;
    log_conclusion(floor, state, (&outcome, &reason), of)?;
    if outcome == "void" {
        let ruling = Ruling::new(RulingKind::Invalidated, format!("The chair declared the debate void: {reason}"));
        floor.record_ruling(state.stage_key("conclusion/void"), ruling)?;
    }
    aftermath::write_about(floor, state, &outcome)?;
    Ok(build_outcome(state, &outcome, &reason))
}

/// The points that the closings should take up, up to three. Where the chair names none, or does not answer, the
/// closings do without.
fn name_unresolved(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let key = state.stage_key("unresolved");
    let request = Request::new(&key, &common::named_seat("chair"), "chair").with_fact("matter", "unresolved");
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let rulings = conduct::parse_rulings(draft.text, log, draft.was_told(conduct::RULE))?;
        chair::parse_unresolved(draft.text, log).map(|points| (points, rulings))
    };
    let mut named = Vec::new();
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let (points, rulings) = &*statement.value;
            confirmation::rule_on_conduct(floor, state, &statement.key, rulings)?;
            let long =
                points.iter().filter_map(|named| chair::too_long("a point", &named.point, chair::POINT_WORDS_MAX));
            rounds::warn_of_length(floor, &key, long.collect())?;
            named.clone_from(points);
        }
        Err(lost) => drop(rule_official_absent(floor, "chair", &key, &lost)?),
    }
    state.write_announcement(floor, announce::unresolved_text(&named))
}

/// Fewer than two debaters are left: nothing can be concluded.
pub(super) fn too_few(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Outcome> {
    let reason = "Fewer than two debaters are left, so the debate cannot be fairly concluded.";
    if state.absent.is_empty() {
        floor.record_ruling(
            state.stage_key("conclusion/void"),
            Ruling::new(RulingKind::Invalidated, "No argument stands."),
        )?;
    }
    conclude_void(floor, state, reason)
}

fn conclude_void(floor: &mut Floor<'_>, state: &mut ChairedState, reason: &str) -> Flow<Outcome> {
    log_conclusion(floor, state, ("void", reason), None)?;
    Ok(build_outcome(state, "void", reason))
}

/// Logs the conclusion, with the answer `of` the chair that it repeats.
fn log_conclusion(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    (outcome, reason): (&str, &str),
    of: Option<Key>,
) -> Flow<()> {
    let item = EntryRuling::by_chair(Phase::System, Type::Conclusion, announce::conclusion_text(outcome, reason));
    state.log.write_script_entry(floor, EntryRuling { key: of, ..item }).map(drop)
}

/// The outcome; absent seats are named first.
pub(super) fn build_outcome(state: &ChairedState, outcome: &str, reason: &str) -> Outcome {
    let absent = state.absent.clone();
    let first = describe_absent(&absent, state);
    let winner = outcome.strip_suffix("_wins").map(str::to_owned);
    let verdict = match (&winner, outcome) {
        (Some(name), _) => format!("{name} wins. {reason}"),
        (None, "void") => format!("The debate is void. {reason}"),
        (None, _) => format!("A draw. {reason}"),
    };
    let summary = format!("{first}{verdict}");
    let redactions = state.log.0.iter().filter(|logged| logged.struck.is_some()).count();
    let mut figures = json!({"rounds": state.round, "entries": state.log.next(), "redactions": redactions});
    if let Some(judged) = &state.judged {
        figures["judged"] = json!(judged);
    }
    let made = if outcome == "void" { Outcome::void(outcome, summary) } else { Outcome::valid(outcome, summary) };
    Outcome { winner, absent, figures, ..made }
}
