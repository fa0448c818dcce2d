//! Whether the journal can be used now.

use super::{Journal, Result};

impl Journal {
    /// Whether it can be read and has the schema of this program.
    pub fn is_current(&self) -> Result<bool> {
        self.read_store(|db| {
            db.query_first("SELECT id FROM debates LIMIT 1", &[])?;
            db.is_current()
        })
    }

    /// Waits for the writer and begins a transaction, which changes nothing.
    pub async fn check_writable(&self) -> Result<()> {
        self.transact(|_| Ok(())).await
    }
}
