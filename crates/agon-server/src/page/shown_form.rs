//! A form that was sent and that its page shows again.

use super::{SubmittedFields, form::Filled};
use crate::{Refusal, refusal::FormFault};

/// What someone sent, and what is said of it.
pub(super) struct ShownForm {
    /// The seat; none where it was no answer.
    pub seat: Option<String>,
    pub fields: SubmittedFields,
    /// Why it was refused, or what was found or planned by it; nothing where other fields were wanted.
    pub said: Option<Result<String, Refusal>>,
}

impl ShownForm {
    /// Why it was refused, where it was.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.said.as_ref()?.as_ref().err()
    }
}

impl Filled for ShownForm {
    fn value_at(&self, pointer: &str) -> Option<String> {
        self.fields.value_at(pointer)
    }

    fn faults(&self) -> &[FormFault] {
        self.refusal().map_or(&[], |refusal| &refusal.faults)
    }
}
