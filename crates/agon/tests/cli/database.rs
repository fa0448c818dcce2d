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

/// A connection to the server that `address` names, with its schema.
#[allow(dead_code)] // Not by every test program.
pub struct Database {
    runtime: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
}

#[allow(dead_code)] // Not by every test program.
impl Database {
    pub fn of(address: &str) -> Self {
        let (server, schema) = address.split_once("?schema=").unwrap_or((address, "agon"));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.batch_execute(&format!("SET search_path = {schema}")).await.unwrap();
            client
        });
        Self { runtime, client }
    }

    pub fn run(&self, statements: &str) {
        self.runtime.block_on(self.client.batch_execute(statements)).unwrap();
    }

    /// The number that a query gives.
    pub fn number(&self, query: &str) -> i64 {
        self.runtime.block_on(self.client.query_one(query, &[])).unwrap().get(0)
    }
}
