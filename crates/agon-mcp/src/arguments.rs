//! The arguments of the tools.

use std::collections::BTreeMap;

use agon_core::DebateId;
use rmcp::model::JsonObject;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    material::MaterialItem,
    refusal::{Result, ToolRefusal},
};

/// The arguments of a call; unknown ones are errors, since a mistyped one would be ignored.
pub(crate) fn parse_arguments<T: DeserializeOwned>(arguments: JsonObject) -> Result<T> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner().to_string();
        ToolRefusal::Malformed(if path == "." { why } else { format!("{path}: {why}") })
    })
}

/// What the reader of arguments asks of the schema of a tool.
#[derive(Debug, Deserialize)]
struct ArgumentSchema {
    #[serde(default)]
    required: Vec<String>,
    #[serde(default)]
    properties: BTreeMap<String, JsonObject>,
}

/// Arguments as hosts send them, made what `schema` asks for: an optional one that is null or an empty text is absent,
/// and a list, object or number that came as the text of its JSON is read as that.
pub(crate) fn adapt_arguments(schema: &JsonObject, mut given: JsonObject) -> JsonObject {
    let Ok(ArgumentSchema { required, properties }) = ArgumentSchema::deserialize(schema) else { return given };
    given.retain(|name, value| {
        // A host that keeps a list of its own tasks sends it with every call.
        let is_hosts_own = name == "task_progress" && !properties.contains_key(name);
        // An empty token is a wrong one, and not none.
        let is_absent = value.is_null() || *value == "" && name != "token";
        !is_hosts_own && (required.contains(name) || !is_absent)
    });
    // Where a text is allowed, a text is meant.
    let is_no_text = |of: &JsonObject| of.get("type").is_some_and(|kind| kind != "string");
    for (name, _) in properties.into_iter().filter(|(_, of)| is_no_text(of)) {
        if let Some(text) = given.get(&name).and_then(|value| value.as_str())
            && let Ok(value) = agon_core::parse::parse_strict_json(text.trim())
            && !value.is_string()
        {
            given.insert(name, value);
        }
    }
    given
}

/// The arguments of a tool; those that it does not know are refused.
macro_rules! tool_arguments {
    ($($(#[$about:meta])* $name:ident { $($(#[$on_field:meta])* $field:ident: $type:ty,)* })*) => {
        $($(#[$about])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$on_field])* pub(crate) $field: $type,)*
        })*
    };
}

tool_arguments! {
    /// Of `debate`.
    HoldArguments {
        /// Absent where the protocol has a task of its own.
        motion: Option<String>,
        kind: Option<String>, #[serde(default)] material: Vec<MaterialItem>, seats: Option<Value>, model: Option<String>,
        rounds: Option<u32>,
        /// Maximum cost, in US dollars.
        budget: Option<f64>,
        seconds: Option<u64>,
    }

    /// Of `debate_result`.
    ResultArguments { debate: DebateId, seconds: Option<u64>, }

    /// Of `list_debates`.
    ListArguments { limit: Option<u32>, }

    /// Of `status`, `transcript` and `scores`.
    DebateArguments { debate: DebateId, }

    /// Of `wait_for_turn`.
    WaitArguments {
        debate: DebateId, seat: Option<String>,
        /// Entries that the client knows already.
        after: Option<u64>,
        seconds: Option<u64>,
    }

    /// Of `claim_seat`.
    ClaimArguments { debate: DebateId, seat: String, name: String, seconds: Option<u32>, }

    /// Of `answer`.
    AnswerArguments {
        debate: DebateId, seat: String,
        /// The request that it answers; the newest one without it.
        key: Option<String>,
        /// A text, or the statement itself as JSON.
        text: Value,
        token: Option<String>, name: Option<String>,
    }

    /// Of `lookup`; `tool` is the name of the lookup.
    LookupArguments {
        debate: DebateId, seat: String, tool: String, object: String, first: Option<u32>, last: Option<u32>,
    }

    /// Of `refresh_seat`.
    RefreshArguments { debate: DebateId, seat: String, token: String, seconds: Option<u32>, }

    /// Of `release_seat`.
    ReleaseArguments { debate: DebateId, seat: String, token: String, }

    /// Of `pause_debate` and `cancel_debate`.
    ActArguments { debate: DebateId, name: Option<String>, #[serde(default)] why: String, }

    /// Of `interject`.
    InterjectArguments { debate: DebateId, name: Option<String>, text: String, }

    /// Of `export`.
    ExportArguments { debate: DebateId, format: Option<String>, }
}

impl AnswerArguments {
    /// The statement as text.
    pub(crate) fn statement_text(&self) -> String {
        self.text.as_str().map_or_else(|| self.text.to_string(), str::to_owned)
    }
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
        let object = |value: Value| value.as_object().unwrap().clone();
        let schema = &object(schema);
        let given = json!({"debate": "", "model": "", "rounds": "2", "material": "[{\"text\": \"x\"}]",
            "seats": null, "text": "{\"a\": 1}", "task_progress": "- [x] begin"});
        let wanted = json!({"debate": "", "rounds": 2, "material": [{"text": "x"}], "text": "{\"a\": 1}"});
        assert_eq!(adapt_arguments(schema, object(given)), object(wanted));
        let odd = json!({"debate": "7", "rounds": "many", "seats": "\"judge\""});
        assert_eq!(
            adapt_arguments(schema, object(odd.clone())),
            object(odd),
            "what is no JSON of that kind is for the reader to refuse"
        );
    }
}
