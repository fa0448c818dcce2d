//! What statements of the journal are given, and what queries give: values, and rows of them.

use std::{borrow::Cow, path::Path, sync::Arc};

use agon_core::{DebateId, Digest, Key, Seat, Stamp};
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, IntoDeserializer, Visitor,
        value::{self, SeqAccessDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use super::{JournalError, Result};
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
pub(crate) trait ToSqlValue: Sync {
    /// As the store takes it.
    fn to_sql_value(&self) -> SqlValue<'_>;
}

/// What values of these types are to a store.
macro_rules! sql_values {
    ($($type:ty: $value:ident => $taken:expr;)*) => {
        $(impl ToSqlValue for $type {
            fn to_sql_value(&self) -> SqlValue<'_> {
                let $value = self;
                $taken
            }
        })*
    };
}

sql_values! {
    str: text => SqlValue::Text(text.into());
    String: text => text.as_str().to_sql_value();
    DebateId: id => id.as_str().to_sql_value();
    Digest: digest => digest.as_str().to_sql_value();
    Key: key => key.as_str().to_sql_value();
    Seat: seat => seat.as_str().to_sql_value();
    Stamp: stamp => stamp.0.to_sql_value();
    PrincipalId: id => SqlValue::Text(id.to_string().into());
    i64: number => SqlValue::Integer(*number);
    u32: number => SqlValue::Integer((*number).into());
    // Integers of stores are signed; what does not fit is more than any limit anyway.
    u64: number => SqlValue::Integer(i64::try_from(*number).unwrap_or(i64::MAX));
    bool: is_so => SqlValue::Integer((*is_so).into());
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

/// A cell as serde reads it. Truth is a number in every store.
impl<'de> Deserializer<'de> for SqlCell {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Integer(number) => visitor.visit_i64(number),
            Self::Text(text) => visitor.visit_string(text.into_owned()),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Self::Integer(number) => visitor.visit_bool(number != 0),
            cell => cell.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self == Self::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct enum identifier ignored_any
    }
}

impl IntoDeserializer<'_, value::Error> for SqlCell {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The first of `cells` as a tuple, or as a type whose fields they are in their order.
pub(crate) fn read_cells<T: DeserializeOwned>(cells: Vec<SqlCell>) -> Result<T, value::Error> {
    T::deserialize(SeqAccessDeserializer::new(SeqDeserializer::new(cells.into_iter())))
}

/// A row of a query.
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

    /// The first columns, which are those of a tuple or the fields of a type, in their order.
    pub(crate) fn read<T: DeserializeOwned>(self) -> Result<T> {
        read_cells(self.cells).map_err(|error| JournalError::unsound(&self.place, error))
    }

    /// The column `at`, which is taken once.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, at: usize) -> Result<T> {
        let cell = self.cells.get_mut(at).map(std::mem::take).unwrap_or_default();
        T::deserialize(cell).map_err(|error| JournalError::unsound(&self.place, error))
    }

    /// What is written as JSON in the column `at`.
    pub(crate) fn take_json<T: DeserializeOwned>(&mut self, at: usize) -> Result<T> {
        let text: String = self.take(at)?;
        serde_json::from_str(&text).map_err(|error| JournalError::unsound(&self.place, error))
    }
}
