//! Finding debates by words of their motion or of what was said in them.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use agon_core::DebateId;

use super::{
    DebateSummary, Journal, Result, SUMMARY,
    storage::{DebateQuery, IdChunk, SqlRow},
};
use crate::accounts::PrincipalId;

/// Maximum number of words that are looked for; further ones are not.
const SEARCHED_WORDS_MAX: usize = 8;
/// Longest word that is looked for, in characters; a longer one is cut.
const WORD_CHARS_MAX: usize = 100;
/// Maximum number of debates that are indexed in one transaction, so that other writers do not wait for long.
const INDEXED_AT_ONCE: u32 = 16;

/// The words of `query`, as many as are looked for. What stands between two double quotes counts as one word, with the
/// blanks in it.
pub fn split_query(query: &str) -> Vec<String> {
    let (mut words, mut rest) = (Vec::new(), query.trim_start());
    while !rest.is_empty() && words.len() < SEARCHED_WORDS_MAX {
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        let (word, after) = quoted.unwrap_or_else(|| rest.split_once(char::is_whitespace).unwrap_or((rest, "")));
        let word: String = word.trim().chars().take(WORD_CHARS_MAX).collect();
        words.extend(Some(word).filter(|word| !word.is_empty()));
        rest = after.trim_start();
    }
    words
}

impl Journal {
    /// The debates in which every word of `query` occurs, newest first, at most `limit`. Words are
    /// looked for within words, and text between double quotes as it is; upper and lower case are the same for the
    /// letters a to z. What was redacted is not found.
    pub fn search_debates(&self, query: &str, limit: u32) -> Result<Vec<DebateSummary>> {
        self.search_of(None, query, limit)
    }

    /// The same, of the debates in which a person has a role.
    pub fn search_for(&self, person: PrincipalId, query: &str, limit: u32) -> Result<Vec<DebateSummary>> {
        self.search_of(Some(&person.to_string()), query, limit)
    }

    /// The debates whose id begins like `start`, newest first, at most `limit`.
    ///
    /// # Errors
    ///
    /// Where the journal cannot be read.
    pub fn list_beginning(&self, start: &DebateId, limit: u32) -> Result<Vec<DebateSummary>> {
        // No character of an id means more than itself in a pattern.
        let beginning = format!("{start}%");
        let sql = format!("{SUMMARY} WHERE id LIKE ?1 ORDER BY opened_at DESC, id DESC LIMIT ?2");
        self.read_rows(&sql, &[&beginning, &limit], SqlRow::read)
    }

    fn search_of(&self, person: Option<&str>, query: &str, limit: u32) -> Result<Vec<DebateSummary>> {
        let words = split_query(query);
        self.read_store(|db| self.store.debate_search().find_debates(db, &DebateQuery { words: &words, person, limit }))
    }

    /// Those of `debates` with a ruling that names `ruled`, or an opening that names `opened`: each a word in quotes of
    /// the entry's line, so that few of them have to be read. There can be more than really say it.
    ///
    /// # Errors
    ///
    /// Where the journal cannot be read.
    pub fn that_name(&self, debates: &[&DebateId], ruled: &str, opened: &str) -> Result<BTreeSet<DebateId>> {
        let (ruled, opened) = (like_pattern(&format!("\"{ruled}\"")), like_pattern(&format!("\"{opened}\"")));
        let mut found = BTreeSet::new();
        for some in IdChunk::split_ids(debates, &[&ruled, &opened]) {
            let places = &some.places;
            // The key lets an index find the rulings.
            let sql = format!(
                r"SELECT DISTINCT debate FROM entries WHERE debate IN ({places}) AND kind = 'ruled'
                  AND key IS NOT NULL AND line LIKE ?1 ESCAPE '\'
                  UNION SELECT debate FROM entries WHERE debate IN ({places}) AND seq = 0
                  AND line LIKE ?2 ESCAPE '\'"
            );
            found.extend(self.read_rows(&sql, &some.values, |mut row| row.take::<DebateId>(0))?);
        }
        Ok(found)
    }

    /// Those of `debates` in which `person`, as records call them, answered from outside or acted.
    ///
    /// # Errors
    ///
    /// Where the journal cannot be read.
    pub fn debates_of_person(&self, debates: &[&DebateId], person: &str) -> Result<BTreeSet<DebateId>> {
        let names = |field: &str, name: &str| like_pattern(&format!("{field}{}", serde_json::json!(name)));
        let (answered, acted) = (names(r#""participant":"#, &format!("outside:{person}")), names(r#""by":"#, person));
        let mut found = BTreeSet::new();
        for some in IdChunk::split_ids(debates, &[&answered, &acted]) {
            let sql = format!(
                r"SELECT DISTINCT debate FROM entries WHERE debate IN ({})
                  AND (kind = 'answered' AND line LIKE ?1 ESCAPE '\' OR kind = 'acted' AND line LIKE ?2 ESCAPE '\')",
                some.places
            );
            found.extend(self.read_rows(&sql, &some.values, |mut row| row.take::<DebateId>(0))?);
        }
        Ok(found)
    }

    /// Adds debates to the index until all are in it or `time` has passed; gives how many were added. Newest first.
    pub async fn index_for_search(&self, time: Duration) -> Result<usize> {
        let until = Instant::now() + time;
        let search = self.store.debate_search();
        let mut indexed = 0;
        loop {
            let debates = self.read_store(|db| search.list_unindexed(db, INDEXED_AT_ONCE))?;
            if debates.is_empty() {
                return Ok(indexed);
            }
            indexed += debates.len();
            self.transact(move |db| debates.iter().try_for_each(|debate| search.index(db, debate))).await?;
            if Instant::now() >= until {
                return Ok(indexed);
            }
        }
    }

    /// Whether the index holds a debate as it stands now.
    pub fn is_indexed(&self, debate: &DebateId) -> Result<bool> {
        self.read_store(|db| self.store.debate_search().is_indexed(db, debate))
    }
}

/// A `LIKE` pattern in which every character of `word` stands for itself.
pub(super) fn like_pattern(word: &str) -> String {
    let mut pattern = String::from("%");
    for c in word.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}
