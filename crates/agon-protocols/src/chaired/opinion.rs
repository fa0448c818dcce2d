//! The form of the audience's opinion at the end of a debate.

use agon_core::Faults;

use crate::common::form::{Form, form_field, text_kind};

/// The form of the opinion.
pub fn opinion_form() -> Form {
    Form::new("opinion", [form_field("opinion", text_kind(400, 4_000))])
}

/// The opinion by its form alone.
pub fn parse_opinion(text: &str) -> Result<String, Faults> {
    opinion_form().read_statement(text, |fields, faults| Some(fields.read_paragraphs("opinion", faults)))
}
