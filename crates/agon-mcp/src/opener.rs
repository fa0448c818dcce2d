//! Who starts debates.

use std::collections::BTreeMap;

use agon_core::{DebateId, Manifest};
use serde::Deserialize;

/// A debate that somebody wants to be held.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// Which kind.
    pub protocol: String,
    /// What about.
    pub motion: String,
    /// Who answers, by seat.
    #[serde(default)]
    pub seats: BTreeMap<String, String>,
    /// Who answers at every other seat.
    pub model: Option<String>,
    /// Rounds.
    pub rounds: Option<u32>,
    /// Most calls.
    pub max_requests: Option<u64>,
    /// Most tokens.
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars.
    pub max_cost: Option<f64>,
    /// Most driven time, for example `30m`.
    pub max_time: Option<String>,
}

/// A debate that somebody wants to go on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoOn {
    /// Which.
    pub debate: DebateId,
    /// Whether it is to be allowed more, or only to go on; set by the tool that was called.
    #[serde(skip)]
    pub extends: bool,
    /// Who wants it.
    pub name: Option<String>,
    /// Rounds more.
    pub rounds: Option<u32>,
    /// Most calls, from now on.
    pub max_requests: Option<u64>,
    /// Most tokens, from now on.
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars, from now on.
    pub max_cost: Option<f64>,
    /// Most driven time, from now on.
    pub max_time: Option<String>,
}

/// Why a debate was not opened, or does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOpened {
    /// A word for programs, as on the command line.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// Opens debates and has them driven, whether or not the client stays.
#[async_trait::async_trait]
pub trait Opener: Send + Sync {
    /// The protocols that the user or the project declared in their folders, beside the shipped ones.
    fn declared(&self) -> Vec<Manifest>;

    /// Opens a debate; it is in the journal when this returns.
    async fn open(&self, wish: &Wish) -> Result<DebateId, NotOpened>;

    /// Lets a debate go on, as `agon resume` and `agon extend` do.
    async fn go_on(&self, wanted: &GoOn) -> Result<(), NotOpened>;
}
