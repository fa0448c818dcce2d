//! Statements that go to the server together: several are sent before the first is answered, so that they take one trip.

use std::collections::HashMap;

use tokio_postgres::{
    Client, Row, Statement,
    types::{ToSql, Type},
};

use super::super::{JournalError, Result};
use crate::storage::{SqlCell, ToSqlValue};

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
    One { sql: String, values: Vec<SqlCell>, is_query: bool },
}

/// What a statement gave: its rows, or how many it concerned.
pub(super) type Given = (Vec<Row>, u64);

impl PostgresStatement {
    pub(super) fn new(sql: &str, values: &[&dyn ToSqlValue]) -> Self {
        let is_query = sql.trim_start().starts_with("SELECT");
        let values = values.iter().map(|value| value.to_sql_value().into_owned()).collect();
        Self::One { sql: sql.to_owned(), values, is_query }
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
                    // As Postgres spells it. No statement has a question mark in a text.
                    let spelled = sql.replace('?', "$").replace("CROSS JOIN", "JOIN");
                    let statement = client.prepare(&spelled).await?;
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
    let values: Vec<_> = values.into_iter().zip(statement.params()).map(bind_parameter).collect();
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

/// A value as the statement's parameter wants it.
fn bind_parameter((value, wanted): (SqlCell, &Type)) -> Box<dyn ToSql + Sync + Send> {
    match value {
        SqlCell::Integer(number) => Box::new(number),
        SqlCell::Text(text) if *wanted == Type::BYTEA => Box::new(text.into_owned().into_bytes()),
        SqlCell::Text(text) => Box::new(text.into_owned()),
        SqlCell::Null if *wanted == Type::BYTEA => Box::new(None::<Vec<u8>>),
        SqlCell::Null if *wanted == Type::INT8 => Box::new(None::<i64>),
        SqlCell::Null => Box::new(None::<String>),
    }
}
