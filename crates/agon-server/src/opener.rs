//! How a debate is started: the command line knows how a line-up becomes participants, and lends
//! that to the server.

use std::sync::Arc;

use agon_core::{DebateId, Manifest};
use serde_json::Value;

use crate::{Opening, Refusal, events::Events};

/// What a debate would ask, cost and send away.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// For programs, as `agon run --plan --output json` says it.
    pub plan: Value,
    /// For people, as `agon run --plan` says it.
    pub text: String,
}

/// A debate that somebody wants to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct GoOn {
    /// Which.
    pub debate: DebateId,
    /// Whether it is to be allowed more, or only to go on; a pause ends by the latter alone.
    pub extends: bool,
    /// Who wants it.
    pub name: String,
    /// Rounds more.
    pub rounds: u32,
    /// Most calls, from now on.
    pub max_requests: Option<u64>,
    /// Most tokens, from now on.
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars, from now on.
    pub max_cost: Option<f64>,
    /// Most driven time, from now on.
    pub max_time: Option<String>,
}

impl GoOn {
    /// Without more.
    pub fn new(debate: DebateId) -> Self {
        Self {
            debate,
            extends: false,
            name: String::new(),
            rounds: 0,
            max_requests: None,
            max_tokens: None,
            max_cost: None,
            max_time: None,
        }
    }
}

/// Opens debates, and drives them in this process.
#[async_trait::async_trait]
pub trait Opener: Send + Sync {
    /// The protocols that the user or the project declared in their folders, beside the shipped ones.
    fn declared(&self) -> Vec<Manifest> {
        Vec::new()
    }

    /// Checks everything as `agon run` does, opens the debate and lets it be driven; what happens
    /// is told to [`Events::driver`] of that debate.
    async fn open(&self, opening: Opening, events: Arc<Events>) -> Result<DebateId, Refusal>;

    /// What that debate would ask, cost and send away; nothing is opened and nothing is sent.
    async fn plan(&self, opening: Opening) -> Result<Planned, Refusal>;

    /// Lets a debate go on that nobody drives, as `agon resume` and `agon extend` do; one that
    /// somebody drives is allowed more, or let go on after a pause, and stays with its driver.
    async fn go_on(&self, wanted: GoOn, events: Arc<Events>) -> Result<(), Refusal>;
}
