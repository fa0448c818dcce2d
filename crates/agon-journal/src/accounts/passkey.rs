//! Passkeys: what a browser's authenticator signs with in place of a password.

use agon_core::Stamp;
use serde::{Deserialize, Serialize};

use super::PrincipalId;

/// A passkey that a person registers.
#[derive(Debug, Clone)]
pub struct NewPasskey {
    /// The person.
    pub principal: PrincipalId,
    /// What the person calls it.
    pub name: String,
    /// The name that the browser knows it by, in base64url.
    pub credential: String,
    /// The public half and what the browser said of it, as JSON.
    pub key: String,
    /// Signatures that it has counted.
    pub counter: u32,
}

/// A passkey of a person.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Passkey {
    /// Its id.
    pub id: String,
    /// The person.
    pub principal: PrincipalId,
    /// What the person calls it.
    pub name: String,
    /// The name that the browser knows it by, in base64url.
    #[serde(skip_serializing)]
    pub credential: String,
    /// The public half and what the browser said of it, as JSON.
    #[serde(skip_serializing)]
    pub key: String,
    /// Signatures that it has counted; 0 where it does not count.
    pub counter: u32,
    /// When it was registered.
    pub created_at: Stamp,
    /// When it was last used for a login.
    pub used_at: Option<Stamp>,
}

/// A challenge that a browser is to sign.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PasskeyChallenge {
    /// Whose passkey is registered with it; `None` where it is for a login.
    pub principal: Option<PrincipalId>,
    /// What the answer is compared with, as JSON.
    pub state: String,
}
