//! Phases 3 and 4: unresolved points, closings, and the conclusion.

use agon_core::{Attempt, Floor, Flow, Key, Lost, Outcome, Request, Ruling, RulingKind, draft::Draft};
use serde_json::json;

use super::{
    announcements, chair, conduct, confirmation,
    debaters::{self, DebaterLabels},
    log::{EntryRuling, Phase, Type},
    outcome::{Concluded, Contest, REVERSED},
    publications, rounds, source_checks,
    state::{ChairedState, JudgedOrders},
    turn_rules::DebatePart,
};
use crate::common::{self, absence::record_warnings};

/// Everything after the rounds.
pub(super) fn end_debate(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Outcome> {
    source_checks::resolve_checks(floor, state)?;
    if state.active_debaters().len() < 2 || state.log.standing_arguments().next().is_none() {
        return too_few(floor, state);
    }
    if state.closed.is_empty() {
        name_unresolved(floor, state)?;
    }
    let mut left = state.active_debaters();
    left.retain(|debater| !state.closed.contains(&debater.name));
    for debater in left.into_iter().rev() {
        source_checks::apply_early_findings(floor, state)?;
        let key = state.stage_key(&format!("closing/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "closing");
        if let Some((seqs, _)) = rounds::ask_statement(floor, state, &debater, request, DebatePart::Closing)? {
            source_checks::start_check(floor, state, &key, &seqs)?;
        }
    }
    // The outcome relies on the closings, too.
    source_checks::resolve_checks(floor, state)?;
    let relayed = source_checks::take_relay_text(state);
    if !relayed.is_empty() {
        state.write_announcement(floor, format!("Verifier findings relayed on the closing statements: {relayed}"))?;
    }
    if state.active_debaters().len() < 2 {
        return too_few(floor, state);
    }
    state.write_announcement(floor, announcements::CLOSED)?;
    let key = state.stage_key("conclusion");
    let (concluded, of) = match ask_conclusion(floor, state, &key)? {
        Ok(concluded) => concluded,
        Err(lost) => {
            state.record_lost_official(floor, "chair", &key, &lost)?;
            return conclude_void(floor, state, "The chair gave no usable answer, so the debate cannot be concluded.");
        }
    };
    let Concluded { outcome, reason } = &concluded;
    let long = chair::too_long("the reason", reason, chair::CONCLUSION_WORDS_MAX);
    record_warnings(floor, &key, "chair", long.as_slice())?;
    log_conclusion(floor, state, of, &concluded)?;
    if outcome == "void" {
        let ruling = Ruling::new(RulingKind::Invalidated, format!("The chair declared the debate void: {reason}"));
        floor.record_ruling(state.stage_key("conclusion/void"), ruling)?;
    }
    publications::write_about(floor, state, outcome)?;
    Ok(build_outcome(state, outcome, reason))
}

/// Outcome and reason with the answer that stands, where one does; lost where no order was answered.
///
/// The chair is asked in both orders: once with the debaters in turn order, once the other way round. Where the two
/// outcomes differ, the order has decided, and that is a draw; so it is where only one order was answered.
fn ask_conclusion(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    key: &str,
) -> Flow<Result<(Concluded, Option<Key>), Lost>> {
    let orders = list_orders(floor, state, key);
    let drafts = orders.iter().map(|request| {
        let (log, asked) = (state.log.clone(), Contest::from_request(&state.debaters, request));
        Draft::new(request.clone(), move |draft: Attempt<'_>| asked.parse_conclusion(&log, draft))
    });
    let (mut told, mut lost) = (Vec::new(), Lost::Elapsed);
    for (request, answer) in orders.iter().zip(floor.ask_each_until_valid(drafts.collect())?) {
        match answer {
            Ok(statement) => {
                let labels = DebaterLabels::from_request(request);
                let outcome = labels.tell_outcome(&statement.value.outcome);
                let reason = labels.restore_names(&statement.value.reason);
                told.push((Concluded { outcome, reason }, statement.key));
            }
            Err(why) => {
                if orders.len() > 1 {
                    let text = format!("one of its orders is missing: {why}");
                    record_warnings(floor, &format!("{}/one-order", request.key), "chair", &[text])?;
                }
                lost = why;
            }
        }
    }
    let Some((first, of)) = told.first().cloned() else { return Ok(Err(lost)) };
    let flip = told.iter().map(|(other, _)| &other.outcome).find(|other| **other != first.outcome);
    state.judged = Some(JudgedOrders { asked: orders.len(), answered: told.len(), flip: flip.is_some() });
    let text = match flip {
        Some(other) => format!(
            "The order of the debaters decided: read in one order the conclusion is {}, in the other {other}. It counts as a draw.",
            first.outcome
        ),
        None if told.len() < orders.len() && first.outcome != "draw" => format!(
            "The chair concluded in one order only ({}), so that nothing confirms it. It counts as a draw.",
            first.outcome
        ),
        None => return Ok(Ok((first, Some(of)))),
    };
    floor.record_ruling(format!("{key}/flip"), Ruling::new(RulingKind::Warned, text.clone()))?;
    Ok(Ok((Concluded { outcome: "draw".to_owned(), reason: text }, None)))
}

/// What the chair is asked, once for each order in which this debate is concluded. A chair that is blind (the option
/// `orders`) reads of letters, and with `one` it is asked in one order.
fn list_orders(floor: &Floor<'_>, state: &ChairedState, key: &str) -> Vec<Request> {
    // A debater lost for good bars a winner: the others were not answered by it.
    let is_whole = state.active_debaters().len() == state.debaters.0.len();
    let mut eligible = state.debaters.names();
    eligible.retain(|name| is_whole && !state.fabricators.contains(*name));
    let order = |key: &str, is_reversed: bool| {
        let request = Request::new(key, &common::named_seat("chair"), "conclusion");
        let mut request = request.with_fact("eligible", eligible.clone());
        if is_reversed {
            request = request.with_fact(REVERSED, true);
        }
        DebaterLabels::new(floor.opened(), &state.debaters, is_reversed).add_to(request)
    };
    match debaters::read_orders_option(floor.opened()) {
        // Who is read first follows from the seed.
        Some(false) => vec![order(key, floor.opened().seed % 2 == 1)],
        _ => vec![order(key, false), order(&format!("{key}/swapped"), true)],
    }
}

/// The points that the closings should take up, up to three. Where the chair names none, or does not answer, the
/// closings do without.
fn name_unresolved(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let key = state.stage_key("unresolved");
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let rulings = conduct::parse_rulings(draft.text, log, draft.was_told(conduct::RULE))?;
        chair::parse_unresolved(draft.text, log).map(|points| (points, rulings))
    };
    let mut named = Vec::new();
    if let Some(statement) = rounds::ask_chair(floor, rounds::chair_request(&key, "unresolved"), check)? {
        let (points, rulings) = &*statement.value;
        confirmation::rule_on_conduct(floor, state, &statement.key, rulings)?;
        let long = points.iter().filter_map(|named| chair::too_long("a point", &named.point, chair::POINT_WORDS_MAX));
        rounds::warn_of_length(floor, &key, long)?;
        named.clone_from(points);
    }
    state.write_announcement(floor, announcements::unresolved_text(&named))
}

/// Fewer than two debaters are left: nothing can be concluded.
pub(super) fn too_few(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Outcome> {
    if state.absent.is_empty() {
        let ruling = Ruling::new(RulingKind::Invalidated, "No argument stands.");
        floor.record_ruling(state.stage_key("conclusion/void"), ruling)?;
    }
    let reason = "Fewer than two debaters are left, so the debate cannot be fairly concluded.";
    conclude_void(floor, state, reason)
}

fn conclude_void(floor: &mut Floor<'_>, state: &mut ChairedState, reason: &str) -> Flow<Outcome> {
    log_conclusion(floor, state, None, &Concluded { outcome: "void".to_owned(), reason: reason.to_owned() })?;
    Ok(build_outcome(state, "void", reason))
}

/// Logs the conclusion, with the answer `of` the chair that it repeats.
fn log_conclusion(floor: &mut Floor<'_>, state: &mut ChairedState, of: Option<Key>, told: &Concluded) -> Flow<()> {
    let text = announcements::conclusion_text(&told.outcome, &told.reason);
    let item = EntryRuling::by_chair(Phase::System, Type::Conclusion, text);
    state.log.write_script_entry(floor, EntryRuling { key: of, ..item }).map(drop)
}

/// The outcome; absent seats are named first.
pub(super) fn build_outcome(state: &ChairedState, outcome: &str, reason: &str) -> Outcome {
    let absent = state.absent.clone();
    let unanswered = absent.iter().map(|absent| {
        let debater = state.debaters.find_by_seat(&absent.seat).map(|debater| debater.title.clone());
        let name = debater.unwrap_or_else(|| format!("the {}", absent.seat));
        format!("No usable answer from {name} ({}). ", absent.why)
    });
    let first: String = unanswered.collect();
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
