//! What debates name: forks, pages and material that several of them share.

use agon_core::DebateId;
use rusqlite::params;

use super::{Journal, JournalError};

impl Journal {
    /// The debates that were forked from `debate`, and hold copies of its entries.
    pub fn forks_of(&self, debate: &DebateId) -> Result<Vec<DebateId>, JournalError> {
        let ids = self.reading(|db| {
            let sql = "SELECT d.id FROM debates d CROSS JOIN entries e ON e.debate = d.id AND e.seq = 0
                       WHERE json_extract(e.line, '$.what.opened.parent.debate') = ? ORDER BY d.opened_at, d.id";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map(params![debate.as_str()], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        })?;
        Ok(ids.into_iter().filter_map(|id| DebateId::new(id).ok()).collect())
    }

    /// Those of `digests` that no answer of another debate names.
    pub fn pages_of_it_alone(
        &self,
        debate: &DebateId,
        digests: Vec<String>,
    ) -> Result<Vec<String>, JournalError> {
        let sql =
            "SELECT line FROM entries WHERE kind = 'answered' AND debate <> ? AND instr(line, 'sha256')";
        self.unnamed(sql, debate, digests)
    }

    /// Those of `digests`, of contents of material, that the material of no other debate lists.
    pub fn material_of_it_alone(
        &self,
        debate: &DebateId,
        digests: Vec<String>,
    ) -> Result<Vec<String>, JournalError> {
        let sql =
            "SELECT DISTINCT t.content FROM debates d CROSS JOIN entries e ON e.debate = d.id AND e.seq = 0
                   JOIN texts t ON t.digest = json_extract(e.line, '$.what.opened.documents.material')
                   WHERE d.id <> ?";
        self.unnamed(sql, debate, digests)
    }

    fn unnamed(
        &self,
        sql: &str,
        debate: &DebateId,
        mut digests: Vec<String>,
    ) -> Result<Vec<String>, JournalError> {
        if digests.is_empty() {
            return Ok(digests);
        }
        self.reading(|db| {
            let mut texts = db.prepare_cached(sql)?;
            let mut texts = texts.query(params![debate.as_str()])?;
            while let Some(row) = texts.next()? {
                let text = row.get_ref(0)?.as_str().unwrap_or_default();
                digests.retain(|digest| !text.contains(digest.as_str()));
                if digests.is_empty() {
                    break;
                }
            }
            Ok(digests)
        })
    }
}
