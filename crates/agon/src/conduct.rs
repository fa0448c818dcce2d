//! What `run`, `resume` and `extend` do alike: seat everybody, probe, drive, write the files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_core::{
    DebateId, Digest, Entry, Key, MotionKind, Outcome, Protocol, Record, Seat, SeatModel, Standing, What,
};
use agon_protocols::{common::withheld, duel::outcome::TIMEOUT, extraction};
use agon_runtime::{
    drive::{self, Drive, DriveLock, Notice, Watch, probe},
    files::FileError,
    journal::Journal,
    participant::{Failure as CallFailure, Probe},
    prompts::{PromptError, Renderer},
    retry::RetryPolicy,
};
use serde_json::json;

use crate::{
    cli::Output,
    drawing::{self, Drawing},
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
    let performed = perform(debate, screen, interrupted, lock).await;
    ui::clear_status();
    let (outcome, record) = performed.map_err(|failure| suspended(failure, output))?;
    let shown = withheld::shown(&record);
    finish(&shown, shown.closed().unwrap_or(&outcome), directory, output, quiet);
    Ok(code(&outcome))
}

/// Drives a debate before `screen` until it closes or must stop, and leaves its files; gives how it
/// closed, and its record.
pub async fn perform(
    debate: Seated<'_>,
    screen: Box<dyn Watch>,
    interrupted: impl Future<Output = ()>,
    _lock: DriveLock,
) -> Result<(Outcome, Record)> {
    let Seated { journal, id, protocol, mut seats, directory, home, .. } = debate;
    let record = journal.read(id)?;
    let texts = texts(journal, &record)?;
    let renderer = renderer(&record, &texts)?;
    let found = shelf::extraction(journal, &record)?;
    let shelf = Arc::new(Shelf::of(&record, found.as_ref(), directory));
    if protocol.manifest().motion == MotionKind::Document
        && let Ok(seat) = Seat::new(WITNESS)
    {
        let participant = Arc::new(Witness::new(record.opened(), Arc::clone(&shelf)));
        seats.insert(seat, drive::Seated { name: WITNESS.into(), participant });
    }
    let drawing = Drawing::new(Arc::clone(&shelf));
    let showing = Showing { screen, ruled: AtomicBool::new(true), drawing };
    let drive = Drive {
        journal,
        debate: id,
        protocol,
        renderer: &renderer,
        seats: &seats,
        watch: &showing,
        retry: RetryPolicy::default(),
    };
    let driven = drive.go_on(record, interrupted).await;
    drop(showing);
    let (outcome, record) = match driven {
        Ok((outcome, record)) => (Ok(outcome), record),
        // What it wanted to add may not be stored.
        Err(error) => (Err(Failure::from(error).resumable(id)), journal.read(id)?),
    };
    let left = drawing::last(move || {
        let left = shelf.leave(&record, found.as_ref(), &texts);
        (left, record)
    });
    let ending = || Failure::new(exit::IO, "io", "the files could not be drawn", "").resumable(id);
    let (left, record) = left.await.ok_or_else(ending)?;
    let outcome = outcome?;
    left.map_err(|error| Failure::from(error).resumable(id))?;
    human::forget_drafts(home, id);
    // The debate that it reads shows what it found.
    if let Some(of) = extraction::of(record.opened()) {
        shelf::draw_again(journal, home, &of)?;
    }
    Ok((outcome, record))
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

/// The texts that a record is pinned to; those that were read last are kept, since debates of a batch
/// share them.
fn texts(journal: &Journal, record: &Record) -> Result<Arc<BTreeMap<Digest, String>>> {
    static LAST: Mutex<Option<Arc<BTreeMap<Digest, String>>>> = Mutex::new(None);
    let wanted: BTreeSet<&Digest> = record.opened().texts().map(|(_, digest)| digest).collect();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(texts) = last.as_ref().filter(|texts| texts.keys().eq(wanted.iter().copied())) {
        return Ok(Arc::clone(texts));
    }
    let texts = Arc::new(journal.texts(wanted)?);
    *last = Some(Arc::clone(&texts));
    Ok(texts)
}

/// The templates that a record is pinned to, compiled.
pub fn renderer(record: &Record, texts: &BTreeMap<Digest, String>) -> Result<Arc<Renderer>> {
    let templates = record
        .opened()
        .prompts
        .iter()
        .filter_map(|(name, digest)| Some((name.clone(), texts.get(digest)?.clone())));
    Ok(compiled(templates.collect())?)
}

/// `templates` compiled; those that were compiled last are kept, since debates of a batch share them.
pub fn compiled(templates: BTreeMap<String, String>) -> std::result::Result<Arc<Renderer>, PromptError> {
    type Compiled = (BTreeMap<String, String>, Arc<Renderer>);
    static LAST: Mutex<Option<Compiled>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, renderer)) = last.as_ref().filter(|(of, _)| *of == templates) {
        return Ok(Arc::clone(renderer));
    }
    let renderer = Arc::new(Renderer::new(&templates)?);
    *last = Some((templates, Arc::clone(&renderer)));
    Ok(renderer)
}

/// Shows what happens, and keeps the files up to date whenever the script has ruled.
struct Showing {
    screen: Box<dyn Watch>,
    /// Whether a ruling came that no file shows yet.
    ruled: AtomicBool,
    drawing: Drawing,
}

impl Watch for Showing {
    fn entry(&self, entry: &Entry) {
        if matches!(entry.what, What::Ruled { .. }) {
            self.ruled.store(true, Ordering::Relaxed);
        }
        self.screen.entry(entry);
    }

    fn record(&self, record: &Record) -> std::result::Result<(), FileError> {
        // An error stops the debate.
        if let Some(error) = self.drawing.failure() {
            return Err(error);
        }
        // A closed debate gets all its files at once.
        if record.closed().is_none() && self.ruled.swap(false, Ordering::Relaxed) {
            self.drawing.draw(record.clone());
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
