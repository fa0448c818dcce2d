//! Where a journal is kept: a data directory, or a database of several machines.

use std::path::PathBuf;

#[cfg(feature = "cluster")]
use super::postgres::PostgresAddress;
use crate::password_source::PasswordSource;

/// Where a journal is kept.
#[derive(Debug, Clone)]
pub enum JournalAddress {
    /// A data directory, with the journal in one SQLite file.
    Directory(PathBuf),
    /// A schema of a Postgres database.
    #[cfg(feature = "cluster")]
    Postgres(Box<PostgresAddress>),
}

impl JournalAddress {
    /// Reads `postgres://USER@HOST/DATABASE`; anything else is a data directory.
    ///
    /// # Errors
    ///
    /// What is wrong with an address; the message does not show the address, which may hold a password by mistake.
    pub fn parse(text: &str, passwords: PasswordSource) -> Result<Self, String> {
        if !Self::is_address(text) {
            return Ok(Self::Directory(text.into()));
        }
        #[cfg(feature = "cluster")]
        return PostgresAddress::parse(text, passwords).map(|address| Self::Postgres(Box::new(address)));
        #[cfg(not(feature = "cluster"))]
        {
            let _ = passwords;
            Err("this agon was built without the feature cluster, which Postgres needs".to_owned())
        }
    }

    /// Whether `text` is meant as the address of a database.
    pub fn is_address(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Reads the address of a database, and nothing else.
    ///
    /// # Errors
    ///
    /// As [`JournalAddress::parse`].
    pub fn parse_database(text: &str, passwords: PasswordSource) -> Result<Self, String> {
        if !Self::is_address(text) {
            return Err(
                "write the address of a database, postgres://USER@HOST/DATABASE; AGON_HOME names a folder".into()
            );
        }
        Self::parse(text, passwords)
    }
}
