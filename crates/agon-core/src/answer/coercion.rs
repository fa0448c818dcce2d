//! Values that say what a form asks for in another writing: a number in quotes, an identifier in capitals, the statement
//! within one object more.

use serde_json::{Number, Value, json};

use crate::{
    form::{DEPTH_MAX, FormField, Holds},
    people::field_path,
};

/// `value` as `form` writes it, and what was read so. What is not certain stays as it is.
pub(super) fn conform_to_form(form: &FormField, value: Value) -> (Value, Vec<String>) {
    let mut notes = Vec::new();
    let mut value = unwrap_statement(form, value, &mut notes);
    adapt_value(form, &mut value, "", 0, &mut notes);
    (value, notes)
}

/// The statement within an object of one field, or the only list of the form where that alone is given.
fn unwrap_statement(form: &FormField, mut value: Value, notes: &mut Vec<String>) -> Value {
    let has_own = |value: &Value| form.fields.keys().any(|name| form.requires_field(name) && value.get(name).is_some());
    match &mut value {
        Value::Object(outer) if outer.len() == 1 => {
            let is_inner = |(name, inner): &(&String, &mut Value)| {
                !form.fields.contains_key(*name) && inner.is_object() && has_own(inner)
            };
            if let Some((name, inner)) = outer.iter_mut().find(is_inner) {
                notes.push(format!("what stands within {name:?} is read as the answer"));
                return inner.take();
            }
        }
        Value::Array(items) => match form.fields.first() {
            Some((name, field)) if form.fields.len() == 1 && field.holds() == Some(Holds::List) => {
                notes.push(format!("the list is read as {name:?}"));
                return json!({ name: items });
            }
            _ => {}
        },
        _ => {}
    }
    value
}

fn adapt_value(field: &FormField, value: &mut Value, place: &str, depth: usize, notes: &mut Vec<String>) {
    let Some(holds) = field.holds().filter(|_| depth <= DEPTH_MAX) else { return };
    match (holds, &mut *value) {
        (Holds::Fields, Value::Object(values)) => {
            for (name, of) in &field.fields {
                if let Some(value) = values.get_mut(name) {
                    adapt_value(of, value, &field_path(place, name), depth + 1, notes);
                }
            }
        }
        (Holds::List, Value::Array(items)) => {
            for (at, (item, of)) in items.iter_mut().zip(field.items.iter().cycle()).enumerate() {
                adapt_value(of, item, &format!("{place}[{at}]"), depth + 1, notes);
            }
        }
        (Holds::Number | Holds::Whole, Value::String(text)) => {
            if let Some(number) = plain_number(text, holds) {
                notes.push(format!("{place}: the text {text:?} is read as a number"));
                *value = Value::Number(number);
            }
        }
        (Holds::Choice, Value::String(text)) => {
            if field.list_choices().any(|choice| choice == text.as_str()) {
                return;
            }
            // Some models write an identifier as they were shown it, in brackets.
            let folded = text.trim().trim_matches(['[', ']', '`']).to_lowercase();
            let is_same = |choice: &&Value| choice.as_str().is_some_and(|one| one.to_lowercase() == folded);
            let mut same = field.list_choices().filter(is_same);
            if let (Some(choice), None) = (same.next(), same.next()) {
                notes.push(format!("{place}: {text:?} is read as {choice}"));
                *value = choice.clone();
            }
        }
        _ => {}
    }
}

/// A text that is a number in digits and nothing else.
fn plain_number(text: &str, holds: Holds) -> Option<Number> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let plain = unsigned.starts_with(|c: char| c.is_ascii_digit())
        && unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain {
        return None;
    }
    match holds {
        Holds::Whole => digits.parse::<i64>().ok().map(Number::from),
        _ => Number::from_f64(digits.parse().ok()?),
    }
}
