//! What a debate is about, and what that brings with it.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Map, Value};

use super::member::MemberRequest;

/// What the subject of a debate brings: a text, a document, or drafts.
#[derive(Debug, Default)]
pub struct DebateSubject {
    pub motion: String,
    pub options: Map<String, Value>,
    pub documents: BTreeMap<String, String>,
    /// The authors, where drafts or the track name them.
    pub members: Vec<MemberRequest>,
    /// The shared folder that its files go into.
    pub track: Option<PathBuf>,
    /// How many rounds it wants at most.
    pub rounds: Option<u32>,
    /// A note if these were adjusted.
    pub rounds_note: Option<String>,
    pub notes: Vec<String>,
}
