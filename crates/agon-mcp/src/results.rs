//! What the tools give: a type for each result, with the JSON Schema that its JSON obeys.

use std::path::PathBuf;

use agon_app::{
    Failure,
    cost_plan::{Plan, PlannedCall, PlannedModel},
    opening::material::PlannedMaterial,
};
use agon_core::{Absent, DebateId, Digest, Key, Outcome, Reply, Seat, Stamp, UsageReceipt, form::FormField};
use agon_journal::{
    DebateSummary,
    leases::{Lease, Receipt, SeatClaim},
};
use agon_report::{
    File,
    first_page::{AnswerBasis, Sentence, StatedAnswer},
};
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
    None => Absent, AnswerBasis, AwaitedSeat, Failure, File, OpenSeat, PlannedCall, PlannedMaterial, PlannedModel,
        SaidEntry, ScoredRuling, Sentence, StatedAnswer, StopFinding, TakenSeat, UsageReceipt;
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

/// Parts of results, with fields that are always there.
macro_rules! result_parts {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {
        $($(#[$about])*
        #[derive(Debug, Serialize)]
        pub(crate) struct $name { $(pub(crate) $field: $type,)* })*
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
        would_change_it: Vec<Sentence>, used: UsageReceipt, directory: PathBuf,
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
        debate: DebateId, protocol: String, motion: String, entries: u64, lineup: Vec<TakenSeat>, open: Vec<OpenSeat>,
        closed: Option<Outcome>, paused: Option<String>, stopped: StopFinding, used: UsageReceipt,
    }
}

tool_result! {
    /// Of `wait_for_turn`.
    WaitResult {
        debate: DebateId, entries: u64, closed: Option<Outcome>, stopped: StopFinding, turn: Option<TurnPrompt>,
        awaited: Vec<AwaitedSeat>, since: Vec<SaidEntry>, next: Option<&'static str>,
    }
}

/// Why nobody drives a debate before its end; `null` where that is not so.
#[derive(Debug, Default, Serialize)]
pub(crate) struct StopFinding(pub(crate) Option<Failure>);

result_parts! {
    /// A seat, and whom it was given to.
    TakenSeat { seat: Seat, name: Option<String>, model: String, }

    /// A seat that is asked something, and its request.
    OpenSeat { seat: Seat, key: Key, model: String, outside: bool, lease: Option<Lease>, }

    /// A seat that others wait for.
    AwaitedSeat { seat: Seat, model: String, lease: Option<Lease>, }

    /// A ruling on scores, with its entry.
    ScoredRuling { entry: u64, key: Key, text: String, data: Value, }

    /// What a seat is asked now, with the schema of the answer; none for prose.
    TurnPrompt { seat: Seat, key: Key, lease: Option<Lease>, schema: Option<FormField>, messages: Vec<TurnMessage>, }

    /// A message of a prompt.
    TurnMessage { role: &'static str, text: String, }
}

/// What was said or ruled while a client waited.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum SaidEntry {
    Answer { entry: u64, seat: Option<Seat>, key: Key, reply: ShownReply },
    Ruling { entry: u64, key: Key, ruled: String },
}

/// A reply, or the number of the ruling that redacted it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ShownReply {
    Redacted {
        by: u64,
    },
    #[serde(untagged)]
    Shown(Reply),
}

/// A debate in a list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedSummary {
    #[serde(flatten)]
    pub(crate) summary: DebateSummary,
    /// Why nobody drives it before its end.
    pub(crate) stopped: Option<Failure>,
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
    ScoresResult { debate: DebateId, scores: Vec<ScoredRuling>, closed: Option<Outcome>, }
}

tool_result! {
    /// Of `export`.
    ExportResult { debate: DebateId, files: Vec<File>, }
}

/// Of `plan_debate`: a plan as `agon run --plan --output json` prints it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct PlanResult(pub(crate) Plan);

impl ToolResult for PlanResult {
    fn schema() -> JsonObject {
        object_schema!(
            advice: Option<String>, calls: u64, calls_early: Option<u64>, calls_usual: Option<u64>,
            prompt_tokens: u64, completion_tokens_max: u64, models: Vec<PlannedModel>, judging: Vec<String>,
            budget: Option<String>, material: PlannedMaterial, lookups: Option<String>, requests: Vec<PlannedCall>;
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
