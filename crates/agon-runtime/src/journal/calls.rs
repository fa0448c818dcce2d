//! The cost of calls: reserved before a call, settled after it, in the same database as the record.
//!
//! An attempt that was under way when its process died counts at its reservation: money that may
//! have been spent is never forgotten. It does not count as a failure of the participant.

use agon_core::{Answered, Basis, DebateId, Key, Limits, Reply, Usage};
use rusqlite::{Connection, params};

/// The kind of failures of a debate that was held elsewhere: its record says how many there were, not of
/// what kind.
const ELSEWHERE: &str = "elsewhere";

/// The worst case of one call.
#[derive(Debug, Clone)]
pub struct Reservation {
    /// What is asked.
    pub key: Key,
    /// Maximum number of tokens it can read and write.
    pub tokens: u64,
    /// Maximum cost, in millionths of a dollar.
    pub cost_microusd: u64,
    /// How far that is known.
    pub cost_basis: Basis,
    /// What the debate may spend.
    pub limits: Limits,
    /// Maximum number of attempts of this request that may fail, restarts included.
    pub attempts_max: u32,
}

/// The result of a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reserved {
    /// The call may be made.
    Granted {
        /// Number of this attempt, from 0.
        attempt: u32,
        /// Attempts before it that failed, from 0: those since the request last stopped the debate.
        tried: u32,
        /// What earlier attempts of this request used.
        before: Usage,
    },
    /// A limit would be passed.
    Refused(PassedLimit),
    /// This request has had all its attempts.
    Exhausted {
        /// What they used.
        before: Usage,
    },
}

/// The limit that a call would pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedLimit {
    /// Calls.
    Requests {
        /// Made so far.
        used: u64,
        /// Allowed.
        max: u64,
    },
    /// Tokens.
    Tokens {
        /// Used or reserved so far.
        used: u64,
        /// The call's worst case.
        next: u64,
        /// Allowed.
        max: u64,
    },
    /// Money, in millionths of a dollar.
    Cost {
        /// Used or reserved so far.
        used: u64,
        /// The call's worst case.
        next: u64,
        /// Allowed.
        max: u64,
    },
    /// Driven time in seconds.
    Time {
        /// Allowed.
        max: u64,
    },
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// With an answer.
    Answered,
    /// Without one.
    Failed,
    /// It was turned down for the form of the request: it counts as a request, and as no failure of
    /// the participant.
    Narrowed,
    /// It was never made: it counts as nothing.
    Unmade,
}

/// The end of one attempt: its result and its usage replace the reservation.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// What was asked.
    pub key: Key,
    /// Which attempt.
    pub attempt: u32,
    /// How.
    pub end: CallEnd,
    /// What it used; `None` where the provider did not say: then its reservation stands.
    pub usage: Option<Usage>,
    /// The kind of failure, in a word, where it failed or its answer is none.
    pub failure: Option<&'static str>,
}

pub(super) fn reserve(
    db: &Connection,
    debate: &DebateId,
    now: &str,
    want: &Reservation,
) -> rusqlite::Result<Reserved> {
    let of = params![debate.as_str(), want.key.as_str()];
    let before = sum(db, "debate = ?1 AND key = ?2", of)?;
    // One attempt at a time: an open one broke off with its process, which says nothing of the
    // participant. It costs, but is not a failure.
    let counted: u32 = db
        .prepare_cached(
            "SELECT count(*) FROM calls WHERE debate = ?1 AND key = ?2 AND counted AND state = 'failed'",
        )?
        .query_row(of, |row| row.get(0))?;
    if counted >= want.attempts_max {
        return Ok(Reserved::Exhausted { before });
    }
    let spent = spent(db, debate)?;
    if let Some(budget) = exceeded(&spent, want) {
        return Ok(Reserved::Refused(budget));
    }
    db.prepare_cached(
        "INSERT INTO calls (debate, key, attempt, started_at, state, tokens, cost_microusd, cost_basis)
         VALUES (?, ?, ?, ?, 'open', ?, ?, ?)",
    )?
    .execute(params![
        debate.as_str(),
        want.key.as_str(),
        before.requests,
        now,
        signed(want.tokens),
        signed(want.cost_microusd),
        stored(want.cost_basis)
    ])?;
    Ok(Reserved::Granted { attempt: before.requests, tried: counted, before })
}

fn exceeded(spent: &Usage, want: &Reservation) -> Option<PassedLimit> {
    let limits = &want.limits;
    let over = |used: u64, next: u64, max: Option<u64>| max.filter(|max| used.saturating_add(next) > *max);
    if let Some(max) = over(spent.requests.into(), 1, limits.requests_max) {
        return Some(PassedLimit::Requests { used: spent.requests.into(), max });
    }
    if let Some(max) = over(spent.tokens(), want.tokens, limits.tokens_max) {
        return Some(PassedLimit::Tokens { used: spent.tokens(), next: want.tokens, max });
    }
    let max = over(spent.cost_microusd, want.cost_microusd, limits.cost_microusd_max)?;
    Some(PassedLimit::Cost { used: spent.cost_microusd, next: want.cost_microusd, max })
}

pub(super) fn settle(db: &Connection, debate: &DebateId, end: &Settlement) -> rusqlite::Result<()> {
    let (state, counted) = match end.end {
        CallEnd::Answered => ("answered", true),
        CallEnd::Failed => ("failed", true),
        CallEnd::Narrowed => ("failed", false),
        CallEnd::Unmade => {
            let sql = "DELETE FROM calls WHERE debate = ? AND key = ? AND attempt = ?";
            let at = params![debate.as_str(), end.key.as_str(), end.attempt];
            return db.prepare_cached(sql)?.execute(at).map(drop);
        }
    };
    let Some(usage) = end.usage else {
        let sql = "UPDATE calls SET state = ?4, counted = ?5, failure = ?6 WHERE debate = ?1 AND key = ?2 AND attempt = ?3";
        let set = params![debate.as_str(), end.key.as_str(), end.attempt, state, counted, end.failure];
        return db.prepare_cached(sql)?.execute(set).map(drop);
    };
    db.prepare_cached(
        "UPDATE calls SET state = ?4, tokens = ?5, cost_microusd = ?6, prompt_tokens = ?7, cached_tokens = ?8,
         completion_tokens = ?9, estimated = ?10, counted = ?11, cache_write_tokens = ?12, cost_basis = ?13,
         failure = ?14 WHERE debate = ?1 AND key = ?2 AND attempt = ?3",
    )?
    .execute(params![
        debate.as_str(),
        end.key.as_str(),
        end.attempt,
        state,
        signed(usage.tokens()),
        signed(usage.cost_microusd),
        signed(usage.prompt_tokens),
        signed(usage.cached_tokens),
        signed(usage.completion_tokens),
        usage.estimated,
        counted,
        signed(usage.cache_write_tokens),
        stored(usage.cost_basis),
        end.failure
    ])
    .map(drop)
}

/// What an imported answer cost counts against the budget here too.
pub(super) fn spent_elsewhere(
    db: &Connection,
    debate: &DebateId,
    at: &str,
    answered: &Answered,
) -> rusqlite::Result<()> {
    for attempt in 0..answered.usage.requests {
        db.prepare_cached(
            "INSERT INTO calls (debate, key, attempt, started_at, state, tokens, cost_microusd) VALUES (?, ?, ?, ?, 'open', 0, 0)",
        )?
        .execute(params![debate.as_str(), answered.key.as_str(), attempt, at])?;
        // The sum of all attempts stands with the last.
        let last = attempt + 1 == answered.usage.requests;
        let usage = Some(if last { answered.usage } else { Usage::default() });
        let (end, failure) = match &answered.reply {
            Reply::Failed(failed) if last => (CallEnd::Answered, Some(failed.kind.word())),
            _ if last => (CallEnd::Answered, None),
            _ => (CallEnd::Failed, Some(ELSEWHERE)),
        };
        settle(db, debate, &Settlement { key: answered.key.clone(), attempt, end, usage, failure })?;
    }
    Ok(())
}

/// Allows as many attempts again for a request that stopped the debate, when it is resumed.
pub(super) fn give_up(db: &Connection, debate: &DebateId, key: &Key) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE calls SET counted = 0 WHERE debate = ? AND key = ?")?
        .execute(params![debate.as_str(), key.as_str()])
        .map(drop)
}

pub(super) fn spent(db: &Connection, debate: &DebateId) -> rusqlite::Result<Usage> {
    sum(db, "debate = ?1", params![debate.as_str()])
}

/// Where no usage is known the reservation counts, as tokens read.
fn sum(db: &Connection, rows: &str, of: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<Usage> {
    let sql = format!(
        "SELECT count(*), coalesce(sum(tokens - completion_tokens), 0), coalesce(sum(cached_tokens), 0),
         coalesce(sum(cache_write_tokens), 0), coalesce(sum(completion_tokens), 0),
         coalesce(sum(cost_microusd), 0), coalesce(max(estimated), 0), coalesce(max(cost_basis), 0)
         FROM calls WHERE {rows}"
    );
    db.prepare_cached(&sql)?.query_row(of, |row| {
        Ok(Usage {
            requests: row.get(0)?,
            prompt_tokens: row.get::<_, i64>(1)?.unsigned_abs(),
            cached_tokens: row.get::<_, i64>(2)?.unsigned_abs(),
            cache_write_tokens: row.get::<_, i64>(3)?.unsigned_abs(),
            completion_tokens: row.get::<_, i64>(4)?.unsigned_abs(),
            cost_microusd: row.get::<_, i64>(5)?.unsigned_abs(),
            estimated: row.get(6)?,
            cost_basis: basis(row.get(7)?),
        })
    })
}

/// One call, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReceipt {
    /// What was asked.
    pub key: Key,
    /// Which attempt, from 0.
    pub attempt: u32,
    /// When it was reserved.
    pub started_at: String,
    /// `open` (under way, or its process ended), `answered` or `failed`.
    pub state: String,
    /// The kind of failure, in a word.
    pub failure: Option<String>,
    /// What it used; its reservation where nobody said.
    pub usage: Usage,
}

pub(super) fn receipts(db: &Connection, debate: &DebateId) -> rusqlite::Result<Vec<CallReceipt>> {
    let mut rows = db.prepare_cached(
        "SELECT key, attempt, started_at, state, failure, tokens - completion_tokens, cached_tokens,
         cache_write_tokens, completion_tokens, cost_microusd, estimated, cost_basis
         FROM calls WHERE debate = ? ORDER BY started_at, key, attempt",
    )?;
    let receipts = rows.query_map(params![debate.as_str()], |row| {
        let count = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(at)?.unsigned_abs());
        Ok(CallReceipt {
            key: Key::of(row.get::<_, String>(0)?),
            attempt: row.get(1)?,
            started_at: row.get(2)?,
            state: row.get(3)?,
            failure: row.get(4)?,
            usage: Usage {
                requests: 1,
                prompt_tokens: count(5)?,
                cached_tokens: count(6)?,
                cache_write_tokens: count(7)?,
                completion_tokens: count(8)?,
                cost_microusd: count(9)?,
                estimated: row.get(10)?,
                cost_basis: basis(row.get(11)?),
            },
        })
    })?;
    receipts.collect()
}

pub(super) fn unfinished(db: &Connection, debate: &DebateId) -> rusqlite::Result<Vec<Key>> {
    let mut rows = db.prepare_cached(
        "SELECT DISTINCT key FROM calls c WHERE debate = ?1 AND state = 'open' AND NOT EXISTS
         (SELECT 1 FROM entries e WHERE e.debate = c.debate AND e.kind = 'answered' AND e.key = c.key)",
    )?;
    rows.query_map(params![debate.as_str()], |row| row.get::<_, String>(0).map(Key::of))?.collect()
}

/// How the store writes a basis: the higher number is worth less, so that the highest is that of a sum.
fn stored(basis: Basis) -> u8 {
    match basis {
        Basis::Reported => 0,
        Basis::Estimated => 1,
        Basis::Unknown => 2,
    }
}

pub(super) fn basis(stored: i64) -> Basis {
    match stored {
        0 => Basis::Reported,
        1 => Basis::Estimated,
        _ => Basis::Unknown,
    }
}

/// SQLite's integers are signed; what does not fit is more than any limit anyway.
fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
