//! Roles in a debate, and who has them.

use agon_core::{DebateId, Role, Stamp};
use serde::Serialize;

use super::PrincipalId;

/// What a person may do in one debate, in addition to reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum DebateRole {
    /// Reads.
    Viewer,
    /// Answers at the seat of the audience, and interjects.
    Audience,
    /// Answers at the seats that argue, and interjects.
    Debater,
    /// Answers at all other seats, and interjects.
    Judge,
    /// Does everything in this debate.
    Owner,
}

impl DebateRole {
    /// All roles, the weakest first.
    pub const ALL: [Self; 5] = [Self::Viewer, Self::Audience, Self::Debater, Self::Judge, Self::Owner];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The role called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether a person with this role answers at a seat of the kind `seat`.
    pub fn answers_at(self, seat: Role) -> bool {
        match self {
            Self::Viewer => false,
            Self::Audience => seat == Role::Audience,
            Self::Debater => seat == Role::Debater,
            Self::Judge => !matches!(seat, Role::Audience | Role::Debater),
            Self::Owner => true,
        }
    }
}

/// A role that a person has in a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// The debate.
    pub debate: DebateId,
    /// The person.
    pub principal: PrincipalId,
    /// The role.
    pub role: DebateRole,
    /// The one seat at which the person answers by it; every seat of its kind where there is none.
    pub seat: Option<String>,
    /// Who gave it: the id of a person, or `command line`.
    pub granted_by: String,
    /// When.
    pub granted_at: Stamp,
}

/// Which roles of a person in a debate are taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantsTaken {
    /// All.
    All,
    /// This role, at whatever seats.
    Role(DebateRole),
    /// This role as it was given for one seat or, where none is named, for every seat of its kind.
    One(DebateRole, Option<String>),
}

impl Grant {
    /// The role, and the seat where it is for one alone: `judge at judge-2`.
    pub fn describe_role(&self) -> String {
        let at = self.seat.as_ref().map(|seat| format!(" at {seat}"));
        format!("{}{}", self.role.name(), at.unwrap_or_default())
    }

    /// Whether the person answers by it at the seat called `name`, of the kind `seat`.
    pub fn answers_at(&self, name: &str, seat: Role) -> bool {
        self.role.answers_at(seat) && self.seat.as_deref().is_none_or(|own| own == name)
    }
}
