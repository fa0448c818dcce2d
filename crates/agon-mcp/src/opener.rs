//! Who starts debates.

use agon_core::{DebateId, Manifest};
use serde::Deserialize;
use serde_json::Value;

use crate::Opening;

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
    async fn open(&self, opening: &Opening) -> Result<DebateId, NotOpened>;

    /// What such a debate would ask, cost and send away, as `agon run --plan --output json` says it;
    /// nothing is opened and nothing is sent.
    async fn plan(&self, opening: &Opening) -> Result<Value, NotOpened>;

    /// Lets a debate go on, as `agon resume` and `agon extend` do.
    async fn go_on(&self, wanted: &GoOn) -> Result<(), NotOpened>;
}
