//! What the witness saw: a part of the program that looks at the files of a duel before each turn.

use agon_core::{Faults, Reply, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// State of the source document, compared with the copy taken when the duel was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceState {
    /// As it was.
    Unchanged,
    /// It holds another text now.
    Changed,
    /// It is gone, or cannot be read.
    Unreadable,
}

/// State of the artifact, compared with what the program wrote last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactState {
    /// As the program wrote it.
    Unchanged,
    /// There is none.
    Absent,
    /// Somebody else wrote to it.
    Changed,
}

/// What was seen before a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    /// The source document.
    pub source: SourceState,
    /// The debate artifact.
    pub artifact: ArtifactState,
}

/// What the witness says, or why nobody looked.
pub fn read(reply: &Reply) -> Result<Sight, String> {
    let text = match reply {
        Reply::Said { text } => text,
        Reply::Failed(failed) => return Err(failed.detail.clone()),
        Reply::Elapsed => return Err("no answer in time".into()),
    };
    let sight = parse::json(text).and_then(parse::typed);
    sight.map_err(|faults: Faults| faults.to_string())
}

/// JSON Schema of what the witness says; the good states come first.
pub fn schema() -> Value {
    json!({
        "type": "object", "required": ["source", "artifact"], "additionalProperties": false,
        "properties": {
            "source": {"type": "string", "enum": ["unchanged", "changed", "unreadable"]},
            "artifact": {"type": "string", "enum": ["unchanged", "absent", "changed"]},
        },
    })
}
