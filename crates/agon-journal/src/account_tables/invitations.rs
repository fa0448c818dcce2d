//! Invitations: a person logs in once with one, and chooses a password or a passkey.

use agon_core::Digest;

use super::{Decided, credentials::compute_expiry, is_active, no_randomness};
use crate::{
    Journal, Result,
    accounts::{AccountError, AccountSecret, AuditEvent, PrincipalId},
    time::current_stamp,
};

/// What the secret of an invitation begins with.
const PREFIX: &str = "agon_invitation_";
/// Longest time of an invitation, in days: it is a login.
const DAYS_MAX: u32 = 30;
/// Whom an invitation is for, where it counts now.
const INVITEE: &str = "SELECT i.principal FROM invitations i JOIN principals p ON p.id = i.principal
    WHERE i.digest = ?1 AND i.expires_at > ?2 AND p.state = 'active'";

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
        self.audited_account(audit.with_target(principal), move |db| {
            if !is_active(db, principal)? {
                return Err(AccountError::Unknown { what: "active account", name: principal.to_string() });
            }
            let sql = "INSERT INTO invitations (principal, digest, created_at, expires_at)
                VALUES (?1, ?2, ?3, ?4) ON CONFLICT (principal) DO UPDATE SET digest = excluded.digest,
                created_at = excluded.created_at, expires_at = excluded.expires_at";
            Ok(db.execute(sql, &[&principal, &digest, &current_stamp(), &until])?)
        })
        .await?;
        Ok(secret)
    }

    /// The person of the invitation whose secret is `text`, where it counts now.
    pub fn find_invitee(&self, text: &str) -> Result<Option<PrincipalId>> {
        self.read_row(INVITEE, &[&Digest::from_content(text), &current_stamp()], |mut row| row.take(0))
    }

    /// Takes the invitation whose secret is `text`: it can be taken once.
    pub async fn take_invitation(&self, text: &str) -> Decided<Option<PrincipalId>> {
        Ok(self.take_secret("invitations", INVITEE, text).await?.map(|(person,)| person))
    }
}
