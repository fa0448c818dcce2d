//! `agon mcp`: serves debates to an agent over standard input and output.

use std::{path::PathBuf, process::Stdio, sync::Arc, time::Duration};

use agon_core::{DebateId, Manifest};
use agon_mcp::{Debates, GoOn, NotOpened, Opener, Opening};
use agon_runtime::{
    config::Places,
    drive::{DriveError, DriveLock},
    journal::{Journal, JournalError},
};
use serde_json::Value;
use tokio::{process::Command, time::Instant};

use super::Hand;
use crate::{
    declared,
    failure::{Failure, Result, exit},
    opening,
};

/// How long a debate may take to be opened before the client is told to look later.
const OPENING: Duration = Duration::from_secs(45);
/// How long a run that goes on must have held its debate to be taken to have begun.
const STAYS: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes of what a run says that are looked through for its error.
const SAID_BYTES_MAX: usize = 64 * 1024;

pub async fn run(hand: &Hand) -> Result<u8> {
    hand.config()?;
    let journal = Arc::new(hand.journal()?);
    let home = hand.places.home.clone();
    let places = hand.places.clone();
    let opener = Arc::new(Detached { journal: Arc::clone(&journal), home: home.clone(), places });
    Debates::new(journal, home, opener).over_standard_streams().await;
    Ok(exit::OK)
}

/// Starts `agon run` as a process of its own, which neither needs the client nor this server.
struct Detached {
    journal: Arc<Journal>,
    home: PathBuf,
    places: Places,
}

impl Detached {
    fn arguments(opening: &Opening, id: &DebateId) -> Vec<String> {
        let Opening { protocol, motion, id: _, rounds, model, seats, definitions, scope, .. } = opening;
        let Opening { verify, judges, orders, stop, self_judging, mirror, baseline, extract, seed, .. } =
            opening;
        let Opening { max_requests, max_tokens, max_cost, max_time, .. } = opening;
        let mut arguments: Vec<String> =
            ["run", "--output=json", "--quiet", "--yes"].map(str::to_owned).into();
        arguments.push(format!("--id={id}"));
        arguments.extend(seats.iter().map(|(seat, model)| format!("--seat={seat}={model}")));
        arguments.extend(definitions.iter().map(|(term, meaning)| format!("--define={term}={meaning}")));
        let switches = [("self-judging", self_judging), ("mirror", mirror), ("baseline", baseline)];
        arguments.extend(switches.into_iter().filter(|(_, on)| **on).map(|(flag, _)| format!("--{flag}")));
        for (flag, value) in [
            ("model", model.clone()),
            ("rounds", rounds.map(|n| n.to_string())),
            ("scope", scope.clone()),
            ("verify", verify.clone()),
            ("judges", judges.clone()),
            ("orders", orders.clone()),
            ("stop", stop.clone()),
            ("extract", extract.clone()),
            ("seed", seed.map(|n| n.to_string())),
            ("max-requests", max_requests.map(|n| n.to_string())),
            ("max-tokens", max_tokens.map(|n| n.to_string())),
            ("max-cost", max_cost.map(|n| n.to_string())),
            ("max-time", max_time.clone()),
        ] {
            arguments.extend(value.map(|value| format!("--{flag}={value}")));
        }
        // What follows is no flag, whatever it begins with.
        arguments.extend(["--".into(), protocol.clone(), motion.clone()]);
        arguments
    }

    fn going_on(wanted: &GoOn) -> Vec<String> {
        let GoOn { debate, extends, name: _, rounds, max_requests, max_tokens, max_cost, max_time } = wanted;
        let verb = if *extends { "extend" } else { "resume" };
        let mut arguments = [verb, "--output=json", "--quiet"].map(str::to_owned).to_vec();
        let mut add = |flag: &str, value: Option<String>| {
            arguments.extend(value.map(|value| format!("--{flag}={value}")));
        };
        add("rounds", rounds.map(|n| n.to_string()));
        add("max-requests", max_requests.map(|n| n.to_string()));
        add("max-tokens", max_tokens.map(|n| n.to_string()));
        add("max-cost", max_cost.map(|n| n.to_string()));
        add("max-time", max_time.clone());
        arguments.extend(["--".into(), debate.to_string()]);
        arguments
    }

    fn entries(&self, id: &DebateId) -> std::result::Result<u64, NotOpened> {
        let summary = self.journal.summary(id).map_err(|error| not_opened(error.into()))?;
        Ok(summary.map(|summary| summary.entries).unwrap_or_default())
    }

    /// Starts the process; what it says goes into files beside the journal.
    fn start(
        &self,
        arguments: Vec<String>,
        id: &DebateId,
    ) -> std::io::Result<(tokio::process::Child, PathBuf)> {
        let folder = self.home.join("started");
        std::fs::create_dir_all(&folder)?;
        let errors = folder.join(format!("{id}.err"));
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(arguments)
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
    fn declared(&self) -> Vec<Manifest> {
        declared::manifests(&self.places)
    }

    async fn open(&self, opening: &Opening) -> std::result::Result<DebateId, NotOpened> {
        let id = opening::id(opening.id.as_deref()).map_err(not_opened)?;
        if self.journal.summary(&id).map_err(|error| not_opened(error.into()))?.is_some() {
            return Err(not_opened(JournalError::Exists(id).into()));
        }
        let (mut child, errors) = self.start(Self::arguments(opening, &id), &id).map_err(io)?;
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

    async fn plan(&self, opening: &Opening) -> std::result::Result<Value, NotOpened> {
        let id = opening::id(opening.id.as_deref()).map_err(not_opened)?;
        let mut arguments = Self::arguments(opening, &id);
        arguments.insert(1, "--plan".into());
        let mut command = Command::new(std::env::current_exe().map_err(io)?);
        command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
        let said = tokio::time::timeout(OPENING, command.output());
        let said = said.await.map_err(|elapsed| io(elapsed.into()))?.map_err(io)?;
        serde_json::from_slice(&said.stdout).map_err(|_| self::said(&said.stderr))
    }

    async fn go_on(&self, wanted: &GoOn) -> std::result::Result<(), NotOpened> {
        let id = &wanted.debate;
        let home = &self.home;
        let before = self.entries(id)?;
        let (mut child, errors) = self.start(Self::going_on(wanted), id).map_err(io)?;
        let started = Instant::now();
        // It has begun once something is on the record, or once it holds the debate and stays.
        let mut held_since = None;
        while started.elapsed() < OPENING {
            if let Some(status) = child.try_wait().map_err(io)? {
                let closed = [exit::OK, exit::VOID, exit::NOBODY_CAME]
                    .map(i32::from)
                    .contains(&status.code().unwrap_or(-1));
                return if closed { Ok(()) } else { Err(said(&std::fs::read(&errors).unwrap_or_default())) };
            }
            let held = matches!(DriveLock::take(home, id), Err(DriveError::Held { .. }));
            let since = *held_since.get_or_insert_with(Instant::now);
            if !held {
                held_since = None;
            } else if self.entries(id)? != before || since.elapsed() > STAYS {
                return Ok(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

fn io(error: std::io::Error) -> NotOpened {
    NotOpened {
        code: "io".into(),
        message: format!("the debate could not be started: {error}"),
        remedy: "make room or give permission".into(),
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
