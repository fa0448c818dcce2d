//! People of a server with accounts: principals, their roles in debates, and what proves them. The tables are in the
//! journal (`journal::accounts`); who may do what is decided by the server.

mod audit;
mod credential;
mod passkey;
mod principal;
mod principal_id;
mod quota;
mod role;

pub use self::{
    audit::{AuditEvent, AuditFilter, AuditLine},
    credential::{
        AccountSecret, AttemptLimit, FormDraft, LoginFlow, LoginSession, PersonalToken, Scope, Scopes, ShareLink,
        TokenRequest,
    },
    passkey::{NewPasskey, Passkey, PasskeyChallenge},
    principal::{
        ExternalIdentity, LoginWays, MISSING_NAMES, NewPrincipal, Principal, PrincipalState, display_name, is_reserved,
        login_name,
    },
    principal_id::{PERSON_PREFIX, PrincipalError, PrincipalId},
    quota::{Quotas, RaisedStart, StartReservation},
    role::{DebateRole, Grant, GrantsTaken},
};

use crate::JournalError;

/// Why a change of accounts was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// The login name, or the identity at another server, belongs to an account already.
    #[error("{0:?} is taken by another account")]
    Taken(String),
    /// There is not such an account, token, link or grant.
    #[error("unknown {what} {name:?}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// What it was called.
        name: String,
    },
    /// The change would leave the server without an administrator.
    #[error("{0} is the last administrator; appoint another one first")]
    LastAdministrator(String),
    /// A person has as many of these as one may have.
    #[error("at most {most} {what} at a time")]
    TooMany {
        /// What there would be too many of.
        what: &'static str,
        /// How many there may be.
        most: u32,
    },
    /// A quota of the person is used up.
    #[error("{0}")]
    Quota(String),
    /// A name, scope or time that cannot be.
    #[error("{0}")]
    Unusable(String),
    /// The journal could not be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
