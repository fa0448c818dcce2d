//! Labels of debates: words by which people keep debates, or find them.

use std::collections::BTreeMap;

use agon_core::DebateId;

use super::{
    DebateSummary, Journal, JournalError, Result, SUMMARY,
    storage::{IdChunk, SqlRow, ToSqlValue},
};

/// Longest label, in bytes.
pub const LABEL_BYTES_MAX: usize = 64;
/// Maximum number of labels of one debate.
pub const LABELS_MAX: usize = 32;

/// Whether `label` can be one: `a-z`, `0-9`, `-`, `_`, `.`, `:`, 1 to [`LABEL_BYTES_MAX`] bytes.
pub fn is_label(label: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.:".contains(&b);
    (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(plain)
}

impl Journal {
    /// Adds and removes labels of a debate; gives those that it has now, sorted.
    pub async fn update_labels(&self, debate: &DebateId, add: Vec<String>, remove: Vec<String>) -> Result<Vec<String>> {
        if self.find_summary(debate)?.is_none() {
            return Err(self.missing_debate_error(debate));
        }
        let id = debate.clone();
        self.transact(move |db| {
            let refused = |why: String| JournalError::Refused { debate: id.clone(), why };
            if let Some(wrong) = add.iter().find(|label| !is_label(label)) {
                return Err(refused(format!("{wrong:?} is not a label: use a-z, 0-9, - _ . and :")));
            }
            // The labels are counted before they are kept.
            db.lock_debate(&id)?;
            for label in &add {
                let sql = "INSERT INTO labels (debate, label) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                db.execute(sql, &[&id, &label])?;
            }
            for label in &remove {
                let sql = "DELETE FROM labels WHERE debate = ?1 AND label = ?2";
                db.execute(sql, &[&id, &label])?;
            }
            match db.query_count("SELECT count(*) FROM labels WHERE debate = ?1", &[&id])? {
                count if count > LABELS_MAX as u64 => {
                    Err(refused(format!("a debate can have {LABELS_MAX} labels, not {count}")))
                }
                _ => Ok(()),
            }
        })
        .await?;
        self.list_labels(debate)
    }

    /// The labels of a debate, sorted.
    pub fn list_labels(&self, debate: &DebateId) -> Result<Vec<String>> {
        let sql = "SELECT label FROM labels WHERE debate = ?1 ORDER BY label";
        self.read_store(|db| db.query_texts(sql, &[&debate]))
    }

    /// The labels of those of `debates` that have some, sorted.
    pub fn labels_of_debates(&self, debates: &[&DebateId]) -> Result<BTreeMap<DebateId, Vec<String>>> {
        let mut found: BTreeMap<DebateId, Vec<String>> = BTreeMap::new();
        for some in IdChunk::split_ids(debates, &[]) {
            let sql = format!("SELECT debate, label FROM labels WHERE debate IN ({}) ORDER BY label", some.places);
            for (debate, label) in self.read_rows(&sql, &some.values, |row| row.read())? {
                found.entry(debate).or_default().push(label);
            }
        }
        Ok(found)
    }

    /// Closed debates whose last entry is older than `before` (RFC 3339) and that have none of the labels `keep`;
    /// oldest first, at most `limit`.
    pub fn list_expired_debates(&self, before: &str, keep: &[String], limit: u32) -> Result<Vec<DebateSummary>> {
        let is_kept = match keep.len() {
            0 => String::new(),
            labels => {
                let places: Vec<String> = (3..labels + 3).map(|at| format!("?{at}")).collect();
                let places = places.join(", ");
                format!("AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.debate = debates.id AND l.label IN ({places}))")
            }
        };
        let sql =
            format!("{SUMMARY} WHERE outcome IS NOT NULL AND last_at < ?1 {is_kept} ORDER BY last_at, id LIMIT ?2");
        let mut values: Vec<&dyn ToSqlValue> = vec![&before, &limit];
        values.extend(keep.iter().map(|label| label as &dyn ToSqlValue));
        self.read_rows(&sql, &values, SqlRow::read)
    }
}
