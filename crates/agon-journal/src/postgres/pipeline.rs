//! Statements that go to the server together: several are sent before the first is answered, so that they take one trip.

use std::collections::HashMap;

use tokio_postgres::{
    Client, Row, Statement,
    types::{ToSql, Type},
};

use super::super::JournalError;
use crate::storage::SqlValue;

/// A statement that waits for the next one.
pub(super) struct QueuedStatement {
    pub(super) statement: PostgresStatement,
    /// The error if it concerned no row.
    pub(super) none: Option<JournalError>,
}

/// A statement.
pub(super) enum PostgresStatement {
    /// Statements without values.
    Batch(String),
    /// One with values, as the journal spells it; whether its rows are wanted.
    One { sql: String, values: Vec<OwnedValue>, is_query: bool },
}

/// What a statement gave: its rows, or how many it concerned.
pub(super) type Given = (Vec<Row>, u64);

impl PostgresStatement {
    pub(super) fn of(sql: &str, values: &[SqlValue<'_>]) -> Self {
        let is_query = sql.trim_start().starts_with("SELECT");
        Self::One { sql: sql.to_owned(), values: values.iter().map(OwnedValue::from).collect(), is_query }
    }
}

/// Runs `orders`, sent one after the other without waiting between them; `known` are those of their statements that are
/// prepared. Gives what each gave, and the statements that were prepared for it.
///
/// # Errors
///
/// The first error.
pub(super) async fn run_in_order(
    client: &Client,
    orders: Vec<PostgresStatement>,
    known: Vec<Option<Statement>>,
) -> Result<(Vec<Given>, HashMap<String, Statement>), tokio_postgres::Error> {
    let mut prepared: HashMap<String, Statement> = HashMap::new();
    let mut statements = Vec::new();
    for (order, known) in orders.iter().zip(known) {
        statements.push(match (order, known) {
            (PostgresStatement::Batch(_), _) => None,
            (PostgresStatement::One { .. }, Some(statement)) => Some(statement),
            (PostgresStatement::One { sql, .. }, None) => Some(match prepared.get(sql) {
                Some(statement) => statement.clone(),
                None => {
                    let statement = client.prepare(&to_postgres_sql(sql)).await?;
                    prepared.insert(sql.clone(), statement.clone());
                    statement
                }
            }),
        });
    }
    // Each is sent when it is first polled, and all are polled in their order.
    let running = orders.into_iter().zip(statements).map(|(order, statement)| run_one(client, order, statement));
    let given = futures::future::join_all(running).await.into_iter().collect::<Result<_, _>>()?;
    Ok((given, prepared))
}

async fn run_one(
    client: &Client,
    order: PostgresStatement,
    statement: Option<Statement>,
) -> Result<Given, tokio_postgres::Error> {
    let (values, is_query, statement) = match (order, statement) {
        (PostgresStatement::One { values, is_query, .. }, Some(statement)) => (values, is_query, statement),
        (PostgresStatement::Batch(sql), _) | (PostgresStatement::One { sql, .. }, None) => {
            return client.batch_execute(&sql).await.map(|()| (Vec::new(), 0));
        }
    };
    let values: Vec<_> = values.into_iter().zip(statement.params()).map(OwnedValue::bind_parameter).collect();
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
    Ok(match is_query {
        true => {
            let rows = client.query(&statement, &values).await?;
            let count = rows.len() as u64;
            (rows, count)
        }
        false => (Vec::new(), client.execute(&statement, &values).await?),
    })
}

/// A statement of the journal as Postgres spells it. No statement has a question mark in a text.
fn to_postgres_sql(sql: &str) -> String {
    sql.replace('?', "$").replace("CROSS JOIN", "JOIN")
}

/// A value that outlives its statement's caller.
pub(super) enum OwnedValue {
    Null,
    Integer(i64),
    Text(String),
}

impl From<&SqlValue<'_>> for OwnedValue {
    fn from(value: &SqlValue<'_>) -> Self {
        match value {
            SqlValue::Null => Self::Null,
            SqlValue::Integer(number) => Self::Integer(*number),
            SqlValue::Text(text) => Self::Text((*text).to_owned()),
        }
    }
}

impl OwnedValue {
    /// The value as the statement's parameter wants it.
    fn bind_parameter((value, wanted): (Self, &Type)) -> Box<dyn ToSql + Sync + Send> {
        match value {
            Self::Integer(number) => Box::new(number),
            Self::Text(text) if *wanted == Type::BYTEA => Box::new(text.into_bytes()),
            Self::Text(text) => Box::new(text),
            Self::Null if *wanted == Type::BYTEA => Box::new(None::<Vec<u8>>),
            Self::Null if *wanted == Type::INT8 => Box::new(None::<i64>),
            Self::Null => Box::new(None::<String>),
        }
    }
}
