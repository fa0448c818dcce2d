//! A debate that is driven: everybody seated and probed, the loop, the files.

use std::{
    collections::BTreeMap,
    path::PathBuf,
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
use agon_protocols::{duel::outcome::TIMEOUT, extraction};
use agon_runtime::{
    drive::{self, Drive, DriveLock, Notice, Watch, probe},
    files::{FileError, Lasting},
    participant::{Failure as CallFailure, Probe},
    prompts::Renderer,
    retry::RetryPolicy,
};

use crate::{
    context::Context,
    failure::{Failure, Result, exit},
    output_dir::{self, OutputDir},
    participants::{
        self,
        artifact_watcher::{ArtifactWatcher, WITNESS},
    },
};

/// The seats answer, or the first that cannot ends the run before anything is asked.
pub async fn seat(lineup: &[SeatModel], context: &Context, debate: &DebateId) -> Result<drive::Seats> {
    let seats = participants::seats(lineup, context, debate).await?;
    for (seat, probed) in probe(&seats).await {
        let name = seats.get(&seat).map(|seated| seated.name.as_str()).unwrap_or_default();
        match probed {
            Ok(Probe::Ready) => {}
            Ok(Probe::Doubtful(why)) => context.frontend.warn(&format!("{name} (seat {seat}): {why}")),
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

/// An open debate with everybody seated, ready to be driven by whoever holds its lock.
pub struct Started {
    /// Which.
    pub id: DebateId,
    /// Its rules.
    pub protocol: &'static dyn Protocol,
    /// Who answers.
    pub seats: drive::Seats,
    /// Where its files go.
    pub directory: PathBuf,
    /// Held as long as it is driven.
    pub lock: DriveLock,
}

impl Started {
    /// Drives the debate before `screen` until it closes or must stop, and leaves its files.
    ///
    /// # Errors
    ///
    /// Why it stopped before its end; it can be resumed.
    pub async fn drive(
        self,
        context: &Context,
        screen: Box<dyn Watch>,
        interrupted: impl Future<Output = ()>,
    ) -> Result<Outcome> {
        let Self { id, protocol, mut seats, directory, lock: _lock } = self;
        let journal = &*context.journal;
        let record = journal.read(&id)?;
        let texts = journal.texts(record.opened().texts().map(|(_, digest)| digest))?;
        let renderer = renderer(&record, &texts)?;
        let found = output_dir::extraction(journal, &record)?;
        let output = Arc::new(OutputDir::of(&record, found.as_ref(), &directory));
        if protocol.manifest().motion == MotionKind::Document
            && let Ok(seat) = Seat::new(WITNESS)
        {
            let participant = Arc::new(ArtifactWatcher::new(record.opened(), Arc::clone(&output)));
            seats.insert(seat, drive::Seated { name: WITNESS.into(), participant });
        }
        let showing = Showing::new(screen, Arc::clone(&output));
        let drive = Drive {
            journal,
            debate: &id,
            protocol,
            renderer: &renderer,
            seats: &seats,
            watch: &showing,
            retry: RetryPolicy::default(),
        };
        let driven = drive.run(interrupted).await;
        drop(showing);
        let left = output.leave(&journal.read(&id)?, found.as_ref(), &texts, &*context.frontend);
        let outcome = driven.map_err(|error| Failure::from(error).resumable(&id))?;
        left.map_err(|error| Failure::from(error).resumable(&id))?;
        context.frontend.ended(&id);
        // The debate that it reads shows what it found.
        if let Some(of) = extraction::of(record.opened()) {
            output_dir::draw_again(context, &of)?;
        }
        Ok(outcome)
    }
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
    fn new(screen: Box<dyn Watch>, output: Arc<OutputDir>) -> Self {
        let (sender, records) = mpsc::channel::<Record>();
        let failed: Arc<Mutex<Option<FileError>>> = Arc::default();
        let report = Arc::clone(&failed);
        let drawing = thread::spawn(move || {
            let mut drawn: BTreeMap<String, Digest> = BTreeMap::new();
            let mut next = records.recv().ok();
            while let Some(record) = next {
                let mut files = output_dir::growing(&record);
                files.retain(|(path, content)| {
                    let digest = Digest::of(content);
                    drawn.insert(path.clone(), digest.clone()) != Some(digest)
                });
                if let Err(error) = output.put(files, Lasting::Drawn) {
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
