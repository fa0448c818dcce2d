//! The tables of accounts: every statement about people, what proves them, their roles and the audit. Each change is
//! one transaction, and only this folder names these tables.

mod attempts;
mod audit;
pub(super) mod copied_accounts;
mod credentials;
mod forms;
mod grants;
mod invitations;
mod links;
mod login_methods;
mod passkeys;
mod principals;
pub(super) mod quotas;

use agon_core::Digest;
use serde::de::DeserializeOwned;

use super::{
    Journal, Result,
    storage::{StoreConnection, ToSqlValue, execute_for_each, own_values},
};
use crate::{
    accounts::{AccountError, AccountSecret, AuditEvent, PrincipalId},
    time::current_stamp,
};

/// That the person `?N` has a role in the debate `id`.
pub(super) const HAS_ROLE: &str = "id IN (SELECT debate FROM grants WHERE principal = ?N)";

type Decided<T> = Result<T, AccountError>;

impl Journal {
    /// Decides about accounts in one transaction, while nobody else does. `work` must refuse before it writes: what it
    /// has written stands. It is done again where its transaction was lost.
    async fn transact_accounts<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&dyn StoreConnection) -> Decided<T> + Send + 'static,
    ) -> Decided<T> {
        self.transact(move |db| {
            db.lock_accounts()?;
            match work(db) {
                Err(AccountError::Journal(error)) => Err(error),
                decided => Ok(decided),
            }
        })
        .await?
    }

    /// The same, and writes `audit` down where the change was made.
    async fn audited_account<T: Send + 'static>(
        &self,
        audit: AuditEvent,
        mut work: impl FnMut(&dyn StoreConnection) -> Decided<T> + Send + 'static,
    ) -> Decided<T> {
        self.transact_accounts(move |db| {
            let done = work(db)?;
            audit::write_audit_event(db, &audit)?;
            Ok(done)
        })
        .await
    }
}

impl Journal {
    /// Runs one statement about accounts; gives the number of rows that it changed.
    async fn execute_account(&self, sql: &'static str, values: &[&dyn ToSqlValue]) -> Decided<u64> {
        let values = own_values(values);
        self.transact_accounts(move |db| Ok(execute_for_each(db, sql, [&values])?)).await
    }

    /// The same, and writes `audit` down.
    async fn execute_audited(&self, audit: AuditEvent, sql: &'static str, values: &[&dyn ToSqlValue]) -> Decided<()> {
        let values = own_values(values);
        self.audited_account(audit, move |db| Ok(execute_for_each(db, sql, [&values]).map(drop)?)).await
    }

    /// Takes back the `what` called `id` by a statement, of which it is the first value; the others are `more`.
    async fn revoke_one(
        &self,
        what: &'static str,
        id: &str,
        audit: AuditEvent,
        sql: &'static str,
        more: &[&dyn ToSqlValue],
    ) -> Decided<()> {
        let (id, audit) = (id.to_owned(), audit.with_target(id));
        let first: [&dyn ToSqlValue; 1] = [&id];
        let values = own_values(&[&first[..], more].concat());
        self.audited_account(audit, move |db| match is_storable(&id) && execute_for_each(db, sql, [&values])? > 0 {
            true => Ok(()),
            false => Err(AccountError::Unknown { what, name: id.clone() }),
        })
        .await
    }

    /// Takes what the query `sql` finds in `table` by the secret `text` at this moment: it can be taken once.
    async fn take_secret<T: DeserializeOwned + Send + 'static>(
        &self,
        table: &'static str,
        sql: &'static str,
        text: &str,
    ) -> Decided<Option<T>> {
        let digest = Digest::from_content(text);
        // Anyone can send a secret that was never one: it costs a read alone.
        if !self.read_store(|db| db.has_row(sql, &[&digest, &current_stamp()]))? {
            return Ok(None);
        }
        self.transact_accounts(move |db| {
            let Some(row) = db.query_first(sql, &[&digest, &current_stamp()])? else { return Ok(None) };
            db.execute(&format!("DELETE FROM {table} WHERE digest = ?1"), &[&digest])?;
            Ok(Some(row.read()?))
        })
        .await
    }
}

/// A fault of the system's randomness, as an account's error.
fn no_randomness() -> AccountError {
    AccountError::Unusable("the system gives no random numbers".into())
}

/// A short name for a secret that is not one itself.
fn short_id() -> Decided<String> {
    let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
    Ok(secret.text()[..12].to_owned())
}

/// Whether every store can hold `text` in a column that is compared: Postgres has no NUL there.
fn is_storable(text: &str) -> bool {
    !text.contains('\0')
}

/// Makes room in a table that is to hold at most `most` rows: where it is full, a twentieth of them goes, in this order. So
/// a flood cannot keep out everyone else.
fn make_room(
    db: &dyn StoreConnection,
    table: &'static str,
    key: &'static str,
    order: &'static str,
    most: u32,
) -> Result<()> {
    if db.query_count(&format!("SELECT count(*) FROM {table}"), &[])? < most.into() {
        return Ok(());
    }
    let sql = format!("DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} ORDER BY {order} LIMIT ?1)");
    db.execute(&sql, &[&(most / 20)]).map(drop)
}

/// Whether someone may use the server as `person`.
fn is_active(db: &dyn StoreConnection, person: PrincipalId) -> Result<bool> {
    db.has_row("SELECT 1 FROM principals WHERE id = ?1 AND state = 'active'", &[&person])
}
