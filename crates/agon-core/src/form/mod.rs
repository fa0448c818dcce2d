//! The form of a statement as someone fills it in: what fields a schema has, what each may hold, and
//! whether what was filled in fits. A schema is for models, a form for people; both say the same.

mod check;
mod field;
mod labelled_lines;
mod values;
mod words;

use serde_json::Value;

pub use self::{
    check::{FieldFault, check_named_field, check_statement, find_field_faults},
    field::{DEPTH_MAX, FormField, Holds, unite_variants},
    labelled_lines::{describe_misfit, render_template},
    values::parse_field_value,
    words::{Fitted, fit_words, says_nothing},
};

/// A value as a word.
pub fn render_word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `name` as a part of a JSON pointer.
pub fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The choice `word` of the field `name`, as people read it: without underscores where the field holds words that its
/// protocol fixed, such as the kind of an attack. Everything else that can be chosen is a name or an id, and is shown as
/// it is.
pub fn render_choice(name: &str, word: &str) -> String {
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
    let is_vocabulary = name.ends_with("_type") || NAMES.contains(&name);
    if is_vocabulary { word.replace('_', " ") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_choice_between_objects_is_one_object_with_all_their_values() {
        let entry = |kind: &str, seqs: Value| {
            json!({"type": "object", "required": ["type", "about", "content"], "properties": {
                "type": {"type": "string", "enum": [kind]}, "about": {"enum": seqs}, "content": {"type": "string"}}})
        };
        let entries = json!({"anyOf": [entry("point", json!([null])), entry("rebuttal", json!(["4", "6"]))]});
        let schema = json!({"type": "object", "properties": {"entries": {"type": "array", "items": entries}}});
        let merged = FormField::from_schema(&schema).merge_variants();
        let item = merged.fields["entries"].items.as_ref().unwrap();
        let choices = |name: &str| item.fields[name].list_choices().cloned().collect::<Vec<_>>();
        assert_eq!(choices("type"), [json!("point"), json!("rebuttal")]);
        assert_eq!(choices("about"), [json!("4"), json!("6")]);
        let required = item.fields.keys().filter(|name| item.requires_field(name)).collect::<Vec<_>>();
        assert_eq!(required, ["type", "content"]);
    }

    #[test]
    fn free_words_are_wider_than_a_choice() {
        let support = |text: Value| json!({"type": "object", "required": ["text"], "properties": {"text": text}});
        let schema = json!({"anyOf": [support(json!({"enum": ["a"]})), support(json!({"type": "string"}))]});
        let merged = FormField::from_schema(&schema).merge_variants();
        assert_eq!(merged.fields["text"].holds(), Some(Holds::Text));
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
            FormField::from_schema(
                &json!({"type": "array", "minItems": least, "maxItems": 2, "items": {"type": "object",
                "properties": {"of": {"enum": ids}, "score": {"type": "number"}}}}),
            )
        };
        let each = list(2, json!(["a", "b"]));
        assert_eq!(each.one_for_each(), Some(("of", vec![&json!("a"), &json!("b")])));
        assert_eq!(list(1, json!(["a", "b"])).one_for_each(), None);
        assert_eq!(list(2, json!(["a", "b", "c"])).one_for_each(), None);
    }

    #[test]
    fn a_form_is_optional_where_nothing_has_to_be_filled_in() {
        let form = |least: u64| {
            FormField::from_schema(
                &json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "minItems": least}, "b": {"type": "string", "minLength": 3}}}),
            )
        };
        assert!(form(0).is_optional());
        assert!(!form(1).is_optional());
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
            assert_eq!(FormField::from_schema(&schema).default_value(), wanted, "{schema}");
        }
        let empty = |field: Value| {
            let schema = json!({"type": "object", "required": ["a"], "properties": {"a": field}});
            FormField::from_schema(&schema).empty_statement()
        };
        assert_eq!(empty(json!({"type": "array", "minItems": 0})), Some(json!({"a": []})));
        assert_eq!(empty(json!({"type": "boolean"})), None);
    }
}
