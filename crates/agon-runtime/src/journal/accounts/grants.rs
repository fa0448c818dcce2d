//! Who has which role in which debate.

use agon_core::{DebateId, Stamp};
use rusqlite::{Row, params};

use super::Decided;
use crate::{
    accounts::{AccountError, AuditEvent, DebateRole, Grant, PrincipalId},
    journal::{Journal, JournalError},
    time::stamp,
};

/// Maximum number of roles that are given in one debate.
const GRANTS_MAX: u32 = 500;

const COLUMNS: &str = "SELECT debate, principal, role, seat, granted_by, granted_at FROM grants";

fn grant(row: &Row<'_>) -> rusqlite::Result<Option<Grant>> {
    let (debate, role): (String, String) = (row.get(0)?, row.get(2)?);
    // A row that this version cannot read gives no right.
    let (Ok(debate), Some(role)) = (DebateId::new(debate), DebateRole::of(&role)) else { return Ok(None) };
    let seat: String = row.get(3)?;
    Ok(Some(Grant {
        debate,
        principal: super::principals::id(row, 1)?,
        role,
        seat: (!seat.is_empty()).then_some(seat),
        granted_by: row.get(4)?,
        granted_at: Stamp(row.get(5)?),
    }))
}

impl Journal {
    /// Gives a person a role in a debate; for one seat alone where `seat` says which. Giving it twice is giving it
    /// once.
    pub async fn grant(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        role: DebateRole,
        seat: Option<String>,
        audit: AuditEvent,
    ) -> Decided<()> {
        let audit = audit.within(debate).about(format!("{principal} {}", role.name()));
        let by = audit.principal.map_or_else(|| audit.via.clone(), |by| by.to_string());
        let debate = debate.to_string();
        self.account(move |db| {
            let sql = "SELECT count(*) FROM grants WHERE debate = ?";
            let count: u32 = db.prepare_cached(sql)?.query_row(params![debate], |row| row.get(0))?;
            if count >= GRANTS_MAX {
                return Ok(Err(AccountError::TooMany { what: "roles in a debate", most: GRANTS_MAX }));
            }
            let sql = "INSERT OR IGNORE INTO grants (debate, principal, role, seat, granted_by, granted_at)
                VALUES (?, ?, ?, ?, ?, ?)";
            let seat = seat.unwrap_or_default();
            let row = params![debate, principal.to_string(), role.name(), seat, by, stamp().0];
            db.prepare_cached(sql)?.execute(row)?;
            super::audit::write(db, &audit)?;
            Ok(Ok(()))
        })
        .await
    }

    /// Takes the roles of a person in a debate back, or the one called `role`; says how many there were.
    pub async fn ungrant(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        role: Option<DebateRole>,
        audit: AuditEvent,
    ) -> Decided<usize> {
        let what = role.map_or("all", DebateRole::name);
        let audit = audit.within(debate).about(format!("{principal} {what}"));
        let debate = debate.to_string();
        self.account(move |db| {
            let sql = "DELETE FROM grants WHERE debate = ? AND principal = ? AND (?3 IS NULL OR role = ?3)";
            let row = params![debate, principal.to_string(), role.map(DebateRole::name)];
            let count = db.prepare_cached(sql)?.execute(row)?;
            super::audit::write(db, &audit)?;
            Ok(Ok(count))
        })
        .await
    }

    /// The roles of a person in a debate.
    pub fn grants_of(&self, debate: &DebateId, principal: PrincipalId) -> Result<Vec<Grant>, JournalError> {
        let sql = format!("{COLUMNS} WHERE debate = ? AND principal = ? ORDER BY role, seat");
        self.reading(|db| {
            let mut rows = db.prepare_cached(&sql)?;
            let rows = rows.query_map(params![debate.as_str(), principal.to_string()], grant)?;
            rows.filter_map(Result::transpose).collect()
        })
    }

    /// All roles in a debate.
    pub fn grants_in(&self, debate: &DebateId) -> Result<Vec<Grant>, JournalError> {
        let sql = format!("{COLUMNS} WHERE debate = ? ORDER BY principal, role, seat");
        self.reading(|db| {
            let mut rows = db.prepare_cached(&sql)?;
            let rows = rows.query_map(params![debate.as_str()], grant)?;
            rows.filter_map(Result::transpose).collect()
        })
    }

    /// Whether a person has a role in a debate.
    pub fn has_role_in(&self, debate: &DebateId, principal: PrincipalId) -> Result<bool, JournalError> {
        let sql = "SELECT 1 FROM grants WHERE debate = ? AND principal = ?";
        self.reading(|db| db.prepare_cached(sql)?.exists(params![debate.as_str(), principal.to_string()]))
    }
}
