//! Sessions and personal tokens.

use agon_core::{Digest, Stamp};

use super::{Decided, no_randomness, short_id};
use crate::{
    Journal, Result,
    accounts::{AccountError, AccountSecret, AuditEvent, LoginSession, PersonalToken, PrincipalId, TokenRequest},
    storage::{SqlRow, ToSqlValue},
    time::{add_seconds, current_stamp, subtract_seconds},
};

/// What a personal token begins with, so that scanners for secrets find it.
const TOKEN_PREFIX: &str = "agon_token_";

/// Maximum number of tokens of a person, and of links to a debate, that were not revoked.
pub(super) const HELD_MAX: u32 = 50;
/// Longest time of a token or a link, in days.
const DAYS_MAX: u32 = 366;
const DAY_SECONDS: u32 = 24 * 3600;
/// How long an expired session is remembered, so that a form that was sent with it is kept, in seconds.
pub(super) const REMEMBERED_SECONDS: u32 = 30 * DAY_SECONDS;
/// Longest name of a token or a passkey, in characters.
const NAME_CHARS_MAX: usize = 80;

/// A name that a person gives, in one line.
pub(super) fn short_name(name: &str, of: &str) -> Decided<String> {
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        let why = format!("give {of} a name of 1 to {NAME_CHARS_MAX} characters");
        return Err(AccountError::Unusable(why));
    }
    Ok(name)
}

/// The end of something that begins now and lasts `days`.
pub(super) fn compute_expiry(days: u32) -> Decided<Stamp> {
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(AccountError::Unusable(format!("a time of {days} days is not between 1 and {DAYS_MAX}")));
    }
    Ok(add_seconds(&current_stamp(), days * DAY_SECONDS))
}

const TOKENS: &str = "SELECT t.id, t.principal, t.name, t.scopes, t.created_at, t.expires_at, t.used_at, t.revoked_at";

impl Journal {
    /// Begins a login of `seconds`. Sessions that nobody remembers are removed.
    pub async fn start_session(
        &self,
        principal: PrincipalId,
        seconds: u32,
        audit: AuditEvent,
    ) -> Decided<AccountSecret> {
        let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
        let (digest, via) = (secret.digest(), audit.via.clone());
        self.audited_account(audit, move |db| {
            let now = current_stamp();
            let forgotten = subtract_seconds(&now, REMEMBERED_SECONDS);
            db.execute("DELETE FROM sessions WHERE expires_at < ?1", &[&forgotten])?;
            let sql = "INSERT INTO sessions (digest, principal, via, created_at, expires_at)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            Ok(db.execute(sql, &[&digest, &principal, &via, &now, &add_seconds(&now, seconds)])?)
        })
        .await?;
        Ok(secret)
    }

    /// The session whose secret is `text`, expired ones of the last 30 days included.
    pub fn find_session(&self, text: &str) -> Result<Option<LoginSession>> {
        let sql = "SELECT s.principal, p.state, p.administrator, s.expires_at, s.via FROM sessions s
            JOIN principals p ON p.id = s.principal WHERE s.digest = ?1";
        self.read_row(sql, &[&Digest::from_content(text)], SqlRow::read)
    }

    /// Ends the session whose secret is `text`.
    pub async fn end_session(&self, text: &str, audit: AuditEvent) -> Decided<()> {
        self.execute_audited(audit, "DELETE FROM sessions WHERE digest = ?1", &[&Digest::from_content(text)]).await
    }

    /// Ends every session of a person.
    pub async fn end_sessions_of(&self, principal: PrincipalId, audit: AuditEvent) -> Decided<()> {
        let sql = "DELETE FROM sessions WHERE principal = ?1";
        self.execute_audited(audit.with_target(principal), sql, &[&principal]).await
    }

    /// Makes a token for a person; it is shown this once.
    pub async fn add_token(
        &self,
        principal: PrincipalId,
        wanted: TokenRequest,
        audit: AuditEvent,
    ) -> Decided<(AccountSecret, PersonalToken)> {
        let name = short_name(&wanted.name, "the token")?;
        let secret = AccountSecret::random(TOKEN_PREFIX).ok_or_else(no_randomness)?;
        let token = PersonalToken {
            id: short_id()?,
            principal,
            name,
            scopes: wanted.scopes,
            created_at: current_stamp(),
            expires_at: compute_expiry(wanted.days)?,
            used_at: None,
            revoked_at: None,
        };
        let audit = audit.with_target(format!("{} {}", token.id, token.name));
        let (digest, scopes) = (secret.digest(), token.scopes.to_string());
        let token = self
            .audited_account(audit, move |db| {
                let PersonalToken { id, name, created_at, expires_at, .. } = &token;
                let sql = "SELECT count(*) FROM personal_tokens
                    WHERE principal = ?1 AND revoked_at IS NULL AND expires_at > ?2";
                if db.query_count(sql, &[&principal, created_at])? >= HELD_MAX.into() {
                    return Err(AccountError::TooMany { what: "tokens of a person", most: HELD_MAX });
                }
                let sql = "INSERT INTO personal_tokens (id, digest, principal, name, scopes, created_at, expires_at)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                db.execute(sql, &[id, &digest, &principal, name, &scopes, created_at, expires_at])?;
                Ok(token.clone())
            })
            .await?;
        Ok((secret, token))
    }

    /// The token whose secret is `text`, where it counts now and its person may use the server; and whether that
    /// person administers it.
    pub fn find_token(&self, text: &str) -> Result<Option<(PersonalToken, bool)>> {
        let sql = format!(
            "{TOKENS}, p.administrator FROM personal_tokens t JOIN principals p ON p.id = t.principal
            WHERE t.digest = ?1 AND t.revoked_at IS NULL AND t.expires_at > ?2 AND p.state = 'active'"
        );
        let values: [&dyn ToSqlValue; 2] = [&Digest::from_content(text), &current_stamp()];
        self.read_row(&sql, &values, |mut row| {
            let administrator = row.take(8)?;
            Ok((row.read()?, administrator))
        })
    }

    /// Notes that a token was used, once an hour.
    pub async fn token_used(&self, token: &PersonalToken) -> Decided<()> {
        let now = current_stamp();
        if token.used_at.as_ref().is_some_and(|used| *used > subtract_seconds(&now, 3600)) {
            return Ok(());
        }
        let sql = "UPDATE personal_tokens SET used_at = ?2 WHERE id = ?1";
        self.execute_account(sql, &[&token.id, &now]).await.map(drop)
    }

    /// The tokens of a person, newest first, revoked and expired ones included.
    pub fn tokens_of(&self, principal: PrincipalId) -> Result<Vec<PersonalToken>> {
        let sql = format!(
            "{TOKENS} FROM personal_tokens t WHERE t.principal = ?1 ORDER BY t.created_at DESC, t.id LIMIT 200"
        );
        self.read_rows(&sql, &[&principal], SqlRow::read)
    }

    /// Revokes a token of a person.
    pub async fn revoke_token(&self, principal: PrincipalId, id: &str, audit: AuditEvent) -> Decided<()> {
        let sql = "UPDATE personal_tokens SET revoked_at = ?3
            WHERE id = ?1 AND principal = ?2 AND revoked_at IS NULL";
        self.revoke_one("token", id, audit, sql, &[&principal, &current_stamp()]).await
    }
}
