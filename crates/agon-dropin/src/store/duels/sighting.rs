//! What an artifact was whenever its lock was taken or given back: whether someone changed it while
//! nobody might, or changed a turn that had been made.

use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use agon_core::Digest;
use agon_journal::{JournalError, sqlite, time::to_stamp};

use super::{DuelError, DuelSnapshot, Duels, Look, StoredDuel, load_snapshot};

/// The state of an artifact at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactSnapshot {
    /// Digest of the whole.
    pub whole: Digest,
    /// Number and digest of each turn, in their order.
    pub turns: Vec<(u32, Digest)>,
}

/// What the journal knows about a duel's artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactReport {
    /// The duel.
    pub stands: DuelSnapshot,
    /// How often the artifact was looked at.
    pub sightings: usize,
    /// Outcome that the duel was closed with.
    pub outcome: Option<String>,
    /// What was changed that may not be, in order.
    pub changes: Vec<String>,
}

/// One look at an artifact.
struct Sighting {
    moment: String,
    at: String,
    seen: Option<ArtifactSnapshot>,
    outcome: Option<String>,
}

pub(super) fn record_sighting(
    db: &Connection,
    duel: &StoredDuel,
    participant: &str,
    moment: &str,
    outcome: Option<&str>,
    now: Timestamp,
    look: Look<'_>,
) -> rusqlite::Result<()> {
    let seen = duel.debate_path.as_ref().and_then(|path| look(path.as_ref()));
    let (whole, turns) = seen.map_or((None, Vec::new()), |seen| (Some(seen.whole), seen.turns));
    let turns = serde_json::to_string(&turns).unwrap_or_default();
    db.execute(
        "INSERT INTO duel_sightings (duel, participant, moment, at, digest, turns, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)",
        params![duel.id, participant, moment, to_stamp(now).0, whole.as_ref().map(Digest::as_str), turns, outcome],
    )?;
    Ok(())
}

impl Duels<'_> {
    /// Compares every look at a duel's artifact with the next one, and the last with what stands there
    /// now; `None` where there is not such a duel.
    pub fn check_artifact(
        &mut self,
        duel: &str,
        now: Timestamp,
        look: Look<'_>,
    ) -> Result<Option<ArtifactReport>, DuelError> {
        let stands = match self.run_transaction(|tx| load_snapshot(tx, duel)) {
            Ok(stands) => stands,
            Err(DuelError::Refused(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut sightings = self.load_sightings(duel)?;
        let count = sightings.len();
        let outcome = sightings.last().and_then(|last| last.outcome.clone());
        let mut changes = Vec::new();
        if let Some(path) = &stands.duel.debate_path
            && count > 0
        {
            let at = to_stamp(now).0;
            sightings.push(Sighting { moment: "now".into(), at, seen: look(path.as_ref()), outcome: None });
            for pair in sightings.windows(2) {
                if let [before, after] = pair {
                    compare_sightings(before, after, &mut changes);
                }
            }
        }
        Ok(Some(ArtifactReport { stands, sightings: count, outcome, changes }))
    }

    fn load_sightings(&self, duel: &str) -> Result<Vec<Sighting>, DuelError> {
        let sighting = |row: &Row<'_>| {
            let (moment, at, whole, turns, outcome): (_, _, Option<Digest>, String, _) = sqlite::read_row(row)?;
            let read = |error: serde_json::Error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
            let turns = serde_json::from_str(&turns).map_err(read)?;
            let seen = whole.map(|whole| ArtifactSnapshot { whole, turns });
            Ok(Sighting { moment, at, seen, outcome })
        };
        let read = || {
            let sql = "SELECT moment, at, digest, turns, outcome FROM duel_sightings WHERE duel = ? ORDER BY number";
            self.db.prepare_cached(sql)?.query_map(params![duel], sighting)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error: rusqlite::Error| JournalError::sqlite(&self.path, error).into())
    }
}

fn compare_sightings(before: &Sighting, after: &Sighting, changes: &mut Vec<String>) {
    let until = if after.moment == "now" { "now" } else { &after.at };
    let between = format!("between {} and {until}", before.at);
    let whole = |sighting: &Sighting| sighting.seen.as_ref().map(|seen| seen.whole.clone());
    if before.moment != "claim" && whole(before) != whole(after) {
        let when = if before.moment == "close" { "after the duel was closed" } else { "while nobody held the lock" };
        let what = match (&before.seen, &after.seen) {
            (Some(_), None) => "is missing or unreadable; this happened",
            (None, Some(_)) => "was written",
            _ => "was changed",
        };
        changes.push(format!("the artifact {what} {when}, {between}"));
        // With it everything in it is gone.
        if after.seen.is_none() {
            return;
        }
    }
    let turns = |sighting: &Sighting| sighting.seen.as_ref().map_or(Vec::new(), |seen| seen.turns.clone());
    let now = turns(after);
    for (i, (number, digest)) in turns(before).iter().enumerate() {
        match now.get(i) {
            Some((same, now)) if same == number && now == digest => {}
            Some(_) => changes.push(format!("A4 turn {number} was changed, {between}")),
            None => changes.push(format!("A4 turn {number} was removed, {between}")),
        }
    }
}
