//! A rejected form, so that the page can show it again with the reason.

use super::SubmittedFields;
use crate::Refusal;

/// What someone tried to answer, and why it was not taken; or what they looked up on the way.
pub(super) struct RejectedForm {
    /// The seat; none where it was no answer.
    pub seat: Option<String>,
    pub reason: ShownAgain,
    pub fields: SubmittedFields,
}

/// Why a form is shown again.
pub(super) enum ShownAgain {
    /// It was refused.
    Refused(Refusal),
    /// Something was looked up: what was found.
    LookedUp(String),
}
