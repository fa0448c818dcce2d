//! Refusals of requests for an outside seat.

use std::path::{Path, PathBuf};

use agon_core::{DebateId, Seat};
use agon_journal::{JournalError, leases::Denied};

use crate::{drive::DriveError, prompts::PromptError};

/// Why a request for an outside seat was refused. The codes are equal on the command line, over HTTP and over MCP.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum OutsideSeatError {
    /// No such seat in this debate.
    #[error("{debate} has no seat {seat}")]
    NoSuchSeat {
        /// The debate.
        debate: DebateId,
        /// As it was named.
        seat: String,
    },
    /// The seat is answered by this model.
    #[error("the seat {0} is answered by {1}, not from outside")]
    NotOutside(Seat, String),
    /// The seat has nothing to answer now.
    #[error("the seat {seat} has no open request{}", next.as_ref().map(|next| format!("; the next request is for {next}")).unwrap_or_default())]
    NotOpen {
        /// The seat.
        seat: Seat,
        /// Whose turn it is.
        next: Option<String>,
        /// Where the text was kept.
        kept: Option<PathBuf>,
    },
    /// The debate has ended: how, and where the text was kept.
    #[error("the debate is closed: {0}")]
    Closed(String, Option<PathBuf>),
    /// The lease, or the answer that stands, forbids it: why, and where the text was kept.
    #[error("{0}")]
    Denied(Denied, Option<PathBuf>),
    /// Someone paused the debate: who and why, and where the text was kept.
    #[error("{0}")]
    Paused(String, Option<PathBuf>),
    /// The protocol does not allow it.
    #[error("{0}")]
    NotAllowed(String),
    /// An empty or oversized text, or a name that is none.
    #[error("{0}")]
    Unusable(String),
    /// The store, or the rules.
    #[error(transparent)]
    #[strum(serialize = "store")]
    Drive(#[from] DriveError),
}

impl From<JournalError> for OutsideSeatError {
    fn from(error: JournalError) -> Self {
        Self::Drive(error.into())
    }
}

impl From<PromptError> for OutsideSeatError {
    fn from(error: PromptError) -> Self {
        Self::Drive(error.into())
    }
}

impl OutsideSeatError {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Denied(Denied::Held(_), _) => "held",
            Self::Denied(Denied::Expired(_), _) => "expired",
            Self::Denied(Denied::Token(_), _) => "wrong_token",
            Self::Denied(Denied::Answered(_), _) => "answered",
            Self::Denied(Denied::NotOpen(_), _) => "not_open",
            Self::Drive(DriveError::Journal(JournalError::NoSuchDebate(_))) => "no_such_debate",
            _ => self.into(),
        }
    }

    /// The same below the data directory, `late/DEBATE/FILE`: for clients that need not know where that is.
    pub fn kept_within_home(&self) -> Option<PathBuf> {
        let kept = self.kept_path()?;
        let parts: Vec<_> = kept.components().rev().take(3).collect();
        Some(parts.into_iter().rev().collect())
    }

    /// Where a text that came too late was kept.
    pub fn kept_path(&self) -> Option<&Path> {
        match self {
            Self::NotOpen { kept, .. } | Self::Closed(_, kept) | Self::Denied(_, kept) | Self::Paused(_, kept) => {
                kept.as_deref()
            }
            _ => None,
        }
    }
}
