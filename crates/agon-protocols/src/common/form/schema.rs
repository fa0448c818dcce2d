//! The form as the rest of agon knows it: what models are held to, people fill in, and samples are made of.

use agon_core::form::{FormField, Holds};
use serde_json::Value;

use super::{Form, Kind, choice_letters, to_json_number};

impl Form {
    /// The form that an answer is asked in. Every field is required, because several providers accept no other.
    pub fn to_schema(&self) -> FormField {
        let fields = self.fields.iter().map(|field| {
            (field.name.clone(), FormField { description: field.about.clone(), ..field.kind.to_schema() })
        });
        FormField::from_fields(fields.collect())
    }
}

impl Kind {
    /// A field of this kind.
    pub fn to_schema(&self) -> FormField {
        let holding = FormField::new;
        let choice = |choices: Vec<Value>| FormField { choices: Some(choices), ..FormField::default() };
        match self {
            Kind::Text { chars_min, chars_max } => FormField {
                min_length: chars_min.map(u64::from),
                max_length: chars_max.map(u64::from),
                ..holding(Holds::Text)
            },
            Kind::Choice { of, .. } | Kind::Reference(of) => choose_from(Holds::Text, of),
            Kind::OptionalReference(of) => choice(of.iter().cloned().map(Value::from).collect()),
            Kind::Quotation(passages) => {
                FormField { examples: passages.iter().cloned().map(Value::from).collect(), ..holding(Holds::Text) }
            }
            Kind::YesNo => holding(Holds::YesNo),
            Kind::Number { is_whole, min, max } => FormField {
                minimum: min.and_then(to_json_number),
                maximum: max.and_then(to_json_number),
                ..holding(if *is_whole { Holds::Whole } else { Holds::Number })
            },
            Kind::Pick(things) => choose_from(Holds::Whole, &(1..=*things).collect::<Vec<_>>()),
            Kind::Letter(choices) => choose_from(Holds::Text, &choice_letters(*choices).collect::<Vec<_>>()),
            Kind::List { min, max, items } => FormField {
                min_items: items.limit_count(*min),
                max_items: Some(items.limit_count(*max)),
                items: Some(Box::new(items.to_schema())),
                ..holding(Holds::List)
            },
            Kind::Object(form) => form.to_schema(),
            // Nothing is wanted here, and nothing has a place.
            Kind::AnyOf(forms) if forms.is_empty() => holding(Holds::Fields),
            Kind::AnyOf(forms) => {
                FormField { variants: forms.iter().map(Form::to_schema).collect(), ..FormField::default() }
            }
        }
    }

    /// How many of `count` items there can be: nobody can pick more different things than there are.
    pub(super) fn limit_count(&self, count: usize) -> usize {
        match self {
            Kind::Pick(things) => count.min(*things),
            _ => count,
        }
    }
}

/// A field that holds one of `choices`.
fn choose_from<T: Clone + Into<Value>>(holds: Holds, choices: &[T]) -> FormField {
    FormField { choices: Some(choices.iter().cloned().map(Into::into).collect()), ..FormField::new(holds) }
}
