//! Whether the journal can be used now.

use super::{Journal, JournalError, store};

impl Journal {
    /// Whether it can be read and has the schema of this program.
    pub fn is_current(&self) -> Result<bool, JournalError> {
        self.reading(|db| {
            db.query_row("SELECT count(*) FROM (SELECT 1 FROM debates LIMIT 1)", [], |_| Ok(()))?;
            Ok(db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))? == store::SCHEMA)
        })
    }

    /// Waits for the writer and begins a transaction, which changes nothing.
    pub async fn check_writable(&self) -> Result<(), JournalError> {
        self.transact(|_, _| Ok(())).await
    }
}
