//! Messages to webhooks: stored before they are sent, each under one id for ever.

use agon_core::{DebateId, Entry};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use super::{Journal, JournalError};
use crate::time::{days_ago, now, stamp};

/// Messages of one webhook that can wait; further ones are stored as failed.
const PENDING_MAX: u32 = 10_000;
/// Entries of one debate that are read at a time.
const ENTRIES_AT_ONCE: u32 = 500;
/// Days for which messages that were delivered or failed are listed.
const LISTED_DAYS: u32 = 30;
/// For how long a message is the business of the process that sends it, in milliseconds.
const CLAIM_MS: i64 = 60_000;

/// A message that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    /// Its id, which every attempt carries.
    pub id: String,
    /// The webhook.
    pub webhook: String,
    /// The event, for example `closed`.
    pub event: String,
    /// The debate that it is about.
    pub debate: Option<DebateId>,
    /// What it is about; a second message of the webhook about the same is not stored.
    pub subject: String,
    /// The body, as it is sent and signed.
    pub body: String,
}

/// A message that this process sends now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedMessage {
    /// Its id.
    pub id: String,
    /// The body.
    pub body: String,
    /// How many attempts were made before.
    pub attempts: u32,
}

/// How an attempt to send went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Why it was not delivered.
    pub error: Option<String>,
}

/// What becomes of a message after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextDelivery {
    /// Nothing: it arrived.
    Delivered,
    /// It is sent again after so many milliseconds.
    After(u64),
    /// Nothing: it is given up.
    GivenUp,
}

/// A message with its state, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveryLine {
    /// Its id.
    pub id: String,
    /// The webhook.
    pub webhook: String,
    /// The event.
    pub event: String,
    /// The debate.
    pub debate: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// `pending`, `delivered` or `failed`.
    pub state: String,
    /// Number of attempts.
    pub attempts: u32,
    /// HTTP status of the last answer.
    pub status: Option<u16>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// Number of messages of a webhook by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DeliveryCounts {
    /// Not delivered yet.
    pub pending: u64,
    /// Delivered.
    pub delivered: u64,
    /// Given up.
    pub failed: u64,
}

/// Entries of a debate that a webhook was not told of yet.
#[derive(Debug)]
pub struct UntoldEntries {
    /// The debate.
    pub debate: DebateId,
    /// Its first entry.
    pub opening: Entry,
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// How many entries the webhook knows then.
    pub length: u64,
}

impl Journal {
    /// Begins to keep what `webhooks` must be told. One that is new is told what happens from now on.
    pub async fn register_webhooks(&self, webhooks: Vec<String>) -> Result<(), JournalError> {
        self.transact(move |db, path| {
            let register = || {
                for name in &webhooks {
                    let sql = "INSERT OR IGNORE INTO webhooks (name, since) VALUES (?, ?)";
                    if db.execute(sql, params![name, stamp().0])? > 0 {
                        let sql = "INSERT INTO webhook_cursors (name, debate, length) SELECT ?, id, length FROM debates";
                        db.execute(sql, params![name])?;
                    }
                }
                Ok(())
            };
            register().map_err(|error| JournalError::sqlite(path, error))
        })
        .await
    }

    /// A debate that has entries of which `webhook` was not told, with them; `None` where there is none.
    pub fn untold(&self, webhook: &str) -> Result<Option<UntoldEntries>, JournalError> {
        self.look(|db, path| {
            let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
            let sql = "SELECT d.id, ifnull(c.length, 0) FROM debates d
                       LEFT JOIN webhook_cursors c ON c.debate = d.id AND c.name = ?
                       WHERE d.length IS NOT c.length AND d.length > 0 LIMIT 1";
            let found = db
                .prepare_cached(sql)
                .and_then(|mut row| {
                    let row = row.query_row(params![webhook], |row| {
                        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
                    });
                    row.optional()
                })
                .map_err(fault)?;
            let Some((id, from)) = found else { return Ok(None) };
            let debate = DebateId::new(id).map_err(|error| JournalError::unsound(path, error))?;
            let read = |from: i64, limit: u32| -> Result<Vec<Entry>, JournalError> {
                let sql = "SELECT line FROM entries WHERE debate = ? AND seq >= ? ORDER BY seq LIMIT ?";
                let lines = db.prepare_cached(sql).and_then(|mut rows| {
                    let rows =
                        rows.query_map(params![debate.as_str(), from, limit], |row| row.get::<_, String>(0))?;
                    rows.collect::<rusqlite::Result<Vec<_>>>()
                });
                let lines = lines.map_err(fault)?;
                let entries = lines.iter().map(|line| serde_json::from_str(line));
                entries.collect::<Result<_, _>>().map_err(|error| JournalError::unsound(path, error))
            };
            let opening = read(0, 1)?.pop();
            let opening = opening.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
            let entries = read(from, ENTRIES_AT_ONCE)?;
            let length = from.unsigned_abs() + entries.len() as u64;
            Ok(Some(UntoldEntries { debate, opening, entries, length }))
        })
    }

    /// Stores messages, and that `webhook` was told of the first `length` entries of `debate`, in one transaction.
    pub async fn queue_messages(
        &self,
        messages: Vec<OutboxMessage>,
        told: Option<(String, DebateId, u64)>,
    ) -> Result<(), JournalError> {
        self.transact(move |db, path| {
            let stored = || {
                messages.iter().try_for_each(|message| store_message(db, message))?;
                if let Some((webhook, debate, length)) = &told {
                    db.execute(
                        "INSERT INTO webhook_cursors (name, debate, length) SELECT ?1, id, ?3 FROM debates WHERE id = ?2
                         ON CONFLICT DO UPDATE SET length = excluded.length",
                        params![webhook, debate.as_str(), *length as i64],
                    )?;
                }
                Ok(())
            };
            stored().map_err(|error| JournalError::sqlite(path, error))
        })
        .await
    }

    /// The next message of `webhook` that is due, or the one with this `id`, for this process alone; `None` where
    /// none is.
    pub async fn claim_message(
        &self,
        webhook: &str,
        id: Option<&str>,
    ) -> Result<Option<ClaimedMessage>, JournalError> {
        let (webhook, id) = (webhook.to_owned(), id.map(str::to_owned));
        self.transact(move |db, path| {
            let claim = || {
                let now = now().as_millisecond();
                let sql = "UPDATE webhook_messages SET claimed_ms = ?2 WHERE id = (
                               SELECT id FROM webhook_messages
                               WHERE state = 'pending' AND name = ?1 AND due_ms <= ?3 AND claimed_ms <= ?3
                               AND (?4 IS NULL OR id = ?4)
                               ORDER BY due_ms, created_at, id LIMIT 1)
                           RETURNING id, body, attempts";
                let mut claim = db.prepare_cached(sql)?;
                claim.query_row(params![webhook, now + CLAIM_MS, now, id], claimed).optional()
            };
            claim().map_err(|error| JournalError::sqlite(path, error))
        })
        .await
    }

    /// Stores how an attempt went, and what becomes of the message.
    pub async fn settle_message(
        &self,
        id: &str,
        attempt: DeliveryAttempt,
        next: NextDelivery,
    ) -> Result<(), JournalError> {
        let id = id.to_owned();
        self.transact(move |db, path| {
            let (state, wait) = match next {
                NextDelivery::Delivered => ("delivered", 0),
                NextDelivery::After(wait) => ("pending", i64::try_from(wait).unwrap_or(i64::MAX / 2)),
                NextDelivery::GivenUp => ("failed", 0),
            };
            let settle = || {
                let due = now().as_millisecond().saturating_add(wait);
                let sql = "UPDATE webhook_messages SET state = ?2, due_ms = ?3, claimed_ms = 0, attempts = attempts + 1
                           WHERE id = ?1";
                // The debate, and the message with it, may have been deleted meanwhile.
                if db.execute(sql, params![id, state, due])? == 0 {
                    return Ok(());
                }
                db.execute(
                    "INSERT INTO webhook_attempts (message, attempt, at, status, took_ms, error)
                     SELECT id, attempts, ?2, ?3, ?4, ?5 FROM webhook_messages WHERE id = ?1",
                    params![id, stamp().0, attempt.status, attempt.took_ms as i64, attempt.error],
                )
                .map(drop)
            };
            settle().map_err(|error| JournalError::sqlite(path, error))
        })
        .await
    }

    /// Makes a message due now; false where there is no such message.
    pub async fn redeliver_message(&self, id: &str) -> Result<bool, JournalError> {
        let id = id.to_owned();
        self.transact(move |db, path| {
            let sql =
                "UPDATE webhook_messages SET state = 'pending', due_ms = 0, claimed_ms = 0 WHERE id = ?";
            db.execute(sql, params![id])
                .map(|rows| rows > 0)
                .map_err(|error| JournalError::sqlite(path, error))
        })
        .await
    }

    /// Forgets messages that were delivered or given up long ago.
    pub async fn forget_messages(&self) -> Result<(), JournalError> {
        self.transact(|db, path| {
            let sql = "DELETE FROM webhook_messages WHERE state <> 'pending' AND created_at < ?";
            db.execute(sql, params![days_ago(LISTED_DAYS).0])
                .map(drop)
                .map_err(|error| JournalError::sqlite(path, error))
        })
        .await
    }

    /// The messages of a webhook, or of all, newest first, at most `limit`; or the one with this id.
    pub fn deliveries(
        &self,
        webhook: Option<&str>,
        id: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DeliveryLine>, JournalError> {
        self.reading(|db| {
            let sql =
                "SELECT m.id, m.name, m.event, m.debate, m.created_at, m.state, m.attempts, a.status, a.error
                       FROM webhook_messages m
                       LEFT JOIN webhook_attempts a ON a.message = m.id AND a.attempt = m.attempts
                       WHERE (?1 IS NULL OR m.name = ?1) AND (?2 IS NULL OR m.id = ?2)
                       ORDER BY m.created_at DESC, m.id DESC LIMIT ?3";
            db.prepare_cached(sql)?.query_map(params![webhook, id, limit], line)?.collect()
        })
    }

    /// Number of messages of a webhook by state.
    pub fn delivery_counts(&self, webhook: &str) -> Result<DeliveryCounts, JournalError> {
        self.reading(|db| {
            let mut counts = DeliveryCounts::default();
            let sql = "SELECT state, count(*) FROM webhook_messages WHERE name = ? GROUP BY state";
            let mut rows = db.prepare_cached(sql)?;
            let mut rows = rows.query(params![webhook])?;
            while let Some(row) = rows.next()? {
                let count = row.get::<_, i64>(1)?.unsigned_abs();
                match row.get_ref(0)?.as_str()? {
                    "pending" => counts.pending = count,
                    "delivered" => counts.delivered = count,
                    _ => counts.failed = count,
                }
            }
            Ok(counts)
        })
    }
}

fn store_message(db: &Connection, message: &OutboxMessage) -> rusqlite::Result<()> {
    let waiting = "SELECT count(*) FROM webhook_messages WHERE name = ? AND state = 'pending'";
    let waiting: u32 = db.prepare_cached(waiting)?.query_row(params![message.webhook], |row| row.get(0))?;
    let state = if waiting < PENDING_MAX { "pending" } else { "failed" };
    db.prepare_cached(
        "INSERT OR IGNORE INTO webhook_messages (id, name, event, debate, subject, body, created_at, state, due_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
    )?
    .execute(params![
        message.id,
        message.webhook,
        message.event,
        message.debate.as_ref().map(DebateId::as_str),
        message.subject,
        message.body,
        stamp().0,
        state
    ])
    .map(drop)
}

fn claimed(row: &Row<'_>) -> rusqlite::Result<ClaimedMessage> {
    Ok(ClaimedMessage { id: row.get(0)?, body: row.get(1)?, attempts: row.get(2)? })
}

fn line(row: &Row<'_>) -> rusqlite::Result<DeliveryLine> {
    Ok(DeliveryLine {
        id: row.get(0)?,
        webhook: row.get(1)?,
        event: row.get(2)?,
        debate: row.get(3)?,
        created_at: row.get(4)?,
        state: row.get(5)?,
        attempts: row.get(6)?,
        status: row.get(7)?,
        error: row.get(8)?,
    })
}
