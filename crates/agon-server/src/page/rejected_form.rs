//! A rejected form, so that the page can show it again with the reason.

use super::SubmittedFields;
use crate::Refusal;

/// What someone tried to answer, and why it was not taken.
pub(super) struct RejectedForm {
    /// The seat; none where it was no answer.
    pub seat: Option<String>,
    pub refusal: Refusal,
    pub fields: SubmittedFields,
}
