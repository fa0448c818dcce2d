//! Whether what was filled in fits its form, before it is sent: what a person can be told at once.

use serde_json::Value;

use super::{
    DEPTH_MAX, Holds, default_value, entry_bounds, escape_pointer, field_label, field_type, list_choices, render_word,
    requires_field,
};

/// Maximum number of choices that a message lists.
const LISTED_MAX: usize = 12;

/// Something that is missing or wrong in what was filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    /// JSON pointer of the field.
    pub pointer: String,
    /// The name of the field, and what is missing or wrong.
    pub what: String,
}

/// What is missing or wrong in `value`, each with the name of its field; empty where it fits. How short a
/// text may be is for the rules of the protocol to say.
pub fn check_against_schema(schema: &Value, value: &Value) -> Vec<String> {
    find_field_faults(schema, value).into_iter().map(|fault| fault.what).collect()
}

/// The same, each with the place of its field.
pub fn find_field_faults(schema: &Value, value: &Value) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    check_field(schema, value, ("the answer", ""), 0, &mut faults);
    faults
}

/// `name` and `pointer` are those of the field that holds `value`.
fn check_field(
    schema: &Value,
    value: &Value,
    (name, pointer): (&str, &str),
    depth: usize,
    faults: &mut Vec<FieldFault>,
) {
    let Some(holds) = field_type(schema).filter(|_| depth <= DEPTH_MAX) else { return };
    let mut add =
        |what: String| faults.push(FieldFault { pointer: pointer.to_owned(), what: format!("{name}: {what}") });
    match (holds, value) {
        (Holds::Fields, Value::Object(fields)) => {
            for (field, of) in schema["properties"].as_object().into_iter().flatten() {
                let label = field_label(of, field);
                let name = if depth == 0 { label } else { format!("{name}, {label}") };
                let pointer = format!("{pointer}/{}", escape_pointer(field));
                match fields.get(field) {
                    Some(value) => check_field(of, value, (&name, &pointer), depth + 1, faults),
                    // What may be empty may be left out as well.
                    None if requires_field(schema, field) && default_value(of).is_none() => {
                        faults.push(FieldFault { pointer, what: format!("{name}: it is missing") });
                    }
                    None => {}
                }
            }
        }
        (Holds::List, Value::Array(items)) => {
            let (least, most) = entry_bounds(schema);
            if items.len() < least || most.is_some_and(|most| items.len() > most) {
                let wanted = match most {
                    Some(most) if most == least => least.to_string(),
                    Some(most) => format!("{least} to {most}"),
                    None => format!("{least} or more"),
                };
                add(format!("{wanted} wanted, found {}", items.len()));
            }
            for (at, item) in items.iter().enumerate() {
                let of_item = (format!("{name} {}", at + 1), format!("{pointer}/{at}"));
                check_field(&schema["items"], item, (&of_item.0, &of_item.1), depth + 1, faults);
            }
        }
        (Holds::Choice, value) => {
            let choices = list_choices(schema);
            let empty = value.is_null()
                && (choices.is_empty() || schema["enum"].as_array().is_some_and(|all| all.contains(value)));
            if !choices.contains(value) && !empty {
                let listed: Vec<String> = choices.iter().take(LISTED_MAX).map(render_word).collect();
                add(format!("{} is not one of {}", render_word(value), listed.join(", ")));
            }
        }
        (Holds::YesNo, value) if !value.is_boolean() => add("yes or no is wanted".into()),
        (Holds::Number | Holds::Whole, value) => check_number(schema, holds, value, &mut add),
        (Holds::Text, Value::String(text)) => {
            let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
            let chars = text.chars().count() as u64;
            if text.trim().is_empty() && schema["minLength"].as_u64().unwrap_or(0) > 0 {
                add("it is empty".into());
            } else if chars > most {
                add(format!("it has {chars} characters; at most {most} are taken"));
            }
        }
        (Holds::YesNo, _) => {}
        _ => add("this is of another kind than wanted".into()),
    }
}

fn check_number(schema: &Value, holds: Holds, value: &Value, add: &mut impl FnMut(String)) {
    let Some(number) = value.as_f64() else { return add("a number is wanted".into()) };
    if holds == Holds::Whole && number.fract() != 0.0 {
        add("a whole number is wanted".into());
    }
    let bound = |name: &str| schema[name].as_f64();
    let (least, most) = (bound("minimum"), bound("maximum"));
    if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
        let shown = |bound: Option<f64>| bound.map_or_else(String::new, |bound| bound.to_string());
        add(match (least, most) {
            (Some(_), Some(_)) => format!("{} to {} is wanted", shown(least), shown(most)),
            (Some(_), None) => format!("{} or more is wanted", shown(least)),
            _ => format!("{} or less is wanted", shown(most)),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_fault_names_its_field() {
        let schema = json!({"type": "object", "required": ["title", "score", "go", "to", "points", "note"], "properties": {
            "note": {"type": "string", "maxLength": 300},
            "title": {"type": "string", "title": "The title", "minLength": 1, "maxLength": 5},
            "score": {"type": "number", "minimum": -1, "maximum": 1}, "go": {"type": "boolean"},
            "to": {"enum": ["ada", "bob"]}, "none": {"enum": [null]},
            "points": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "object",
                "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}}}});
        let good =
            json!({"title": "T", "score": 0.5, "go": true, "to": "ada", "none": null, "points": [{"text": "x"}]});
        assert_eq!(check_against_schema(&schema, &good), Vec::<String>::new());
        let bad = json!({"title": "far too long", "score": 3, "go": "yes", "to": "eve", "points": [{}, {"text": " "}, {"text": "x"}]});
        let wanted = [
            "The title: it has 12 characters; at most 5 are taken",
            "Score: -1 to 1 is wanted",
            "Go: yes or no is wanted",
            "To: eve is not one of ada, bob",
            "Points: 1 to 2 wanted, found 3",
            "Points 1, Text: it is missing",
            "Points 2, Text: it is empty",
        ];
        assert_eq!(check_against_schema(&schema, &bad), wanted);
        let pointers: Vec<String> = find_field_faults(&schema, &bad).into_iter().map(|fault| fault.pointer).collect();
        assert_eq!(pointers, ["/title", "/score", "/go", "/to", "/points", "/points/0/text", "/points/1/text"]);
        assert_eq!(check_against_schema(&schema, &json!("words")), ["the answer: this is of another kind than wanted"]);
    }
}
