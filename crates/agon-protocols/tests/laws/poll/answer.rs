//! What a speaker answers.

use agon_core::{Faults, form::FormField};

use agon_protocols::common::form::{Form, Kind, form_field, text_kind};

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PollAnswer {
    /// Why, in a sentence.
    pub reason: String,
    /// Whether it is yes.
    pub yes: bool,
}

impl PollAnswer {
    /// Its fields: the schema and the reader follow from them.
    fn form() -> Form {
        Form::new("answer", [form_field("reason", text_kind(1, 300)), form_field("yes", Kind::YesNo)])
    }

    /// What models are asked for.
    pub fn schema() -> FormField {
        Self::form().to_schema()
    }

    /// An answer, or every rule that it breaks: nothing is repaired, nothing made up.
    pub fn read(text: &str) -> Result<Self, Faults> {
        Self::form().read_statement(text, |fields, faults| {
            Some(Self { reason: fields.read_text("reason", faults), yes: fields.read_bool("yes", faults) })
        })
    }
}
