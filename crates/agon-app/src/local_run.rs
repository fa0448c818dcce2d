//! Driving a debate: its participants, their probes, the loop, the files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_core::{
    ActKind, DebateId, Digest, Entry, Event, Key, MotionKind, Opened, Outcome, Protocol, Record, Seat, Standing,
};
use agon_journal::{DriveLock, Journal, LockError};
use agon_protocols::common::WITNESS;
use agon_report::companion::EXTRACTION;
use agon_runtime::{
    drive::{self, Drive, DriveError, Notice, Watch, probe_seats},
    files::FileError,
    lookups::LookupSource,
    participant::{CallFailure, Probe},
    prompts::{
        PromptError, Renderer,
        material::{MATERIAL, PromptMaterial},
    },
    retry::RetryPolicy,
};

use crate::{
    companion_opening::find_parent,
    context::Context,
    failure::{Failure, Result, exit},
    file_writer::{self, DebateFiles},
    lookups::DebateLookups,
    models::SeatedModel,
    output_folder::{self, OutputDir},
    participants::{self, artifact_watcher::ArtifactWatcher},
    remote_run::{self, DebateDriver},
};

/// The seats answer, or the first that cannot ends the run before anything is asked.
/// Where an engine drives, it seats them, and nobody here does.
pub async fn seat_and_probe(lineup: &[SeatedModel], context: &Context, debate: &DebateId) -> Result<drive::Seats> {
    if context.engine.is_some() {
        return Ok(drive::Seats::new());
    }
    let seats = participants::build_seats(lineup, context, debate).await?;
    for (seat, probed) in probe_seats(&seats).await {
        let name = seats.get(&seat).map(|seated| seated.name.as_str()).unwrap_or_default();
        match probed {
            Ok(Probe::Ready) => {}
            Ok(Probe::Doubtful(why)) => context.frontend.warn(&format!("{name} (seat {seat}): {why}")),
            Err(failure) => {
                let remedy = match &failure {
                    CallFailure::Unavailable { remedy, .. } => remedy.clone(),
                    _ => "agon doctor shows the available models".into(),
                };
                let message = format!("{name} (seat {seat}): {failure}; nothing was sent");
                return Err(Failure::new(exit::PROVIDER, "provider", message, remedy));
            }
        }
    }
    Ok(seats)
}

/// An open debate with all its participants, ready to be driven.
pub struct StartedDebate {
    /// Which.
    pub id: DebateId,
    /// Its rules.
    pub protocol: &'static dyn Protocol,
    /// Who answers.
    pub seats: drive::Seats,
    /// Where its files go; `None` where none are wanted.
    pub directory: Option<PathBuf>,
    /// Who drives it.
    pub driver: DebateDriver,
}

impl StartedDebate {
    /// Seats everyone of a debate that was opened without.
    ///
    /// # Errors
    ///
    /// The first that cannot answer; the debate is open all the same, and can be resumed.
    pub async fn seat_everyone(mut self, lineup: &[SeatedModel], context: &Context) -> Result<Self> {
        self.seats =
            seat_and_probe(lineup, context, &self.id).await.map_err(|failure| failure.with_resume_hint(&self.id))?;
        Ok(self)
    }

    /// Drives the debate before `screen` until it closes or must stop, and leaves its files; gives how it
    /// closed, and its record.
    ///
    /// # Errors
    ///
    /// Why it stopped before its end; it can be resumed.
    pub async fn drive_debate(
        self,
        context: &Context,
        screen: Box<dyn Watch>,
        interrupted: impl Future<Output = ()>,
    ) -> Result<(Outcome, Record)> {
        let Self { id, protocol, mut seats, directory, driver } = self;
        let journal = &*context.journal;
        let mut record = journal.read_record(&id)?;
        let of = DrivenOutput::new(context, &record, directory)?;
        let mut lock = match driver {
            DebateDriver::Here(lock) => lock,
            DebateDriver::Elsewhere(engine, order) => {
                let ended =
                    remote_run::drive_remotely(context, &*engine, &order, &record, &*screen, interrupted).await?;
                return of.write_files(&id, Ok(ended)).await;
            }
        };
        let list = record.document(MATERIAL);
        let renderer = compile_renderer(&record, &of.texts)?;
        let renderer = with_material(&renderer, protocol, record.opened(), list, &context.places.home)?;
        if protocol.manifest().motion == MotionKind::Document
            && let (Ok(seat), Some(output)) = (Seat::new(WITNESS), &of.output)
        {
            let participant = Arc::new(ArtifactWatcher::new(record.opened(), Arc::clone(output)));
            seats.insert(seat, drive::SeatHandle::new(WITNESS, participant));
        }
        let lookups = DebateLookups::from_opened(context, record.opened(), renderer.material.clone());
        let lookups = lookups.map(|lookups| lookups as Arc<dyn LookupSource>);
        let mut showing = Showing { screen, ruled: AtomicBool::new(true), drawing: None };
        let mut interrupted = std::pin::pin!(interrupted);
        loop {
            let before = count_continuations(&record);
            showing.drawing = of.output.clone().map(DebateFiles::new);
            let drive = Drive {
                journal,
                debate: &id,
                protocol,
                renderer: &renderer,
                seats: &seats,
                lookups: lookups.clone(),
                watch: &showing,
                retry: RetryPolicy::default(),
                fence: lock.fence(),
                patience: context.patience,
            };
            let driven = drive.run_from(record, interrupted.as_mut()).await;
            showing.drawing = None;
            let may_go_on = matches!(&driven, Err(error) if !matches!(error, DriveError::Interrupted));
            let ended = of.write_files(&id, driven).await;
            // A person who resumes the debate while its last files are written finds the lock taken, and only the
            // record says so. So it is read again once the lock is free, and before watchers hear that it stopped.
            drop(lock);
            let next = if may_go_on { take_continued_debate(context, &id, before)? } else { None };
            match next {
                Some((taken, next)) => (lock, record) = (taken, next),
                None => return ended,
            }
        }
    }
}

/// How often a debate was told to continue, or was allowed more.
fn count_continuations(record: &Record) -> usize {
    let continues = |what: &Event| match what {
        Event::Extended { .. } => true,
        Event::Acted(act) => act.deed == ActKind::Resumed,
        Event::Opened(_) | Event::Asked(_) | Event::Answered(_) | Event::Ruled { .. } | Event::Closed { .. } => false,
    };
    record.entries().iter().filter(|entry| continues(&entry.what)).count()
}

/// The lock and the record of a debate that stopped and was told to continue since: more than `before` times in all.
/// `None` if it waits, or another process drives it.
fn take_continued_debate(context: &Context, id: &DebateId, before: usize) -> Result<Option<(DriveLock, Record)>> {
    let record = context.journal.read_record(id)?;
    if record.closing_outcome().is_some() || record.find_pause().is_some() || count_continuations(&record) <= before {
        return Ok(None);
    }
    match DriveLock::acquire(&context.journal, id) {
        Ok(lock) => Ok(Some((lock, context.journal.read_record(id)?))),
        Err(LockError::Held(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Where the files of a debate that is driven go, and what they are made of.
struct DrivenOutput<'c> {
    context: &'c Context,
    texts: Arc<BTreeMap<Digest, String>>,
    found: Option<Record>,
    /// `None` where the debate leaves no files.
    output: Option<Arc<OutputDir>>,
}

impl<'c> DrivenOutput<'c> {
    fn new(context: &'c Context, record: &Record, directory: Option<PathBuf>) -> Result<Self> {
        let texts = load_texts(&context.journal, record)?;
        let found = output_folder::find_extraction(&context.journal, record)?;
        let output = directory.map(|directory| {
            Arc::new(OutputDir::from_record(record, found.as_ref(), &directory).with_files(context.files))
        });
        Ok(Self { context, texts, found, output })
    }

    /// Leaves the files of a debate that closed or stopped.
    async fn write_files(
        &self,
        id: &DebateId,
        driven: std::result::Result<(Outcome, Record), DriveError>,
    ) -> Result<(Outcome, Record)> {
        let (outcome, record) = match driven {
            Ok((outcome, record)) => (Ok(outcome), record),
            // What it wanted to add may not be stored.
            Err(error) => (Err(Failure::from(error).with_resume_hint(id)), self.context.journal.read_record(id)?),
        };
        let frontend = Arc::clone(&self.context.frontend);
        let (left, record) = match self.output.clone() {
            Some(output) => {
                // What seats looked up came on the way.
                let (texts, found) = (load_texts(&self.context.journal, &record)?, self.found.clone());
                let left = file_writer::run_last_drawing(move || {
                    let left = output.write_all_files(&record, found.as_ref(), &texts, &*frontend);
                    (left, record)
                });
                let ending = || Failure::io("the files could not be written", "").with_resume_hint(id);
                left.await.ok_or_else(ending)?
            }
            None => (Ok(0), record),
        };
        let outcome = outcome?;
        left.map_err(|error| Failure::from(error).with_resume_hint(id))?;
        self.context.frontend.on_debate_end(id);
        // The debate that it reads shows what it found.
        let opened = record.opened();
        if let Some(of) = find_parent(opened, EXTRACTION).filter(|_| opened.protocol == EXTRACTION)
            && let Ok(of) = DebateId::new(of)
        {
            output_folder::draw_again(self.context, &of)?;
        }
        Ok((outcome, record))
    }
}

/// The exit code of a closed debate.
pub fn exit_code(outcome: &Outcome) -> u8 {
    let mut missed = agon_protocols::ALL.iter().filter_map(|protocol| protocol.missed_outcome());
    let is_missed = missed.any(|name| name == outcome.name);
    match outcome.standing {
        Standing::Void => exit::VOID,
        // It closed by its rules, and yet there was no debate: someone never took part.
        Standing::Valid if is_missed && !outcome.absent.is_empty() => exit::NOBODY_CAME,
        Standing::Valid => exit::OK,
    }
}

/// The texts that a record is pinned to; those that were read last are kept, since debates of a batch
/// share them.
fn load_texts(journal: &Journal, record: &Record) -> Result<Arc<BTreeMap<Digest, String>>> {
    static LAST: Mutex<Option<Arc<BTreeMap<Digest, String>>>> = Mutex::new(None);
    let wanted: BTreeSet<&Digest> = record.list_text_digests().collect();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(texts) = last.as_ref().filter(|texts| texts.keys().eq(wanted.iter().copied())) {
        return Ok(Arc::clone(texts));
    }
    let texts = Arc::new(journal.read_texts(wanted)?);
    *last = Some(Arc::clone(&texts));
    Ok(texts)
}

/// The templates that a record is pinned to, compiled.
pub fn compile_renderer(record: &Record, texts: &BTreeMap<Digest, String>) -> Result<Arc<Renderer>> {
    let templates =
        record.opened().prompts.iter().filter_map(|(name, digest)| Some((name.clone(), texts.get(digest)?.clone())));
    Ok(compile_templates(templates.collect())?)
}

/// `renderer` with the material of the debate that is `opened`, whose list is `list`.
///
/// # Errors
///
/// Where the list or its contents cannot be read.
pub fn with_material(
    renderer: &Arc<Renderer>,
    protocol: &dyn Protocol,
    opened: &Opened,
    list: Option<&str>,
    home: &Path,
) -> Result<Arc<Renderer>> {
    let material = PromptMaterial::from_opened(opened, protocol.manifest(), list, home);
    let material = material.map_err(|error| {
        let remedy = "run it where it was started, or copy material.db from there";
        Failure::damaged(format!("the material: {error}"), remedy)
    })?;
    Ok(match material {
        Some(material) => Arc::new(renderer.with_material(material)),
        None => Arc::clone(renderer),
    })
}

/// `templates` compiled; those that were compiled last are kept, since debates of a batch share them.
pub fn compile_templates(templates: BTreeMap<String, String>) -> std::result::Result<Arc<Renderer>, PromptError> {
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
    /// Nothing between two drives.
    drawing: Option<DebateFiles>,
}

impl Watch for Showing {
    fn on_entry(&self, entry: &Entry) {
        if matches!(entry.what, Event::Ruled { .. }) {
            self.ruled.store(true, Ordering::Relaxed);
        }
        self.screen.on_entry(entry);
    }

    fn on_record(&self, record: &Record) -> std::result::Result<(), FileError> {
        // An error stops the debate.
        if let Some(error) = self.drawing.as_ref().and_then(DebateFiles::take_failure) {
            return Err(error);
        }
        // A closed debate gets all its files at once.
        if record.closing_outcome().is_none()
            && let Some(drawing) = &self.drawing
            && self.ruled.swap(false, Ordering::Relaxed)
        {
            drawing.schedule_drawing(record.clone());
        }
        self.screen.on_record(record)
    }

    fn on_delta(&self, key: &Key, attempt: u32, text: &str) {
        self.screen.on_delta(key, attempt, text);
    }

    fn on_notice(&self, notice: &Notice) {
        self.screen.on_notice(notice);
    }
}
