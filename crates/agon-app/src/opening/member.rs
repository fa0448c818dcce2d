//! A debater, and the line-up of all debaters, as the request gives them.

use std::collections::BTreeMap;

use super::limits::FileRounds;
use crate::request::MemberDetails;

/// A debater, with the details that the request gives.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct MemberRequest {
    /// As others see it; empty where someone is to propose it.
    pub name: String,
    /// Who this is, in words.
    pub persona: Option<String>,
    /// Who answers, where the line-up says so.
    pub model: Option<String>,
    /// What else it says, by the protocol's names.
    pub details: MemberDetails,
}

impl MemberRequest {
    /// Whether nothing has to be proposed for it, `details` included.
    pub fn is_whole(&self, details: &[String]) -> bool {
        !self.name.is_empty() && self.persona.is_some() && details.iter().all(|name| self.details.contains_key(name))
    }
}

/// The content of a line-up file, or of the flags that replace it.
#[derive(Debug, Default, PartialEq)]
pub struct Lineup {
    pub members: Vec<MemberRequest>,
    /// Who answers at other seats.
    pub models: BTreeMap<String, String>,
    pub topic: Option<String>,
    pub rounds: FileRounds,
    pub time_budget_minutes: Option<u32>,
    /// What a reader should know of how the file was taken.
    pub notes: Vec<String>,
}
