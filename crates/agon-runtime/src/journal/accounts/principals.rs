//! Principals and their identities.

use agon_core::Stamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Decided, no_randomness};
use crate::{
    accounts::{
        AccountError, AuditEvent, ExternalIdentity, NewPrincipal, Principal, PrincipalId, PrincipalState,
        Quotas, display_name, login_name,
    },
    journal::{Journal, JournalError},
    time::stamp,
};

/// Maximum number of accounts that are not deleted.
const PRINCIPALS_MAX: u32 = 10_000;

const COLUMNS: &str = "SELECT p.id, p.login, p.display, p.administrator, p.state, p.created_at,
    p.password IS NOT NULL, p.debates_per_day, p.open_debates, p.cost_microusd FROM principals p";

fn principal(row: &Row<'_>) -> rusqlite::Result<Principal> {
    Ok(Principal {
        id: id(row, 0)?,
        login: row.get(1)?,
        display: row.get(2)?,
        administrator: row.get(3)?,
        state: PrincipalState::of(&row.get::<_, String>(4)?),
        created_at: Stamp(row.get(5)?),
        has_password: row.get(6)?,
        quotas: Quotas {
            debates_per_day: row.get(7)?,
            open_debates: row.get(8)?,
            cost_microusd: row.get::<_, Option<i64>>(9)?.map(i64::unsigned_abs),
        },
    })
}

/// The id of a person in column `at`.
pub(super) fn id(row: &Row<'_>, at: usize) -> rusqlite::Result<PrincipalId> {
    let text: String = row.get(at)?;
    text.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(error))
    })
}

fn taken(db: &Connection, sql: &str, values: &[&str]) -> rusqlite::Result<bool> {
    db.prepare_cached(sql)?.exists(rusqlite::params_from_iter(values))
}

/// Whether the server would have no administrator without `principal`.
fn is_last(db: &Connection, principal: PrincipalId) -> rusqlite::Result<bool> {
    let sql = "SELECT administrator = 1 AND state = 'active' AND NOT EXISTS (SELECT 1 FROM principals o
        WHERE o.id <> p.id AND o.administrator = 1 AND o.state = 'active') FROM principals p WHERE id = ?";
    let last: Option<bool> =
        db.prepare_cached(sql)?.query_row(params![principal.to_string()], |row| row.get(0)).optional()?;
    Ok(last.unwrap_or(false))
}

impl Journal {
    /// Makes an account.
    ///
    /// # Errors
    ///
    /// Where a name cannot be one, or is taken.
    pub async fn add_principal(&self, new: NewPrincipal, audit: AuditEvent) -> Decided<PrincipalId> {
        let unusable = |what: &str| AccountError::Unusable(format!("{what} cannot be used"));
        let login = login_name(&new.login)
            .ok_or_else(|| unusable("a login name has 1 to 64 letters, digits and . _ - @ +; this one"))?;
        let display = if new.display.trim().is_empty() { login.as_str() } else { new.display.as_str() };
        let display = display_name(display)
            .ok_or_else(|| unusable("a name has 1 to 80 characters and begins otherwise; this one"))?;
        let id = PrincipalId::random().ok_or_else(no_randomness)?;
        self.account(move |db| {
            if taken(db, "SELECT 1 FROM principals WHERE login = ?", &[&login])? {
                return Ok(Err(AccountError::Taken(login)));
            }
            if let Some(ExternalIdentity { issuer, subject }) = &new.identity
                && taken(db, "SELECT 1 FROM identities WHERE issuer = ? AND subject = ?", &[issuer, subject])?
            {
                return Ok(Err(AccountError::Taken(subject.clone())));
            }
            let sql = "SELECT count(*) FROM principals WHERE state <> 'deleted'";
            let count: u32 = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            if count >= PRINCIPALS_MAX {
                return Ok(Err(AccountError::TooMany { what: "accounts", most: PRINCIPALS_MAX }));
            }
            let sql =
                "INSERT INTO principals (id, login, display, password, administrator, state, created_at)
                VALUES (?, ?, ?, ?, ?, 'active', ?)";
            let row = params![id.to_string(), login, display, new.password, new.administrator, stamp().0];
            db.prepare_cached(sql)?.execute(row)?;
            if let Some(identity) = &new.identity {
                link(db, id, identity)?;
            }
            super::audit::write(db, &audit.about(id))?;
            Ok(Ok(id))
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
        self.account(move |db| {
            let ExternalIdentity { issuer, subject } = &identity;
            if taken(db, "SELECT 1 FROM identities WHERE issuer = ? AND subject = ?", &[issuer, subject])? {
                return Ok(Err(AccountError::Taken(subject.clone())));
            }
            link(db, principal, &identity)?;
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
        })
        .await
    }

    /// The account of `principal`, deleted ones included.
    pub fn principal(&self, principal: PrincipalId) -> Result<Option<Principal>, JournalError> {
        self.reading(|db| {
            let sql = format!("{COLUMNS} WHERE p.id = ?");
            db.prepare_cached(&sql)?.query_row(params![principal.to_string()], self::principal).optional()
        })
    }

    /// The account with the login name or the id `name`.
    pub fn principal_named(&self, name: &str) -> Result<Option<Principal>, JournalError> {
        if let Ok(id) = name.parse() {
            return self.principal(id);
        }
        let Some(login) = login_name(name) else { return Ok(None) };
        self.reading(|db| {
            let sql = format!("{COLUMNS} WHERE p.login = ?");
            db.prepare_cached(&sql)?.query_row(params![login], self::principal).optional()
        })
    }

    /// The account that logs in as `identity`.
    pub fn principal_of(&self, identity: &ExternalIdentity) -> Result<Option<Principal>, JournalError> {
        self.reading(|db| {
            let sql = format!(
                "{COLUMNS} JOIN identities i ON i.principal = p.id WHERE i.issuer = ? AND i.subject = ?"
            );
            let named = params![identity.issuer, identity.subject];
            db.prepare_cached(&sql)?.query_row(named, self::principal).optional()
        })
    }

    /// The hash of a person's password, as a PHC string.
    pub fn password_of(&self, principal: PrincipalId) -> Result<Option<String>, JournalError> {
        self.reading(|db| {
            let sql = "SELECT password FROM principals WHERE id = ? AND state = 'active'";
            let row = db.prepare_cached(sql)?.query_row(params![principal.to_string()], |row| row.get(0));
            Ok(row.optional()?.flatten())
        })
    }

    /// All accounts, in the order of their login names; deleted ones last.
    pub fn principals(&self) -> Result<Vec<Principal>, JournalError> {
        self.reading(|db| {
            let sql = format!("{COLUMNS} ORDER BY p.login IS NULL, p.login, p.id");
            db.prepare_cached(&sql)?.query_map([], self::principal)?.collect()
        })
    }

    /// Changes the name that pages show.
    pub async fn set_display(
        &self,
        principal: PrincipalId,
        display: String,
        audit: AuditEvent,
    ) -> Decided<()> {
        let display = display_name(&display).ok_or_else(|| {
            AccountError::Unusable("a name has 1 to 80 characters and does not begin with person:".into())
        })?;
        self.account(move |db| {
            let sql = "UPDATE principals SET display = ? WHERE id = ? AND state <> 'deleted'";
            db.prepare_cached(sql)?.execute(params![display, principal.to_string()])?;
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
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
        self.account(move |db| {
            let id = principal.to_string();
            let sql = "UPDATE principals SET password = ? WHERE id = ? AND state <> 'deleted'";
            db.prepare_cached(sql)?.execute(params![hash, id])?;
            let sql = "DELETE FROM sessions WHERE principal = ? AND digest IS NOT ?";
            db.prepare_cached(sql)?.execute(params![id, keep])?;
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
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
        self.account(move |db| {
            if !administrator && is_last(db, principal)? {
                return Ok(Err(AccountError::LastAdministrator(principal.to_string())));
            }
            let sql = "UPDATE principals SET administrator = ? WHERE id = ? AND state <> 'deleted'";
            db.prepare_cached(sql)?.execute(params![administrator, principal.to_string()])?;
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
        })
        .await
    }

    /// Keeps a person out, or lets the person in again. Logins end; tokens do not count meanwhile.
    pub async fn set_disabled(
        &self,
        principal: PrincipalId,
        disabled: bool,
        audit: AuditEvent,
    ) -> Decided<()> {
        self.account(move |db| {
            if disabled && is_last(db, principal)? {
                return Ok(Err(AccountError::LastAdministrator(principal.to_string())));
            }
            let state = if disabled { "disabled" } else { "active" };
            let sql = "UPDATE principals SET state = ? WHERE id = ? AND state <> 'deleted'";
            db.prepare_cached(sql)?.execute(params![state, principal.to_string()])?;
            if disabled {
                let sql = "DELETE FROM sessions WHERE principal = ?";
                db.prepare_cached(sql)?.execute(params![principal.to_string()])?;
            }
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
        })
        .await
    }

    /// Sets the quotas of one person.
    pub async fn set_quotas(&self, principal: PrincipalId, quotas: Quotas, audit: AuditEvent) -> Decided<()> {
        self.account(move |db| {
            let cost = quotas.cost_microusd.map(|cost| i64::try_from(cost).unwrap_or(i64::MAX));
            let sql =
                "UPDATE principals SET debates_per_day = ?, open_debates = ?, cost_microusd = ? WHERE id = ?";
            let row = params![quotas.debates_per_day, quotas.open_debates, cost, principal.to_string()];
            db.prepare_cached(sql)?.execute(row)?;
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
        })
        .await
    }

    /// Forgets a person: names, password, identities, logins, tokens, links, roles and drafts. The id stays, since
    /// records name it.
    pub async fn delete_principal(&self, principal: PrincipalId, audit: AuditEvent) -> Decided<()> {
        self.account(move |db| {
            if is_last(db, principal)? {
                return Ok(Err(AccountError::LastAdministrator(principal.to_string())));
            }
            let id = principal.to_string();
            for sql in [
                "DELETE FROM identities WHERE principal = ?",
                "DELETE FROM sessions WHERE principal = ?",
                "DELETE FROM personal_tokens WHERE principal = ?",
                "DELETE FROM share_links WHERE principal = ?",
                "DELETE FROM grants WHERE principal = ?",
                "DELETE FROM form_drafts WHERE principal = ?",
                "UPDATE principals SET login = NULL, display = '', password = NULL, administrator = 0,
                    state = 'deleted' WHERE id = ?",
            ] {
                db.prepare_cached(sql)?.execute(params![id])?;
            }
            super::audit::write(db, &audit.about(principal))?;
            Ok(Ok(()))
        })
        .await
    }
}

fn link(db: &Connection, principal: PrincipalId, identity: &ExternalIdentity) -> rusqlite::Result<()> {
    let sql = "INSERT INTO identities (issuer, subject, principal) VALUES (?, ?, ?)";
    let row = params![identity.issuer, identity.subject, principal.to_string()];
    db.prepare_cached(sql)?.execute(row).map(drop)
}
