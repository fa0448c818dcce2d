//! Sessions, personal tokens, links for readers, logins under way, and forms that came too late.

use agon_core::{DebateId, Stamp};
use rusqlite::{OptionalExtension, Row, params};

use super::{Decided, no_randomness};
use crate::{
    accounts::{
        AccountError, AccountSecret, AuditEvent, FormDraft, LoginFlow, LoginSession, PersonalToken,
        PrincipalId, PrincipalState, Scopes, ShareLink, TokenRequest,
    },
    journal::{Journal, JournalError},
    time::{after, stamp},
};

/// What a personal token begins with, so that scanners for secrets find it.
pub(crate) const TOKEN_PREFIX: &str = "agon_token_";
/// What the secret of a link begins with.
pub(crate) const LINK_PREFIX: &str = "agon_link_";

/// Maximum number of tokens of a person, and of links to a debate, that were not revoked.
const HELD_MAX: u32 = 50;
/// Longest time of a token or a link, in days.
const DAYS_MAX: u32 = 366;
const DAY_SECONDS: u32 = 24 * 3600;
/// How long an expired session is remembered, so that a form that was sent with it is kept, in seconds.
const REMEMBERED_SECONDS: u32 = 30 * DAY_SECONDS;
/// How long another server may take for a login, in seconds.
const FLOW_SECONDS: u32 = 600;
/// Maximum number of logins under way, and of forms of one person that came too late.
const FLOWS_MAX: u32 = 10_000;
const DRAFTS_MAX: u32 = 8;
/// Longest name of a token, in characters.
const NAME_CHARS_MAX: usize = 80;

/// The moment `seconds` before now.
fn ago(seconds: u32) -> Stamp {
    let moment = crate::time::now().checked_sub(jiff::SignedDuration::from_secs(seconds.into()));
    moment.map_or_else(|_| stamp(), crate::time::stamped)
}

fn lasting(days: u32) -> Result<Stamp, AccountError> {
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(AccountError::Unusable(format!("a time of {days} days is not between 1 and {DAYS_MAX}")));
    }
    Ok(after(&stamp(), days * DAY_SECONDS))
}

/// A short name for a secret that is not one itself.
fn short_id() -> Result<String, AccountError> {
    let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
    Ok(secret.text()[..12].to_owned())
}

fn token(row: &Row<'_>) -> rusqlite::Result<PersonalToken> {
    Ok(PersonalToken {
        id: row.get(0)?,
        principal: super::principals::id(row, 1)?,
        name: row.get(2)?,
        scopes: Scopes::of(&row.get::<_, String>(3)?).unwrap_or(Scopes { answer: false, run: false }),
        created_at: Stamp(row.get(4)?),
        expires_at: Stamp(row.get(5)?),
        used_at: row.get::<_, Option<String>>(6)?.map(Stamp),
        revoked_at: row.get::<_, Option<String>>(7)?.map(Stamp),
    })
}

const TOKENS: &str =
    "SELECT t.id, t.principal, t.name, t.scopes, t.created_at, t.expires_at, t.used_at, t.revoked_at";

fn share_link(row: &Row<'_>) -> rusqlite::Result<ShareLink> {
    let debate: String = row.get(1)?;
    Ok(ShareLink {
        id: row.get(0)?,
        debate: DebateId::new(debate)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?,
        principal: super::principals::id(row, 2)?,
        created_at: Stamp(row.get(3)?),
        expires_at: Stamp(row.get(4)?),
        revoked_at: row.get::<_, Option<String>>(5)?.map(Stamp),
    })
}

const LINKS: &str = "SELECT id, debate, principal, created_at, expires_at, revoked_at FROM share_links";

impl Journal {
    /// Begins a login of `seconds`. Sessions that nobody remembers are removed.
    pub async fn start_session(
        &self,
        principal: PrincipalId,
        seconds: u32,
        audit: AuditEvent,
    ) -> Decided<AccountSecret> {
        let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
        let digest = secret.digest();
        self.account(move |db| {
            let sql = "DELETE FROM sessions WHERE expires_at < ?";
            db.prepare_cached(sql)?.execute(params![ago(REMEMBERED_SECONDS).0])?;
            let now = stamp();
            let sql = "INSERT INTO sessions (digest, principal, via, created_at, expires_at) VALUES (?, ?, ?, ?, ?)";
            let until = after(&now, seconds);
            let row = params![digest.as_str(), principal.to_string(), audit.via, now.0, until.0];
            db.prepare_cached(sql)?.execute(row)?;
            super::audit::write(db, &audit)?;
            Ok(Ok(secret))
        })
        .await
    }

    /// The session whose secret is `text`, expired ones of the last 30 days included.
    pub fn session(&self, text: &str) -> Result<Option<LoginSession>, JournalError> {
        let digest = agon_core::Digest::of(text);
        let sql = "SELECT s.principal, p.state, p.administrator, s.expires_at FROM sessions s
            JOIN principals p ON p.id = s.principal WHERE s.digest = ?";
        self.reading(|db| {
            let row = db.prepare_cached(sql)?.query_row(params![digest.as_str()], |row| {
                Ok(LoginSession {
                    principal: super::principals::id(row, 0)?,
                    state: PrincipalState::of(&row.get::<_, String>(1)?),
                    administrator: row.get(2)?,
                    expires_at: Stamp(row.get(3)?),
                })
            });
            row.optional()
        })
    }

    /// Ends the session whose secret is `text`.
    pub async fn end_session(&self, text: &str, audit: AuditEvent) -> Decided<()> {
        let digest = agon_core::Digest::of(text);
        self.account(move |db| {
            let sql = "DELETE FROM sessions WHERE digest = ?";
            db.prepare_cached(sql)?.execute(params![digest.as_str()])?;
            super::audit::write(db, &audit)?;
            Ok(Ok(()))
        })
        .await
    }

    /// Makes a token for a person; it is shown this once.
    pub async fn add_token(
        &self,
        principal: PrincipalId,
        wanted: TokenRequest,
        audit: AuditEvent,
    ) -> Decided<(AccountSecret, PersonalToken)> {
        let name: String = wanted.name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
            let why = format!("give the token a name of 1 to {NAME_CHARS_MAX} characters");
            return Err(AccountError::Unusable(why));
        }
        let (expires_at, id) = (lasting(wanted.days)?, short_id()?);
        let secret = AccountSecret::random(TOKEN_PREFIX).ok_or_else(no_randomness)?;
        let digest = secret.digest();
        self.account(move |db| {
            let now = stamp();
            let sql = "SELECT count(*) FROM personal_tokens
                WHERE principal = ? AND revoked_at IS NULL AND expires_at > ?";
            let held = params![principal.to_string(), now.0];
            let count: u32 = db.prepare_cached(sql)?.query_row(held, |row| row.get(0))?;
            if count >= HELD_MAX {
                return Ok(Err(AccountError::TooMany { what: "tokens of a person", most: HELD_MAX }));
            }
            let sql =
                "INSERT INTO personal_tokens (id, digest, principal, name, scopes, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)";
            let scopes = wanted.scopes;
            let row = params![
                id,
                digest.as_str(),
                principal.to_string(),
                name,
                scopes.to_string(),
                now.0,
                expires_at.0
            ];
            db.prepare_cached(sql)?.execute(row)?;
            super::audit::write(db, &audit.about(format!("{id} {name}")))?;
            let (created_at, used_at, revoked_at) = (now, None, None);
            let token =
                PersonalToken { id, principal, name, scopes, created_at, expires_at, used_at, revoked_at };
            Ok(Ok((secret, token)))
        })
        .await
    }

    /// The token whose secret is `text`, where it counts now and its person may use the server; and whether that
    /// person administers it.
    pub fn token(&self, text: &str) -> Result<Option<(PersonalToken, bool)>, JournalError> {
        let digest = agon_core::Digest::of(text);
        let sql = format!(
            "{TOKENS}, p.administrator FROM personal_tokens t JOIN principals p ON p.id = t.principal
            WHERE t.digest = ? AND t.revoked_at IS NULL AND t.expires_at > ? AND p.state = 'active'"
        );
        self.reading(|db| {
            let known = params![digest.as_str(), stamp().0];
            let row = db.prepare_cached(&sql)?.query_row(known, |row| Ok((token(row)?, row.get(8)?)));
            row.optional()
        })
    }

    /// Notes that a token was used, once an hour.
    pub async fn token_used(&self, token: &PersonalToken) -> Decided<()> {
        let hour = ago(3600);
        if token.used_at.as_ref().is_some_and(|used| *used > hour) {
            return Ok(());
        }
        let id = token.id.clone();
        self.account(move |db| {
            let sql = "UPDATE personal_tokens SET used_at = ? WHERE id = ?";
            db.prepare_cached(sql)?.execute(params![stamp().0, id]).map(|_| Ok(()))
        })
        .await
    }

    /// The tokens of a person, newest first, revoked and expired ones included.
    pub fn tokens_of(&self, principal: PrincipalId) -> Result<Vec<PersonalToken>, JournalError> {
        let sql = format!(
            "{TOKENS} FROM personal_tokens t WHERE t.principal = ? ORDER BY t.created_at DESC, t.id LIMIT 200"
        );
        self.reading(|db| {
            let mut rows = db.prepare_cached(&sql)?;
            rows.query_map(params![principal.to_string()], token)?.collect()
        })
    }

    /// Revokes a token of a person.
    pub async fn revoke_token(&self, principal: PrincipalId, id: &str, audit: AuditEvent) -> Decided<()> {
        let id = id.to_owned();
        self.account(move |db| {
            let sql = "UPDATE personal_tokens SET revoked_at = ? WHERE id = ? AND principal = ? AND revoked_at IS NULL";
            let row = params![stamp().0, id, principal.to_string()];
            if db.prepare_cached(sql)?.execute(row)? == 0 {
                return Ok(Err(AccountError::Unknown { what: "token", name: id }));
            }
            super::audit::write(db, &audit.about(id))?;
            Ok(Ok(()))
        })
        .await
    }

    /// Makes a link with which anyone can read `debate`; its secret is shown this once.
    pub async fn add_share_link(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        days: u32,
        audit: AuditEvent,
    ) -> Decided<(AccountSecret, ShareLink)> {
        let (expires_at, id) = (lasting(days)?, short_id()?);
        let secret = AccountSecret::random(LINK_PREFIX).ok_or_else(no_randomness)?;
        let (digest, debate) = (secret.digest(), debate.clone());
        self.account(move |db| {
            let now = stamp();
            let sql =
                "SELECT count(*) FROM share_links WHERE debate = ? AND revoked_at IS NULL AND expires_at > ?";
            let held = params![debate.as_str(), now.0];
            let count: u32 = db.prepare_cached(sql)?.query_row(held, |row| row.get(0))?;
            if count >= HELD_MAX {
                return Ok(Err(AccountError::TooMany { what: "links to a debate", most: HELD_MAX }));
            }
            let sql = "INSERT INTO share_links (id, digest, debate, principal, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)";
            let row =
                params![id, digest.as_str(), debate.as_str(), principal.to_string(), now.0, expires_at.0];
            db.prepare_cached(sql)?.execute(row)?;
            super::audit::write(db, &audit.within(&debate).about(&id))?;
            let link = ShareLink { id, debate, principal, created_at: now, expires_at, revoked_at: None };
            Ok(Ok((secret, link)))
        })
        .await
    }

    /// The link whose secret is `text`, also where it does not count any more.
    pub fn share_link(&self, text: &str) -> Result<Option<ShareLink>, JournalError> {
        let digest = agon_core::Digest::of(text);
        let sql = format!("{LINKS} WHERE digest = ?");
        self.reading(|db| {
            db.prepare_cached(&sql)?.query_row(params![digest.as_str()], self::share_link).optional()
        })
    }

    /// The links to a debate, newest first.
    pub fn share_links_of(&self, debate: &DebateId) -> Result<Vec<ShareLink>, JournalError> {
        let sql = format!("{LINKS} WHERE debate = ? ORDER BY created_at DESC, id LIMIT 200");
        self.reading(|db| {
            let mut rows = db.prepare_cached(&sql)?;
            rows.query_map(params![debate.as_str()], self::share_link)?.collect()
        })
    }

    /// Revokes a link to a debate.
    pub async fn revoke_share_link(&self, debate: &DebateId, id: &str, audit: AuditEvent) -> Decided<()> {
        let (debate, id) = (debate.clone(), id.to_owned());
        self.account(move |db| {
            let sql =
                "UPDATE share_links SET revoked_at = ? WHERE id = ? AND debate = ? AND revoked_at IS NULL";
            if db.prepare_cached(sql)?.execute(params![stamp().0, id, debate.as_str()])? == 0 {
                return Ok(Err(AccountError::Unknown { what: "link", name: id }));
            }
            super::audit::write(db, &audit.within(&debate).about(id))?;
            Ok(Ok(()))
        })
        .await
    }

    /// Remembers a login that another server is asked about; gives the secret that its browser keeps.
    pub async fn start_login_flow(&self, flow: LoginFlow) -> Decided<AccountSecret> {
        let secret = AccountSecret::random("").ok_or_else(no_randomness)?;
        let digest = secret.digest();
        self.account(move |db| {
            let now = stamp();
            let sql = "DELETE FROM login_flows WHERE expires_at < ?";
            db.prepare_cached(sql)?.execute(params![now.0])?;
            let sql = "SELECT count(*) FROM login_flows";
            let count: u32 = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            if count >= FLOWS_MAX {
                return Ok(Err(AccountError::TooMany { what: "logins under way", most: FLOWS_MAX }));
            }
            let sql = "INSERT INTO login_flows (digest, state, nonce, verifier, next, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)";
            let LoginFlow { state, nonce, verifier, next } = flow;
            let until = after(&now, FLOW_SECONDS);
            let row = params![digest.as_str(), state, nonce, verifier, next, until.0];
            db.prepare_cached(sql)?.execute(row)?;
            Ok(Ok(secret))
        })
        .await
    }

    /// Takes the login whose browser keeps the secret `text`: it can be taken once.
    pub async fn take_login_flow(&self, text: &str) -> Decided<Option<LoginFlow>> {
        let digest = agon_core::Digest::of(text);
        self.account(move |db| {
            let sql = "DELETE FROM login_flows WHERE digest = ? AND expires_at >= ?
                RETURNING state, nonce, verifier, next";
            let flow = db.prepare_cached(sql)?.query_row(params![digest.as_str(), stamp().0], |row| {
                Ok(LoginFlow {
                    state: row.get(0)?,
                    nonce: row.get(1)?,
                    verifier: row.get(2)?,
                    next: row.get(3)?,
                })
            });
            flow.optional().map(Ok)
        })
        .await
    }

    /// Keeps a form for the person whose login had expired; gives the id of the draft. The oldest of too many go.
    pub async fn keep_form(&self, principal: PrincipalId, path: String, body: String) -> Decided<String> {
        let id = short_id()?;
        self.account(move |db| {
            let person = principal.to_string();
            let sql = "INSERT INTO form_drafts (id, principal, path, body, at) VALUES (?, ?, ?, ?, ?)";
            db.prepare_cached(sql)?.execute(params![id, person, path, body, stamp().0])?;
            let sql = "DELETE FROM form_drafts WHERE at < ?";
            db.prepare_cached(sql)?.execute(params![ago(REMEMBERED_SECONDS).0])?;
            let sql = "DELETE FROM form_drafts WHERE principal = ?1 AND id NOT IN
                (SELECT id FROM form_drafts WHERE principal = ?1 ORDER BY at DESC, id LIMIT ?2)";
            db.prepare_cached(sql)?.execute(params![person, DRAFTS_MAX])?;
            Ok(Ok(id))
        })
        .await
    }

    /// A form that was kept for a person.
    pub fn kept_form(&self, principal: PrincipalId, id: &str) -> Result<Option<FormDraft>, JournalError> {
        let sql = "SELECT path, body, at FROM form_drafts WHERE principal = ? AND id = ?";
        self.reading(|db| {
            let row = db.prepare_cached(sql)?.query_row(params![principal.to_string(), id], |row| {
                Ok(FormDraft { path: row.get(0)?, body: row.get(1)?, at: Stamp(row.get(2)?) })
            });
            row.optional()
        })
    }
}
