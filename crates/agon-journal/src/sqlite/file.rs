//! The database file: opening, making it, bringing it up.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::super::{JournalError, Result};

/// Schema version this program writes; `PRAGMA user_version`.
pub(super) const SCHEMA: i64 = 11;
/// The tables of that schema, with their triggers.
pub(super) const TABLES: &str = include_str!("schema.sql");
/// The version before it, which is brought up.
const BEFORE: i64 = SCHEMA - 1;

/// How long one process waits for another's transaction.
const BUSY_WAIT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// The database, in the data directory.
const FILE: &str = "journal.db";
/// Traces in the data directory that only debates leave, apart from their journal.
const TRACES: [&str; 5] = ["locks", "drafts", "late", "started", "serve-token"];

/// Whether the data directory `home` has a journal.
pub fn has_journal(home: &Path) -> bool {
    home.join(FILE).exists()
}

/// The journal in the data directory `home`, made where there is none, with its path.
pub fn open_journal(home: &Path) -> Result<(PathBuf, Connection)> {
    create_private_folder(home).map_err(|error| JournalError::io(home, error))?;
    let path = home.join(FILE);
    match std::fs::metadata(&path) {
        // SQLite takes an empty file for a new database; one of ours is never seen before its schema.
        Ok(about) if about.is_file() && about.len() == 0 => return Err(JournalError::Emptied { path }),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => create_journal(home, &path)?,
        Err(error) => return Err(JournalError::io(&path, error)),
    }
    let db = open_connection(&path)?;
    // The files next to it follow. Where it is someone else's this cannot be done, and is theirs to do.
    let _ = restrict_access(&path);
    Ok((path, db))
}

/// Creates the journal under another name and renames it when it is complete, so that a process which is killed on the
/// way leaves none, and none of several at once loses what another has written.
fn create_journal(home: &Path, path: &Path) -> Result<()> {
    let fault = |error: std::io::Error| JournalError::io(path, error);
    let draft = tempfile::Builder::new().prefix(".journal-").suffix(".db").tempfile_in(home).map_err(fault)?;
    open_connection(draft.path()).map(drop)?;
    match draft.persist_noclobber(path) {
        Ok(file) => file.sync_all().map_err(fault)?,
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(fault(error.error)),
    }
    // The name lasts once its folder does; where a folder cannot be synced the system does it later.
    let _ = std::fs::File::open(home).and_then(|folder| folder.sync_all());
    Ok(())
}

/// What shows that debates were held with the data directory `home`, where their journal is gone.
pub(crate) fn find_orphan_trace(home: &Path) -> Option<PathBuf> {
    if has_journal(home) {
        return None;
    }
    let left = |trace: PathBuf| match std::fs::read_dir(&trace) {
        Ok(mut entries) => entries.find_map(|entry| entry.ok().map(|entry| entry.path())),
        Err(_) => trace.is_file().then_some(trace),
    };
    TRACES.into_iter().find_map(|name| left(home.join(name)))
}

/// Makes `folder`, and what is missing above it, for its owner alone: what people debate is theirs. A folder
/// that is there already stays as its owner wants it.
pub fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes a file away from everyone but its owner.
#[cfg(unix)]
pub fn restrict_access(path: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

/// The same, where files have no such permissions.
#[cfg(not(unix))]
pub fn restrict_access(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A connection that writes: the schema is made, or brought up from the version before, first.
pub(super) fn open_connection(path: &Path) -> Result<Connection> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let mut db = Connection::open(path).map_err(fault)?;
    db.busy_timeout(BUSY_WAIT).map_err(fault)?;
    let version = check_version(&db, path)?;
    // FULL: what was acknowledged survives a power cut, not only a crash of the program.
    write_ahead(&db).map_err(fault)?;
    db.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
    db.pragma_update(None, "foreign_keys", true).map_err(fault)?;
    if version < SCHEMA {
        migrate_schema(&mut db).map_err(fault)?;
    }
    Ok(db)
}

/// The schema version of a store, where this program reads it; 0 of a new one.
///
/// # Errors
///
/// [`JournalError::Newer`] and [`JournalError::Older`].
pub(super) fn check_version(db: &Connection, path: &Path) -> Result<i64> {
    let version = db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    let (found, path) = (version.map_err(|error| JournalError::sqlite(path, error))?, path.to_owned());
    match found {
        0 | BEFORE | SCHEMA => Ok(found),
        _ if found > SCHEMA => Err(JournalError::Newer { path, found, known: SCHEMA }),
        _ => Err(JournalError::Older { path, found, known: BEFORE }),
    }
}

/// Turns the write-ahead log on. SQLite does not wait for this as it does for a transaction, so two
/// processes that make the store at once would get in each other's way.
fn write_ahead(db: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match db.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && started.elapsed() < BUSY_WAIT =>
            {
                std::thread::sleep(BUSY_PAUSE);
            }
            done => return done,
        }
    }
}

/// A connection that only reads.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection> {
    let fault = |error: rusqlite::Error| JournalError::sqlite(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(fault)?;
    db.busy_timeout(BUSY_WAIT).map_err(fault)?;
    Ok(db)
}

/// Makes the tables, or brings those of the version [`BEFORE`] to [`SCHEMA`]. Another process may have done so while this
/// one waited for the transaction.
fn migrate_schema(db: &mut Connection) -> rusqlite::Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match tx.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))? {
        SCHEMA => return Ok(()),
        BEFORE => tx.execute_batch(include_str!("schema_11.sql"))?,
        _ => tx.execute_batch(TABLES)?,
    }
    tx.pragma_update(None, "user_version", SCHEMA)?;
    tx.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emptied_journal_is_no_new_one() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        open_journal(home.path()).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 0);
        let names: Vec<_> = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [FILE], "nothing else is left");
        std::fs::write(&path, "").unwrap();
        assert_eq!(open_journal(home.path()).unwrap_err(), JournalError::Emptied { path: path.clone() });
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0, "it is left as it is");
    }

    #[test]
    fn traces_of_debates_show_that_their_journal_is_gone() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(find_orphan_trace(home.path()), None, "nobody was here");
        std::fs::create_dir_all(home.path().join("locks")).unwrap();
        std::fs::create_dir_all(home.path().join("models/a")).unwrap();
        assert_eq!(find_orphan_trace(home.path()), None, "an empty folder tells of nobody, and models are no debates");
        let lock = home.path().join("locks/k1.lock");
        std::fs::write(&lock, "").unwrap();
        assert_eq!(find_orphan_trace(home.path()), Some(lock));
        open_journal(home.path()).unwrap();
        assert_eq!(find_orphan_trace(home.path()), None);
    }

    /// A journal as the version before left it.
    const KEPT: &str = include_str!("../../tests/stores/kept/journal-10.sql");

    #[test]
    fn a_journal_of_the_version_before_becomes_one_of_this_version_and_keeps_its_debates() {
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [made, kept] = homes.each_ref().map(|home| home.path().join(FILE));
        open_journal(homes[0].path()).unwrap();
        Connection::open(&kept).unwrap().execute_batch(KEPT).unwrap();
        std::thread::scope(|scope| {
            for opened in [(); 4].map(|()| scope.spawn(|| open_journal(homes[1].path()).map(drop))) {
                assert_eq!(opened.join().unwrap(), Ok(()));
            }
        });
        let [made, kept] = [made, kept].map(|path| Connection::open(path).unwrap());
        let debates: i64 = kept.query_row("SELECT count(*) FROM debates", [], |row| row.get(0)).unwrap();
        assert_eq!(debates, 2);
        // Its tables, indices and triggers are those of a new one.
        let parts = |db: &Connection| -> Vec<(String, Option<String>)> {
            let spaceless = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
            let mut found = db.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").unwrap();
            let rows = found.query_map([], |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?.map(spaceless))));
            // What was added to `calls` later stands there in other words.
            rows.unwrap().map(Result::unwrap).filter(|(name, _)| name != "calls").collect()
        };
        assert_eq!(parts(&kept), parts(&made));
        let columns = |db: &Connection| -> Vec<String> {
            let mut found = db.prepare("SELECT name FROM pragma_table_info('calls')").unwrap();
            found.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(columns(&kept), columns(&made));
        let version = |db: &Connection| db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        assert_eq!(version(&kept), Ok(SCHEMA));
    }

    #[test]
    fn a_journal_of_a_lower_version_is_left_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&format!("{KEPT}PRAGMA user_version = 9;")).unwrap();
        drop(old);
        let before = std::fs::read(&path).unwrap();
        let error = open_journal(home.path()).unwrap_err();
        assert_eq!(error, JournalError::Older { path: path.clone(), found: 9, known: BEFORE });
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn several_open_one_journal_at_once() {
        for _ in 0..10 {
            let home = tempfile::tempdir().unwrap();
            std::thread::scope(|scope| {
                let makers: Vec<_> = (0..6).map(|_| scope.spawn(|| open_journal(home.path()).map(drop))).collect();
                for maker in makers {
                    assert_eq!(maker.join().unwrap(), Ok(()));
                }
            });
        }
    }

    #[test]
    fn a_store_is_made_by_several_at_once() {
        for _ in 0..20 {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("journal.db");
            std::thread::scope(|scope| {
                let makers: Vec<_> = (0..6).map(|_| scope.spawn(|| open_connection(&path).map(drop))).collect();
                for maker in makers {
                    assert_eq!(maker.join().unwrap(), Ok(()));
                }
            });
        }
    }
}
