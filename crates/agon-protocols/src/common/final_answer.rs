//! The answer of a debate to its question: two fields of the last words that a protocol asks for anyway.

use agon_core::Faults;
use serde::{Deserialize, Serialize};

use super::form::{Field, Form, Kind, Reader, form_field, text_kind};

/// The template that says what belongs into the fields; those of last words include it.
pub const PROMPT: (&str, &str) = ("final-answer", include_str!("prompts/final-answer.md"));

/// Longest parts, in characters. The prompt asks for 45 and 15 words; longer ones stand, and these end a model that babbles.
const ACTION_CHARS_MAX: u32 = 600;
const UNLESS_CHARS_MAX: u32 = 240;

/// What a debate says to those who asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalAnswer {
    /// What to do or to hold, in one or two sentences.
    #[serde(rename = "do")]
    pub action: String,
    /// The condition under which it would be another; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unless: String,
}

impl FinalAnswer {
    /// Its words, and the condition under which they would be others.
    pub fn full_text(&self) -> String {
        match self.unless.trim_end_matches('.') {
            "" => self.action.clone(),
            unless => format!("{} Changes if: {unless}.", self.action),
        }
    }
}

/// The field `answer` of a form.
pub fn answer_field() -> Field {
    let parts = [
        form_field("do", text_kind(4, ACTION_CHARS_MAX)),
        form_field("unless", text_kind(0, UNLESS_CHARS_MAX)).as_optional(),
    ];
    form_field("answer", Kind::Object(Form::new("answer", parts)))
}

/// The answer in the field `answer`; none of a draft that lacks it, which is a fault.
pub fn parse_answer(fields: &Reader<'_, '_>, faults: &mut Faults) -> Option<FinalAnswer> {
    let parts = fields.object_part("answer").open(faults)?;
    let action = parts.read_text("do", faults);
    let unless = parts.optional_text("unless", faults).unwrap_or_default();
    (!action.is_empty()).then_some(FinalAnswer { action, unless })
}

/// The answer in a statement that was accepted; none in one from rules that did not ask for it.
pub fn accepted_answer(said: &str) -> Option<FinalAnswer> {
    let form = Form::new("answer", [answer_field()]);
    form.read_draft(said, parse_answer).ok().and_then(|(answer, _)| answer)
}
