//! Principals and their identities.

use agon_core::lookalike::visual_shape;

use super::{Decided, is_storable, no_randomness};
use crate::{
    Journal, Result,
    accounts::{
        AccountError, AuditEvent, ExternalIdentity, NewPrincipal, Principal, PrincipalId, Quotas, display_name,
        login_name,
    },
    leases::end_leases,
    storage::{SqlRow, StoreConnection, ToSqlValue},
    time::current_stamp,
};

/// Maximum number of accounts that are not deleted.
const PRINCIPALS_MAX: u32 = 10_000;

const COLUMNS: &str = "SELECT p.id, p.login, p.display, p.administrator, p.state, p.created_at,
    p.password IS NOT NULL, p.debates_per_day, p.open_debates, p.cost_microusd FROM principals p";

fn read_principal(mut row: SqlRow) -> Result<Principal> {
    let quotas = Quotas { debates_per_day: row.take(7)?, open_debates: row.take(8)?, cost_microusd: row.take(9)? };
    let (id, login, display, administrator, state, created_at, has_password) = row.read()?;
    Ok(Principal { id, login, display, administrator, state, created_at, has_password, quotas })
}

fn unusable_error(what: &str) -> AccountError {
    AccountError::Unusable(format!("{what} cannot be used"))
}

/// Whether someone logs in as `identity`.
fn is_linked(db: &dyn StoreConnection, identity: &ExternalIdentity) -> Result<bool> {
    let sql = "SELECT 1 FROM identities WHERE issuer = ?1 AND subject = ?2";
    db.has_row(sql, &[&identity.issuer, &identity.subject])
}

fn insert_identity(db: &dyn StoreConnection, person: PrincipalId, identity: &ExternalIdentity) -> Result<()> {
    let sql = "INSERT INTO identities (issuer, subject, principal) VALUES (?1, ?2, ?3)";
    db.execute(sql, &[&identity.issuer, &identity.subject, &person]).map(drop)
}

fn check_identity(identity: &ExternalIdentity) -> Decided<()> {
    match is_storable(&identity.issuer) && is_storable(&identity.subject) {
        true => Ok(()),
        false => Err(unusable_error("an identity has no NUL character; this one")),
    }
}

/// Whether a reader would take `name` for another person than `person`.
fn is_anothers(db: &dyn StoreConnection, name: &str, person: PrincipalId) -> Result<bool> {
    let seen = visual_shape(name);
    let sql = "SELECT display, login FROM principals WHERE id <> ?1 AND state <> 'deleted'";
    for row in db.query(sql, &[&person])? {
        let (display, login): (String, Option<String>) = row.read()?;
        if [Some(display), login].into_iter().flatten().any(|name| visual_shape(&name) == seen) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A name that nobody has, for a person who is added at their first login: `display`, else the login name, else that with
/// a number. Someone else's choice of a name must not keep them out.
fn free_name(db: &dyn StoreConnection, display: &str, login: &str, person: PrincipalId) -> Result<String> {
    let numbered = (2..1000).map(|number| format!("{login} {number}"));
    for name in [display.to_owned(), login.to_owned()].into_iter().chain(numbered) {
        if !is_anothers(db, &name, person)? {
            return Ok(name);
        }
    }
    Ok(person.to_string())
}

/// Refuses a change by which `person` is not an administrator any more, where the server has no other.
fn check_administrators(db: &dyn StoreConnection, person: PrincipalId) -> Decided<()> {
    let sql = "SELECT 1 FROM principals p WHERE id = ?1 AND administrator = 1 AND state = 'active' AND NOT EXISTS
        (SELECT 1 FROM principals o WHERE o.id <> p.id AND o.administrator = 1 AND o.state = 'active')";
    match db.has_row(sql, &[&person])? {
        true => Err(AccountError::LastAdministrator(person.to_string())),
        false => Ok(()),
    }
}

impl Journal {
    /// Makes an account.
    ///
    /// # Errors
    ///
    /// Where a name cannot be one, or is taken.
    pub async fn add_principal(&self, new: NewPrincipal, audit: AuditEvent) -> Decided<PrincipalId> {
        let login = login_name(&new.login)
            .ok_or_else(|| unusable_error("a login name has 1 to 64 letters, digits and . _ - @ +; this one"))?;
        let display = if new.display.trim().is_empty() { login.as_str() } else { new.display.as_str() };
        let display = display_name(display)
            .ok_or_else(|| unusable_error("a name has 1 to 80 characters and begins otherwise; this one"))?;
        new.identity.as_ref().map_or(Ok(()), check_identity)?;
        let id = PrincipalId::random().ok_or_else(no_randomness)?;
        self.audited_account(audit.with_target(id), move |db| {
            if db.has_row("SELECT 1 FROM principals WHERE login = ?1", &[&login])? {
                return Err(AccountError::Taken(login.clone()));
            }
            if let Some(identity) = &new.identity
                && is_linked(db, identity)?
            {
                return Err(AccountError::Taken(identity.subject.clone()));
            }
            let sql = "SELECT count(*) FROM principals WHERE state <> 'deleted'";
            if db.query_count(sql, &[])? >= PRINCIPALS_MAX.into() {
                return Err(AccountError::TooMany { what: "accounts", most: PRINCIPALS_MAX });
            }
            let is_taken = is_anothers(db, &display, id)?;
            let display = match &new.identity {
                Some(_) if is_taken => free_name(db, &display, &login, id)?,
                None if is_taken => return Err(AccountError::Taken(display.clone())),
                _ => display.clone(),
            };
            let sql = "INSERT INTO principals (id, login, display, password, administrator, state, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, 'active', ?6)";
            let NewPrincipal { password, administrator, identity, .. } = &new;
            db.execute(sql, &[&id, &login, &display, password, administrator, &current_stamp()])?;
            if let Some(identity) = identity {
                insert_identity(db, id, identity)?;
            }
            Ok(id)
        })
        .await
    }

    /// Lets `principal` log in as `identity`, too.
    pub async fn link_identity(
        &self,
        principal: PrincipalId,
        identity: ExternalIdentity,
        audit: AuditEvent,
    ) -> Decided<()> {
        check_identity(&identity)?;
        self.audited_account(audit.with_target(principal), move |db| {
            if is_linked(db, &identity)? {
                return Err(AccountError::Taken(identity.subject.clone()));
            }
            Ok(insert_identity(db, principal, &identity)?)
        })
        .await
    }

    fn principal_where(&self, rest: &str, values: &[&dyn ToSqlValue]) -> Result<Option<Principal>> {
        self.read_row(&format!("{COLUMNS} {rest}"), values, read_principal)
    }

    /// The account of `principal`, deleted ones included.
    pub fn find_principal(&self, principal: PrincipalId) -> Result<Option<Principal>> {
        self.principal_where("WHERE p.id = ?1", &[&principal])
    }

    /// The account with the login name or the id `name`.
    pub fn principal_named(&self, name: &str) -> Result<Option<Principal>> {
        if let Ok(id) = name.parse() {
            return self.find_principal(id);
        }
        let Some(login) = login_name(name) else { return Ok(None) };
        self.principal_where("WHERE p.login = ?1", &[&login])
    }

    /// The account that logs in as `identity`.
    pub fn principal_of(&self, identity: &ExternalIdentity) -> Result<Option<Principal>> {
        if check_identity(identity).is_err() {
            return Ok(None);
        }
        let rest = "JOIN identities i ON i.principal = p.id WHERE i.issuer = ?1 AND i.subject = ?2";
        self.principal_where(rest, &[&identity.issuer, &identity.subject])
    }

    /// The hash of a person's password, as a PHC string.
    pub fn password_of(&self, principal: PrincipalId) -> Result<Option<String>> {
        let sql = "SELECT password FROM principals WHERE id = ?1 AND state = 'active'";
        Ok(self.read_row(sql, &[&principal], |mut row| row.take(0))?.flatten())
    }

    /// All accounts, in the order of their login names; deleted ones last.
    pub fn list_principals(&self) -> Result<Vec<Principal>> {
        let sql = format!("{COLUMNS} ORDER BY p.login IS NULL, p.login, p.id");
        self.read_rows(&sql, &[], read_principal)
    }

    /// Changes the name that pages show.
    pub async fn set_display(&self, principal: PrincipalId, display: String, audit: AuditEvent) -> Decided<()> {
        let display = display_name(&display).ok_or_else(|| {
            AccountError::Unusable("a name has 1 to 80 characters and does not begin with person:".into())
        })?;
        self.audited_account(audit.with_target(principal), move |db| {
            if is_anothers(db, &display, principal)? {
                return Err(AccountError::Taken(display.clone()));
            }
            let sql = "UPDATE principals SET display = ?2 WHERE id = ?1 AND state <> 'deleted'";
            Ok(db.execute(sql, &[&principal, &display]).map(drop)?)
        })
        .await
    }

    /// Sets a password's hash; every login and token of the person ends but the session `keep`.
    pub async fn set_password(
        &self,
        principal: PrincipalId,
        hash: String,
        keep: Option<String>,
        audit: AuditEvent,
    ) -> Decided<()> {
        self.audited_account(audit.with_target(principal), move |db| {
            let sql = "UPDATE principals SET password = ?2 WHERE id = ?1 AND state <> 'deleted'";
            db.execute(sql, &[&principal, &hash])?;
            let sql = "DELETE FROM sessions WHERE principal = ?1 AND (CAST(?2 AS TEXT) IS NULL OR digest <> ?2)";
            Ok(db.execute(sql, &[&principal, &keep]).map(drop)?)
        })
        .await
    }

    /// Appoints or dismisses an administrator.
    pub async fn set_administrator(
        &self,
        principal: PrincipalId,
        administrator: bool,
        audit: AuditEvent,
    ) -> Decided<()> {
        self.audited_account(audit.with_target(principal), move |db| {
            if !administrator {
                check_administrators(db, principal)?;
            }
            let sql = "UPDATE principals SET administrator = ?2 WHERE id = ?1 AND state <> 'deleted'";
            Ok(db.execute(sql, &[&principal, &administrator]).map(drop)?)
        })
        .await
    }

    /// Keeps a person out, or lets the person in again. Logins end; tokens do not count meanwhile.
    pub async fn set_disabled(&self, principal: PrincipalId, disabled: bool, audit: AuditEvent) -> Decided<()> {
        self.audited_account(audit.with_target(principal), move |db| {
            if disabled {
                check_administrators(db, principal)?;
                db.execute("DELETE FROM sessions WHERE principal = ?1", &[&principal])?;
                end_leases(db, None, principal)?;
            }
            let state = if disabled { "disabled" } else { "active" };
            let sql = "UPDATE principals SET state = ?2 WHERE id = ?1 AND state <> 'deleted'";
            Ok(db.execute(sql, &[&principal, &state]).map(drop)?)
        })
        .await
    }

    /// Sets the quotas of one person.
    pub async fn set_quotas(&self, principal: PrincipalId, quotas: Quotas, audit: AuditEvent) -> Decided<()> {
        let sql = "UPDATE principals SET debates_per_day = ?2, open_debates = ?3, cost_microusd = ?4 WHERE id = ?1";
        let Quotas { debates_per_day, open_debates, cost_microusd } = quotas;
        let values: [&dyn ToSqlValue; 4] = [&principal, &debates_per_day, &open_debates, &cost_microusd];
        self.execute_audited(audit.with_target(principal), sql, &values).await
    }

    /// Forgets a person: names, password, passkeys, identities, logins, tokens, links, roles and drafts. The id stays, since
    /// records name it.
    pub async fn delete_principal(&self, principal: PrincipalId, audit: AuditEvent) -> Decided<()> {
        self.audited_account(audit.with_target(principal), move |db| {
            check_administrators(db, principal)?;
            for sql in [
                "DELETE FROM identities WHERE principal = ?1",
                "DELETE FROM sessions WHERE principal = ?1",
                "DELETE FROM personal_tokens WHERE principal = ?1",
                "DELETE FROM share_links WHERE principal = ?1",
                "DELETE FROM grants WHERE principal = ?1",
                "DELETE FROM form_drafts WHERE principal = ?1",
                "DELETE FROM passkeys WHERE principal = ?1",
                "DELETE FROM passkey_challenges WHERE principal = ?1",
                "DELETE FROM invitations WHERE principal = ?1",
                "UPDATE principals SET login = NULL, display = '', password = NULL, administrator = 0,
                    state = 'deleted' WHERE id = ?1",
            ] {
                db.execute(sql, &[&principal])?;
            }
            Ok(end_leases(db, None, principal)?)
        })
        .await
    }
}
