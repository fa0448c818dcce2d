//! What proves a person: sessions, personal tokens, links for readers. Each secret is shown once and stored as its
//! digest.

use std::fmt;

use agon_core::{DebateId, Digest, Stamp};
use serde::{Deserialize, Serialize};

use super::{PrincipalId, PrincipalState};

/// Bytes of randomness in a secret.
const BYTES: usize = 32;

/// A secret that was just made. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountSecret(String);

impl AccountSecret {
    /// A new one that begins with `prefix`; `None` where the system gives no randomness.
    pub fn random(prefix: &str) -> Option<Self> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes).ok()?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(Self(format!("{prefix}{digits}")))
    }

    /// The secret, to be shown once.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What is stored.
    pub fn digest(&self) -> Digest {
        Digest::from_content(&self.0)
    }
}

impl fmt::Debug for AccountSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccountSecret")
    }
}

/// What a personal token may be used for, within what its person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    /// To read debates.
    Read,
    /// To claim seats, answer and interject.
    Answer,
    /// To start, pause, resume, extend and cancel debates.
    Run,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Answer, Self::Run];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The scope called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// A set of scopes. Each of them includes reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde_with::SerializeDisplay)]
#[serde(from = "String")]
pub struct Scopes {
    /// Whether [`Scope::Answer`] is in it.
    pub answer: bool,
    /// Whether [`Scope::Run`] is in it.
    pub run: bool,
}

impl Scopes {
    /// Those of `names`, as `read,answer`; `None` where one is unknown, or there is none.
    pub fn parse(names: &str) -> Option<Self> {
        let names: Vec<&str> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let scopes: Option<Vec<Scope>> = names.into_iter().map(Scope::parse).collect();
        let scopes = scopes.filter(|scopes| !scopes.is_empty())?;
        Some(Self { answer: scopes.contains(&Scope::Answer), run: scopes.contains(&Scope::Run) })
    }

    /// Whether `scope` is in it.
    pub fn has_scope(self, scope: Scope) -> bool {
        match scope {
            Scope::Read => true,
            Scope::Answer => self.answer,
            Scope::Run => self.run,
        }
    }
}

/// As it is stored; what this version cannot read allows reading alone.
impl From<String> for Scopes {
    fn from(names: String) -> Self {
        Self::parse(&names).unwrap_or(Self { answer: false, run: false })
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Scope::ALL.into_iter().filter(|scope| self.has_scope(*scope)).map(Scope::name);
        f.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

/// A login of a browser.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LoginSession {
    /// The person.
    pub principal: PrincipalId,
    /// Whether the person may use the server now.
    pub state: PrincipalState,
    /// Whether the person administers the server.
    pub administrator: bool,
    /// The first moment at which it does not count.
    pub expires_at: Stamp,
    /// How it was begun: `password`, `passkey`, `invitation` or `provider`.
    pub via: String,
}

/// A token that a person asks for.
#[derive(Debug, Clone)]
pub struct TokenRequest {
    /// What the person calls it.
    pub name: String,
    /// What it may be used for.
    pub scopes: Scopes,
    /// Days from now on.
    pub days: u32,
}

/// A token of a person, for programs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PersonalToken {
    /// Its id.
    pub id: String,
    /// The person.
    pub principal: PrincipalId,
    /// What the person calls it.
    pub name: String,
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: Stamp,
    /// The first moment at which it does not count.
    pub expires_at: Stamp,
    /// When it was used last, to the hour.
    pub used_at: Option<Stamp>,
    /// When it was revoked.
    pub revoked_at: Option<Stamp>,
}

/// A link with which anyone can read one debate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ShareLink {
    /// Its id.
    pub id: String,
    /// The debate.
    pub debate: DebateId,
    /// Who made it.
    pub principal: PrincipalId,
    /// When it was made.
    pub created_at: Stamp,
    /// The first moment at which it does not count.
    pub expires_at: Stamp,
    /// When it was revoked.
    pub revoked_at: Option<Stamp>,
}

impl ShareLink {
    /// Whether it counts at `now`.
    pub fn is_valid_at(&self, now: &Stamp) -> bool {
        self.revoked_at.is_none() && self.expires_at > *now
    }
}

/// A login that another server is being asked about.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LoginFlow {
    /// What the answer must repeat.
    pub state: String,
    /// What the proof of the login must contain.
    pub nonce: String,
    /// The secret behind the challenge that was sent (PKCE).
    pub verifier: String,
    /// Where the person goes afterwards: a path of this server.
    pub next: String,
}

/// A form that was sent after the login had expired.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FormDraft {
    /// Where it was sent: a path of this server.
    pub path: String,
    /// Its fields, as the browser encoded them.
    pub body: String,
    /// When.
    pub at: Stamp,
}

/// A counter of attempts to log in, and how many there may be within 15 minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptLimit {
    /// What is counted, as a digest: the counters name nobody.
    pub counter: String,
    /// How many attempts there may be.
    pub most: u32,
}
