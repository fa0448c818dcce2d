//! What a debate is about, what that brings with it, and who is to take part.

use std::{collections::BTreeMap, path::PathBuf};

use super::{limits::RoundLimits, member::MemberRequest};
use crate::prompt_templates::RecordOptions;

/// What a protocol takes of a request; its subject is a text, a document, or drafts. No model is known yet.
#[derive(Debug, Default)]
pub struct DebateIntake {
    /// What is debated.
    pub motion: String,
    /// What the record says in addition to the line-up.
    pub options: RecordOptions,
    /// Texts by name, which the record is pinned to.
    pub documents: BTreeMap<String, String>,
    /// Members of the protocol's row of seats; none where neither the line-up, drafts nor a track name them.
    pub members: Vec<MemberRequest>,
    /// Who answers at other seats, as a line-up file has it.
    pub models: BTreeMap<String, String>,
    /// How many rounds it has.
    pub rounds: RoundLimits,
    /// How many rounds a track wants at most.
    pub track_rounds: Option<u32>,
    /// A note if these were adjusted.
    pub rounds_note: Option<String>,
    /// The shared folder that its files go into.
    pub track: Option<PathBuf>,
    /// What a reader should know before it begins, in words.
    pub notes: Vec<String>,
}
