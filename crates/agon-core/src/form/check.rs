//! Whether what was filled in fits its form, before it is sent: what a person can be told at once.

use serde_json::{Number, Value};

use super::{DEPTH_MAX, FormField, Holds, escape_pointer, render_word};

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

/// What is missing or wrong in `value`, each with the name of its field; empty where it fits `form`. How short a
/// text may be is for the rules of the protocol to say.
pub fn check_statement(form: &FormField, value: &Value) -> Vec<String> {
    find_field_faults(form, value).into_iter().map(|fault| fault.what).collect()
}

/// The same, each with the place of its field.
pub fn find_field_faults(form: &FormField, value: &Value) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    check_field(form, value, ("the answer", ""), 0, &mut faults);
    faults
}

/// What is missing or wrong in `value`, which stands in the field `name` of a form.
pub fn check_named_field(field: &FormField, name: &str, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check_field(field, value, (&field.field_label(name), ""), 1, &mut faults);
    faults.into_iter().map(|fault| fault.what).collect()
}

/// `name` and `pointer` are those of `field`, which holds `value`.
fn check_field(
    field: &FormField,
    value: &Value,
    (name, pointer): (&str, &str),
    depth: usize,
    faults: &mut Vec<FieldFault>,
) {
    let Some(holds) = field.holds().filter(|_| depth <= DEPTH_MAX) else { return };
    let mut add =
        |what: String| faults.push(FieldFault { pointer: pointer.to_owned(), what: format!("{name}: {what}") });
    match (holds, value) {
        (Holds::Fields, Value::Object(values)) => {
            for (key, of) in &field.fields {
                let label = of.field_label(key);
                let name = if depth == 0 { label } else { format!("{name}, {label}") };
                let pointer = format!("{pointer}/{}", escape_pointer(key));
                match values.get(key) {
                    Some(value) => check_field(of, value, (&name, &pointer), depth + 1, faults),
                    // What may be empty may be left out as well.
                    None if field.requires_field(key) && of.default_value().is_none() => {
                        faults.push(FieldFault { pointer, what: format!("{name}: it is missing") });
                    }
                    None => {}
                }
            }
        }
        (Holds::List, Value::Array(items)) => {
            let (least, most) = (field.min_items, field.max_items);
            if items.len() < least || most.is_some_and(|most| items.len() > most) {
                let wanted = match most {
                    Some(most) if most == least => least.to_string(),
                    Some(most) => format!("{least} to {most}"),
                    None => format!("{least} or more"),
                };
                add(format!("{wanted} wanted, found {}", items.len()));
            }
            for (at, (item, of)) in items.iter().zip(field.items.iter().cycle()).enumerate() {
                let of_item = (format!("{name} {}", at + 1), format!("{pointer}/{at}"));
                check_field(of, item, (&of_item.0, &of_item.1), depth + 1, faults);
            }
        }
        (Holds::Choice, value) => {
            let may_be = |value: &Value| field.choices.iter().flatten().any(|choice| choice == value);
            let is_left_out = value.is_null() && field.list_choices().next().is_none();
            if !may_be(value) && !is_left_out {
                let listed: Vec<String> = field.list_choices().take(LISTED_MAX).map(render_word).collect();
                add(format!("{} is not one of {}", render_word(value), listed.join(", ")));
            }
        }
        (Holds::YesNo, value) if !value.is_boolean() => add("yes or no is wanted".into()),
        (Holds::Number | Holds::Whole, value) => check_number(field, holds, value, &mut add),
        (Holds::Text, Value::String(text)) => {
            let chars = text.chars().count() as u64;
            if text.trim().is_empty() && field.min_length > Some(0) {
                add("it is empty".into());
            } else if let Some(most) = field.max_length.filter(|most| chars > *most) {
                add(format!("it has {chars} characters; at most {most} are taken"));
            }
        }
        (Holds::YesNo, _) => {}
        _ => add("this is of another kind than wanted".into()),
    }
}

fn check_number(field: &FormField, holds: Holds, value: &Value, add: &mut impl FnMut(String)) {
    let Some(number) = value.as_f64() else { return add("a number is wanted".into()) };
    if holds == Holds::Whole && number.fract() != 0.0 {
        add("a whole number is wanted".into());
    }
    let [least, most] = [&field.minimum, &field.maximum].map(|bound| bound.as_ref().and_then(Number::as_f64));
    if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
        add(match (least, most) {
            (Some(least), Some(most)) => format!("{least} to {most} is wanted"),
            (Some(least), None) => format!("{least} or more is wanted"),
            (None, most) => format!("{} or less is wanted", most.unwrap_or(number)),
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
        let schema = FormField::from_schema(&schema);
        assert_eq!(check_statement(&schema, &good), Vec::<String>::new());
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
        assert_eq!(check_statement(&schema, &bad), wanted);
        let pointers: Vec<String> = find_field_faults(&schema, &bad).into_iter().map(|fault| fault.pointer).collect();
        assert_eq!(pointers, ["/title", "/score", "/go", "/to", "/points", "/points/0/text", "/points/1/text"]);
        assert_eq!(check_statement(&schema, &json!("words")), ["the answer: this is of another kind than wanted"]);
    }
}
