//! What the tools give: a type for each result, with the JSON Schema that its JSON obeys.

use std::path::PathBuf;

use agon_app::Failure;
use agon_core::{Absent, DebateId, Digest, Key, Outcome, Seat, Stamp, form::FormField};
use agon_journal::{
    DebateSummary,
    leases::{Lease, Receipt, SeatClaim},
};
use agon_report::first_page::{AnswerBasis, Sentence, StatedAnswer};
use agon_runtime::outside_seats::Acted;
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Value, json};

/// The result of a tool.
pub(crate) trait ToolResult: Serialize {
    /// The schema that it obeys, an object.
    fn schema() -> JsonObject;
}

/// A value in a result.
trait ResultField {
    /// The type that its schema names; none where it can be anything.
    const KIND: Option<&'static str> = None;

    /// Its schema.
    fn schema() -> JsonObject {
        Self::KIND.map(|kind| ("type".to_owned(), kind.into())).into_iter().collect()
    }
}

/// Gives types a schema that has nothing but a type.
macro_rules! field_types {
    ($($kind:expr => $($type:ty),+;)*) => {
        $($(impl ResultField for $type {
            const KIND: Option<&'static str> = $kind;
        })+)*
    };
}

field_types! {
    None => Absent, AnswerBasis, Failure, Sentence, StatedAnswer, Value;
    Some("string") => String, &'static str, DebateId, Digest, Key, PathBuf, Seat, Stamp;
    Some("integer") => u64;
    Some("boolean") => bool;
    Some("object") => ListedSummary, Outcome, TurnPrompt;
}

impl<T: ResultField> ResultField for Vec<T> {
    fn schema() -> JsonObject {
        let items = T::KIND.map(|_| ("items".to_owned(), T::schema().into()));
        [("type".to_owned(), "array".into())].into_iter().chain(items).collect()
    }
}

impl<T: ResultField> ResultField for Option<T> {
    fn schema() -> JsonObject {
        // Two alternatives rather than a list of types, which some hosts do not accept.
        JsonObject::from_iter([("anyOf".to_owned(), json!([T::schema(), {"type": "null"}]))])
    }
}

/// The schema of an object with the fields before the semicolon, and some of those after it.
macro_rules! object_schema {
    ($($field:ident: $type:ty),*; $($more:ident: $of:ty),*) => {{
        let mut properties = JsonObject::new();
        $(properties.insert(stringify!($field).to_owned(), <$type as ResultField>::schema().into());)*
        $(properties.insert(stringify!($more).to_owned(), <$of as ResultField>::schema().into());)*
        let required: &[&str] = &[$(stringify!($field)),*];
        let parts = [("type", json!("object")), ("properties", properties.into()), ("required", json!(required))];
        parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect()
    }};
}

/// A result with fields that it always has, and with fields of another type that it may lack.
macro_rules! tool_result {
    (
        $(#[$about:meta])*
        $name:ident { $($field:ident: $type:ty,)* }
        $(or $(#[$about_more:meta])* $rest:ident { $($more:ident: $of:ty,)* })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Serialize)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            $(#[serde(flatten)]
            pub(crate) more: $rest,)?
        }

        $($(#[$about_more])*
        #[derive(Debug, Default, Serialize)]
        pub(crate) struct $rest {
            $(#[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) $more: Option<$of>,)*
        })?

        impl ToolResult for $name {
            fn schema() -> JsonObject {
                object_schema!($($field: $type),*; $($($more: $of),*)?)
            }
        }
    };
}

tool_result! {
    /// Of `debate` and `debate_result`: how a debate stands, or how it ended and what was not settled.
    DebateResult { debate: DebateId, status: &'static str, next: &'static str, }
    or
    /// What is known of a debate.
    DebateFindings {
        entries: u64, stands: String, stopped: Failure, seats: Vec<Seat>,
        question: String, answers: Vec<StatedAnswer>, verdict: String, outcome: String, valid: bool, winner: String,
        reason: String, absent: Vec<Absent>, doubts: Vec<Sentence>, rests_on: AnswerBasis, dissent: Vec<Sentence>,
        would_change_it: Vec<Sentence>, used: Value, directory: PathBuf,
    }
}

tool_result! {
    /// Of `start_debate`. A client elsewhere is not told where files are.
    StartedResult { debate: DebateId, directory: Option<PathBuf>, }
}

tool_result! {
    /// Of `list_debates`.
    ListedResult { debates: Vec<ListedSummary>, }
}

tool_result! {
    /// Of `status`.
    StatusResult {
        debate: DebateId, protocol: String, motion: String, entries: u64, lineup: Vec<Value>, open: Vec<Value>,
        closed: Option<Outcome>, paused: Option<String>, stopped: Value, used: Value,
    }
}

tool_result! {
    /// Of `wait_for_turn`.
    WaitResult {
        debate: DebateId, entries: u64, closed: Option<Outcome>, stopped: Value, turn: Option<TurnPrompt>,
        awaited: Vec<Value>, since: Vec<Value>, next: Option<&'static str>,
    }
}

/// A debate in a list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedSummary {
    #[serde(flatten)]
    pub(crate) summary: DebateSummary,
    /// Why nobody drives it before its end.
    pub(crate) stopped: Option<Failure>,
}

/// What a seat is asked now.
#[derive(Debug, Serialize)]
pub(crate) struct TurnPrompt {
    pub(crate) seat: Seat,
    pub(crate) key: Key,
    pub(crate) lease: Option<Lease>,
    /// The schema of the answer; none for prose.
    pub(crate) schema: Option<FormField>,
    pub(crate) messages: Vec<TurnMessage>,
}

/// A message of a prompt.
#[derive(Debug, Serialize)]
pub(crate) struct TurnMessage {
    pub(crate) role: &'static str,
    pub(crate) text: String,
}

tool_result! {
    /// Of `lookup`.
    LookupResult { shown: String, }
}

tool_result! {
    /// Of `resume_debate` and `extend_debate`.
    ContinuedResult { debate: DebateId, entries: Option<u64>, }
}

tool_result! {
    /// Of `transcript`.
    TranscriptResult { debate: DebateId, transcript: String, }
}

tool_result! {
    /// Of `scores`.
    ScoresResult { debate: DebateId, scores: Vec<Value>, closed: Option<Outcome>, }
}

tool_result! {
    /// Of `export`.
    ExportResult { debate: DebateId, files: Vec<Value>, }
}

/// Of `plan_debate`: a plan as `agon run --plan --output json` prints it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct PlanResult(pub(crate) Value);

impl ToolResult for PlanResult {
    fn schema() -> JsonObject {
        object_schema!(
            advice: Option<String>, calls: u64, calls_early: Option<u64>, calls_usual: Option<u64>,
            prompt_tokens: u64, completion_tokens_max: u64, models: Vec<Value>, judging: Vec<String>,
            budget: Option<String>, material: Value, lookups: Option<String>, requests: Vec<Value>;
        )
    }
}

impl ToolResult for SeatClaim {
    fn schema() -> JsonObject {
        object_schema!(token: String, seat: Seat, holder: String, fence: u64, until: Stamp;)
    }
}

impl ToolResult for Lease {
    fn schema() -> JsonObject {
        object_schema!(seat: Seat, holder: String, fence: u64, until: Stamp;)
    }
}

impl ToolResult for Receipt {
    fn schema() -> JsonObject {
        object_schema!(key: Key, seq: u64, digest: Digest;)
    }
}

impl ToolResult for Acted {
    fn schema() -> JsonObject {
        object_schema!(seq: u64, closed: Option<Outcome>;)
    }
}
