//! The form of a statement: one list of fields, from which the schema for models, the reader of their
//! answers and its faults are derived.
//!
//! Everything that people fill in follows from the schema alone: the web form, the questions at a terminal
//! and the skeleton in an editor ([`agon_core::form`]), and samples ([`agon_core::sample`]). So a form is
//! all that a statement needs.
//!
//! A script takes the fields from a [`Reader`] in the order of its rules, because a redraft quotes the
//! faults in the order in which they were found, and the record keeps them so. What a form cannot say, such
//! as whether the named participant said a quote, stays in the protocol.

mod reader;
mod schema;
mod strict;

use serde_json::Number;

pub use self::reader::{Part, Reader};

/// The fields of an object, in the order of the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The rule that faults name where a field names none.
    rule: String,
    /// Whether the reader refuses what exceeds the bounds that the schema states. Otherwise the bounds only
    /// end a model that babbles, and the protocol has rules of its own.
    is_strict: bool,
    fields: Vec<Field>,
}

/// One field of an object. The schema requires every field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    name: String,
    kind: Kind,
    rule: Option<String>,
    /// What it is for; sent with the schema.
    about: Option<String>,
    /// Whether an answer without it is taken.
    is_optional: bool,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// One line of text. Where its least length is 0 it may be empty or absent.
    Text {
        /// Least length, in characters.
        chars_min: Option<u32>,
        /// Greatest length, in characters.
        chars_max: Option<u32>,
    },
    /// One of several words.
    Choice {
        /// The words.
        of: Vec<String>,
        /// Whether they may be written in upper or lower case.
        any_case: bool,
    },
    /// A text that refers to something by one of these names or quotes. Read as a text: what it refers to
    /// is for the protocol to find.
    Reference(Vec<String>),
    /// A text that refers to something, one of these; null where one is `None`. Read as a text.
    OptionalReference(Vec<Option<String>>),
    /// Words copied from a text, with passages of it as examples. Any other words of it may stand there: the protocol
    /// compares them.
    Quotation(Vec<String>),
    /// True or false.
    YesNo,
    /// A number.
    Number {
        /// Whether it has no fraction.
        is_whole: bool,
        /// The smallest.
        min: Option<f64>,
        /// The largest.
        max: Option<f64>,
    },
    /// The number of one of so many things, from 1.
    Pick(usize),
    /// The letter of one of so many choices, from A.
    Letter(usize),
    /// A list of texts, references, picks or objects.
    List {
        /// Fewest items.
        min: usize,
        /// Most items.
        max: usize,
        /// What each holds.
        items: Box<Kind>,
    },
    /// An object with fields of its own.
    Object(Form),
    /// An object in one of several variants, which have the same fields and allow different values. The
    /// reader uses the first: the protocol says which values go together.
    AnyOf(Vec<Form>),
}

impl Form {
    /// A form whose faults name `rule`.
    pub fn new(rule: impl Into<String>, fields: impl IntoIterator<Item = Field>) -> Self {
        Self { rule: rule.into(), is_strict: false, fields: fields.into_iter().collect() }
    }

    /// The same, with a reader that refuses what exceeds the bounds of the schema.
    pub fn into_strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    fn field_rule<'f>(&'f self, field: &'f Field) -> &'f str {
        field.rule.as_deref().unwrap_or(&self.rule)
    }
}

/// A field called `name`.
pub fn form_field(name: impl Into<String>, kind: Kind) -> Field {
    Field { name: name.into(), kind, rule: None, about: None, is_optional: false }
}

impl Field {
    /// The same, with faults that name `rule`.
    pub fn with_rule(self, rule: impl Into<String>) -> Self {
        Self { rule: Some(rule.into()), ..self }
    }

    /// The same, with a description for the participant that fills it in.
    pub fn with_description(self, about: Option<impl Into<String>>) -> Self {
        Self { about: about.map(Into::into), ..self }
    }

    /// The same; an answer without it is taken, though the schema requires it.
    pub fn as_optional(self) -> Self {
        Self { is_optional: true, ..self }
    }
}

/// One line of text of `chars_min` to `chars_max` characters.
pub fn text_kind(chars_min: u32, chars_max: u32) -> Kind {
    Kind::Text { chars_min: Some(chars_min), chars_max: Some(chars_max) }
}

/// Words copied from a text that has these passages.
pub fn quotation_kind<W: Into<String>>(passages: impl IntoIterator<Item = W>) -> Kind {
    Kind::Quotation(passages.into_iter().map(Into::into).collect())
}

/// One of the words `of`.
pub fn choice_kind<W: Into<String>>(of: impl IntoIterator<Item = W>) -> Kind {
    Kind::Choice { of: of.into_iter().map(Into::into).collect(), any_case: false }
}

/// One of the words `of`, in upper or lower case.
pub fn any_case_kind<W: Into<String>>(of: impl IntoIterator<Item = W>) -> Kind {
    Kind::Choice { of: of.into_iter().map(Into::into).collect(), any_case: true }
}

/// A whole number from `min` to `max`.
pub fn whole_number_kind(min: u32, max: u32) -> Kind {
    Kind::Number { is_whole: true, min: Some(min.into()), max: Some(max.into()) }
}

/// A list of `min` to `max` items.
pub fn list_kind(min: usize, max: usize, items: Kind) -> Kind {
    Kind::List { min, max, items: Box::new(items) }
}

/// The letters of so many choices: A, B, C, and so on, 26 at most.
pub fn choice_letters(choices: usize) -> impl Iterator<Item = String> {
    ('A'..='Z').take(choices).map(String::from)
}

/// A number as people write it: 120, not 120.0; `None` for one that is not finite.
pub fn to_json_number(number: f64) -> Option<Number> {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => Some((number as i64).into()),
        false => Number::from_f64(number),
    }
}
