//! How often a login was tried, for all servers that share the journal.

use agon_core::Stamp;

use super::{Decided, make_room};
use crate::{
    Journal, Result,
    accounts::AttemptLimit,
    storage::StoreConnection,
    time::{current_stamp, subtract_seconds},
};

/// The time in which attempts are counted, in seconds.
const WINDOW_SECONDS: u32 = 15 * 60;
/// Maximum number of counters; where there are more, those whose time is over go, and then those that have counted least.
const COUNTERS_MAX: u32 = 20_000;

/// Whether each counter has room for one more.
fn have_room(db: &dyn StoreConnection, limits: &[AttemptLimit], since: &Stamp) -> Result<bool> {
    let sql = "SELECT 1 FROM login_attempts WHERE counter = ?1 AND since >= ?2 AND made >= ?3";
    for limit in limits {
        if db.has_row(sql, &[&limit.counter, &since, &limit.most])? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Journal {
    /// Counts an attempt in each of the counters, if each has room; whether it has. What is refused is not written, so
    /// that a flood of attempts costs reads alone.
    pub async fn count_attempt(&self, limits: Vec<AttemptLimit>) -> Decided<bool> {
        let since = subtract_seconds(&current_stamp(), WINDOW_SECONDS);
        if !self.read_store(|db| have_room(db, &limits, &since))? {
            return Ok(false);
        }
        self.transact_accounts(move |db| {
            let now = current_stamp();
            let since = subtract_seconds(&now, WINDOW_SECONDS);
            if !have_room(db, &limits, &since)? {
                return Ok(false);
            }
            if db.query_count("SELECT count(*) FROM login_attempts", &[])? >= COUNTERS_MAX.into() {
                db.execute("DELETE FROM login_attempts WHERE since < ?1", &[&since])?;
                make_room(db, "login_attempts", "counter", "made, since, counter", COUNTERS_MAX)?;
            }
            let sql = "INSERT INTO login_attempts (counter, since, made) VALUES (?1, ?2, 1)
                ON CONFLICT (counter) DO UPDATE SET
                made = CASE WHEN login_attempts.since < ?3 THEN 1 ELSE login_attempts.made + 1 END,
                since = CASE WHEN login_attempts.since < ?3 THEN excluded.since ELSE login_attempts.since END";
            for limit in &limits {
                db.execute(sql, &[&limit.counter, &now, &since])?;
            }
            Ok(true)
        })
        .await
    }

    /// The attempt was right: the counter `forgotten` begins again at zero, and the others do not count it.
    pub async fn uncount_attempt(&self, forgotten: String, others: Vec<String>) -> Decided<()> {
        self.transact_accounts(move |db| {
            db.execute("DELETE FROM login_attempts WHERE counter = ?1", &[&forgotten])?;
            for counter in &others {
                let sql = "UPDATE login_attempts SET made = made - 1 WHERE counter = ?1 AND made > 0";
                db.execute(sql, &[&counter])?;
            }
            Ok(())
        })
        .await
    }
}
