//! Who is told what happens while a debate is driven.

use agon_core::{Entry, Key, Record, Seat};

use crate::files::FileError;

/// Something that is not on the record and worth a line on a screen.
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
        /// Most attempts.
        attempts_max: u32,
    },
    /// Somebody outside is to answer.
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

/// Watches one debate. Deltas are for screens only; what counts comes as entries.
pub trait Watch: Send + Sync {
    /// An entry was appended.
    fn entry(&self, entry: &Entry) {
        let _ = entry;
    }

    /// The record after one or more entries were appended. An error stops the debate: nothing more
    /// is paid for while files cannot be written.
    fn record(&self, record: &Record) -> Result<(), FileError> {
        let _ = record;
        Ok(())
    }

    /// More text of an answer that is being written. A new `attempt` begins anew.
    fn delta(&self, key: &Key, attempt: u32, text: &str) {
        let _ = (key, attempt, text);
    }

    /// Something happened that is not on the record.
    fn notice(&self, notice: &Notice) {
        let _ = notice;
    }
}

/// Watches nothing.
pub struct SilentWatch;

impl Watch for SilentWatch {}
