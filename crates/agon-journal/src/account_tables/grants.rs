//! Who has which role in which debate.

use agon_core::DebateId;

use super::Decided;
use crate::{
    DebateSummary, Journal, Result, SUMMARY,
    accounts::{AccountError, AuditEvent, DebateRole, Grant, GrantsTaken, PrincipalId},
    leases::end_leases,
    storage::SqlRow,
    time::current_stamp,
};

/// Maximum number of roles that are given in one debate.
const GRANTS_MAX: u32 = 500;

const COLUMNS: &str = "SELECT debate, principal, role, seat, granted_by, granted_at FROM grants";

fn read_grant(row: SqlRow) -> Result<Option<Grant>> {
    let (debate, principal, role, seat, granted_by, granted_at): (String, _, String, Option<String>, _, _) =
        row.read()?;
    // A row that this version cannot read gives no right.
    let (Ok(debate), Some(role)) = (DebateId::new(debate), DebateRole::parse(&role)) else { return Ok(None) };
    let seat = seat.filter(|seat| !seat.is_empty());
    Ok(Some(Grant { debate, principal, role, seat, granted_by, granted_at }))
}

impl Journal {
    /// Gives a person a role in a debate; for one seat alone where `seat` says which. Giving it twice is giving it
    /// once.
    pub async fn grant_role(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        role: DebateRole,
        seat: Option<String>,
        audit: AuditEvent,
    ) -> Decided<()> {
        let at = seat.as_ref().map(|seat| format!(" at {seat}")).unwrap_or_default();
        let audit = audit.with_debate(debate).with_target(format!("{principal} {}{at}", role.name()));
        let by = audit.principal.map_or_else(|| audit.via.clone(), |by| by.to_string());
        let (debate, seat) = (debate.clone(), seat.unwrap_or_default());
        self.audited_account(audit, move |db| {
            let given = db.query_count("SELECT count(*) FROM grants WHERE debate = ?1", &[&debate])?;
            if given >= GRANTS_MAX.into() {
                return Err(AccountError::TooMany { what: "roles in a debate", most: GRANTS_MAX });
            }
            let sql = "INSERT INTO grants (debate, principal, role, seat, granted_by, granted_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
            Ok(db.execute(sql, &[&debate, &principal, &role.name(), &seat, &by, &current_stamp()]).map(drop)?)
        })
        .await
    }

    /// Gives everyone who has a role in the debate `of` the same in its companion, if nobody has one there: roles that were
    /// taken back there stay taken back.
    pub async fn copy_grants(&self, of: &DebateId, companion: &DebateId) -> Decided<()> {
        if self.grants_in(of)?.is_empty() || !self.grants_in(companion)?.is_empty() {
            return Ok(());
        }
        let audit = AuditEvent { via: "companion".into(), ..AuditEvent::on_command_line("grant_role") };
        let audit = audit.with_debate(companion).with_target(of);
        let sql = "INSERT INTO grants (debate, principal, role, seat, granted_by, granted_at)
            SELECT CAST(?2 AS TEXT), principal, role, seat, granted_by, CAST(?3 AS TEXT) FROM grants
            WHERE debate = ?1 ON CONFLICT DO NOTHING";
        self.execute_audited(audit, sql, &[&of, &companion, &current_stamp()]).await
    }

    /// Takes roles of a person in a debate back; says how many there were.
    pub async fn revoke_roles(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        which: GrantsTaken,
        audit: AuditEvent,
    ) -> Decided<usize> {
        let (role, seat) = match which {
            GrantsTaken::All => (None, None),
            GrantsTaken::Role(role) => (Some(role.name()), None),
            GrantsTaken::One(role, seat) => (Some(role.name()), Some(seat.unwrap_or_default())),
        };
        let at = seat.as_ref().filter(|seat| !seat.is_empty()).map(|seat| format!(" at {seat}"));
        let told = format!("{principal} {}{}", role.unwrap_or("all"), at.unwrap_or_default());
        let audit = audit.with_debate(debate).with_target(told);
        let debate = debate.clone();
        self.audited_account(audit, move |db| {
            let sql = "DELETE FROM grants WHERE debate = ?1 AND principal = ?2
                AND (CAST(?3 AS TEXT) IS NULL OR role = ?3) AND (CAST(?4 AS TEXT) IS NULL OR seat = ?4)";
            let taken = db.execute(sql, &[&debate, &principal, &role, &seat])?;
            // Who answers with a role that is left claims the seat again.
            if taken > 0 {
                end_leases(db, Some(&debate), principal)?;
            }
            Ok(usize::try_from(taken).unwrap_or(usize::MAX))
        })
        .await
    }

    /// The roles of a person in a debate.
    pub fn grants_of(&self, debate: &DebateId, principal: PrincipalId) -> Result<Vec<Grant>> {
        let sql = format!("{COLUMNS} WHERE debate = ?1 AND principal = ?2 ORDER BY role, seat");
        Ok(self.read_rows(&sql, &[&debate, &principal], read_grant)?.into_iter().flatten().collect())
    }

    /// All roles in a debate.
    pub fn grants_in(&self, debate: &DebateId) -> Result<Vec<Grant>> {
        let sql = format!("{COLUMNS} WHERE debate = ?1 ORDER BY principal, role, seat");
        Ok(self.read_rows(&sql, &[&debate], read_grant)?.into_iter().flatten().collect())
    }

    /// The debates in which a person has a role, newest first, at most `limit`.
    pub fn list_for(&self, principal: PrincipalId, limit: u32) -> Result<Vec<DebateSummary>> {
        let has_role = super::HAS_ROLE.replace("?N", "?1");
        let sql = format!("{SUMMARY} WHERE {has_role} ORDER BY opened_at DESC, id DESC LIMIT ?2");
        self.read_rows(&sql, &[&principal, &limit], SqlRow::read)
    }
}
