//! Finding debates in Postgres: `ILIKE` over what was said, with an index of trigrams where the database has one.

use agon_core::DebateId;

use super::super::{
    DebateSummary, JournalError, SUMMARY,
    search::pattern,
    storage::{DebateSearch, SqlValue, StoreConnection},
    summary,
};

/// What was said is kept with each entry, so a search is complete at any time.
pub(super) struct SaidSearch;

impl DebateSearch for SaidSearch {
    fn find(
        &self,
        db: &dyn StoreConnection,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<DebateSummary>, JournalError> {
        let patterns: Vec<String> = words.iter().map(|word| pattern(&word.replace('\0', ""))).collect();
        let has_words: Vec<String> = (1..=patterns.len())
            .map(|at| format!("id IN (SELECT debate FROM entries WHERE said ILIKE ?{at})"))
            .collect();
        let mut values: Vec<SqlValue<'_>> = patterns.iter().map(SqlValue::from).collect();
        values.push(limit.into());
        let wanted = if has_words.is_empty() { "TRUE".to_owned() } else { has_words.join(" AND ") };
        let sql =
            format!("{SUMMARY} WHERE {wanted} ORDER BY opened_at DESC, id DESC LIMIT ?{}", values.len());
        db.query(&sql, &values)?.into_iter().map(summary).collect()
    }

    fn unindexed(&self, _: &dyn StoreConnection, _: u32) -> Result<Vec<DebateId>, JournalError> {
        Ok(Vec::new())
    }

    fn index(&self, _: &dyn StoreConnection, _: &DebateId) -> Result<(), JournalError> {
        Ok(())
    }

    fn is_indexed(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<bool, JournalError> {
        let sql = "SELECT 1 FROM debates WHERE id = ?1";
        Ok(db.query_first(sql, &[debate.as_str().into()])?.is_some())
    }
}
