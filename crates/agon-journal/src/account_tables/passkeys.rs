//! Passkeys, and the challenges that are signed with them.

use super::{Decided, credentials::short_name, is_active, is_storable, make_room, no_randomness, short_id};
use crate::{
    Journal, Result,
    accounts::{AccountError, AccountSecret, AuditEvent, NewPasskey, Passkey, PasskeyChallenge, PrincipalId},
    storage::SqlRow,
    time::{add_seconds, current_stamp},
};

/// How long a browser may take to sign a challenge, in seconds.
const CHALLENGE_SECONDS: u32 = 300;
/// Maximum number of challenges that are not signed yet, of which the oldest go where there are more, first those of nobody
/// in particular; and of passkeys of a person.
const CHALLENGES_MAX: u32 = 10_000;
const PASSKEYS_MAX: u32 = 20;
/// Longest name of a credential, in bytes of base64url; WebAuthn allows 1023 bytes.
const CREDENTIAL_BYTES_MAX: usize = 1400;
/// Longest public half, in bytes of JSON.
const KEY_BYTES_MAX: usize = 16 * 1024;

const COLUMNS: &str =
    "SELECT k.id, k.principal, k.name, k.credential, k.key, k.counter, k.created_at, k.used_at FROM passkeys k";

impl Journal {
    /// Remembers a challenge; gives the secret that its browser keeps.
    pub async fn start_passkey_challenge(&self, challenge: PasskeyChallenge) -> Decided<AccountSecret> {
        let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
        let digest = secret.digest();
        self.transact_accounts(move |db| {
            let now = current_stamp();
            db.execute("DELETE FROM passkey_challenges WHERE expires_at < ?1", &[&now])?;
            let order = "CASE WHEN principal IS NULL THEN 0 ELSE 1 END, expires_at, digest";
            make_room(db, "passkey_challenges", "digest", order, CHALLENGES_MAX)?;
            let sql = "INSERT INTO passkey_challenges (digest, principal, state, expires_at)
                VALUES (?1, ?2, ?3, ?4)";
            let PasskeyChallenge { principal, state } = &challenge;
            Ok(db.execute(sql, &[&digest, principal, state, &add_seconds(&now, CHALLENGE_SECONDS)])?)
        })
        .await?;
        Ok(secret)
    }

    /// Takes the challenge whose browser keeps the secret `text`: it can be taken once, within five minutes.
    pub async fn take_passkey_challenge(&self, text: &str) -> Decided<Option<PasskeyChallenge>> {
        let sql = "SELECT principal, state FROM passkey_challenges WHERE digest = ?1 AND expires_at >= ?2";
        self.take_secret("passkey_challenges", sql, text).await
    }

    /// Registers a passkey of an active person.
    ///
    /// # Errors
    ///
    /// [`AccountError::Taken`] where another person has it already, [`AccountError::TooMany`] beyond 20 of one person, and
    /// [`AccountError::Unusable`] for what cannot be a name or a key.
    pub async fn add_passkey(&self, new: NewPasskey, audit: AuditEvent) -> Decided<Passkey> {
        let NewPasskey { principal, name, credential, key, counter } = new;
        let name = short_name(&name, "the passkey")?;
        let fits = !credential.is_empty() && credential.len() <= CREDENTIAL_BYTES_MAX && is_storable(&credential);
        if !fits || key.len() > KEY_BYTES_MAX {
            return Err(AccountError::Unusable("this is not a passkey that can be kept".into()));
        }
        let (id, created_at) = (short_id()?, current_stamp());
        let passkey = Passkey { id, principal, name, credential, key, counter, created_at, used_at: None };
        let audit = audit.with_target(format!("{} {}", passkey.id, passkey.name));
        self.audited_account(audit, move |db| {
            let Passkey { id, name, credential, key, counter, created_at, .. } = &passkey;
            if !is_active(db, principal)? {
                return Err(AccountError::Unknown { what: "account", name: principal.to_string() });
            }
            if db.has_row("SELECT 1 FROM passkeys WHERE credential = ?1", &[&credential])? {
                return Err(AccountError::Taken(name.clone()));
            }
            let sql = "SELECT count(*) FROM passkeys WHERE principal = ?1";
            if db.query_count(sql, &[&principal])? >= PASSKEYS_MAX.into() {
                return Err(AccountError::TooMany { what: "passkeys of a person", most: PASSKEYS_MAX });
            }
            let sql = "INSERT INTO passkeys (id, credential, principal, name, key, counter, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            db.execute(sql, &[id, credential, &principal, name, key, counter, created_at])?;
            Ok(passkey.clone())
        })
        .await
    }

    /// The passkeys of a person, oldest first.
    pub fn passkeys_of(&self, principal: PrincipalId) -> Result<Vec<Passkey>> {
        let sql = format!("{COLUMNS} WHERE k.principal = ?1 ORDER BY k.created_at, k.id LIMIT 200");
        self.read_rows(&sql, &[&principal], SqlRow::read)
    }

    /// The passkey that browsers know as `credential`, where its person may use the server now.
    pub fn find_passkey(&self, credential: &str) -> Result<Option<Passkey>> {
        if !is_storable(credential) {
            return Ok(None);
        }
        let sql =
            format!("{COLUMNS} JOIN principals p ON p.id = k.principal WHERE k.credential = ?1 AND p.state = 'active'");
        self.read_row(&sql, &[&credential], SqlRow::read)
    }

    /// Notes that a passkey has signed, and its new counter; whether the counter was still that of `passkey`. Of two
    /// answers with one counter, one is refused.
    pub async fn passkey_used(&self, passkey: &Passkey, counter: u32) -> Decided<bool> {
        let sql = "UPDATE passkeys SET counter = ?3, used_at = ?4 WHERE id = ?1 AND counter = ?2";
        Ok(self.execute_account(sql, &[&passkey.id, &passkey.counter, &counter, &current_stamp()]).await? == 1)
    }

    /// Removes a passkey of a person.
    ///
    /// # Errors
    ///
    /// [`AccountError::Unknown`] where the person has not such a passkey.
    pub async fn remove_passkey(&self, principal: PrincipalId, id: &str, audit: AuditEvent) -> Decided<()> {
        let sql = "DELETE FROM passkeys WHERE id = ?1 AND principal = ?2";
        self.revoke_one("passkey", id, audit, sql, &[&principal]).await
    }
}
