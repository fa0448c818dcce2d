//! Who argues for which answer. Seats that argue stand for one of two candidates: the two choices that a
//! ranking puts first, or the first two of the debate. In a phase that is swapped each stands for the other one.

use agon_core::Seat;

use super::{
    declaration::{Declaration, DeclaredPhase},
    form,
    state::DeclaredState,
};
use crate::common::form::choice_letters;

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

impl DeclaredState {
    /// The places of all choices, the most probable first; in their order where nothing ranks them.
    fn rank_choices(&self, declaration: &Declaration) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.choices.len()).collect();
        let Some(from) = &declaration.candidates else { return order };
        let said = self.last_statements(&from.ask);
        let shares: Vec<Vec<f64>> =
            said.iter().filter_map(|said| form::extract_probabilities(&said.statement, &from.field)).collect();
        let share = |choice: usize| shares.iter().filter_map(|of| of.get(choice)).sum::<f64>();
        // Equal ones stay in their order.
        order.sort_by(|a, b| share(*b).total_cmp(&share(*a)));
        order
    }

    /// What `seat` argues for in `phase`; `None` if it has no side.
    pub fn argued_side(&self, declaration: &Declaration, phase: &DeclaredPhase, seat: &Seat) -> Option<ArguedSide> {
        let argues = declaration.resolve_seat(seat.as_str())?.argues?;
        let place = if phase.swap { CANDIDATES + 1 - argues } else { argues };
        let choice = *self.rank_choices(declaration).get(place.checked_sub(1)? as usize)?;
        let letter = choice_letters(self.choices.len()).nth(choice)?;
        Some(ArguedSide { choice, letter, text: self.choices.get(choice)?.clone() })
    }

    /// Every seat that argues in `phase`, in the order of the file, with what for.
    pub fn list_argued_sides(&self, declaration: &Declaration, phase: &DeclaredPhase) -> Vec<(Seat, ArguedSide)> {
        let side = |seat: &Seat| Some((seat.clone(), self.argued_side(declaration, phase, seat)?));
        self.seats.iter().filter_map(side).collect()
    }
}
