//! The form of a statement as someone fills it in: what fields a schema has, what each may hold, and
//! whether what was filled in fits. A schema is for models, a form for people; both say the same.

mod check;
mod labelled;
mod values;
mod words;

use serde_json::{Map, Value, json};

pub use self::{
    check::{FieldFault, check_against_schema, find_field_faults},
    labelled::render_template,
    values::parse_field_value,
    words::{Fitted, fit_words, says_nothing},
};
use crate::people::humanize_name;

/// How deep a schema may be to become a form.
pub const DEPTH_MAX: usize = 6;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Fields of its own.
    Fields,
    /// Several of one kind.
    List,
    /// One of several words.
    Choice,
    /// Yes or no.
    YesNo,
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// Words.
    Text,
}

/// What the field of `schema` holds; `None` for what no form has.
pub fn field_type(schema: &Value) -> Option<Holds> {
    if schema["enum"].is_array() || schema.get("const").is_some() {
        return Some(Holds::Choice);
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        // A type or null: what is left empty is left out.
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")?,
        _ => return None,
    };
    Some(match kind {
        "object" => Holds::Fields,
        "array" => Holds::List,
        "boolean" => Holds::YesNo,
        "number" => Holds::Number,
        "integer" => Holds::Whole,
        "string" => Holds::Text,
        _ => return None,
    })
}

/// What may be chosen in a field, without the choice to leave it out.
pub fn list_choices(schema: &Value) -> Vec<Value> {
    match (&schema["enum"], schema.get("const")) {
        (Value::Array(values), _) => values.iter().filter(|value| !value.is_null()).cloned().collect(),
        (_, Some(constant)) => vec![constant.clone()],
        _ => Vec::new(),
    }
}

/// A value as a word.
pub fn render_word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the object of `schema` must have the field `name`.
pub fn requires_field(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
}

/// Fewest and most entries of a list.
pub fn entry_bounds(schema: &Value) -> (usize, Option<usize>) {
    let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
    (least, schema["maxItems"].as_u64().map(|most| most as usize))
}

/// What a field is called: its title, else its name as people write it.
pub fn field_label(schema: &Value, name: &str) -> String {
    schema["title"].as_str().map_or_else(|| humanize_name(name), str::to_owned)
}

/// `name` as a part of a JSON pointer.
pub fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Whether the field `name` holds words that its protocol fixed, such as the kind of an attack. People read
/// those without underscores; everything else that can be chosen is a name or an id, and is shown as it is.
pub fn is_vocabulary(name: &str) -> bool {
    const NAMES: [&str; 15] = [
        "action",
        "answer",
        "deadlock",
        "dimension",
        "kind",
        "quality",
        "rank",
        "reading",
        "relation",
        "ruling",
        "severity",
        "stance",
        "status",
        "type",
        "verdict",
    ];
    name.ends_with("_type") || NAMES.contains(&name)
}

/// The choice `word` of the field `name`, as people read it.
pub fn render_choice(name: &str, word: &str) -> String {
    if is_vocabulary(name) { word.replace('_', " ") } else { word.to_owned() }
}

/// The field that says what each item of the list `schema` is about, and all that there is, where each is
/// wanted exactly once: a score for every argument.
pub fn one_for_each(schema: &Value) -> Option<(&str, Vec<Value>)> {
    let (least, most) = entry_bounds(schema);
    let fields = schema["items"]["properties"].as_object()?;
    let (name, all) = fields.iter().map(|(name, field)| (name, list_choices(field))).find(|(_, all)| all.len() > 1)?;
    (most == Some(least) && all.len() == least).then_some((name.as_str(), all))
}

/// Whether nothing has to be filled in.
pub fn is_optional(schema: &Value) -> bool {
    let mut fields = schema["properties"].as_object().into_iter().flatten();
    fields.all(|(name, field)| !requires_field(schema, name) || default_value(field).is_some())
}

/// What stands in a field that is left alone: the only choice there is, an empty text or list where those
/// are allowed. `None` where something must be filled in.
pub fn default_value(schema: &Value) -> Option<Value> {
    match field_type(schema)? {
        Holds::Choice => match &list_choices(schema)[..] {
            [] => Some(Value::Null),
            [only] => Some(only.clone()),
            _ => None,
        },
        Holds::Text if schema["minLength"].as_u64().unwrap_or(0) == 0 => Some("".into()),
        Holds::List if entry_bounds(schema).0 == 0 => Some(json!([])),
        _ => None,
    }
}

/// The statement of a form in which nothing is filled in; `None` where something must be.
pub fn empty_statement(schema: &Value) -> Option<Value> {
    let fields = schema["properties"].as_object()?.iter().filter(|(name, _)| requires_field(schema, name));
    let fields: Option<Map<String, Value>> =
        fields.map(|(name, field)| Some((name.clone(), default_value(field)?))).collect();
    fields.map(Value::from)
}

/// `schema` with one object in place of each choice between objects, as a form shows it: a field has every
/// value that one of them allows, and must be filled in where all of them want it. What does not go
/// together is for the rules to say.
pub fn merge_variants(schema: &Value) -> Value {
    merge_at_depth(schema, 0)
}

fn merge_at_depth(schema: &Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return schema.clone();
    }
    let mut merged = match schema["anyOf"].as_array() {
        Some(variants) if !variants.is_empty() && variants.iter().all(|one| one["properties"].is_object()) => {
            let mut merged = unite_variants(variants);
            for name in ["title", "description"] {
                if let Some(text) = schema.get(name) {
                    merged[name] = text.clone();
                }
            }
            merged
        }
        _ => schema.clone(),
    };
    if let Some(fields) = merged.get_mut("properties").and_then(Value::as_object_mut) {
        for field in fields.values_mut() {
            *field = merge_at_depth(field, depth + 1);
        }
    }
    if let Some(items) = merged.get_mut("items") {
        *items = merge_at_depth(items, depth + 1);
    }
    merged
}

fn unite_variants(variants: &[Value]) -> Value {
    let mut fields: Map<String, Value> = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for variant in variants {
        for (name, field) in variant["properties"].as_object().into_iter().flatten() {
            match fields.get_mut(name) {
                Some(known) => widen_field(known, field),
                None => {
                    fields.insert(name.clone(), field.clone());
                    if variants.iter().all(|one| requires_field(one, name)) {
                        required.push(name.as_str().into());
                    }
                }
            }
        }
    }
    // What one of them wants empty may be left out.
    required.retain(|name| {
        let wants = |one: &Value| one["properties"][name.as_str().unwrap_or_default()]["enum"] == json!([null]);
        !variants.iter().any(wants)
    });
    json!({"type": "object", "properties": fields, "required": required, "additionalProperties": false})
}

fn widen_field(known: &mut Value, other: &Value) {
    match (known["enum"].is_array(), other["enum"].is_array()) {
        (true, true) => {
            let more: Vec<Value> = list_choices(other);
            if let Some(values) = known["enum"].as_array_mut() {
                let new: Vec<Value> = more.into_iter().filter(|value| !values.contains(value)).collect();
                values.extend(new);
            }
        }
        // Free words are wider than any choice.
        (true, false) => *known = other.clone(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_between_objects_is_one_object_with_all_their_values() {
        let entry = |kind: &str, seqs: Value| {
            json!({"type": "object", "required": ["type", "about", "content"], "properties": {
                "type": {"type": "string", "enum": [kind]}, "about": {"enum": seqs}, "content": {"type": "string"}}})
        };
        let entries = json!({"anyOf": [entry("point", json!([null])), entry("rebuttal", json!(["4", "6"]))]});
        let schema = json!({"type": "object", "properties": {"entries": {"type": "array", "items": entries}}});
        let merged = merge_variants(&schema);
        let item = &merged["properties"]["entries"]["items"];
        assert_eq!(list_choices(&item["properties"]["type"]), [json!("point"), json!("rebuttal")]);
        assert_eq!(list_choices(&item["properties"]["about"]), [json!("4"), json!("6")]);
        assert_eq!(item["required"], json!(["type", "content"]));
    }

    #[test]
    fn free_words_are_wider_than_a_choice() {
        let support = |text: Value| json!({"type": "object", "required": ["text"], "properties": {"text": text}});
        let schema = json!({"anyOf": [support(json!({"enum": ["a"]})), support(json!({"type": "string"}))]});
        assert_eq!(field_type(&merge_variants(&schema)["properties"]["text"]), Some(Holds::Text));
    }

    #[test]
    fn an_id_keeps_its_underscores_and_a_word_of_the_protocol_does_not() {
        assert_eq!(render_choice("attack_type", "claim_attack"), "claim attack");
        assert_eq!(render_choice("reading", "start_over"), "start over");
        for name in ["target_id", "argument_id", "to", "weakness"] {
            assert_eq!(render_choice(name, "prop_000a"), "prop_000a", "{name}");
        }
    }

    #[test]
    fn a_list_of_one_for_each_says_of_what() {
        let list = |least: usize, ids: Value| {
            json!({"type": "array", "minItems": least, "maxItems": 2, "items": {"type": "object",
                "properties": {"of": {"enum": ids}, "score": {"type": "number"}}}})
        };
        let each = list(2, json!(["a", "b"]));
        assert_eq!(one_for_each(&each), Some(("of", vec![json!("a"), json!("b")])));
        assert_eq!(one_for_each(&list(1, json!(["a", "b"]))), None);
        assert_eq!(one_for_each(&list(2, json!(["a", "b", "c"]))), None);
    }

    #[test]
    fn a_form_is_optional_where_nothing_has_to_be_filled_in() {
        let form = |least: u64| json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "minItems": least}, "b": {"type": "string", "minLength": 3}}});
        assert!(is_optional(&form(0)));
        assert!(!is_optional(&form(1)));
    }

    #[test]
    fn what_has_one_answer_is_given() {
        for (schema, wanted) in [
            (json!({"enum": ["a"]}), Some(json!("a"))),
            (json!({"enum": [null]}), Some(Value::Null)),
            (json!({"enum": ["a", "b"]}), None),
            (json!({"type": "string", "maxLength": 9}), Some(json!(""))),
            (json!({"type": "string", "minLength": 1}), None),
            (json!({"type": "array", "minItems": 0}), Some(json!([]))),
            (json!({"type": "array", "minItems": 1}), None),
            (json!({"type": "boolean"}), None),
        ] {
            assert_eq!(default_value(&schema), wanted, "{schema}");
        }
        let form = |field: Value| json!({"type": "object", "required": ["a"], "properties": {"a": field}});
        assert_eq!(empty_statement(&form(json!({"type": "array", "minItems": 0}))), Some(json!({"a": []})));
        assert_eq!(empty_statement(&form(json!({"type": "boolean"}))), None);
    }
}
