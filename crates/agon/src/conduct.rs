//! What `run`, `resume` and `extend` do alike: seat everybody, probe, drive, write the files.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use agon_core::{
    DebateId, Digest, Entry, Key, MotionKind, Outcome, Protocol, Record, Seat, SeatModel, Standing, What,
};
use agon_protocols::{common::withheld, duel::outcome::TIMEOUT, extraction};
use agon_runtime::{
    drive::{self, Drive, DriveLock, Notice, Watch, probe},
    files::{FileError, Lasting},
    journal::Journal,
    participant::{Failure as CallFailure, Probe},
    prompts::Renderer,
    retry::RetryPolicy,
};
use serde_json::json;

use crate::{
    cli::Output,
    failure::{Failure, Result, exit},
    human,
    seating::{self, Means},
    shelf::{self, Shelf},
    ui::{self, JsonLines, Live, Veil},
    witness::{WITNESS, Witness},
};

/// The seats answer, or the first that cannot ends the run before anything is asked.
pub async fn seat(lineup: &[SeatModel], means: &Means<'_>) -> Result<drive::Seats> {
    let seats = seating::seats(lineup, means).await?;
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
    pub seats: drive::Seats,
    /// Where its files go.
    pub directory: &'a Path,
    /// Where agon keeps its data.
    pub home: &'a Path,
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
    let screen = Box::new(Veil::new(screen, record));
    let interrupted = async {
        // Without a handler for it the system ends the process, which is as resumable.
        let _ = tokio::signal::ctrl_c().await;
    };
    let outcome = perform(debate, screen, interrupted, lock).await;
    ui::clear_status();
    let outcome = outcome.map_err(|failure| suspended(failure, output))?;
    let record = journal.read(id)?;
    let shown = withheld::shown(&record);
    finish(&shown, shown.closed().unwrap_or(&outcome), directory, output, quiet);
    Ok(code(&outcome))
}

/// Drives a debate before `screen` until it closes or must stop, and leaves its files.
pub async fn perform(
    debate: Seated<'_>,
    screen: Box<dyn Watch>,
    interrupted: impl Future<Output = ()>,
    _lock: DriveLock,
) -> Result<Outcome> {
    let Seated { journal, id, protocol, mut seats, directory, home, .. } = debate;
    let record = journal.read(id)?;
    let texts = journal.texts(record.opened().texts().map(|(_, digest)| digest))?;
    let renderer = renderer(&record, &texts)?;
    let found = shelf::extraction(journal, &record)?;
    let shelf = Arc::new(Shelf::of(&record, found.as_ref(), directory));
    if protocol.manifest().motion == MotionKind::Document
        && let Ok(seat) = Seat::new(WITNESS)
    {
        let participant = Arc::new(Witness::new(record.opened(), Arc::clone(&shelf)));
        seats.insert(seat, drive::Seated { name: WITNESS.into(), participant });
    }
    let showing = Showing::new(screen, Arc::clone(&shelf));
    let drive = Drive {
        journal,
        debate: id,
        protocol,
        renderer: &renderer,
        seats: &seats,
        watch: &showing,
        retry: RetryPolicy::default(),
    };
    let driven = drive.run(interrupted).await;
    drop(showing);
    let left = shelf.leave(&journal.read(id)?, found.as_ref(), &texts);
    let outcome = driven.map_err(|error| Failure::from(error).resumable(id))?;
    left.map_err(|error| Failure::from(error).resumable(id))?;
    human::forget_drafts(home, id);
    // The debate that it reads shows what it found.
    if let Some(of) = extraction::of(record.opened()) {
        shelf::draw_again(journal, home, &of)?;
    }
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
    match outcome.standing {
        Standing::Void => exit::VOID,
        // It closed by its rules, and yet there was no debate: somebody never took part.
        _ if outcome.name == TIMEOUT && !outcome.absent.is_empty() => exit::NOBODY_CAME,
        _ => exit::OK,
    }
}

/// The last lines of a closed debate.
pub fn finish(record: &Record, outcome: &Outcome, directory: &Path, output: Output, quiet: bool) {
    match output {
        Output::Json => ui::out(&ui::json(&json!({"event": "closed", "outcome": outcome}))),
        Output::Text if quiet => {}
        Output::Text => {
            let format = agon_formats::of(record);
            let report = format.and_then(|format| format.completion(record)).unwrap_or_default();
            // The view has printed the summary with the entry that closed.
            let report = ui::without_warnings(&report);
            let report = report.strip_prefix(&outcome.summary).unwrap_or(&report).trim();
            if !report.is_empty() {
                ui::out("");
                ui::out(&ui::folded(&ui::visible(report)));
            }
            ui::warnings(record);
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

/// Least time between two drawings: no reader is faster, and quick models are not slowed down.
const DRAWING_PAUSE: Duration = Duration::from_millis(300);

/// The newest of what arrives within `pause`, or else what comes first after it; nothing once nobody
/// sends any more and what there is was taken.
fn newest_after<T>(sent: &mpsc::Receiver<T>, pause: Duration) -> Option<T> {
    let until = Instant::now() + pause;
    let mut newest = None;
    while let Ok(next) = sent.recv_timeout(until.saturating_duration_since(Instant::now())) {
        newest = Some(next);
    }
    newest.or_else(|| sent.recv().ok())
}

/// Shows what happens, and keeps the files up to date whenever the script has ruled.
struct Showing {
    screen: Box<dyn Watch>,
    /// Whether a ruling came that no file shows yet.
    ruled: AtomicBool,
    drawing: Option<(mpsc::Sender<Record>, thread::JoinHandle<()>)>,
    failed: Arc<Mutex<Option<FileError>>>,
}

impl Showing {
    /// Files are drawn by a thread of their own, so that the next calls do not wait for them; where
    /// more happens than it draws the newest state alone. An error stops the debate at its next entry.
    fn new(screen: Box<dyn Watch>, shelf: Arc<Shelf>) -> Self {
        let (sender, records) = mpsc::channel::<Record>();
        let failed: Arc<Mutex<Option<FileError>>> = Arc::default();
        let report = Arc::clone(&failed);
        let drawing = thread::spawn(move || {
            let mut drawn: BTreeMap<String, Digest> = BTreeMap::new();
            let mut next = records.recv().ok();
            while let Some(record) = next {
                let mut files = shelf::growing(&record);
                files.retain(|(path, content)| {
                    let digest = Digest::of(content);
                    drawn.insert(path.clone(), digest.clone()) != Some(digest)
                });
                if let Err(error) = shelf.put(files, Lasting::Drawn) {
                    report.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
                next = newest_after(&records, DRAWING_PAUSE);
            }
        });
        Self { screen, ruled: AtomicBool::new(true), drawing: Some((sender, drawing)), failed }
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        if let Some((sender, drawing)) = self.drawing.take() {
            drop(sender);
            let _ = drawing.join();
        }
    }
}

impl Watch for Showing {
    fn entry(&self, entry: &Entry) {
        if matches!(entry.what, What::Ruled { .. }) {
            self.ruled.store(true, Ordering::Relaxed);
        }
        self.screen.entry(entry);
    }

    fn record(&self, record: &Record) -> std::result::Result<(), FileError> {
        if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        // A closed debate gets all its files at once.
        if record.closed().is_none()
            && self.ruled.swap(false, Ordering::Relaxed)
            && let Some((sender, _)) = &self.drawing
        {
            let _ = sender.send(record.clone());
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
