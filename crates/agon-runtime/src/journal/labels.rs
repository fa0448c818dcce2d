//! Labels of debates: words by which people keep debates, or find them.

use agon_core::DebateId;
use rusqlite::params;

use super::{DebateSummary, Journal, JournalError, store};

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
    pub async fn label(
        &self,
        debate: &DebateId,
        add: Vec<String>,
        remove: Vec<String>,
    ) -> Result<Vec<String>, JournalError> {
        if self.summary(debate)?.is_none() {
            return Err(self.absent(debate));
        }
        let id = debate.clone();
        self.transact(move |db, path| {
            let refused = |why: String| JournalError::Refused { debate: id.clone(), why };
            if let Some(wrong) = add.iter().find(|label| !is_label(label)) {
                return Err(refused(format!("{wrong:?} is not a label: use a-z, 0-9, - _ . and :")));
            }
            let change = || -> rusqlite::Result<u32> {
                for label in &add {
                    db.execute(
                        "INSERT OR IGNORE INTO labels (debate, label) VALUES (?, ?)",
                        params![id.as_str(), label],
                    )?;
                }
                for label in &remove {
                    db.execute(
                        "DELETE FROM labels WHERE debate = ? AND label = ?",
                        params![id.as_str(), label],
                    )?;
                }
                db.query_row("SELECT count(*) FROM labels WHERE debate = ?", params![id.as_str()], |row| {
                    row.get(0)
                })
            };
            match change().map_err(|error| JournalError::sqlite(path, error))? {
                count if count as usize > LABELS_MAX => {
                    Err(refused(format!("a debate can have {LABELS_MAX} labels, not {count}")))
                }
                _ => Ok(()),
            }
        })
        .await?;
        self.labels(debate)
    }

    /// The labels of a debate, sorted.
    pub fn labels(&self, debate: &DebateId) -> Result<Vec<String>, JournalError> {
        self.reading(|db| {
            let mut rows = db.prepare_cached("SELECT label FROM labels WHERE debate = ? ORDER BY label")?;
            rows.query_map(params![debate.as_str()], |row| row.get(0))?.collect()
        })
    }

    /// Closed debates whose last entry is older than `before` (RFC 3339) and that have none of the labels `keep`;
    /// oldest first, at most `limit`.
    pub fn expired(
        &self,
        before: &str,
        keep: &[String],
        limit: u32,
    ) -> Result<Vec<DebateSummary>, JournalError> {
        let keep = serde_json::Value::from(keep).to_string();
        self.reading(|db| {
            let sql = format!(
                "{} WHERE outcome IS NOT NULL AND last_at < ?1 AND NOT EXISTS (
                     SELECT 1 FROM labels l WHERE l.debate = debates.id
                     AND l.label IN (SELECT value FROM json_each(?2)))
                 ORDER BY last_at, id LIMIT ?3",
                store::SUMMARY
            );
            db.prepare_cached(&sql)?.query_map(params![before, keep, limit], store::summary)?.collect()
        })
    }
}
