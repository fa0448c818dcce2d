//! The request to start a debate: the same from the command line, a batch, HTTP, MCP and the web form.
//! Nothing of it is checked against its protocol here; [`crate::opening::check_request`] does that.

mod counts;
mod json;
mod options;
mod schema;

use std::path::PathBuf;

use agon_runtime::cancellation::StopFlag;
use serde::{Deserialize, Serialize};
use serde_with::{DefaultOnError, VecSkipError};

use crate::asker::Asker;

pub use self::{
    json::{RequestFields, from_json, parse_fields},
    options::{OptionValue, Options, default_of, list_known_options, list_taking_protocols},
    schema::{describe_rounds, request_schema},
};

/// A request to start a debate, from the command line, HTTP, MCP, a batch or the web form.
/// [`opening::check_request`](crate::opening::check_request) turns it into a checked opening.
#[serde_with::skip_serializing_none]
#[serde_with::apply(bool => #[serde(skip_serializing_if = "std::ops::Not::not")])]
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct OpeningRequest {
    /// Kind of debate, by name or, at this machine, by the file that declares it.
    pub protocol: String,
    /// What is debated: a text, or, at this machine, a file that holds it.
    pub motion: Option<String>,
    /// The debate's id; time-ordered and unique where none is given.
    pub id: Option<String>,
    /// Who answers where.
    #[serde(flatten)]
    pub seats: SeatRequest,
    /// Who takes part.
    #[serde(flatten)]
    pub lineup: LineupRequest,
    /// Rounds, in the protocol's own sense.
    pub rounds: Option<u32>,
    /// What only some protocols can be told.
    #[serde(flatten)]
    pub options: Options,
    /// The model that reads what statements say of earlier ones, for the argument graph.
    pub extract: Option<String>,
    /// Its material: files, folders, revisions, texts.
    #[serde(flatten)]
    pub context: ContextRequest,
    /// What it may spend.
    #[serde(flatten)]
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
    #[serde(skip)]
    pub stop: StopFlag,
    /// Who asks for it.
    #[serde(skip)]
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
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct LineupRequest {
    /// How many take part, where the line-up does not name them all.
    #[serde(rename = "debaters")]
    pub count: Option<u32>,
    /// Those that it names. They stand in the place of their number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub debaters: Vec<DebaterRequest>,
    /// The line-up in a file of this machine.
    #[serde(rename = "lineup")]
    pub file: Option<PathBuf>,
}

/// A debater, as a request gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "the line-up: a debater is a text, or an object of which name, persona and model are texts"
)]
pub enum DebaterRequest {
    /// As people write it: `NAME[:PERSONA]`, with the protocol's details after it.
    Line(String),
    /// As programs write it.
    Fields(DebaterConfig),
}

/// What the details of a protocol say of a debater, by name.
pub type MemberDetails = serde_json::Map<String, serde_json::Value>;

/// A debater, as programs and the file of the chaired source system write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DebaterConfig {
    /// As others see it.
    #[serde(default)]
    pub name: String,
    /// Who this is, in words.
    #[serde(alias = "role", alias = "background", skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Who answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Everything else that it says.
    #[serde(flatten)]
    pub details: MemberDetails,
}

/// A source of material, as a request names it.
#[serde_with::serde_as]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a source of \"context\" is a name, or a text with its \"path\" and its \"text\"")]
pub enum SourceRequest {
    /// `[SEAT=]WHAT`, where `WHAT` is a file, a folder, `git:BASE..HEAD`, `-` or an address.
    Named(String),
    /// A text itself.
    Text {
        /// The path that seats cite it by.
        path: String,
        /// What it says.
        text: String,
        /// The seats that alone see it; all where none is named.
        #[serde_as(deserialize_as = "DefaultOnError<VecSkipError<_>>")]
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seats: Vec<String>,
    },
}

impl SourceRequest {
    /// What it names, where it is not the text itself.
    pub fn as_named(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Text { .. } => None,
        }
    }
}

/// The material of a request, which seats are shown in passages and may quote.
#[serde_with::skip_serializing_none]
#[serde_with::apply(bool => #[serde(skip_serializing_if = "std::ops::Not::not")])]
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct ContextRequest {
    /// What it is read from.
    #[serde(rename = "context", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRequest>,
    /// Maximum number of tokens of material in one prompt.
    #[serde(rename = "context_tokens")]
    pub tokens: Option<u32>,
    /// Whether material that seems to hold secrets is taken.
    pub allow_secrets: bool,
    /// Whether nothing of the debate may leave this machine.
    pub local_only: bool,
}

/// The budget of a debate, restarts included. A field that is not set has no limit.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
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
