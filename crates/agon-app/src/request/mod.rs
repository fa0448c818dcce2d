//! The request to start a debate: the same from the command line, a batch, HTTP, MCP and the web form.
//! Nothing of it is checked against its protocol here; [`crate::opening::check_request`] does that.

mod counts;
mod json;
mod options;
mod schema;

use std::path::PathBuf;

use agon_runtime::stop::StopFlag;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::asker::Asker;

pub use self::{
    json::{RequestFields, from_json, parse_fields},
    options::{OptionValue, Options, default_of, list_known_options, list_taking_protocols},
    schema::{describe_rounds, request_schema},
};

/// A request to start a debate, from the command line, HTTP, MCP, a batch or the web form.
/// [`opening::check_request`](crate::opening::check_request) turns it into a checked opening.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct OpeningRequest {
    /// Kind of debate, by name or, at this machine, by the file that declares it.
    pub protocol: String,
    /// What is debated: a text, or, at this machine, a file that holds it.
    pub motion: Option<String>,
    /// The debate's id; time-ordered and unique where none is given.
    pub id: Option<String>,
    /// Who answers where.
    pub seats: SeatRequest,
    /// Who takes part.
    pub lineup: LineupRequest,
    /// Rounds, in the protocol's own sense.
    pub rounds: Option<u32>,
    /// What only some protocols can be told.
    pub options: Options,
    /// The model that reads what statements say of earlier ones, for the argument graph.
    pub extract: Option<String>,
    /// Its material: files, folders, revisions, texts.
    pub context: ContextRequest,
    /// What it may spend.
    pub budget: Budget,
    /// Source of all randomness; derived from the id where none is given.
    pub seed: Option<u64>,
    /// Where its files go; `debates/<slug>` where nothing is given.
    pub out: Option<PathBuf>,
    /// Whether a proposed line-up is accepted without asking.
    pub yes: bool,
    /// Whether the network may not be used to fetch models and pages.
    pub offline: bool,
    /// Set once nobody waits for what becomes of it.
    pub stop: StopFlag,
    /// Who asks for it.
    pub asker: Asker,
}

impl OpeningRequest {
    /// Whether someone asks for it who is not a user of this machine.
    pub fn is_remote(&self) -> bool {
        matches!(self.asker, Asker::Remote(_))
    }
}

/// The models of a request: one for all seats, and one for each named seat.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatRequest {
    /// `NAME=MODEL`, each a seat, a row of seats or someone who takes part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<String>,
    /// Who answers at every other seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The debaters of a request, for protocols with a row of seats.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct LineupRequest {
    /// Members: `NAME[:PERSONA]` lines, or objects with a `name`, a `persona` and the protocol's details.
    pub debaters: Vec<Value>,
    /// How many take part, where the line-up does not name them all.
    pub count: Option<u32>,
    /// The line-up in a file of this machine.
    pub file: Option<PathBuf>,
}

/// The material of a request, which seats are shown in passages and may quote.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ContextRequest {
    /// `[SEAT=]WHAT` each, where `WHAT` is a file, a folder, `git:BASE..HEAD`, `-` or an address; or objects with
    /// a `path`, a `text` and, for some seats alone, their names in `seats`.
    pub sources: Vec<Value>,
    /// Maximum number of tokens of material in one prompt.
    pub tokens: Option<u32>,
    /// Whether material that seems to hold secrets is taken.
    pub allow_secrets: bool,
    /// Whether nothing of the debate may leave this machine.
    pub local_only: bool,
}

/// The budget of a debate, restarts included. A field that is not set has no limit.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Budget {
    /// Maximum number of calls.
    pub max_requests: Option<u64>,
    /// Maximum number of tokens.
    pub max_tokens: Option<u64>,
    /// Maximum cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Maximum driven time, for example `30m`.
    pub max_time: Option<String>,
}
