//! Statements on a connection to SQLite.

use std::{path::Path, sync::Arc};

use agon_core::{DebateId, Stamp};
use rusqlite::{
    Connection, Params, Row, Statement, ToSql,
    types::{ToSqlOutput, ValueRef},
};
use serde::de::DeserializeOwned;

use super::super::{
    JournalError, Result,
    sql_value::read_cells,
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

/// The values of a row. No table has other types.
fn take_cells(row: &Row<'_>) -> rusqlite::Result<Vec<SqlCell>> {
    let statement: &Statement<'_> = row.as_ref();
    let cells = (0..statement.column_count()).map(|at| match row.get_ref(at)? {
        ValueRef::Null => Ok(SqlCell::Null),
        ValueRef::Integer(number) => Ok(SqlCell::Integer(number)),
        text @ ValueRef::Text(_) => Ok(SqlCell::Text(text.as_str()?.to_owned().into())),
        other => Err(rusqlite::Error::InvalidColumnType(at, statement.column_name(at)?.to_owned(), other.data_type())),
    });
    cells.collect()
}

/// The first columns of a row as a tuple, or as a type whose fields they are in their order.
pub fn read_row<T: DeserializeOwned>(row: &Row<'_>) -> rusqlite::Result<T> {
    read_cells(take_cells(row)?).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

impl SqliteConnection<'_> {
    fn to_journal_error(&self, error: rusqlite::Error) -> JournalError {
        JournalError::sqlite(self.path, error)
    }

    fn query_rows(&self, sql: &str, values: &[&dyn ToSqlValue]) -> rusqlite::Result<Vec<SqlRow>> {
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query(bind_values(values))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(SqlRow::new(take_cells(row)?, self.path));
        }
        Ok(read)
    }
}

impl StoreConnection for SqliteConnection<'_> {
    fn store_location(&self) -> &Arc<Path> {
        self.path
    }

    fn execute(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<u64> {
        let changed = self.db.prepare_cached(sql).and_then(|mut statement| statement.execute(bind_values(values)));
        changed.map(|rows| rows as u64).map_err(|error| self.to_journal_error(error))
    }

    fn query(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Vec<SqlRow>> {
        self.query_rows(sql, values).map_err(|error| self.to_journal_error(error))
    }

    fn now(&self) -> Result<Stamp> {
        // Who shares the file shares the machine.
        Ok(current_stamp())
    }

    fn lock_debate(&self, debate: &DebateId) -> Result<(u64, String)> {
        // Who writes excludes all others anyway.
        let sql = "SELECT length, head FROM debates WHERE id = ?1";
        let row = self.query_first(sql, &[&debate])?;
        row.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?.read()
    }

    fn is_current(&self) -> Result<bool> {
        let version = self.db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        version.map(|version| version == SCHEMA).map_err(|error| self.to_journal_error(error))
    }

    fn remove_debate(&self, debate: &DebateId) -> Result<()> {
        // The index of words has no foreign keys.
        let sql = "DELETE FROM search_index WHERE rowid IN (SELECT number FROM searchable WHERE debate = ?1)";
        self.execute(sql, &[&debate])?;
        let referring = "SELECT m.name, f.\"from\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
                         WHERE m.type = 'table' AND f.\"table\" = 'debates'";
        remove_referring(self, debate, self.query(referring, &[])?)
    }

    fn overwrite_deleted(&self, overwrite: bool) -> Result<()> {
        self.db.pragma_update(None, "secure_delete", overwrite).map_err(|error| self.to_journal_error(error))
    }
}
