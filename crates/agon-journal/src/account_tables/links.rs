//! Links for readers.

use agon_core::{DebateId, Digest};

use super::{
    Decided,
    credentials::{HELD_MAX, compute_expiry},
    no_randomness, short_id,
};
use crate::{
    Journal, Result,
    accounts::{AccountError, AccountSecret, AuditEvent, PrincipalId, ShareLink},
    storage::SqlRow,
    time::current_stamp,
};

/// What the secret of a link begins with.
const LINK_PREFIX: &str = "agon_link_";

const COLUMNS: &str = "SELECT id, debate, principal, created_at, expires_at, revoked_at FROM share_links";

impl Journal {
    /// Makes a link with which anyone can read `debate`; its secret is shown this once.
    pub async fn add_share_link(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        days: u32,
        audit: AuditEvent,
    ) -> Decided<(AccountSecret, ShareLink)> {
        let secret = AccountSecret::random(LINK_PREFIX).ok_or_else(no_randomness)?;
        let link = ShareLink {
            id: short_id()?,
            debate: debate.clone(),
            principal,
            created_at: current_stamp(),
            expires_at: compute_expiry(days)?,
            revoked_at: None,
        };
        let audit = audit.with_debate(debate).with_target(&link.id);
        let digest = secret.digest();
        let link = self
            .audited_account(audit, move |db| {
                let ShareLink { id, debate, created_at, expires_at, .. } = &link;
                let sql = "SELECT count(*) FROM share_links
                    WHERE debate = ?1 AND revoked_at IS NULL AND expires_at > ?2";
                if db.query_count(sql, &[debate, created_at])? >= HELD_MAX.into() {
                    return Err(AccountError::TooMany { what: "links to a debate", most: HELD_MAX });
                }
                let sql = "INSERT INTO share_links (id, digest, debate, principal, created_at, expires_at)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                db.execute(sql, &[id, &digest, debate, &principal, created_at, expires_at])?;
                Ok(link.clone())
            })
            .await?;
        Ok((secret, link))
    }

    /// The link whose secret is `text`, also where it does not count any more.
    pub fn share_link(&self, text: &str) -> Result<Option<ShareLink>> {
        self.read_row(&format!("{COLUMNS} WHERE digest = ?1"), &[&Digest::from_content(text)], SqlRow::read)
    }

    /// The links to a debate, newest first.
    pub fn share_links_of(&self, debate: &DebateId) -> Result<Vec<ShareLink>> {
        let sql = format!("{COLUMNS} WHERE debate = ?1 ORDER BY created_at DESC, id LIMIT 200");
        self.read_rows(&sql, &[&debate], SqlRow::read)
    }

    /// Revokes a link to a debate.
    pub async fn revoke_share_link(&self, debate: &DebateId, id: &str, audit: AuditEvent) -> Decided<()> {
        let sql = "UPDATE share_links SET revoked_at = ?3 WHERE id = ?1 AND debate = ?2 AND revoked_at IS NULL";
        self.revoke_one("link", id, audit.with_debate(debate), sql, &[&debate, &current_stamp()]).await
    }
}
