//! Lines of the audit: who did what, and when.

use agon_core::{DebateId, Stamp};
use serde::{Deserialize, Serialize};

use super::PrincipalId;

/// Something that is to be written down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditEvent {
    /// The person, where one is proved.
    pub principal: Option<PrincipalId>,
    /// What proved the person: `session`, `token NAME`, `proxy`, `link ID`, `command line`, or `nothing`.
    pub via: String,
    /// What was done, in one word.
    pub action: &'static str,
    /// The debate that it concerns.
    pub debate: Option<String>,
    /// The seat, person, token or link that it concerns.
    pub target: Option<String>,
    /// `ok`, or the code of the refusal.
    pub result: String,
    /// Address of the client.
    pub address: Option<String>,
}

impl AuditEvent {
    /// `action` of the owner of the journal, on the command line.
    pub fn on_command_line(action: &'static str) -> Self {
        Self { via: "command line".into(), action, result: "ok".into(), ..Self::default() }
    }

    /// The same, about `target`.
    pub fn with_target(self, target: impl ToString) -> Self {
        Self { target: Some(target.to_string()), ..self }
    }

    /// The same, in `debate`.
    pub fn with_debate(self, debate: &DebateId) -> Self {
        Self { debate: Some(debate.to_string()), ..self }
    }
}

/// What was written down.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AuditLine {
    /// Its number; they grow.
    pub number: i64,
    /// When.
    pub at: Stamp,
    /// The person.
    pub principal: Option<String>,
    /// What proved the person.
    pub via: String,
    /// What was done.
    pub action: String,
    /// The debate.
    pub debate: Option<String>,
    /// What else it concerns.
    pub target: Option<String>,
    /// `ok`, or the code of the refusal.
    pub result: String,
    /// Address of the client.
    pub address: Option<String>,
}

/// Which lines are wanted; all where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Of one person.
    pub principal: Option<PrincipalId>,
    /// About one debate.
    pub debate: Option<String>,
    /// With one action.
    pub action: Option<String>,
    /// Before the line of this number.
    pub before: Option<i64>,
}
