//! The chaired debate: debaters with personas speak in turns before a neutral chair. Openings,
//! rounds of arguments and rebuttals, closings in reverse order, then the chair declares who won.
//! A verifier looks at the sources while the debate continues; an audience asks and concludes.

pub mod announcements;
pub mod audience;
pub mod chair;
mod closing_phase;
pub mod conduct;
pub mod conduct_rules;
mod confirmation;
pub mod debaters;
mod facts;
pub mod log;
pub mod log_import;
pub mod log_types;
pub mod objections;
mod observations;
pub mod outcome;
mod publications;
pub mod redaction;
pub mod report;
mod rounds;
mod source_checks;
pub mod source_form;
mod state;
pub mod statement;
pub mod turn_rules;
pub mod verification;

pub use self::state::TIME_BUDGET_MINUTES;
pub use crate::common::OPENS_PAGES;

use agon_core::{Floor, Flow, Outcome, Protocol, Standing};

use self::{
    debaters::{Debaters, WANTED},
    log::{EntryRuling, Phase, Type},
    log_import::ImportStop,
    state::ChairedState,
};
use crate::common::{
    self,
    lineup::{self, Unfilled},
};

/// The chaired debate.
pub struct Chaired;

/// Fewest rounds where nobody says how many.
const ROUNDS_MIN: u32 = 3;

impl Protocol for Chaired {
    crate::shipped_files! {
        "chaired.toml", facts, people, skill;
        "lineup", "approval", "opening", "turn", "closing", "questions", "chair", "confirm", "conclusion",
        "opinion", "summary", "blog", "assessment", "debate", "debater", "conduct", "chair-duties", "reporter-duties",
        "audience-duties", "cast", "log", "small/lineup", "small/opening", "small/turn", "small/closing",
        "small/questions", "small/chair", "small/confirm", "small/conclusion", "small/opinion", "small/summary",
        "small/blog", "small/assessment", "small/debater", "small/chair-duties", "small/said", "small/listener";
        common::REDRAFT, lineup::CONSENT, lineup::APPROVAL_NOTE, common::claim_reading::PROMPT,
        common::final_answer::PROMPT
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        common::imported_debate::record_import(floor)?;
        let mut attempt = 0;
        let debaters = loop {
            let outcome = match lineup::settle_lineup(floor, WANTED, attempt)? {
                Ok(members) => break Debaters::from_members(&members),
                Err(unfilled) => without_cast(floor, attempt, unfilled)?,
            };
            floor.adjourn_debate(outcome)?;
            floor.current_limits();
            attempt += 1;
        };
        let mut state = ChairedState { debaters, ..ChairedState::default() };
        let mut stand = log_import::replay_import(floor, &mut state)?;
        if stand.is_none() {
            write_setup(floor, &mut state)?;
        }
        loop {
            let outcome = match stand.take() {
                Some(ImportStop { outcome: Some(outcome), .. }) => {
                    state.granted = floor.current_limits().rounds;
                    Some(outcome)
                }
                Some(stand) => continue_import(floor, &mut state, stand)?,
                None => run_openings_and_rounds(floor, &mut state)?,
            };
            let outcome = match outcome {
                Some(outcome) => outcome,
                None => closing_phase::end_debate(floor, &mut state)?,
            };
            let outcome = common::verification::add_source_counts(outcome, state.source_statuses());
            if let Some(clock) = state.clock.take() {
                floor.withdraw_request(clock);
            }
            // Rounds that were allowed and not held do not come on top of those of an extension.
            state.spared = state.granted.saturating_sub(state.round);
            loop {
                floor.adjourn_debate(outcome.clone())?;
                if floor.current_limits().rounds > state.granted || outcome.standing == Standing::Void {
                    break;
                }
            }
            state.reopen_debate();
        }
    }
}

/// Setup: the first two entries of the log, and the time budget starts. Every seat was found able to
/// answer before the debate was opened.
fn write_setup(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let opened = floor.opened();
    let names = announcements::setup_text(&state.debaters.names());
    state.log.write_script_entry(floor, EntryRuling::by_chair(Phase::System, Type::Setup, names))?;
    state.start_clock(floor)?;
    state.write_announcement(floor, announcements::ready_text(&common::fields::one_line(&opened.motion)))
}

/// Continues where a log from elsewhere stops.
fn continue_import(floor: &mut Floor<'_>, state: &mut ChairedState, stand: ImportStop) -> Flow<Option<Outcome>> {
    state.start_clock(floor)?;
    if stand.rounds_over {
        state.granted = floor.current_limits().rounds;
        return Ok(None);
    }
    if stand.opened && state.round == 0 {
        return rounds_of(floor, state);
    }
    if let Some(spoke) = stand.spoke {
        rounds::rest_of_round(floor, state, &spoke)?;
    }
    run_openings_and_rounds(floor, state)
}

/// Openings and rounds; an outcome where too few debaters are left.
fn run_openings_and_rounds(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Option<Outcome>> {
    if state.round == 0 {
        rounds::run_openings(floor, state)?;
    }
    rounds_of(floor, state)
}

fn rounds_of(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Option<Outcome>> {
    loop {
        state.granted = floor.current_limits().rounds;
        let max = state.granted.saturating_sub(state.spared);
        if state.round >= max {
            return Ok(None);
        }
        state.round += 1;
        rounds::run_round(floor, state, max)?;
        if state.active_debaters().len() < 2 {
            return closing_phase::too_few(floor, state).map(Some);
        }
        // An extension asks for those rounds: only the first part of it may end early.
        let min = floor.opened().limits.rounds_min.unwrap_or(ROUNDS_MIN).min(max);
        let may_end = state.stage == 0 && state.round >= min && state.round < max;
        if may_end && state.is_time_up(floor)? {
            return Ok(None);
        }
        // After the last round the chair looks back at the whole debate.
        if state.round < max && rounds::look_back(floor, state, may_end)? {
            return Ok(None);
        }
    }
}

/// Without a line-up the debate is void; an extension asks for one again.
fn without_cast(floor: &mut Floor<'_>, attempt: u32, unfilled: Unfilled) -> Flow<Outcome> {
    Ok(match unfilled {
        Unfilled::Lost(lost) => {
            let absent = state::rule_official_absent(floor, "chair", &lineup::lineup_key(attempt), &lost)?;
            let summary = format!("Void: the chair did not answer ({}), so nobody was named to debate.", absent.why);
            Outcome { absent: vec![absent], ..Outcome::void("void", summary) }
        }
        Unfilled::Declined(why) => {
            lineup::record_refusal(floor, attempt, &why)?;
            Outcome::void("void", format!("Void: {}{}", why[..1].to_lowercase(), &why[1..]))
        }
    })
}
