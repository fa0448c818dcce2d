//! Finding debates by words of their motion or of what was said in them.
//!
//! An index of runs of three characters names the debates that may contain a word; their entries are then read to
//! see whether they do. Debates that the index does not hold yet are read as well, so a search is complete at any time.

use std::time::{Duration, Instant};

use agon_core::DebateId;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::{DebateSummary, Journal, JournalError, store};

/// Maximum number of words that are looked for; further ones are not.
const WORDS_MAX: usize = 8;
/// Longest word that is looked for, in characters; a longer one is cut.
const WORD_CHARS_MAX: usize = 100;
/// Characters of one entry of the index. Shorter words are looked for without it.
const TRIGRAM: usize = 3;
/// Maximum number of debates that are indexed in one transaction, so that other writers do not wait for long.
const INDEXED_AT_ONCE: u32 = 16;

/// One word, in the motion or in a text that may still be shown.
const HAS_WORD: &str = r"(motion LIKE ?N ESCAPE '\' OR EXISTS (
    SELECT 1 FROM entries e WHERE e.debate = debates.id AND e.kind = 'answered' /*line*/
    AND json_extract(e.line, '$.what.answered.reply.said.text') LIKE ?N ESCAPE '\'
    AND NOT EXISTS (
        SELECT 1 FROM entries r WHERE r.debate = e.debate AND r.kind = 'ruled'
        AND json_extract(r.line, '$.what.ruled.ruling.kind') = 'redacted'
        AND json_extract(r.line, '$.what.ruled.ruling.data.key') = e.key)))";

/// Tried first, since taking a line apart is expensive: a text with the word makes a line with it.
const IN_LINE: &str = r"AND e.line LIKE ?N ESCAPE '\'";

/// The debates that may contain the words, and those that changed since they were indexed.
const CANDIDATES: &str = "id IN (
    SELECT s.debate FROM search_index JOIN searchable s ON s.number = search_index.rowid WHERE search_index MATCH ?N
    UNION ALL
    SELECT d.id FROM debates d LEFT JOIN searchable s ON s.debate = d.id WHERE s.length IS NOT d.length)";

/// As many of the newest debates as are wanted.
const NEWEST: &str = "id IN (SELECT id FROM debates ORDER BY opened_at DESC, id DESC LIMIT ?N)";

/// Debates to index: closed, or unchanged for a minute, so that a debate in progress is not indexed at every entry.
const TO_INDEX: &str = "SELECT d.id FROM debates d LEFT JOIN searchable s ON s.debate = d.id
    WHERE s.length IS NOT d.length
    AND (d.outcome IS NOT NULL OR d.last_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-60 seconds'))
    ORDER BY d.opened_at DESC LIMIT ?";

impl Journal {
    /// The debates in which every word of `query` occurs, newest first, at most `limit`. Words are
    /// looked for within words; upper and lower case are the same for the letters a to z. What was
    /// redacted is not found.
    pub fn search(&self, query: &str, limit: u32) -> Result<Vec<DebateSummary>, JournalError> {
        let words: Vec<String> = query
            .split_whitespace()
            .take(WORDS_MAX)
            .map(|word| word.chars().take(WORD_CHARS_MAX).collect())
            .collect();
        let has_words = words.iter().enumerate().map(|(at, word)| {
            // In a line these are written otherwise.
            let is_written_so = !word.contains(|c: char| matches!(c, '"' | '\\') || c.is_control());
            let has_word = HAS_WORD.replace("/*line*/", if is_written_so { IN_LINE } else { "" });
            has_word.replace("?N", &format!("?{}", at + 1))
        });
        let has_words = has_words.collect::<Vec<_>>().join(" AND ");
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        for word in &words {
            values.push(Box::new(pattern(word)));
        }
        values.push(Box::new(limit));
        let limit_at = values.len();
        let debates = |candidates: String, values: &[Box<dyn ToSql>]| {
            let wanted = [candidates.as_str(), &has_words].into_iter().filter(|wanted| !wanted.is_empty());
            let wanted = wanted.collect::<Vec<_>>().join(" AND ");
            let wanted = if wanted.is_empty() { "1" } else { &wanted };
            self.reading(|db| {
                let sql = format!(
                    "{} WHERE {wanted} ORDER BY opened_at DESC, id DESC LIMIT ?{limit_at}",
                    store::SUMMARY
                );
                let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
                let mut rows = db.prepare(&sql)?;
                rows.query_map(values.as_slice(), store::summary)?.collect::<rusqlite::Result<Vec<_>>>()
            })
        };
        let Some(trigrams) = trigrams(&words) else { return debates(String::new(), &values) };
        // A word that most debates have is found in the newest; the index would name them all.
        let newest = debates(NEWEST.replace("?N", &format!("?{limit_at}")), &values)?;
        if newest.len() >= limit as usize {
            return Ok(newest);
        }
        values.push(Box::new(trigrams));
        debates(CANDIDATES.replace("?N", &format!("?{}", values.len())), &values)
    }

    /// Adds debates to the index until all are in it or `time` has passed; gives how many were added. Newest first.
    pub async fn index_for_search(&self, time: Duration) -> Result<usize, JournalError> {
        let until = Instant::now() + time;
        let mut indexed = 0;
        loop {
            let debates = self.reading(|db| {
                let mut rows = db.prepare_cached(TO_INDEX)?;
                let ids = rows.query_map(params![INDEXED_AT_ONCE], |row| row.get::<_, String>(0))?;
                ids.collect::<rusqlite::Result<Vec<String>>>()
            })?;
            if debates.is_empty() {
                return Ok(indexed);
            }
            indexed += debates.len();
            self.transact(move |db, path| {
                let added = debates.iter().try_for_each(|debate| index(db, debate));
                added.map_err(|error| JournalError::sqlite(path, error))
            })
            .await?;
            if Instant::now() >= until {
                return Ok(indexed);
            }
        }
    }

    /// Whether the index holds a debate as it stands now.
    pub fn is_indexed(&self, debate: &DebateId) -> Result<bool, JournalError> {
        self.reading(|db| {
            let sql = "SELECT 1 FROM searchable s JOIN debates d ON d.id = s.debate AND d.length = s.length
                       WHERE s.debate = ?";
            db.prepare_cached(sql)?.exists(params![debate.as_str()])
        })
    }
}

/// Puts a debate as it stands into the index, in place of what the index held of it.
fn index(db: &Connection, debate: &str) -> rusqlite::Result<()> {
    let mut known = db.prepare_cached("SELECT number FROM searchable WHERE debate = ?")?;
    let known: Option<i64> = known.query_row(params![debate], |row| row.get(0)).optional()?;
    if let Some(number) = known {
        db.prepare_cached("DELETE FROM search_index WHERE rowid = ?")?.execute(params![number])?;
        db.prepare_cached("DELETE FROM searchable WHERE number = ?")?.execute(params![number])?;
    }
    let (mut text, length): (String, i64) = db
        .prepare_cached("SELECT motion, length FROM debates WHERE id = ?")?
        .query_row(params![debate], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut said = db.prepare_cached(
        "SELECT json_extract(line, '$.what.answered.reply.said.text') FROM entries
         WHERE debate = ? AND kind = 'answered'",
    )?;
    let mut rows = said.query(params![debate])?;
    while let Some(row) = rows.next()? {
        if let Some(said) = row.get::<_, Option<String>>(0)? {
            text.push('\n');
            text.push_str(&said);
        }
    }
    db.prepare_cached("INSERT INTO searchable (debate, length) VALUES (?, ?)")?
        .execute(params![debate, length])?;
    db.prepare_cached("INSERT INTO search_index (rowid, text) VALUES (?, ?)")?
        .execute(params![db.last_insert_rowid(), text])?;
    Ok(())
}

/// What the index must hold of each of `words`; `None` if they are all too short for it.
fn trigrams(words: &[String]) -> Option<String> {
    let mut wanted = Vec::new();
    for word in words.iter().filter(|word| !word.contains('\0')) {
        let chars: Vec<char> = word.chars().collect();
        for run in chars.windows(TRIGRAM) {
            wanted.push(format!("\"{}\"", String::from_iter(run).replace('"', "\"\"")));
        }
    }
    (!wanted.is_empty()).then(|| wanted.join(" AND "))
}

/// A `LIKE` pattern in which every character of `word` stands for itself.
fn pattern(word: &str) -> String {
    let mut pattern = String::from("%");
    for c in word.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}
