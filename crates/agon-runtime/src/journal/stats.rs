//! Figures over all debates: each table is read once, by the store, and no record at all.

use std::collections::BTreeMap;

use agon_core::Basis;
use rusqlite::{Connection, Row, named_params};
use serde::Serialize;

use super::calls::basis;

/// Failures that were stored before their kind was.
const UNRECORDED: &str = "unrecorded";

/// Every debate, by protocol and outcome.
const DEBATES: &str = "SELECT protocol, outcome, count(*), sum(driven_ms) FROM debates
    WHERE opened_at >= :since GROUP BY protocol, outcome";

/// Every call, by what is told apart about it. Debates come first, so that calls are found by their key.
const CALLS: &str =
    "SELECT d.protocol, c.state, c.failure, c.estimated, c.cost_basis, count(*), sum(c.tokens),
    sum(c.cached_tokens), sum(c.cost_microusd) FROM debates d CROSS JOIN calls c ON c.debate = d.id
    WHERE d.opened_at >= :since GROUP BY d.protocol, c.state, c.failure, c.estimated, c.cost_basis";

/// Calls and what they used, by how far that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Amounts {
    /// Calls, failed ones included.
    pub calls: u64,
    /// Calls that were answered.
    pub answered: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Calls under way, or whose process ended first.
    pub unfinished: u64,
    /// Tokens that providers reported.
    pub tokens_reported: u64,
    /// Of these, tokens read from a cache.
    pub tokens_cached: u64,
    /// Tokens that were counted here.
    pub tokens_estimated: u64,
    /// Cost by reported tokens, in millionths of a US dollar.
    pub cost_microusd_reported: u64,
    /// Cost by tokens that were counted here.
    pub cost_microusd_estimated: u64,
    /// Calls whose cost is unknown; it is in no sum.
    pub calls_of_unknown_cost: u64,
    /// Failures by kind: of calls, and of answers that are not statements.
    pub failures: BTreeMap<String, u64>,
}

/// The debates of one protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProtocolStats {
    /// Which.
    pub protocol: String,
    /// Debates, open ones included.
    pub debates: u64,
    /// Debates that are open.
    pub open: u64,
    /// Closed debates by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Time during which they were driven, in milliseconds.
    pub driven_ms: u64,
    /// Their calls.
    #[serde(flatten)]
    pub amounts: Amounts,
}

/// Figures over debates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// The moment from which they count.
    pub since: Option<String>,
    /// Debates, open ones included.
    pub debates: u64,
    /// Debates that are open.
    pub open: u64,
    /// Time during which they were driven, in milliseconds.
    pub driven_ms: u64,
    /// All calls.
    #[serde(flatten)]
    pub amounts: Amounts,
    /// The same by protocol.
    pub protocols: Vec<ProtocolStats>,
}

struct Calls {
    state: String,
    failure: Option<String>,
    estimated: bool,
    basis: Basis,
    calls: u64,
    tokens: u64,
    cached: u64,
    cost_microusd: u64,
}

impl Amounts {
    fn add(&mut self, group: &Calls) {
        self.calls += group.calls;
        match group.state.as_str() {
            "answered" => self.answered += group.calls,
            "failed" => self.failed += group.calls,
            _ => self.unfinished += group.calls,
        }
        if group.estimated {
            self.tokens_estimated += group.tokens;
        } else {
            self.tokens_reported += group.tokens;
            self.tokens_cached += group.cached;
        }
        match group.basis {
            Basis::Reported => self.cost_microusd_reported += group.cost_microusd,
            Basis::Estimated => self.cost_microusd_estimated += group.cost_microusd,
            Basis::Unknown => self.calls_of_unknown_cost += group.calls,
        }
        let unrecorded = (group.state == "failed").then_some(UNRECORDED);
        if let Some(kind) = group.failure.as_deref().or(unrecorded) {
            *self.failures.entry(kind.to_owned()).or_default() += group.calls;
        }
    }
}

pub(super) fn stats(db: &Connection, since: Option<&str>) -> rusqlite::Result<Stats> {
    // Both tables as they were at one moment.
    let db = db.unchecked_transaction()?;
    let from = since.unwrap_or_default();
    let mut stats = Stats { since: since.map(str::to_owned), ..Stats::default() };
    let mut by_protocol: BTreeMap<String, ProtocolStats> = BTreeMap::new();
    let mut debates = db.prepare_cached(DEBATES)?;
    let mut rows = debates.query(named_params! {":since": from})?;
    while let Some(row) = rows.next()? {
        let protocol: String = row.get(0)?;
        let outcome: Option<String> = row.get(1)?;
        let (count, driven_ms) = (number(row, 2)?, number(row, 3)?);
        let of = by_protocol.entry(protocol.clone()).or_default();
        of.protocol = protocol;
        of.debates += count;
        of.driven_ms += driven_ms;
        stats.debates += count;
        stats.driven_ms += driven_ms;
        match outcome {
            Some(outcome) => *of.outcomes.entry(outcome).or_default() += count,
            None => {
                of.open += count;
                stats.open += count;
            }
        }
    }
    let mut calls = db.prepare_cached(CALLS)?;
    let mut rows = calls.query(named_params! {":since": from})?;
    while let Some(row) = rows.next()? {
        let group = Calls {
            state: row.get(1)?,
            failure: row.get(2)?,
            estimated: row.get(3)?,
            basis: basis(row.get(4)?),
            calls: number(row, 5)?,
            tokens: number(row, 6)?,
            cached: number(row, 7)?,
            cost_microusd: number(row, 8)?,
        };
        stats.amounts.add(&group);
        if let Some(of) = by_protocol.get_mut(&row.get::<_, String>(0)?) {
            of.amounts.add(&group);
        }
    }
    stats.protocols = by_protocol.into_values().collect();
    Ok(stats)
}

fn number(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at).map(i64::unsigned_abs)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rusqlite::params;

    use super::{super::store, *};

    /// A store of `debates` debates with `calls` calls each, every fourth of them failed.
    fn store(home: &std::path::Path, debates: u32, calls: u32) -> Connection {
        let (_, mut db) = store::open(home).unwrap();
        let tx = db.transaction().unwrap();
        for debate in 0..debates {
            let id = format!("d{debate}");
            let outcome = ["drawn", "void"].get(debate as usize % 3);
            let sql = "INSERT INTO debates VALUES (?, 'exchange', 'm', ?, 1, 'h', 'l', ?, NULL, 1000)";
            let day = if debate % 2 == 0 { "2026-01-01" } else { "2026-02-01" };
            tx.execute(sql, params![id, format!("{day}T00:00:00.000Z"), outcome]).unwrap();
            for call in 0..calls {
                let failed = call % 4 == 3;
                let sql = "INSERT INTO calls (debate, key, attempt, started_at, state, tokens, cost_microusd,
                           cached_tokens, estimated, cost_basis, failure) VALUES (?, ?, 0, 's', ?, 100, ?, 10, ?, ?, ?)";
                let state = if failed { "failed" } else { "answered" };
                let basis = call % 3;
                let cost = if basis == 2 { 0 } else { 7 };
                let failure = failed.then_some("transient");
                tx.execute(sql, params![id, format!("k{call}"), state, cost, failed, basis, failure])
                    .unwrap();
            }
        }
        tx.commit().unwrap();
        db
    }

    #[test]
    fn amounts_are_apart_by_how_far_they_are_known() {
        let home = tempfile::tempdir().unwrap();
        let db = store(home.path(), 6, 12);
        let all = stats(&db, None).unwrap();
        assert_eq!((all.debates, all.open, all.driven_ms), (6, 2, 6000));
        let of = &all.protocols[0];
        assert_eq!((of.outcomes["drawn"], of.outcomes["void"], of.open), (2, 2, 2));
        let amounts = &all.amounts;
        assert_eq!(*amounts, of.amounts, "there is one protocol");
        assert_eq!((amounts.calls, amounts.answered, amounts.failed), (72, 54, 18));
        assert_eq!(
            (amounts.tokens_reported, amounts.tokens_estimated, amounts.tokens_cached),
            (5400, 1800, 540)
        );
        assert_eq!((amounts.cost_microusd_reported, amounts.cost_microusd_estimated), (24 * 7, 24 * 7));
        assert_eq!(amounts.calls_of_unknown_cost, 24);
        assert_eq!(amounts.failures["transient"], 18);
        let later = stats(&db, Some("2026-01-15")).unwrap();
        assert_eq!((later.debates, later.amounts.calls), (3, 36));
        assert_eq!(stats(&db, Some("2027")).unwrap().protocols, []);
    }

    #[test]
    fn ten_thousand_debates_take_no_time() {
        let home = tempfile::tempdir().unwrap();
        let db = store(home.path(), 10_000, 12);
        let began = Instant::now();
        assert_eq!(stats(&db, None).unwrap().amounts.calls, 120_000);
        let took = began.elapsed();
        assert!(took.as_secs() < 3, "{took:?}");
    }
}
