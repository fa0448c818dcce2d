//! The tables of the journal in a Postgres database: made, brought up, or refused.

use super::{
    super::{JournalError, Result},
    address::PostgresAddress,
    connection::Link,
    version::{BEFORE, SCHEMA},
};
use crate::storage::StoreConnection;

/// Oldest server: the first on which everyone who may create a table may use the extension of the search.
const SERVER_MIN: i64 = 130_000;
/// One process makes tables or brings them up at a time, in whichever schema: the number is a lock of the database.
const MIGRATION_LOCK: i64 = 0x6167_6f6e_0001;

/// Makes the tables in the schema of `address`, or brings them up from the version before.
///
/// # Errors
///
/// [`JournalError::Newer`] where a newer agon made them, [`JournalError::Older`] where one made them that is older than the
/// version before, [`JournalError::Damaged`] where the schema belongs to another program.
pub(super) fn prepare_schema(link: &Link, address: &PostgresAddress) -> Result<()> {
    let refuse = |why: String| JournalError::damaged(link.store_location(), why);
    let sql = "SELECT CAST(current_setting('server_version_num') AS BIGINT), current_setting('server_encoding')";
    if let Some(row) = link.query_first(sql, &[])? {
        let (version, encoding): (i64, String) = row.read()?;
        if version < SERVER_MIN {
            return Err(refuse(format!("this Postgres is too old ({version}); agon needs version 13 or newer")));
        }
        if encoding != "UTF8" {
            return Err(refuse(format!("its encoding is {encoding}; create the database with ENCODING 'UTF8'")));
        }
    }
    if read_schema_version(link, address)? == Some(SCHEMA) {
        return Ok(());
    }
    link.run_batch("BEGIN")?;
    let migrated = migrate_schema(link, address);
    link.run_batch(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    migrated
}

/// The version of the tables; `None` where there are none.
fn read_schema_version(link: &Link, address: &PostgresAddress) -> Result<Option<i64>> {
    let known = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ?1 AND tablename = 'agon_schema'";
    if !link.has_row(known, &[&address.schema()])? {
        return Ok(None);
    }
    let version: i64 = match link.query_first("SELECT version FROM agon_schema", &[])? {
        Some(mut row) => row.take(0)?,
        None => return Err(JournalError::damaged(link.store_location(), "its table agon_schema is empty")),
    };
    if version < 1 {
        let why = format!("its table agon_schema names the version {version}, which no agon has written");
        return Err(JournalError::damaged(link.store_location(), why));
    }
    let path = link.store_location().to_path_buf();
    match version {
        BEFORE | SCHEMA => Ok(Some(version)),
        _ if version > SCHEMA => Err(JournalError::Newer { path, found: version, known: SCHEMA }),
        _ => Err(JournalError::Older { path, found: version, known: BEFORE }),
    }
}

fn migrate_schema(link: &Link, address: &PostgresAddress) -> Result<()> {
    let schema = address.schema();
    link.query("SELECT 1 FROM pg_advisory_xact_lock(?1)", &[&MIGRATION_LOCK])?;
    // Another process may have done so while this one waited.
    let found = read_schema_version(link, address)?;
    if found == Some(SCHEMA) {
        return Ok(());
    }
    if found == Some(BEFORE) {
        link.run_batch(include_str!("schema_4.sql"))?;
        return link.execute("UPDATE agon_schema SET version = ?1", &[&SCHEMA]).map(drop);
    }
    if !link.has_row("SELECT 1 FROM pg_namespace WHERE nspname = ?1", &[&schema])? {
        link.run_batch(&format!("CREATE SCHEMA {schema}"))?;
    }
    let foreign = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = ?1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1 LIMIT 1";
    if let Some(mut row) = link.query_first(foreign, &[&schema])? {
        let why = format!(
            "its schema {schema} is not agon's: it holds the table {}; name another with ?schema=NAME",
            row.take::<String>(0)?
        );
        return Err(JournalError::damaged(link.store_location(), why));
    }
    link.run_batch(include_str!("schema.sql"))?;
    index_words(link)?;
    link.run_batch("CREATE TABLE agon_schema (version BIGINT NOT NULL)")?;
    link.execute("INSERT INTO agon_schema (version) VALUES (?1)", &[&SCHEMA]).map(drop)
}

/// Makes the index of the search where the database has the extension `pg_trgm`, or may get it. A search without the
/// index finds the same, by reading all entries.
fn index_words(link: &Link) -> Result<()> {
    let found = "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                 WHERE e.extname = 'pg_trgm'";
    if !link.has_row(found, &[])? {
        link.run_batch("SAVEPOINT extension")?;
        if let Err(error) = link.run_batch("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public") {
            tracing::info!(%error, "no index for the search");
            link.run_batch("ROLLBACK TO extension")?;
        }
    }
    let Some(mut row) = link.query_first(found, &[])? else { return Ok(()) };
    let schema = row.take::<String>(0)?.replace('"', "\"\"");
    link.run_batch(&format!("CREATE INDEX entries_said ON entries USING gin (said \"{schema}\".gin_trgm_ops)"))
}
