//! What a person has started, and whether one more may be. Counted and reserved in one transaction.

use agon_core::{DebateId, Stamp};

use super::Decided;
use crate::{
    Journal, Result,
    accounts::{AccountError, PrincipalId, Quotas, RaisedStart, StartReservation},
    storage::StoreConnection,
    time::{current_stamp, subtract_seconds},
};

/// How long a debate that was never opened counts, in seconds.
const OPENING_SECONDS: u32 = 600;
const DAY_SECONDS: u32 = 24 * 3600;
const MONTH_SECONDS: u32 = 30 * DAY_SECONDS;

fn format_dollars(microusd: u64) -> String {
    format!("{:.2}", microusd as f64 / 1e6)
}

/// What a person's debates of the last 30 days have cost or may still cost, in millionths of a US dollar: closed ones
/// what they used, open ones their limit; the limit of a deleted one was set to what it used. `but` is left out.
fn sum_committed_cost(
    db: &dyn StoreConnection,
    person: PrincipalId,
    now: &Stamp,
    but: Option<&DebateId>,
) -> Result<u64> {
    let sql = "SELECT CAST(coalesce(sum(CASE
            WHEN s.debate IS NULL AND s.at < ?3 THEN 0
            WHEN s.debate IS NULL THEN coalesce(s.cost_max, 0)
            WHEN d.outcome IS NOT NULL OR coalesce(c.used, 0) > coalesce(s.cost_max, 0) THEN coalesce(c.used, 0)
            ELSE coalesce(s.cost_max, 0) END), 0) AS BIGINT)
        FROM debate_starts s LEFT JOIN debates d ON d.id = s.debate
        LEFT JOIN (SELECT debate, sum(cost_microusd) AS used FROM calls WHERE debate IN
            (SELECT debate FROM debate_starts WHERE principal = ?1) GROUP BY debate) c ON c.debate = s.debate
        WHERE s.principal = ?1 AND s.at >= ?2
        AND (CAST(?4 AS TEXT) IS NULL OR s.debate IS NULL OR s.debate <> ?4)";
    let (month, opening) = (subtract_seconds(now, MONTH_SECONDS), subtract_seconds(now, OPENING_SECONDS));
    db.query_count(sql, &[&person, &month, &opening, &but])
}

/// The number of the next start. Nobody else takes it: who decides about accounts does so alone.
fn next_number(db: &dyn StoreConnection) -> Result<i64> {
    let sql = "SELECT coalesce(max(number), 0) + 1 FROM debate_starts";
    db.query_first(sql, &[])?.map_or(Ok(1), |mut row| row.take(0))
}

/// Lets a debate that is deleted in this transaction count what it used. Its calls must still be there.
pub(crate) fn count_as_deleted(db: &dyn StoreConnection, debate: &DebateId) -> Result<()> {
    let sql = "UPDATE debate_starts SET cost_max = (SELECT CAST(coalesce(sum(cost_microusd), 0) AS BIGINT)
        FROM calls WHERE debate = ?1) WHERE debate = ?1";
    db.execute(sql, &[&debate]).map(drop)
}

/// The limit of one more debate within a quota of `most`, of which `used` is gone; an error where nothing is left, or
/// where more is wanted than is left.
fn compute_debate_limit(most: u64, used: u64, wanted: Option<u64>) -> Result<u64, AccountError> {
    let left = most.saturating_sub(used);
    let wanted = wanted.unwrap_or(left);
    if left == 0 || wanted > left {
        let (most, left, wanted) = (format_dollars(most), format_dollars(left), format_dollars(wanted));
        let why =
            format!("the quota of {most} USD in 30 days leaves {left} USD, and this debate may cost {wanted} USD");
        return Err(AccountError::Quota(why));
    }
    Ok(wanted)
}

impl Journal {
    /// Counts one more debate of a person before it is opened. `wanted` is what it may cost, in millionths of a US
    /// dollar; where nothing is said and there is a quota, it may cost what is left.
    pub async fn reserve_start(
        &self,
        principal: PrincipalId,
        quotas: Quotas,
        wanted: Option<u64>,
    ) -> Decided<StartReservation> {
        self.transact_accounts(move |db| {
            let now = current_stamp();
            let (day, opening) = (subtract_seconds(&now, DAY_SECONDS), subtract_seconds(&now, OPENING_SECONDS));
            if let Some(most) = quotas.debates_per_day {
                let sql = "SELECT count(*) FROM debate_starts WHERE principal = ?1 AND at >= ?2
                    AND (debate IS NOT NULL OR at >= ?3)";
                if db.query_count(sql, &[&principal, &day, &opening])? >= most.into() {
                    let why = format!("the quota of {most} debates within 24 hours is used up");
                    return Err(AccountError::Quota(why));
                }
            }
            if let Some(most) = quotas.open_debates {
                let sql = "SELECT count(*) FROM debate_starts s LEFT JOIN debates d ON d.id = s.debate
                    WHERE s.principal = ?1 AND
                    (d.id IS NOT NULL AND d.outcome IS NULL OR s.debate IS NULL AND s.at >= ?2)";
                if db.query_count(sql, &[&principal, &opening])? >= most.into() {
                    let why = format!("the quota of {most} open debates is used up");
                    return Err(AccountError::Quota(why));
                }
            }
            let cost_max = match quotas.cost_microusd {
                None => wanted,
                Some(most) => Some(compute_debate_limit(most, sum_committed_cost(db, principal, &now, None)?, wanted)?),
            };
            let number = next_number(db)?;
            let sql = "INSERT INTO debate_starts (number, principal, at, cost_max) VALUES (?1, ?2, ?3, ?4)";
            db.execute(sql, &[&number, &principal, &now, &cost_max])?;
            Ok(StartReservation { number, principal, cost_max })
        })
        .await
    }

    /// The reserved debate was opened as `debate`, or, where there is none, was not opened and does not count.
    pub async fn settle_start(&self, start: StartReservation, debate: Option<&DebateId>) -> Decided<()> {
        let done = match debate {
            Some(debate) => {
                let sql = "UPDATE debate_starts SET debate = ?2 WHERE number = ?1";
                self.execute_account(sql, &[&start.number, debate]).await
            }
            None => {
                let sql = "DELETE FROM debate_starts WHERE number = ?1 AND debate IS NULL";
                self.execute_account(sql, &[&start.number]).await
            }
        };
        done.map(drop)
    }

    /// Lets `debate` cost `cost` in all, or what it may cost already, within the quota of the person who started it;
    /// that person is `principal` where nobody with an account did. [`Self::lower_start`] undoes it.
    pub async fn raise_start(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        quotas: impl Fn(PrincipalId) -> Quotas + Send + 'static,
        cost: Option<u64>,
    ) -> Decided<RaisedStart> {
        let debate = debate.clone();
        self.transact_accounts(move |db| {
            let now = current_stamp();
            let sql = "SELECT principal, cost_max, at FROM debate_starts WHERE debate = ?1";
            let (owner, before) = match db.query_first(sql, &[&debate])? {
                Some(row) => {
                    let (owner, cost, at) = row.read()?;
                    (owner, Some((cost, at)))
                }
                None => (principal, None),
            };
            let cost = cost.or(before.as_ref().and_then(|(known, _)| *known));
            let raised =
                |cost_max, written| RaisedStart { debate: debate.clone(), cost_max, written, before: before.clone() };
            let Some(most) = quotas(owner).cost_microusd else { return Ok(raised(cost, None)) };
            let cost = compute_debate_limit(most, sum_committed_cost(db, owner, &now, Some(&debate))?, cost)?;
            let sql = "INSERT INTO debate_starts (number, principal, debate, at, cost_max)
                VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (debate) DO UPDATE SET cost_max = excluded.cost_max, at = excluded.at";
            db.execute(sql, &[&next_number(db)?, &owner, &debate, &now, &cost])?;
            Ok(raised(Some(cost), Some(now)))
        })
        .await
    }

    /// Undoes what [`Self::raise_start`] did, where the debate was not extended after all. What was raised again since stays.
    pub async fn lower_start(&self, raised: RaisedStart) -> Decided<()> {
        let RaisedStart { debate, cost_max, written, before } = raised;
        let Some(written) = written else { return Ok(()) };
        let done = match &before {
            None => {
                let sql = "DELETE FROM debate_starts WHERE debate = ?1 AND at = ?2 AND cost_max = ?3";
                self.execute_account(sql, &[&debate, &written, &cost_max]).await
            }
            Some((cost, at)) => {
                let sql = "UPDATE debate_starts SET cost_max = ?4, at = ?5
                    WHERE debate = ?1 AND at = ?2 AND cost_max = ?3";
                self.execute_account(sql, &[&debate, &written, &cost_max, cost, at]).await
            }
        };
        done.map(drop)
    }

    /// Counts a companion of the debate `of` before it is opened, for the person who started `of`; counted twice, it counts
    /// once. `wanted` is what it may cost, in millionths of a US dollar. Gives that, or what the quota leaves if that is
    /// less.
    ///
    /// # Errors
    ///
    /// [`AccountError::Quota`] where the quota leaves nothing.
    pub async fn start_companion(
        &self,
        of: &DebateId,
        companion: &DebateId,
        quotas: impl Fn(PrincipalId) -> Quotas + Send + 'static,
        wanted: Option<u64>,
    ) -> Decided<Option<u64>> {
        let starter = "SELECT principal, cost_max FROM debate_starts WHERE debate = ?1";
        if !self.read_store(|db| db.has_row(starter, &[&of]))? {
            return Ok(wanted);
        }
        let (of, companion) = (of.clone(), companion.clone());
        self.transact_accounts(move |db| {
            if let Some(mut row) = db.query_first(starter, &[&companion])? {
                return Ok(row.take(1)?);
            }
            let Some(mut row) = db.query_first(starter, &[&of])? else { return Ok(wanted) };
            let (owner, now) = (row.take(0)?, current_stamp());
            let cost_max = match quotas(owner).cost_microusd {
                None => wanted,
                Some(most) => {
                    let left = compute_debate_limit(most, sum_committed_cost(db, owner, &now, None)?, None)?;
                    Some(wanted.map_or(left, |wanted| wanted.min(left)))
                }
            };
            let sql = "INSERT INTO debate_starts (number, principal, debate, at, cost_max)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            db.execute(sql, &[&next_number(db)?, &owner, &companion, &now, &cost_max])?;
            Ok(cost_max)
        })
        .await
    }

    /// The companion that was counted was not opened, and does not count.
    pub async fn forget_companion(&self, companion: &DebateId) -> Decided<()> {
        let counted = "SELECT 1 FROM debate_starts WHERE debate = ?1";
        if !self.read_store(|db| db.has_row(counted, &[&companion]))? {
            return Ok(());
        }
        let sql = "DELETE FROM debate_starts WHERE debate = ?1 AND NOT EXISTS (SELECT 1 FROM debates WHERE id = ?1)";
        self.execute_account(sql, &[&companion]).await.map(drop)
    }
}
