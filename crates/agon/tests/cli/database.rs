//! Schemas on the server of the tests, whose address is `AGON_TEST_POSTGRES`, as `scripts/postgres` prints it.

use crate::cli::workspace::Workspace;

/// An address with a schema that nobody else uses; `None`, said, where there is no server.
pub fn address(name: &str) -> Option<String> {
    let server = std::env::var("AGON_TEST_POSTGRES").ok().filter(|server| !server.is_empty());
    if server.is_none() || !cfg!(feature = "cluster") {
        eprintln!("skipped: AGON_TEST_POSTGRES names no server, or the feature cluster is off");
        return None;
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    Some(format!("{}?schema=cli_{name}_{now}", server?))
}

impl Workspace {
    /// A place whose journal is in a database.
    #[allow(dead_code)] // Not by every test program.
    pub fn in_database(name: &str) -> Option<Self> {
        let mut workspace = Self::new();
        workspace.journal = Some(address(name)?);
        Some(workspace)
    }
}

/// What a test asks of the database itself, by `psql`.
#[allow(dead_code)] // Not without a server.
pub struct Database {
    server: String,
    schema: String,
}

#[allow(dead_code)] // Not without a server.
impl Database {
    pub fn of(address: &str) -> Self {
        let (server, schema) = address.split_once("?schema=").unwrap_or((address, "agon"));
        Self { server: server.into(), schema: schema.into() }
    }

    pub fn run(&self, statements: &str) {
        self.ask(statements);
    }

    /// The number that a query gives.
    pub fn number(&self, query: &str) -> i64 {
        self.ask(query).trim().parse().unwrap()
    }

    fn ask(&self, statements: &str) -> String {
        let mut psql = std::process::Command::new("psql");
        psql.env("PGOPTIONS", format!("-c search_path={}", self.schema));
        psql.args(["--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-At", "-c", statements, &self.server]);
        let output = psql.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}
