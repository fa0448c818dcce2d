//! What a person has started, and whether one more may be. Counted and reserved in one transaction.

use agon_core::DebateId;
use rusqlite::{Connection, OptionalExtension, params};

use super::Decided;
use crate::{
    accounts::{AccountError, PrincipalId, Quotas, StartReservation},
    journal::{DebateSummary, Journal, JournalError, store},
    time::{now, stamp, stamped},
};

/// How long a debate that was never opened counts, in minutes.
const OPENING_MINUTES: i64 = 10;
const DAY_HOURS: i64 = 24;
const MONTH_HOURS: i64 = 30 * 24;

fn hours_ago(hours: i64) -> String {
    let then = now().checked_sub(jiff::SignedDuration::from_hours(hours));
    then.map_or_else(|_| stamp().0, |then| stamped(then).0)
}

fn opening_since() -> String {
    let then = now().checked_sub(jiff::SignedDuration::from_mins(OPENING_MINUTES));
    then.map_or_else(|_| stamp().0, |then| stamped(then).0)
}

fn dollars(microusd: u64) -> String {
    format!("{:.2}", microusd as f64 / 1e6)
}

/// What a person's debates of the last 30 days have cost or may still cost, in millionths of a US dollar: closed ones
/// what they used, open ones their limit. `but` is left out.
fn committed(db: &Connection, principal: &str, but: Option<&str>) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(sum(CASE
            WHEN s.debate IS NULL THEN iif(s.at >= ?3, coalesce(s.cost_max, 0), 0)
            WHEN d.outcome IS NOT NULL THEN coalesce(c.used, 0)
            ELSE max(coalesce(s.cost_max, 0), coalesce(c.used, 0)) END), 0)
        FROM debate_starts s LEFT JOIN debates d ON d.id = s.debate
        LEFT JOIN (SELECT debate, sum(cost_microusd) AS used FROM calls WHERE debate IN
            (SELECT debate FROM debate_starts WHERE principal = ?1) GROUP BY debate) c ON c.debate = s.debate
        WHERE s.principal = ?1 AND s.at >= ?2 AND (?4 IS NULL OR s.debate IS NULL OR s.debate <> ?4)";
    let values = params![principal, hours_ago(MONTH_HOURS), opening_since(), but];
    let sum: i64 = db.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    Ok(sum.unsigned_abs())
}

/// The limit of one more debate within a quota of `most`, of which `used` is gone; an error where nothing is left, or
/// where more is wanted than is left.
fn share(most: u64, used: u64, wanted: Option<u64>) -> Result<u64, AccountError> {
    let left = most.saturating_sub(used);
    let wanted = wanted.unwrap_or(left);
    if left == 0 || wanted > left {
        let (most, left, wanted) = (dollars(most), dollars(left), dollars(wanted));
        let why = format!(
            "the quota of {most} USD in 30 days leaves {left} USD, and this debate may cost {wanted} USD"
        );
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
        self.account(move |db| {
            let id = principal.to_string();
            let count = |sql: &str, since: String| -> rusqlite::Result<u32> {
                db.prepare_cached(sql)?.query_row(params![id, since, opening_since()], |row| row.get(0))
            };
            if let Some(most) = quotas.debates_per_day {
                let sql = "SELECT count(*) FROM debate_starts WHERE principal = ?1 AND at >= ?2
                    AND (debate IS NOT NULL OR at >= ?3)";
                if count(sql, hours_ago(DAY_HOURS))? >= most {
                    let why = format!("the quota of {most} debates within 24 hours is used up");
                    return Ok(Err(AccountError::Quota(why)));
                }
            }
            if let Some(most) = quotas.open_debates {
                let sql = "SELECT count(*) FROM debate_starts s LEFT JOIN debates d ON d.id = s.debate
                    WHERE s.principal = ?1 AND ?2 <> '' AND
                    (d.id IS NOT NULL AND d.outcome IS NULL OR s.debate IS NULL AND s.at >= ?3)";
                if count(sql, hours_ago(0))? >= most {
                    let why = format!("the quota of {most} open debates is used up");
                    return Ok(Err(AccountError::Quota(why)));
                }
            }
            let cost_max = match quotas.cost_microusd {
                None => wanted,
                Some(most) => match share(most, committed(db, &id, None)?, wanted) {
                    Ok(cost) => Some(cost),
                    Err(error) => return Ok(Err(error)),
                },
            };
            let sql = "INSERT INTO debate_starts (principal, at, cost_max) VALUES (?, ?, ?)";
            let cost = cost_max.map(|cost| i64::try_from(cost).unwrap_or(i64::MAX));
            db.prepare_cached(sql)?.execute(params![id, stamp().0, cost])?;
            Ok(Ok(StartReservation { number: db.last_insert_rowid(), principal, cost_max }))
        })
        .await
    }

    /// The reserved debate was opened as `debate`, or, where there is none, was not opened and does not count.
    pub async fn settle_start(&self, start: StartReservation, debate: Option<&DebateId>) -> Decided<()> {
        let debate = debate.map(ToString::to_string);
        self.account(move |db| {
            match debate {
                Some(debate) => {
                    let sql = "UPDATE debate_starts SET debate = ? WHERE number = ?";
                    db.prepare_cached(sql)?.execute(params![debate, start.number])?
                }
                None => {
                    let sql = "DELETE FROM debate_starts WHERE number = ? AND debate IS NULL";
                    db.prepare_cached(sql)?.execute(params![start.number])?
                }
            };
            Ok(Ok(()))
        })
        .await
    }

    /// Lets `debate` cost `cost` in all, or what it may cost already, within the quota of the person who started it;
    /// that person is `principal` where nobody with an account did. Gives what it may cost.
    pub async fn raise_start(
        &self,
        debate: &DebateId,
        principal: PrincipalId,
        quotas: impl FnOnce(PrincipalId) -> Quotas + Send + 'static,
        cost: Option<u64>,
    ) -> Decided<Option<u64>> {
        let debate = debate.to_string();
        self.account(move |db| {
            let sql = "SELECT principal, cost_max FROM debate_starts WHERE debate = ?";
            let before = db.prepare_cached(sql)?.query_row(params![debate], |row| {
                Ok((super::principals::id(row, 0)?, row.get::<_, Option<i64>>(1)?))
            });
            let (owner, known) = before.optional()?.unwrap_or((principal, None));
            let cost = cost.or(known.map(i64::unsigned_abs));
            let Some(most) = quotas(owner).cost_microusd else { return Ok(Ok(cost)) };
            let cost = match share(most, committed(db, &owner.to_string(), Some(&debate))?, cost) {
                Ok(cost) => cost,
                Err(error) => return Ok(Err(error)),
            };
            let sql = "INSERT INTO debate_starts (principal, debate, at, cost_max) VALUES (?, ?, ?, ?)
                ON CONFLICT (debate) DO UPDATE SET cost_max = excluded.cost_max, at = excluded.at";
            let stored = i64::try_from(cost).unwrap_or(i64::MAX);
            db.prepare_cached(sql)?.execute(params![owner.to_string(), debate, stamp().0, stored])?;
            Ok(Ok(Some(cost)))
        })
        .await
    }

    /// The debates in which a person has a role, newest first, at most `limit`.
    pub fn list_for(&self, principal: PrincipalId, limit: u32) -> Result<Vec<DebateSummary>, JournalError> {
        let sql = format!(
            "{} WHERE id IN (SELECT debate FROM grants WHERE principal = ?) ORDER BY opened_at DESC, id DESC LIMIT ?",
            store::SUMMARY
        );
        self.reading(|db| {
            let mut rows = db.prepare_cached(&sql)?;
            rows.query_map(params![principal.to_string(), limit], store::summary)?.collect()
        })
    }
}
