//! How an invocation that drives a debate ends. Clients and workers of different versions exchange it as JSON.

use agon_app::{Failure, exit};
use serde::{Deserialize, Serialize};

/// The name of the virtual object; its key is the id of a debate.
pub const OBJECT: &str = "Debate";

/// How an invocation that drives a debate ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum DriveEnd {
    /// The debate closed; the record says how.
    Closed,
    /// It stopped before its end, as `agon run` would, and can be resumed where that says so.
    Stopped {
        /// The exit code.
        exit: u8,
        /// A word for programs.
        code: String,
        /// What happened, and where.
        message: String,
        /// What to do.
        remedy: String,
    },
    /// Only people outside are asked, and nobody drives until one of them answers.
    Waiting,
}

impl From<Failure> for DriveEnd {
    fn from(failure: Failure) -> Self {
        let Failure { exit, code, message, remedy } = failure;
        Self::Stopped { exit, code: code.into_owned(), message, remedy }
    }
}

impl DriveEnd {
    /// The result of the debate for those who wait for it.
    ///
    /// # Errors
    ///
    /// Why it stopped before its end.
    pub fn into_result(self) -> Result<(), Failure> {
        match self {
            Self::Closed => Ok(()),
            Self::Stopped { exit, code, message, remedy } => Err(Failure::new(exit, code, message, remedy)),
            Self::Waiting => {
                let message = "the engine ended before the debate did";
                Err(Failure::new(exit::PROVIDER, "cluster", message, "update agon on all machines"))
            }
        }
    }
}
