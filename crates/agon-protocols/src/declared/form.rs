//! The form of a declared statement: its fields as [`crate::common::form`] has them, and its prose.

use agon_core::{Faults, Opened, form::FormField};
use agon_text::has_word;
use serde_json::{Map, Value};

use super::declaration::{Ask, DeclaredField, FieldKind};
pub use crate::common::form::to_json_number;
use crate::common::form::{Form, Kind, choice_letters, form_field, list_kind, text_kind};
use crate::common::request_values::read_option;

/// Longest text of a field, and longest prose, where the file does not say, in characters.
const TEXT_CHARS_DEFAULT: u32 = 600;
const PROSE_CHARS_DEFAULT: u32 = 6_000;
/// How far probabilities may be from a sum of one: a digit that was rounded, in each of a few numbers.
pub const SUM_TOLERANCE: f64 = 0.02;
/// Option of a debate: what can be answered, as a list of texts.
pub const CHOICES: &str = "choices";
/// What is answered where the debate names no choices.
const CHOICES_DEFAULT: [&str; 2] = ["yes", "no"];
/// Most choices of a debate: each has a letter.
pub const CHOICES_MAX: usize = 26;
/// Name of the rules in faults.
const RULE: &str = "form";

/// What stands in the fields of a form, or what was counted of them, by their names and in their order.
pub type FieldValues = Map<String, Value>;

/// A statement that keeps to its form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormStatement {
    /// Prose as it was said; fields in one line.
    pub text: String,
    /// Its fields; empty for prose.
    pub values: FieldValues,
}

/// The schema of what `ask` wants; `things` says how many there are to pick from, by field. `None`
/// for prose.
pub fn statement_schema(ask: &Ask, things: impl Fn(&DeclaredField) -> usize) -> Option<FormField> {
    (!ask.fields.is_empty()).then(|| statement_form(ask, things).to_schema())
}

/// The form of the fields of `ask`.
fn statement_form(ask: &Ask, things: impl Fn(&DeclaredField) -> usize) -> Form {
    let fields = ask.fields.iter().map(|declared| {
        form_field(&declared.name, field_kind(declared, things(declared))).with_description(declared.about.clone())
    });
    Form::new(RULE, fields).into_strict()
}

fn field_kind(field: &DeclaredField, things: usize) -> Kind {
    let text = text_kind(1, field.chars_max.unwrap_or(TEXT_CHARS_DEFAULT));
    let several = |items: Kind| list_kind(field.min.unwrap_or(1.0) as usize, field.max.unwrap_or(1.0) as usize, items);
    match field.kind {
        FieldKind::Text | FieldKind::Quote => text,
        // A word is a word in any case of letters.
        FieldKind::Choice => Kind::Choice { of: field.of.clone(), any_case: true },
        FieldKind::YesNo => Kind::YesNo,
        FieldKind::List | FieldKind::Quotes => several(text),
        FieldKind::Pick => Kind::Pick(things),
        FieldKind::Picks => several(Kind::Pick(things)),
        FieldKind::Answer => Kind::Letter(things),
        FieldKind::Probabilities => {
            let share = Kind::Number { is_whole: false, min: Some(0.0), max: Some(1.0) };
            let shares = choice_letters(things).map(|letter| form_field(letter, share.clone()));
            Kind::Object(Form::new(RULE, shares).into_strict())
        }
        FieldKind::Number => Kind::Number { is_whole: false, min: field.min, max: field.max },
        FieldKind::Whole => Kind::Number { is_whole: true, min: field.min, max: field.max },
    }
}

/// Reads an answer to `ask`, or every rule that it breaks.
pub fn parse_statement(
    ask: &Ask,
    text: &str,
    things: impl Fn(&DeclaredField) -> usize,
) -> Result<FormStatement, Faults> {
    if ask.fields.is_empty() {
        return parse_prose(ask, text);
    }
    statement_form(ask, things).read_statement(text, |fields, faults| {
        let values = fields.read_values(faults);
        for declared in ask.fields.iter().filter(|field| field.kind == FieldKind::Probabilities) {
            check_sum(&declared.name, &values, faults);
        }
        Some(FormStatement { text: format_fields(&values), values })
    })
}

/// A fault where the probabilities in the field `name` do not sum to 1. One of the numbers that is missing
/// or out of bounds is a fault already.
fn check_sum(name: &str, values: &FieldValues, faults: &mut Faults) {
    let is_read = faults.0.iter().all(|fault| !fault.at.starts_with(name));
    let Some(shares) = list_shares(values, name).filter(|_| is_read) else { return };
    let sum: f64 = shares.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        let sum = to_json_number((sum * 1e4).round() / 1e4).map_or_else(String::new, |sum| sum.to_string());
        faults.add(RULE, name, format!("the numbers in {name} add up to {sum}; they must add up to 1"));
    }
}

/// The probabilities in the field `name` as they were given, by choice.
fn list_shares(values: &FieldValues, name: &str) -> Option<Vec<f64>> {
    values.get(name)?.as_object()?.values().map(Value::as_f64).collect()
}

/// What can be answered in the debate that is `opened`; each has a letter, in this order. Yes and no where it
/// names nothing.
pub fn list_choices(opened: &Opened) -> Vec<String> {
    let mut named: Vec<String> = read_option(opened, CHOICES).unwrap_or_default();
    named.truncate(CHOICES_MAX);
    if named.len() < 2 { CHOICES_DEFAULT.map(str::to_owned).into() } else { named }
}

/// How many things or choices there are in a field of a statement that was accepted.
pub fn accepted_thing_counts(opened: &Opened) -> impl Fn(&DeclaredField) -> usize {
    let choices = list_choices(opened).len();
    move |field| if field.kind.is_of_choices() { choices } else { usize::MAX }
}

/// The probabilities in the field `name` of a statement, by choice, with a sum of exactly one.
pub fn extract_probabilities(statement: &FormStatement, name: &str) -> Option<Vec<f64>> {
    let shares = list_shares(&statement.values, name)?;
    let sum: f64 = shares.iter().sum();
    (sum > 0.0).then(|| shares.iter().map(|share| share / sum).collect())
}

/// The place of the choice with this letter, from 0.
pub fn chosen_letter(letter: &str) -> Option<usize> {
    choice_letters(CHOICES_MAX).position(|other| other == letter)
}

/// Fields in one line.
pub fn format_fields(values: &FieldValues) -> String {
    let fields = values.iter();
    let fields = fields.map(|(name, value)| format!("{}: {}", name.replace(['-', '_'], " "), format_value(value)));
    fields.collect::<Vec<_>>().join("; ")
}

/// The texts that a field holds: one, or those of a list.
pub(super) fn texts_mut(value: &mut Value) -> Vec<&mut String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(entries) => entries.iter_mut().flat_map(texts_mut).collect(),
        _ => Vec::new(),
    }
}

fn parse_prose(ask: &Ask, text: &str) -> Result<FormStatement, Faults> {
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
    let said: Vec<&str> = ask.says_one_of.iter().filter(|word| has_word(text, word)).map(String::as_str).collect();
    if !ask.says_one_of.is_empty() && said.len() != 1 {
        let found = if said.is_empty() { "none of them".to_owned() } else { said.join(" and ") };
        let words = ask.says_one_of.join(", ");
        faults.add(RULE, "", format!("say exactly one of the words {words}; the answer says {found}"));
    }
    faults.into_result(FormStatement { text: text.to_owned(), values: FieldValues::new() })
}

/// A value in one line.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => items.iter().map(format_value).collect::<Vec<_>>().join(" / "),
        Value::Object(fields) => {
            let each = fields.iter().map(|(name, value)| format!("{name} {}", format_value(value)));
            each.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        let statement = parse_statement(&ask, good, |_| 3).unwrap();
        assert_eq!(
            statement.text,
            "why: it is so; hours: 3; people: 2; go: Yes; sure: yes; risks: late; worst: 3 / 1; first: 2"
        );
        assert_eq!(statement.values.keys().next().unwrap(), "why");
        let bad = r#"{"why": "far too long for what is allowed", "hours": 101, "people": 1.5, "go": "maybe",
            "sure": "yes", "risks": ["a", "b", "c"], "worst": [1, 1], "first": 4}"#;
        let faults = parse_statement(&ask, bad, |_| 3).unwrap_err();
        let places: Vec<&str> = faults.0.iter().map(|fault| fault.at.as_str()).collect();
        assert_eq!(places, ["why", "hours", "people", "go", "sure", "risks", "worst[1]", "first"], "{faults}");
        assert_eq!(parse_statement(&ask, "{}", |_| 3).unwrap_err().0.len(), 8);
    }

    #[test]
    fn the_schema_asks_for_what_is_read() {
        let ask = ask(r#"
            field = [
              { name = "why", type = "text", about = "the reason" },
              { name = "worst", type = "picks", from = "x", max = 4 },
              { name = "hours", type = "number", min = 1, max = 9 },
            ]"#);
        let form = statement_schema(&ask, |_| 2).unwrap();
        let schema = json!(form);
        let fields = &schema["properties"];
        assert_eq!(schema["required"], json!(["why", "worst", "hours"]));
        assert_eq!(fields["why"]["description"], "the reason");
        assert_eq!((&fields["worst"]["maxItems"], &fields["worst"]["items"]["enum"]), (&json!(2), &json!([1, 2])));
        let sample = agon_core::sample::sample_value(&form, 1).to_string();
        assert!(parse_statement(&ask, &sample, |_| 2).is_ok(), "{sample}");
    }

    #[test]
    fn prose_says_one_word_of_several() {
        let ask = ask("says_one_of = [\"accept\", \"reject\"]\nchars_max = 40");
        assert!(parse_statement(&ask, "I ACCEPT, with thanks.", |_| 0).is_ok());
        for bad in ["It is acceptable.", "accept or reject", "", &"accept ".repeat(20)] {
            assert!(parse_statement(&ask, bad, |_| 0).is_err(), "{bad}");
        }
        assert!(has_word("We are DONE.", "done") && !has_word("undone", "done") && has_word("x [[END]]", "[[END]]"));
    }
}
