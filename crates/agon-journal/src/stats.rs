//! Figures over all debates: each table is read once, by the store, and no record at all.

use std::collections::BTreeMap;

use agon_core::Basis;
use serde::Serialize;

use super::{Result, calls::decode_basis, storage::StoreConnection};

/// Failures that were stored before their kind was.
const UNRECORDED: &str = "unrecorded";

/// Every debate, by protocol and outcome.
const DEBATES: &str = "SELECT protocol, outcome, count(*), CAST(sum(driven_ms) AS BIGINT) FROM debates
    WHERE opened_at >= ?1 GROUP BY protocol, outcome";

/// Every call, by what is told apart about it. Debates come first, so that calls are found by their key.
const CALLS: &str =
    "SELECT d.protocol, c.state, c.failure, c.estimated, c.cost_basis, count(*),
    CAST(sum(c.tokens) AS BIGINT), CAST(sum(c.cached_tokens) AS BIGINT), CAST(sum(c.cost_microusd) AS BIGINT) FROM debates d CROSS JOIN calls c ON c.debate = d.id
    WHERE d.opened_at >= ?1 GROUP BY d.protocol, c.state, c.failure, c.estimated, c.cost_basis";

/// A row of [`CALLS`].
type CallsRow = (String, String, Option<String>, bool, i64, u64, u64, u64, u64);

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

impl Amounts {
    /// Adds the calls of a row of [`CALLS`].
    fn add_row(&mut self, row: &CallsRow) {
        let (_, state, failure, estimated, basis, calls, tokens, cached, cost) = row;
        self.calls += calls;
        match state.as_str() {
            "answered" => self.answered += calls,
            "failed" => self.failed += calls,
            _ => self.unfinished += calls,
        }
        if *estimated {
            self.tokens_estimated += tokens;
        } else {
            self.tokens_reported += tokens;
            self.tokens_cached += cached;
        }
        match decode_basis(*basis) {
            Basis::Reported => self.cost_microusd_reported += cost,
            Basis::Estimated => self.cost_microusd_estimated += cost,
            Basis::Unknown => self.calls_of_unknown_cost += calls,
        }
        let unrecorded = (state == "failed").then(|| UNRECORDED.to_owned());
        if let Some(kind) = failure.clone().or(unrecorded) {
            *self.failures.entry(kind).or_default() += calls;
        }
    }
}

/// Figures over all debates, or those that were opened at `since` or later, as `db` shows them at one moment.
pub(super) fn compute_stats(db: &dyn StoreConnection, since: Option<&str>) -> Result<Stats> {
    let from = since.unwrap_or_default();
    let mut stats = Stats { since: since.map(str::to_owned), ..Stats::default() };
    let mut by_protocol: BTreeMap<String, ProtocolStats> = BTreeMap::new();
    for row in db.query(DEBATES, &[&from])? {
        let (protocol, outcome, count, driven_ms): (String, Option<String>, u64, u64) = row.read()?;
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
    for row in db.query(CALLS, &[&from])? {
        let row: CallsRow = row.read()?;
        if let Some(of) = by_protocol.get_mut(&row.0) {
            of.amounts.add_row(&row);
        }
        stats.amounts.add_row(&row);
    }
    stats.protocols = by_protocol.into_values().collect();
    Ok(stats)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rusqlite::params;

    use super::super::{Journal, sqlite};

    /// A store of `debates` debates with `calls` calls each, every fourth of them failed.
    fn store(home: &std::path::Path, debates: u32, calls: u32) -> Journal {
        let (_, mut db) = sqlite::open_journal(home).unwrap();
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
                tx.execute(sql, params![id, format!("k{call}"), state, cost, failed, basis, failure]).unwrap();
            }
        }
        tx.commit().unwrap();
        Journal::open(home).unwrap()
    }

    #[test]
    fn amounts_are_apart_by_how_far_they_are_known() {
        let home = tempfile::tempdir().unwrap();
        let journal = store(home.path(), 6, 12);
        let all = journal.compute_stats(None).unwrap();
        assert_eq!((all.debates, all.open, all.driven_ms), (6, 2, 6000));
        let of = &all.protocols[0];
        assert_eq!((of.outcomes["drawn"], of.outcomes["void"], of.open), (2, 2, 2));
        let amounts = &all.amounts;
        assert_eq!(*amounts, of.amounts, "there is one protocol");
        assert_eq!((amounts.calls, amounts.answered, amounts.failed), (72, 54, 18));
        assert_eq!((amounts.tokens_reported, amounts.tokens_estimated, amounts.tokens_cached), (5400, 1800, 540));
        assert_eq!((amounts.cost_microusd_reported, amounts.cost_microusd_estimated), (24 * 7, 24 * 7));
        assert_eq!(amounts.calls_of_unknown_cost, 24);
        assert_eq!(amounts.failures["transient"], 18);
        let later = journal.compute_stats(Some("2026-01-15")).unwrap();
        assert_eq!((later.debates, later.amounts.calls), (3, 36));
        assert_eq!(journal.compute_stats(Some("2027")).unwrap().protocols, []);
    }

    #[test]
    fn ten_thousand_debates_take_no_time() {
        let home = tempfile::tempdir().unwrap();
        let journal = store(home.path(), 10_000, 12);
        let began = Instant::now();
        assert_eq!(journal.compute_stats(None).unwrap().amounts.calls, 120_000);
        let took = began.elapsed();
        assert!(took.as_secs() < 3, "{took:?}");
    }
}
