//! The form of the audience's opinion at the end of a debate.

use agon_core::{Faults, parse};
use serde_json::{Value, json};

use super::{object_schema, statement::clean_paragraphs};
use crate::common::fields::ObjectReader;

/// What the audience makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudienceOpinion {
    /// In its own words.
    pub opinion: String,
}

/// JSON Schema of the opinion.
pub fn opinion_schema() -> Value {
    object_schema(json!({"opinion": {"type": "string", "minLength": 400, "maxLength": 4_000}}))
}

/// The opinion by its form alone.
pub fn parse_opinion(text: &str) -> Result<AudienceOpinion, Faults> {
    let value = parse::parse_json_answer(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    fields.read_text("opinion", "opinion", &mut faults);
    let opinion = clean_paragraphs(fields.get("opinion").and_then(Value::as_str).unwrap_or_default());
    faults.into_result(AudienceOpinion { opinion })
}
