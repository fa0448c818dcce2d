//! The tables of accounts: every statement about people, what proves them, their roles and the audit. Each change is
//! one transaction, and only this folder names these tables.

mod audit;
mod credentials;
mod grants;
mod principals;
mod quotas;

use std::path::Path;

use rusqlite::Connection;

use super::{Journal, JournalError};
use crate::accounts::AccountError;

type Decided<T> = Result<T, AccountError>;

impl Journal {
    /// Decides about accounts in one transaction. `work` must refuse before it writes: what it has written stands.
    async fn account<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<Decided<T>> + Send + 'static,
    ) -> Decided<T> {
        let work =
            move |db: &Connection, path: &Path| work(db).map_err(|error| JournalError::sqlite(path, error));
        self.transact(work).await?
    }
}

/// A fault of the system's randomness, as an account's error.
fn no_randomness() -> AccountError {
    AccountError::Unusable("the system gives no random numbers".into())
}

#[cfg(test)]
mod tests;
