//! Schemas on the server of the tests, whose address is `AGON_TEST_POSTGRES`, as `scripts/postgres` prints it.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Mutex,
};

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

/// One session of `psql`, in which a test asks the database itself; so a transaction can stay open between two questions.
#[allow(dead_code)] // Not without a server.
pub struct Database {
    session: Child,
    pipes: Mutex<(ChildStdin, Lines<BufReader<ChildStdout>>)>,
}

/// The line that ends what `psql` says to a question.
const END: &str = "-- end";

#[allow(dead_code)] // Not without a server.
impl Database {
    pub fn from_address(address: &str) -> Self {
        let (server, schema) = address.split_once("?schema=").unwrap_or((address, "agon"));
        let mut psql = Command::new("psql");
        psql.env("PGOPTIONS", format!("-c search_path={schema}"));
        psql.args(["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-At", server]);
        let mut session = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(session.stdout.take().unwrap()).lines();
        Self { pipes: Mutex::new((session.stdin.take().unwrap(), said)), session }
    }

    pub fn run(&self, statements: &str) {
        self.ask(statements);
    }

    /// The number that a query gives.
    pub fn number(&self, query: &str) -> i64 {
        self.ask(query).concat().parse().unwrap()
    }

    fn ask(&self, statements: &str) -> Vec<String> {
        let (input, said) = &mut *self.pipes.lock().unwrap();
        writeln!(input, "{statements};\n\\echo {END}").unwrap();
        let mut lines = Vec::new();
        loop {
            // Without the end, psql has ended with an error, which it printed.
            match said.next().expect("psql answers").unwrap() {
                line if line == END => return lines,
                line => lines.push(line),
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = self.session.kill();
        let _ = self.session.wait();
    }
}
