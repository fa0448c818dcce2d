//! Messages to webhooks: stored before they are sent, each under one id for ever.

use agon_core::{DebateId, Entry};
use serde::{Deserialize, Serialize};

use super::{
    Journal, JournalError, Result,
    storage::{SqlRow, StoreConnection},
};
use crate::time::{current_stamp, days_ago, now};

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
pub struct QueuedMessage {
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
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
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
    pub async fn register_webhooks(&self, webhooks: Vec<String>) -> Result<()> {
        self.transact(move |db| {
            for name in &webhooks {
                let sql = "INSERT INTO webhooks (name, since) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                if db.execute(sql, &[&name, &current_stamp()])? > 0 {
                    let sql = "INSERT INTO webhook_cursors (name, debate, length)
                               SELECT CAST(?1 AS TEXT), id, length FROM debates";
                    db.execute(sql, &[&name])?;
                }
            }
            Ok(())
        })
        .await
    }

    /// A debate that has entries of which `webhook` was not told, with them; `None` where there is none.
    pub fn find_untold_entries(&self, webhook: &str) -> Result<Option<UntoldEntries>> {
        self.read_store(|db| {
            let sql = "SELECT d.id, coalesce(c.length, 0) FROM debates d
                       LEFT JOIN webhook_cursors c ON c.debate = d.id AND c.name = ?1
                       WHERE d.length <> coalesce(c.length, 0) LIMIT 1";
            let Some(found) = db.query_first(sql, &[&webhook])? else { return Ok(None) };
            let (debate, from): (DebateId, u64) = found.read()?;
            let read = |from: u64, limit: u32| -> Result<Vec<Entry>> {
                let sql = "SELECT line FROM entries WHERE debate = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3";
                let rows = db.query(sql, &[&debate, &from, &limit])?;
                rows.into_iter().map(|mut row| row.take_json(0)).collect()
            };
            let opening = read(0, 1)?.pop();
            let opening = opening.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
            let entries = read(from, ENTRIES_AT_ONCE)?;
            let length = from + entries.len() as u64;
            Ok(Some(UntoldEntries { debate, opening, entries, length }))
        })
    }

    /// Stores messages, and that `webhook` was told of the first `length` entries of `debate`, in one transaction.
    pub async fn queue_messages(
        &self,
        messages: Vec<QueuedMessage>,
        told: Option<(String, DebateId, u64)>,
    ) -> Result<()> {
        self.transact(move |db| {
            messages.iter().try_for_each(|message| store_message(db, message))?;
            if let Some((webhook, debate, length)) = &told {
                // A debate that was deleted meanwhile has no cursor.
                let sql = "INSERT INTO webhook_cursors (name, debate, length)
                           SELECT CAST(?1 AS TEXT), id, CAST(?3 AS BIGINT) FROM debates WHERE id = ?2
                           ON CONFLICT (name, debate) DO UPDATE SET length = excluded.length";
                db.execute(sql, &[webhook, debate, length])?;
            }
            Ok(())
        })
        .await
    }

    /// The next message of `webhook` that is due, or the one with this `id`, for this process alone; `None` where
    /// none is.
    pub async fn claim_message(&self, webhook: &str, id: Option<&str>) -> Result<Option<ClaimedMessage>> {
        let (webhook, id) = (webhook.to_owned(), id.map(str::to_owned));
        self.transact(move |db| {
            let now = now().as_millisecond();
            let sql = "SELECT id, body, attempts FROM webhook_messages
                       WHERE state = 'pending' AND name = ?1 AND due_ms <= ?2 AND claimed_ms <= ?2
                       AND id = coalesce(?3, id) ORDER BY due_ms, created_at, id LIMIT 1";
            let Some(row) = db.query_first(sql, &[&webhook, &now, &id])? else { return Ok(None) };
            let message: ClaimedMessage = row.read()?;
            // Another process may have claimed it since it was read.
            let sql = "UPDATE webhook_messages SET claimed_ms = ?2
                       WHERE id = ?1 AND state = 'pending' AND claimed_ms <= ?3";
            let is_ours = db.execute(sql, &[&message.id, &(now + CLAIM_MS), &now])? > 0;
            Ok(is_ours.then_some(message))
        })
        .await
    }

    /// Stores how an attempt went, and what becomes of the message.
    pub async fn settle_message(&self, id: &str, attempt: DeliveryAttempt, next: NextDelivery) -> Result<()> {
        let id = id.to_owned();
        self.transact(move |db| {
            let (state, wait) = match next {
                NextDelivery::Delivered => ("delivered", 0),
                NextDelivery::After(wait) => ("pending", i64::try_from(wait).unwrap_or(i64::MAX / 2)),
                NextDelivery::GivenUp => ("failed", 0),
            };
            let due = now().as_millisecond().saturating_add(wait);
            let sql = "UPDATE webhook_messages SET state = ?2, due_ms = ?3, claimed_ms = 0, attempts = attempts + 1
                       WHERE id = ?1";
            // The debate, and the message with it, may have been deleted meanwhile.
            if db.execute(sql, &[&id, &state, &due])? == 0 {
                return Ok(());
            }
            let sql = "SELECT attempts FROM webhook_messages WHERE id = ?1";
            let Some(mut row) = db.query_first(sql, &[&id])? else { return Ok(()) };
            let sql = "INSERT INTO webhook_attempts (message, attempt, at, status, took_ms, error)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let (number, status): (i64, _) = (row.take(0)?, attempt.status.map(u32::from));
            let DeliveryAttempt { took_ms, error, .. } = &attempt;
            db.execute(sql, &[&id, &number, &current_stamp(), &status, took_ms, error]).map(drop)
        })
        .await
    }

    /// Makes a message due now; false where there is no such message.
    pub async fn redeliver_message(&self, id: &str) -> Result<bool> {
        let sql = "UPDATE webhook_messages SET state = 'pending', due_ms = 0, claimed_ms = 0 WHERE id = ?1";
        Ok(self.execute_one(sql, &[&id]).await? > 0)
    }

    /// Forgets messages that were delivered or given up long ago.
    pub async fn forget_messages(&self) -> Result<()> {
        let sql = "DELETE FROM webhook_messages WHERE state <> 'pending' AND created_at < ?1";
        self.execute_one(sql, &[&days_ago(LISTED_DAYS)]).await.map(drop)
    }

    /// The messages of a webhook, or of all, newest first, at most `limit`; or the one with this id.
    pub fn list_deliveries(&self, webhook: Option<&str>, id: Option<&str>, limit: u32) -> Result<Vec<DeliveryLine>> {
        let sql = "SELECT m.id, m.name, m.event, m.debate, m.created_at, m.state, m.attempts, a.status, a.error
                   FROM webhook_messages m
                   LEFT JOIN webhook_attempts a ON a.message = m.id AND a.attempt = m.attempts
                   WHERE m.name = coalesce(?1, m.name) AND m.id = coalesce(?2, m.id)
                   ORDER BY m.created_at DESC, m.id DESC LIMIT ?3";
        self.read_rows(sql, &[&webhook, &id, &limit], SqlRow::read)
    }

    /// Number of messages of a webhook by state.
    pub fn delivery_counts(&self, webhook: &str) -> Result<DeliveryCounts> {
        self.read_store(|db| {
            let mut counts = DeliveryCounts::default();
            let sql = "SELECT state, count(*) FROM webhook_messages WHERE name = ?1 GROUP BY state";
            for row in db.query(sql, &[&webhook])? {
                let (state, count): (String, u64) = row.read()?;
                match state.as_str() {
                    "pending" => counts.pending = count,
                    "delivered" => counts.delivered = count,
                    _ => counts.failed = count,
                }
            }
            Ok(counts)
        })
    }
}

fn store_message(db: &dyn StoreConnection, message: &QueuedMessage) -> Result<()> {
    let waiting = "SELECT count(*) FROM webhook_messages WHERE name = ?1 AND state = 'pending'";
    let is_room = db.query_count(waiting, &[&message.webhook])? < u64::from(PENDING_MAX);
    let state = if is_room { "pending" } else { "failed" };
    let sql = "INSERT INTO webhook_messages (id, name, event, debate, subject, body, created_at, state, due_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0) ON CONFLICT DO NOTHING";
    let QueuedMessage { id, webhook, event, debate, subject, body } = message;
    db.execute(sql, &[id, webhook, event, debate, subject, body, &current_stamp(), &state]).map(drop)
}
