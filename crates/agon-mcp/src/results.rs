//! What the tools give: a type for each result, with the JSON Schema that its JSON obeys.

use std::path::PathBuf;

use agon_core::{DebateId, Digest, Key, Outcome, Seat, Stamp};
use agon_journal::{
    DebateSummary,
    leases::{Lease, Receipt, SeatClaim},
};
use agon_runtime::outside_seats::Acted;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The result of a tool.
pub(crate) trait ToolResult: Serialize {
    /// The schema that it obeys, an object.
    fn schema() -> Value;
}

/// A value in a result.
trait ResultField {
    /// Its schema; empty where it can be anything.
    fn schema() -> Value;
}

/// Gives types a schema that has nothing but a type.
macro_rules! field_types {
    ($($kind:literal: $($type:ty),+;)*) => {
        $($(impl ResultField for $type {
            fn schema() -> Value {
                json!({"type": $kind})
            }
        })+)*
    };
}

field_types! {
    "string": String, &'static str, DebateId, Digest, Key, PathBuf, Seat, Stamp;
    "integer": u64;
    "boolean": bool;
    "object": DebateSummary, Outcome, Map<String, Value>;
}

impl ResultField for Value {
    fn schema() -> Value {
        json!({})
    }
}

impl<T: ResultField> ResultField for Vec<T> {
    fn schema() -> Value {
        match T::schema() {
            Value::Object(items) if items.is_empty() => json!({"type": "array"}),
            items => json!({"type": "array", "items": items}),
        }
    }
}

impl<T: ResultField> ResultField for Option<T> {
    fn schema() -> Value {
        // Two alternatives rather than a list of types, which some hosts do not accept.
        json!({"anyOf": [T::schema(), {"type": "null"}]})
    }
}

/// The schema of an object with the fields before the semicolon, and some of those after it.
macro_rules! object_schema {
    ($($field:ident: $type:ty),*; $($more:ident: $of:ty),*) => {{
        let mut properties = Map::new();
        $(properties.insert(stringify!($field).to_owned(), <$type as ResultField>::schema());)*
        $(properties.insert(stringify!($more).to_owned(), <$of as ResultField>::schema());)*
        let required: &[&str] = &[$(stringify!($field)),*];
        json!({"type": "object", "properties": properties, "required": required})
    }};
}

/// A result with fields that it always has, and with fields that it may lack.
macro_rules! tool_result {
    (
        $(#[$about:meta])*
        $name:ident { $($field:ident: $type:ty,)* }
        $(or { $($more:ident: $of:ty,)* })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Serialize)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            $($(#[serde(skip_serializing_if = "Option::is_none")] pub(crate) $more: Option<$of>,)*)?
        }

        impl ToolResult for $name {
            fn schema() -> Value {
                object_schema!($($field: $type),*; $($($more: $of),*)?)
            }
        }
    };
}

tool_result! {
    /// Of `debate` and `debate_result`: how a debate stands, or how it ended and what was not settled.
    DebateResult { debate: DebateId, status: &'static str, next: &'static str, }
    or {
        entries: u64, stands: String, seats: Vec<Seat>,
        question: String, answers: Vec<Value>, verdict: String, outcome: String, valid: bool, winner: String,
        reason: String, absent: Vec<Value>, doubts: Vec<Value>, rests_on: Value, dissent: Vec<Value>,
        would_change_it: Vec<Value>, used: Value, directory: PathBuf,
    }
}

impl DebateResult {
    /// That of a debate of which nothing else is said yet.
    pub(crate) fn new(debate: DebateId, status: &'static str, next: &'static str) -> Self {
        Self {
            debate,
            status,
            next,
            entries: None,
            stands: None,
            seats: None,
            question: None,
            answers: None,
            verdict: None,
            outcome: None,
            valid: None,
            winner: None,
            reason: None,
            absent: None,
            doubts: None,
            rests_on: None,
            dissent: None,
            would_change_it: None,
            used: None,
            directory: None,
        }
    }
}

tool_result! {
    /// Of `start_debate`. A client elsewhere is not told where files are.
    StartedResult { debate: DebateId, directory: Option<PathBuf>, }
}

tool_result! {
    /// Of `list_debates`.
    ListedResult { debates: Vec<DebateSummary>, }
}

tool_result! {
    /// Of `status`.
    StatusResult {
        debate: DebateId, protocol: String, motion: String, entries: u64, lineup: Vec<Value>, open: Vec<Value>,
        closed: Option<Outcome>, paused: Option<String>, used: Value,
    }
}

tool_result! {
    /// Of `wait_for_turn`.
    WaitResult {
        debate: DebateId, entries: u64, closed: Option<Outcome>, turn: Option<Map<String, Value>>,
        awaited: Vec<Value>, since: Vec<Value>,
    }
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
    fn schema() -> Value {
        object_schema!(
            advice: Option<String>, calls: u64, calls_early: Option<u64>, calls_usual: Option<u64>,
            prompt_tokens: u64, completion_tokens_max: u64, models: Vec<Value>, judging: Vec<String>,
            budget: Option<String>, material: Value, lookups: Option<String>, requests: Vec<Value>;
        )
    }
}

impl ToolResult for SeatClaim {
    fn schema() -> Value {
        object_schema!(token: String, seat: Seat, holder: String, fence: u64, until: Stamp;)
    }
}

impl ToolResult for Lease {
    fn schema() -> Value {
        object_schema!(seat: Seat, holder: String, fence: u64, until: Stamp;)
    }
}

impl ToolResult for Receipt {
    fn schema() -> Value {
        object_schema!(key: Key, seq: u64, digest: Digest;)
    }
}

impl ToolResult for Acted {
    fn schema() -> Value {
        object_schema!(seq: u64, closed: Option<Outcome>;)
    }
}
