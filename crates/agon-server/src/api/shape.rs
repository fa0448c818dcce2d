//! The responses of the HTTP interface, as its OpenAPI document describes them.

use agon_core::{Basis, DebateId, Digest, Facts, Opened, Outcome, Redraft, Request, Seat, Usage, form::FormField};
use agon_journal::{
    DebateSummary,
    leases::{Lease, SeatClaim},
};
use agon_runtime::outside_seats::UnansweredRequest;
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoParams, IntoResponses, ToSchema};

use crate::Refusal;
pub use crate::refusal::Refused;

/// The seat that a path names.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[allow(dead_code)] // Read from the path by `At`; this describes it.
pub struct SeatPath {
    /// The debate.
    id: String,
    /// The seat, or the name of its member.
    seat: String,
}

/// Why a request for a seat was refused; the codes are those of `OutsideSeatError`.
#[derive(IntoResponses)]
#[allow(dead_code)] // Described, never made: a refusal is made of what an outside seat says.
pub enum SeatRefused {
    /// No such debate or seat (no_such_debate, no_such_seat)
    #[response(status = 404)]
    Missing(Refused),
    /// Another client holds the seat (held), it has no open request (not_open), it was already answered
    /// (answered), the debate is paused (paused), or a model answers for it (not_outside)
    #[response(status = 409)]
    Conflict(Refused),
    /// The lease has expired (expired), or the debate has ended (closed); `kept` is the path of the text
    #[response(status = 410)]
    Gone(Refused),
}

/// A debate in the list.
#[derive(Serialize, ToSchema)]
pub struct Listed {
    /// The debate.
    #[schema(value_type = String)]
    id: DebateId,
    /// Its protocol.
    protocol: String,
    /// Its motion.
    motion: String,
    /// Time of the opening, RFC 3339 in UTC.
    opened_at: String,
    /// Time of the last entry.
    last_at: String,
    /// Number of entries.
    entries: u64,
    /// Hash of the last entry.
    #[schema(value_type = String)]
    head: Digest,
    /// Name of the outcome, if it is closed.
    outcome: Option<String>,
    /// Driven time in milliseconds.
    driven_ms: u64,
}

impl From<DebateSummary> for Listed {
    fn from(of: DebateSummary) -> Self {
        let DebateSummary { id, protocol, motion, opened_at, last_at, entries, head, outcome, driven_ms, .. } = of;
        Self { id, protocol, motion, opened_at, last_at, entries, head, outcome, driven_ms }
    }
}

/// A seat and its participants.
#[derive(Serialize, ToSchema)]
pub struct Seated {
    /// The seat.
    #[schema(value_type = String)]
    pub seat: Seat,
    /// Its name for readers.
    pub name: String,
    /// The assigned model, as the user named it; `outside` if any client can answer.
    pub asked: String,
    /// The models that answered, without repetition.
    pub answered: Vec<String>,
}

/// The current state of one debate.
#[derive(Serialize, ToSchema)]
pub struct Debate {
    /// The content of the first entry.
    #[schema(value_type = Object)]
    pub opened: Opened,
    /// Time of the opening, RFC 3339 in UTC.
    pub opened_at: String,
    /// The seats, in the protocol's order.
    pub seats: Vec<Seated>,
    /// The current phase, as the protocol names it.
    pub phase: Option<String>,
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last entry.
    #[schema(value_type = String)]
    pub head: Digest,
    /// Whether it is closed.
    pub closed: bool,
    /// The latest outcome, even if the debate was extended since.
    #[schema(value_type = Option<Object>)]
    pub outcome: Option<Outcome>,
    /// Usage so far, including calls in progress.
    pub usage: UsageLine,
    /// Whether this server drives it now.
    pub driven: bool,
    /// Why nobody drives it before its end, if a driver is needed.
    #[schema(value_type = Option<Object>)]
    pub stopped: Option<Refusal>,
}

/// What a debate has used so far.
#[derive(Serialize, ToSchema)]
pub struct UsageLine {
    /// Calls made, those that failed included.
    requests: u32,
    /// Tokens read, cached ones included.
    prompt_tokens: u64,
    /// Tokens read from a cache.
    cached_tokens: u64,
    /// Tokens written into a cache that has a price of its own.
    cache_write_tokens: u64,
    /// Tokens written.
    completion_tokens: u64,
    /// How far the tokens are known: `reported` or `estimated`.
    #[schema(value_type = String)]
    tokens_basis: Basis,
    /// What is known of the cost, in millionths of a US dollar; 0 if nothing is.
    cost_microusd: u64,
    /// How far the cost is known: `reported`, `estimated` or `unknown`.
    #[schema(value_type = String)]
    cost_basis: Basis,
    /// Whether a provider gave no usage, so that its reservation counts.
    estimated: bool,
}

impl From<Usage> for UsageLine {
    fn from(usage: Usage) -> Self {
        Self {
            requests: usage.requests,
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            completion_tokens: usage.completion_tokens,
            tokens_basis: usage.tokens_basis(),
            cost_microusd: usage.cost_microusd,
            cost_basis: usage.cost_basis,
            estimated: usage.estimated,
        }
    }
}

/// A range of a record's entries.
#[derive(Serialize, ToSchema)]
pub struct Entries {
    /// The entries in order. `{"redacted": {"by": SEQ}}` replaces a redacted text.
    #[schema(value_type = Vec<Object>)]
    pub entries: Vec<Value>,
    /// The entry to continue from; the length of the record if there are no more.
    pub next: u64,
    /// Length of the record.
    pub length: u64,
}

/// A file of a debate.
#[derive(Serialize, ToSchema)]
pub struct FileLine {
    /// Its path below the debate's folder.
    pub path: String,
    /// Its size in bytes.
    pub bytes: usize,
}

/// The scores of a debate; empty if its protocol gives none.
#[derive(Serialize, ToSchema)]
pub struct Scores {
    /// Every ruling on scores, oldest first.
    pub rulings: Vec<ScoreRuling>,
    /// Figures of the outcome, if there is one.
    #[schema(value_type = Option<Object>)]
    pub figures: Value,
}

/// A ruling on scores.
#[derive(Serialize, ToSchema)]
pub struct ScoreRuling {
    /// Number of its entry.
    pub seq: u64,
    /// Its key.
    pub key: String,
    /// A summary for readers, in one line.
    pub text: String,
    /// The scores, in the protocol's form.
    #[schema(value_type = Option<Object>)]
    pub data: Value,
}

/// An open request.
#[derive(Serialize, ToSchema)]
pub struct OpenRequest {
    /// The request.
    #[schema(value_type = AskedLine)]
    request: Request,
    /// The model of the seat.
    model: String,
    /// Whether clients can answer it through this interface.
    outside: bool,
    /// The current claim of the seat.
    lease: Option<LeaseLine>,
}

/// What is asked of a seat.
#[derive(Serialize, ToSchema)]
#[allow(dead_code)] // Described, never made: a request is served as the record has it.
pub struct AskedLine {
    /// Its key, which an answer can name.
    key: String,
    /// The seat.
    seat: String,
    /// Name of its prompt.
    prompt: String,
    /// Number of the last entry that it takes into account.
    heard: u64,
    /// What becomes of it if every attempt fails.
    exhausted: String,
    /// Values for the prompt, if it has some.
    #[schema(value_type = Object, required = false)]
    facts: Option<Facts>,
    /// The earlier answer that broke rules, and the faults, if it asks again.
    #[schema(value_type = Object, required = false)]
    redraft: Option<Redraft>,
    /// Seconds after which it counts as not answered, if it has a limit.
    #[schema(value_type = u32, required = false)]
    wait_seconds: Option<u32>,
}

impl OpenRequest {
    /// `open`; without the faults of an earlier answer if that `is_withheld`.
    pub fn new(open: UnansweredRequest, is_withheld: bool) -> Self {
        let UnansweredRequest { mut request, model, outside, lease, .. } = open;
        if let Some(redraft) = request.redraft.as_mut().filter(|_| is_withheld) {
            redraft.faults.clear();
        }
        Self { request, model, outside, lease: lease.map(LeaseLine::from) }
    }
}

/// The open request of a seat.
#[derive(Serialize, ToSchema)]
pub struct Prompt {
    /// The request's key.
    pub key: String,
    /// The prompt.
    pub messages: Vec<Message>,
    /// JSON Schema of the answer; null for prose.
    #[schema(value_type = Option<Object>)]
    pub schema: Option<FormField>,
}

/// A message of a prompt.
#[derive(Serialize, ToSchema)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// Its text.
    pub text: String,
}

/// The claim of a seat.
#[derive(Serialize, ToSchema)]
pub struct LeaseLine {
    /// The seat.
    pub seat: String,
    /// The name that the holder gave.
    pub holder: String,
    /// Fencing number; increases with every claim of the seat.
    pub fence: u64,
    /// Time of expiry, RFC 3339 in UTC.
    pub until: String,
}

impl From<Lease> for LeaseLine {
    fn from(lease: Lease) -> Self {
        let Lease { seat, holder, fence, until } = lease;
        Self { seat: seat.to_string(), holder, fence, until: until.0 }
    }
}

/// A seat that was claimed.
#[derive(Serialize, ToSchema)]
pub struct ClaimLine {
    /// The seat.
    seat: String,
    /// The name that the holder gave.
    holder: String,
    /// Fencing number; increases with every claim of the seat.
    fence: u64,
    /// Time of expiry, RFC 3339 in UTC.
    until: String,
    /// The token that proves the claim; only this response has it.
    token: String,
}

impl From<SeatClaim> for ClaimLine {
    fn from(claim: SeatClaim) -> Self {
        let LeaseLine { seat, holder, fence, until } = claim.lease.into();
        Self { seat, holder, fence, until, token: claim.token }
    }
}

/// The receipt of an accepted answer.
#[derive(Serialize, ToSchema)]
pub struct ReceiptLine {
    /// The key of the answered request.
    pub key: String,
    /// Number of its entry.
    pub seq: u64,
    /// SHA-256 of its text.
    pub digest: String,
}

/// A debate that was started.
#[derive(Serialize, ToSchema)]
pub struct Started {
    /// Its id.
    pub id: String,
    /// Its path in this interface.
    pub url: String,
    /// Its page.
    pub page: String,
}
