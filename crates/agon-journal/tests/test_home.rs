//! The journal of tests in other crates: in a data directory or, where `AGON_TEST_POSTGRES` is the address of a server on
//! which schemas may be made, in a schema of its own there. So the same tests run over both.

use std::{path::Path, sync::Arc};

use agon_journal::{Journal, JournalAddress, PasswordSource, uuid};
use tempfile::TempDir;

/// A data directory, and a schema where there is one, both removed at the end.
pub struct TestHome {
    home: TempDir,
    schema: Option<(String, String)>,
}

impl TestHome {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let server = std::env::var("AGON_TEST_POSTGRES").ok().filter(|server| !server.is_empty());
        let schema = server.map(|server| (server, format!("home_{}", uuid::random_uuid().unwrap().replace('-', ""))));
        Self { home, schema }
    }

    pub fn path(&self) -> &Path {
        self.home.path()
    }

    pub fn open(&self) -> Arc<Journal> {
        let place = match &self.schema {
            Some((server, schema)) => {
                JournalAddress::parse(&format!("{server}?schema={schema}"), PasswordSource::Environment).unwrap()
            }
            None => JournalAddress::Directory(self.home.path().to_owned()),
        };
        Arc::new(Journal::open_at(&place).unwrap())
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        let Some((server, schema)) = &self.schema else { return };
        let sql = format!("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE");
        let removed = std::process::Command::new("psql").args(["--no-psqlrc", "-q", "-c", &sql, server]).status();
        assert!(removed.is_ok_and(|status| status.success()), "{schema} is not removed");
    }
}
