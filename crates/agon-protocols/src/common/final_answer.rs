//! The answer of a debate to its question: three fields of the last words that a protocol asks for anyway.

use agon_core::Faults;
use agon_text::end_sentence;
use serde::{Deserialize, Serialize};

use super::form::{Field, Form, Kind, Reader, form_field, text_kind};

/// The template that says what belongs into the fields; those of last words include it.
pub const PROMPT: (&str, &str) = ("final-answer", include_str!("prompts/final-answer.md"));

/// Longest parts, in characters. The prompt asks for 45, 40 and 15 words; longer ones stand, and these end a model that babbles.
const ACTION_CHARS_MAX: u32 = 600;
const BECAUSE_CHARS_MAX: u32 = 500;
const UNLESS_CHARS_MAX: u32 = 240;

/// What a debate says to those who asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalAnswer {
    /// What to do or to hold, in one or two sentences.
    #[serde(rename = "do")]
    pub action: String,
    /// The reason that decided; empty where none is told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The condition under which it would be another; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unless: String,
}

impl FinalAnswer {
    /// Its words, the reason, and the condition under which they would be others.
    pub fn full_text(&self) -> String {
        let more =
            [("Why", &self.because), ("Changes if", &self.unless)].into_iter().filter(|(_, text)| !text.is_empty());
        let more: Vec<String> = more.map(|(label, text)| end_sentence(&format!("{label}: {text}"))).collect();
        match more.is_empty() {
            true => self.action.clone(),
            false => format!("{} {}", end_sentence(&self.action), more.join(" ")),
        }
    }

    /// Each of its texts.
    pub fn texts(&self) -> [&str; 3] {
        [&self.action, &self.because, &self.unless]
    }
}

/// The field `answer` of a form.
pub fn answer_field() -> Field {
    let parts = [
        form_field("do", text_kind(4, ACTION_CHARS_MAX)),
        form_field("because", text_kind(0, BECAUSE_CHARS_MAX)).as_optional(),
        form_field("unless", text_kind(0, UNLESS_CHARS_MAX)).as_optional(),
    ];
    form_field("answer", Kind::Object(Form::new("answer", parts)))
}

/// The answer in the field `answer`; none of a draft that lacks it, which is a fault.
pub fn parse_answer(fields: &Reader<'_, '_>, faults: &mut Faults) -> Option<FinalAnswer> {
    let parts = fields.object_part("answer").open(faults)?;
    let action = parts.read_text("do", faults);
    let because = parts.optional_text("because", faults).unwrap_or_default();
    let unless = parts.optional_text("unless", faults).unwrap_or_default();
    (!action.is_empty()).then_some(FinalAnswer { action, because, unless })
}

/// The answer in a statement that was accepted; none in one from rules that did not ask for it.
pub fn accepted_answer(said: &str) -> Option<FinalAnswer> {
    let form = Form::new("answer", [answer_field()]);
    form.read_draft(said, parse_answer).ok().and_then(|(answer, _)| answer)
}
