//! What the witness saw: a part of the program that looks at the files of a duel before each turn and
//! before the close, and for the files that turns cite.

use std::collections::BTreeMap;

use crate::common::form::{Form, choice_kind, form_field};
use agon_core::{Faults, Reply, form::FormField, parse};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

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
    /// Someone else wrote to it.
    Changed,
}

/// What was seen before a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnSnapshot {
    /// The source document.
    pub source: SourceState,
    /// The debate artifact.
    pub artifact: ArtifactState,
}

/// The result of the search for a file that a turn cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// It is there, with the line that is cited.
    There,
    /// There is not such a file.
    Missing,
    /// It has no such line.
    Shorter,
    /// It would not lie with the document, where alone files are looked for.
    Outside,
}

/// What the witness says of `files`, in their order, or why nobody looked.
pub fn read_files(reply: &Reply, files: &[&str]) -> Result<Vec<FileState>, String> {
    let found: BTreeMap<String, FileState> = parse_reply(reply)?;
    let states = files.iter().map(|file| found.get(*file).copied());
    states.collect::<Option<_>>().ok_or_else(|| "not every file was looked for".into())
}

/// What the witness says, or why nobody looked.
pub fn parse_reply<T: DeserializeOwned>(reply: &Reply) -> Result<T, String> {
    let text = match reply {
        Reply::Said { text } => text,
        Reply::Failed(failed) => return Err(failed.detail.clone()),
        Reply::Elapsed => return Err("no answer in time".into()),
    };
    parse::parse_json_answer(text).and_then(parse::decode_statement).map_err(|faults: Faults| faults.to_string())
}

/// The schema of what the witness says; the good states come first.
pub fn snapshot_schema() -> FormField {
    let source = form_field("source", choice_kind(["unchanged", "changed", "unreadable"]));
    let artifact = form_field("artifact", choice_kind(["unchanged", "absent", "changed"]));
    Form::new("snapshot", [source, artifact]).to_schema()
}

/// The schema of what the witness says of `files`: a state for each, by its name.
pub fn schema_of_files(files: Vec<String>) -> FormField {
    let state = choice_kind(["there", "missing", "shorter", "outside"]);
    Form::new("files", files.into_iter().map(|name| form_field(name, state.clone()))).to_schema()
}
