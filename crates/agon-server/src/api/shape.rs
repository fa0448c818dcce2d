//! What the interface answers with, as its document describes it.

use std::path::PathBuf;

use agon_core::{DebateId, Digest, Outcome, Seat};
use agon_runtime::{
    journal::{DebateSummary, leases::Lease},
    outside_seats::UnansweredRequest,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoParams, IntoResponses, ToSchema};

/// Why a request was refused.
#[derive(Serialize, ToSchema)]
pub struct Refused {
    /// The reason.
    error: Reason,
}

/// The reason for a refusal.
#[derive(Serialize, ToSchema)]
struct Reason {
    /// A word for programs; it does not change.
    #[schema(example = "no_such_debate")]
    code: String,
    /// What happened.
    message: String,
    /// What to do.
    remedy: String,
    /// Where a text that was not taken is kept, on the server's machine.
    #[schema(value_type = Option<String>)]
    kept: Option<PathBuf>,
}

/// A seat in an address.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[allow(dead_code)] // Read from the path by `At`; this describes it.
pub struct SeatPath {
    /// The debate.
    id: String,
    /// The seat, or the name of who sits there.
    seat: String,
}

/// Why a verb of a seat was refused; the codes are those of `OutsideSeatError`.
#[derive(IntoResponses)]
#[allow(dead_code)] // Described, never made: a refusal is made of what an outside seat says.
pub enum SeatRefused {
    /// No such debate or seat (no_such_debate, no_such_seat)
    #[response(status = 404)]
    Missing(Refused),
    /// Somebody else holds the seat (held), nothing is asked of it (not_open), another answer stands
    /// (answered), somebody paused the debate (paused), or a model answers there (not_outside)
    #[response(status = 409)]
    Conflict(Refused),
    /// The lease ran out (expired), or the debate is over (closed); `kept` names where a text is
    #[response(status = 410)]
    Gone(Refused),
}

/// A line of the list of debates.
#[derive(Serialize, ToSchema)]
pub struct Listed {
    /// The debate.
    #[schema(value_type = String)]
    id: DebateId,
    /// Its protocol.
    protocol: String,
    /// Its motion.
    motion: String,
    /// When it was opened, RFC 3339 in UTC.
    opened_at: String,
    /// When it last went on.
    last_at: String,
    /// Number of entries.
    entries: u64,
    /// Hash of the last entry.
    #[schema(value_type = String)]
    head: Digest,
    /// Name of the outcome, where it is closed.
    outcome: Option<String>,
    /// Driven time in milliseconds.
    driven_ms: u64,
}

impl From<DebateSummary> for Listed {
    fn from(of: DebateSummary) -> Self {
        let DebateSummary {
            id, protocol, motion, opened_at, last_at, entries, head, outcome, driven_ms, ..
        } = of;
        Self { id, protocol, motion, opened_at, last_at, entries, head, outcome, driven_ms }
    }
}

/// A seat, and who answers there.
#[derive(Serialize, ToSchema)]
pub struct Seated {
    /// The seat.
    #[schema(value_type = String)]
    pub seat: Seat,
    /// What readers call it.
    pub name: String,
    /// The model that was asked, as the user named it; `outside` where anybody may answer.
    pub asked: String,
    /// Who really answered, each once.
    pub answered: Vec<String>,
}

/// One debate.
#[derive(Serialize, ToSchema)]
pub struct Debate {
    /// How it was opened: the first entry's content.
    #[schema(value_type = Object)]
    pub opened: Value,
    /// When it was opened, RFC 3339 in UTC.
    pub opened_at: String,
    /// Who sits where, in the protocol's order.
    pub seats: Vec<Seated>,
    /// The phase it is in, in the protocol's words.
    pub phase: Option<String>,
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last entry.
    #[schema(value_type = String)]
    pub head: Digest,
    /// Whether it is closed now.
    pub closed: bool,
    /// The latest outcome, also where the debate was extended since.
    #[schema(value_type = Option<Object>)]
    pub outcome: Option<Outcome>,
    /// What it used so far, calls under way included.
    #[schema(value_type = Object)]
    pub usage: Value,
    /// Whether this server drives it now.
    pub driven: bool,
    /// Why this server stopped driving it before its end.
    #[schema(value_type = Option<Object>)]
    pub stopped: Option<Value>,
}

/// A part of a record.
#[derive(Serialize, ToSchema)]
pub struct Entries {
    /// In order. In the place of a redacted text stands `{"redacted": {"by": SEQ}}`.
    #[schema(value_type = Vec<Object>)]
    pub entries: Vec<Value>,
    /// Where to go on; the length of the record where this is its end.
    pub next: u64,
    /// Length of the record.
    pub length: u64,
}

/// A file that a debate leaves.
#[derive(Serialize, ToSchema)]
pub struct FileLine {
    /// Its path below the debate's directory.
    pub path: String,
    /// Its length.
    pub bytes: usize,
}

/// Scores, where the protocol gives any.
#[derive(Serialize, ToSchema)]
pub struct Scores {
    /// Every ruling on scores, oldest first.
    pub rulings: Vec<ScoreRuling>,
    /// Figures of the outcome, where there is one.
    #[schema(value_type = Option<Object>)]
    pub figures: Value,
}

/// A ruling on scores.
#[derive(Serialize, ToSchema)]
pub struct ScoreRuling {
    /// Its entry.
    pub seq: u64,
    /// Its key.
    pub key: String,
    /// One line for a reader.
    pub text: String,
    /// The scores, in the protocol's form.
    #[schema(value_type = Option<Object>)]
    pub data: Value,
}

/// A request that nobody has answered.
#[derive(Serialize, ToSchema)]
pub struct OpenRequest {
    /// What is asked, and of whom.
    #[schema(value_type = Object)]
    request: Value,
    /// The model at the seat.
    model: String,
    /// Whether it is answered through this interface.
    outside: bool,
    /// Who holds the seat now.
    #[schema(value_type = Option<Object>)]
    lease: Option<Value>,
}

impl OpenRequest {
    /// `open`, with the faults of a redacted answer left out.
    pub fn new(open: UnansweredRequest, is_redacted: bool) -> Self {
        let mut request = serde_json::json!(open.request);
        if is_redacted {
            request["redraft"]["faults"] = serde_json::json!([]);
        }
        let lease = open.lease.map(|lease| serde_json::json!(lease));
        Self { request, model: open.model, outside: open.outside, lease }
    }
}

/// What a seat is asked now.
#[derive(Serialize, ToSchema)]
pub struct Prompt {
    /// The request's key.
    pub key: String,
    /// What is said to whoever sits there.
    pub messages: Vec<Message>,
    /// JSON Schema of the answer; null for prose.
    #[schema(value_type = Option<Object>)]
    pub schema: Option<Value>,
}

/// A part of a prompt.
#[derive(Serialize, ToSchema)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// Its text.
    pub text: String,
}

/// A seat that somebody holds.
#[derive(Serialize, ToSchema)]
pub struct LeaseLine {
    /// The seat.
    pub seat: String,
    /// Who, as they call themselves.
    pub holder: String,
    /// Grows with every claim of the seat.
    pub fence: u64,
    /// The first moment at which it is no longer held, RFC 3339 in UTC.
    pub until: String,
    /// What proves it; only in the answer to a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl From<Lease> for LeaseLine {
    fn from(lease: Lease) -> Self {
        let Lease { seat, holder, fence, until } = lease;
        Self { seat: seat.to_string(), holder, fence, until: until.0, token: None }
    }
}

/// An answer that stands.
#[derive(Serialize, ToSchema)]
pub struct ReceiptLine {
    /// What it answers.
    pub key: String,
    /// The entry that holds it.
    pub seq: u64,
    /// SHA-256 of its text.
    pub digest: String,
}

/// A debate that was started.
#[derive(Serialize, ToSchema)]
pub struct Started {
    /// Its id.
    pub id: String,
    /// Its address in this interface.
    pub url: String,
    /// Its page.
    pub page: String,
}
