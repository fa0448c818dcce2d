//! Principals and their identities.

use agon_core::{Stamp, lookalike::visual_shape};

use super::{Decided, is_found, is_storable, no_randomness, query_count, read_person_id};
use crate::{
    Journal, JournalError,
    accounts::{
        AccountError, AuditEvent, ExternalIdentity, NewPrincipal, Principal, PrincipalId, PrincipalState, Quotas,
        display_name, login_name,
    },
    leases::end_leases,
    storage::{SqlRow, SqlValue, StoreConnection},
    time::current_stamp,
};

/// Maximum number of accounts that are not deleted.
const PRINCIPALS_MAX: u32 = 10_000;

const COLUMNS: &str = "SELECT p.id, p.login, p.display, p.administrator, p.state, p.created_at,
    p.password IS NOT NULL, p.debates_per_day, p.open_debates, p.cost_microusd FROM principals p";

fn read_principal(mut row: SqlRow) -> Result<Principal, JournalError> {
    Ok(Principal {
        id: read_person_id(&mut row, 0)?,
        login: row.optional_text(1)?,
        display: row.text(2)?,
        administrator: row.boolean(3)?,
        state: PrincipalState::of(&row.text(4)?),
        created_at: Stamp(row.text(5)?),
        has_password: row.boolean(6)?,
        quotas: Quotas {
            debates_per_day: row.optional_small(7)?,
            open_debates: row.optional_small(8)?,
            cost_microusd: row.optional_count(9)?,
        },
    })
}

fn unusable_error(what: &str) -> AccountError {
    AccountError::Unusable(format!("{what} cannot be used"))
}

/// Whether someone logs in as `identity`.
fn is_linked(db: &dyn StoreConnection, identity: &ExternalIdentity) -> Result<bool, JournalError> {
    let sql = "SELECT 1 FROM identities WHERE issuer = ?1 AND subject = ?2";
    is_found(db, sql, &[(&identity.issuer).into(), (&identity.subject).into()])
}

fn insert_identity(db: &dyn StoreConnection, person: &str, identity: &ExternalIdentity) -> Result<(), JournalError> {
    let sql = "INSERT INTO identities (issuer, subject, principal) VALUES (?1, ?2, ?3)";
    db.execute(sql, &[(&identity.issuer).into(), (&identity.subject).into(), person.into()]).map(drop)
}

fn check_identity(identity: &ExternalIdentity) -> Decided<()> {
    match is_storable(&identity.issuer) && is_storable(&identity.subject) {
        true => Ok(()),
        false => Err(unusable_error("an identity has no NUL character; this one")),
    }
}

/// Whether a reader would take `name` for another person than `person`.
fn is_anothers(db: &dyn StoreConnection, name: &str, person: &str) -> Result<bool, JournalError> {
    let seen = visual_shape(name);
    let sql = "SELECT display, login FROM principals WHERE id <> ?1 AND state <> 'deleted'";
    for mut row in db.query(sql, &[person.into()])? {
        if visual_shape(&row.text(0)?) == seen
            || row.optional_text(1)?.is_some_and(|login| visual_shape(&login) == seen)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A name that nobody has, for a person who is added at their first login: `display`, else the login name, else that with
/// a number. Someone else's choice of a name must not keep them out.
fn free_name(db: &dyn StoreConnection, display: &str, login: &str, person: &str) -> Result<String, JournalError> {
    let numbered = (2..1000).map(|number| format!("{login} {number}"));
    for name in [display.to_owned(), login.to_owned()].into_iter().chain(numbered) {
        if !is_anothers(db, &name, person)? {
            return Ok(name);
        }
    }
    Ok(person.to_owned())
}

/// Whether the server would have no administrator without `person`.
fn is_last(db: &dyn StoreConnection, person: &str) -> Result<bool, JournalError> {
    let sql = "SELECT 1 FROM principals p WHERE id = ?1 AND administrator = 1 AND state = 'active' AND NOT EXISTS
        (SELECT 1 FROM principals o WHERE o.id <> p.id AND o.administrator = 1 AND o.state = 'active')";
    is_found(db, sql, &[person.into()])
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
        let (person, audit) = (id.to_string(), audit.with_target(id));
        self.audited_account(audit, move |db| {
            if is_found(db, "SELECT 1 FROM principals WHERE login = ?1", &[(&login).into()])? {
                return Ok(Err(AccountError::Taken(login.clone())));
            }
            if let Some(identity) = &new.identity
                && is_linked(db, identity)?
            {
                return Ok(Err(AccountError::Taken(identity.subject.clone())));
            }
            let sql = "SELECT count(*) FROM principals WHERE state <> 'deleted'";
            if query_count(db, sql, &[])? >= PRINCIPALS_MAX.into() {
                return Ok(Err(AccountError::TooMany { what: "accounts", most: PRINCIPALS_MAX }));
            }
            let is_taken = is_anothers(db, &display, &person)?;
            let display = match &new.identity {
                Some(_) if is_taken => free_name(db, &display, &login, &person)?,
                None if is_taken => return Ok(Err(AccountError::Taken(display.clone()))),
                _ => display.clone(),
            };
            let sql = "INSERT INTO principals (id, login, display, password, administrator, state, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, 'active', ?6)";
            let now = current_stamp().0;
            let row = [
                (&person).into(),
                (&login).into(),
                (&display).into(),
                new.password.as_deref().into(),
                new.administrator.into(),
                (&now).into(),
            ];
            db.execute(sql, &row)?;
            if let Some(identity) = &new.identity {
                insert_identity(db, &person, identity)?;
            }
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
        check_identity(&identity)?;
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            if is_linked(db, &identity)? {
                return Ok(Err(AccountError::Taken(identity.subject.clone())));
            }
            insert_identity(db, &person, &identity)?;
            Ok(Ok(()))
        })
        .await
    }

    fn principal_where(&self, rest: &str, values: &[SqlValue<'_>]) -> Result<Option<Principal>, JournalError> {
        let sql = format!("{COLUMNS} {rest}");
        self.read_store(|db| db.query_first(&sql, values)?.map(self::read_principal).transpose())
    }

    /// The account of `principal`, deleted ones included.
    pub fn find_principal(&self, principal: PrincipalId) -> Result<Option<Principal>, JournalError> {
        self.principal_where("WHERE p.id = ?1", &[(&principal.to_string()).into()])
    }

    /// The account with the login name or the id `name`.
    pub fn principal_named(&self, name: &str) -> Result<Option<Principal>, JournalError> {
        if let Ok(id) = name.parse() {
            return self.find_principal(id);
        }
        let Some(login) = login_name(name) else { return Ok(None) };
        self.principal_where("WHERE p.login = ?1", &[(&login).into()])
    }

    /// The account that logs in as `identity`.
    pub fn principal_of(&self, identity: &ExternalIdentity) -> Result<Option<Principal>, JournalError> {
        if check_identity(identity).is_err() {
            return Ok(None);
        }
        let rest = "JOIN identities i ON i.principal = p.id WHERE i.issuer = ?1 AND i.subject = ?2";
        self.principal_where(rest, &[(&identity.issuer).into(), (&identity.subject).into()])
    }

    /// The hash of a person's password, as a PHC string.
    pub fn password_of(&self, principal: PrincipalId) -> Result<Option<String>, JournalError> {
        let sql = "SELECT password FROM principals WHERE id = ?1 AND state = 'active'";
        let person = principal.to_string();
        self.read_store(|db| match db.query_first(sql, &[(&person).into()])? {
            Some(mut row) => row.optional_text(0),
            None => Ok(None),
        })
    }

    /// All accounts, in the order of their login names; deleted ones last.
    pub fn list_principals(&self) -> Result<Vec<Principal>, JournalError> {
        let sql = format!("{COLUMNS} ORDER BY p.login IS NULL, p.login, p.id");
        self.read_store(|db| db.query(&sql, &[])?.into_iter().map(self::read_principal).collect())
    }

    /// Changes the name that pages show.
    pub async fn set_display(&self, principal: PrincipalId, display: String, audit: AuditEvent) -> Decided<()> {
        let display = display_name(&display).ok_or_else(|| {
            AccountError::Unusable("a name has 1 to 80 characters and does not begin with person:".into())
        })?;
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            if is_anothers(db, &display, &person)? {
                return Ok(Err(AccountError::Taken(display.clone())));
            }
            let sql = "UPDATE principals SET display = ?2 WHERE id = ?1 AND state <> 'deleted'";
            db.execute(sql, &[(&person).into(), (&display).into()])?;
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
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            let sql = "UPDATE principals SET password = ?2 WHERE id = ?1 AND state <> 'deleted'";
            db.execute(sql, &[(&person).into(), (&hash).into()])?;
            let sql = "DELETE FROM sessions WHERE principal = ?1 AND (CAST(?2 AS TEXT) IS NULL OR digest <> ?2)";
            db.execute(sql, &[(&person).into(), keep.as_deref().into()])?;
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
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            if !administrator && is_last(db, &person)? {
                return Ok(Err(AccountError::LastAdministrator(person.clone())));
            }
            let sql = "UPDATE principals SET administrator = ?2 WHERE id = ?1 AND state <> 'deleted'";
            db.execute(sql, &[(&person).into(), administrator.into()])?;
            Ok(Ok(()))
        })
        .await
    }

    /// Keeps a person out, or lets the person in again. Logins end; tokens do not count meanwhile.
    pub async fn set_disabled(&self, principal: PrincipalId, disabled: bool, audit: AuditEvent) -> Decided<()> {
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            if disabled && is_last(db, &person)? {
                return Ok(Err(AccountError::LastAdministrator(person.clone())));
            }
            let state = if disabled { "disabled" } else { "active" };
            let sql = "UPDATE principals SET state = ?2 WHERE id = ?1 AND state <> 'deleted'";
            db.execute(sql, &[(&person).into(), state.into()])?;
            if disabled {
                db.execute("DELETE FROM sessions WHERE principal = ?1", &[(&person).into()])?;
                end_leases(db, None, principal)?;
            }
            Ok(Ok(()))
        })
        .await
    }

    /// Sets the quotas of one person.
    pub async fn set_quotas(&self, principal: PrincipalId, quotas: Quotas, audit: AuditEvent) -> Decided<()> {
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            let sql = "UPDATE principals SET debates_per_day = ?2, open_debates = ?3, cost_microusd = ?4
                WHERE id = ?1";
            let Quotas { debates_per_day, open_debates, cost_microusd } = quotas;
            let row = [(&person).into(), debates_per_day.into(), open_debates.into(), cost_microusd.into()];
            db.execute(sql, &row)?;
            Ok(Ok(()))
        })
        .await
    }

    /// Forgets a person: names, password, passkeys, identities, logins, tokens, links, roles and drafts. The id stays, since
    /// records name it.
    pub async fn delete_principal(&self, principal: PrincipalId, audit: AuditEvent) -> Decided<()> {
        let (person, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            if is_last(db, &person)? {
                return Ok(Err(AccountError::LastAdministrator(person.clone())));
            }
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
                db.execute(sql, &[(&person).into()])?;
            }
            end_leases(db, None, principal)?;
            Ok(Ok(()))
        })
        .await
    }
}
