//! The tables of accounts: every statement about people, what proves them, their roles and the audit. Each change is
//! one transaction, and only this folder names these tables.

mod attempts;
mod audit;
pub(super) mod copied;
mod credentials;
mod forms;
mod grants;
mod invitations;
mod links;
mod passkeys;
mod principals;
pub(super) mod quotas;
mod ways;

use super::{
    Journal, JournalError,
    storage::{SqlRow, SqlValue, StoreConnection},
};
use crate::accounts::{AccountError, AccountSecret, AuditEvent, PrincipalId};

/// That the person `?N` has a role in the debate `id`.
pub(super) const HAS_ROLE: &str = "id IN (SELECT debate FROM grants WHERE principal = ?N)";

type Decided<T> = Result<T, AccountError>;
/// What is decided in a transaction, where the store can be read and written.
type Attempted<T> = Result<Decided<T>, JournalError>;

impl Journal {
    /// Decides about accounts in one transaction, while nobody else does. `work` must refuse before it writes: what it
    /// has written stands. It is done again where its transaction was lost.
    async fn transact_accounts<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&dyn StoreConnection) -> Attempted<T> + Send + 'static,
    ) -> Decided<T> {
        self.transact(move |db| {
            db.lock_accounts()?;
            work(db)
        })
        .await?
    }

    /// The same, and writes `audit` down where the change was made.
    async fn audited_account<T: Send + 'static>(
        &self,
        audit: AuditEvent,
        mut work: impl FnMut(&dyn StoreConnection) -> Attempted<T> + Send + 'static,
    ) -> Decided<T> {
        self.transact_accounts(move |db| {
            let done = work(db)?;
            if done.is_ok() {
                audit::write_audit_event(db, &audit)?;
            }
            Ok(done)
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

/// The id of a person in column `at`.
fn read_person_id(row: &mut SqlRow, at: usize) -> Result<PrincipalId, JournalError> {
    let text = row.text(at)?;
    text.parse().map_err(|error| JournalError::unsound(row.store_location(), error))
}

/// The number that the query `sql` gives.
fn query_count(db: &dyn StoreConnection, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, JournalError> {
    db.query_first(sql, values)?.map_or(Ok(0), |mut row| row.count(0))
}

/// Makes room in a table that is to hold at most `most` rows: where it is full, a twentieth of them goes, in this order. So
/// a flood cannot keep out everyone else.
fn make_room(
    db: &dyn StoreConnection,
    table: &'static str,
    key: &'static str,
    order: &'static str,
    most: u32,
) -> Result<(), JournalError> {
    if query_count(db, &format!("SELECT count(*) FROM {table}"), &[])? < most.into() {
        return Ok(());
    }
    let sql = format!("DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} ORDER BY {order} LIMIT ?1)");
    db.execute(&sql, &[(most / 20).into()]).map(drop)
}

/// Whether the query `sql` finds something.
fn is_found(db: &dyn StoreConnection, sql: &str, values: &[SqlValue<'_>]) -> Result<bool, JournalError> {
    Ok(db.query_first(sql, values)?.is_some())
}
