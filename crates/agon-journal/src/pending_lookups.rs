//! What was looked up at outside seats for requests that are not answered yet. With the answer it goes onto the record.

use agon_core::{DebateId, Digest, Key, Lookup};

use super::{
    Journal, JournalError, Result,
    storage::{StoreConnection, put_texts},
};

impl Journal {
    /// What was looked up so far for the request `key`, in order.
    pub fn list_pending_lookups(&self, debate: &DebateId, key: &Key) -> Result<Vec<Lookup>> {
        self.read_store(|db| read_lookups(db, debate, key))
    }

    /// Keeps a lookup for the request `key`, with the text that it showed.
    pub async fn add_pending_lookup(&self, debate: &DebateId, key: &Key, lookup: Lookup, text: String) -> Result<()> {
        let (debate, key) = (debate.clone(), key.clone());
        self.transact(move |db| {
            db.lock_debate(&debate)?;
            let number = read_lookups(db, &debate, &key)?.len() as u64;
            put_texts(db, &[(lookup.result.clone(), text.clone())])?;
            let json =
                serde_json::to_string(&lookup).map_err(|error| JournalError::unsound(db.store_location(), error))?;
            let sql = "INSERT INTO pending_lookups (debate, key, number, lookup) VALUES (?1, ?2, ?3, ?4)";
            db.execute_later(sql, &[&debate, &key, &number, &json], None)?;
            db.flush()
        })
        .await
    }
}

fn read_lookups(db: &dyn StoreConnection, debate: &DebateId, key: &Key) -> Result<Vec<Lookup>> {
    let sql = "SELECT lookup FROM pending_lookups WHERE debate = ?1 AND key = ?2 ORDER BY number";
    db.query(sql, &[&debate, &key])?.into_iter().map(|mut row| row.take_json(0)).collect()
}

/// Takes the lookups of a request that is answered now, for its entry.
pub(super) fn take_lookups(db: &dyn StoreConnection, debate: &DebateId, key: &Key) -> Result<Vec<Lookup>> {
    let lookups = read_lookups(db, debate, key)?;
    if !lookups.is_empty() {
        let sql = "DELETE FROM pending_lookups WHERE debate = ?1 AND key = ?2";
        db.execute_later(sql, &[&debate, &key], None)?;
    }
    Ok(lookups)
}

/// Digests of the texts that lookups of a debate showed which are not on its record.
pub(super) fn list_text_digests(db: &dyn StoreConnection, debate: &DebateId) -> Result<Vec<Digest>> {
    let lookups = db.query_texts("SELECT lookup FROM pending_lookups WHERE debate = ?1", &[&debate])?;
    Ok(lookups.iter().filter_map(|text| Some(serde_json::from_str::<Lookup>(text).ok()?.result)).collect())
}
