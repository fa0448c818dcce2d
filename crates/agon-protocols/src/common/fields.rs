//! Reading statements field by field, so that one answer's faults are all found at once.

use agon_core::{Faults, parse};
use serde_json::{Map, Value};

/// Longest text of one field, in characters: far above every word limit, far below what would
/// drown the other side.
const FIELD_CHARS_MAX: usize = 4_000;
/// Characters of a text that a fault quotes.
const START_CHARS_MAX: usize = 80;

/// One JSON object of a statement, being read.
pub struct ObjectReader<'v> {
    object: &'v Map<String, Value>,
    /// Path of the object in the answer, for faults.
    pub at: String,
}

impl<'v> ObjectReader<'v> {
    /// `value` as an object, or a fault.
    pub fn from_value(value: &'v Value, at: impl Into<String>, faults: &mut Faults) -> Option<Self> {
        let at = at.into();
        match value.as_object() {
            Some(object) => Some(Self { object, at }),
            None => {
                faults.add("schema", at, "an object is wanted here");
                None
            }
        }
    }

    /// The value of a field, whatever it is.
    pub fn get(&self, name: &str) -> Option<&'v Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Path of a field, for faults.
    pub fn field_path(&self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    /// A text that must be there, as one line.
    pub fn read_text(&self, name: &str, rule: &str, faults: &mut Faults) -> String {
        let text = self.optional_text(name, rule, faults);
        text.unwrap_or_else(|| {
            if !faults.0.iter().any(|fault| fault.at == self.field_path(name)) {
                faults.add(rule, self.field_path(name), format!("{name} is missing or empty"));
            }
            String::new()
        })
    }

    /// A text that may be left out or empty, as one line.
    pub fn optional_text(&self, name: &str, rule: &str, faults: &mut Faults) -> Option<String> {
        let value = self.get(name)?;
        let Some(text) = value.as_str() else {
            faults.add(rule, self.field_path(name), format!("{name} must be a text"));
            return None;
        };
        let text = one_line(text);
        let empty_words = !text.chars().any(char::is_alphanumeric) || text.eq_ignore_ascii_case(name);
        if !text.is_empty() && empty_words {
            faults.add(rule, self.field_path(name), format!("{name} says nothing; write it out"));
        }
        if text.chars().count() > FIELD_CHARS_MAX {
            faults.add(rule, self.field_path(name), format!("{name} is longer than {FIELD_CHARS_MAX} characters"));
        }
        (!text.is_empty()).then_some(text)
    }

    /// A text that must be there, with its line breaks.
    pub fn read_paragraphs(&self, name: &str, rule: &str, faults: &mut Faults) -> String {
        // One line for the check of form.
        match self.read_text(name, rule, faults).as_str() {
            "" => String::new(),
            _ => clean_paragraphs(self.get(name).and_then(Value::as_str).unwrap_or_default()),
        }
    }

    /// One of `allowed`.
    pub fn read_choice(&self, name: &str, allowed: &[&str], rule: &str, faults: &mut Faults) -> String {
        let text = self.read_text(name, rule, faults);
        if !text.is_empty() && !allowed.contains(&text.as_str()) {
            let message = format!("{text:?} is not one of {}", allowed.join(", "));
            faults.add(rule, self.field_path(name), message);
        }
        text
    }

    /// A list; an absent one is empty.
    pub fn read_list(&self, name: &str, rule: &str, faults: &mut Faults) -> &'v [Value] {
        match self.get(name) {
            None => &[],
            Some(Value::Array(items)) => items,
            Some(_) => {
                faults.add(rule, self.field_path(name), format!("{name} must be a list"));
                &[]
            }
        }
    }

    /// A finite number.
    pub fn read_number(&self, name: &str, rule: &str, faults: &mut Faults) -> f64 {
        match self.get(name).and_then(Value::as_f64).filter(|number| number.is_finite()) {
            Some(number) => number,
            None => {
                faults.add(rule, self.field_path(name), format!("{name} must be a number"));
                0.0
            }
        }
    }

    /// Names of the fields that are there.
    pub fn field_names(&self) -> impl Iterator<Item = &'v str> {
        self.object.keys().map(String::as_str)
    }
}

/// What `take` makes of the object that an answer is, or every fault.
pub fn read_object<T>(text: &str, take: impl FnOnce(&ObjectReader<'_>, &mut Faults) -> T) -> Result<T, Faults> {
    let value = parse::parse_json_answer(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::from_value(&value, "", &mut faults) else { return Err(faults) };
    let taken = take(&fields, &mut faults);
    faults.into_result(taken)
}

/// A number that stands as such or in a text, perhaps behind its label, as `7`, `"7"` and `"seq 7"`.
pub fn parse_number(value: &Value, label: &str) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().trim_start_matches(label).trim().parse().ok())
}

/// `text` without line breaks and control characters, so that no field of a statement can forge
/// the structure of a file, a screen or a prompt.
pub fn one_line(text: &str) -> String {
    // Most texts are one line as they are.
    let is_plain = |c: char| c == ' ' || !(c.is_whitespace() || c.is_control());
    if text.trim().len() == text.len() && !text.contains("  ") && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    agon_text::to_single_line(&visible)
}

/// `text` without control characters but line breaks, and without what trails.
pub fn clean_paragraphs(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let visible: String = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    visible.trim().to_owned()
}

/// The beginning of `text`, as faults quote it.
pub fn shown_start(text: &str) -> String {
    let cut: String = text.chars().take(START_CHARS_MAX).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}
