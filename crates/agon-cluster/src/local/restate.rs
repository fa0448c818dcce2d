//! A Restate server of one node on loopback.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_app::{Failure, Result, exit};
use reqwest::Client;

use super::{
    child::{ChildProcess, wait_until_up},
    plan::LocalPorts,
};
use crate::engine::root;

const UP_WAIT: Duration = Duration::from_secs(60);
const ANSWER_WAIT: Duration = Duration::from_secs(2);

/// Where it runs.
pub(super) struct LocalRestate {
    pub(super) folder: PathBuf,
    pub(super) ports: LocalPorts,
}

impl LocalRestate {
    /// Starts `program`, which reports nothing to its makers.
    pub(super) fn start(&self, program: &Path) -> Result<ChildProcess> {
        let file = self.folder.join("restate.toml");
        fs::write(&file, self.configuration()).map_err(|error| {
            let remedy = "free disk space, or name another folder";
            Failure::new(exit::IO, "io", format!("{}: {error}", file.display()), remedy)
        })?;
        let words = ["--no-logo".to_owned(), "--config-file".to_owned(), file.to_string_lossy().into_owned()];
        let quiet = [("RESTATE_DISABLE_TELEMETRY", "true"), ("DO_NOT_TRACK", "1")];
        ChildProcess::start("Restate", program, &words, &quiet, &self.folder.join("restate.log"), None)
    }

    fn configuration(&self) -> String {
        let LocalPorts { ingress, admin, node, .. } = self.ports;
        // A text of JSON is one of TOML, too.
        let data = serde_json::Value::from(self.folder.join("restate").to_string_lossy());
        format!(
            r#"node-name = "n1"
cluster-name = "agon"
base-dir = {data}
auto-provision = true
default-num-partitions = 4
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = {node}
advertised-host = "127.0.0.1"
rocksdb-total-memory-size = "256 MiB"
disable-telemetry = true
log-disable-ansi-codes = true
shutdown-timeout = "5s"
[ingress]
bind-port = {ingress}
[admin]
bind-port = {admin}
"#
        )
    }

    /// Waits until it takes invocations and workers.
    pub(super) async fn wait(&self, child: Option<&mut ChildProcess>) -> Result<()> {
        let http = Client::builder().timeout(ANSWER_WAIT).build();
        let http = http.map_err(|error| Failure::new(exit::IO, "io", error.to_string(), ""))?;
        let urls = [
            format!("http://127.0.0.1:{}/restate/health", self.ports.ingress),
            format!("http://127.0.0.1:{}/health", self.ports.admin),
        ];
        let is_up = async || {
            for url in &urls {
                let response = http.get(url).send().await.map_err(|error| root(&error))?;
                response.error_for_status().map_err(|error| root(&error))?;
            }
            Ok(())
        };
        wait_until_up(child, UP_WAIT, is_up).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_text_in_the_configuration() {
        let ports = LocalPorts { ingress: 1, admin: 2, node: 3, worker: 4 };
        let told = LocalRestate { folder: "/a\"b\\c\nd".into(), ports }.configuration();
        assert!(told.contains("base-dir = \"/a\\\"b\\\\c\\nd/restate\"\n"), "{told}");
        assert!(told.contains("[admin]\nbind-port = 2\n"));
    }
}
