//! A rejected form, so that the page can show it again with the reason.

use super::{SubmittedFields, form::Filled};
use crate::{Refusal, refusal::FormFault};

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

impl RejectedForm {
    /// Why it was refused; none where something was looked up.
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.reason {
            ShownAgain::Refused(refusal) => Some(refusal),
            ShownAgain::LookedUp(_) => None,
        }
    }
}

impl Filled for RejectedForm {
    fn value_at(&self, pointer: &str) -> Option<String> {
        self.fields.value_at(pointer)
    }

    fn faults(&self) -> &[FormFault] {
        self.refusal().map_or(&[], |refusal| &refusal.faults)
    }
}
