//! Errors of the journal, in a user's words, with their cause.

use std::{
    error::Error,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_core::{DebateId, Tombstone};
use rusqlite::ErrorCode;

/// What an operation of the journal gives.
pub type Result<T, E = JournalError> = std::result::Result<T, E>;

/// Why a journal operation failed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Someone else appended meanwhile: read and step again.
    #[error("another process has extended the record of {debate} to {length} entries")]
    Conflict {
        /// The debate.
        debate: DebateId,
        /// Its length.
        length: u64,
    },
    /// Another process has taken the debate over, and what this one wanted is not stored.
    #[error("another process drives {debate} now")]
    Fenced {
        /// The debate.
        debate: DebateId,
    },
    /// The id is taken.
    #[error("the debate {0} already exists")]
    Exists(DebateId),
    /// Nobody opened such a debate.
    #[error("no debate {0} in this journal")]
    NoSuchDebate(DebateId),
    /// It was deleted; its id is not given again.
    #[error("{}", .0.describe_deletion())]
    Deleted(Box<Tombstone>),
    /// The store was written by a newer agon.
    #[error("a newer version of agon wrote {path} (schema {found}; this version supports {known})")]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The store was written by an agon so old that this one does not bring it up.
    #[error(
        "an older version of agon wrote {path} (schema {found}; this version brings up schema {known}): export its debates \
         with that version"
    )]
    Older {
        /// The store.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The one that is brought up.
        known: i64,
    },
    /// The store holds what agon never wrote, or lacks what it did.
    #[error("{path}: {why}")]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        why: String,
        /// The error that shows it, where there is one.
        #[source]
        cause: Option<Cause>,
    },
    /// The store is a file without a byte in it.
    #[error("{path} is empty (0 bytes): it was a journal, and its content is lost")]
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
        /// The error in which it said so, where there is one.
        #[source]
        cause: Option<Cause>,
    },
    /// The database cannot be reached, or does not do what is asked of it.
    #[error("{path}: {why}")]
    Unreached {
        /// The store.
        path: PathBuf,
        /// What it said.
        why: String,
    },
    /// Workers of another engine drive debates of the store.
    #[error("{path}: workers of another Restate cluster use this database, for example {words}")]
    OtherEngine {
        /// The store.
        path: PathBuf,
        /// One of them, in words.
        words: String,
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

/// The error behind another. It is shared, since every caller whose work was in a failed transaction is told.
#[derive(Debug, Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    fn from_error(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }
}

impl Deref for Cause {
    type Target = dyn Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Cause {}

impl JournalError {
    /// What the system says of a file.
    pub fn io(path: &Path, error: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), why: error.to_string(), cause: Some(Cause::from_error(error)) }
    }

    /// A store that is not sound.
    pub fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into(), cause: None }
    }

    /// A database that cannot be reached, or does not do what is asked of it.
    pub fn unreached(path: &Path, why: impl Into<String>) -> Self {
        Self::Unreached { path: path.to_owned(), why: why.into() }
    }

    /// The reason without the store.
    #[cfg_attr(not(feature = "cluster"), allow(dead_code))] // For claims, which only a shared store gives.
    pub(crate) fn into_reason(self) -> String {
        match self {
            Self::Damaged { why, .. } | Self::Io { why, .. } | Self::Unreached { why, .. } => why,
            error => error.to_string(),
        }
    }

    /// Whether a server says that it is starting.
    #[cfg(feature = "cluster")]
    pub(crate) fn is_starting(&self) -> bool {
        matches!(self, Self::Unreached { why, .. } if why.contains("57P03"))
    }

    /// A store that is not sound, as `error` shows.
    pub fn unsound(path: &Path, error: impl Error + Send + Sync + 'static) -> Self {
        Self::unsound_in(path, error.to_string(), error)
    }

    /// The same, with `why` in words of one's own.
    pub fn unsound_in(path: &Path, why: String, error: impl Error + Send + Sync + 'static) -> Self {
        Self::Damaged { path: path.to_owned(), why, cause: Some(Cause::from_error(error)) }
    }

    /// What SQLite says of the store at `path`.
    pub fn sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let damaged = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SchemaChanged) | None
        );
        match damaged {
            true => Self::unsound(path, error),
            false => {
                let why = match error.sqlite_error_code() {
                    Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                        format!("{error}: agon needs to write in the folder of a journal, also to read it")
                    }
                    _ => error.to_string(),
                };
                Self::Io { path: path.to_owned(), why, cause: Some(Cause::from_error(error)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_store_keeps_what_caused_it() {
        let folder = tempfile::tempdir().unwrap();
        let full = JournalError::io(folder.path(), std::io::Error::from(std::io::ErrorKind::StorageFull));
        let cause = full.source().and_then(|cause| cause.downcast_ref::<std::io::Error>()).unwrap();
        assert_eq!(cause.kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(full.to_string(), format!("{}: {cause}", folder.path().display()));

        let db = rusqlite::Connection::open_in_memory().unwrap();
        let error = db.execute("INSERT INTO nothing VALUES (1)", ()).unwrap_err();
        let told = error.to_string();
        let error = JournalError::sqlite(folder.path(), error).clone();
        let cause = error.source().and_then(|cause| cause.downcast_ref::<rusqlite::Error>()).unwrap();
        assert_eq!((cause.to_string(), error.to_string().ends_with(&told)), (told, true));
        assert!(JournalError::damaged(folder.path(), "no such text").source().is_none());

        for code in [rusqlite::ffi::SQLITE_READONLY_DIRECTORY, rusqlite::ffi::SQLITE_CANTOPEN] {
            let refused = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            let told = JournalError::sqlite(folder.path(), refused).to_string();
            assert!(told.ends_with("agon needs to write in the folder of a journal, also to read it"), "{told}");
        }
    }
}
