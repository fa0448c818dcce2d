//! Invitations: a person logs in once with one, and chooses a password or a passkey.

use agon_core::Digest;

use super::{Decided, credentials::compute_expiry, is_found, no_randomness, read_person_id};
use crate::{
    Journal, JournalError,
    accounts::{AccountError, AccountSecret, AuditEvent, PrincipalId},
    time::current_stamp,
};

/// What the secret of an invitation begins with.
const PREFIX: &str = "agon_invitation_";
/// Longest time of an invitation, in days: it is a login.
const DAYS_MAX: u32 = 30;

impl Journal {
    /// Makes an invitation of a person for `days`, in place of an earlier one; its secret is shown this once.
    ///
    /// # Errors
    ///
    /// [`AccountError::Unusable`] for a time that is not 1 to 30 days, [`AccountError::Unknown`] where there is not such
    /// an active account.
    pub async fn create_invitation(
        &self,
        principal: PrincipalId,
        days: u32,
        audit: AuditEvent,
    ) -> Decided<AccountSecret> {
        if days > DAYS_MAX {
            return Err(AccountError::Unusable(format!("an invitation lasts 1 to {DAYS_MAX} days")));
        }
        let secret = AccountSecret::random(PREFIX).ok_or_else(no_randomness)?;
        let (digest, until) = (secret.digest(), compute_expiry(days)?);
        let (id, audit) = (principal.to_string(), audit.with_target(principal));
        self.audited_account(audit, move |db| {
            let person = (&id).into();
            if !is_found(db, "SELECT 1 FROM principals WHERE id = ?1 AND state = 'active'", &[person])? {
                return Ok(Err(AccountError::Unknown { what: "active account", name: id.clone() }));
            }
            let sql = "INSERT INTO invitations (principal, digest, created_at, expires_at)
                VALUES (?1, ?2, ?3, ?4) ON CONFLICT (principal) DO UPDATE SET digest = excluded.digest,
                created_at = excluded.created_at, expires_at = excluded.expires_at";
            let now = current_stamp().0;
            db.execute(sql, &[person, digest.as_str().into(), (&now).into(), (&until.0).into()])?;
            Ok(Ok(()))
        })
        .await?;
        Ok(secret)
    }

    /// The person of the invitation whose secret is `text`, where it counts now.
    pub fn find_invitee(&self, text: &str) -> Result<Option<PrincipalId>, JournalError> {
        let (digest, now) = (Digest::of(text), current_stamp().0);
        let sql = "SELECT i.principal FROM invitations i JOIN principals p ON p.id = i.principal
            WHERE i.digest = ?1 AND i.expires_at > ?2 AND p.state = 'active'";
        self.read_store(|db| {
            let row = db.query_first(sql, &[digest.as_str().into(), (&now).into()])?;
            row.map(|mut row| read_person_id(&mut row, 0)).transpose()
        })
    }

    /// Takes the invitation whose secret is `text`: it can be taken once.
    pub async fn take_invitation(&self, text: &str) -> Decided<Option<PrincipalId>> {
        let digest = Digest::of(text);
        self.transact_accounts(move |db| {
            let (digest, now) = (digest.as_str().into(), current_stamp().0);
            let sql = "SELECT i.principal FROM invitations i JOIN principals p ON p.id = i.principal
                WHERE i.digest = ?1 AND i.expires_at > ?2 AND p.state = 'active'";
            let Some(mut row) = db.query_first(sql, &[digest, (&now).into()])? else { return Ok(Ok(None)) };
            db.execute("DELETE FROM invitations WHERE digest = ?1", &[digest])?;
            Ok(Ok(Some(read_person_id(&mut row, 0)?)))
        })
        .await
    }
}
