//! A form out of a JSON Schema, and the statement out of the filled form. Names of fields are JSON
//! pointers, behind one letter that tells them from the form's own.

use agon_core::Key;
use agon_formats::page::prose::escape_invisible;
use maud::{Markup, html};
use serde_json::{Map, Value};

use agon_core::form::{field_label, is_optional, one_for_each, render_choice};

use super::SubmittedFields;

/// How deep a schema may be to become a form.
const DEPTH_MAX: usize = 5;
/// Maximum number of fields of a form; a larger schema is answered as JSON.
const FIELDS_MAX: usize = 160;
/// Maximum number of groups that a list is given.
const GROUPS_MAX: u64 = 8;
/// A text of this length or more gets several lines.
const LONG_CHARS: u64 = 180;

/// What a form is filled with at first.
pub trait Filled {
    /// The value of the field at `pointer`.
    fn value_at(&self, pointer: &str) -> Option<String>;
}

impl Filled for Value {
    fn value_at(&self, pointer: &str) -> Option<String> {
        match self.pointer(pointer)? {
            Value::String(text) => Some(text.clone()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            other => Some(other.to_string()),
        }
    }
}

impl Filled for SubmittedFields {
    fn value_at(&self, pointer: &str) -> Option<String> {
        self.trimmed_value(&field_name(pointer)).map(str::to_owned)
    }
}

fn field_name(pointer: &str) -> String {
    format!("f{pointer}")
}

/// Whether a schema can be filled in as a form.
pub fn is_fillable(schema: &Value) -> bool {
    count_fields(schema, 0).is_some_and(|count| (1..=FIELDS_MAX).contains(&count))
}

fn count_fields(schema: &Value, depth: usize) -> Option<usize> {
    if depth > DEPTH_MAX {
        return None;
    }
    match schema_kind(schema) {
        Some("object") => {
            let fields = schema["properties"].as_object()?.values().map(|field| count_fields(field, depth + 1));
            fields.sum()
        }
        Some("array") => Some(count_fields(&schema["items"], depth + 1)? * group_range(schema).1),
        Some("string" | "number" | "integer" | "boolean") => Some(1),
        _ => None,
    }
}

fn schema_kind(schema: &Value) -> Option<&str> {
    if schema["enum"].is_array() || schema.get("const").is_some() {
        return Some("string");
    }
    match &schema["type"] {
        Value::String(kind) => Some(kind),
        // A type or null: what is left empty is left out.
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    }
}

/// Fewest and most groups of a list.
fn group_range(schema: &Value) -> (usize, usize) {
    let least = schema["minItems"].as_u64().unwrap_or(0).min(GROUPS_MAX);
    let most = schema["maxItems"].as_u64().unwrap_or(least + 2).clamp(least.max(1), GROUPS_MAX);
    (least as usize, most as usize)
}

/// The fields of `schema`, within a form that answers `key`.
pub fn render_form(schema: &Value, key: &Key, filled: &dyn Filled) -> Markup {
    FormMarkup { key, filled, is_optional: is_optional(schema) }.render_value(schema, "", "", true)
}

/// The items of the list `schema` at `pointer`, each with its title. Where each is about another of as many
/// things, each says so already; what was `filled` in before stays where it stands.
fn list_items(schema: &Value, pointer: &str, label: &str, filled: &dyn Filled) -> Vec<(String, Value)> {
    let count = group_range(schema).1;
    let items = &schema["items"];
    let Some((name, choices)) = one_for_each(schema).filter(|(_, choices)| choices.len() == count) else {
        return (1..=count).map(|at| (format!("{} {at}", to_singular(label)), items.clone())).collect();
    };
    let before: Vec<Option<Value>> = (0..count)
        .map(|at| {
            let before = filled.value_at(&format!("{pointer}/{at}/{}", escape_pointer(name)))?;
            choices.iter().find(|choice| to_plain_text(choice) == before).cloned()
        })
        .collect();
    let mut left = choices.iter().filter(|choice| !before.contains(&Some((*choice).clone())));
    let of = before.iter().map(|known| known.clone().or_else(|| left.next().cloned()).unwrap_or_default());
    let item = |of: Value| {
        let mut item = items.clone();
        let field = &mut item["properties"][name];
        field["enum"] = Value::from(vec![of.clone()]);
        field["const"] = of.clone();
        (render_choice(name, &to_plain_text(&of)), item)
    };
    of.map(item).collect()
}

struct FormMarkup<'f> {
    key: &'f Key,
    filled: &'f dyn Filled,
    /// Whether nothing has to be filled in: then nothing that can be is hidden.
    is_optional: bool,
}

impl FormMarkup<'_> {
    fn render_value(&self, schema: &Value, pointer: &str, label: &str, required: bool) -> Markup {
        match schema_kind(schema) {
            Some("object") => self.render_object(schema, pointer),
            Some("array") => self.render_list(schema, pointer, label),
            _ => self.render_field(schema, pointer, label, required),
        }
    }

    fn render_object(&self, schema: &Value, pointer: &str) -> Markup {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        html! {
            @for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                (self.render_value(field, &format!("{pointer}/{}", escape_pointer(name)), &field_label(field, name), required.contains(&name.as_str())))
            }
        }
    }

    fn render_list(&self, schema: &Value, pointer: &str, label: &str) -> Markup {
        let (least, most) = group_range(schema);
        let is_group = schema_kind(&schema["items"]) == Some("object");
        let is_top = pointer.matches('/').count() == 1;
        let open = least.max(usize::from(!is_group || (self.is_optional && is_top)));
        let items = list_items(schema, pointer, label, self.filled);
        let group = |at: usize| {
            let at_pointer = format!("{pointer}/{at}");
            let (title, item) = &items[at];
            html! {
                @if is_group {
                    fieldset {
                        legend { (escape_invisible(title)) @if at >= least { " " small { "optional" } } }
                        (self.render_value(item, &at_pointer, title, at < least))
                    }
                } @else {
                    (self.render_value(item, &at_pointer, title, at < least))
                }
            }
        };
        html! {
            @for at in 0..open { (group(at)) }
            @if most > open {
                details {
                    summary { (if open == 0 { format!("{label} (optional)") } else { format!("More {}", label.to_lowercase()) }) }
                    @for at in open..most { (group(at)) }
                }
            }
        }
    }

    fn render_field(&self, schema: &Value, pointer: &str, label: &str, required: bool) -> Markup {
        let (name, id) = (field_name(pointer), format!("{}{pointer}", self.key));
        let filled = self.filled.value_at(pointer).unwrap_or_default();
        let most = schema["maxLength"].as_u64();
        let long = most.is_none_or(|most| most >= LONG_CHARS);
        let choices: Vec<String> = match (&schema["enum"], schema.get("const")) {
            (Value::Array(values), _) => values.iter().map(to_plain_text).collect(),
            (_, Some(constant)) => vec![to_plain_text(constant)],
            _ if schema_kind(schema) == Some("boolean") => vec!["true".into(), "false".into()],
            _ => Vec::new(),
        };
        let about = schema["description"].as_str();
        let hint = describe_limits(schema);
        let own = pointer.rsplit('/').next().unwrap_or_default();
        // What its group is called after needs no field that says it once more.
        if let ([only], true, true) = (&choices[..], required, schema.get("const").is_some()) {
            return html! { input type="hidden" name=(name) value=(only); };
        }
        html! {
            div .field {
                label for=(id) { (escape_invisible(label)) @if !required { " " small { "optional" } } @if let Some(hint) = &hint { " " small { (hint) } } }
                @if let Some(about) = about { p .about { (escape_invisible(about)) } }
                @if !choices.is_empty() {
                    // What has one answer is answered.
                    @let chosen = if filled.is_empty() && choices.len() == 1 && required { choices[0].clone() } else { filled };
                    select id=(id) name=(name) {
                        option value="" selected[chosen.is_empty()] { (if required { "choose" } else { "leave open" }) }
                        @for choice in &choices { option value=(choice) selected[*choice == chosen] { (escape_invisible(&render_choice(own, choice))) } }
                    }
                } @else if matches!(schema_kind(schema), Some("number" | "integer")) {
                    input type="text" inputmode="decimal" autocomplete="off" id=(id) name=(name) value=(filled);
                } @else if long {
                    textarea id=(id) name=(name) maxlength=[most] rows=(if most.is_some_and(|most| most < 500) { 3 } else { 5 }) { "\n" (filled) }
                } @else {
                    input type="text" autocomplete="off" id=(id) name=(name) maxlength=[most] value=(filled);
                }
            }
        }
    }
}

/// What a field wants, where its schema says so.
fn describe_limits(schema: &Value) -> Option<String> {
    let number = |name: &str| schema[name].as_f64();
    match (schema["minLength"].as_u64(), schema["maxLength"].as_u64(), number("minimum"), number("maximum")) {
        (_, _, Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), Some(most), ..) if least > 1 => Some(format!("{least} to {most} characters")),
        (_, Some(most), ..) => Some(format!("up to {most} characters")),
        _ => None,
    }
}

/// The statement that a filled form makes; `None` where nothing was filled in.
pub fn parse_form(schema: &Value, fields: &SubmittedFields) -> Option<Value> {
    parse_value(schema, "", fields, 0)
}

fn parse_value(schema: &Value, pointer: &str, fields: &SubmittedFields, depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    match schema_kind(schema)? {
        "object" => {
            let mut object = Map::new();
            for (name, field) in schema["properties"].as_object()? {
                if let Some(value) =
                    parse_value(field, &format!("{pointer}/{}", escape_pointer(name)), fields, depth + 1)
                {
                    object.insert(name.clone(), value);
                }
            }
            // A group of which only the choices that have one answer are filled in is empty.
            let said = object.iter().any(|(name, value)| !is_given(&schema["properties"][name.as_str()], value));
            said.then(|| {
                fill_lists(schema, &mut object);
                object.into()
            })
        }
        "array" => {
            let items = list_items(schema, pointer, "", fields).into_iter().enumerate();
            let items: Vec<Value> = items
                .filter_map(|(at, (_, item))| parse_value(&item, &format!("{pointer}/{at}"), fields, depth + 1))
                .collect();
            (!items.is_empty()).then(|| items.into())
        }
        kind => fields.trimmed_value(&field_name(pointer)).map(|text| parse_scalar(schema, kind, text)),
    }
}

/// A list that must be there may be empty.
fn fill_lists(schema: &Value, object: &mut Map<String, Value>) {
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if schema_kind(&schema["properties"][name]) == Some("array") && !object.contains_key(name) {
            object.insert(name.to_owned(), Value::Array(Vec::new()));
        }
    }
}

fn is_given(schema: &Value, value: &Value) -> bool {
    let only = schema["enum"].as_array().is_some_and(|values| values.len() == 1) || schema.get("const").is_some();
    only && !value.is_null()
}

/// What does not read as its kind stays a text, for the rules to say what is wrong with it.
fn parse_scalar(schema: &Value, kind: &str, text: &str) -> Value {
    if let Some(choice) =
        schema["enum"].as_array().and_then(|values| values.iter().find(|value| to_plain_text(value) == text))
    {
        return choice.clone();
    }
    match kind {
        "integer" => text.parse::<i64>().map(Value::from).unwrap_or_else(|_| text.into()),
        "number" => {
            let number = text.replace(['\u{2212}', ','], "").parse::<f64>().ok();
            number.and_then(serde_json::Number::from_f64).map(Value::Number).unwrap_or_else(|| text.into())
        }
        "boolean" if text == "true" || text == "false" => (text == "true").into(),
        _ => text.into(),
    }
}

fn to_plain_text(value: &Value) -> String {
    value.as_str().map(str::to_owned).unwrap_or_else(|| value.to_string())
}

fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn to_singular(label: &str) -> String {
    match label.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if label.ends_with("ss") || label == "Grounds" => label.to_owned(),
        None => label.strip_suffix('s').unwrap_or(label).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "required": ["title", "kind", "points", "attacks"], "properties": {
            "title": {"type": "string", "maxLength": 80},
            "kind": {"type": "string", "enum": ["a_b"]},
            "points": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "object", "properties": {
                "text": {"type": "string"}, "weight": {"type": "number"}, "sure": {"type": "boolean"}}}},
            "attacks": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {"of": {"type": "string"}}}},
        }})
    }

    fn fields(pairs: &[(&str, &str)]) -> SubmittedFields {
        SubmittedFields(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn a_filled_form_is_the_statement() {
        let filled = fields(&[
            ("f/title", " T "),
            ("f/kind", "a_b"),
            ("f/points/0/text", "x"),
            ("f/points/0/weight", "0.5"),
            ("f/points/1/text", ""),
            ("f/points/2/text", "y"),
            ("f/points/2/weight", "heavy"),
            ("f/points/2/sure", "true"),
        ]);
        let read = parse_form(&schema(), &filled).unwrap();
        assert_eq!(
            read,
            json!({"title": "T", "kind": "a_b", "points": [
            {"text": "x", "weight": 0.5}, {"text": "y", "weight": "heavy", "sure": true}], "attacks": []})
        );
        assert!(self::parse_form(&schema(), &fields(&[("f/other", "x")])).is_none());
    }

    #[test]
    fn every_field_of_the_form_is_read_again() {
        let key = Key::of("turn");
        let html = render_form(&schema(), &key, &Value::Null).into_string();
        for name in ["f/title", "f/kind", "f/points/2/sure", "f/attacks/1/of"] {
            assert!(html.contains(&format!("name=\"{name}\"")), "{name}");
        }
        let again = render_form(&schema(), &key, &json!({"title": "<b>\"x"})).into_string();
        assert!(again.contains("&lt;b&gt;&quot;x"), "{again}");
    }

    #[test]
    fn what_is_all_that_can_be_filled_in_is_never_folded_away() {
        let item = json!({"type": "object", "required": ["to", "question"], "properties": {
            "to": {"type": "string", "enum": ["ada_l", "bob"]}, "question": {"type": "string", "minLength": 10}}});
        let questions = json!({"type": "array", "minItems": 0, "maxItems": 2, "title": "Questions", "items": item});
        let drawn = |required: &[&str]| {
            let schema = json!({"type": "object", "required": required, "properties": {
                "questions": questions, "note": {"type": "string", "minLength": 3}}});
            render_form(&schema, &Key::of("turn"), &Value::Null).into_string()
        };
        let html = drawn(&["questions"]);
        let (open, folded) = html.split_once("<details>").unwrap();
        assert!(open.contains("f/questions/0/question") && folded.contains("f/questions/1/question"), "{html}");
        assert!(open.contains("Question 1 <small>optional</small>"), "{html}");
        assert!(open.contains(">ada_l</option>"), "an id of the debate stays as it is: {html}");
        let html = drawn(&["questions", "note"]);
        assert!(!html.split("<details>").next().unwrap().contains("f/questions/0"), "{html}");
    }

    #[test]
    fn a_score_for_each_argument_is_asked_for_by_its_name() {
        let item = json!({"type": "object", "required": ["argument_id", "score"], "properties": {
            "argument_id": {"type": "string", "enum": ["prop_000a", "opp_000a"]}, "score": {"type": "number"}}});
        let schema = json!({"type": "object", "required": ["scores"], "properties": {
            "scores": {"type": "array", "minItems": 2, "maxItems": 2, "items": item}}});
        let html = render_form(&schema, &Key::of("turn"), &Value::Null).into_string();
        assert!(html.contains("<legend>prop_000a</legend>") && !html.contains("<select"), "{html}");
        assert!(html.contains(r#"<input type="hidden" name="f/scores/1/argument_id" value="opp_000a">"#), "{html}");
        let sent = [("f/scores/0/argument_id", "prop_000a"), ("f/scores/1/argument_id", "opp_000a")];
        assert!(parse_form(&schema, &fields(&sent)).is_none(), "names alone say nothing");
        let sent = [&sent[..], &[("f/scores/1/score", "0.5")]].concat();
        let wanted = json!({"scores": [{"argument_id": "opp_000a", "score": 0.5}]});
        assert_eq!(parse_form(&schema, &fields(&sent)), Some(wanted));
        // A draft in another order is mended in its own.
        let draft = json!({"scores": [{"argument_id": "opp_000a", "score": 1}, {"score": -1}]});
        let html = render_form(&schema, &Key::of("turn"), &draft).into_string();
        assert!(html.find("<legend>opp_000a").unwrap() < html.find("<legend>prop_000a").unwrap(), "{html}");
    }

    #[test]
    fn what_is_too_large_is_no_form() {
        assert!(is_fillable(&schema()));
        let mut deep = json!({"type": "string"});
        for _ in 0..8 {
            deep = json!({"type": "object", "properties": {"a": deep}});
        }
        assert!(!is_fillable(&deep));
        assert!(!is_fillable(&json!({"anyOf": []})));
    }
}
