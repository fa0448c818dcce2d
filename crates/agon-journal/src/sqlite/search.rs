//! Finding debates by words of their motion or of what was said in them.
//!
//! An index of runs of three characters names the debates that may contain a word; their entries are then read to
//! see whether they do. Debates that the index does not hold yet are read as well, so a search is complete at any time.

use agon_core::DebateId;

use super::super::{
    DebateSummary, Result, SUMMARY,
    account_tables::HAS_ROLE,
    search::like_pattern,
    storage::{DebateQuery, DebateSearch, SqlRow, StoreConnection, ToSqlValue},
};

/// Characters of one entry of the index. Shorter words are looked for without it.
const TRIGRAM: usize = 3;
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
const NEWEST: &str = "id IN (SELECT id FROM debates WHERE /*of*/ ORDER BY opened_at DESC, id DESC LIMIT ?N)";

/// Debates to index: closed, or unchanged for a minute, so that a debate in progress is not indexed at every entry.
const TO_INDEX: &str = "SELECT d.id FROM debates d LEFT JOIN searchable s ON s.debate = d.id
    WHERE s.length IS NOT d.length
    AND (d.outcome IS NOT NULL OR d.last_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-60 seconds'))
    ORDER BY d.opened_at DESC LIMIT ?1";

/// Runs of three characters, in a full-text index of SQLite.
pub(super) struct TrigramIndex;

impl DebateSearch for TrigramIndex {
    fn find_debates(&self, db: &dyn StoreConnection, query: &DebateQuery<'_>) -> Result<Vec<DebateSummary>> {
        let DebateQuery { words, person, limit } = *query;
        let has_words = words.iter().enumerate().map(|(at, word)| {
            // In a line these are written otherwise.
            let is_written_so = !word.contains(|c: char| matches!(c, '"' | '\\') || c.is_control());
            let has_word = HAS_WORD.replace("/*line*/", if is_written_so { IN_LINE } else { "" });
            has_word.replace("?N", &format!("?{}", at + 1))
        });
        let has_words = has_words.collect::<Vec<_>>().join(" AND ");
        let patterns: Vec<String> = words.iter().map(|word| like_pattern(word)).collect();
        let mut values: Vec<&dyn ToSqlValue> = patterns.iter().map(|pattern| pattern as &dyn ToSqlValue).collect();
        values.push(&limit);
        let limit_at = values.len();
        values.extend(person.iter().map(|person| person as &dyn ToSqlValue));
        let of_person = person.map_or_else(|| "1".into(), |_| HAS_ROLE.replace("?N", &format!("?{}", limit_at + 1)));
        let debates = |candidates: String, values: &[&dyn ToSqlValue]| {
            let wanted = [&of_person, &candidates, &has_words].into_iter().filter(|wanted| !wanted.is_empty());
            let wanted = wanted.map(String::as_str).collect::<Vec<_>>().join(" AND ");
            let sql = format!("{SUMMARY} WHERE {wanted} ORDER BY opened_at DESC, id DESC LIMIT ?{limit_at}");
            db.query(&sql, values)?.into_iter().map(SqlRow::read).collect::<Result<Vec<_>, _>>()
        };
        let Some(trigrams) = trigram_query(words) else { return debates(String::new(), &values) };
        // A word that most debates have is found in the newest; the index would name them all.
        let newest = NEWEST.replace("?N", &format!("?{limit_at}")).replace("/*of*/", &of_person);
        let newest = debates(newest, &values)?;
        if newest.len() >= limit as usize {
            return Ok(newest);
        }
        values.push(&trigrams);
        debates(CANDIDATES.replace("?N", &format!("?{}", values.len())), &values)
    }

    fn list_unindexed(&self, db: &dyn StoreConnection, limit: u32) -> Result<Vec<DebateId>> {
        db.query(TO_INDEX, &[&limit])?.into_iter().map(|mut row| row.take(0)).collect()
    }

    fn index(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<()> {
        if let Some(mut row) = db.query_first("SELECT number FROM searchable WHERE debate = ?1", &[&debate])? {
            let number: i64 = row.take(0)?;
            db.execute("DELETE FROM search_index WHERE rowid = ?1", &[&number])?;
            db.execute("DELETE FROM searchable WHERE number = ?1", &[&number])?;
        }
        let row = db.query_first("SELECT motion, length FROM debates WHERE id = ?1", &[&debate])?;
        let Some(row) = row else { return Ok(()) };
        let (mut text, length): (String, i64) = row.read()?;
        let said = "SELECT json_extract(line, '$.what.answered.reply.said.text') FROM entries
                    WHERE debate = ?1 AND kind = 'answered'";
        for mut row in db.query(said, &[&debate])? {
            if let Some(said) = row.take::<Option<String>>(0)? {
                text.push('\n');
                text.push_str(&said);
            }
        }
        db.execute("INSERT INTO searchable (debate, length) VALUES (?1, ?2)", &[&debate, &length])?;
        let sql = "INSERT INTO search_index (rowid, text)
                   SELECT number, ?2 FROM searchable WHERE debate = ?1";
        db.execute(sql, &[&debate, &text]).map(drop)
    }

    fn is_indexed(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<bool> {
        let sql = "SELECT 1 FROM searchable s JOIN debates d ON d.id = s.debate AND d.length = s.length
                   WHERE s.debate = ?1";
        db.has_row(sql, &[&debate])
    }
}

/// What the index must hold of each of `words`; `None` if they are all too short for it.
fn trigram_query(words: &[String]) -> Option<String> {
    let mut wanted = Vec::new();
    for word in words.iter().filter(|word| !word.contains('\0')) {
        let chars: Vec<char> = word.chars().collect();
        for run in chars.windows(TRIGRAM) {
            wanted.push(format!("\"{}\"", String::from_iter(run).replace('"', "\"\"")));
        }
    }
    (!wanted.is_empty()).then(|| wanted.join(" AND "))
}
