//! What a speaker answers.

use agon_core::Faults;
use serde_json::Value;

use agon_protocols::common::form::{Form, Kind, field, text};

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
        Form::new("answer", [field("reason", text(1, 300)), field("yes", Kind::YesNo)])
    }

    /// What models are asked for.
    pub fn schema() -> Value {
        Self::form().schema()
    }

    /// An answer, or every rule that it breaks: nothing is repaired, nothing made up.
    pub fn read(text: &str) -> Result<Self, Faults> {
        Self::form().read(text, |fields, faults| {
            Some(Self { reason: fields.text("reason", faults), yes: fields.yes("yes", faults) })
        })
    }
}
