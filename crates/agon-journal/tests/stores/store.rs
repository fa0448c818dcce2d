//! The stores that tests run over.

use std::path::{Path, PathBuf};

#[cfg(feature = "cluster")]
use agon_journal::PasswordSource;
use agon_journal::{Journal, JournalAddress};

/// A store of its own, removed at the end.
pub struct TestStore {
    place: JournalAddress,
    home: tempfile::TempDir,
    #[cfg(feature = "cluster")]
    schema: Option<(String, String)>,
}

impl TestStore {
    pub fn sqlite() -> Self {
        let home = tempfile::tempdir().unwrap();
        let place = JournalAddress::Directory(home.path().to_owned());
        #[cfg(feature = "cluster")]
        return Self { place, home, schema: None };
        #[cfg(not(feature = "cluster"))]
        Self { place, home }
    }

    /// A schema on the server of the tests; `None`, said, where there is none.
    pub fn postgres() -> Option<Self> {
        #[cfg(feature = "cluster")]
        if let Some(server) = server() {
            return Some(Self::at(&server));
        }
        eprintln!("skipped: AGON_TEST_POSTGRES names no server");
        None
    }

    /// A schema on `server`.
    #[cfg(feature = "cluster")]
    pub fn at(server: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let schema = format!("test_{}", agon_journal::uuid::random_uuid().unwrap().replace('-', ""));
        let place = read(&format!("{server}?schema={schema}"));
        Self { place, home, schema: Some((server.to_owned(), schema)) }
    }

    pub fn open(&self) -> Journal {
        Journal::open_at(&self.place).unwrap()
    }

    /// A folder for what is not in the store.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Whether the search has an index that is filled apart from the entries.
    pub fn has_an_index(&self) -> bool {
        matches!(self.place, JournalAddress::Directory(_))
    }

    /// Runs statements past the journal; what the store says where it refuses.
    pub fn run(&self, statements: &str) -> Result<(), String> {
        #[cfg(feature = "cluster")]
        if let Some((server, schema)) = &self.schema {
            return try_sql(server, &format!("SET search_path = {schema}; {statements}"));
        }
        let db = rusqlite::Connection::open(self.home().join("journal.db")).unwrap();
        db.execute_batch(statements).map_err(|error| error.to_string())
    }

    /// Whether `text`, without a quote, stands in the files of the store or in a row about accounts.
    pub fn holds(&self, text: &str) -> bool {
        #[cfg(feature = "cluster")]
        if self.schema.is_some() {
            return [
                "sessions",
                "personal_tokens",
                "share_links",
                "login_flows",
                "passkey_challenges",
                "invitations",
                "audit",
            ]
            .iter()
            .any(|table| {
                let found = format!("SELECT FROM {table} t WHERE strpos(t::text, '{text}') > 0");
                let check = format!("DO $$ BEGIN IF EXISTS ({found}) THEN RAISE 'it is there'; END IF; END $$");
                self.run(&check).is_err_and(|error| {
                    assert!(error.contains("it is there"), "{error}");
                    true
                })
            });
        }
        ["journal.db", "journal.db-wal"].iter().any(|name| {
            let file = std::fs::read(self.home().join(name)).unwrap_or_default();
            file.windows(text.len()).any(|part| part == text.as_bytes())
        })
    }

    /// Marks the tables as those of another version.
    pub fn set_version(&self, version: u32) -> Result<(), String> {
        match self.has_an_index() {
            true => self.run(&format!("PRAGMA user_version = {version}")),
            false => self.run(&format!("UPDATE agon_schema SET version = {version}")),
        }
    }

    pub fn place(&self) -> &JournalAddress {
        &self.place
    }

    #[cfg(feature = "cluster")]
    pub fn schema(&self) -> &str {
        &self.schema.as_ref().unwrap().1
    }
}

/// The address of the server for tests.
#[cfg(feature = "cluster")]
pub fn server() -> Option<String> {
    std::env::var("AGON_TEST_POSTGRES").ok().filter(|server| !server.is_empty())
}

#[cfg(feature = "cluster")]
pub fn read(address: &str) -> JournalAddress {
    JournalAddress::parse(address, PasswordSource::Environment).unwrap()
}

/// Runs statements on a server.
#[cfg(feature = "cluster")]
pub fn sql(server: &str, statements: &str) {
    try_sql(server, statements).unwrap();
}

/// Runs statements on a server; what it says where it refuses.
#[cfg(feature = "cluster")]
fn try_sql(server: &str, statements: &str) -> Result<(), String> {
    let (server, statements) = (server.to_owned(), statements.to_owned());
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&server, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.batch_execute(&statements).await.map_err(|error| match error.as_db_error() {
                Some(said) => said.message().to_owned(),
                None => error.to_string(),
            })
        })
    };
    std::thread::spawn(run).join().unwrap()
}

#[cfg(feature = "cluster")]
impl Drop for TestStore {
    fn drop(&mut self) {
        if let Some((server, schema)) = &self.schema {
            sql(server, &format!("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE"));
        }
    }
}

/// What a message says apart from the store.
pub fn without_place(text: &str, journal: &Journal) -> String {
    let place: PathBuf = journal.path().to_owned();
    text.replace(&place.display().to_string(), "PLACE")
}

/// Each of these tests over each store.
macro_rules! over_all_stores {
    ($($test:ident)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::stores::store::TestStore::sqlite()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                if let Some(store) = $crate::stores::store::TestStore::postgres() {
                    super::$test(store).await;
                }
            })*
        }
    };
}
pub(crate) use over_all_stores;
