//! Reading an answer by its form, field by field.

use agon_core::{Faults, parse};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Field, Form, Kind, strict::Place, to_json_number};
use crate::common::{
    fields::{ObjectReader, one_line},
    request_values::parse_word,
};

/// An object of an answer, read by its form. Reading a field that the form does not have is a bug, and
/// panics.
pub struct Reader<'f, 'v> {
    form: &'f Form,
    fields: ObjectReader<'v>,
}

/// A value that must be an object, before it is known to be one.
pub struct Part<'f, 'v> {
    kind: &'f Kind,
    value: &'v Value,
    at: String,
}

impl Form {
    /// The statement that `take` makes of the text of an answer, or every fault. `take` gives none only
    /// after a fault.
    pub fn read_statement<T>(
        &self,
        text: &str,
        take: impl FnOnce(&Reader<'_, '_>, &mut Faults) -> Option<T>,
    ) -> Result<T, Faults> {
        match self.read_draft(text, take)? {
            (Some(statement), faults) => faults.into_result(statement),
            (None, faults) => Err(faults),
        }
    }

    /// The statement of type `T` in the text of an answer, with the fields of the form, or every fault.
    pub fn parse_answer<T: DeserializeOwned>(&self, text: &str) -> Result<T, Faults> {
        self.read_statement(text, |fields, faults| {
            let values = fields.read_values(faults);
            // After a fault a value means nothing.
            let statement = faults.0.is_empty().then(|| T::deserialize(values))?;
            statement.inspect_err(|error| faults.add("schema", "", error.to_string())).ok()
        })
    }

    /// What `take` makes of the text of an answer, with the faults of it: for protocols in which some of
    /// them do not make a statement useless. An answer that is not an object has nothing to read.
    pub fn read_draft<T>(
        &self,
        text: &str,
        take: impl FnOnce(&Reader<'_, '_>, &mut Faults) -> T,
    ) -> Result<(T, Faults), Faults> {
        let value = parse::parse_json_answer(text)?;
        let mut faults = Faults::default();
        match self.open_reader(&value, "", &mut faults) {
            Some(fields) => Ok((take(&fields, &mut faults), faults)),
            None => Err(faults),
        }
    }

    /// The reader of `value`, which stands `at` a path of the answer; a fault if it is not an object.
    pub fn open_reader<'f, 'v>(
        &'f self,
        value: &'v Value,
        at: impl Into<String>,
        faults: &mut Faults,
    ) -> Option<Reader<'f, 'v>> {
        Some(Reader { form: self, fields: ObjectReader::from_value(value, at, faults)? })
    }
}

impl<'f, 'v> Part<'f, 'v> {
    /// The reader of it, or a fault.
    pub fn open(&self, faults: &mut Faults) -> Option<Reader<'f, 'v>> {
        let forms = match self.kind {
            Kind::Object(form) => std::slice::from_ref(form),
            Kind::AnyOf(forms) => forms,
            _ => unreachable!("{:?} is not an object of a form", self.at),
        };
        let Some(form) = forms.first() else {
            faults.add("schema", self.at.as_str(), "nothing is wanted here");
            return None;
        };
        form.open_reader(self.value, self.at.as_str(), faults)
    }

    fn read_values(&self, faults: &mut Faults) -> Map<String, Value> {
        self.open(faults).map(|fields| fields.read_values(faults)).unwrap_or_default()
    }
}

impl<'f, 'v> Reader<'f, 'v> {
    fn find_field(&self, name: &str) -> &'f Field {
        let field = self.form.fields.iter().find(|field| field.name == name);
        field.unwrap_or_else(|| unreachable!("a protocol reads fields of its form, and {name:?} is none"))
    }

    /// The path of a field, for faults.
    pub fn field_path(&self, name: &str) -> String {
        self.fields.field_path(name)
    }

    /// Adds a fault of the protocol's own, at a field and under its rule.
    pub fn add_fault(&self, name: &str, message: impl Into<String>, faults: &mut Faults) {
        faults.add(self.form.field_rule(self.find_field(name)), self.field_path(name), message);
    }

    /// Names of the fields of the answer that the form does not have.
    pub fn unknown_fields(&self) -> Vec<&'v str> {
        let is_asked = |name: &str| self.form.fields.iter().any(|field| field.name == name);
        self.fields.field_names().filter(|name| !is_asked(name)).collect()
    }

    /// What stands in a field, unread.
    pub fn raw_value(&self, name: &str) -> &'v Value {
        self.fields.get(self.find_field(name).name.as_str()).unwrap_or(&Value::Null)
    }

    /// The words of a text, a choice or a reference, as one line; empty where they may be absent.
    pub fn read_text(&self, name: &str, faults: &mut Faults) -> String {
        self.text_by(name, self.form.field_rule(self.find_field(name)), faults)
    }

    /// The same, with faults that name `rule`: where another field decides which rule it is.
    pub fn text_by(&self, name: &str, rule: &str, faults: &mut Faults) -> String {
        let field = self.find_field(name);
        if field.is_optional && self.fields.get(name).is_none() {
            return String::new();
        }
        match &field.kind {
            Kind::Choice { of, any_case } => self.read_choice(name, of, *any_case, rule, faults),
            Kind::Text { chars_min: Some(0), .. } => self.fields.optional_text(name, rule, faults).unwrap_or_default(),
            Kind::Text { chars_max, .. } => {
                let text = self.fields.read_text(name, rule, faults);
                if self.form.is_strict {
                    Place { name, at: &self.field_path(name), rule }.check_length(*chars_max, &text, faults);
                }
                text
            }
            _ => self.fields.read_text(name, rule, faults),
        }
    }

    /// The words of a text that must be there, with its line breaks.
    pub fn read_paragraphs(&self, name: &str, faults: &mut Faults) -> String {
        self.fields.read_paragraphs(name, self.form.field_rule(self.find_field(name)), faults)
    }

    /// The words of a field that may be empty or absent, whatever its schema wants.
    pub fn optional_text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        self.fields.optional_text(name, self.form.field_rule(self.find_field(name)), faults)
    }

    fn read_choice(&self, name: &str, of: &[String], any_case: bool, rule: &str, faults: &mut Faults) -> String {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        if any_case {
            let said = self.fields.read_text(name, rule, faults).to_lowercase();
            if let Some(word) = of.iter().find(|word| word.to_lowercase() == said) {
                return (*word).to_owned();
            }
        }
        self.fields.read_choice(name, &of, rule, faults)
    }

    /// The value that the word of a choice names; `None` after a fault, or where it may be absent.
    pub fn read_enum<T: DeserializeOwned>(&self, name: &str, faults: &mut Faults) -> Option<T> {
        let word = Some(self.read_text(name, faults)).filter(|word| !word.is_empty())?;
        parse_word(&word)
    }

    /// Whether it is true; false after a fault.
    pub fn read_bool(&self, name: &str, faults: &mut Faults) -> bool {
        let yes = self.fields.get(name).and_then(Value::as_bool);
        if yes.is_none() {
            self.add_fault(name, format!("{name} must be true or false"), faults);
        }
        yes.unwrap_or(false)
    }

    /// A number; 0 after a fault.
    pub fn read_number(&self, name: &str, faults: &mut Faults) -> f64 {
        self.fields.read_number(name, self.form.field_rule(self.find_field(name)), faults)
    }

    /// The texts or references of a list without those that are none, which are faults.
    pub fn read_texts(&self, name: &str, faults: &mut Faults) -> Vec<String> {
        let rule = self.form.field_rule(self.find_field(name));
        let mut texts = Vec::new();
        for (i, item) in self.read_items(name, faults).iter().enumerate() {
            match item.as_str().map(one_line).filter(|text| !text.is_empty()) {
                Some(text) => texts.push(text),
                None => faults.add(rule, format!("{}[{i}]", self.field_path(name)), "a text is wanted here"),
            }
        }
        texts
    }

    /// The objects of a list; none where there is no list.
    pub fn read_parts(&self, name: &str, faults: &mut Faults) -> Vec<Part<'f, 'v>> {
        let (list, kind) = self.read_list(name, faults);
        let part = |(i, value)| Part { kind, value, at: format!("{}[{i}]", self.field_path(name)) };
        list.iter().enumerate().map(part).collect()
    }

    /// The items of a list, unread.
    pub fn read_items(&self, name: &str, faults: &mut Faults) -> &'v [Value] {
        self.read_list(name, faults).0
    }

    /// The items of a list, and what each holds. Their number is checked where the form is strict.
    fn read_list(&self, name: &str, faults: &mut Faults) -> (&'v [Value], &'f Kind) {
        let field = self.find_field(name);
        let rule = self.form.field_rule(field);
        let Kind::List { min, max, items: kind } = &field.kind else {
            unreachable!("a protocol reads lists of its form, and {name:?} is none")
        };
        let list = self.fields.read_list(name, rule, faults);
        if self.form.is_strict {
            Place { name, at: &self.field_path(name), rule }.check_count(list.len(), kind, (*min, *max), faults);
        }
        (list, kind)
    }

    /// The object in a field.
    pub fn object_part(&self, name: &str) -> Part<'f, 'v> {
        Part { kind: &self.find_field(name).kind, value: self.raw_value(name), at: self.field_path(name) }
    }

    /// Every field with its value, in the order of the form. After a fault a value means nothing.
    pub fn read_values(&self, faults: &mut Faults) -> Map<String, Value> {
        let fields = self.form.fields.iter();
        fields.map(|field| (field.name.clone(), self.read_value(field, faults))).collect()
    }

    fn read_value(&self, field: &'f Field, faults: &mut Faults) -> Value {
        let (name, rule) = (field.name.as_str(), self.form.field_rule(field));
        let (number, text) = self.fields.get(name).map_or((None, None), |value| (value.as_f64(), value.as_str()));
        let at = self.field_path(name);
        let place = Place { name, at: &at, rule };
        match &field.kind {
            Kind::Text { .. }
            | Kind::Choice { .. }
            | Kind::Reference(_)
            | Kind::OptionalReference(_)
            | Kind::Quotation(_) => self.read_text(name, faults).into(),
            Kind::YesNo => self.read_bool(name, faults).into(),
            Kind::Number { is_whole, min, max } if self.form.is_strict => {
                place.parse_number(number, *is_whole, (*min, *max), faults).into()
            }
            Kind::Number { .. } => to_json_number(self.read_number(name, faults)).into(),
            Kind::Pick(things) => place.parse_pick(number, *things, faults).into(),
            Kind::Letter(choices) => place.parse_letter(text, *choices, faults).into(),
            Kind::Object(_) | Kind::AnyOf(_) => self.object_part(name).read_values(faults).into(),
            Kind::List { items, .. } => match &**items {
                Kind::Object(_) | Kind::AnyOf(_) => {
                    let parts = self.read_parts(name, faults).into_iter();
                    parts.map(|part| part.read_values(faults)).collect::<Vec<_>>().into()
                }
                Kind::Pick(things) => place
                    .parse_picks(self.read_items(name, faults).iter().map(|item| item.as_f64()), *things, faults)
                    .into(),
                Kind::Text { chars_max, .. } if self.form.is_strict => place
                    .parse_texts(self.read_items(name, faults).iter().map(|item| item.as_str()), *chars_max, faults)
                    .into(),
                _ => self.read_texts(name, faults).into(),
            },
        }
    }
}
