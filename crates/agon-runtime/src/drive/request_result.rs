//! The result of a request.

use agon_core::{Digest, Request};

use super::{DriveError, Stop, ledger::ArrivedAnswer};

/// How a request ended.
pub(super) enum RequestEnd {
    /// With an answer, or a failure that is one.
    Answered(ArrivedAnswer),
    /// The prompt does not fit; nothing was asked.
    TooLong { request: Request, prompt: Digest, participant: String, why: String },
    /// With an answer that someone else put on the record.
    Elsewhere,
    /// The debate must stop.
    Stopped(Stop),
    /// Driving must end at once.
    Failed(DriveError),
}
