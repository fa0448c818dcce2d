//! A Postgres server of its own, reached by a socket in its folder: a user who may enter the folder may use it.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use agon_app::{Failure, Result, exit};
use agon_runtime::journal::{Journal, JournalPlace, PasswordSource};
use rustix::process::Signal;
use tokio::process::Command;
use url::form_urlencoded::byte_serialize;

use super::{
    child::{ChildProcess, wait_until_up},
    programs::postgres_programs,
};

/// The number in the name of the socket; no port of the network is used.
const PORT: u16 = 5432;
/// Longest path of a socket, on all systems.
const SOCKET_BYTES_MAX: usize = 103;
const UP_WAIT: Duration = Duration::from_secs(60);

/// The programs, and the folder.
pub(super) struct LocalPostgres {
    programs: PathBuf,
    folder: PathBuf,
}

impl LocalPostgres {
    /// Looks for the programs.
    ///
    /// # Errors
    ///
    /// Where there are none, where this user is root, or where the folder's name is too long.
    pub(super) fn find(folder: &Path) -> Result<Self> {
        if rustix::process::geteuid().is_root() {
            let what = "Postgres does not run as root";
            let remedy = "give this command as another user, or name a database with --journal postgres://USER@HOST/DATABASE";
            return Err(Failure::usage(what, remedy));
        }
        let socket = folder.join(format!(".s.PGSQL.{PORT}"));
        if socket.as_os_str().len() > SOCKET_BYTES_MAX
            || folder.to_str().is_none_or(|name| name.contains(','))
        {
            let what = format!("{}: no socket can be made in a folder of this name", folder.display());
            let remedy = format!("name a folder of at most {} bytes without a comma", SOCKET_BYTES_MAX - 14);
            return Err(Failure::usage(what, remedy));
        }
        Ok(Self { programs: postgres_programs()?, folder: folder.to_owned() })
    }

    fn data(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    /// The address of the journal in it.
    pub(super) fn address(&self) -> String {
        let host: String = byte_serialize(self.folder.to_string_lossy().as_bytes()).collect();
        format!("postgres://agon@{}/postgres", host.replace('+', "%20"))
    }

    /// Makes the data where there are none, and starts the server.
    pub(super) async fn start(&self) -> Result<ChildProcess> {
        let data = self.data();
        if !data.join("PG_VERSION").exists() {
            self.make().await?;
        }
        let words = [
            "-D".to_owned(),
            data.to_string_lossy().into_owned(),
            "-c".into(),
            "listen_addresses=".into(),
            "-c".into(),
            format!("port={PORT}"),
            "-c".into(),
            format!("unix_socket_directories={}", self.folder.display()),
        ];
        let log = self.folder.join("postgres.log");
        // SIGINT: all clients are disconnected, and everything is stored.
        ChildProcess::start("Postgres", &self.programs.join("postgres"), &words, &[], &log, Some(Signal::INT))
    }

    async fn make(&self) -> Result<()> {
        let mut command = Command::new(self.programs.join("initdb"));
        command.arg("-D").arg(self.data());
        command.args([
            "-U",
            "agon",
            "--auth-local=trust",
            "--auth-host=reject",
            "--encoding=UTF8",
            "--locale=C",
        ]);
        let ran = command.stdin(Stdio::null()).output().await;
        let failed = |why: String| {
            let what = format!("the data of Postgres could not be made in {}: {why}", self.data().display());
            Failure::new(exit::IO, "io", what, "free disk space, or name another folder")
        };
        let ran = ran.map_err(|error| failed(error.to_string()))?;
        if ran.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        let last: Vec<&str> = said.lines().rev().filter(|line| !line.trim().is_empty()).take(2).collect();
        Err(failed(last.join(" / ").chars().take(600).collect()))
    }

    /// Waits until it takes connections, and makes the tables of the journal.
    pub(super) async fn wait(&self, child: Option<&mut ChildProcess>) -> Result<()> {
        let address = self.address();
        let open = async || {
            let address = address.clone();
            let opened = tokio::task::spawn_blocking(move || {
                let place = JournalPlace::address(&address, PasswordSource::Environment)?;
                Journal::open_at(&place).map(drop).map_err(|error| error.to_string())
            });
            opened.await.map_err(|error| error.to_string())?
        };
        wait_until_up(child, UP_WAIT, open).await
    }

    /// Ends a server that a keeper left behind; whether there was one.
    pub(super) async fn end_leftover(&self) -> bool {
        if !self.data().join("postmaster.pid").exists() {
            return false;
        }
        let mut command = Command::new(self.programs.join("pg_ctl"));
        command.arg("stop").arg("-D").arg(self.data()).args(["-m", "fast", "-w"]);
        let ran = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().await;
        ran.is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_the_socket_in_the_folder() {
        let postgres = LocalPostgres { programs: "/x".into(), folder: "/home/a b/'q'/é+c".into() };
        let address = postgres.address();
        assert_eq!(address, "postgres://agon@%2Fhome%2Fa%20b%2F%27q%27%2F%C3%A9%2Bc/postgres");
        assert!(JournalPlace::address(&address, PasswordSource::Environment).is_ok());
    }
}
