//! Contents by digest, in a SQLite database that several processes use at once.

mod removal;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};
use thiserror::Error;

use crate::{
    gathered_content::Gathered,
    manifest::{MaterialFile, MaterialManifest, digest_of},
    passages::{CutPassage, MaterialKind, cut_passages},
    search_words::each_word,
};

/// Version of the schema and of the cutting; `PRAGMA user_version`. Raise it if [`cut_passages`] gives other passages,
/// because passages are stored by their number.
const SCHEMA: i64 = 1;
/// How long one process waits for the transactions of others.
const BUSY_WAIT: Duration = Duration::from_secs(60);
/// Pause before SQLite is asked again where it does not wait by itself.
const BUSY_PAUSE: Duration = Duration::from_millis(10);
/// Bytes that one transaction stores, so that others can write in between: less than a second of work.
const BATCH_BYTES: usize = 4 << 20;
/// How often a word of a passage is indexed: more repetitions hardly change its rank, and make the index
/// larger.
const REPEATS_MAX: u32 = 3;

/// The store of all material, usually `material.db`.
#[derive(Debug)]
pub struct MaterialStore {
    path: PathBuf,
    db: Mutex<Connection>,
}

/// What [`MaterialStore::store_contents`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Indexed {
    /// Contents that were stored and indexed.
    pub new: usize,
    /// Contents that were there already.
    pub known: usize,
}

/// Why the store cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MaterialStoreError {
    /// SQLite refused, or the system does for its folder: the path of the store, and what it says.
    #[error("{0}: {1}")]
    Refused(String, String),
    /// A newer program made it: the path of the store, and its version.
    #[error("{0} has version {1}, and this program knows {SCHEMA}; update agon")]
    Newer(String, i64),
    /// The manifest names a content that is not there: the path of the store, and the digest.
    #[error("{0} does not contain the content {1}; it is stored where the debate was started")]
    Missing(String, String),
    /// A content differs from its digest: the path of the store, and the digest.
    #[error("{0}: the content {1} is damaged; delete the file and gather the material again")]
    Damaged(String, String),
}

impl MaterialStore {
    /// Opens the store, and makes it with its folder if it does not exist. Only its owner can read it.
    pub fn open(path: &Path) -> Result<Self, MaterialStoreError> {
        private_folder(path).map_err(|error| store_refusal(path, &error))?;
        let fault = |error: rusqlite::Error| store_refusal(path, &error);
        let mut db = Connection::open(path).map_err(fault)?;
        db.busy_timeout(BUSY_WAIT).map_err(fault)?;
        restrict_access(path);
        use_write_ahead_log(&db).map_err(fault)?;
        // A record names these contents, so they must survive a power failure like the record.
        db.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
        let found = migrate_schema(&mut db).map_err(fault)?;
        if found > SCHEMA {
            return Err(MaterialStoreError::Newer(path.display().to_string(), found));
        }
        Ok(Self { path: path.to_owned(), db: Mutex::new(db) })
    }

    /// Stores and indexes every content once. An interruption leaves whole contents; the next call continues.
    pub fn store_contents(&self, gathered: &Gathered) -> Result<Indexed, MaterialStoreError> {
        let mut indexed = Indexed::default();
        let mut rest = gathered.files.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let batch = rest.iter().take_while(|file| {
                let is_first = bytes == 0;
                bytes += file.text.len();
                is_first || bytes <= BATCH_BYTES
            });
            let (batch, others) = rest.split_at(batch.count());
            rest = others;
            self.with_database(|db| {
                let new: Vec<_> =
                    batch.iter().filter(|file| !matches!(is_known(db, &file.digest, file.kind), Ok(true))).collect();
                indexed.known += batch.len() - new.len();
                if new.is_empty() {
                    return Ok(());
                }
                let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
                for file in new {
                    match insert_content(&tx, &file.digest, file.kind, &file.text)? {
                        true => indexed.new += 1,
                        false => indexed.known += 1,
                    }
                }
                tx.commit()
            })?;
        }
        if let Some(list) = gathered.build_tree_list() {
            self.with_database(|db| insert_tree_list(db, &list))?;
        }
        Ok(indexed)
    }

    /// The content with this digest, checked against it.
    pub fn load_content(&self, digest: &str) -> Result<String, MaterialStoreError> {
        let content: Option<String> = self.with_database(|db| {
            db.prepare_cached("SELECT content FROM texts WHERE digest = ?1")?
                .query_row([digest], |row| row.get(0))
                .optional()
        })?;
        match content {
            None => Err(MaterialStoreError::Missing(self.path.display().to_string(), digest.to_owned())),
            Some(content) if digest_of(&content) != digest => Err(self.damaged_content(digest)),
            Some(content) => Ok(content),
        }
    }

    /// `manifest` with the files of its tree among the others, for who looks things up or compares quotes.
    ///
    /// # Errors
    ///
    /// Where the list of the tree is missing or changed.
    pub fn load_tree(&self, mut manifest: MaterialManifest) -> Result<MaterialManifest, MaterialStoreError> {
        let Some(tree) = &manifest.tree else { return Ok(manifest) };
        let list = self.load_content(&tree.digest)?;
        let list: Vec<MaterialFile> = serde_json::from_str(&list).map_err(|_| self.damaged_content(&tree.digest))?;
        manifest.files.extend(list.into_iter().map(|file| MaterialFile { is_of_tree: true, ..file }));
        Ok(manifest)
    }

    /// The fault of a content that differs from its digest, or is stored without an index.
    pub(crate) fn damaged_content(&self, digest: &str) -> MaterialStoreError {
        MaterialStoreError::Damaged(self.path.display().to_string(), digest.to_owned())
    }

    /// Works with the database; one thread at a time.
    pub(crate) fn with_database<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, MaterialStoreError> {
        // A panic in between rolled its transaction back, so the connection is sound.
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut db).map_err(|error| store_refusal(&self.path, &error))
    }
}

/// How contents of this kind are cut, as the store writes it.
pub(crate) fn cutting_name(kind: MaterialKind) -> &'static str {
    match kind {
        MaterialKind::Diff => "diff",
        MaterialKind::File | MaterialKind::Page => "text",
    }
}

fn store_refusal(path: &Path, error: &dyn std::error::Error) -> MaterialStoreError {
    MaterialStoreError::Refused(path.display().to_string(), error.to_string())
}

fn is_known(db: &Connection, digest: &str, kind: MaterialKind) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM cuts WHERE digest = ?1 AND cutting = ?2")?.exists([digest, cutting_name(kind)])
}

/// Stores one content with its passages; false if it is there.
fn insert_content(tx: &Transaction<'_>, digest: &str, kind: MaterialKind, text: &str) -> rusqlite::Result<bool> {
    tx.prepare_cached("INSERT OR IGNORE INTO texts (digest, content) VALUES (?1, ?2)")?.execute([digest, text])?;
    let cut_sql = "INSERT OR IGNORE INTO cuts (digest, cutting) VALUES (?1, ?2)";
    if tx.prepare_cached(cut_sql)?.execute([digest, cutting_name(kind)])? == 0 {
        return Ok(false);
    }
    let cut_id = tx.last_insert_rowid();
    let mut passage_sql = tx.prepare_cached(
        "INSERT INTO passages (cut, ordinal, first, last, shown_bytes, words)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut words_sql = tx.prepare_cached("INSERT INTO words (rowid, body) VALUES (?1, ?2)")?;
    for (ordinal, passage) in (0_u32..).zip(cut_passages(kind, text)) {
        let ((first, last), (count, words)) = (passage.lines.unzip(), index_words(&passage));
        passage_sql.execute(params![cut_id, ordinal, first, last, passage.shown.len() as i64, count])?;
        words_sql.execute(params![tx.last_insert_rowid(), words])?;
    }
    Ok(true)
}

/// How the list of the files around a change is marked among the contents. It has no passages.
const TREE_LIST: &str = "tree";

fn insert_tree_list(db: &mut Connection, list: &str) -> rusqlite::Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let digest = digest_of(list);
    tx.execute("INSERT OR IGNORE INTO texts (digest, content) VALUES (?1, ?2)", [digest.as_str(), list])?;
    tx.execute("INSERT OR IGNORE INTO cuts (digest, cutting) VALUES (?1, ?2)", [digest.as_str(), TREE_LIST])?;
    tx.commit()
}

/// How many words a passage has, and those that are indexed.
fn index_words(passage: &CutPassage) -> (u32, String) {
    let mut words = String::new();
    let mut count = 0_u32;
    let mut times: HashMap<String, u32> = HashMap::new();
    each_word(&passage.words, |word| {
        count += 1;
        let repeats = match times.get_mut(word) {
            Some(repeats) => repeats,
            None => times.entry(word.to_owned()).or_default(),
        };
        *repeats += 1;
        if *repeats <= REPEATS_MAX {
            words.push_str(word);
            words.push(' ');
        }
    });
    (count, words)
}

/// Turns the write-ahead log on. SQLite does not wait for this, so two processes that make the store at once
/// would fail without the loop.
fn use_write_ahead_log(db: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match db.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && started.elapsed() < BUSY_WAIT =>
            {
                thread::sleep(BUSY_PAUSE);
            }
            done => return done,
        }
    }
}

/// Makes the schema if there is none, and returns the version.
fn migrate_schema(db: &mut Connection) -> rusqlite::Result<i64> {
    let version = |db: &Connection| db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    let found = version(db)?;
    if found > 0 {
        return Ok(found);
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have made it while this one waited.
    if version(&tx)? == 0 {
        tx.execute_batch(include_str!("../schema.sql"))?;
        tx.pragma_update(None, "user_version", SCHEMA)?;
    }
    tx.commit()?;
    version(db)
}

/// Makes the folder of `path` for its owner alone, if it does not exist.
fn private_folder(path: &Path) -> std::io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The material can be confidential. If the file belongs to another user, its owner decides.
#[cfg(unix)]
fn restrict_access(path: &Path) {
    let _ = std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
}

#[cfg(not(unix))]
fn restrict_access(_: &Path) {}

#[cfg(test)]
mod tests;
