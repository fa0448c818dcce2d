//! The cost of calls: reserved before a call, settled after it, in the same database as the record.
//!
//! An attempt that was under way when its process died counts at its reservation: money that may
//! have been spent is never forgotten. It does not count as a failure of the participant.

use super::{
    Journal, Result, drives,
    storage::{SqlRow, StoreConnection, ToSqlValue},
};
use crate::time::current_stamp;
use agon_core::{Answered, Basis, DebateId, Key, Limits, Reply, Usage};
use serde::{Serialize, Serializer};

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
    /// How many of them it can write.
    pub completion_tokens: u64,
    /// Maximum cost, in millionths of a dollar.
    pub cost_microusd: u64,
    /// How far that is known.
    pub cost_basis: Basis,
    /// What the debate may spend.
    pub limits: Limits,
    /// Maximum number of attempts of this request that may fail, restarts included.
    pub attempts_max: u32,
    /// Under which claim of the debate, where it was claimed; see [`JournalError::Fenced`].
    pub fence: Option<u64>,
}

impl Reservation {
    /// For a request whose next attempt uses `worst` at most; of no claim.
    pub fn new(key: Key, worst: &Usage, limits: Limits, attempts_max: u32) -> Self {
        let (tokens, completion_tokens) = (worst.total_tokens(), worst.completion_tokens);
        let (cost_microusd, cost_basis) = (worst.cost_microusd, worst.cost_basis);
        Self { key, tokens, completion_tokens, cost_microusd, cost_basis, limits, attempts_max, fence: None }
    }

    /// The same request, whose next attempt uses `worst` at most.
    pub fn take_worst(&mut self, worst: &Usage) {
        let (key, limits) = (self.key.clone(), self.limits.clone());
        *self = Self { fence: self.fence, ..Self::new(key, worst, limits, self.attempts_max) };
    }
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
    /// It was turned down for the form of the request, or the participant looks something up first: it counts as a
    /// request, and as no failure of the participant.
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

impl Journal {
    /// Reserves the worst case of a call against the budget, before it is made.
    pub async fn reserve_call(&self, debate: &DebateId, want: Reservation) -> Result<Reserved> {
        let debate = debate.clone();
        self.transact(move |db| {
            // What others reserve meanwhile counts too, and nobody takes the claim over in between.
            db.lock_debate(&debate)?;
            drives::check_fence(db, &debate, want.fence)?;
            let reserved = reserve_locked(db, &debate, &current_stamp().0, &want)?;
            db.flush()?;
            Ok(reserved)
        })
        .await
    }

    /// Ends a call that gave no answer.
    pub async fn settle_call(&self, debate: &DebateId, settlement: Settlement) -> Result<()> {
        let debate = debate.clone();
        self.transact(move |db| {
            settle_call(db, &debate, &settlement)?;
            db.flush()
        })
        .await
    }

    /// Allows as many attempts again for a request that stopped the debate, when it is resumed.
    pub async fn give_up(&self, debate: &DebateId, key: &Key) -> Result<()> {
        let sql = "UPDATE calls SET counted = 0 WHERE debate = ?1 AND key = ?2";
        self.execute_one(sql, &[&debate, &key]).await.map(drop)
    }

    /// Requests whose last call was under way when its process ended.
    pub fn list_unfinished_requests(&self, debate: &DebateId) -> Result<Vec<Key>> {
        let sql = "SELECT DISTINCT key FROM calls c WHERE debate = ?1 AND state = 'open' AND NOT EXISTS
                   (SELECT 1 FROM entries e WHERE e.debate = c.debate AND e.kind = 'answered' AND e.key = c.key)
                   ORDER BY key";
        self.read_rows(sql, &[&debate], |mut row| Ok(Key::from_parts(row.take::<String>(0)?)))
    }

    /// What a debate has used so far: reservations of calls under way included.
    pub fn sum_usage(&self, debate: &DebateId) -> Result<Usage> {
        let sql = format!("SELECT {SUMS} FROM calls WHERE debate = ?1");
        Ok(self.read_row(&sql, &[&debate], |mut row| read_usage(&mut row))?.unwrap_or_default())
    }

    /// Every call of a debate, in the order in which they were reserved.
    pub fn list_call_receipts(&self, debate: &DebateId) -> Result<Vec<CallReceipt>> {
        let sql = "SELECT 1, tokens - completion_tokens, cached_tokens, cache_write_tokens, completion_tokens,
                   cost_microusd, estimated, cost_basis, key, attempt, started_at, state, failure
                   FROM calls WHERE debate = ?1 ORDER BY started_at, key, attempt";
        self.read_rows(sql, &[&debate], |mut row| {
            Ok(CallReceipt {
                usage: read_usage(&mut row)?,
                key: Key::from_parts(row.take::<String>(8)?),
                attempt: row.take(9)?,
                started_at: row.take(10)?,
                state: row.take(11)?,
                failure: row.take(12)?,
            })
        })
    }
}

/// Reserves a call of a debate about which nobody else writes now, under a claim that was checked. What it writes may
/// only be sent later.
pub(super) fn reserve_locked(
    db: &dyn StoreConnection,
    debate: &DebateId,
    now: &str,
    want: &Reservation,
) -> Result<Reserved> {
    // One attempt at a time: an open one broke off with its process, which says nothing of the
    // participant. It costs, but is not a failure.
    let sums = format!("{SUMS}, coalesce(sum(CASE WHEN counted = 1 AND state = 'failed' THEN 1 ELSE 0 END), 0)");
    // Two sums, not one by groups: SQLite would plan those again for each call, since they depend on what is bound.
    let sql = format!(
        "SELECT {sums}, 1 FROM calls WHERE debate = ?1 AND key = ?2
         UNION ALL SELECT {sums}, 0 FROM calls WHERE debate = ?1 AND key <> ?2"
    );
    let (mut before, mut others, mut counted) = (Usage::default(), Usage::default(), 0);
    for mut row in db.query(&sql, &[&debate, &want.key])? {
        let failed: u32 = row.take(SUMS_COUNT)?;
        match row.take::<bool>(SUMS_COUNT + 1)? {
            true => (before, counted) = (read_usage(&mut row)?, failed),
            false => others = read_usage(&mut row)?,
        }
    }
    if counted >= want.attempts_max {
        return Ok(Reserved::Exhausted { before });
    }
    others += before;
    if let Some(budget) = find_passed_limit(&others, want) {
        return Ok(Reserved::Refused(budget));
    }
    let Reservation { key, tokens, completion_tokens, cost_microusd, cost_basis, .. } = want;
    let (attempt, basis) = (before.requests, encode_basis(*cost_basis));
    let sql = "INSERT INTO calls (debate, key, attempt, started_at, state, tokens, cost_microusd, cost_basis,
               completion_tokens) VALUES (?1, ?2, ?3, ?4, 'open', ?5, ?6, ?7, ?8)";
    db.execute_later(sql, &[&debate, key, &attempt, &now, tokens, cost_microusd, &basis, completion_tokens], None)?;
    Ok(Reserved::Granted { attempt: before.requests, tried: counted, before })
}

fn find_passed_limit(spent: &Usage, want: &Reservation) -> Option<PassedLimit> {
    let limits = &want.limits;
    let over = |used: u64, next: u64, max: Option<u64>| max.filter(|max| used.saturating_add(next) > *max);
    if let Some(max) = over(spent.requests.into(), 1, limits.requests_max) {
        return Some(PassedLimit::Requests { used: spent.requests.into(), max });
    }
    if let Some(max) = over(spent.total_tokens(), want.tokens, limits.tokens_max) {
        return Some(PassedLimit::Tokens { used: spent.total_tokens(), next: want.tokens, max });
    }
    let max = over(spent.cost_microusd, want.cost_microusd, limits.cost_microusd_max)?;
    Some(PassedLimit::Cost { used: spent.cost_microusd, next: want.cost_microusd, max })
}

/// Ends a call, as [`StoreConnection::execute_later`] does.
pub(super) fn settle_call(db: &dyn StoreConnection, debate: &DebateId, end: &Settlement) -> Result<()> {
    let Settlement { key, attempt, failure, .. } = end;
    let (state, counted) = match end.end {
        CallEnd::Answered => ("answered", true),
        CallEnd::Failed => ("failed", true),
        CallEnd::Narrowed => ("failed", false),
        CallEnd::Unmade => {
            let sql = "DELETE FROM calls WHERE debate = ?1 AND key = ?2 AND attempt = ?3";
            return db.execute_later(sql, &[&debate, key, attempt], None);
        }
    };
    let ended: [&dyn ToSqlValue; 6] = [&debate, key, attempt, &state, &counted, failure];
    let Some(usage) = end.usage else {
        let sql = "UPDATE calls SET state = ?4, counted = ?5, failure = ?6
                   WHERE debate = ?1 AND key = ?2 AND attempt = ?3";
        return db.execute_later(sql, &ended, None);
    };
    let Usage { cost_microusd, prompt_tokens, cached_tokens, completion_tokens, estimated, cache_write_tokens, .. } =
        usage;
    let (tokens, basis) = (usage.total_tokens(), encode_basis(usage.cost_basis));
    let used: [&dyn ToSqlValue; 8] = [
        &tokens,
        &cost_microusd,
        &prompt_tokens,
        &cached_tokens,
        &completion_tokens,
        &estimated,
        &cache_write_tokens,
        &basis,
    ];
    let sql = "UPDATE calls SET state = ?4, counted = ?5, failure = ?6, tokens = ?7, cost_microusd = ?8,
               prompt_tokens = ?9, cached_tokens = ?10, completion_tokens = ?11, estimated = ?12,
               cache_write_tokens = ?13, cost_basis = ?14 WHERE debate = ?1 AND key = ?2 AND attempt = ?3";
    db.execute_later(sql, &[&ended[..], &used[..]].concat(), None)
}

/// What an imported answer cost counts against the budget here too.
pub(super) fn spent_elsewhere(
    db: &dyn StoreConnection,
    debate: &DebateId,
    at: &str,
    answered: &Answered,
) -> Result<()> {
    for attempt in 0..answered.usage.requests {
        let sql = "INSERT INTO calls (debate, key, attempt, started_at, state, tokens, cost_microusd)
                   VALUES (?1, ?2, ?3, ?4, 'open', 0, 0)";
        db.execute_later(sql, &[&debate, &answered.key, &attempt, &at], None)?;
        // The sum of all attempts stands with the last.
        let last = attempt + 1 == answered.usage.requests;
        let usage = Some(if last { answered.usage } else { Usage::default() });
        let (end, failure) = match &answered.reply {
            Reply::Failed(failed) if last => (CallEnd::Answered, Some(failed.kind.name())),
            _ if last => (CallEnd::Answered, None),
            _ => (CallEnd::Failed, Some(ELSEWHERE)),
        };
        settle_call(db, debate, &Settlement { key: answered.key.clone(), attempt, end, usage, failure })?;
    }
    Ok(())
}

/// Sums over calls, for [`read_usage`]. Where no usage is known the reservation counts.
const SUMS: &str = "count(*), CAST(coalesce(sum(tokens - completion_tokens), 0) AS BIGINT),
    CAST(coalesce(sum(cached_tokens), 0) AS BIGINT), CAST(coalesce(sum(cache_write_tokens), 0) AS BIGINT),
    CAST(coalesce(sum(completion_tokens), 0) AS BIGINT), CAST(coalesce(sum(cost_microusd), 0) AS BIGINT),
    coalesce(max(estimated), 0), coalesce(max(cost_basis), 0)";
/// How many columns they are.
const SUMS_COUNT: usize = 8;

/// The usage in the first columns of a row.
fn read_usage(row: &mut SqlRow) -> Result<Usage> {
    Ok(Usage {
        requests: row.take(0)?,
        prompt_tokens: row.take(1)?,
        cached_tokens: row.take(2)?,
        cache_write_tokens: row.take(3)?,
        completion_tokens: row.take(4)?,
        cost_microusd: row.take(5)?,
        estimated: row.take(6)?,
        cost_basis: decode_basis(row.take(7)?),
    })
}

/// One call, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    #[serde(flatten, serialize_with = "serialize_receipt")]
    pub usage: Usage,
}

fn serialize_receipt<S: Serializer>(usage: &Usage, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    usage.render_receipt().serialize(serializer)
}

/// How the store writes a basis: the higher number is worth less, so that the highest is that of a sum.
fn encode_basis(basis: Basis) -> u32 {
    match basis {
        Basis::Reported => 0,
        Basis::Estimated => 1,
        Basis::Unknown => 2,
    }
}

pub(super) fn decode_basis(stored: i64) -> Basis {
    match stored {
        0 => Basis::Reported,
        1 => Basis::Estimated,
        _ => Basis::Unknown,
    }
}
