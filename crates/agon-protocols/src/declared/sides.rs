//! Who argues for which answer. Seats that argue stand for one of two candidates: the two choices that a
//! ranking puts first, or the first two of the debate. In a phase that is swapped each stands for the other one.

use agon_core::{Opened, Seat};

use super::{
    declaration::{Declaration, DeclaredPhase},
    form,
    state::DeclaredState,
};

/// How many choices are argued for.
pub const CANDIDATES: u32 = 2;

/// A choice of the debate that is argued for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArguedSide {
    /// Its place among the choices, from 0.
    pub choice: usize,
    /// Its letter.
    pub letter: String,
    /// What it says.
    pub text: String,
}

/// The places of all choices, the most probable first; in their order where nothing ranks them.
fn ranked(declaration: &Declaration, state: &DeclaredState, choices: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..choices).collect();
    let Some(from) = &declaration.candidates else { return order };
    let said = state.last(&from.ask);
    let shares: Vec<Vec<f64>> =
        said.iter().filter_map(|said| form::distribution(&said.statement, &from.field)).collect();
    let share = |choice: usize| shares.iter().filter_map(|of| of.get(choice)).sum::<f64>();
    // Equal ones stay in their order.
    order.sort_by(|a, b| share(*b).total_cmp(&share(*a)));
    order
}

/// What `seat` argues for in `phase`; `None` if it has no side.
pub fn side(
    declaration: &Declaration,
    phase: &DeclaredPhase,
    state: &DeclaredState,
    opened: &Opened,
    seat: &Seat,
) -> Option<ArguedSide> {
    let argues = declaration.spec(seat.as_str())?.argues?;
    let place = if phase.swap { CANDIDATES + 1 - argues } else { argues };
    let choices = form::choices(opened);
    let choice = *ranked(declaration, state, choices.len()).get(place.checked_sub(1)? as usize)?;
    let letter = crate::common::form::letters(choices.len()).nth(choice)?;
    Some(ArguedSide { choice, letter, text: choices.get(choice)?.clone() })
}

/// Every seat that argues in `phase`, in the order of the file, with what for.
pub fn all(
    declaration: &Declaration,
    phase: &DeclaredPhase,
    state: &DeclaredState,
    opened: &Opened,
) -> Vec<(Seat, ArguedSide)> {
    let seats = opened.lineup.iter().map(|sat| &sat.seat);
    seats.filter_map(|seat| Some((seat.clone(), side(declaration, phase, state, opened, seat)?))).collect()
}
