//! What a store of the journal does: statements, transactions, reads, locks and search.
//!
//! The rules of the journal are written once, in SQL that every store takes: values are `?1`, `?2`, …, integers have
//! 64 bits, and truth is 0 or 1. A store translates what its database spells otherwise.

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_core::{DebateId, Digest, Stamp};

pub(crate) use super::sql_value::{SqlCell, SqlRow, SqlValue, ToSqlValue};
use super::{DebateSummary, JournalError, Result};

/// Where the journal is kept, and how it is reached.
pub(crate) trait JournalStore: Send + Sync {
    /// The store, for messages: a path or an address, without a password.
    fn location(&self) -> &Arc<Path>;

    /// Whether processes of other machines may use it.
    fn is_shared(&self) -> bool {
        false
    }

    /// Queues `job` for the next transaction; its caller is told once the transaction has been committed.
    ///
    /// # Errors
    ///
    /// Where nothing is written any more.
    fn queue_job(&self, job: Box<dyn WriteJob>) -> Result<()>;

    /// Lets `look` read, all of it as it was at one moment if `at` says so. It may be called again, with another
    /// connection, where one breaks.
    ///
    /// # Errors
    ///
    /// What `look` gives, or why the store cannot be read.
    fn read(&self, at: ReadAt, look: &mut StoreLook<'_>) -> Result<()>;

    /// The way in which debates are found by words.
    fn debate_search(&self) -> &'static dyn DebateSearch;

    /// Overwrites what deletions left outside of the tables, where the store has such a place.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn wipe_log(&self) -> Result<()> {
        Ok(())
    }

    /// Whether a process has the lock of `debate` now; `None` where no lock reaches all who share the store. A look changes
    /// nothing and hinders nobody.
    ///
    /// # Errors
    ///
    /// Why it cannot be looked at.
    fn is_locked(&self, debate: &DebateId) -> Result<Option<bool>>;

    /// Takes the lock of `debate` for this process; `None` where no lock reaches all who share the store.
    ///
    /// # Errors
    ///
    /// Who holds it, or why it cannot be taken.
    fn take_debate_lock(&self, debate: &DebateId) -> Result<Option<DriveLock>, LockError>;
}

/// Something to be done in a transaction.
pub(crate) trait WriteJob: Send {
    /// Does it, and keeps the result until it is told; whether something may have been written. A job that refuses is
    /// undone. It is done again where its transaction was lost.
    fn apply(&mut self, db: &dyn StoreConnection) -> bool;

    /// Tells the caller the result, once the transaction has been committed or has failed. A caller that went away
    /// needs no answer.
    fn report_result(self: Box<Self>, committed: Result<()>);
}

/// Something that reads.
pub(crate) type StoreLook<'l> = dyn FnMut(&dyn StoreConnection) -> Result<()> + 'l;

/// What a read sees of what is written meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAt {
    /// Each statement sees what was committed when it began.
    EachStatement,
    /// All statements see the same moment.
    OneMoment,
}

/// A connection on which statements run, in a transaction where it writes.
pub(crate) trait StoreConnection {
    /// The store, for messages.
    fn store_location(&self) -> &Arc<Path>;

    /// Runs a statement; gives the number of rows that it changed.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn execute(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<u64>;

    /// Runs a query; gives all its rows.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn query(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Vec<SqlRow>>;

    /// Runs a statement; `none` is the error if it concerned no row. A store may send it only with the next statement
    /// whose result is asked for; its fault shows there, at the latest at [`StoreConnection::flush`]. Who uses this
    /// calls that before the end of the job.
    ///
    /// # Errors
    ///
    /// What the store says, or `none`.
    fn execute_later(&self, sql: &str, values: &[&dyn ToSqlValue], none: Option<JournalError>) -> Result<()> {
        match (self.execute(sql, values)?, none) {
            (0, Some(none)) => Err(none),
            _ => Ok(()),
        }
    }

    /// The same for a query: `none` is the error if it finds no row.
    ///
    /// # Errors
    ///
    /// What the store says, or `none`.
    fn expect_later(&self, sql: &str, values: &[&dyn ToSqlValue], none: JournalError) -> Result<()> {
        self.query_first(sql, values)?.map(drop).ok_or(none)
    }

    /// Waits for all statements that were to run later.
    ///
    /// # Errors
    ///
    /// The first of their errors.
    fn flush(&self) -> Result<()> {
        Ok(())
    }

    /// This moment, by the clock that all who share the store go by.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn now(&self) -> Result<Stamp>;

    /// Lets nobody else write about `debate` until this transaction ends; gives the length of its record and the hash
    /// of its last entry.
    ///
    /// # Errors
    ///
    /// [`JournalError::NoSuchDebate`] where there is none.
    fn lock_debate(&self, debate: &DebateId) -> Result<(u64, String)>;

    /// Lets nobody else decide about accounts until this transaction ends: what is counted or looked up before it is
    /// written stays as it is.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn lock_accounts(&self) -> Result<()> {
        // Where one transaction at a time writes, it excludes all others anyway.
        Ok(())
    }

    /// Lets nobody delete texts until this transaction ends: those that it names stay.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn hold_texts(&self) -> Result<()> {
        Ok(())
    }

    /// Lets nobody open a debate until this transaction ends: what no debate names now, none names then.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn lock_texts(&self) -> Result<()> {
        Ok(())
    }

    /// Whether the tables have the version that this program writes.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn is_current(&self) -> Result<bool>;

    /// Removes a debate from the search, from every table that refers to it by a foreign key, and from the list. The
    /// tables are read from the schema, so that one that comes later is not forgotten.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn remove_debate(&self, debate: &DebateId) -> Result<()>;

    /// Lets what is deleted be overwritten or not, where the store leaves it in its file.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn overwrite_deleted(&self, _overwrite: bool) -> Result<()> {
        Ok(())
    }

    /// Adds one entry, as [`StoreConnection::execute_later`] does; `known` is the error if another stands at its place,
    /// or under its kind and key.
    ///
    /// # Errors
    ///
    /// What the store says, or `known`.
    fn insert_entry(&self, entry: &EntryRow<'_>, known: JournalError) -> Result<()> {
        let EntryRow { debate, seq, kind, key, line, .. } = *entry;
        let sql = "INSERT INTO entries (debate, seq, kind, key, line) VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT DO NOTHING";
        self.execute_later(sql, &[&debate, &seq, &kind, &key, &line], Some(known))
    }

    /// The texts of a query for one column.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn query_texts(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Vec<String>> {
        self.query(sql, values)?.into_iter().map(|mut row| row.take(0)).collect()
    }

    /// The number that a query gives.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn query_count(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<u64> {
        self.query_first(sql, values)?.map_or(Ok(0), |mut row| row.take(0))
    }

    /// Whether a query finds something.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn has_row(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<bool> {
        Ok(self.query_first(sql, values)?.is_some())
    }

    /// The first row of a query.
    ///
    /// # Errors
    ///
    /// What the store says.
    fn query_first(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Option<SqlRow>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }
}

/// An entry as a row.
// SQLite finds words in the line.
#[cfg_attr(not(feature = "cluster"), allow(dead_code))]
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryRow<'e> {
    /// The debate.
    pub debate: &'e DebateId,
    /// The place in its record.
    pub seq: u64,
    /// The kind.
    pub kind: &'e str,
    /// The key that this kind has once.
    pub key: Option<&'e str>,
    /// The entry, as JSON.
    pub line: &'e str,
    /// Words of it that a search finds.
    #[cfg_attr(not(feature = "cluster"), allow(dead_code))] // SQLite reads them from the line.
    pub said: Option<&'e str>,
    /// The key of the answer whose words it withdraws.
    #[cfg_attr(not(feature = "cluster"), allow(dead_code))] // The same.
    pub redacts: Option<&'e str>,
}

/// The values of all rows of a query, as they are copied into another store.
pub(crate) fn query_cells(
    db: &dyn StoreConnection,
    sql: &str,
    values: &[&dyn ToSqlValue],
) -> Result<Vec<Vec<SqlCell>>> {
    Ok(db.query(sql, values)?.into_iter().map(SqlRow::into_cells).collect())
}

/// Values as a row of their own, for a transaction that comes later.
pub(crate) fn own_values(values: &[&dyn ToSqlValue]) -> Vec<SqlCell> {
    values.iter().map(|value| value.to_sql_value().into_owned()).collect()
}

/// Runs a statement with the values of each row; gives how many rows it changed.
pub(crate) fn execute_for_each<'r>(
    db: &dyn StoreConnection,
    sql: &str,
    rows: impl IntoIterator<Item = &'r Vec<SqlCell>>,
) -> Result<u64> {
    rows.into_iter().try_fold(0, |changed, row| {
        let values: Vec<&dyn ToSqlValue> = row.iter().map(|cell| cell as &dyn ToSqlValue).collect();
        Ok(changed + db.execute(sql, &values)?)
    })
}

/// Some of many debates, as the values of one statement.
pub(crate) struct IdChunk<'d> {
    /// The places of the debates in the statement: `?3, ?4`.
    pub places: String,
    /// All values: first those that every statement has, then the debates.
    pub values: Vec<&'d dyn ToSqlValue>,
}

impl<'d> IdChunk<'d> {
    /// Debates that one statement names.
    const IDS_MAX: usize = 256;

    /// The chunks of `debates`, each after the values `first`.
    pub(crate) fn split_ids(
        debates: &'d [&'d DebateId],
        first: &'d [&'d dyn ToSqlValue],
    ) -> impl Iterator<Item = Self> + 'd {
        debates.chunks(Self::IDS_MAX).map(move |some| {
            // Few statements differ in the number of their values: the last one stands several times.
            let count = some.len().next_power_of_two();
            let ids = (0..count).filter_map(|at| some.get(at).or(some.last()));
            let values = first.iter().copied().chain(ids.map(|id| id as &dyn ToSqlValue)).collect();
            let places: Vec<String> = (0..count).map(|at| format!("?{}", first.len() + at + 1)).collect();
            Self { places: places.join(", "), values }
        })
    }
}

/// Removes the rows of `debate` from `tables`, each with its column that refers to debates, and from the list.
pub(crate) fn remove_referring(db: &dyn StoreConnection, debate: &DebateId, tables: Vec<SqlRow>) -> Result<()> {
    for row in tables {
        let (table, column): (String, String) = row.read()?;
        db.execute(&format!("DELETE FROM \"{table}\" WHERE \"{column}\" = ?1"), &[&debate])?;
    }
    db.execute("DELETE FROM debates WHERE id = ?1", &[&debate]).map(drop)
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DebateQuery<'q> {
    /// Words that all occur in a debate.
    pub words: &'q [String],
    /// The person who must have a role in it, where not everyone may find it.
    pub person: Option<&'q str>,
    /// Maximum number of debates, the newest first.
    pub limit: u32,
}

/// How a store finds debates by words.
pub(crate) trait DebateSearch: Sync {
    /// The debates of a query, newest first.
    fn find_debates(&self, db: &dyn StoreConnection, query: &DebateQuery<'_>) -> Result<Vec<DebateSummary>>;

    /// Debates that are not in the index as they stand, newest first, at most `limit`.
    fn list_unindexed(&self, db: &dyn StoreConnection, limit: u32) -> Result<Vec<DebateId>>;

    /// Puts a debate as it stands into the index, in place of what the index held of it.
    fn index(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<()>;

    /// Whether the index holds a debate as it stands.
    fn is_indexed(&self, db: &dyn StoreConnection, debate: &DebateId) -> Result<bool>;
}

/// The lock on a debate in its journal's store. Its holder drives the debate; it is given back when it is dropped, or
/// ends with its process.
#[derive(Debug)]
pub struct DriveLock {
    /// The number that what its holder appends must carry; `None` where the lock cannot be lost.
    pub(crate) fence: Option<u64>,
    /// What gives it back when it is dropped.
    pub(crate) _held: Box<dyn Any + Send + Sync>,
}

/// Why the lock of a debate was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it: who drives which debate, in words.
    #[error("{0}")]
    Held(String),
    /// It cannot be taken.
    #[error("{path}: {why}")]
    Fault {
        /// The file, or the store.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// Puts texts under their digests, as [`StoreConnection::execute_later`] does; what is there stays.
pub(crate) fn put_texts(db: &dyn StoreConnection, texts: &[(Digest, String)]) -> Result<()> {
    if !texts.is_empty() {
        db.hold_texts()?;
    }
    for (digest, content) in texts {
        let sql = "INSERT INTO texts (digest, content) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        db.execute_later(sql, &[&digest, &content], None)?;
    }
    Ok(())
}
