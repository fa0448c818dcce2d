//! What belongs to debates in addition to their records, and goes along when a journal is copied: labels, roles, and how far
//! webhooks were told; and the tombstones of debates that were deleted. The target may know more than the source: nothing
//! that it knows is taken away.

use agon_core::DebateId;

use super::{
    Journal, Result,
    account_tables::copied_accounts::DebateRoles,
    storage::{SqlCell, StoreConnection, ToSqlValue, execute_for_each, query_cells},
    tombstone::{ADD_TOMBSTONE, ADD_TOMBSTONE_ENTRY, TOMBSTONE},
};

type Cells = Vec<SqlCell>;

/// How a debate of the source arrived in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The target did not have it.
    New,
    /// The target had a beginning of it.
    Extended,
    /// The target had it as it is.
    Unchanged,
}

/// What became of a tombstone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopiedTombstone {
    /// The target has it now.
    Copied,
    /// The target had it before.
    Known,
    /// The target has the debate, which only the source has deleted.
    StillThere,
    /// What arrived is not what was sent.
    Differs,
}

/// The labels, roles and messages of one debate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CopiedRows {
    labels: Vec<Cells>,
    roles: DebateRoles,
    /// For each webhook of the source: its name, the debate, and of how many entries it was told.
    cursors: Vec<Cells>,
    messages: Vec<Cells>,
}

/// How many of them were new in the target.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MergedRows {
    pub labels: u64,
    pub roles: u64,
    pub messages: u64,
}

const LABELS: &str = "SELECT debate, label FROM labels WHERE debate = ?1 ORDER BY label";
const CURSORS: &str = "SELECT w.name, d.id, coalesce(c.length, 0) FROM webhooks w JOIN debates d ON d.id = ?1
    LEFT JOIN webhook_cursors c ON c.name = w.name AND c.debate = d.id ORDER BY w.name";
const MESSAGES: &str =
    "SELECT id, name, event, debate, subject, body, created_at, attempts, due_ms FROM webhook_messages
    WHERE debate = ?1 AND state = 'pending' ORDER BY id";

const ADD_LABEL: &str = "INSERT INTO labels (debate, label) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
const RAISE_CURSOR: &str = "INSERT INTO webhook_cursors (name, debate, length)
    SELECT name, CAST(?2 AS TEXT), CAST(?3 AS BIGINT) FROM webhooks WHERE name = ?1
    ON CONFLICT (name, debate) DO UPDATE SET length = excluded.length
    WHERE excluded.length > webhook_cursors.length";
const ADD_MESSAGE: &str = "INSERT INTO webhook_messages
    (id, name, event, debate, subject, body, created_at, state, attempts, due_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', ?8, ?9) ON CONFLICT DO NOTHING";

const TOMBSTONE_ENTRIES: &str =
    "SELECT debate, seq, kind, key, hash, line FROM tombstone_entries WHERE debate = ?1 ORDER BY seq";

impl CopiedRows {
    pub(super) fn read(db: &dyn StoreConnection, debate: &DebateId) -> Result<Self> {
        Ok(Self {
            labels: query_cells(db, LABELS, &[&debate])?,
            roles: DebateRoles::read(db, debate)?,
            cursors: query_cells(db, CURSORS, &[&debate])?,
            messages: query_cells(db, MESSAGES, &[&debate])?,
        })
    }

    /// Adds these to what the target knows of `debate`, whose record has just arrived. A role that was taken back in the
    /// target does not come back with a second copy.
    pub(super) fn merge(&self, db: &dyn StoreConnection, debate: &DebateId, arrival: Arrival) -> Result<MergedRows> {
        let labels = execute_for_each(db, ADD_LABEL, &self.labels)?;
        let mut merged = MergedRows { labels, ..MergedRows::default() };
        if arrival == Arrival::New {
            merged.roles = self.roles.add(db)?;
        }
        if arrival != Arrival::Unchanged {
            // What the source has not told yet, the target tells.
            execute_for_each(db, RAISE_CURSOR, &self.cursors)?;
            self.skip_for_others(db, debate)?;
            merged.messages = execute_for_each(db, ADD_MESSAGE, &self.messages)?;
        }
        Ok(merged)
    }

    /// Webhooks that the source does not know are not told of what happened there.
    fn skip_for_others(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<()> {
        let mut values: Vec<&dyn ToSqlValue> = vec![debate];
        values.extend(self.cursors.iter().filter_map(|cursor| cursor.first()).map(|name| name as &dyn ToSqlValue));
        let names: Vec<String> = (2..=values.len()).map(|at| format!("AND w.name <> ?{at}")).collect();
        let sql = format!(
            "INSERT INTO webhook_cursors (name, debate, length)
             SELECT w.name, d.id, d.length FROM webhooks w JOIN debates d ON d.id = ?1 WHERE d.id = ?1 {}
             ON CONFLICT (name, debate) DO UPDATE SET length = excluded.length",
            names.join(" ")
        );
        db.execute(&sql, &values).map(drop)
    }
}

impl Journal {
    /// Lets `to` know the webhooks of this journal, from now on.
    pub(super) async fn copy_webhooks(&self, to: &Journal) -> Result<()> {
        let names = self.read_store(|db| db.query_texts("SELECT name FROM webhooks ORDER BY name", &[]))?;
        if names.is_empty() { Ok(()) } else { to.register_webhooks(names).await }
    }

    /// Copies the tombstone of `debate` and what is left of it, where `to` has neither. A debate that is still there is
    /// not deleted by a copy.
    pub(super) async fn copy_tombstone(&self, to: &Journal, debate: &DebateId) -> Result<CopiedTombstone> {
        if to.find_tombstone(debate)?.is_some() {
            return Ok(CopiedTombstone::Known);
        }
        if to.find_summary(debate)?.is_some() {
            return Ok(CopiedTombstone::StillThere);
        }
        let (stone, entries) = self.read_store(|db| {
            let stone = query_cells(db, &format!("{TOMBSTONE} WHERE debate = ?1"), &[&debate])?;
            Ok((stone, query_cells(db, TOMBSTONE_ENTRIES, &[&debate])?))
        })?;
        to.transact(move |db| {
            execute_for_each(db, ADD_TOMBSTONE, &stone)?;
            execute_for_each(db, ADD_TOMBSTONE_ENTRY, &entries).map(drop)
        })
        .await?;
        // Both chains are verified as they are read.
        let is_same = self.read_left_entries(debate)? == to.read_left_entries(debate)?;
        Ok(if is_same { CopiedTombstone::Copied } else { CopiedTombstone::Differs })
    }
}
