//! The audit: rows are added, never changed; triggers of the database refuse everything else.

use super::is_storable;
use crate::{
    Journal, Result,
    accounts::{AuditEvent, AuditFilter, AuditLine},
    storage::{SqlRow, StoreConnection},
    time::current_stamp,
};

/// Longest text in a line, in characters.
const TEXT_CHARS_MAX: usize = 200;

/// Adds a line, in the transaction of what it tells.
pub(super) fn write_audit_event(db: &dyn StoreConnection, event: &AuditEvent) -> Result<()> {
    // What people sent may hold a NUL, which not every store takes.
    let short = |text: &String| text.replace('\0', " ").chars().take(TEXT_CHARS_MAX).collect::<String>();
    let AuditEvent { principal, via, action, debate, target, result, address } = event;
    let sql = "INSERT INTO audit (at, principal, via, action, debate, target, result, address)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let (now, via, result) = (current_stamp(), short(via), short(result));
    let [debate, target, address] = [debate, target, address].map(|text| text.as_ref().map(short));
    db.execute(sql, &[&now, principal, &via, action, &debate, &target, &result, &address]).map(drop)
}

impl Journal {
    /// Writes down what someone did, or was refused.
    pub async fn record_audit_event(&self, event: AuditEvent) -> Result<()> {
        self.transact(move |db| write_audit_event(db, &event)).await
    }

    /// The newest lines that `filter` lets through, at most `limit`, newest first.
    pub fn list_audit_lines(&self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditLine>> {
        if ![&filter.debate, &filter.action].into_iter().flatten().all(|text| is_storable(text)) {
            return Ok(Vec::new());
        }
        let sql = "SELECT number, at, principal, via, action, debate, target, result, address FROM audit
            WHERE (CAST(?1 AS TEXT) IS NULL OR principal = ?1 OR target = ?1)
            AND (CAST(?2 AS TEXT) IS NULL OR debate = ?2) AND (CAST(?3 AS TEXT) IS NULL OR action = ?3)
            AND (CAST(?4 AS BIGINT) IS NULL OR number < ?4)
            ORDER BY number DESC LIMIT ?5";
        let AuditFilter { principal, debate, action, before } = filter;
        self.read_rows(sql, &[principal, debate, action, before, &limit], SqlRow::read)
    }
}
