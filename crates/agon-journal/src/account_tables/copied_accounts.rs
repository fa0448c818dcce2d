//! What of accounts goes along when a journal is copied: people with their quotas and identities, and their roles in
//! debates. What proves a person stays where it was made (passwords, passkeys, sessions, tokens, links), and so do the right to
//! administer a server and the audit.

use agon_core::DebateId;

use crate::{
    Journal, Result,
    accounts::AuditEvent,
    storage::{SqlCell, StoreConnection, execute_for_each, query_cells},
};

type Cells = Vec<SqlCell>;

const PEOPLE: &str = "SELECT id, login, display, state, created_at, debates_per_day, open_debates, cost_microusd
    FROM principals ORDER BY id";
const IDENTITIES: &str = "SELECT issuer, subject, principal FROM identities ORDER BY issuer, subject";
const ADD_PERSON: &str =
    "INSERT INTO principals (id, login, display, state, created_at, debates_per_day, open_debates, cost_microusd)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING";
const ADD_IDENTITY: &str =
    "INSERT INTO identities (issuer, subject, principal) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";

const GRANTS: &str = "SELECT debate, principal, role, seat, granted_by, granted_at FROM grants WHERE debate = ?1
    ORDER BY principal, role, seat";
const START: &str = "SELECT debate, principal, at, cost_max FROM debate_starts WHERE debate = ?1";
/// Roles of people whom the target does not have are left out.
const ADD_GRANT: &str = "INSERT INTO grants (debate, principal, role, seat, granted_by, granted_at)
    SELECT CAST(?1 AS TEXT), id, CAST(?3 AS TEXT), CAST(?4 AS TEXT), CAST(?5 AS TEXT), CAST(?6 AS TEXT)
    FROM principals WHERE id = ?2 ON CONFLICT DO NOTHING";
const ADD_START: &str = "INSERT INTO debate_starts (number, principal, debate, at, cost_max)
    SELECT (SELECT coalesce(max(number), 0) + 1 FROM debate_starts), id, CAST(?1 AS TEXT), CAST(?3 AS TEXT),
    CAST(?4 AS BIGINT) FROM principals WHERE id = ?2 ON CONFLICT DO NOTHING";

/// How many people were copied.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CopiedPeople {
    /// People whom the target did not have.
    pub copied: u64,
    /// People whose login name another person has in the target.
    pub left_out: u64,
}

/// Who may do what in one debate, and whose quota it counts against.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DebateRoles {
    grants: Vec<Cells>,
    start: Vec<Cells>,
}

impl DebateRoles {
    pub(crate) fn read(db: &dyn StoreConnection, debate: &DebateId) -> Result<Self> {
        Ok(Self { grants: query_cells(db, GRANTS, &[&debate])?, start: query_cells(db, START, &[&debate])? })
    }

    /// Adds these to a debate that is new here; gives the number of roles.
    pub(crate) fn add(&self, db: &dyn StoreConnection) -> Result<u64> {
        if !self.start.is_empty() {
            db.lock_accounts()?;
        }
        execute_for_each(db, ADD_START, &self.start)?;
        execute_for_each(db, ADD_GRANT, &self.grants)
    }
}

impl Journal {
    /// Makes the people of this journal known to `to`. Who is known there stays as is.
    pub(crate) async fn copy_people(&self, to: &Journal) -> Result<CopiedPeople> {
        let (people, identities) =
            self.read_store(|db| Ok((query_cells(db, PEOPLE, &[])?, query_cells(db, IDENTITIES, &[])?)))?;
        if people.is_empty() {
            return Ok(CopiedPeople::default());
        }
        to.transact(move |db| {
            db.lock_accounts()?;
            let mut done = CopiedPeople::default();
            for person in &people {
                let [id @ SqlCell::Text(name), ..] = &person[..] else { continue };
                if db.has_row("SELECT 1 FROM principals WHERE id = ?1", &[id])? {
                    continue;
                }
                if execute_for_each(db, ADD_PERSON, [person])? == 0 {
                    done.left_out += 1;
                    continue;
                }
                done.copied += 1;
                let own = identities.iter().filter(|identity| identity.last() == Some(id));
                execute_for_each(db, ADD_IDENTITY, own)?;
                let event =
                    AuditEvent { target: Some(name.to_string()), ..AuditEvent::on_command_line("journal.copy") };
                super::audit::write_audit_event(db, &event)?;
            }
            Ok(done)
        })
        .await
    }
}
