//! Debates in separate processes, independent of the client or server that started them.

use std::{collections::BTreeMap, io::Write, path::PathBuf, sync::Arc, time::Duration};

use agon_core::{DebateId, Manifest, Record};
use agon_journal::JournalError;
use agon_runtime::lookups::LookupSource;
use serde::Deserialize;
use serde_json::json;
use tokio::{
    process::{Child, Command},
    time::Instant,
};

use super::{ContinueRequest, Launcher};
use crate::{
    context::Context,
    cost_plan::Plan,
    declarations,
    failure::{Failure, Result, exit},
    interruption::find_interruptions,
    lookups::DebateLookups,
    model_speed::MeasuredSpeeds,
    opening,
    request::OpeningRequest,
};

/// How long a debate may take to be opened before the client is told to look later.
const OPENING: Duration = Duration::from_secs(45);
/// How long a resumed run must hold its debate before it counts as started.
const STAYS: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes of what a run says that are searched for its error.
const SAID_BYTES_MAX: usize = 64 * 1024;

/// Starts `agon run` as a separate process.
pub struct Detached {
    context: Context,
}

impl Detached {
    /// For debates of `context`.
    pub fn new(context: Context) -> Self {
        Self { context }
    }

    fn count_entries(&self, id: &DebateId) -> Result<u64> {
        let summary = self.context.journal.find_summary(id)?;
        Ok(summary.map(|summary| summary.entries).unwrap_or_default())
    }

    /// Starts the process with `input`; what it says goes into files next to the journal.
    fn spawn_process(&self, arguments: &[String], input: &str, id: &DebateId) -> std::io::Result<(Child, PathBuf)> {
        let folder = self.context.places.home.join("started");
        std::fs::create_dir_all(&folder)?;
        let errors = folder.join(format!("{id}.err"));
        // A file, since nobody is left to feed a pipe.
        let request = folder.join(format!("{id}.request"));
        std::fs::File::create(&request)?.write_all(input.as_bytes())?;
        let mut command = Command::new(std::env::current_exe()?);
        if self.context.places.trust.is_given {
            command.arg("--trust");
        }
        command
            .args(arguments)
            .stdin(std::fs::File::open(request)?)
            .stdout(std::fs::File::create(folder.join(format!("{id}.jsonl")))?)
            .stderr(std::fs::File::create(&errors)?);
        // An interrupt at the client's terminal is not meant for the debate.
        #[cfg(unix)]
        command.process_group(0);
        Ok((command.spawn()?, errors))
    }
}

/// A command line that takes its request from standard input.
fn run(more: &[&str]) -> Vec<String> {
    let words = ["run", "--output=json", "--quiet", "--request=-"];
    words.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn continue_arguments(request: &ContinueRequest) -> Vec<String> {
    let ContinueRequest { debate, extends, rounds, max_requests, max_tokens, max_cost, max_time, .. } = request;
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

#[async_trait::async_trait]
impl Launcher for Detached {
    fn list_declared_protocols(&self) -> Vec<Manifest> {
        declarations::list_manifests(&self.context.places)
    }

    fn reads_files(&self) -> bool {
        true
    }

    fn lookup_source(&self, record: &Record) -> Result<Option<Arc<dyn LookupSource>>> {
        DebateLookups::of_record(&self.context, record)
    }

    fn find_stop_reasons(&self, debates: &[DebateId]) -> BTreeMap<DebateId, Failure> {
        let found = find_interruptions(&self.context.journal, debates);
        found.into_iter().map(|found| (found.debate, found.why)).collect()
    }

    async fn open_debate(&self, mut request: OpeningRequest) -> Result<DebateId> {
        let id = opening::choose_debate_id(request.id.as_deref())?;
        let journal = &self.context.journal;
        if journal.find_summary(&id)?.is_some() {
            return Err(JournalError::Exists(id).into());
        }
        (request.id, request.yes) = (Some(id.to_string()), true);
        let input = json!(request).to_string();
        let (mut child, errors) = self.spawn_process(&run(&[]), &input, &id).map_err(io_failure)?;
        let started = Instant::now();
        loop {
            let ended = child.try_wait().map_err(io_failure)?;
            if journal.find_summary(&id)?.is_some() {
                return Ok(id);
            }
            if ended.is_some() {
                return Err(parse_failure(&std::fs::read(&errors).unwrap_or_default()));
            }
            if started.elapsed() > OPENING {
                return Err(Failure::new(
                    exit::CONFLICT,
                    "opening",
                    format!("the debate {id} is still starting; agon may be downloading a model"),
                    "list_debates shows it when it is open",
                ));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn plan_debate(&self, request: OpeningRequest) -> Result<Plan> {
        let context = self.context.clone();
        // A whole debate is rehearsed for it.
        let planned = tokio::task::spawn_blocking(move || {
            let request = OpeningRequest { yes: true, ..request };
            let speeds = MeasuredSpeeds::from_journal(&context.journal, &context.config);
            opening::check_request(&context, &request)?.build_plan(&speeds)
        });
        planned.await.map_err(|error| io_failure(std::io::Error::other(error)))?
    }

    async fn continue_debate(&self, request: ContinueRequest) -> Result<()> {
        let id = &request.debate;
        let before = self.count_entries(id)?;
        let (mut child, errors) = self.spawn_process(&continue_arguments(&request), "", id).map_err(io_failure)?;
        let started = Instant::now();
        // It has begun once something is on the record, or once it holds the debate and stays.
        let mut held_since = None;
        while started.elapsed() < OPENING {
            if let Some(status) = child.try_wait().map_err(io_failure)? {
                let closed =
                    [exit::OK, exit::VOID, exit::NOBODY_CAME].map(i32::from).contains(&status.code().unwrap_or(-1));
                return if closed { Ok(()) } else { Err(parse_failure(&std::fs::read(&errors).unwrap_or_default())) };
            }
            let held = self.context.journal.is_driven(id)?;
            let since = *held_since.get_or_insert_with(Instant::now);
            if !held {
                held_since = None;
            } else if self.count_entries(id)? != before || since.elapsed() > STAYS {
                return Ok(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

fn io_failure(error: std::io::Error) -> Failure {
    let message = format!("the debate could not be started: {error}");
    Failure::io(message, "free disk space or grant permission")
}

/// A line by which a program says why it failed.
#[derive(Deserialize)]
struct ToldFailure {
    error: Failure,
}

/// The error of a run that opened nothing.
fn parse_failure(errors: &[u8]) -> Failure {
    let end = &errors[errors.len().saturating_sub(SAID_BYTES_MAX)..];
    let text = String::from_utf8_lossy(end);
    match text.lines().rev().find_map(|line| serde_json::from_str(line).ok()) {
        Some(ToldFailure { error }) => Failure { exit: exit::USAGE, ..error },
        None => Failure::usage(text.lines().next().unwrap_or_default(), ""),
    }
}
