//! What somebody sent from a page and what was refused of it, to be shown again in its form.

use super::SubmittedFields;
use crate::Refusal;

/// What somebody tried to answer, and why it was not taken.
pub(super) struct RejectedAnswer {
    /// The seat; none where it was no answer.
    pub seat: Option<String>,
    pub refusal: Refusal,
    pub fields: SubmittedFields,
}
