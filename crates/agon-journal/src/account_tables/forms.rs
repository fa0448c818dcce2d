//! Logins under way, and forms that came too late.

use super::{Decided, credentials::REMEMBERED_SECONDS, is_storable, make_room, no_randomness, short_id};
use crate::{
    Journal, Result,
    accounts::{AccountSecret, FormDraft, LoginFlow, PrincipalId},
    storage::SqlRow,
    time::{add_seconds, current_stamp, subtract_seconds},
};

/// How long another server may take for a login, in seconds.
const FLOW_SECONDS: u32 = 600;
/// Maximum number of logins under way, of which the oldest go where there are more; and of forms of one person that came too late.
const FLOWS_MAX: u32 = 10_000;
const DRAFTS_MAX: u32 = 8;

impl Journal {
    /// Remembers a login that another server is asked about; gives the secret that its browser keeps.
    pub async fn start_login_flow(&self, flow: LoginFlow) -> Decided<AccountSecret> {
        let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
        let digest = secret.digest();
        self.transact_accounts(move |db| {
            let now = current_stamp();
            db.execute("DELETE FROM login_flows WHERE expires_at < ?1", &[&now])?;
            make_room(db, "login_flows", "digest", "expires_at, digest", FLOWS_MAX)?;
            let sql = "INSERT INTO login_flows (digest, state, nonce, verifier, next, expires_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let LoginFlow { state, nonce, verifier, next } = &flow;
            Ok(db.execute(sql, &[&digest, state, nonce, verifier, next, &add_seconds(&now, FLOW_SECONDS)])?)
        })
        .await?;
        Ok(secret)
    }

    /// Takes the login whose browser keeps the secret `text`: it can be taken once.
    pub async fn take_login_flow(&self, text: &str) -> Decided<Option<LoginFlow>> {
        let sql = "SELECT state, nonce, verifier, next FROM login_flows WHERE digest = ?1 AND expires_at >= ?2";
        self.take_secret("login_flows", sql, text).await
    }

    /// Keeps a form for the person whose login had expired; gives the id of the draft. The oldest of too many go.
    pub async fn keep_form(&self, principal: PrincipalId, path: String, body: String) -> Decided<String> {
        let id = short_id()?;
        self.transact_accounts(move |db| {
            let now = current_stamp();
            let sql = "INSERT INTO form_drafts (id, principal, path, body, at) VALUES (?1, ?2, ?3, ?4, ?5)";
            db.execute(sql, &[&id, &principal, &path, &body, &now])?;
            let forgotten = subtract_seconds(&now, REMEMBERED_SECONDS);
            db.execute("DELETE FROM form_drafts WHERE at < ?1", &[&forgotten])?;
            let sql = "DELETE FROM form_drafts WHERE principal = ?1 AND id NOT IN
                (SELECT id FROM form_drafts WHERE principal = ?1 ORDER BY at DESC, id LIMIT ?2)";
            db.execute(sql, &[&principal, &DRAFTS_MAX])?;
            Ok(id.clone())
        })
        .await
    }

    /// A form that was kept for a person.
    pub fn kept_form(&self, principal: PrincipalId, id: &str) -> Result<Option<FormDraft>> {
        if !is_storable(id) {
            return Ok(None);
        }
        let sql = "SELECT path, body, at FROM form_drafts WHERE principal = ?1 AND id = ?2";
        self.read_row(sql, &[&principal, &id], SqlRow::read)
    }
}
