//! What people are told of a request: plain words in place of the prompt that models get, and what
//! the fields of its statement are called.

use std::collections::BTreeMap;

use serde::Deserialize;

use agon_text::humanize_name;

use crate::form::FormField;

/// The words for people of a protocol, by the name of the prompt.
pub type People = BTreeMap<String, Plain>;

/// One request in plain words: the question, the names of the fields, and the meaning of skipping it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plain {
    /// What is asked: a template that is filled with the same facts as the prompt.
    pub ask: String,
    /// The part of the debate that it belongs to, for a heading, where no ruling names it.
    pub phase: Option<String>,
    /// The field that plain words are put into, as a path (`entries.content`), where one will do.
    pub words: Option<String>,
    /// Where it may be left out: what that means, for a reader.
    pub skip: Option<Skip>,
    /// Fields by their path, each as `label: what it means`.
    pub fields: BTreeMap<String, String>,
    /// Fields that readers of a statement are not shown, since a ruling tells them or nobody needs them.
    pub hidden: Vec<String>,
}

/// What skipping a request means, and the answer that it gives.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// What leaving it out means, for a reader: `no question`.
    pub means: String,
    /// The answer that says so; without one it counts as not answered.
    pub answer: Option<String>,
}

impl Plain {
    /// What the field at `path` is called, and what it means.
    pub fn find_label(&self, path: &str) -> Option<(&str, &str)> {
        let text = self.fields.get(path)?;
        Some(text.split_once(": ").unwrap_or((text, "")))
    }

    /// The place of a fault in the words of the form: `members[0].starting_position` as
    /// `Debaters 1, Starting position`.
    pub fn describe_place(&self, at: &str) -> String {
        let (mut path, mut told) = (String::new(), Vec::new());
        for part in at.split('.').filter(|part| !part.is_empty()) {
            let (name, number) = part.split_once('[').unwrap_or((part, ""));
            path = field_path(&path, name);
            let label = self.find_label(&path).map_or_else(|| humanize_name(name), |(label, _)| label.to_owned());
            let number = number.trim_end_matches(']').parse::<usize>().ok();
            told.push(number.map_or_else(|| label.clone(), |at| format!("{label} {}", at + 1)));
        }
        told.join(", ")
    }

    /// Gives every field of `form` that is known here a title and a description. What it has already stays.
    pub fn label_form(&self, form: &mut FormField) {
        self.label_field(form, "");
    }

    fn label_field(&self, field: &mut FormField, path: &str) {
        if let Some((label, about)) = self.find_label(path) {
            for (place, text) in [(&mut field.title, label), (&mut field.description, about)] {
                if !text.is_empty() {
                    place.get_or_insert_with(|| text.to_owned());
                }
            }
        }
        self.label_inner_fields(field, path);
    }

    /// Labels the fields of an object, of the items of a list, and of the objects that something may be.
    fn label_inner_fields(&self, field: &mut FormField, path: &str) {
        for (name, inner) in &mut field.fields {
            self.label_field(inner, &field_path(path, name));
        }
        for inner in field.items.as_deref_mut().into_iter().chain(&mut field.variants) {
            self.label_inner_fields(inner, path);
        }
    }
}

/// The path of the field `name` within the field at `path`.
pub fn field_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_is_told_by_the_labels_of_the_form() {
        let fields = [
            ("members".into(), "Debaters: in turn order".into()),
            ("members.starting_position".into(), "Starts from: what this person holds".into()),
        ];
        let plain = Plain { fields: fields.into(), ..Plain::default() };
        assert_eq!(plain.describe_place("members[1].starting_position"), "Debaters 2, Starts from");
        assert_eq!(plain.describe_place("natural_end"), "Natural end");
        assert_eq!(plain.describe_place(""), "");
    }

    #[test]
    fn every_field_gets_its_label_wherever_it_stands() {
        let plain = Plain {
            fields: [
                ("entries".into(), "Entries: what you say".into()),
                ("entries.type".into(), "Kind: of entry".into()),
                ("note".into(), "Note".into()),
            ]
            .into(),
            ..Plain::default()
        };
        let variant = json!({"type": "object", "properties": {"type": {"enum": ["a"]}}});
        let schema = json!({"type": "object", "properties": {
            "entries": {"type": "array", "items": {"anyOf": [variant]}},
            "note": {"type": "string", "description": "the file's own words"}}});
        let mut form = FormField::from_schema(&schema);
        plain.label_form(&mut form);
        let labelled = serde_json::to_value(form).unwrap();
        let entries = &labelled["properties"]["entries"];
        assert_eq!((&entries["title"], &entries["description"]), (&json!("Entries"), &json!("what you say")));
        assert_eq!(entries["items"]["anyOf"][0]["properties"]["type"]["title"], "Kind");
        let note = &labelled["properties"]["note"];
        assert_eq!((&note["title"], &note["description"]), (&json!("Note"), &json!("the file's own words")));
    }
}
