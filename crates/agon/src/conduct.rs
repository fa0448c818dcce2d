//! What `run`, `resume` and `extend` do alike: seat everybody, probe, drive, write the files.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use agon_core::{DebateId, Digest, Entry, Key, Outcome, Protocol, Record, SeatModel, Standing, What};
use agon_formats::{files, record_jsonl};
use agon_runtime::{
    drive::{Drive, DriveLock, Notice, Watch, probe},
    files::{self as disk, FileError, Lasting},
    journal::Journal,
    participant::{Failure as CallFailure, Probe},
    prompts::Renderer,
    retry::RetryPolicy,
};
use serde_json::json;

use crate::{
    cli::Output,
    failure::{Failure, Result, exit},
    lineup::{self, Hall},
    ui::{self, JsonLines, Live},
};

/// The seats answer, or the first that cannot ends the run before anything is asked.
pub async fn seat(lineup: &[SeatModel], hall: &Hall<'_>) -> Result<agon_runtime::drive::Seats> {
    let seats = lineup::seats(lineup, hall).await?;
    for (seat, probed) in probe(&seats).await {
        let name = seats.get(&seat).map(|seated| seated.name.as_str()).unwrap_or_default();
        match probed {
            Ok(Probe::Ready) => {}
            Ok(Probe::Doubtful(why)) => {
                ui::err(&ui::paint(&ui::visible(&format!("{name} (seat {seat}): {why}")), ui::YELLOW))
            }
            Err(failure) => {
                let remedy = match &failure {
                    CallFailure::Unavailable { remedy, .. } => remedy.clone(),
                    _ => "agon doctor shows what is set up".into(),
                };
                let message = format!("{name} (seat {seat}): {failure}; nothing was asked");
                return Err(Failure::new(exit::PROVIDER, "provider", message, remedy));
            }
        }
    }
    Ok(seats)
}

/// An open debate with everybody seated.
pub struct Seated<'a> {
    pub journal: &'a Journal,
    pub id: &'a DebateId,
    pub protocol: &'a dyn Protocol,
    pub seats: &'a agon_runtime::drive::Seats,
    /// Where its files go.
    pub directory: &'a Path,
    pub output: Output,
    pub quiet: bool,
}

/// Drives a debate as long as `lock` is held, and leaves its files; gives the exit code.
pub async fn drive(debate: Seated<'_>, lock: DriveLock) -> Result<u8> {
    let Seated { journal, id, directory, output, quiet, .. } = debate;
    let record = journal.read(id)?;
    let screen: Box<dyn Watch> = match output {
        Output::Json => Box::new(JsonLines),
        Output::Text => Box::new(Live::new(quiet, &record, settled(&record))),
    };
    let interrupted = async {
        // Without a handler for it the system ends the process, which is as resumable.
        let _ = tokio::signal::ctrl_c().await;
    };
    let outcome = perform(&debate, screen, interrupted, lock).await;
    let outcome = outcome.map_err(|failure| suspended(failure, output))?;
    finish(&journal.read(id)?, &outcome, directory, output, quiet);
    Ok(code(&outcome))
}

/// Drives a debate before `screen` until it closes or must stop, and leaves its files.
pub async fn perform(
    debate: &Seated<'_>,
    screen: Box<dyn Watch>,
    interrupted: impl Future<Output = ()>,
    _lock: DriveLock,
) -> Result<Outcome> {
    let Seated { journal, id, protocol, seats, directory, .. } = *debate;
    let record = journal.read(id)?;
    let texts = journal.texts(record.opened().texts().map(|(_, digest)| digest))?;
    let renderer = renderer(&record, &texts)?;
    let shelf = Shelf::new(screen, directory.to_owned());
    let drive = Drive {
        journal,
        debate: id,
        protocol,
        renderer: &renderer,
        seats,
        watch: &shelf,
        retry: RetryPolicy::default(),
    };
    let driven = drive.run(interrupted).await;
    drop(shelf);
    let left = leave_files(&journal.read(id)?, &texts, directory);
    let outcome = driven.map_err(|error| Failure::from(error).resumable(id))?;
    left.map_err(|error| Failure::from(error).resumable(id))?;
    Ok(outcome)
}

/// What the answers on a record used.
fn settled(record: &Record) -> agon_core::Usage {
    let mut used = agon_core::Usage::default();
    record.answers().for_each(|(_, answered)| used += answered.usage);
    used
}

/// The exit code of a closed debate.
pub fn code(outcome: &Outcome) -> u8 {
    if outcome.standing == Standing::Void { exit::VOID } else { exit::OK }
}

/// The last lines of a closed debate.
pub fn finish(record: &Record, outcome: &Outcome, directory: &Path, output: Output, quiet: bool) {
    match output {
        Output::Json => ui::out(&ui::json(&json!({"event": "closed", "outcome": outcome}))),
        Output::Text if quiet => {}
        Output::Text => {
            let format = agon_formats::find(&record.opened().protocol);
            if let Some(report) = format.and_then(|format| format.completion(record)) {
                ui::out("");
                ui::out(ui::visible(&report).trim_end());
            }
            ui::out("");
            ui::out(&format!("{}  {}", ui::paint("debate", ui::DIM), record.opened().debate));
            ui::out(&format!(
                "{}   {}",
                ui::paint("files", ui::DIM),
                ui::visible(&directory.display().to_string())
            ));
        }
    }
}

/// The last line of a debate that stopped before its end.
pub fn suspended(failure: Failure, output: Output) -> Failure {
    let resumable = [exit::PROVIDER, exit::BUDGET, exit::IO, exit::INTERRUPTED].contains(&failure.exit);
    if output == Output::Json && resumable {
        ui::out(&ui::json(&json!({"event": "suspended", "error": failure.to_json()})));
    }
    failure
}

/// The templates that a record is pinned to, compiled.
pub fn renderer(record: &Record, texts: &BTreeMap<Digest, String>) -> Result<Renderer> {
    let templates = record
        .opened()
        .prompts
        .iter()
        .filter_map(|(name, digest)| Some((name.clone(), texts.get(digest)?.clone())));
    Ok(Renderer::new(&templates.collect())?)
}

/// Every file of a debate, its record included.
pub fn leave_files(
    record: &Record,
    texts: &BTreeMap<Digest, String>,
    directory: &Path,
) -> std::result::Result<usize, FileError> {
    let record_file = ("record.jsonl".to_owned(), record_jsonl::write(record, texts));
    let files = files(record).into_iter().map(|file| (file.path, file.content));
    let written = disk::write(directory, files.chain([record_file]), Lasting::Synced)?;
    disk::sweep(directory)?;
    Ok(written)
}

/// Files by path, with what they hold.
type Written = Vec<(String, String)>;

/// Shows what happens, and keeps the files up to date whenever the script has ruled.
struct Shelf {
    screen: Box<dyn Watch>,
    written: Mutex<BTreeMap<String, Digest>>,
    writing: Option<(mpsc::Sender<Written>, thread::JoinHandle<()>)>,
    failed: Arc<Mutex<Option<FileError>>>,
}

impl Shelf {
    /// Files are synced to the disk by a thread of their own, so that the next calls do not wait
    /// for them; an error stops the debate at its next entry.
    fn new(screen: Box<dyn Watch>, directory: PathBuf) -> Self {
        let (sender, files) = mpsc::channel::<Written>();
        let failed: Arc<Mutex<Option<FileError>>> = Arc::default();
        let report = Arc::clone(&failed);
        let writing = thread::spawn(move || {
            for files in files {
                if let Err(error) = disk::write(&directory, files, Lasting::Drawn) {
                    report.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        });
        Self { screen, written: Mutex::default(), writing: Some((sender, writing)), failed }
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        if let Some((sender, writing)) = self.writing.take() {
            drop(sender);
            let _ = writing.join();
        }
    }
}

impl Watch for Shelf {
    fn entry(&self, entry: &Entry) {
        self.screen.entry(entry);
    }

    fn record(&self, record: &Record) -> std::result::Result<(), FileError> {
        if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        if !matches!(
            record.entries().last().map(|entry| &entry.what),
            Some(What::Ruled { .. } | What::Asked(_))
        ) {
            return Ok(());
        }
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = files(record).into_iter().filter_map(|file| {
            let digest = Digest::of(&file.content);
            let known = written.get(&file.path) == Some(&digest);
            (!known).then(|| {
                written.insert(file.path.clone(), digest);
                (file.path, file.content)
            })
        });
        let fresh: Vec<_> = fresh.collect();
        if let Some((sender, _)) = self.writing.as_ref().filter(|_| !fresh.is_empty()) {
            let _ = sender.send(fresh);
        }
        Ok(())
    }

    fn delta(&self, key: &Key, attempt: u32, text: &str) {
        self.screen.delta(key, attempt, text);
    }

    fn notice(&self, notice: &Notice) {
        self.screen.notice(notice);
    }
}
