//! Pieces of the schemas of the moderator's statements.

use serde_json::{Value, json};

/// JSON Schema of a text that must be there. The bounds end a model that babbles and keep a small
/// one from writing the name of the field; they touch nobody else.
pub fn text(chars_min: u32, chars_max: u32) -> Value {
    json!({"type": "string", "minLength": chars_min, "maxLength": chars_max})
}

/// A JSON Schema object whose fields are all required.
pub fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let required = json!(required);
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A JSON Schema list.
pub fn list(items_min: usize, items_max: usize, items: Value) -> Value {
    json!({"type": "array", "minItems": items_min, "maxItems": items_max, "items": items})
}
