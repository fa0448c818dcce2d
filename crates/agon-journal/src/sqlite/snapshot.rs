//! Copies of the database while it is in use, and whether a copy is sound.

use std::{path::Path, sync::Arc};

use agon_core::{DebateId, Digest};
use rusqlite::{Connection, OpenFlags, params};
use serde::{Deserialize, Serialize};

use super::{
    super::{DebateSummary, JournalError, Result, SUMMARY, storage::StoreConnection, tombstone, verified_read},
    SqliteConnection, file,
};

/// One debate of a copy: how long its record is, and the hash of its last entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopiedDebate {
    /// The debate.
    pub id: DebateId,
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last entry.
    pub head: Digest,
}

/// Copies the SQLite database `from`, as it is committed at this moment, to the new file `target`, which must not exist.
/// Writers of this and of other processes continue meanwhile.
pub fn copy_database(from: &Path, target: &Path) -> Result<()> {
    let db = file::connect_to_read(from)?;
    db.execute("VACUUM INTO ?", params![target.to_string_lossy()])
        .map(drop)
        .map_err(|error| JournalError::sqlite(from, error))
}

/// Checks a journal that no process uses: SQLite's own check, then every entry, hash chain and text of every
/// debate. Gives the debates, oldest first.
pub fn verify_copy(path: &Path) -> Result<Vec<CopiedDebate>> {
    let (db, place) = (open_checked(path)?, Arc::from(path));
    file::check_version(&db, path)?;
    check_triggers(&db, path)?;
    let db = SqliteConnection { db: &db, path: &place };
    let rows = db.query(&format!("{SUMMARY} ORDER BY opened_at, id"), &[])?;
    let mut copied = Vec::with_capacity(rows.len());
    for row in rows {
        let debate: DebateSummary = row.read()?;
        let record = verified_read::read_record(&db, &debate.id, Some((debate.entries, &debate.head)))?;
        for digest in record.list_text_digests() {
            let sql = "SELECT content FROM texts WHERE digest = ?1";
            let content = db.query_texts(sql, &[&digest])?.pop();
            if content.is_none_or(|content| Digest::from_content(content) != *digest) {
                let why = format!("debate {}: the text {digest} is missing or was changed", debate.id);
                return Err(JournalError::damaged(path, why));
            }
        }
        copied.push(CopiedDebate { id: debate.id, entries: record.len(), head: record.head_hash().clone() });
    }
    tombstone::verify_all(&db)?;
    Ok(copied)
}

/// Whether the triggers and views of a copy are those that agon makes: others would act on what is written later.
fn check_triggers(db: &Connection, path: &Path) -> Result<()> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let list = |db: &Connection| -> rusqlite::Result<Vec<(String, String)>> {
        let sql = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name";
        db.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let own = Connection::open_in_memory().map_err(fault)?;
    own.execute_batch(file::TABLES).map_err(fault)?;
    match list(db).map_err(fault)? == list(&own).map_err(fault)? {
        true => Ok(()),
        false => Err(JournalError::damaged(path, "its triggers or views are not those that agon makes")),
    }
}

/// A database that SQLite finds sound, opened to read. A copy is not in write-ahead mode, so nothing is written
/// next to it.
fn open_checked(path: &Path) -> Result<Connection> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(fault)?;
    let said: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(fault)?;
    if said != "ok" {
        return Err(JournalError::damaged(path, format!("SQLite's integrity check says: {said}")));
    }
    Ok(db)
}

/// SQLite's check of a database other than the journal.
pub fn verify_database(path: &Path) -> Result<()> {
    open_checked(path).map(drop)
}

/// Whether the journal at `path` holds nothing that could be lost, and no process has it open. A file that is not
/// there holds nothing.
pub fn is_vacant(path: &Path) -> Result<bool> {
    if !path.exists() {
        return Ok(true);
    }
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let db = file::open_connection(path)?;
    let held = "SELECT EXISTS (SELECT 1 FROM debates) OR EXISTS (SELECT 1 FROM tombstones)
        OR EXISTS (SELECT 1 FROM duels) OR EXISTS (SELECT 1 FROM runs)";
    if db.query_row(held, [], |row| row.get(0)).map_err(fault)? {
        return Ok(false);
    }
    // Leaving write-ahead mode needs the database for oneself.
    db.busy_timeout(std::time::Duration::ZERO).map_err(fault)?;
    let mode = db.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0));
    Ok(mode.is_ok_and(|mode| mode == "delete"))
}

#[cfg(test)]
mod tests {
    use agon_core::{Event, sample};

    use super::*;
    use crate::Journal;

    #[tokio::test]
    async fn a_copy_has_every_debate_and_a_changed_one_is_found() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        for id in ["one", "two"] {
            let mut opened = sample::sample_opened("test", &["a"]);
            opened.debate = DebateId::new(id).unwrap();
            opened.prompts.clear();
            opened.documents.clear();
            journal.create_debate(Event::Opened(opened), Vec::new(), None).await.unwrap();
        }
        let copy = home.path().join("copy.db");
        copy_database(journal.path(), &copy).unwrap();
        let copied = verify_copy(&copy).unwrap();
        assert_eq!(copied.iter().map(|debate| debate.id.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert!(!is_vacant(&copy).unwrap());
        let db = Connection::open(&copy).unwrap();
        db.execute("UPDATE entries SET line = replace(line, 'test', 'tess') WHERE debate = 'two'", ()).unwrap();
        drop(db);
        let error = verify_copy(&copy).unwrap_err().to_string();
        assert!(error.contains("debate two") && error.contains("entry 0"), "{error}");
        assert!(is_vacant(&home.path().join("absent.db")).unwrap());
        copy_database(journal.path(), &home.path().join("other.db")).unwrap();
        let db = Connection::open(home.path().join("other.db")).unwrap();
        db.execute("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM audit; END", ()).unwrap();
        drop(db);
        let error = verify_copy(&home.path().join("other.db")).unwrap_err().to_string();
        assert!(error.contains("triggers or views"), "{error}");
    }

    #[test]
    fn a_journal_that_a_process_has_open_is_not_vacant() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        journal.list_debates(1).unwrap();
        assert!(!is_vacant(journal.path()).unwrap());
    }
}
