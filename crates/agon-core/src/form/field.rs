//! The form of an answer, field by field. As JSON it is the schema that models get.

use std::fmt;

use agon_text::humanize_name;
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Number, Value, json};

/// How deep a schema may be to become a form.
pub const DEPTH_MAX: usize = 6;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Holds {
    /// Fields of its own.
    #[serde(rename = "object")]
    Fields,
    /// Several of one kind.
    #[serde(rename = "array")]
    List,
    /// One of several words.
    #[serde(skip)]
    Choice,
    /// Yes or no.
    #[serde(rename = "boolean")]
    YesNo,
    /// A number.
    #[serde(rename = "number")]
    Number,
    /// A whole number.
    #[serde(rename = "integer")]
    Whole,
    /// Words.
    #[serde(rename = "string")]
    Text,
}

/// A field of an answer: what it holds, and within which bounds. A whole form is a field that holds fields. It is made by a
/// protocol for each request; serialised, it is the JSON Schema that models are held to. Objects have no other fields than
/// theirs, since several providers take no other schema.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FormField {
    /// The type that its schema names; `None` for one that no form has.
    #[serde(rename = "type", deserialize_with = "decode_type")]
    pub named_type: Option<Holds>,
    /// What it is called, where that is more than its name.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// Its own fields by name, in the order of the form.
    #[serde(rename = "properties")]
    pub fields: IndexMap<String, FormField>,
    /// Names of those that must be there.
    pub required: Vec<String>,
    /// What each entry of its list is.
    pub items: Option<Box<FormField>>,
    /// What may be chosen; null stands for the choice to leave it out.
    #[serde(rename = "enum")]
    pub choices: Option<Vec<Value>>,
    /// What may stand in it, of which samples are made and small models choose. Other values may stand there, too.
    pub examples: Vec<Value>,
    /// The objects that it is one of.
    #[serde(rename = "anyOf")]
    pub variants: Vec<FormField>,
    /// Fewest entries of its list.
    pub min_items: usize,
    /// Most entries of its list.
    pub max_items: Option<usize>,
    /// Fewest characters of its text.
    pub min_length: Option<u64>,
    /// Most characters of its text.
    pub max_length: Option<u64>,
    /// The smallest number.
    pub minimum: Option<Number>,
    /// The largest number.
    pub maximum: Option<Number>,
}

/// A type, or several of which one is null: what is left empty is left out.
fn decode_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Holds>, D::Error> {
    let named = match Value::deserialize(deserializer)? {
        Value::Array(names) => names.into_iter().find(|name| name != "null").unwrap_or_default(),
        name => name,
    };
    Ok(Holds::deserialize(named).ok())
}

impl Serialize for FormField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut schema = serializer.serialize_map(None)?;
        if let Some(holds) = self.named_type {
            schema.serialize_entry("type", &holds)?;
        }
        match self.named_type {
            Some(Holds::Fields) => {
                schema.serialize_entry("properties", &self.fields)?;
                schema.serialize_entry("required", &self.required)?;
                schema.serialize_entry("additionalProperties", &false)?;
            }
            Some(Holds::List) => {
                schema.serialize_entry("minItems", &self.min_items)?;
                serialize_known(&mut schema, "maxItems", self.max_items.as_ref())?;
                serialize_known(&mut schema, "items", self.items.as_ref())?;
            }
            _ => {
                serialize_known(&mut schema, "enum", self.choices.as_ref())?;
                serialize_known(&mut schema, "examples", Some(&self.examples).filter(|texts| !texts.is_empty()))?;
                serialize_known(&mut schema, "minLength", self.min_length.as_ref())?;
                serialize_known(&mut schema, "maxLength", self.max_length.as_ref())?;
                serialize_known(&mut schema, "minimum", self.minimum.as_ref())?;
                serialize_known(&mut schema, "maximum", self.maximum.as_ref())?;
                serialize_known(&mut schema, "anyOf", Some(&self.variants).filter(|forms| !forms.is_empty()))?;
            }
        }
        serialize_known(&mut schema, "description", self.description.as_ref())?;
        serialize_known(&mut schema, "title", self.title.as_ref())?;
        schema.end()
    }
}

/// Adds what is known of a field.
fn serialize_known<M: SerializeMap>(
    schema: &mut M,
    name: &str,
    known: Option<&impl Serialize>,
) -> Result<(), M::Error> {
    known.map_or(Ok(()), |known| schema.serialize_entry(name, known))
}

/// The JSON Schema, as one line.
impl fmt::Display for FormField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FormField {
    /// A field that holds `holds`.
    pub fn new(holds: Holds) -> Self {
        Self { named_type: Some(holds), ..Self::default() }
    }

    /// An object of these fields, each of which must be there.
    pub fn from_fields(fields: IndexMap<String, FormField>) -> Self {
        Self { required: fields.keys().cloned().collect(), fields, ..Self::new(Holds::Fields) }
    }

    /// The field that `schema` describes; one that holds nothing where it describes none.
    pub fn from_schema(schema: &Value) -> Self {
        Self::deserialize(schema).unwrap_or_default()
    }

    /// The fields within it: its own, those of its entries, and those of each object that it is one of.
    fn inner_fields_mut(&mut self) -> impl Iterator<Item = &mut FormField> {
        self.fields.values_mut().chain(self.items.as_deref_mut()).chain(&mut self.variants)
    }

    /// The same without the examples that samples are made of, and that small models choose from.
    pub fn without_examples(mut self) -> Self {
        self.examples.clear();
        self.inner_fields_mut().for_each(|field| *field = std::mem::take(field).without_examples());
        self
    }

    /// The same with the examples of its texts as the only values: a small model does not copy a sentence letter by letter.
    pub fn with_examples_as_choices(mut self) -> Self {
        if !self.examples.is_empty() {
            self.choices = Some(std::mem::take(&mut self.examples));
        }
        self.inner_fields_mut().for_each(|field| *field = std::mem::take(field).with_examples_as_choices());
        self
    }

    /// The field at `pointer`, a JSON pointer into an answer; of alternative objects, of the first that has it.
    pub fn find_field(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |field, segment| {
            field.inner_field(segment).or_else(|| field.variants.iter().find_map(|one| one.inner_field(segment)))
        })
    }

    /// The field called `segment`, or of every entry where that is a number.
    fn inner_field(&self, segment: &str) -> Option<&Self> {
        match segment.parse::<usize>() {
            Ok(_) => self.items.as_deref(),
            Err(_) => self.fields.get(segment),
        }
    }

    /// What it holds; `None` for what no form has.
    pub fn holds(&self) -> Option<Holds> {
        if self.choices.is_some() { Some(Holds::Choice) } else { self.named_type }
    }

    /// What the entries of its list hold.
    pub fn items_hold(&self) -> Option<Holds> {
        self.items.as_ref()?.holds()
    }

    /// The objects that it is one of, or itself.
    pub fn list_variants(&self) -> &[FormField] {
        if self.variants.is_empty() { std::slice::from_ref(self) } else { &self.variants }
    }

    /// What may be chosen, without the choice to leave it out.
    pub fn list_choices(&self) -> impl Iterator<Item = &Value> {
        self.choices.iter().flatten().filter(|choice| !choice.is_null())
    }

    /// Whether it must have the field `name`.
    pub fn requires_field(&self, name: &str) -> bool {
        self.required.iter().any(|known| known == name)
    }

    /// What it is called: its title, else its `name` as people write it.
    pub fn field_label(&self, name: &str) -> String {
        self.title.clone().unwrap_or_else(|| humanize_name(name))
    }

    /// The field that says what each item of its list is about, and all that there is, where each is wanted exactly once:
    /// a score for every argument.
    pub fn one_for_each(&self) -> Option<(&str, Vec<&Value>)> {
        let fields = self.items.as_ref()?.fields.iter();
        let mut choices = fields.map(|(name, field)| (name.as_str(), field.list_choices().collect::<Vec<_>>()));
        let (name, all) = choices.find(|(_, all)| all.len() > 1)?;
        (self.max_items == Some(self.min_items) && all.len() == self.min_items).then_some((name, all))
    }

    /// Whether nothing has to be filled in.
    pub fn is_optional(&self) -> bool {
        self.fields.iter().all(|(name, field)| !self.requires_field(name) || field.default_value().is_some())
    }

    /// What stands in it where it is left alone: the only choice there is, an empty text or list where those are allowed.
    /// `None` where something must be filled in.
    pub fn default_value(&self) -> Option<Value> {
        match self.holds()? {
            Holds::Choice => match &self.list_choices().collect::<Vec<_>>()[..] {
                [] => Some(Value::Null),
                [only] => Some((*only).clone()),
                _ => None,
            },
            Holds::Text if self.min_length.unwrap_or(0) == 0 => Some("".into()),
            Holds::List if self.min_items == 0 => Some(json!([])),
            _ => None,
        }
    }

    /// The statement of a form in which nothing is filled in; `None` where something must be.
    pub fn empty_statement(&self) -> Option<Value> {
        let required = self.fields.iter().filter(|(name, _)| self.requires_field(name));
        let fields: Option<Map<_, _>> =
            required.map(|(name, field)| Some((name.clone(), field.default_value()?))).collect();
        fields.map(Value::from)
    }

    /// The same with one object in place of each choice between objects, as a form shows it: a field has every value that
    /// one of them allows, and must be filled in where all of them want it. What does not go together is for the rules to
    /// say.
    pub fn merge_variants(&self) -> Self {
        self.merge_at_depth(0)
    }

    fn merge_at_depth(&self, depth: usize) -> Self {
        let mut merged = self.clone();
        if depth > DEPTH_MAX {
            return merged;
        }
        if !self.variants.is_empty() && self.variants.iter().all(|variant| !variant.fields.is_empty()) {
            let (title, description) = (merged.title, merged.description);
            merged = Self { title, description, ..unite_variants(&self.variants) };
        }
        for field in merged.fields.values_mut().chain(merged.items.as_deref_mut()) {
            *field = field.merge_at_depth(depth + 1);
        }
        merged
    }

    /// Lets it hold what `other` may hold as well.
    fn widen_choices(&mut self, other: &FormField) {
        if let (Some(choices), Some(_)) = (&mut self.choices, &other.choices) {
            let new: Vec<Value> = other.list_choices().filter(|choice| !choices.contains(choice)).cloned().collect();
            choices.extend(new);
        } else if self.choices.is_some() {
            // Free words are wider than any choice.
            *self = other.clone();
        }
    }
}

/// One object with the fields of all `variants`: a field has every value that one of them allows, and must be filled in
/// where all of them want it.
pub fn unite_variants(variants: &[FormField]) -> FormField {
    let mut fields: IndexMap<String, FormField> = IndexMap::new();
    for (name, field) in variants.iter().flat_map(|variant| &variant.fields) {
        match fields.get_mut(name) {
            Some(known) => known.widen_choices(field),
            None => drop(fields.insert(name.clone(), field.clone())),
        }
    }
    // What one of them wants empty may be left out.
    let wants = |variant: &FormField, name: &String| {
        let choices = variant.fields.get(name).and_then(|field| field.choices.as_deref());
        variant.requires_field(name) && choices != Some(&[Value::Null])
    };
    let required = fields.keys().filter(|name| variants.iter().all(|variant| wants(variant, name))).cloned().collect();
    FormField { fields, required, ..FormField::new(Holds::Fields) }
}
