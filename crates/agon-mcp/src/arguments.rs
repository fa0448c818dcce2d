//! The arguments of the tools.

use agon_core::DebateId;
use rmcp::model::JsonObject;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::refusal::ToolRefusal;

/// The arguments of a call; unknown ones are errors, since a mistyped one would be ignored.
pub(crate) fn parse_arguments<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolRefusal> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner().to_string();
        ToolRefusal::Malformed(if path == "." { why } else { format!("{path}: {why}") })
    })
}

/// Arguments as hosts send them, made what `schema` asks for: an optional one that is null or an empty text is absent,
/// and a list, object or number that came as the text of its JSON is read as that.
pub(crate) fn adapt_arguments(schema: &JsonObject, mut arguments: Value) -> Value {
    let Some(given) = arguments.as_object_mut() else { return arguments };
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
    };
    // An empty token is a wrong one, and not none.
    let is_absent = |name: &str, value: &Value| value.is_null() || value == "" && name != "token";
    // A host that keeps a list of its own tasks sends it with every call.
    let is_hosts_own =
        |name: &str| name == "task_progress" && schema.get("properties").is_none_or(|own| own.get(name).is_none());
    given.retain(|name, value| !is_hosts_own(name) && (required(name) || !is_absent(name, value)));
    for (name, of) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        // Where a text is allowed, a text is meant.
        if of["type"] == "string" || of.get("type").is_none() {
            continue;
        }
        if let Some(Value::String(text)) = given.get(name)
            && let Ok(value) = agon_core::parse::parse_strict_json(text.trim())
            && !value.is_string()
        {
            given.insert(name.clone(), value);
        }
    }
    arguments
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HoldArguments {
    /// Absent where the protocol has a task of its own.
    pub motion: Option<String>,
    pub kind: Option<String>,
    #[serde(default)]
    pub material: Vec<Value>,
    pub seats: Option<Value>,
    pub model: Option<String>,
    pub rounds: Option<u32>,
    /// Maximum cost, in US dollars.
    pub budget: Option<f64>,
    pub seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultArguments {
    pub debate: DebateId,
    pub seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    pub limit: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DebateArguments {
    pub debate: DebateId,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wait {
    pub debate: DebateId,
    pub seat: Option<String>,
    /// Entries that the client knows already.
    pub after: Option<u64>,
    pub seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimArguments {
    pub debate: DebateId,
    pub seat: String,
    pub name: String,
    pub seconds: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerArguments {
    pub debate: DebateId,
    pub seat: String,
    /// The request that it answers; the newest one without it.
    pub key: Option<String>,
    /// A text, or the statement itself as JSON.
    pub text: Value,
    pub token: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LookupArguments {
    pub debate: DebateId,
    pub seat: String,
    /// The name of the tool.
    pub tool: String,
    pub object: String,
    pub first: Option<u32>,
    pub last: Option<u32>,
}

impl AnswerArguments {
    /// The statement as text.
    pub(crate) fn statement_text(&self) -> String {
        match &self.text {
            Value::String(text) => text.clone(),
            statement => statement.to_string(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefreshArguments {
    pub debate: DebateId,
    pub seat: String,
    pub token: String,
    pub seconds: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReleaseArguments {
    pub debate: DebateId,
    pub seat: String,
    pub token: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActArguments {
    pub debate: DebateId,
    pub name: Option<String>,
    #[serde(default)]
    pub why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Interject {
    pub debate: DebateId,
    pub name: Option<String>,
    pub text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Export {
    pub debate: DebateId,
    pub format: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_hosts_write_otherwise_is_read_as_it_is_meant() {
        let schema = json!({"type": "object", "required": ["debate"], "properties": {
            "debate": {"type": "string"}, "model": {"type": "string"}, "rounds": {"type": "integer"},
            "material": {"type": "array"}, "seats": {"type": "object"}, "text": {"anyOf": [{"type": "string"}, {"type": "object"}]}}});
        let schema = schema.as_object().unwrap();
        let given = json!({"debate": "", "model": "", "rounds": "2", "material": "[{\"text\": \"x\"}]",
            "seats": null, "text": "{\"a\": 1}", "task_progress": "- [x] begin"});
        let wanted = json!({"debate": "", "rounds": 2, "material": [{"text": "x"}], "text": "{\"a\": 1}"});
        assert_eq!(adapt_arguments(schema, given), wanted);
        let odd = json!({"debate": "7", "rounds": "many", "seats": "\"judge\""});
        assert_eq!(
            adapt_arguments(schema, odd.clone()),
            odd,
            "what is no JSON of that kind is for the reader to refuse"
        );
    }
}
