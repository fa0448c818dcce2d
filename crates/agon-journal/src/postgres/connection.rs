//! A connection to Postgres, for callers that wait for each answer.
//!
//! All connections of a store live on one thread with a runtime of its own, so that callers may wait in whatever
//! runtime they are themselves.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    future::Future,
    path::Path,
    sync::{Arc, mpsc},
    time::Duration,
};

use agon_core::{DebateId, Stamp};
use tokio::{runtime::Handle, sync::oneshot};
use tokio_postgres::{Client, Row, Statement, error::SqlState, types::Type};

use super::{
    super::{JournalError, Result},
    address::PostgresAddress,
    pipeline::{Given, PostgresStatement, QueuedStatement, run_in_order},
    tls::{Connector, describe_certificate_error, list_causes},
    version::SCHEMA,
};
use crate::storage::{EntryRow, SqlCell, SqlRow, StoreConnection, ToSqlValue, remove_referring};

/// How long the server works at one statement.
const STATEMENT_SECONDS: u64 = 30;
/// How long this side waits for it: longer, so that the server's own message arrives.
const ANSWER_WAIT: Duration = Duration::from_secs(STATEMENT_SECONDS + 10);
/// Most statements that are sent at once: so few that `join_all` polls them in their order.
const QUEUE_MAX: usize = 24;
/// What texts of the store are locked by: a number of its schema.
const TEXTS_KEY: &str = "hashtextextended(current_schema() || ' texts', 0)";
/// How long a connection may take to be made, its name looked up and its password checked.
const CONNECT_WAIT: Duration = Duration::from_secs(10);

/// The thread on which the connections of a store live. It ends with the last that holds this.
pub(super) struct LinkThread {
    handle: Handle,
    _ends: oneshot::Sender<()>,
}

impl LinkThread {
    pub(super) fn start() -> std::io::Result<Arc<Self>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (ends, ended) = oneshot::channel::<()>();
        let handle = runtime.handle().clone();
        std::thread::Builder::new().name("agon-postgres".into()).spawn(move || {
            // Its sender is dropped, not used.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Arc::new(Self { handle, _ends: ends }))
    }

    /// What `work` gives within `wait`.
    fn wait_for<T: Send + 'static>(&self, wait: Duration, work: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let (done, result) = mpsc::sync_channel(1);
        let task = self.handle.spawn(async move {
            let _ = done.send(work.await);
        });
        let result = result.recv_timeout(wait);
        if result.is_err() {
            task.abort();
        }
        result.ok()
    }
}

/// What became of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LinkState {
    /// It works.
    #[default]
    Sound,
    /// A statement failed: its transaction can only be rolled back.
    Aborted,
    /// Another transaction was in its way: its transaction may be done again.
    InTheWay,
    /// It is lost, and its transaction with it.
    Lost,
}

/// A connection.
pub(super) struct Link {
    thread: Arc<LinkThread>,
    client: Arc<Client>,
    statements: RefCell<HashMap<String, Statement>>,
    /// Statements that go to the server with the next one.
    queue: RefCell<Vec<QueuedStatement>>,
    state: Cell<LinkState>,
    place: Arc<Path>,
}

/// Why there is no connection.
pub(super) struct NoLink {
    pub(super) error: JournalError,
    /// Whether the server may only be starting, or away for a moment.
    pub(super) passes: bool,
}

impl From<NoLink> for JournalError {
    fn from(none: NoLink) -> Self {
        none.error
    }
}

impl Link {
    /// Connects to `address`.
    pub(super) fn connect(thread: &Arc<LinkThread>, address: &PostgresAddress) -> Result<Self, NoLink> {
        let place = address.location();
        let unreached = |why: String, passes| NoLink { error: JournalError::unreached(&place, why), passes };
        let mut config = address.build_config().map_err(|error| NoLink { error, passes: false })?;
        config.connect_timeout(CONNECT_WAIT);
        let connector = Connector::new(config, address.authorities_file()).map_err(|why| unreached(why, false))?;
        let client = match thread.wait_for(CONNECT_WAIT * 2, connector.connect()) {
            Some(Ok(client)) => client,
            Some(Err(error)) => {
                if let Some(why) = describe_certificate_error(&error) {
                    return Err(unreached(why, false));
                }
                let passes = is_lost(&error) || error.as_db_error().is_none();
                return Err(unreached(describe_error(&error), passes));
            }
            None => return Err(unreached(format!("no answer in {} s", CONNECT_WAIT.as_secs()), true)),
        };
        let link = Self {
            thread: Arc::clone(thread),
            client: Arc::new(client),
            statements: RefCell::default(),
            queue: RefCell::default(),
            state: Cell::default(),
            place: Arc::clone(&place),
        };
        let milliseconds = STATEMENT_SECONDS * 1000;
        // What is acknowledged is on the server's disk, whatever its administrator chose for other programs.
        let settings = format!(
            "SET search_path = {schema}; SET statement_timeout = {milliseconds}; SET lock_timeout = {milliseconds};
             SET idle_in_transaction_session_timeout = {milliseconds}; SET client_min_messages = warning;
             SELECT set_config('synchronous_commit', 'on', false)
             WHERE current_setting('synchronous_commit') IN ('off', 'local')",
            schema = address.schema()
        );
        link.run_batch(&settings).map_err(|error| NoLink { error, passes: link.state() == LinkState::Lost })?;
        Ok(link)
    }

    pub(super) fn state(&self) -> LinkState {
        if self.client.is_closed() { LinkState::Lost } else { self.state.get() }
    }

    /// Runs statements without values.
    pub(super) fn run_batch(&self, sql: &str) -> Result<()> {
        if sql == "ROLLBACK" {
            // What was not sent needs no undoing.
            self.queue.borrow_mut().clear();
        }
        let done = self.send_statements(PostgresStatement::Batch(sql.to_owned())).map(drop);
        // A rollback makes the transaction, or the connection, sound again.
        if done.is_ok() && sql.starts_with("ROLLBACK") {
            self.state.set(LinkState::Sound);
        }
        done
    }

    /// Runs statements without values together with the next one.
    pub(super) fn batch_later(&self, sql: &str) {
        self.queue
            .borrow_mut()
            .push(QueuedStatement { statement: PostgresStatement::Batch(sql.to_owned()), none: None });
    }

    /// Sends what was queued and `last` at once, and waits for all: one trip to the server, however many they are. The
    /// server runs them in their order, and nothing after one that failed, since all are of one transaction.
    fn send_statements(&self, last: PostgresStatement) -> Result<Given> {
        let mut nones = Vec::new();
        let mut orders = Vec::new();
        for QueuedStatement { statement, none } in self.queue.take() {
            orders.push(statement);
            nones.push(none);
        }
        orders.push(last);
        let client = Arc::clone(&self.client);
        let known: Vec<Option<Statement>> = {
            let statements = self.statements.borrow();
            let known = |order: &PostgresStatement| match order {
                PostgresStatement::Batch(_) => None,
                PostgresStatement::One { sql, .. } => statements.get(sql).cloned(),
            };
            orders.iter().map(known).collect()
        };
        let (given, prepared) = self.wait_for_answer(async move { run_in_order(&client, orders, known).await })?;
        self.statements.borrow_mut().extend(prepared);
        let mut given = given.into_iter();
        for (none, (_, count)) in nones.into_iter().zip(given.by_ref()) {
            if let (0, Some(none)) = (count, none) {
                return Err(none);
            }
        }
        given.next().ok_or_else(|| JournalError::damaged(&self.place, "a statement gave nothing"))
    }

    fn wait_for_answer<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, tokio_postgres::Error>> + Send + 'static,
    ) -> Result<T> {
        match self.thread.wait_for(ANSWER_WAIT, work) {
            Some(Ok(done)) => Ok(done),
            Some(Err(error)) => {
                let state = match &error {
                    error if is_lost(error) || self.client.is_closed() => LinkState::Lost,
                    error if is_in_the_way(error) => LinkState::InTheWay,
                    _ => LinkState::Aborted,
                };
                self.state.set(self.state.get().max(state));
                Err(to_journal_error(&self.place, &error))
            }
            None => {
                self.state.set(LinkState::Lost);
                let why = format!("no answer in {} s", ANSWER_WAIT.as_secs());
                Err(JournalError::unreached(&self.place, why))
            }
        }
    }

    fn run(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Given> {
        self.send_statements(PostgresStatement::new(sql, values))
    }
}

impl StoreConnection for Link {
    fn store_location(&self) -> &Arc<Path> {
        &self.place
    }

    fn execute(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<u64> {
        self.run(sql, values).map(|(_, changed)| changed)
    }

    fn query(&self, sql: &str, values: &[&dyn ToSqlValue]) -> Result<Vec<SqlRow>> {
        let (rows, _) = self.run(sql, values)?;
        let rows = rows.iter().map(|row| {
            let cells = (0..row.len()).map(|at| read_cell(row, at)).collect::<Result<_, _>>();
            cells.map(|cells| SqlRow::new(cells, &self.place)).map_err(|error| to_journal_error(&self.place, &error))
        });
        rows.collect()
    }

    fn execute_later(&self, sql: &str, values: &[&dyn ToSqlValue], none: Option<JournalError>) -> Result<()> {
        self.queue.borrow_mut().push(QueuedStatement { statement: PostgresStatement::new(sql, values), none });
        let length = self.queue.borrow().len();
        if length < QUEUE_MAX { Ok(()) } else { self.flush() }
    }

    fn expect_later(&self, sql: &str, values: &[&dyn ToSqlValue], none: JournalError) -> Result<()> {
        self.execute_later(sql, values, Some(none))
    }

    fn flush(&self) -> Result<()> {
        let last = self.queue.borrow_mut().pop();
        let Some(QueuedStatement { statement, none }) = last else { return Ok(()) };
        match (self.send_statements(statement)?, none) {
            ((_, 0), Some(none)) => Err(none),
            _ => Ok(()),
        }
    }

    fn now(&self) -> Result<Stamp> {
        let sql = r#"SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#;
        match self.query_first(sql, &[])? {
            Some(mut row) => row.take(0),
            None => Err(JournalError::damaged(&self.place, "it has no clock")),
        }
    }

    fn lock_debate(&self, debate: &DebateId) -> Result<(u64, String)> {
        let sql = "SELECT length, head FROM debates WHERE id = ?1 FOR UPDATE";
        let row = self.query_first(sql, &[&debate])?;
        row.ok_or_else(|| JournalError::NoSuchDebate(debate.clone()))?.read()
    }

    fn lock_accounts(&self) -> Result<()> {
        // Other processes can still read.
        self.run_batch("LOCK TABLE principals IN SHARE ROW EXCLUSIVE MODE")
    }

    fn hold_texts(&self) -> Result<()> {
        self.batch_later(&format!("SELECT pg_advisory_xact_lock_shared({TEXTS_KEY})"));
        Ok(())
    }

    fn lock_texts(&self) -> Result<()> {
        self.run_batch(&format!("SELECT pg_advisory_xact_lock({TEXTS_KEY})"))
    }

    fn is_current(&self) -> Result<bool> {
        let row = self.query_first("SELECT version FROM agon_schema", &[])?;
        row.map_or(Ok(false), |mut row| Ok(row.take::<i64>(0)? == SCHEMA))
    }

    fn remove_debate(&self, debate: &DebateId) -> Result<()> {
        let referring = "SELECT t.relname::text, a.attname::text FROM pg_constraint c
                         JOIN pg_class t ON t.oid = c.conrelid
                         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
                         WHERE c.contype = 'f' AND c.confrelid = 'debates'::regclass";
        remove_referring(self, debate, self.query(referring, &[])?)
    }

    fn insert_entry(&self, entry: &EntryRow<'_>, known: JournalError) -> Result<()> {
        let EntryRow { debate, seq, kind, key, line, said, redacts } = *entry;
        let said = said.map(|said| said.replace('\0', ""));
        let sql = "INSERT INTO entries (debate, seq, kind, key, line, said) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT DO NOTHING";
        self.execute_later(sql, &[&debate, &seq, &kind, &key, &line, &said], Some(known))?;
        if let Some(of) = redacts {
            let sql = "UPDATE entries SET said = NULL WHERE debate = ?1 AND kind = 'answered' AND key = ?2";
            self.execute_later(sql, &[&debate, &of], None)?;
        }
        Ok(())
    }
}

fn read_cell(row: &Row, at: usize) -> Result<SqlCell, tokio_postgres::Error> {
    let text = |text: Option<String>| text.map_or(SqlCell::Null, |text| SqlCell::Text(text.into()));
    let number = |number: Option<i64>| number.map_or(SqlCell::Null, SqlCell::Integer);
    Ok(match *row.columns()[at].type_() {
        Type::INT8 => number(row.try_get(at)?),
        Type::INT4 => number(row.try_get::<_, Option<i32>>(at)?.map(i64::from)),
        Type::BOOL => number(row.try_get::<_, Option<bool>>(at)?.map(i64::from)),
        // Only texts are written; other bytes show as damage where their digest or their form is checked.
        Type::BYTEA => {
            text(row.try_get::<_, Option<&[u8]>>(at)?.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
        }
        _ => text(row.try_get(at)?),
    })
}

/// Whether the connection is gone, or the server going.
fn is_lost(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW].contains(code)
                || code.code().starts_with("08")
                || [SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT, SqlState::TOO_MANY_CONNECTIONS].contains(code)
        }
        None => error.is_closed() || list_causes(error).any(|cause| cause.is::<std::io::Error>()),
    }
}

/// Whether the transaction failed only because of another.
fn is_in_the_way(error: &tokio_postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code))
}

/// What Postgres says, in one line. Details stay out: they quote values.
fn describe_error(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} (Postgres error {})", said.message(), said.code().code()),
        None => {
            let mut told = error.to_string();
            for why in list_causes(error).map(ToString::to_string) {
                if !told.contains(&why) {
                    told = format!("{told}: {why}");
                }
            }
            told
        }
    }
}

fn to_journal_error(place: &Path, error: &tokio_postgres::Error) -> JournalError {
    let is_damaged = error.code().is_some_and(|code| {
        let damage = [
            SqlState::DATA_CORRUPTED,
            SqlState::INDEX_CORRUPTED,
            SqlState::UNDEFINED_TABLE,
            SqlState::UNDEFINED_COLUMN,
        ];
        damage.contains(code)
    });
    if is_damaged {
        JournalError::damaged(place, describe_error(error))
    } else {
        JournalError::unreached(place, describe_error(error))
    }
}
