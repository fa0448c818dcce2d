//! Debates that nobody drives since only people outside are asked, and who is told once something is appended.

use agon_core::DebateId;

use super::{Journal, JournalError};

impl Journal {
    /// Notes that nobody drives `debate` until its record has another length than `length`, and that `wake` is to be
    /// told then.
    pub async fn wait(&self, debate: &DebateId, length: u64, wake: &str) -> Result<(), JournalError> {
        let (debate, wake) = (debate.clone(), wake.to_owned());
        self.transact(move |db| {
            let sql = "INSERT INTO waits (debate, length, wake) VALUES (?1, ?2, ?3)
                       ON CONFLICT (debate) DO UPDATE SET length = excluded.length, wake = excluded.wake";
            db.execute(sql, &[debate.as_str().into(), length.into(), (&wake).into()]).map(drop)
        })
        .await
    }

    /// Notes that `debate` is driven again, if it was not.
    pub async fn unwait(&self, debate: &DebateId) -> Result<(), JournalError> {
        // Hardly any debate waits, and looking costs less than a transaction.
        let waits = self.reading(|db| {
            let sql = "SELECT 1 FROM waits WHERE debate = ?1";
            Ok(db.query_first(sql, &[debate.as_str().into()])?.is_some())
        });
        if !waits? {
            return Ok(());
        }
        let debate = debate.clone();
        self.transact(move |db| {
            db.execute("DELETE FROM waits WHERE debate = ?1", &[debate.as_str().into()]).map(drop)
        })
        .await
    }

    /// Whom to tell, for debates that nobody drives although something was appended since; at most `limit`.
    pub fn woken(&self, limit: u32) -> Result<Vec<String>, JournalError> {
        self.reading(|db| {
            let sql = "SELECT w.wake FROM waits w JOIN debates d ON d.id = w.debate
                       WHERE d.length <> w.length ORDER BY w.debate LIMIT ?1";
            db.query(sql, &[limit.into()])?.into_iter().map(|mut row| row.text(0)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Event, Extension, sample};

    use super::*;

    #[tokio::test]
    async fn who_waits_is_told_once_the_record_has_grown() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        let record =
            journal.create(Event::Opened(sample::opened("x", &["a"])), Vec::new(), None).await.unwrap();
        let id = record.opened().debate.clone();
        journal.wait(&id, 1, "w1").await.unwrap();
        assert_eq!(journal.woken(10).unwrap(), Vec::<String>::new());
        journal.extend(record, Extension { rounds: 1, ..Extension::default() }).await.unwrap();
        assert_eq!(journal.woken(10).unwrap(), ["w1"]);
        journal.wait(&id, 2, "w2").await.unwrap();
        assert_eq!(journal.woken(10).unwrap(), Vec::<String>::new());
        journal.wait(&id, 1, "w3").await.unwrap();
        journal.unwait(&id).await.unwrap();
        assert_eq!(journal.woken(10).unwrap(), Vec::<String>::new());
    }
}
