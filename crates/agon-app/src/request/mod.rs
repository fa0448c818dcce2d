//! A debate that somebody wants to open: the same request from command line, batch, HTTP, MCP and form.
//! Nothing of it is checked against its protocol here; [`crate::opening::check`] does that.

mod json;
mod options;
mod schema;

use std::path::PathBuf;

use serde_json::Value;

pub use self::{
    json::from_json,
    options::{OptionValue, Options, default_of, known, takers},
    schema::{rounds, schema},
};

/// A debate that somebody wants to open.
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
    /// Whether somebody asks for it who may not name files of this machine.
    pub from_elsewhere: bool,
}

/// Who answers at which seat.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SeatRequest {
    /// `NAME=MODEL`, each a seat, a row of seats or somebody who takes part.
    pub seats: Vec<String>,
    /// Who answers at every other seat.
    pub model: Option<String>,
}

/// Who takes part, for protocols with a row of seats.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct LineupRequest {
    /// Members: `NAME[:PERSONA]` lines, or objects with a `name`, a `persona` and the protocol's details.
    pub debaters: Vec<Value>,
    /// How many take part, where the line-up does not name them all.
    pub count: Option<u32>,
    /// The line-up in a file of this machine.
    pub file: Option<PathBuf>,
}

/// What a debate may spend, restarts included.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Budget {
    /// Most calls.
    pub max_requests: Option<u64>,
    /// Most tokens.
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars.
    pub max_cost: Option<f64>,
    /// Most driven time, for example `30m`.
    pub max_time: Option<String>,
}
