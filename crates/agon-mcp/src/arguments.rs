//! The arguments of the tools.

use agon_core::DebateId;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::refusal::ToolRefusal;

/// The arguments of a call; unknown ones are errors, since a mistyped one would be ignored.
pub(crate) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolRefusal> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner().to_string();
        ToolRefusal::Malformed(if path == "." { why } else { format!("{path}: {why}") })
    })
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

impl AnswerArguments {
    /// The statement as text.
    pub(crate) fn words(&self) -> String {
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
