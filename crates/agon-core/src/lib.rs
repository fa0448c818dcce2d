//! The record of a debate and the floor that a protocol runs on: without networking, disk, clock or randomness.
//!
//! A protocol is a pure function from the record of a debate to what must happen next ([`step`]). The caller keeps
//! the record, performs what a step asks for and appends the result; this crate does not know how.
//!
//! - [`mod@step`]: the only entrance to the rules; the function [`compute_next_step`](step::compute_next_step) shows how a program embeds a debate
//! - [`floor`]: `Floor` with ask, start, wait, ask_fastest, withdraw, rule, adjourn; [`draft`]: answers that must become valid
//! - [`record`], [`entry`]: the list of entries and its seven kinds; `record::redacted`: a record without struck words
//! - `derived_cache`: parsed answers and rulings, cached next to their entries
//! - [`request`], [`ruling`], [`outcome`], [`act`]: what is asked, decided, the end, and what people do unasked
//! - [`view`]: the part of the record that a request can see
//! - [`protocol`], [`option`], [`ask`]: the trait `Protocol`, its manifest, its options, the questions that it is for
//! - [`mod@parse`]: from an answer to JSON to a typed statement, or faults with their place
//! - [`name`], [`lookalike`], [`hash`], [`limits`], [`usage`]: ids and keys, names that look alike, digests, budgets, costs
//! - [`mod@citation`]: what a statement rests on; [`reading`]: what a text means, as a seat reads it
//! - [`sample`]: the shortest answer that fits a schema; [`form`], [`people`]: forms from schemas, and words for people
//! - [`tombstone`]: what is left of a deleted debate

pub mod act;
pub mod answer;
pub mod ask;
pub mod citation;
mod derived_cache;
pub mod draft;
pub mod entry;
pub mod floor;
pub mod form;
pub mod gate;
pub mod hash;
pub mod limits;
pub mod lookalike;
pub mod lookup;
pub mod name;
pub mod option;
pub mod outcome;
pub mod parse;
pub mod people;
pub mod protocol;
pub mod reading;
pub mod record;
pub mod request;
pub mod ruling;
pub mod sample;
pub mod step;
mod strict_json;
pub mod tombstone;
pub mod usage;
pub mod view;

pub use act::{Act, ActKind, CANCELLED};
pub use ask::AskSpec;
pub use citation::{Citation, CitationKind, SourceStatus};
pub use draft::{Attempt, Lost, Statement};
pub use entry::{
    Answered, Answerer, Entry, Event, Failed, FailureKind, Opened, OriginalAnswer, Parent, Reply, SeatModel,
    ShownPassage, Stamp,
};
pub use floor::{Diverged, Floor, Flow, Pause, Pending};
pub use gate::{Gate, GateResult};
pub use hash::Digest;
pub use limits::{Extension, Limits};
pub use lookup::{Lookup, LookupRequest};
pub use name::{DebateId, Key, NameError, Seat};
pub use option::{Choice, OptionKind, OptionSpec};
pub use outcome::{Absent, GateClass, Outcome, OutcomeSpec, Standing};
pub use parse::{Fault, Faults};
pub use people::{People, Plain};
pub use protocol::{
    DraftFault, DraftPlan, DraftRules, LookupReach, Manifest, Members, MotionKind, PromptFit, PromptSpec, Protocol,
    Role, SeatSpec, TrackAuthor, TrackFiles, TrackText,
};
pub use record::{Record, RecordError};
pub use request::{Exhausted, Facts, Redraft, Request};
pub use ruling::{AbsentSeat, AcceptedAnswers, RedactedAnswer, RoundBegins, Ruling, RulingKind, Warnings};
pub use step::{Step, compute_next_step};
pub use tombstone::{ErasedEntry, LeftEntry, Tombstone};
pub use usage::{Basis, Usage, UsageReceipt};
pub use view::View;
