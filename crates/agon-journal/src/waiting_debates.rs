//! Debates that nobody drives since only people outside are asked, and who is told once something is appended.

use agon_core::DebateId;

use super::{Journal, Result};

impl Journal {
    /// Notes that nobody drives `debate` until its record has another length than `length`, and that `wake` is to be
    /// told then.
    pub async fn mark_waiting(&self, debate: &DebateId, length: u64, wake: &str) -> Result<()> {
        let sql = "INSERT INTO waits (debate, length, wake) VALUES (?1, ?2, ?3)
                   ON CONFLICT (debate) DO UPDATE SET length = excluded.length, wake = excluded.wake";
        self.execute_one(sql, &[&debate, &length, &wake]).await.map(drop)
    }

    /// Whether nobody drives `debate` until something is appended.
    pub fn is_waiting(&self, debate: &DebateId) -> Result<bool> {
        self.read_store(|db| db.has_row("SELECT 1 FROM waits WHERE debate = ?1", &[&debate]))
    }

    /// Notes that `debate` is driven again, if it was not.
    pub async fn clear_waiting(&self, debate: &DebateId) -> Result<()> {
        // Hardly any debate waits, and looking costs less than a transaction.
        if !self.is_waiting(debate)? {
            return Ok(());
        }
        self.execute_one("DELETE FROM waits WHERE debate = ?1", &[&debate]).await.map(drop)
    }

    /// Whom to tell, for debates that nobody drives although something was appended since; at most `limit`.
    pub fn list_due_wakes(&self, limit: u32) -> Result<Vec<String>> {
        let sql = "SELECT w.wake FROM waits w JOIN debates d ON d.id = w.debate
                   WHERE d.length <> w.length ORDER BY w.debate LIMIT ?1";
        self.read_store(|db| db.query_texts(sql, &[&limit]))
    }
}
