//! Values that say what a form asks for in another writing: a number in quotes, an identifier in capitals, the statement
//! within one object more.

use serde_json::{Value, json};

use crate::form::{DEPTH_MAX, Holds, field_type, list_choices, requires_field};

/// `value` as `schema` writes it, and what was read so. What is not certain stays as it is.
pub(super) fn conform_to_schema(schema: &Value, value: Value) -> (Value, Vec<String>) {
    let mut notes = Vec::new();
    let mut value = unwrap_statement(schema, value, &mut notes);
    adapt_value(schema, &mut value, "", 0, &mut notes);
    (value, notes)
}

/// The statement within an object of one field, or the only list of the form where that alone is given.
fn unwrap_statement(schema: &Value, value: Value, notes: &mut Vec<String>) -> Value {
    let Some(fields) = schema["properties"].as_object() else { return value };
    let has_own = |value: &Value| fields.keys().any(|name| requires_field(schema, name) && value.get(name).is_some());
    match value {
        Value::Object(mut outer) if outer.len() == 1 => {
            let name = outer.keys().next().cloned().unwrap_or_default();
            if !fields.contains_key(&name) && outer[&name].is_object() && has_own(&outer[&name]) {
                notes.push(format!("what stands within {name:?} is read as the answer"));
                return outer[&name].take();
            }
            Value::Object(outer)
        }
        Value::Array(items) => match fields.iter().next() {
            Some((name, of)) if fields.len() == 1 && field_type(of) == Some(Holds::List) => {
                notes.push(format!("the list is read as {name:?}"));
                json!({ name: items })
            }
            _ => Value::Array(items),
        },
        other => other,
    }
}

fn adapt_value(schema: &Value, value: &mut Value, place: &str, depth: usize, notes: &mut Vec<String>) {
    let Some(kind) = field_type(schema).filter(|_| depth <= DEPTH_MAX) else { return };
    match (kind, &mut *value) {
        (Holds::Fields, Value::Object(fields)) => {
            for (name, of) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(field) = fields.get_mut(name) {
                    let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                    adapt_value(of, field, &place, depth + 1, notes);
                }
            }
        }
        (Holds::List, Value::Array(items)) => {
            for (at, item) in items.iter_mut().enumerate() {
                adapt_value(&schema["items"], item, &format!("{place}[{at}]"), depth + 1, notes);
            }
        }
        (Holds::Number | Holds::Whole, Value::String(text)) => {
            if let Some(number) = plain_number(text, kind) {
                notes.push(format!("{place}: the text {text:?} is read as a number"));
                *value = number;
            }
        }
        (Holds::Choice, Value::String(text)) => {
            let choices = list_choices(schema);
            if choices.iter().any(|choice| choice.as_str() == Some(text)) {
                return;
            }
            // Some models write an identifier as they were shown it, in brackets.
            let folded = text.trim().trim_matches(['[', ']', '`']).to_lowercase();
            let mut same =
                choices.into_iter().filter(|choice| choice.as_str().is_some_and(|one| one.to_lowercase() == folded));
            if let (Some(choice), None) = (same.next(), same.next()) {
                notes.push(format!("{place}: {text:?} is read as {choice}"));
                *value = choice;
            }
        }
        _ => {}
    }
}

/// A text that is a number in digits and nothing else.
fn plain_number(text: &str, kind: Holds) -> Option<Value> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let plain = unsigned.starts_with(|c: char| c.is_ascii_digit())
        && unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain {
        return None;
    }
    match kind {
        Holds::Whole => digits.parse::<i64>().ok().map(Value::from),
        _ => serde_json::Number::from_f64(digits.parse().ok()?).map(Value::Number),
    }
}
