//! Statements on a connection to SQLite.

use std::{path::Path, sync::Arc};

use agon_core::{DebateId, Stamp};
use rusqlite::{
    Connection, ToSql,
    types::{ToSqlOutput, Value, ValueRef},
};

use super::super::{
    JournalError,
    storage::{SqlCell, SqlRow, SqlValue, StoreConnection},
};
use crate::time::stamp;

/// A connection, in a transaction where it writes.
pub(super) struct SqliteConnection<'c> {
    pub(super) db: &'c Connection,
    pub(super) path: &'c Arc<Path>,
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            SqlValue::Null => ToSqlOutput::Owned(Value::Null),
            SqlValue::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            SqlValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl SqliteConnection<'_> {
    fn fault(&self, error: rusqlite::Error) -> JournalError {
        JournalError::sqlite(self.path, error)
    }

    fn rows(&self, sql: &str, values: &[SqlValue<'_>]) -> rusqlite::Result<Vec<SqlRow>> {
        let mut statement = self.db.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            let cells = (0..columns).map(|at| {
                Ok(match row.get::<_, Value>(at)? {
                    Value::Null => SqlCell::Null,
                    Value::Integer(number) => SqlCell::Integer(number),
                    Value::Text(text) => SqlCell::Text(text),
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
    fn place(&self) -> &Arc<Path> {
        self.path
    }

    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<u64, JournalError> {
        let changed = self
            .db
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(values)));
        changed.map(|rows| rows as u64).map_err(|error| self.fault(error))
    }

    fn query(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<Vec<SqlRow>, JournalError> {
        self.rows(sql, values).map_err(|error| self.fault(error))
    }

    fn now(&self) -> Result<Stamp, JournalError> {
        // Who shares the file shares the machine.
        Ok(stamp())
    }

    fn lock_debate(&self, debate: &DebateId) -> Result<(u64, String), JournalError> {
        // Who writes excludes all others anyway.
        let sql = "SELECT length, head FROM debates WHERE id = ?1";
        let row = self.query_first(sql, &[debate.as_str().into()])?;
        let mut row = row.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?;
        Ok((row.count(0)?, row.text(1)?))
    }
}
