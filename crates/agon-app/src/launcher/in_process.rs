//! Debates that this process drives, on threads of their own.

use std::{collections::BTreeSet, sync::Arc};

use agon_core::{DebateId, Extension, Limits, Manifest, Protocol, Record};
use agon_runtime::{
    config::full_name,
    drive::{DriveError, Watch},
    lookups::LookupSource,
};
use tokio::sync::{oneshot, watch};
use tokio_util::task::TaskTracker;

use super::{ContinueRequest, Launcher, allowed_models::check_model, driven_debates::DrivenNotes};
use crate::{
    access::named_models,
    asker::{Asker, RemoteRights},
    companion,
    context::Context,
    cost_plan::Plan,
    declarations,
    driving_threads::DrivingThreads,
    failure::{Failure, Result, exit},
    local_run::StartedDebate,
    lookups::DebateLookups,
    model_speed::MeasuredSpeeds,
    models::{SeatedModel, check_prices, parse_model},
    opening::{self, CheckedDebate},
    participants,
    request::{OpeningRequest, SeatRequest},
    resume::{self, ResumeOutcome, ResumeRequest},
    start,
};

/// Observes the debates that the launcher drives.
pub trait Observer: Send + Sync {
    /// What is told of one debate while it is driven.
    fn watch_debate(&self, debate: &DebateId) -> Box<dyn Watch>;

    /// A debate stopped before its end.
    fn gave_up(&self, debate: &DebateId, why: &Failure);
}

/// The server's rules for the debates that it starts: the largest limits, and whether model files are allowed.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// What no debate may exceed.
    pub ceiling: Extension,
    /// Whether a model may be a file of this machine.
    pub allow_model_files: bool,
}

/// What is wanted of a debate.
enum DriverCommand {
    Open(Box<OpeningRequest>),
    Continue(ContinueRequest),
    /// To continue what was interrupted with an earlier process.
    Resume(DebateId),
}

/// A debate that was begun.
struct BegunDebate {
    id: DebateId,
    /// None where another process drives it.
    started: Option<StartedDebate>,
    /// Who is still to be seated.
    unseated: Vec<SeatedModel>,
}

/// Opens debates and drives them in this process.
pub struct InProcess {
    threads: DrivingThreads,
    driver: Arc<ProcessDriver>,
}

/// Ends what an [`InProcess`] drives, at the latest when it is dropped.
pub struct DriverHandle(Arc<ProcessDriver>);

impl Drop for DriverHandle {
    fn drop(&mut self) {
        self.0.end.send_replace(true);
    }
}

impl DriverHandle {
    /// Stops every debate where it is, and waits until all have stopped. They can be resumed.
    pub async fn stop_all(self) {
        self.0.end.send_replace(true);
        self.0.debates.close();
        self.0.debates.wait().await;
    }
}

/// What every thread drives with.
struct ProcessDriver {
    context: Context,
    terms: Terms,
    observer: Arc<dyn Observer>,
    notes: DrivenNotes,
    /// The debates under way.
    debates: TaskTracker,
    /// True once everything is to end.
    end: watch::Sender<bool>,
}

impl InProcess {
    /// Starts the threads that drive; no reader of a page waits for them.
    pub fn start(context: Context, terms: Terms, observer: Arc<dyn Observer>) -> (Self, DriverHandle) {
        let notes = DrivenNotes::new(&context.places.home);
        let (debates, end) = (TaskTracker::new(), watch::Sender::new(false));
        let driver = Arc::new(ProcessDriver { context, terms, observer, notes, debates, end });
        let threads = DrivingThreads::start(usize::MAX);
        (Self { threads, driver: Arc::clone(&driver) }, DriverHandle(driver))
    }

    /// The debates that this data directory's server drove when it ended, and that [`Self::resume_debates`] continues; none,
    /// and they are forgotten, where it `resumes` nothing.
    pub fn list_interrupted(&self, resumes: bool) -> Vec<DebateId> {
        let notes = &self.driver.notes;
        let debates = notes.list_interrupted_debates(&self.driver.context.journal);
        if !resumes {
            debates.iter().for_each(|debate| notes.remove_note(debate));
            return Vec::new();
        }
        debates
    }

    /// Continues debates that were interrupted with an earlier process; why one does not continue is told to the
    /// observer.
    pub async fn resume_debates(&self, debates: Vec<DebateId>) {
        for debate in debates {
            if let Err(failure) = self.send_command(DriverCommand::Resume(debate.clone())).await {
                tracing::warn!(%debate, code = %failure.code, "not continued");
                self.driver.observer.gave_up(&debate, &failure);
            }
        }
    }

    async fn send_command(&self, wanted: DriverCommand) -> Result<DebateId> {
        let (answer, opened) = oneshot::channel();
        let driver = Arc::clone(&self.driver);
        // Counted before the look at the end: what comes later than that is refused, what comes earlier is waited for.
        let driven = driver.debates.token();
        if *driver.end.borrow() {
            return Err(shutdown_failure());
        }
        self.threads.spawn(|| async move {
            driver.run_debate(wanted, answer).await;
            drop(driven);
        });
        opened.await.map_err(|_| shutdown_failure())?
    }
}

fn shutdown_failure() -> Failure {
    Failure::new(exit::CONFLICT, "ending", "the server is shutting down", "start it again")
}

#[async_trait::async_trait]
impl Launcher for InProcess {
    fn list_declared_protocols(&self) -> Vec<Manifest> {
        declarations::list_manifests(&self.driver.context.places)
    }

    fn lookup_source(&self, record: &Record) -> Result<Option<Arc<dyn LookupSource>>> {
        DebateLookups::of_record(&self.driver.context, record)
    }

    async fn open_debate(&self, request: OpeningRequest) -> Result<DebateId> {
        self.send_command(DriverCommand::Open(Box::new(request))).await
    }

    async fn plan_debate(&self, request: OpeningRequest) -> Result<Plan> {
        let driver = Arc::clone(&self.driver);
        // A whole debate is rehearsed for it.
        tokio::task::spawn_blocking(move || driver.plan_request(request)).await.map_err(|_| shutdown_failure())?
    }

    async fn continue_debate(&self, request: ContinueRequest) -> Result<()> {
        self.send_command(DriverCommand::Continue(request)).await.map(drop)
    }
}

impl ProcessDriver {
    /// Opens a debate, answers, and drives it and its companions to their end.
    async fn run_debate(self: Arc<Self>, wanted: DriverCommand, answer: oneshot::Sender<Result<DebateId>>) {
        let mut end = self.end.subscribe();
        let began = tokio::select! {
            biased;
            _ = end.wait_for(|ended| *ended) => return,
            began = self.start_debate(wanted) => began,
        };
        let (id, mut started, unseated) = match began {
            Ok(BegunDebate { id, started: Some(started), unseated }) => (id, started, unseated),
            Ok(BegunDebate { id, started: None, .. }) => return drop(answer.send(Ok(id))),
            Err(failure) => return drop(answer.send(Err(failure))),
        };
        let screen = self.observer.watch_debate(&id);
        let _ = answer.send(Ok(id.clone()));
        if !unseated.is_empty() {
            // The client has its answer: a download takes minutes.
            self.notes.write_note(&id, 1);
            let context = self.context.without_person();
            let seated = tokio::select! {
                seated = started.seat_everyone(&unseated, &context) => seated,
                _ = end.wait_for(|ended| *ended) => return,
            };
            started = match seated {
                Ok(seated) => seated,
                Err(failure) => {
                    self.notes.remove_note(&id);
                    drop(screen);
                    return self.observer.gave_up(&id, &failure);
                }
            };
        }
        if !self.drive_debate(started, screen).await {
            return;
        }
        loop {
            let next = async {
                let record = self.context.journal.read_record(&id)?;
                companion::next(&self.context, &record).await
            };
            let companion = match next.await {
                Ok(Some((_, companion))) => companion,
                Ok(None) => return,
                Err(failure) => return self.observer.gave_up(&id, &failure),
            };
            let screen = self.observer.watch_debate(&companion.id);
            if !self.drive_debate(companion, screen).await {
                return;
            }
        }
    }

    /// Drives a debate as long as this process continues; whether it came to its end.
    async fn drive_debate(&self, started: StartedDebate, screen: Box<dyn Watch>) -> bool {
        let id = started.id.clone();
        let mut end = self.end.subscribe();
        let ended = async {
            let _ = end.wait_for(|ended| *ended).await;
        };
        // An engine continues by itself, whatever becomes of this process.
        if self.context.engine.is_none() {
            let entries = self.context.journal.find_summary(&id).ok().flatten().map_or(0, |summary| summary.entries);
            self.notes.write_note(&id, entries);
        }
        let driven = started.drive_debate(&self.context, screen, ended).await;
        if !*self.end.borrow() || driven.is_ok() {
            self.notes.remove_note(&id);
        }
        driven.map_err(|failure| self.observer.gave_up(&id, &failure)).is_ok()
    }

    /// The debate, seated where it is to be driven here.
    async fn start_debate(self: &Arc<Self>, wanted: DriverCommand) -> Result<BegunDebate> {
        match wanted {
            DriverCommand::Open(request) => self.open_debate(*request).await,
            DriverCommand::Continue(request) => self.continue_debate(request).await,
            DriverCommand::Resume(debate) => {
                let (record, protocol) = resume::read_debate(&self.context.journal, &debate)?;
                self.resume_debate(&record, protocol, &ResumeRequest::Recorded).await
            }
        }
    }

    async fn resume_debate(
        &self,
        record: &Record,
        protocol: &'static dyn Protocol,
        wish: &ResumeRequest,
    ) -> Result<BegunDebate> {
        let seats = SeatRequest::default();
        let started = match resume::resume_debate(&self.context, record, protocol, &seats, wish).await? {
            ResumeOutcome::Ready(started, _) => Some(*started),
            ResumeOutcome::Elsewhere { .. } => None,
        };
        Ok(BegunDebate { id: record.opened().debate.clone(), started, unseated: Vec::new() })
    }

    async fn continue_debate(&self, request: ContinueRequest) -> Result<BegunDebate> {
        let (record, protocol) = resume::read_debate(&self.context.journal, &request.debate)?;
        let wish = if request.extends {
            let rounds = request.rounds.unwrap_or_default();
            let mut more = Extension { rounds, ..opening::parse_budget(&request.to_budget())? };
            resume::check_extension(&record, protocol, &more)?;
            let Extension { requests_max, tokens_max, cost_microusd_max, time_seconds_max, .. } = &mut more;
            let own = [requests_max, tokens_max, cost_microusd_max, time_seconds_max];
            // What nobody mentions stays as it is.
            lower_limits(own, &self.terms.ceiling, Option::is_some);
            ResumeRequest::Extend(more)
        } else {
            if let Some(outcome) = record.closing_outcome() {
                let message = format!("the debate is closed: {}", outcome.name);
                return Err(Failure::new(exit::CONFLICT, "closed", message, "extend it"));
            }
            match request.principal {
                Some(principal) => ResumeRequest::ResumeBy(principal),
                None => ResumeRequest::Resume(request.name.unwrap_or_default()),
            }
        };
        self.resume_debate(&record, protocol, &wish).await
    }

    async fn open_debate(self: &Arc<Self>, request: OpeningRequest) -> Result<BegunDebate> {
        let (driver, given_up) = (Arc::clone(self), request.stop.clone());
        // Material is read, and a debate rehearsed: the debates that this thread drives do not wait for that.
        let checked = tokio::task::spawn_blocking(move || {
            let request = driver.admit_request(request)?;
            let checked = driver.check_request(&request)?;
            Ok::<_, Failure>((request, checked))
        });
        let (request, checked) = checked.await.map_err(|_| shutdown_failure())??;
        if given_up.is_stopped() {
            return Err(DriveError::Interrupted.into());
        }
        let lineup = &checked.lineup;
        let models = lineup.iter().map(|sat| &sat.spec);
        let context = &self.context;
        let id = checked.opened.debate.clone();
        if context.engine.is_none() && !participants::describe_downloads(models, context).is_empty() {
            let started = Some(start::open_debate(context, &request, &checked, false).await?);
            return Ok(BegunDebate { id, started, unseated: lineup.clone() });
        }
        let started = Some(start::start_debate(context, &request, &checked).await?);
        Ok(BegunDebate { id, started, unseated: Vec::new() })
    }

    /// Checks everything as `agon run` does, within what any debate here may spend.
    fn check_request(&self, request: &OpeningRequest) -> Result<CheckedDebate> {
        let mut checked = opening::check_request(&self.context, request)?;
        let CheckedDebate { opened, lineup, .. } = &mut checked;
        lineup.iter().try_for_each(|sat| check_model(&sat.entry.model, &sat.spec, &self.context))?;
        let Limits { requests_max, tokens_max, cost_microusd_max, time_seconds_max, .. } = &mut opened.limits;
        let own = [requests_max, tokens_max, cost_microusd_max, time_seconds_max];
        lower_limits(own, &self.terms.ceiling, |_| true);
        check_prices(lineup, &opened.limits)?;
        Ok(checked)
    }

    fn plan_request(&self, request: OpeningRequest) -> Result<Plan> {
        let checked = self.check_request(&self.admit_request(request)?)?;
        let speeds = MeasuredSpeeds::from_journal(&self.context.journal, &self.context.config);
        let plan = checked.build_plan(&speeds)?;
        let text = checked.notes.into_iter().chain([plan.text]).collect::<Vec<_>>().join("\n");
        Ok(Plan { text, ..plan })
    }

    /// The request as it is taken from elsewhere.
    fn admit_request(&self, mut request: OpeningRequest) -> Result<OpeningRequest> {
        let readable = match std::mem::take(&mut request.asker) {
            Asker::Remote(rights) => rights.readable,
            Asker::MachineUser => BTreeSet::new(),
        };
        let model_files = self.terms.allow_model_files;
        request.asker = Asker::Remote(RemoteRights { readable, model_files });
        if std::mem::replace(&mut request.yes, true) {
            return Err(Failure::usage("\"yes\" is only available with agon run", "omit it"));
        }
        // There is no terminal here: a person answers on the page.
        let SeatRequest { seats, model } = &mut request.seats;
        for pair in seats.iter_mut() {
            if let Some((seat, "human")) = pair.split_once('=') {
                *pair = format!("{seat}=outside");
            }
        }
        for model in model.iter_mut().chain(&mut request.extract).filter(|model| *model == "human") {
            *model = "outside".into();
        }
        let config = &self.context.config;
        for model in named_models(&request) {
            // One that is none is told by the check of its place.
            if let Ok(spec) = parse_model(model.trim(), config) {
                check_model(&full_name(model.trim(), config), &spec, &self.context)?;
            }
        }
        Ok(request)
    }
}

/// Lowers those of a debate's limits that are `taken` to the most that any debate may spend.
fn lower_limits(own: [&mut Option<u64>; 4], ceiling: &Extension, taken: impl Fn(&Option<u64>) -> bool) {
    let most = [ceiling.requests_max, ceiling.tokens_max, ceiling.cost_microusd_max, ceiling.time_seconds_max];
    for (own, most) in own.into_iter().zip(most).filter(|(own, _)| taken(own)) {
        *own = match (*own, most) {
            (Some(own), Some(most)) => Some(own.min(most)),
            (own, most) => own.or(most),
        };
    }
}
