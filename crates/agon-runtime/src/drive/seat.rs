//! Who answers at a seat.

use std::sync::Arc;

use crate::participant::Participant;

/// Who sits at a seat.
#[derive(Clone)]
pub struct SeatHandle {
    /// As the user named it, for example `openai:gpt-5`.
    pub name: String,
    /// Who answers.
    pub participant: Arc<dyn Participant>,
}
