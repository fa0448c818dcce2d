//! The rule: what a visitor must be for each permission. It is pure, so that the page about it is drawn from it.

use agon_core::Role;
use agon_journal::accounts::{DebateRole, Grant, Scope};

use crate::visitor::Credential;

/// What a route or a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Nothing: to log in, and what pages are made of.
    Open,
    /// To have an account.
    Member,
    /// To be logged in with a browser: tokens do not change accounts.
    Browser,
    /// To have an account, and a quota that is not used up.
    Start,
    /// A role in the debate, or a link to it.
    Read,
    /// A role that answers at the seat, to see what it is asked.
    Prompt,
    /// A role that answers at the seat.
    Answer,
    /// A role that takes part in the debate.
    Speak,
    /// To be an owner of the debate.
    Steer,
    /// To be an owner of the debate, with a browser.
    Manage,
    /// To administer the server, with a browser.
    Administer,
}

impl Permission {
    /// The scope that a token needs; `None` where tokens do not count.
    pub fn required_scope(self) -> Option<Scope> {
        match self {
            Self::Open | Self::Member | Self::Read | Self::Prompt => Some(Scope::Read),
            Self::Answer | Self::Speak => Some(Scope::Answer),
            Self::Start | Self::Steer => Some(Scope::Run),
            Self::Browser | Self::Manage | Self::Administer => None,
        }
    }

    /// Whether it is about one debate.
    pub fn is_of_debate(self) -> bool {
        matches!(self, Self::Read | Self::Prompt | Self::Answer | Self::Speak | Self::Steer | Self::Manage)
    }

    /// Its name in the page about permissions, and who has it in words; the code says what follows.
    pub fn page_words(self) -> (&'static str, &'static str) {
        let known = PERMISSIONS.into_iter().find(|(known, ..)| *known == self);
        known.map(|(_, name, holders)| (name, holders)).unwrap_or_default()
    }
}

/// Each permission with its words, in the order of the page about them.
pub const PERMISSIONS: [(Permission, &str, &str); 11] = [
    (Permission::Open, "open", "everybody"),
    (Permission::Member, "member", "each account"),
    (
        Permission::Browser,
        "browser",
        "each account that is logged in with a browser or through the proxy; tokens do not change accounts",
    ),
    (Permission::Start, "start", "each account, within its quotas; with a token: scope `run`"),
    (Permission::Read, "read", "each role in the debate, and links to it; with a token: any scope"),
    (Permission::Prompt, "prompt", "the role of the seat, and the owner; with a token: any scope"),
    (Permission::Answer, "answer", "the role of the seat, and the owner; with a token: scope `answer`"),
    (Permission::Speak, "speak", "every role but viewer; with a token: scope `answer`"),
    (Permission::Steer, "steer", "the owner; with a token: scope `run`"),
    (Permission::Manage, "manage", "the owner, with a browser"),
    (Permission::Administer, "administer", "administrators, with a browser"),
];

/// What a visitor is, about one debate where there is one.
#[derive(Debug, Clone)]
pub struct VisitorStanding {
    /// Whether a person is proved.
    pub is_person: bool,
    /// Whether the person administers the server.
    pub administrator: bool,
    /// What proves the person.
    pub credential: Credential,
    /// The roles of the person in the debate.
    pub grants: Vec<Grant>,
    /// The role that each person has in every debate.
    pub role_of_all: Option<DebateRole>,
    /// Whether the visitor has a link to the debate.
    pub is_linked: bool,
}

/// What follows for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessDecision {
    /// It is let through.
    Allowed,
    /// A person is needed: 401.
    LogIn,
    /// The person may not do this: 403.
    Forbidden,
    /// The person may not know that there is such a debate: 404.
    Unknown,
}

/// Whether a visitor of this standing has `permission`; at the seat of this name and kind, where it is about one.
pub fn decide_permission(
    permission: Permission,
    standing: &VisitorStanding,
    seat: Option<(&str, Role)>,
) -> AccessDecision {
    if permission == Permission::Open {
        return AccessDecision::Allowed;
    }
    // A person with the link reads, with and without an account.
    if permission == Permission::Read && standing.is_linked {
        return AccessDecision::Allowed;
    }
    if !standing.is_person {
        return AccessDecision::LogIn;
    }
    let roles = || standing.grants.iter().map(|grant| grant.role).chain(standing.role_of_all);
    let has = |least: DebateRole| standing.administrator || roles().any(|role| role >= least);
    if permission.is_of_debate() && !has(DebateRole::Viewer) {
        return AccessDecision::Unknown;
    }
    let within_scope = match standing.credential {
        Credential::Token(scopes) => permission.required_scope().is_some_and(|scope| scopes.has_scope(scope)),
        Credential::Session | Credential::Proxy => true,
        Credential::Nothing | Credential::Link => false,
    };
    let answers = || {
        let granted = standing.grants.iter().any(|grant| match seat {
            Some((name, role)) => grant.answers_at(name, role),
            // Who owns the debate is told that it has not such a seat.
            None => grant.role == DebateRole::Owner,
        });
        let by_all = standing.role_of_all.zip(seat).is_some_and(|(own, (_, role))| own.answers_at(role));
        standing.administrator || granted || by_all
    };
    let is_permitted = match permission {
        Permission::Open | Permission::Member | Permission::Browser | Permission::Start => true,
        Permission::Read => true,
        Permission::Prompt | Permission::Answer => answers(),
        Permission::Speak => has(DebateRole::Audience),
        Permission::Steer | Permission::Manage => has(DebateRole::Owner),
        Permission::Administer => standing.administrator,
    };
    if is_permitted && within_scope { AccessDecision::Allowed } else { AccessDecision::Forbidden }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_lets_a_person_without_a_role_read_and_nothing_else() {
        let person = VisitorStanding {
            is_person: true,
            administrator: false,
            credential: Credential::Session,
            grants: Vec::new(),
            role_of_all: None,
            is_linked: true,
        };
        assert_eq!(decide_permission(Permission::Read, &person, None), AccessDecision::Allowed);
        for more in [Permission::Answer, Permission::Speak, Permission::Steer, Permission::Manage] {
            assert_eq!(decide_permission(more, &person, None), AccessDecision::Unknown, "{more:?}");
        }
        let without = VisitorStanding { is_linked: false, ..person };
        assert_eq!(decide_permission(Permission::Read, &without, None), AccessDecision::Unknown);
    }
}
