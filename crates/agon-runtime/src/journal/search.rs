//! Finding debates by words of their motion or of what was said in them.

use rusqlite::ToSql;

use super::{DebateSummary, Journal, JournalError, store};

/// Maximum number of words that are looked for; further ones are not.
const WORDS_MAX: usize = 8;
/// Longest word that is looked for, in characters; a longer one is cut.
const WORD_CHARS_MAX: usize = 100;

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

impl Journal {
    /// The debates in which every word of `query` occurs, newest first, at most `limit`. Words are
    /// looked for within words; upper and lower case are the same for the letters a to z. What was
    /// redacted is not found.
    pub fn search(&self, query: &str, limit: u32) -> Result<Vec<DebateSummary>, JournalError> {
        let words: Vec<&str> = query.split_whitespace().take(WORDS_MAX).collect();
        let wanted = words.iter().enumerate().map(|(at, word)| {
            // In a line these are written otherwise.
            let is_written_so = !word.contains(|c: char| matches!(c, '"' | '\\') || c.is_control());
            let has_word = HAS_WORD.replace("/*line*/", if is_written_so { IN_LINE } else { "" });
            has_word.replace("?N", &format!("?{}", at + 1))
        });
        let wanted = wanted.collect::<Vec<_>>().join(" AND ");
        let words: Vec<String> = words.into_iter().map(pattern).collect();
        let wanted = if wanted.is_empty() { "1".to_owned() } else { wanted };
        self.reading(|db| {
            let limit_at = words.len() + 1;
            let sql = format!(
                "{} WHERE {wanted} ORDER BY opened_at DESC, id DESC LIMIT ?{limit_at}",
                store::SUMMARY
            );
            let mut values: Vec<&dyn ToSql> = words.iter().map(|word| word as &dyn ToSql).collect();
            values.push(&limit);
            let mut rows = db.prepare(&sql)?;
            rows.query_map(values.as_slice(), store::summary)?.collect()
        })
    }
}

/// A `LIKE` pattern in which every character of `word` stands for itself.
fn pattern(word: &str) -> String {
    let mut pattern = String::from("%");
    for c in word.chars().take(WORD_CHARS_MAX) {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}
