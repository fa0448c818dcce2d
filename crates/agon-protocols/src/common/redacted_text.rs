//! Texts of answers and events without what may not be repeated.

use agon_core::parse;
use serde_json::Value;

/// Words in a row that nobody writes twice by chance.
pub const RUN: usize = 6;
/// Stands in place of what is left out.
pub const REDACTED: &str = "[REDACTED]";
/// Fields that name something and quote nobody.
const NAMES: [&str; 8] = ["url", "final_url", "at", "key", "of", "seat", "path", "sha256"];

/// An answer, prose or JSON, with its texts as `other` gives them; `None` where it changes none.
pub fn said_otherwise(text: &str, other: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    match parse::parse_json_answer(text) {
        Ok(mut value @ (Value::Object(_) | Value::Array(_))) => {
            rewrite_quoted_texts(&mut value, other).then(|| value.to_string())
        }
        _ => other(text),
    }
}

/// Gives every text within `value` that quotes someone as `other` gives it; says whether any changed.
pub fn rewrite_quoted_texts(value: &mut Value, other: &dyn Fn(&str) -> Option<String>) -> bool {
    rewrite_texts(value, &NAMES, &mut |text| other(text))
}

/// Gives every text within `value` as `other` gives it, but for the fields `kept`; says whether any changed.
pub fn rewrite_texts(value: &mut Value, kept: &[&str], other: &mut dyn FnMut(&str) -> Option<String>) -> bool {
    match value {
        Value::String(text) => other(text).map(|shown| *text = shown).is_some(),
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| rewrite_texts(item, kept, other) | changed),
        Value::Object(fields) => {
            let fields = fields.iter_mut().filter(|(name, _)| !kept.contains(&name.as_str()));
            fields.fold(false, |changed, (_, field)| rewrite_texts(field, kept, other) | changed)
        }
        _ => false,
    }
}
