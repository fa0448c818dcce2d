//! What statements of the journal are given, and what queries give: values, and rows of them.

use std::{borrow::Cow, error::Error, path::Path, sync::Arc};

use agon_core::{DebateId, Digest, Key, Seat, Stamp};
use serde::de::DeserializeOwned;

use super::JournalError;
use crate::accounts::PrincipalId;

/// A value of a statement, or of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum SqlValue<'v> {
    /// None.
    #[default]
    Null,
    /// A number, or truth.
    Integer(i64),
    /// A text.
    Text(Cow<'v, str>),
}

impl SqlValue<'_> {
    /// The same, of its own.
    #[cfg(feature = "cluster")]
    pub(crate) fn into_owned(self) -> SqlCell {
        match self {
            Self::Null => SqlValue::Null,
            Self::Integer(number) => SqlValue::Integer(number),
            Self::Text(text) => SqlValue::Text(text.into_owned().into()),
        }
    }
}

/// A value of a row.
pub(crate) type SqlCell = SqlValue<'static>;

/// What a statement takes as a value.
pub(crate) trait ToSqlValue {
    /// As the store takes it.
    fn to_sql_value(&self) -> SqlValue<'_>;
}

impl ToSqlValue for str {
    fn to_sql_value(&self) -> SqlValue<'_> {
        SqlValue::Text(self.into())
    }
}

impl ToSqlValue for String {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.as_str().to_sql_value()
    }
}

impl ToSqlValue for DebateId {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.as_str().to_sql_value()
    }
}

impl ToSqlValue for Digest {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.as_str().to_sql_value()
    }
}

impl ToSqlValue for Key {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.as_str().to_sql_value()
    }
}

impl ToSqlValue for Seat {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.as_str().to_sql_value()
    }
}

impl ToSqlValue for Stamp {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.0.to_sql_value()
    }
}

impl ToSqlValue for PrincipalId {
    fn to_sql_value(&self) -> SqlValue<'_> {
        SqlValue::Text(self.to_string().into())
    }
}

impl ToSqlValue for i64 {
    fn to_sql_value(&self) -> SqlValue<'_> {
        SqlValue::Integer(*self)
    }
}

impl ToSqlValue for u32 {
    fn to_sql_value(&self) -> SqlValue<'_> {
        SqlValue::Integer((*self).into())
    }
}

impl ToSqlValue for u64 {
    /// Integers of stores are signed; what does not fit is more than any limit anyway.
    fn to_sql_value(&self) -> SqlValue<'_> {
        SqlValue::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl ToSqlValue for bool {
    fn to_sql_value(&self) -> SqlValue<'_> {
        SqlValue::Integer((*self).into())
    }
}

impl ToSqlValue for SqlCell {
    fn to_sql_value(&self) -> SqlValue<'_> {
        match self {
            Self::Null => SqlValue::Null,
            Self::Integer(number) => SqlValue::Integer(*number),
            Self::Text(text) => text.to_sql_value(),
        }
    }
}

impl<T: ToSqlValue + ?Sized> ToSqlValue for &T {
    fn to_sql_value(&self) -> SqlValue<'_> {
        (**self).to_sql_value()
    }
}

impl<T: ToSqlValue> ToSqlValue for Option<T> {
    fn to_sql_value(&self) -> SqlValue<'_> {
        self.as_ref().map_or(SqlValue::Null, T::to_sql_value)
    }
}

/// A row of a query. A column is taken once.
#[derive(Debug, Clone)]
pub(crate) struct SqlRow {
    cells: Vec<SqlCell>,
    place: Arc<Path>,
}

impl SqlRow {
    pub(crate) fn new(cells: Vec<SqlCell>, place: &Arc<Path>) -> Self {
        Self { cells, place: Arc::clone(place) }
    }

    /// All its values.
    pub(crate) fn into_cells(self) -> Vec<SqlCell> {
        self.cells
    }

    fn take_cell(&mut self, at: usize) -> SqlCell {
        self.cells.get_mut(at).map(std::mem::take).unwrap_or_default()
    }

    fn column_error(&self, at: usize, wanted: &str) -> JournalError {
        JournalError::damaged(&self.place, format!("column {at} of a row is not {wanted}"))
    }

    /// The store that the row is from.
    pub(crate) fn store_location(&self) -> &Path {
        &self.place
    }

    /// A text.
    pub(crate) fn text(&mut self, at: usize) -> Result<String, JournalError> {
        self.optional_text(at)?.ok_or_else(|| self.column_error(at, "a text"))
    }

    /// A text, where there is one.
    pub(crate) fn optional_text(&mut self, at: usize) -> Result<Option<String>, JournalError> {
        match self.take_cell(at) {
            SqlCell::Text(text) => Ok(Some(text.into_owned())),
            SqlCell::Null => Ok(None),
            SqlCell::Integer(_) => Err(self.column_error(at, "a text")),
        }
    }

    fn parse_text<T, E: Error + Send + Sync + 'static>(
        &mut self,
        at: usize,
        parse: impl FnOnce(String) -> Result<T, E>,
    ) -> Result<T, JournalError> {
        parse(self.text(at)?).map_err(|error| JournalError::unsound(&self.place, error))
    }

    /// The id of a debate.
    pub(crate) fn debate_id(&mut self, at: usize) -> Result<DebateId, JournalError> {
        self.parse_text(at, DebateId::new)
    }

    /// A digest.
    pub(crate) fn digest(&mut self, at: usize) -> Result<Digest, JournalError> {
        self.parse_text(at, |text| serde_json::from_value(text.into()))
    }

    /// What is written as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&mut self, at: usize) -> Result<T, JournalError> {
        self.parse_text(at, |text| serde_json::from_str(&text))
    }

    /// A number.
    pub(crate) fn integer(&mut self, at: usize) -> Result<i64, JournalError> {
        match self.take_cell(at) {
            SqlCell::Integer(number) => Ok(number),
            _ => Err(self.column_error(at, "a number")),
        }
    }

    /// A number, where there is one.
    pub(crate) fn optional_integer(&mut self, at: usize) -> Result<Option<i64>, JournalError> {
        match self.take_cell(at) {
            SqlCell::Integer(number) => Ok(Some(number)),
            SqlCell::Null => Ok(None),
            SqlCell::Text(_) => Err(self.column_error(at, "a number")),
        }
    }

    /// A number that counts something, where there is one.
    pub(crate) fn optional_count(&mut self, at: usize) -> Result<Option<u64>, JournalError> {
        Ok(self.optional_integer(at)?.map(i64::unsigned_abs))
    }

    /// A small number that counts something, where there is one.
    pub(crate) fn optional_small(&mut self, at: usize) -> Result<Option<u32>, JournalError> {
        let number = self.optional_integer(at)?;
        number.map(u32::try_from).transpose().map_err(|_| self.column_error(at, "a small number"))
    }

    /// A number that counts something.
    pub(crate) fn count(&mut self, at: usize) -> Result<u64, JournalError> {
        self.integer(at).map(i64::unsigned_abs)
    }

    /// A small number that counts something.
    pub(crate) fn small(&mut self, at: usize) -> Result<u32, JournalError> {
        u32::try_from(self.integer(at)?).map_err(|_| self.column_error(at, "a small number"))
    }

    /// Truth.
    pub(crate) fn boolean(&mut self, at: usize) -> Result<bool, JournalError> {
        self.integer(at).map(|number| number != 0)
    }
}
