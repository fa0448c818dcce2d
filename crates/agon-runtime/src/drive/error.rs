//! Why a debate stopped before its end. All of these can be resumed, except damage and divergence.

use agon_core::{Diverged, Seat};
use agon_journal::{JournalError, LockError, PassedLimit};

use crate::{files::FileError, prompts::PromptError};

/// Why driving a debate stopped before its outcome. The record is intact, and most of these can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The store failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The record was made by other rules.
    #[error("the record diverged from this version's rules at {0}")]
    Diverged(#[from] Diverged),
    /// An entry that no record can contain.
    #[error("{0}")]
    Record(String),
    /// A template that does not render.
    #[error(transparent)]
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
    #[error(transparent)]
    Files(#[from] FileError),
    /// The lock of a debate could not be taken.
    #[error(transparent)]
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
            Self::Journal(_) => "journal",
            Self::Diverged(_) => "diverged",
            Self::Record(_) => "record",
            Self::Prompt(_) => "prompt",
            Self::NoSuchSeat(_) => "no_such_seat",
            Self::Stopped(Stop::Provider { .. }) => "provider",
            Self::Stopped(Stop::Budget(_)) => "budget",
            Self::Stopped(Stop::Paused { .. }) => "paused",
            Self::Interrupted => "interrupted",
            Self::Files(_) => "files",
            Self::Lock(LockError::Fault { .. }) => "lock",
            Self::Lock(LockError::Held(_)) => "held",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
        }
    }
}

impl From<agon_core::RecordError> for DriveError {
    fn from(error: agon_core::RecordError) -> Self {
        Self::Record(error.to_string())
    }
}

/// Why the driver makes no further calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// A provider cannot be used, or failed too often.
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
    Budget(PassedLimit),
    /// Someone paused the debate.
    Paused {
        /// Who, and why.
        line: String,
    },
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dollars = |micro: u64| format!("{:.4}", micro as f64 / 1e6);
        match self {
            Stop::Provider { seat, participant, message, .. } => {
                write!(f, "{participant} (seat {seat}): {message}")
            }
            Stop::Paused { line } => f.write_str(line),
            Stop::Budget(PassedLimit::Requests { used, max }) => {
                write!(f, "stopped: {used} of {max} requests used")
            }
            Stop::Budget(PassedLimit::Tokens { used, next, max }) => {
                write!(f, "stopped: {used} of {max} tokens used, and the next call may take {next}")
            }
            Stop::Budget(PassedLimit::Cost { used, next, max }) => write!(
                f,
                "stopped: {} of {} USD used, and the next call may cost {}",
                dollars(*used),
                dollars(*max),
                dollars(*next)
            ),
            Stop::Budget(PassedLimit::Time { max }) => {
                write!(f, "stopped: the time limit of {max} s is used up")
            }
        }
    }
}
