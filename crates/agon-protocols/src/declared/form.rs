//! The form of a statement: what its fields may hold, as a schema for models and as rules for what
//! they answer.

use agon_core::{Faults, parse};
use serde_json::{Map, Number, Value, json};

use super::declaration::{Ask, DeclaredField, FieldKind};
use crate::common::fields::{ObjectReader, one_line};

/// Longest text of a field, and longest prose, where the file does not say, in characters.
const TEXT_CHARS_DEFAULT: u32 = 600;
const PROSE_CHARS_DEFAULT: u32 = 6_000;
/// Name of the rules in faults.
const RULE: &str = "form";

/// A statement that keeps to its form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormStatement {
    /// Prose as it was said; fields in one line.
    pub text: String,
    /// The fields by name, in the order of the form; empty for prose.
    pub values: Map<String, Value>,
}

/// The schema of what `ask` wants; `things` says how many there are to pick from, by field. `None`
/// for prose.
pub fn schema(ask: &Ask, things: impl Fn(&DeclaredField) -> usize) -> Option<Value> {
    if ask.fields.is_empty() {
        return None;
    }
    let mut properties = Map::new();
    for field in &ask.fields {
        let mut schema = of_field(field, things(field));
        if let Some(about) = &field.about {
            schema["description"] = about.as_str().into();
        }
        properties.insert(field.name.clone(), schema);
    }
    let required: Vec<&String> = properties.keys().collect();
    let required = json!(required);
    Some(json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    }))
}

fn of_field(field: &DeclaredField, things: usize) -> Value {
    let chars = field.chars_max.unwrap_or(TEXT_CHARS_DEFAULT);
    let text = json!({"type": "string", "minLength": 1, "maxLength": chars});
    let number = || json!({"type": "integer", "enum": (1..=things).collect::<Vec<_>>()});
    let list = |items: Value| {
        let (least, most) = entries(field);
        json!({"type": "array", "minItems": least, "maxItems": most, "items": items})
    };
    match field.kind {
        FieldKind::Text => text,
        FieldKind::Choice => json!({"type": "string", "enum": field.of}),
        FieldKind::YesNo => json!({"type": "boolean"}),
        FieldKind::List => list(text),
        FieldKind::Pick => number(),
        FieldKind::Picks => {
            let mut schema = list(number());
            // Nobody can pick more different things than there are.
            let (least, most) = entries(field);
            schema["minItems"] = json!(least.min(things));
            schema["maxItems"] = json!(most.min(things));
            schema
        }
        FieldKind::Number | FieldKind::Whole => {
            let mut schema =
                json!({"type": if field.kind == FieldKind::Whole { "integer" } else { "number" }});
            for (name, bound) in [("minimum", field.min), ("maximum", field.max)] {
                if let Some(bound) = bound {
                    schema[name] = figure(bound);
                }
            }
            schema
        }
    }
}

/// Fewest and most entries of a list.
fn entries(field: &DeclaredField) -> (usize, usize) {
    (field.min.unwrap_or(1.0) as usize, field.max.unwrap_or(1.0) as usize)
}

/// Reads an answer to `ask`, or every rule that it breaks.
pub fn read(
    ask: &Ask,
    text: &str,
    things: impl Fn(&DeclaredField) -> usize,
) -> Result<FormStatement, Faults> {
    if ask.fields.is_empty() {
        return prose(ask, text);
    }
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let mut values = Map::new();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    for field in &ask.fields {
        let value = value_of(field, &fields, things(field), &mut faults);
        values.insert(field.name.clone(), value);
    }
    faults.or(())?;
    Ok(FormStatement { text: line(&values), values })
}

/// Fields in one line.
pub fn line(values: &Map<String, Value>) -> String {
    let field =
        |(name, value): (&String, &Value)| format!("{}: {}", name.replace(['-', '_'], " "), said(value));
    values.iter().map(field).collect::<Vec<_>>().join("; ")
}

fn prose(ask: &Ask, text: &str) -> Result<FormStatement, Faults> {
    let text = text.trim();
    let most = ask.chars_max.unwrap_or(PROSE_CHARS_DEFAULT) as usize;
    let mut faults = Faults::default();
    if !text.chars().any(char::is_alphanumeric) {
        faults.add(RULE, "", "the answer says nothing; write it out");
    }
    let chars = text.chars().count();
    if chars > most {
        faults.add(RULE, "", format!("the answer has {chars} characters; at most {most} are taken"));
    }
    let said: Vec<&str> =
        ask.says_one_of.iter().filter(|word| says(text, word)).map(String::as_str).collect();
    if !ask.says_one_of.is_empty() && said.len() != 1 {
        let found = if said.is_empty() { "none of them".to_owned() } else { said.join(" and ") };
        let words = ask.says_one_of.join(", ");
        faults.add(RULE, "", format!("say exactly one of the words {words}; the answer says {found}"));
    }
    faults.or(FormStatement { text: text.to_owned(), values: Map::new() })
}

/// Whether `text` says `word`, whole and in any case of letters.
pub fn says(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(&word).any(|(at, found)| {
        bound(text[..at].chars().next_back()) && bound(text[at + found.len()..].chars().next())
    })
}

fn value_of(field: &DeclaredField, fields: &ObjectReader<'_>, things: usize, faults: &mut Faults) -> Value {
    let name = field.name.as_str();
    match field.kind {
        FieldKind::Text => {
            let text = fields.text(name, RULE, faults);
            too_long(field, &text, &fields.path(name), faults);
            text.into()
        }
        FieldKind::Choice => {
            let allowed: Vec<&str> = field.of.iter().map(String::as_str).collect();
            let said = fields.text(name, RULE, faults);
            // A word is a word in any case of letters.
            match allowed.iter().find(|word| word.to_lowercase() == said.to_lowercase()) {
                Some(word) => (*word).into(),
                None => fields.choice(name, &allowed, RULE, faults).into(),
            }
        }
        FieldKind::YesNo => match fields.get(name) {
            Some(Value::Bool(yes)) => (*yes).into(),
            _ => {
                faults.add(RULE, fields.path(name), format!("{name} must be true or false"));
                Value::Null
            }
        },
        FieldKind::Number | FieldKind::Whole => number(field, fields, faults),
        FieldKind::Pick => picked(fields.get(name), name, &fields.path(name), things, faults),
        FieldKind::List => {
            let items = fields.list(name, RULE, faults);
            counted(field, items.len(), entries(field).1, &fields.path(name), faults);
            let texts = items.iter().enumerate().map(|(i, item)| {
                let at = format!("{}[{i}]", fields.path(name));
                let text = item.as_str().map(one_line).unwrap_or_default();
                if !text.chars().any(char::is_alphanumeric) {
                    faults.add(RULE, &at, "a text is wanted here");
                }
                too_long(field, &text, &at, faults);
                Value::from(text)
            });
            texts.collect::<Vec<_>>().into()
        }
        FieldKind::Picks => {
            let items = fields.list(name, RULE, faults);
            counted(field, items.len(), entries(field).1.min(things), &fields.path(name), faults);
            let mut numbers: Vec<Value> = Vec::new();
            for (i, item) in items.iter().enumerate() {
                let at = format!("{}[{i}]", fields.path(name));
                let number = picked(Some(item), name, &at, things, faults);
                if numbers.contains(&number) {
                    faults.add(RULE, at, format!("{number} is there twice; pick different ones"));
                }
                numbers.push(number);
            }
            numbers.into()
        }
    }
}

fn too_long(field: &DeclaredField, text: &str, at: &str, faults: &mut Faults) {
    let most = field.chars_max.unwrap_or(TEXT_CHARS_DEFAULT) as usize;
    let chars = text.chars().count();
    if chars > most {
        faults.add(RULE, at, format!("it has {chars} characters; say it in at most {most}"));
    }
}

fn counted(field: &DeclaredField, count: usize, most: usize, at: &str, faults: &mut Faults) {
    let least = entries(field).0.min(most);
    if !(least..=most).contains(&count) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        faults.add(RULE, at, format!("{wanted} entries are wanted, found {count}"));
    }
}

fn number(field: &DeclaredField, fields: &ObjectReader<'_>, faults: &mut Faults) -> Value {
    let (name, at) = (field.name.as_str(), fields.path(&field.name));
    let Some(number) = fields.get(name).and_then(Value::as_f64).filter(|number| number.is_finite()) else {
        faults.add(RULE, at, format!("{name} must be a number, without words or units"));
        return Value::Null;
    };
    if field.kind == FieldKind::Whole && number.fract() != 0.0 {
        faults.add(RULE, &at, format!("{name} must be a whole number"));
    }
    let (min, max) = (field.min.unwrap_or(f64::MIN), field.max.unwrap_or(f64::MAX));
    if !(min..=max).contains(&number) {
        let wanted = match (field.min, field.max) {
            (Some(min), Some(max)) => format!("{} to {}", figure(min), figure(max)),
            (Some(min), None) => format!("{} or more", figure(min)),
            (_, max) => format!("{} or less", figure(max.unwrap_or(f64::MAX))),
        };
        faults.add(RULE, at, format!("{name} must be {wanted}"));
    }
    figure(number)
}

fn picked(value: Option<&Value>, name: &str, at: &str, things: usize, faults: &mut Faults) -> Value {
    let number = value.and_then(Value::as_f64).filter(|number| number.fract() == 0.0);
    match number.filter(|number| (1.0..=things as f64).contains(number)) {
        Some(number) => figure(number),
        None => {
            faults.add(RULE, at, format!("{name} must be a number of the list, 1 to {things}"));
            Value::Null
        }
    }
}

/// A number as people write it: 120, not 120.0.
pub fn figure(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return (number as i64).into();
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// A value in one line.
pub fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => items.iter().map(said).collect::<Vec<_>>().join(" / "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(fields: &str) -> Ask {
        toml::from_str(&format!("name = \"a\"\nseats = [\"s\"]\nprompt = \"x\"\n{fields}")).unwrap()
    }

    #[test]
    fn fields_are_read_and_every_fault_is_named() {
        let ask = ask(r#"
            field = [
              { name = "why", type = "text", chars_max = 20 },
              { name = "hours", type = "number", min = 0, max = 100 },
              { name = "people", type = "whole" },
              { name = "go", type = "choice", of = ["Yes", "No"] },
              { name = "sure", type = "yes-no" },
              { name = "risks", type = "list", max = 2, chars_max = 10 },
              { name = "worst", type = "picks", from = "x", max = 2 },
              { name = "first", type = "pick", from = "x" },
            ]"#);
        let good = r#"{"why": "it\nis so", "hours": 3.0, "people": 2, "go": "yes", "sure": true,
            "risks": ["late"], "worst": [3, 1], "first": 2}"#;
        let statement = read(&ask, good, |_| 3).unwrap();
        assert_eq!(
            statement.text,
            "why: it is so; hours: 3; people: 2; go: Yes; sure: yes; risks: late; worst: 3 / 1; first: 2"
        );
        assert_eq!(statement.values.keys().next().unwrap(), "why");
        let bad = r#"{"why": "far too long for what is allowed", "hours": 101, "people": 1.5, "go": "maybe",
            "sure": "yes", "risks": ["a", "b", "c"], "worst": [1, 1], "first": 4}"#;
        let faults = read(&ask, bad, |_| 3).unwrap_err();
        let places: Vec<&str> = faults.0.iter().map(|fault| fault.at.as_str()).collect();
        assert_eq!(
            places,
            ["why", "hours", "people", "go", "sure", "risks", "worst[1]", "first"],
            "{faults}"
        );
        assert_eq!(read(&ask, "{}", |_| 3).unwrap_err().0.len(), 8);
    }

    #[test]
    fn the_schema_asks_for_what_is_read() {
        let ask = ask(r#"
            field = [
              { name = "why", type = "text", about = "the reason" },
              { name = "worst", type = "picks", from = "x", max = 4 },
              { name = "hours", type = "number", min = 1, max = 9 },
            ]"#);
        let schema = schema(&ask, |_| 2).unwrap();
        let fields = &schema["properties"];
        assert_eq!(schema["required"], json!(["why", "worst", "hours"]));
        assert_eq!(fields["why"]["description"], "the reason");
        assert_eq!(
            (&fields["worst"]["maxItems"], &fields["worst"]["items"]["enum"]),
            (&json!(2), &json!([1, 2]))
        );
        let sample = agon_core::sample::instance(&schema, 1).to_string();
        assert!(read(&ask, &sample, |_| 2).is_ok(), "{sample}");
    }

    #[test]
    fn prose_says_one_word_of_several() {
        let ask = ask("says_one_of = [\"accept\", \"reject\"]\nchars_max = 40");
        assert!(read(&ask, "I ACCEPT, with thanks.", |_| 0).is_ok());
        for bad in ["It is acceptable.", "accept or reject", "", &"accept ".repeat(20)] {
            assert!(read(&ask, bad, |_| 0).is_err(), "{bad}");
        }
        assert!(says("We are DONE.", "done") && !says("undone", "done") && says("x [[END]]", "[[END]]"));
    }
}
