//! The participant of a seat.

use std::sync::Arc;

use crate::participant::Participant;

/// The participant of a seat, and its name for messages.
#[derive(Clone)]
pub struct SeatHandle {
    /// As the user named it, for example `openai:gpt-5`.
    pub name: String,
    /// Who answers.
    pub participant: Arc<dyn Participant>,
    /// Whether it is a model that is not known to read well enough: what it reads out of a text decides nothing.
    pub is_unfit_reader: bool,
}

impl SeatHandle {
    /// A participant whose readings count.
    pub fn new(name: impl Into<String>, participant: Arc<dyn Participant>) -> Self {
        Self { name: name.into(), participant, is_unfit_reader: false }
    }
}
