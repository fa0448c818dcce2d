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
}
