//! Observers of a debate that is driven.

use agon_core::{Entry, Key, Record, Seat};

use crate::files::FileError;

/// An event for screens that is not recorded, such as a retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A call failed and is tried again.
    Retry {
        /// What was asked.
        key: Key,
        /// Why.
        why: String,
        /// After how many milliseconds.
        wait_ms: u64,
        /// The attempt that follows, from 2.
        attempt: u32,
        /// Maximum number of attempts.
        attempts_max: u32,
    },
    /// Someone outside is to answer.
    Outside {
        /// What was asked.
        key: Key,
        /// The seat.
        seat: Seat,
    },
    /// A prompt did not fit and its oldest statements are shortened to their claims.
    Shortened {
        /// What was asked.
        key: Key,
        /// How many statements.
        statements: u32,
    },
}

/// Observes one debate. Deltas are for screens only; everything that counts arrives as an entry.
pub trait Watch: Send + Sync {
    /// An entry was appended.
    fn on_entry(&self, _entry: &Entry) {}

    /// The record after one or more entries were appended. An error stops the debate: nothing more
    /// is paid for while files cannot be written.
    fn on_record(&self, _record: &Record) -> Result<(), FileError> {
        Ok(())
    }

    /// More text of an answer that is being written. A new `attempt` begins again.
    fn on_delta(&self, _key: &Key, _attempt: u32, _text: &str) {}

    /// Something happened that is not on the record.
    fn on_notice(&self, _notice: &Notice) {}

    /// Whether anybody sees what is told here; else nothing needs to be looked up for it.
    fn is_shown(&self) -> bool {
        true
    }
}

/// Watches nothing.
pub struct SilentWatch;

impl Watch for SilentWatch {
    fn is_shown(&self) -> bool {
        false
    }
}
