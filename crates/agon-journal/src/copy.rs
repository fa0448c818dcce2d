//! Copying a journal into another store, byte for byte, and comparing what arrived.
//!
//! Debates are copied, with their texts, calls and leases; [`copied_rows`](super::copied_rows) and people go along. What
//! proves a person, and the audit, stay in the store in which they were made.

use std::collections::BTreeSet;

use agon_core::{DebateId, Digest};
use serde::Serialize;

use super::{
    Journal, JournalError, ReadAt, Result, append,
    copied_rows::{Arrival, CopiedRows, CopiedTombstone},
    storage::{SqlCell, StoreConnection, execute_for_each, put_texts, query_cells},
    verified_read,
};

/// Maximum number of texts that are copied in one transaction.
const TEXTS_AT_ONCE: usize = 64;
/// Conflicts that a message names.
const CONFLICTS_TOLD: usize = 5;

const DEBATES: Columns = Columns {
    table: "debates",
    of: "id",
    columns: "id, protocol, motion, opened_at, length, head, last_at, outcome, directory, driven_ms",
    order: "id",
};
const CALLS: Columns = Columns {
    table: "calls",
    of: "debate",
    columns: "debate, key, attempt, started_at, state, tokens, cost_microusd, prompt_tokens, cached_tokens,
              completion_tokens, estimated, counted, cost_basis, cache_write_tokens, failure",
    order: "key, attempt",
};
const LEASES: Columns =
    Columns { table: "leases", of: "debate", columns: "debate, seat, token, holder, fence, until", order: "seat" };

/// What a copy found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JournalCopy {
    /// Debates of the source; each was compared with its copy, line by line.
    pub debates: u64,
    /// Of these, debates that the target did not have.
    pub copied: u64,
    /// Of these, debates that had gone on since they were copied.
    pub extended: u64,
    /// Of these, debates that the target had as they are.
    pub unchanged: u64,
    /// Debates of the source that were left out, since the target has deleted them.
    pub deleted: u64,
    /// Entries that were compared.
    pub entries: u64,
    /// Calls that were compared.
    pub calls: u64,
    /// Leases that were compared.
    pub leases: u64,
    /// Texts that were compared with their digests.
    pub texts: u64,
    /// Labels that the target did not have.
    pub labels: u64,
    /// Messages of webhooks that wait to be sent, and that the target did not have.
    pub messages: u64,
    /// Tombstones of deleted debates that the target did not have.
    pub tombstones: u64,
    /// Debates of the target that the source has deleted. A copy deletes nothing.
    pub not_deleted: Vec<DebateId>,
    /// People whom the target did not have. What proves them is not copied.
    pub people: u64,
    /// People who were left out, since another person has their login name in the target.
    pub people_left_out: u64,
    /// Roles in debates that the target did not have.
    pub roles: u64,
}

/// Why a journal was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// The target has other debates under the same ids. Nothing was copied.
    #[error("{} debates of the source differ from those of the target: {}", .0.len(), join_debate_ids(.0))]
    Differ(Vec<DebateId>),
    /// What arrived is not what was sent.
    #[error("the copy of the debate {debate} differs from its source: {what}")]
    Arrived {
        /// The debate.
        debate: DebateId,
        /// What differs.
        what: &'static str,
    },
    /// A store failed. What was copied before is whole; the same copy again continues.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

fn join_debate_ids(debates: &[DebateId]) -> String {
    let some: Vec<_> = debates.iter().take(CONFLICTS_TOLD).map(DebateId::as_str).collect();
    some.join(", ")
}

/// A table, of which the rows of one debate are copied.
struct Columns {
    table: &'static str,
    of: &'static str,
    columns: &'static str,
    order: &'static str,
}

type Cells = Vec<SqlCell>;

/// All that belongs to one debate, at one moment.
#[derive(Clone, PartialEq)]
struct DebateRows {
    debate: Cells,
    lines: Vec<String>,
    calls: Vec<Cells>,
    leases: Vec<Cells>,
}

impl Columns {
    fn read_rows(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<Vec<Cells>> {
        let Self { table, of, columns, order } = self;
        let sql = format!("SELECT {columns} FROM {table} WHERE {of} = ?1 ORDER BY {order}");
        query_cells(db, &sql, &[&debate])
    }

    fn insert_rows<'r>(&self, db: &dyn StoreConnection, rows: impl IntoIterator<Item = &'r Cells>) -> Result<()> {
        let places: Vec<String> = self.columns.split(',').zip(1..).map(|(_, at)| format!("?{at}")).collect();
        let sql = format!("INSERT INTO {} ({}) VALUES ({})", self.table, self.columns, places.join(", "));
        execute_for_each(db, &sql, rows).map(drop)
    }

    /// Puts `rows` in place of those that are there.
    fn replace_rows(&self, db: &dyn StoreConnection, debate: &DebateId, rows: &[Cells]) -> Result<()> {
        let sql = format!("DELETE FROM {} WHERE {} = ?1", self.table, self.of);
        db.execute(&sql, &[&debate])?;
        self.insert_rows(db, rows)
    }
}

impl DebateRows {
    /// `None` where there is no such debate.
    fn read(db: &dyn StoreConnection, debate: &DebateId) -> Result<Option<Self>> {
        let Some(row) = DEBATES.read_rows(db, debate)?.into_iter().next() else { return Ok(None) };
        let lines = verified_read::read_entry_lines(db, debate)?;
        let (calls, leases) = (CALLS.read_rows(db, debate)?, LEASES.read_rows(db, debate)?);
        Ok(Some(Self { debate: row, lines, calls, leases }))
    }

    /// Whether these may stand in place of `before`: nothing of it is lost.
    fn can_replace(&self, before: &Self) -> bool {
        let keys = |of: &Self| of.calls.iter().map(|call| format!("{:?}", &call[1..3])).collect::<BTreeSet<_>>();
        self.lines.starts_with(&before.lines) && keys(self).is_superset(&keys(before))
    }

    /// What of these differs from `other`.
    fn find_difference(&self, other: &Self) -> Option<&'static str> {
        [
            (self.lines == other.lines, "entries"),
            (self.debate == other.debate, "the line of the debate"),
            (self.calls == other.calls, "calls"),
            (self.leases == other.leases, "leases"),
        ]
        .into_iter()
        .find_map(|(same, what)| (!same).then_some(what))
    }

    /// Writes these after the first `from` entries.
    fn write(&self, db: &dyn StoreConnection, debate: &DebateId, from: usize) -> Result<()> {
        match from {
            0 => DEBATES.insert_rows(db, [&self.debate])?,
            _ => {
                let [id, _, _, _, length, head, last_at, outcome, directory, driven_ms] = &self.debate[..] else {
                    return Err(JournalError::damaged(db.store_location(), "a debate has other columns"));
                };
                let sql = "UPDATE debates SET length = ?2, head = ?3, last_at = ?4, outcome = ?5, directory = ?6,
                           driven_ms = ?7 WHERE id = ?1";
                db.execute(sql, &[id, length, head, last_at, outcome, directory, driven_ms])?;
            }
        }
        for (seq, line) in self.lines.iter().enumerate().skip(from) {
            let entry = verified_read::parse_entry(db.store_location(), debate, seq, line)?;
            append::insert_line(db, debate, &entry, line, format!("entry {seq} is already there"))?;
        }
        CALLS.replace_rows(db, debate, &self.calls)?;
        LEASES.replace_rows(db, debate, &self.leases)
    }
}

impl Journal {
    /// Copies all debates, calls, leases and texts into `to`, and compares what arrived. Debates that `to` has, or had
    /// a beginning of, are continued; `to` may hold others. `told` hears of each debate that was compared, and how many
    /// there are.
    ///
    /// # Errors
    ///
    /// [`CopyError::Differ`] where `to` has another debate under the same id, before anything is copied.
    pub async fn copy_to(&self, to: &Journal, mut told: impl FnMut(u64, u64)) -> Result<JournalCopy, CopyError> {
        let mut debates: Vec<_> = self.list_debates(u32::MAX)?.into_iter().map(|summary| summary.id).collect();
        debates.reverse();
        let deleted: BTreeSet<DebateId> =
            to.list_tombstones(u32::MAX)?.into_iter().map(|tombstone| tombstone.debate).collect();
        let all = debates.len();
        debates.retain(|debate| !deleted.contains(debate));
        let mut differ = Vec::new();
        for debate in &debates {
            let (Some(source), Some(target)) = (self.read_debate_rows(debate)?, to.read_debate_rows(debate)?) else {
                continue;
            };
            if !source.can_replace(&target) {
                differ.push(debate.clone());
            }
        }
        if !differ.is_empty() {
            return Err(CopyError::Differ(differ));
        }
        let left_out = (all - debates.len()) as u64;
        let mut done = JournalCopy { debates: debates.len() as u64, deleted: left_out, ..JournalCopy::default() };
        // Entries name texts, and roles name people, so these come first.
        done.texts = self.copy_texts(to).await?;
        let people = self.copy_people(to).await?;
        (done.people, done.people_left_out) = (people.copied, people.left_out);
        self.copy_webhooks(to).await?;
        for (at, debate) in debates.iter().enumerate() {
            self.copy_debate(to, debate, &mut done).await?;
            told(at as u64 + 1, done.debates);
        }
        for tombstone in self.list_tombstones(u32::MAX)? {
            let debate = tombstone.debate;
            match self.copy_tombstone(to, &debate).await? {
                CopiedTombstone::Copied => done.tombstones += 1,
                CopiedTombstone::Known => {}
                CopiedTombstone::StillThere => done.not_deleted.push(debate),
                CopiedTombstone::Differs => {
                    return Err(CopyError::Arrived { debate, what: "what is left of it" });
                }
            }
        }
        Ok(done)
    }

    fn read_debate_rows(&self, debate: &DebateId) -> Result<Option<DebateRows>> {
        self.reading_at(ReadAt::OneMoment, |db| DebateRows::read(db, debate))
    }

    async fn copy_debate(&self, to: &Journal, debate: &DebateId, done: &mut JournalCopy) -> Result<(), CopyError> {
        let found = self.reading_at(ReadAt::OneMoment, |db| {
            let rows = DebateRows::read(db, debate)?;
            rows.map(|rows| Ok((rows, CopiedRows::read(db, debate)?))).transpose()
        })?;
        let Some((source, copied)) = found else { return Ok(()) };
        let (of, rows) = (debate.clone(), source.clone());
        let arrived = to.transact(move |db| {
            // Others may write to the target meanwhile.
            match db.lock_debate(&of) {
                Ok(_) | Err(JournalError::NoSuchDebate(_)) => {}
                Err(error) => return Err(error),
            }
            let before = DebateRows::read(db, &of)?;
            let arrival = match &before {
                Some(before) if *before == rows => Arrival::Unchanged,
                Some(before) if !rows.can_replace(before) => {
                    let why = "it went on in the target, too".to_owned();
                    return Err(JournalError::Refused { debate: of.clone(), why });
                }
                before => {
                    rows.write(db, &of, before.as_ref().map_or(0, |before| before.lines.len()))?;
                    if before.is_some() { Arrival::Extended } else { Arrival::New }
                }
            };
            Ok((arrival, copied.merge(db, &of, arrival)?))
        });
        let (arrival, merged) = arrived.await?;
        match arrival {
            Arrival::New => done.copied += 1,
            Arrival::Unchanged => done.unchanged += 1,
            Arrival::Extended => done.extended += 1,
        }
        done.labels += merged.labels;
        done.messages += merged.messages;
        done.roles += merged.roles;
        let what = match to.read_debate_rows(debate)? {
            Some(arrived) => source.find_difference(&arrived),
            None => Some("it is missing"),
        };
        if let Some(what) = what {
            return Err(CopyError::Arrived { debate: debate.clone(), what });
        }
        done.entries += source.lines.len() as u64;
        done.calls += source.calls.len() as u64;
        done.leases += source.leases.len() as u64;
        Ok(())
    }

    /// Copies the texts that `to` does not have, and compares all with their digests; gives their number.
    async fn copy_texts(&self, to: &Journal) -> Result<u64, CopyError> {
        let (source, target) = (self.list_text_digests()?, to.list_text_digests()?);
        let missing: Vec<Digest> = source.difference(&target).cloned().collect();
        for some in missing.chunks(TEXTS_AT_ONCE) {
            let texts: Vec<_> = self.read_texts(some)?.into_iter().collect();
            to.transact(move |db| {
                put_texts(db, &texts)?;
                db.flush()
            })
            .await?;
        }
        for digest in &source {
            to.read_texts([digest])?;
        }
        Ok(source.len() as u64)
    }

    fn list_text_digests(&self) -> Result<BTreeSet<Digest>> {
        Ok(self.read_rows("SELECT digest FROM texts", &[], |mut row| row.take(0))?.into_iter().collect())
    }
}
