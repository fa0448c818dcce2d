//! The audit: rows are added, never changed; triggers of the database refuse everything else.

use agon_core::Stamp;
use rusqlite::{Connection, params};

use crate::{
    accounts::{AuditEvent, AuditFilter, AuditLine},
    journal::{Journal, JournalError},
    time::stamp,
};

/// Longest text in a line, in characters.
const TEXT_CHARS_MAX: usize = 200;

/// Adds a line, in the transaction of what it tells.
pub(super) fn write(db: &Connection, event: &AuditEvent) -> rusqlite::Result<()> {
    let short = |text: &String| text.chars().take(TEXT_CHARS_MAX).collect::<String>();
    let AuditEvent { principal, via, action, debate, target, result, address } = event;
    let sql = "INSERT INTO audit (at, principal, via, action, debate, target, result, address)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let row = params![
        stamp().0,
        principal.map(|id| id.to_string()),
        short(via),
        action,
        debate.as_ref().map(short),
        target.as_ref().map(short),
        short(result),
        address.as_ref().map(short),
    ];
    db.prepare_cached(sql)?.execute(row).map(drop)
}

impl Journal {
    /// Writes down what someone did, or was refused.
    pub async fn audit(&self, event: AuditEvent) -> Result<(), JournalError> {
        self.transact(move |db, path| write(db, &event).map_err(|error| JournalError::sqlite(path, error)))
            .await
    }

    /// The newest lines that `filter` lets through, at most `limit`, newest first.
    pub fn audited(&self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditLine>, JournalError> {
        let sql = "SELECT number, at, principal, via, action, debate, target, result, address FROM audit
            WHERE (?1 IS NULL OR principal = ?1 OR target = ?1) AND (?2 IS NULL OR debate = ?2)
            AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR at >= ?4) AND (?5 IS NULL OR number < ?5)
            ORDER BY number DESC LIMIT ?6";
        self.reading(|db| {
            let principal = filter.principal.map(|id| id.to_string());
            let since = filter.since.as_ref().map(|since| &since.0);
            let wanted = params![principal, filter.debate, filter.action, since, filter.before, limit];
            let mut rows = db.prepare_cached(sql)?;
            let lines = rows.query_map(wanted, |row| {
                Ok(AuditLine {
                    number: row.get(0)?,
                    at: Stamp(row.get(1)?),
                    principal: row.get(2)?,
                    via: row.get(3)?,
                    action: row.get(4)?,
                    debate: row.get(5)?,
                    target: row.get(6)?,
                    result: row.get(7)?,
                    address: row.get(8)?,
                })
            })?;
            lines.collect()
        })
    }
}
