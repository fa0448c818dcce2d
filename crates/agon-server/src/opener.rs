//! How a debate is started: the command line knows how a line-up becomes participants, and lends
//! that to the server.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{DebateId, Manifest};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{Refusal, events::Events};

/// A debate that somebody wants to start.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Kind of debate, by name.
    #[schema(example = "exchange")]
    pub protocol: String,
    /// What is debated: the text itself, never the name of a file.
    #[schema(max_length = 20_000, min_length = 1, example = "This house would rest.")]
    pub motion: String,
    /// The debate's id; time-ordered and unique where none is given.
    #[serde(default)]
    #[schema(pattern = "^[a-z0-9-]{1,64}$")]
    pub id: Option<String>,
    /// Rounds, in the protocol's own sense.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// Who answers at every seat that `seats` does not name.
    #[serde(default)]
    pub model: Option<String>,
    /// Who answers, by seat.
    #[serde(default)]
    pub seats: BTreeMap<String, String>,
    /// Words of the motion that everybody takes in one sense.
    #[serde(default)]
    pub definitions: BTreeMap<String, String>,
    /// What the debate is and is not about.
    #[serde(default)]
    pub scope: Option<String>,
    /// Source of all randomness.
    #[serde(default, deserialize_with = "crate::api::maybe_whole")]
    pub seed: Option<u64>,
    /// Most calls.
    #[serde(default, deserialize_with = "crate::api::maybe_whole")]
    #[schema(minimum = 1)]
    pub max_requests: Option<u64>,
    /// Most tokens.
    #[serde(default, deserialize_with = "crate::api::maybe_whole")]
    #[schema(minimum = 1)]
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars.
    #[serde(default)]
    #[schema(exclusive_minimum = 0)]
    pub max_cost: Option<f64>,
    /// Most driven time, for example `30m`.
    #[serde(default)]
    #[schema(example = "30m")]
    pub max_time: Option<String>,
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

    /// Lets a debate go on that nobody drives, as `agon resume` and `agon extend` do; one that
    /// somebody drives is allowed more, or let go on after a pause, and stays with its driver.
    async fn go_on(&self, wanted: GoOn, events: Arc<Events>) -> Result<(), Refusal>;
}
