//! The stores that tests run over.

use std::path::{Path, PathBuf};

#[cfg(feature = "cluster")]
use agon_runtime::journal::PasswordSource;
use agon_runtime::journal::{Journal, JournalPlace};

/// A store of its own, removed at the end.
pub struct TestStore {
    place: JournalPlace,
    home: tempfile::TempDir,
    #[cfg(feature = "cluster")]
    schema: Option<(String, String)>,
}

impl TestStore {
    pub fn sqlite() -> Self {
        let home = tempfile::tempdir().unwrap();
        let place = JournalPlace::Directory(home.path().to_owned());
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
        let schema = format!("test_{}", agon_runtime::journal::uuid::random().unwrap().replace('-', ""));
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
        matches!(self.place, JournalPlace::Directory(_))
    }

    #[cfg(feature = "cluster")]
    pub fn place(&self) -> &JournalPlace {
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
pub fn read(address: &str) -> JournalPlace {
    JournalPlace::read(address, PasswordSource::Environment).unwrap()
}

/// Runs statements on a server.
#[cfg(feature = "cluster")]
pub fn sql(server: &str, statements: &str) {
    let (server, statements) = (server.to_owned(), statements.to_owned());
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&server, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.batch_execute(&statements).await.unwrap();
        });
    };
    std::thread::spawn(run).join().unwrap();
}

#[cfg(feature = "cluster")]
impl Drop for TestStore {
    fn drop(&mut self) {
        if let Some((server, schema)) = &self.schema {
            sql(
                server,
                &format!("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE"),
            );
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
                super::$test($crate::store::TestStore::sqlite()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                if let Some(store) = $crate::store::TestStore::postgres() {
                    super::$test(store).await;
                }
            })*
        }
    };
}
pub(crate) use over_all_stores;
