//! The Socratic duel: two participants examine one document in alternating turns, six at most,
//! with evidence for every claim, until both accept a consensus, or do not. The program numbers,
//! checks and keeps the turns; nobody else writes to the debate.

pub mod artifact_check;
mod artifact_questions;
mod citations;
mod contribution;
mod facts;
pub mod outcome;
pub mod state;
pub mod support;
pub mod turn;

use std::sync::Arc;

use agon_core::{
    Attempt, Faults, Floor, Flow, Outcome, Pause, Protocol, Record, Request, Ruling, RulingKind, Seat, Standing,
    Statement, View, draft::Draft,
};

use self::{
    state::{AcceptedTurn, CandidateConvergence, ClosingVerdict, History, TURNS_MAX, TURNS_MIN, Turn, TurnBegins},
    turn::{Contribution, DuelTurnRules},
};
use crate::common::{
    self,
    absence::{record_warnings, rule_absent},
    lineup::RuledLineup,
    request_values::read_option,
    source_check::{self, Looked},
    verification,
};

/// Seconds that a participant has for a draft before it counts as silent, where the option
/// `wait_seconds` says nothing: as in the source system's launcher.
const WAIT_SECONDS: u32 = 20 * 60;

/// The protocol `duel`: two participants take turns on a document, until they agree or their turns are used up.
pub struct Duel;

impl Protocol for Duel {
    crate::shipped_files! {
        "duel.toml", facts, people, skill;
        "opening", "reply", "rules", "terms", "turns", "form", "small/opening", "small/reply", "small/duelist",
        "small/parts"; common::final_answer::PROMPT, common::REDRAFT, common::claim_reading::PROMPT
    }

    fn missed_outcome(&self) -> Option<&str> {
        Some(outcome::TIMEOUT)
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        common::imported_debate::record_import(floor)?;
        let mut duel = register_participants(floor)?;
        for extension in 1.. {
            let outcome = run_turns(floor, &mut duel)?;
            let outcome = duel.look_before_close(floor, extension, outcome)?;
            let is_final = outcome.standing == Standing::Valid;
            duel.closed_after = is_final.then_some(duel.history.turns.len());
            let found = duel.history.turns.iter().flat_map(|turn| &turn.accepted.sources).map(|found| found.status);
            floor.adjourn_debate(verification::add_source_counts(outcome, found))?;
            if let Some(verdict) = duel.find_closing_verdict(floor, TURNS_MAX).filter(|_| is_final) {
                let text = format!("{} is final: no turn can follow it.", verdict.name());
                floor.record_ruling(format!("extension-{extension}/unused"), Ruling::new(RulingKind::Noted, text))?;
            }
        }
        unreachable!("a duel ends, extended or not")
    }

    fn is_final(&self, record: &Record) -> bool {
        let history = History::from_view(&View::of_whole_record(record));
        history.find_closing_verdict(record.opened().limits.rounds_min.unwrap_or(0), TURNS_MAX).is_some()
    }
}

/// A duel in progress.
struct DuelState {
    history: History,
    /// How often the turn that is due was tried before, without coming about.
    tries: u32,
    /// Whether it was said that the source document changed.
    told_of_change: bool,
    /// Whether it ended for what is wrong with its files.
    is_invalidated: bool,
    /// How many turns it had when it was last closed with a result.
    closed_after: Option<usize>,
}

impl DuelState {
    fn find_closing_verdict(&self, floor: &mut Floor<'_>, turns_max: u32) -> Option<ClosingVerdict> {
        self.history.find_closing_verdict(floor.current_limits().rounds_min.unwrap_or(0), turns_max)
    }
}

/// Puts both participants on the record, by name.
fn register_participants(floor: &mut Floor<'_>) -> Flow<DuelState> {
    let history = History::new(floor.opened());
    let names: Vec<&str> = history.members.iter().map(|member| member.name.as_str()).collect();
    let lineup = RuledLineup { members: history.members.clone() };
    floor.record_ruling("lineup", Ruling::new(RulingKind::Lineup, names.join(", ")).with_data(lineup))?;
    Ok(DuelState { history, tries: 0, told_of_change: false, is_invalidated: false, closed_after: None })
}

/// Turn by turn, until an end.
fn run_turns(floor: &mut Floor<'_>, duel: &mut DuelState) -> Flow<Outcome> {
    duel.is_invalidated = false;
    loop {
        let turns_max = floor.current_limits().rounds.clamp(TURNS_MIN, TURNS_MAX);
        if let Some(verdict) = duel.find_closing_verdict(floor, turns_max) {
            return Ok(outcome::duel_outcome(verdict, &duel.history));
        }
        if let Some(outcome) = take_turn(floor, duel, turns_max)? {
            duel.tries += 1;
            return Ok(outcome);
        }
        duel.tries = 0;
    }
}

/// One turn of the participant who is due. Gives the outcome if the turn does not take place; an extension tries
/// it again.
fn take_turn(floor: &mut Floor<'_>, duel: &mut DuelState, turns_max: u32) -> Flow<Option<Outcome>> {
    let (turn, tries) = (duel.history.next(), duel.tries);
    // What is asked again after an extension has a key of its own.
    let key = if tries == 0 { format!("turn-{turn}") } else { format!("turn-{turn}/again-{tries}") };
    let Some(speaker) = duel.history.speaker(turn).cloned() else {
        let why = "The duel was opened without two participants.";
        return duel.invalidate_duel(floor, &key, &format!("Before turn {turn}"), why).map(Some);
    };
    if duel.tries == 0 {
        let begins = TurnBegins { turn, seat: speaker.seat.clone() };
        let ruling = Ruling::new(RulingKind::Phase, format!("Turn {turn}: {}", speaker.name)).with_data(begins);
        floor.record_ruling(format!("{key}/phase"), ruling)?;
    }
    // Nobody was there to look before a turn that was spoken elsewhere.
    if !duel.history.is_taken(turn)
        && let Some(why) = duel.inspect_files(floor, &key, "before this turn")?
    {
        return duel.invalidate_duel(floor, &key, &format!("Before turn {turn}"), &why).map(Some);
    }
    let prompt = if turn == 1 { "opening" } else { "reply" };
    let given = read_option::<u64>(floor.opened(), "wait_seconds").filter(|given| *given > 0);
    let wait_seconds = given.map_or(WAIT_SECONDS, |seconds| u32::try_from(seconds).unwrap_or(u32::MAX));
    let request = Request::new(&key, &speaker.seat, prompt)
        .with_fact("turn", turn)
        .with_fact("turns_max", turns_max)
        .with_wait_seconds(wait_seconds);
    let rules = duel.history.next_turn_rules(state::source_path(floor.opened()), floor.document("source"));
    let check = |draft: Attempt<'_>| {
        let told = support::ENTRY_RULES.iter().any(|rule| draft.was_told(rule));
        check_draft(&DuelTurnRules { told, ..rules.clone() }, draft)
    };
    let name = |_: &Seat| speaker.name.clone();
    let cited = &citations::collect_turn_citations;
    let mut answers = source_check::ask_each(floor, vec![Draft::new(request, check)], name, cited)?;
    match answers.pop().ok_or(Pause::Waiting)? {
        Ok(said) => {
            let said = accept_turn(floor, &mut duel.history, &key, said)?;
            if !duel.history.is_taken(turn) {
                artifact_questions::at_cited(floor, turn, &speaker.name, &said)?;
            }
            Ok(None)
        }
        Err(lost) => {
            let absent = rule_absent(floor, &speaker.seat, &speaker.name, &key, &lost)?;
            Ok(Some(outcome::absence_outcome(&duel.history, &speaker.name, absent, &lost)))
        }
    }
}

/// What makes a draft a turn.
fn check_draft(rules: &DuelTurnRules<'_>, draft: Attempt<'_>) -> Result<Contribution, Faults> {
    if draft.imported {
        return rules.parse_imported(draft.text);
    }
    let contribution = rules.parse_turn(draft.text)?;
    let copies = rules.find_copies(&contribution);
    // A second copy stands: a model that cannot help it must not end the duel.
    match copies.0.is_empty() || draft.was_told("repetition") {
        true => Ok(contribution.with_copy_warnings(&copies)),
        false => Err(copies),
    }
}

/// Appends a turn, and says what it means for the duel.
fn accept_turn(
    floor: &mut Floor<'_>,
    history: &mut History,
    key: &str,
    (Statement { key: draft, value: contribution }, sources): Looked<Contribution>,
) -> Flow<Arc<Contribution>> {
    let turn = history.next();
    let Some(speaker) = history.speaker(turn).cloned() else { return Ok(contribution) };
    let mut warnings = contribution.warnings.clone();
    for mark in &contribution.off_topic {
        warnings.push(format!("D12 {} holds {} to be off the topic: {}", speaker.name, mark.claim, mark.why));
    }
    record_warnings(floor, key, &speaker.name, &warnings)?;
    let moved = history.rule_stance_change(&speaker, &contribution);
    let (stance, blocking, told) = (contribution.stance, contribution.count_blocking(), contribution.told);
    let mut text = format!("turn {turn} accepted: {}", stance.name());
    if !sources.is_empty() {
        text.push_str(&format!("; sources: {}", verification::summarise_sources(&sources)));
    }
    let contribution = contribution.apply_source_checks(&sources);
    let accepted = AcceptedTurn { turn, seat: speaker.seat, key: draft, stance, blocking, told, sources };
    floor.record_ruling(format!("turn-{turn}/accepted"), Ruling::new(RulingKind::Noted, text).with_data(&accepted))?;
    if let Some(moved) = moved {
        floor.record_ruling(format!("turn-{turn}/stance"), moved)?;
    }
    history.turns.push(Turn { accepted, contribution: Some(Arc::clone(&contribution)) });
    let ruling = match history.find_closing_verdict(0, u32::MAX) {
        Some(ClosingVerdict::Consensus) => Ruling::new(RulingKind::Converged, "Both accept consensus."),
        Some(_) => Ruling::new(RulingKind::Deadlocked, "Both dissent, and neither has moved."),
        None if history.candidate_convergence() => {
            let text = "Candidate convergence: the duel goes on until both accept, or its turns are used up.";
            Ruling::new(RulingKind::Converged, text)
                .with_data(CandidateConvergence { candidate_convergence: true, turn })
        }
        None => return Ok(contribution),
    };
    floor.record_ruling(format!("turn-{turn}/standing"), ruling)?;
    Ok(contribution)
}
