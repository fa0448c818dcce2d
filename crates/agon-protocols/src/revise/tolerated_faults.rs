//! Statements that stand in spite of broken rules: a rule that does not make a statement useless is
//! told once, and what comes after that stands with a warning.

use agon_core::{Attempt, Faults, draft::REDRAFTS_MAX};

/// A statement, and the rules it broke without consequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedStatement<T> {
    /// What was said.
    pub statement: T,
    /// One line each.
    pub warnings: Vec<String>,
}

impl<T> AcceptedStatement<T> {
    /// `statement`, unless one of the rules in `told` is broken and its author was not yet told so.
    pub fn accept_or_reject(statement: T, told: Faults, draft: &Attempt<'_>) -> Result<Self, Faults> {
        let untold = told.0.iter().any(|fault| !draft.was_told(&fault.rule));
        if untold && draft.number < REDRAFTS_MAX {
            return Err(told);
        }
        Ok(Self { statement, warnings: told.0.iter().map(ToString::to_string).collect() })
    }
}
