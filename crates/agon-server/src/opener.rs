//! How a debate is started: the command line knows how a line-up becomes participants, and lends
//! that to the server.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::DebateId;
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
    #[serde(default)]
    pub seed: Option<u64>,
    /// Most calls.
    #[serde(default)]
    pub max_requests: Option<u64>,
    /// Most tokens.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars.
    #[serde(default)]
    pub max_cost: Option<f64>,
    /// Most driven time, for example `30m`.
    #[serde(default)]
    pub max_time: Option<String>,
}

/// Opens debates, and drives them in this process.
#[async_trait::async_trait]
pub trait Opener: Send + Sync {
    /// Checks everything as `agon run` does, opens the debate and lets it be driven; what happens
    /// is told to [`Events::driver`] of that debate.
    async fn open(&self, opening: Opening, events: Arc<Events>) -> Result<DebateId, Refusal>;
}
