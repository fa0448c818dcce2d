//! Schemas as providers that hold a model to them want them.

use serde_json::{Map, Value, json};

/// The name that a schema without a title goes by.
const NAME: &str = "statement";
const NAME_CHARS_MAX: usize = 64;
/// Fields of a schema whose values are schemas by name.
const NAMED: [&str; 3] = ["properties", "$defs", "definitions"];
/// Fields of a schema whose values are data, however they look.
const DATA: [&str; 3] = ["enum", "const", "default"];

/// `schema` with objects that have no other fields than theirs; with `require_all`, each of these is required.
pub(super) fn close_schema(schema: &Value, require_all: bool) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(|item| close_schema(item, require_all)).collect(),
        Value::Object(fields) => Value::Object(closed_object(fields, require_all)),
        other => other.clone(),
    }
}

fn closed_object(fields: &Map<String, Value>, require_all: bool) -> Map<String, Value> {
    let mut out: Map<String, Value> = fields
        .iter()
        .map(|(name, value)| {
            let value = match value {
                Value::Object(named) if NAMED.contains(&name.as_str()) => {
                    named.iter().map(|(name, schema)| (name.clone(), close_schema(schema, require_all))).collect()
                }
                _ if DATA.contains(&name.as_str()) => value.clone(),
                _ => close_schema(value, require_all),
            };
            (name.clone(), value)
        })
        .collect();
    if let Some(properties) = out.get("properties").and_then(Value::as_object) {
        let names: Vec<&String> = properties.keys().collect();
        if require_all {
            let names = json!(names);
            out.insert("required".into(), names);
        }
        out.entry("additionalProperties").or_insert(json!(false));
    }
    out
}

/// The name of a schema: the characters of its title that names can have.
pub(super) fn schema_name(schema: &Value) -> String {
    let title = schema["title"].as_str().unwrap_or_default();
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = title.chars().filter(fits).take(NAME_CHARS_MAX).collect();
    if name.is_empty() { NAME.to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_wherever_they_stand() {
        let schema = json!({"type": "object", "title": "A vote!", "properties": {
            "properties": {"type": "string", "enum": [{"properties": {}}]},
            "list": {"type": "array", "items": {"anyOf": [{"type": "object", "properties": {"a": {"type": "null"}}}]}}},
            "required": ["list"]});
        let strict = close_schema(&schema, true);
        assert_eq!(strict["required"], json!(["properties", "list"]));
        assert_eq!(strict["properties"]["properties"]["enum"], json!([{"properties": {}}]), "data stays as it is");
        let inner = &strict["properties"]["list"]["items"]["anyOf"][0];
        assert_eq!((&inner["required"], &inner["additionalProperties"]), (&json!(["a"]), &json!(false)));
        let loose = close_schema(&schema, false);
        assert_eq!((&loose["required"], &loose["additionalProperties"]), (&json!(["list"]), &json!(false)));
        assert_eq!((schema_name(&schema).as_str(), schema_name(&json!({})).as_str()), ("Avote", "statement"));
    }
}
