//! What can go wrong with the store, in a user's words.

use std::path::{Path, PathBuf};

use agon_core::DebateId;
use rusqlite::ErrorCode;

/// Why the journal did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Somebody else appended meanwhile: read and step again.
    #[error("the record of {debate} has {length} entries by now")]
    Conflict {
        /// The debate.
        debate: DebateId,
        /// Its length.
        length: u64,
    },
    /// The id is taken.
    #[error("the debate {0} exists already")]
    Exists(DebateId),
    /// Nobody opened such a debate.
    #[error("no debate {0} in this journal")]
    NoSuchDebate(DebateId),
    /// The store was written by a newer agon.
    #[error("{path} was written by a newer agon (schema {found}, this one knows {known})")]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The store holds what agon never wrote, or lacks what it did.
    #[error("{path}: {why}")]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The store is a file without a byte in it.
    #[error("{path} is empty (0 bytes): a journal was here, and what it held is gone from this file")]
    Emptied {
        /// The store.
        path: PathBuf,
    },
    /// The disk is full, or the file may not be written or read.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// An entry that no record can contain: a bug, or two programs that disagree.
    #[error("{debate}: {why}")]
    Refused {
        /// The debate.
        debate: DebateId,
        /// Why.
        why: String,
    },
}

impl JournalError {
    /// What the system says of a file.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), why: error.to_string() }
    }

    /// A store that is not sound.
    pub fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }

    /// What SQLite says of the store at `path`.
    pub fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let damaged = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SchemaChanged) | None
        );
        match damaged {
            true => Self::damaged(path, error.to_string()),
            false => Self::Io { path: path.to_owned(), why: error.to_string() },
        }
    }
}
