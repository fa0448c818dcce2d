//! Statements on a connection to SQLite.

use std::{path::Path, sync::Arc};

use agon_core::{DebateId, Stamp};
use rusqlite::{
    Connection, Params, ToSql,
    types::{ToSqlOutput, ValueRef},
};

use super::super::{
    JournalError,
    storage::{SqlCell, SqlRow, SqlValue, StoreConnection, ToSqlValue, remove_referring},
};
use super::file::SCHEMA;
use crate::time::current_stamp;

/// A connection, in a transaction where it writes.
pub(super) struct SqliteConnection<'c> {
    pub(super) db: &'c Connection,
    pub(super) path: &'c Arc<Path>,
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            SqlValue::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            SqlValue::Integer(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            SqlValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

/// `values` as the parameters of a statement.
fn bind_values(values: &[&dyn ToSqlValue]) -> impl Params {
    rusqlite::params_from_iter(values.iter().map(|value| value.to_sql_value()))
}

impl SqliteConnection<'_> {
    fn to_journal_error(&self, error: rusqlite::Error) -> JournalError {
        JournalError::sqlite(self.path, error)
    }

    fn query_rows(&self, sql: &str, values: &[&dyn ToSqlValue]) -> rusqlite::Result<Vec<SqlRow>> {
        let mut statement = self.db.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(bind_values(values))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            let cells = (0..columns).map(|at| {
                Ok(match row.get_ref(at)? {
                    ValueRef::Null => SqlCell::Null,
                    ValueRef::Integer(number) => SqlCell::Integer(number),
                    text @ ValueRef::Text(_) => SqlCell::Text(text.as_str()?.to_owned().into()),
                    other => {
                        let found = other.data_type();
                        return Err(rusqlite::Error::InvalidColumnType(at, sql.to_owned(), found));
                    }
                })
            });
            read.push(SqlRow::new(cells.collect::<rusqlite::Result<_>>()?, self.path));
        }
        Ok(read)
    }
}

impl StoreConnection for SqliteConnection<'_> {
    fn store_location(&self) -> &Arc<Path> {
        self.path
    }

    fn execute(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<u64, JournalError> {
        let changed = self.db.prepare_cached(sql).and_then(|mut statement| statement.execute(bind_values(values)));
        changed.map(|rows| rows as u64).map_err(|error| self.to_journal_error(error))
    }

    fn query(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Vec<SqlRow>, JournalError> {
        self.query_rows(sql, values).map_err(|error| self.to_journal_error(error))
    }

    fn now(&self) -> Result<Stamp, JournalError> {
        // Who shares the file shares the machine.
        Ok(current_stamp())
    }

    fn lock_debate(&self, debate: &DebateId) -> Result<(u64, String), JournalError> {
        // Who writes excludes all others anyway.
        let sql = "SELECT length, head FROM debates WHERE id = ?1";
        let row = self.query_first(sql, &[&debate])?;
        let mut row = row.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
        Ok((row.count(0)?, row.text(1)?))
    }

    fn is_current(&self) -> Result<bool, JournalError> {
        let version = self.db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        version.map(|version| version == SCHEMA).map_err(|error| self.to_journal_error(error))
    }

    fn remove_debate(&self, debate: &DebateId) -> Result<(), JournalError> {
        // The index of words has no foreign keys.
        let sql = "DELETE FROM search_index WHERE rowid IN (SELECT number FROM searchable WHERE debate = ?1)";
        self.execute(sql, &[&debate])?;
        let referring = "SELECT m.name, f.\"from\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
                         WHERE m.type = 'table' AND f.\"table\" = 'debates'";
        remove_referring(self, debate, self.query(referring, &[])?)
    }

    fn overwrite_deleted(&self, overwrite: bool) -> Result<(), JournalError> {
        self.db.pragma_update(None, "secure_delete", overwrite).map_err(|error| self.to_journal_error(error))
    }
}
