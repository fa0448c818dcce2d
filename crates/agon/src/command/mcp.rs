//! `agon mcp`: serves debates to an agent over standard input and output.

use std::{path::PathBuf, process::Stdio, sync::Arc, time::Duration};

use agon_core::DebateId;
use agon_mcp::{Debates, NotOpened, Opener, Wish};
use agon_runtime::journal::Journal;
use serde_json::Value;
use tokio::{process::Command, time::Instant};

use super::Hand;
use crate::{
    failure::{Failure, Result, exit},
    opening,
};

/// How long a debate may take to be opened before the client is told to look later.
const OPENING: Duration = Duration::from_secs(45);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes of what a run says that are looked through for its error.
const SAID_BYTES_MAX: usize = 64 * 1024;

pub async fn run(hand: &Hand) -> Result<u8> {
    hand.config()?;
    let journal = Arc::new(hand.journal()?);
    let home = hand.places.home.clone();
    let opener = Arc::new(Detached { journal: Arc::clone(&journal), home: home.clone() });
    Debates::new(journal, home, opener).over_standard_streams().await;
    Ok(exit::OK)
}

/// Starts `agon run` as a process of its own, which neither needs the client nor this server.
struct Detached {
    journal: Arc<Journal>,
    home: PathBuf,
}

impl Detached {
    fn arguments(wish: &Wish, id: &DebateId) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["run", "--output=json", "--quiet", "--yes"].map(str::to_owned).into();
        arguments.push(format!("--id={id}"));
        arguments.extend(wish.seats.iter().map(|(seat, model)| format!("--seat={seat}={model}")));
        let mut add = |flag: &str, value: Option<String>| {
            arguments.extend(value.map(|value| format!("--{flag}={value}")));
        };
        add("model", wish.model.clone());
        add("rounds", wish.rounds.map(|n| n.to_string()));
        add("max-requests", wish.max_requests.map(|n| n.to_string()));
        add("max-tokens", wish.max_tokens.map(|n| n.to_string()));
        add("max-cost", wish.max_cost.map(|n| n.to_string()));
        add("max-time", wish.max_time.clone());
        // What follows is no flag, whatever it begins with.
        arguments.extend(["--".into(), wish.protocol.clone(), wish.motion.clone()]);
        arguments
    }

    /// Starts the process; what it says goes into files beside the journal.
    fn start(&self, wish: &Wish, id: &DebateId) -> std::io::Result<(tokio::process::Child, PathBuf)> {
        let folder = self.home.join("started");
        std::fs::create_dir_all(&folder)?;
        let errors = folder.join(format!("{id}.err"));
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(Self::arguments(wish, id))
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(folder.join(format!("{id}.jsonl")))?)
            .stderr(std::fs::File::create(&errors)?);
        // An interrupt at the client's terminal is not meant for the debate.
        #[cfg(unix)]
        command.process_group(0);
        Ok((command.spawn()?, errors))
    }
}

#[async_trait::async_trait]
impl Opener for Detached {
    async fn open(&self, wish: &Wish) -> std::result::Result<DebateId, NotOpened> {
        let id = opening::id(None).map_err(not_opened)?;
        let io = |error: std::io::Error| NotOpened {
            code: "io".into(),
            message: format!("the debate could not be started: {error}"),
            remedy: "make room or give permission".into(),
        };
        let (mut child, errors) = self.start(wish, &id).map_err(io)?;
        let started = Instant::now();
        loop {
            let ended = child.try_wait().map_err(io)?;
            if self.journal.summary(&id).map_err(|error| not_opened(error.into()))?.is_some() {
                return Ok(id);
            }
            if ended.is_some() {
                return Err(said(&std::fs::read(&errors).unwrap_or_default()));
            }
            if started.elapsed() > OPENING {
                return Err(NotOpened {
                    code: "opening".into(),
                    message: format!("the debate {id} is still being opened: a model may be fetched first"),
                    remedy: "list_debates shows it once it is open".into(),
                });
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

fn not_opened(failure: Failure) -> NotOpened {
    NotOpened { code: failure.code.into(), message: failure.message, remedy: failure.remedy }
}

/// The error of a run that opened nothing.
fn said(errors: &[u8]) -> NotOpened {
    let end = &errors[errors.len().saturating_sub(SAID_BYTES_MAX)..];
    let text = String::from_utf8_lossy(end);
    let errors = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let error = errors.map(|value| value["error"].clone()).find(Value::is_object);
    let part = |name: &str| error.as_ref().and_then(|error| error[name].as_str()).map(str::to_owned);
    NotOpened {
        code: part("code").unwrap_or_else(|| "usage".into()),
        message: part("message").unwrap_or_else(|| text.lines().next().unwrap_or_default().to_owned()),
        remedy: part("remedy").unwrap_or_default(),
    }
}
