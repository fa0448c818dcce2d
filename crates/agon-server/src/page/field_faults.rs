//! What is wrong in one field of a form, shown at the field and told to those who cannot see it.

use maud::{Markup, html};

use super::{escape_invisible, to_sentence};
use crate::refusal::FormFault;

/// What `faults` say of the field `field`, whose `id` is that of its input.
pub(super) struct FieldFaults<'f> {
    id: &'f str,
    what: Vec<&'f str>,
}

impl<'f> FieldFaults<'f> {
    pub fn from_faults(faults: &'f [FormFault], field: &str, id: &'f str) -> Self {
        let of_field = faults.iter().filter(|fault| fault.field.as_deref() == Some(field));
        Self { id, what: of_field.map(|fault| fault.what.as_str()).collect() }
    }

    /// The value of `aria-invalid`.
    pub fn invalid(&self) -> Option<&'static str> {
        (!self.what.is_empty()).then_some("true")
    }

    /// The value of `aria-describedby`: what is wrong, which [`Self::render`] shows.
    pub fn described_by(&self) -> Option<String> {
        (!self.what.is_empty()).then(|| format!("{}-fault", self.id))
    }

    /// What is wrong, for a place at the field.
    pub fn render(&self) -> Markup {
        html! {
            @if let Some(id) = self.described_by() {
                p .fault id=(id) { @for what in &self.what { (escape_invisible(&to_sentence(what))) " " } }
            }
        }
    }
}
