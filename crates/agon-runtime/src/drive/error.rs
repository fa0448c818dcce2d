//! Why a debate stopped before its end. All of these can be resumed, except damage and divergence.

use agon_core::{Diverged, Seat};
use agon_journal::{JournalError, LockError, PassedLimit};

use crate::{files::FileError, prompts::PromptError};

/// Why driving a debate stopped before its outcome. The record is intact, and most of these can be resumed.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[error(transparent)]
#[strum(serialize_all = "snake_case")]
pub enum DriveError {
    /// The store failed.
    Journal(#[from] JournalError),
    /// The record was made by other rules.
    #[error("the record diverged from this version's rules at {0}")]
    Diverged(#[from] Diverged),
    /// An entry that no record can contain.
    #[error("{0}")]
    Record(String),
    /// A template that does not render.
    Prompt(#[from] PromptError),
    /// A seat without a participant.
    #[error("no participant is assigned to the seat {0}")]
    NoSuchSeat(Seat),
    /// A provider or a limit.
    #[error("{0}")]
    Stopped(Stop),
    /// The user wanted it.
    #[error("interrupted")]
    Interrupted,
    /// A debate's files could not be written.
    Files(#[from] FileError),
    /// The lock of a debate could not be taken.
    Lock(#[from] LockError),
    /// Only people outside are asked, and nobody need drive the debate until one of them answers.
    #[error("waits for an answer from outside")]
    Waiting,
    /// Nothing is open and nothing is under way: a bug of the protocol.
    #[error("internal error: the protocol has no open request")]
    Idle,
}

impl DriveError {
    /// What kind of error it is, in a word: for logs, which repeat nothing that others wrote.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Stopped(Stop::Provider { .. }) => "provider",
            Self::Stopped(Stop::Budget(_)) => "budget",
            Self::Stopped(Stop::Paused { .. }) => "paused",
            Self::Lock(LockError::Fault { .. }) => "lock",
            Self::Lock(LockError::Held(_)) => "held",
            _ => self.into(),
        }
    }
}

impl From<agon_core::RecordError> for DriveError {
    fn from(error: agon_core::RecordError) -> Self {
        Self::Record(error.to_string())
    }
}

/// Why the driver makes no further calls.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A provider cannot be used, or failed too often.
    #[error("{participant} (seat {seat}): {message}")]
    Provider {
        /// Which seat it was asked for.
        seat: Seat,
        /// As the user named it.
        participant: String,
        /// What it said.
        message: String,
        /// What to do.
        remedy: String,
    },
    /// A limit would be passed.
    #[error("stopped: {}", describe_limit(.0))]
    Budget(PassedLimit),
    /// Someone paused the debate.
    #[error("{line}")]
    Paused {
        /// Who, and why.
        line: String,
    },
}

fn describe_limit(limit: &PassedLimit) -> String {
    let dollars = |micro: u64| format!("{:.4}", micro as f64 / 1e6);
    match limit {
        PassedLimit::Requests { used, max } => format!("{used} of {max} requests used"),
        PassedLimit::Tokens { used, next, max } => {
            format!("{used} of {max} tokens used, and the next call may take {next}")
        }
        PassedLimit::Cost { used, next, max } => {
            let (used, next, max) = (dollars(*used), dollars(*next), dollars(*max));
            format!("{used} of {max} USD used, and the next call may cost {next}")
        }
        PassedLimit::Time { max } => format!("the time limit of {max} s is used up"),
    }
}
