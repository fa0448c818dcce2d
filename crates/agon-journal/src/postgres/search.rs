//! Finding debates in Postgres: `ILIKE` over what was said, with an index of trigrams where the database has one.
//!
//! A word that many debates have is found in the newest; the index would name entries by the ten thousand. A word that
//! few have names the debates that are looked at. Where neither finds enough, all are looked at, the newest first.

use std::cmp::Reverse;

use agon_core::DebateId;

use super::super::{
    DebateSummary, Result, SUMMARY,
    account_tables::HAS_ROLE,
    search::like_pattern,
    storage::{DebateQuery, DebateSearch, SqlRow, StoreConnection, ToSqlValue},
};

/// Characters of one entry of the index. It knows nothing of shorter words.
const TRIGRAM: usize = 3;
/// Entries with a word up to which it is rare: all of them are then looked at.
const RARE_MAX: u32 = 1_000;
/// Newest debates by which words are compared.
const SHARES_OF: u32 = 20;
/// Debates that are looked at in one statement, the newest first.
const BATCH: u32 = 1_000;

/// Entries with a word.
const WITH_WORD: &str = "SELECT debate FROM entries WHERE said ILIKE ?1 LIMIT ?2";

/// What was said is kept with each entry, so a search is complete at any time.
pub(super) struct SaidSearch;

impl DebateSearch for SaidSearch {
    fn find_debates(&self, db: &dyn StoreConnection, query: &DebateQuery<'_>) -> Result<Vec<DebateSummary>> {
        let words: Vec<String> = query.words.iter().map(|word| word.replace('\0', "")).collect();
        let patterns: Vec<String> = words.iter().map(|word| like_pattern(word)).collect();
        let search = WordSearch { db, patterns: &patterns, person: query.person };
        let most = query.limit as usize;
        let newest = search.search_batch(query.limit, None)?;
        let (mut found, mut after) = (newest.found, newest.last);
        if found.len() >= most || after.is_none() || words.is_empty() {
            return Ok(found);
        }
        // The word that is likely to be the rarest first.
        let shares = search.count_word_hits()?;
        let mut known: Vec<_> = words.iter().zip(&patterns).zip(shares).collect();
        known.sort_by_key(|((word, _), share)| (*share, Reverse(word.chars().count())));
        let known = known.into_iter().filter(|((word, _), _)| word.chars().count() >= TRIGRAM);
        for ((_, pattern), _) in known {
            if let Some(debates) = search.find_rare_matches(pattern)? {
                return search.search_among(&debates, query.limit);
            }
        }
        while let Some(last) = after
            && found.len() < most
        {
            let next = search.search_batch(BATCH, Some(&last))?;
            found.extend(next.found);
            after = next.last;
        }
        found.truncate(most);
        Ok(found)
    }

    fn list_unindexed(&self, _: &dyn StoreConnection, _: u32) -> Result<Vec<DebateId>> {
        Ok(Vec::new())
    }

    fn index(&self, _: &dyn StoreConnection, _: &DebateId) -> Result<()> {
        Ok(())
    }

    fn is_indexed(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<bool> {
        db.has_row("SELECT 1 FROM debates WHERE id = ?1", &[&debate])
    }
}

/// That the word `?at` occurs in the debate of a row of `d`. It is looked for in the entries of that debate alone: the
/// offset keeps Postgres from looking for it in all.
fn has_word(at: usize) -> String {
    format!("EXISTS (SELECT 1 FROM entries e WHERE e.debate = d.id AND e.said ILIKE ?{at} OFFSET 0)")
}

/// A search for words.
struct WordSearch<'s> {
    db: &'s dyn StoreConnection,
    patterns: &'s [String],
    person: Option<&'s str>,
}

/// What a statement looked at.
struct SearchedBatch {
    /// The debates with all words, newest first.
    found: Vec<DebateSummary>,
    /// When the oldest of those that were looked at was opened, and its id; `None` where there are no older ones.
    last: Option<(String, String)>,
}

impl WordSearch<'_> {
    /// That every word occurs in the debate of a row of `d`; adds their values.
    fn all_words_condition<'v>(&'v self, values: &mut Vec<&'v dyn ToSqlValue>) -> String {
        let mut wanted = vec!["TRUE".to_owned()];
        for pattern in self.patterns {
            values.push(pattern);
            wanted.push(has_word(values.len()));
        }
        wanted.join(" AND ")
    }

    /// That the person has a role in the debate `id`; adds the value.
    fn readable_condition<'v>(&'v self, values: &mut Vec<&'v dyn ToSqlValue>) -> String {
        let Some(person) = &self.person else { return "TRUE".to_owned() };
        values.push(person);
        HAS_ROLE.replace("?N", &format!("?{}", values.len()))
    }

    /// Looks at the `count` newest debates before `after`.
    fn search_batch(&self, count: u32, after: Option<&(String, String)>) -> Result<SearchedBatch> {
        let mut values: Vec<&dyn ToSqlValue> = vec![&count];
        let mut before = self.readable_condition(&mut values);
        if let Some((opened_at, id)) = after {
            values.extend([opened_at as &dyn ToSqlValue, id]);
            before = format!("{before} AND (opened_at, id) < (?{}, ?{})", values.len() - 1, values.len());
        }
        let some =
            format!("SELECT id, opened_at FROM debates WHERE {before} ORDER BY opened_at DESC, id DESC LIMIT ?1");
        let oldest = format!("SELECT opened_at, id FROM ({some}) s ORDER BY opened_at, id LIMIT 1");
        let last = self.db.query_first(&oldest, &values)?.map(SqlRow::read).transpose()?;
        let wanted = self.all_words_condition(&mut values);
        let sql = format!(
            "{SUMMARY} WHERE id IN (SELECT d.id FROM ({some}) d WHERE {wanted}) ORDER BY opened_at DESC, id DESC"
        );
        let found = self.db.query(&sql, &values)?.into_iter().map(SqlRow::read).collect::<Result<_, _>>()?;
        Ok(SearchedBatch { found, last })
    }

    /// In how many of some of the newest debates each word occurs.
    fn count_word_hits(&self) -> Result<Vec<i64>> {
        if self.patterns.len() < 2 {
            return Ok(vec![0; self.patterns.len()]);
        }
        let mut values: Vec<&dyn ToSqlValue> = vec![&SHARES_OF];
        let readable = self.readable_condition(&mut values);
        let first = values.len() + 1;
        values.extend(self.patterns.iter().map(|pattern| pattern as &dyn ToSqlValue));
        let counts: Vec<String> =
            (first..=values.len()).map(|at| format!("count(CASE WHEN {} THEN 1 END)", has_word(at))).collect();
        let sql = format!(
            "SELECT {} FROM (SELECT id FROM debates WHERE {readable} ORDER BY opened_at DESC, id DESC LIMIT ?1) d",
            counts.join(", ")
        );
        let Some(mut row) = self.db.query_first(&sql, &values)? else { return Ok(Vec::new()) };
        (0..self.patterns.len()).map(|at| row.take(at)).collect()
    }

    /// The debates with a word; `None` where too many entries have it.
    fn find_rare_matches(&self, pattern: &str) -> Result<Option<Vec<String>>> {
        let mut debates = self.db.query_texts(WITH_WORD, &[&pattern, &(RARE_MAX + 1)])?;
        if debates.len() > RARE_MAX as usize {
            return Ok(None);
        }
        debates.sort_unstable();
        debates.dedup();
        Ok(Some(debates))
    }

    /// Those of `debates` with all words, newest first, at most `limit`.
    fn search_among(&self, debates: &[String], limit: u32) -> Result<Vec<DebateSummary>> {
        if debates.is_empty() {
            return Ok(Vec::new());
        }
        // A name of a debate has no comma, so one value holds all.
        let names = debates.join(",");
        let mut values: Vec<&dyn ToSqlValue> = vec![&names, &limit];
        let (readable, wanted) = (self.readable_condition(&mut values), self.all_words_condition(&mut values));
        let sql = format!(
            "{SUMMARY} WHERE {readable} AND id IN (SELECT d.id FROM debates d
             WHERE d.id = ANY (string_to_array(?1, ',')) AND {wanted})
             ORDER BY opened_at DESC, id DESC LIMIT ?2"
        );
        self.db.query(&sql, &values)?.into_iter().map(SqlRow::read).collect()
    }
}
