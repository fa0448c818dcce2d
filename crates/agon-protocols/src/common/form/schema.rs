//! The JSON Schema of a form.

use serde_json::{Map, Value, json};

use super::{Form, Kind, choice_letters, number_value};

impl Form {
    /// The schema that models get. Every field is required, because several providers accept no other.
    pub fn json_schema(&self) -> Value {
        let mut properties = Map::new();
        for field in &self.fields {
            let mut schema = field.kind.json_schema();
            if let Some(about) = &field.about {
                schema["description"] = about.as_str().into();
            }
            properties.insert(field.name.clone(), schema);
        }
        let required: Vec<&String> = properties.keys().collect();
        let required = json!(required);
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

impl Kind {
    /// The schema of a value of this kind.
    pub fn json_schema(&self) -> Value {
        match self {
            Kind::Text { chars_min, chars_max } => {
                let bounds = [("minLength", *chars_min), ("maxLength", *chars_max)];
                bounded_schema("string", bounds.map(|(name, bound)| (name, bound.map(Value::from))))
            }
            Kind::Choice { of, .. } | Kind::Reference(of) => json!({"type": "string", "enum": of}),
            Kind::OptionalReference(of) => json!({"enum": of}),
            Kind::Quotation(passages) if passages.is_empty() => json!({"type": "string"}),
            Kind::Quotation(passages) => json!({"type": "string", "examples": passages}),
            Kind::YesNo => json!({"type": "boolean"}),
            Kind::Number { is_whole, min, max } => {
                let kind = if *is_whole { "integer" } else { "number" };
                bounded_schema(kind, [("minimum", min.map(number_value)), ("maximum", max.map(number_value))])
            }
            Kind::Pick(things) => json!({"type": "integer", "enum": (1..=*things).collect::<Vec<_>>()}),
            Kind::Letter(choices) => {
                json!({"type": "string", "enum": choice_letters(*choices).collect::<Vec<_>>()})
            }
            Kind::List { min, max, items } => {
                let (min, max) = (items.limit_count(*min), items.limit_count(*max));
                json!({"type": "array", "minItems": min, "maxItems": max, "items": items.json_schema()})
            }
            Kind::Object(form) => form.json_schema(),
            Kind::AnyOf(forms) if forms.is_empty() => json!({"type": "object"}),
            Kind::AnyOf(forms) => json!({"anyOf": forms.iter().map(Form::json_schema).collect::<Vec<_>>()}),
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

fn bounded_schema(kind: &str, bounds: [(&str, Option<Value>); 2]) -> Value {
    let mut schema = json!({"type": kind});
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            schema[name] = bound;
        }
    }
    schema
}
