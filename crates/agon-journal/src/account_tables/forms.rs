//! Logins under way, and forms that came too late.

use agon_core::{Digest, Stamp};

use super::{Decided, credentials::REMEMBERED_SECONDS, is_found, is_storable, make_room, no_randomness, short_id};
use crate::{
    Journal, JournalError,
    accounts::{AccountSecret, FormDraft, LoginFlow, PrincipalId},
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
            db.execute("DELETE FROM login_flows WHERE expires_at < ?1", &[(&now.0).into()])?;
            make_room(db, "login_flows", "digest", "expires_at, digest", FLOWS_MAX)?;
            let sql = "INSERT INTO login_flows (digest, state, nonce, verifier, next, expires_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let LoginFlow { state, nonce, verifier, next } = &flow;
            let until = add_seconds(&now, FLOW_SECONDS).0;
            let digest = digest.as_str().into();
            let row = [digest, state.into(), nonce.into(), verifier.into(), next.into(), (&until).into()];
            db.execute(sql, &row)?;
            Ok(Ok(()))
        })
        .await?;
        Ok(secret)
    }

    /// Takes the login whose browser keeps the secret `text`: it can be taken once.
    pub async fn take_login_flow(&self, text: &str) -> Decided<Option<LoginFlow>> {
        let digest = Digest::of(text);
        // Anyone can send a secret that was never one: it costs a read alone.
        let known = "SELECT 1 FROM login_flows WHERE digest = ?1";
        if !self.read_store(|db| is_found(db, known, &[digest.as_str().into()]))? {
            return Ok(None);
        }
        self.transact_accounts(move |db| {
            let (digest, now) = (digest.as_str().into(), current_stamp().0);
            let sql = "SELECT state, nonce, verifier, next FROM login_flows
                WHERE digest = ?1 AND expires_at >= ?2";
            let Some(mut row) = db.query_first(sql, &[digest, (&now).into()])? else { return Ok(Ok(None)) };
            db.execute("DELETE FROM login_flows WHERE digest = ?1", &[digest])?;
            let (state, nonce, verifier) = (row.text(0)?, row.text(1)?, row.text(2)?);
            Ok(Ok(Some(LoginFlow { state, nonce, verifier, next: row.text(3)? })))
        })
        .await
    }

    /// Keeps a form for the person whose login had expired; gives the id of the draft. The oldest of too many go.
    pub async fn keep_form(&self, principal: PrincipalId, path: String, body: String) -> Decided<String> {
        let (id, person) = (short_id()?, principal.to_string());
        self.transact_accounts(move |db| {
            let (now, person) = (current_stamp(), (&person).into());
            let sql = "INSERT INTO form_drafts (id, principal, path, body, at) VALUES (?1, ?2, ?3, ?4, ?5)";
            db.execute(sql, &[(&id).into(), person, (&path).into(), (&body).into(), (&now.0).into()])?;
            let forgotten = subtract_seconds(&now, REMEMBERED_SECONDS).0;
            db.execute("DELETE FROM form_drafts WHERE at < ?1", &[(&forgotten).into()])?;
            let sql = "DELETE FROM form_drafts WHERE principal = ?1 AND id NOT IN
                (SELECT id FROM form_drafts WHERE principal = ?1 ORDER BY at DESC, id LIMIT ?2)";
            db.execute(sql, &[person, DRAFTS_MAX.into()])?;
            Ok(Ok(id.clone()))
        })
        .await
    }

    /// A form that was kept for a person.
    pub fn kept_form(&self, principal: PrincipalId, id: &str) -> Result<Option<FormDraft>, JournalError> {
        if !is_storable(id) {
            return Ok(None);
        }
        let sql = "SELECT path, body, at FROM form_drafts WHERE principal = ?1 AND id = ?2";
        let person = principal.to_string();
        self.read_store(|db| {
            let row = db.query_first(sql, &[(&person).into(), id.into()])?;
            let form =
                row.map(|mut row| Ok(FormDraft { path: row.text(0)?, body: row.text(1)?, at: Stamp(row.text(2)?) }));
            form.transpose()
        })
    }
}
