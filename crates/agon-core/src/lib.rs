//! The record of a debate and the floor a protocol stands on: no networking, no disk, no clock, no
//! randomness.
//!
//! A protocol is a pure function from the record of a debate to what must happen next
//! ([`step`]). Whoever calls this crate keeps the record, performs what a step asks for and appends
//! what came of it; nothing here knows how.

pub mod act;
pub mod draft;
pub mod entry;
pub mod floor;
pub mod form;
pub mod hash;
mod kept;
pub mod limits;
pub mod name;
pub mod option;
pub mod outcome;
pub mod parse;
pub mod people;
pub mod protocol;
pub mod record;
pub mod repetition;
pub mod request;
pub mod ruling;
pub mod sample;
pub mod slug;
pub mod step;
pub mod unseen;
pub mod usage;
pub mod view;

pub use act::{Act, CANCELLED, Deed};
pub use draft::{Attempt, Lost, Statement};
pub use entry::{Answered, By, Entry, Failed, FailureKind, Opened, Parent, Reply, SeatModel, Stamp, What};
pub use floor::{Diverged, Floor, Flow, Pause, Pending};
pub use hash::Digest;
pub use limits::{Extension, Limits};
pub use name::{DebateId, Key, NameError, Seat};
pub use option::{Choice, OptionKind, OptionSpec};
pub use outcome::{Absent, Outcome, Standing};
pub use parse::{Fault, Faults};
pub use people::{People, Plain};
pub use protocol::{Fit, Manifest, Members, MotionKind, PromptSpec, Protocol, Role, SeatSpec};
pub use record::{Record, RecordError};
pub use request::{Exhausted, Facts, Redraft, Request};
pub use ruling::{Kind, Ruling};
pub use step::{Step, step};
pub use usage::Usage;
pub use view::View;
