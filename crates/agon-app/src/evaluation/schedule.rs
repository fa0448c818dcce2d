//! The run of an evaluation: every item with every arm, several debates at the same time, item after item, so that all
//! arms progress together. What has ended is not asked again; what was interrupted continues.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use agon_core::{DebateId, Extension, Record};
use agon_eval::{item::Item, observation::Observation};
use agon_journal::LockError;
use agon_runtime::drive::SilentWatch;
use futures::{FutureExt, StreamExt};

use super::{
    Evaluation,
    arms::Arm,
    observation::{build_observation, failed_observation, read_tag},
    run_folder::{ObservationKey, RunFolder, has_ended},
};
use crate::{
    context::Context,
    driving_threads::DrivingThreads,
    failure::{Failure, Result, exit},
    opening,
    request::{OpeningRequest, SeatRequest},
    resume::{ResumeOutcome, ResumeRequest, read_debate, resume_debate},
    start::start_debate,
};

/// After so many debates of an arm in a row whose provider was not available, its other debates are not tried: each
/// would wait for the same retries.
const DOWN_AFTER: u32 = 3;
/// Folder of the debates' files in that of a run.
const DEBATES: &str = "debates";

/// How far a run is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EvaluationProgress {
    /// Debates that have ended, those of earlier runs included.
    pub done: u64,
    /// Debates in all.
    pub all: u64,
    /// Debates that failed now.
    pub failed: u64,
    /// US dollars so far, where all prices are known.
    pub money: Option<f64>,
    /// Seconds that the rest takes at the pace of this run; `None` before anything has ended.
    pub seconds_left: Option<f64>,
}

/// What came of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSummary {
    /// How far it came.
    pub progress: EvaluationProgress,
    /// Debates that ended now.
    pub new: u64,
    /// Failed debates of each arm, and why the first of them failed.
    pub failures: BTreeMap<String, (u64, String)>,
    /// Why it stopped before its end.
    pub stopped: Option<Failure>,
}

impl RunSummary {
    /// The exit code of a command that ends so.
    pub fn exit_code(&self) -> u8 {
        match &self.stopped {
            Some(failure) => failure.exit,
            None if self.failures.is_empty() => exit::OK,
            None => exit::PROVIDER,
        }
    }
}

/// One debate to hold.
struct Job {
    item: Arc<Item>,
    arm: usize,
    repetition: u32,
}

/// How a job ended.
enum JobEnd {
    /// The debate has ended.
    Observed(Box<Observation>),
    /// It could not be brought to its end; another run tries again.
    Failed(Box<Observation>, Failure),
    /// Nothing more is to be begun.
    Stopped(Failure),
}

/// What was spent, or may still be.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    calls: f64,
    tokens: f64,
    microusd: f64,
}

impl Amount {
    fn from_observation(observation: &Observation) -> Self {
        let usage = &observation.usage;
        let tokens = usage.input_tokens.unwrap_or_default() + usage.output_tokens.unwrap_or_default();
        let microusd = usage.money.unwrap_or_default() * 1e6;
        Self { calls: usage.calls.unwrap_or_default() as f64, tokens: tokens as f64, microusd }
    }

    /// The most that a debate of `arm` takes if no answer needs a redraft.
    fn most_of_arm(arm: &Arm) -> Self {
        let plan = arm.plan;
        let tokens = plan.prompt_tokens + plan.completion_tokens_max;
        Self { calls: plan.calls, tokens, microusd: plan.cost_microusd.unwrap_or_default() }
    }

    fn add_scaled(self, other: Self, sign: f64) -> Self {
        Self {
            calls: self.calls + sign * other.calls,
            tokens: self.tokens + sign * other.tokens,
            microusd: self.microusd + sign * other.microusd,
        }
    }
}

/// Holds the debates of `evaluation` that are left, and appends what came of each to `folder`.
///
/// # Errors
///
/// Where the folder or the items cannot be read or written. What providers do is part of the summary.
pub async fn run(
    context: &Context,
    evaluation: &Arc<Evaluation>,
    folder: &mut RunFolder,
    watch: &dyn Fn(&EvaluationProgress),
    interrupted: impl Future<Output = ()> + Clone + Send + 'static,
) -> Result<RunSummary> {
    let (worker, progress) = DebateWorker::new(context, evaluation, folder)?;
    let mut summary = RunSummary { progress, ..RunSummary::default() };
    watch(&summary.progress);
    let settled = folder.settled_keys();
    let jobs = list_jobs(evaluation, folder, &settled)?;
    let worker = Arc::new(worker);
    let concurrency = evaluation.request.concurrency.max(1).into();
    let threads = DrivingThreads::start(concurrency);
    let work = futures::stream::iter(jobs).map(|job| {
        let (worker, interrupted, threads) = (Arc::clone(&worker), interrupted.clone(), &threads);
        async move {
            let job = job?;
            threads.run(move || async move { worker.run_job(job, interrupted).await }).await
        }
    });
    let mut work = std::pin::pin!(work.buffer_unordered(concurrency));
    while let Some(end) = work.next().await {
        let observation = match end? {
            JobEnd::Observed(observation) => {
                summary.new += 1;
                observation
            }
            JobEnd::Failed(observation, failure) => {
                let (count, _) =
                    summary.failures.entry(observation.arm.clone()).or_insert((0, failure.message.clone()));
                *count += 1;
                observation
            }
            JobEnd::Stopped(failure) => {
                summary.stopped.get_or_insert(failure);
                continue;
            }
        };
        let progress = &mut summary.progress;
        progress.add(&observation);
        folder.append_observation(&observation)?;
        let passed = worker.began.elapsed().as_secs_f64();
        let left = progress.all.saturating_sub(progress.done + progress.failed);
        progress.seconds_left = Some(passed / (summary.new + progress.failed) as f64 * left as f64);
        watch(progress);
    }
    Ok(summary)
}

/// Every debate that has not ended: the first repetition of all items, then the next; of each item all arms.
fn list_jobs<'j>(
    evaluation: &'j Evaluation,
    folder: &RunFolder,
    settled: &'j BTreeSet<ObservationKey>,
) -> Result<impl Iterator<Item = Result<Job>> + use<'j>> {
    let mut files = Vec::new();
    for repetition in 0..evaluation.request.repeat {
        files.push((repetition, folder.read_items()?));
    }
    let of_item = move |repetition: u32, item: Result<Item>| -> Vec<Result<Job>> {
        let item = match item {
            Ok(item) => Arc::new(item),
            Err(failure) => return vec![Err(failure)],
        };
        let arms = evaluation.arms.iter().enumerate();
        let left = arms
            .filter(|(_, arm)| !settled.contains(&(item.id.clone(), arm.run.name.clone(), repetition)))
            .map(|(arm, _)| Ok(Job { item: Arc::clone(&item), arm, repetition }));
        left.collect()
    };
    Ok(files.into_iter().flat_map(move |(repetition, items)| items.flat_map(move |item| of_item(repetition, item))))
}

impl EvaluationProgress {
    fn add(&mut self, observation: &Observation) {
        let count = if has_ended(observation) { &mut self.done } else { &mut self.failed };
        *count += 1;
        self.money = self.money.zip(observation.usage.money).map(|(sum, money)| sum + money);
    }
}

/// What every debate of a run is held with.
struct DebateWorker {
    context: Context,
    evaluation: Arc<Evaluation>,
    debates: std::path::PathBuf,
    limits: Extension,
    began: Instant,
    state: Mutex<RunState>,
}

/// What the debates of a run know of each other.
#[derive(Default)]
struct RunState {
    spent: Amount,
    reserved: Amount,
    /// Why nothing more is begun.
    halted: Option<Failure>,
    /// Of each arm: failures of its provider in a row, and the last one.
    down: Vec<(u32, Option<Failure>)>,
}

impl DebateWorker {
    /// With what earlier runs in the same folder spent, and how far they came.
    fn new(context: &Context, evaluation: &Arc<Evaluation>, folder: &RunFolder) -> Result<(Self, EvaluationProgress)> {
        let all = evaluation.count_debates();
        let mut progress = EvaluationProgress { all, money: Some(0.0), ..EvaluationProgress::default() };
        let mut spent = Amount::default();
        for observation in folder.read_observations()? {
            let observation = observation?;
            spent = spent.add_scaled(Amount::from_observation(&observation), 1.0);
            let is_asked = evaluation.arms.iter().any(|arm| arm.run.name == observation.arm)
                && observation.repetition < evaluation.request.repeat;
            if is_asked && has_ended(&observation) {
                progress.add(&observation);
            }
        }
        let worker = Self {
            context: context.clone().with_offline(evaluation.request.offline),
            evaluation: Arc::clone(evaluation),
            debates: folder.path.join(DEBATES),
            limits: opening::parse_budget(&evaluation.request.budget)?,
            began: Instant::now(),
            state: Mutex::new(RunState { spent, down: vec![(0, None); evaluation.arms.len()], ..RunState::default() }),
        };
        Ok((worker, progress))
    }

    fn lock_state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings one debate to its end, if it may be begun.
    async fn run_job(&self, job: Job, interrupted: impl Future<Output = ()> + Clone) -> Result<JobEnd> {
        let arm = &self.evaluation.arms[job.arm];
        if let Some(failure) = self.lock_state().halted.clone() {
            return Ok(JobEnd::Stopped(failure));
        }
        if interrupted.clone().now_or_never().is_some() {
            let remedy = "give the same command again to continue";
            return Ok(JobEnd::Stopped(Failure::new(exit::INTERRUPTED, "interrupted", "interrupted", remedy)));
        }
        let checked = arm.prepare_debate(&job.item, self.evaluation.request.seed, job.repetition)?;
        let id = checked.opened.debate.clone();
        let tag = read_tag(&checked.opened).unwrap_or_else(|| unreachable!("a debate of an arm says what it is for"));
        let held = self.context.journal.find_record(&id)?;
        if let Some(observation) = held.as_ref().and_then(build_observation) {
            return Ok(JobEnd::Observed(observation.into()));
        }
        if let Some(failure) = self.is_down(job.arm) {
            let reason = format!("not asked, since its provider is not available: {}", failure.message);
            return Ok(JobEnd::Failed(failed_observation(&tag, held.as_ref(), &reason).into(), failure));
        }
        let most = Amount::most_of_arm(arm);
        if let Some(failure) = self.reserve_amount(most) {
            return Ok(JobEnd::Stopped(failure));
        }
        let driven = self.drive_debate(&checked, held, interrupted).await;
        let end = match driven {
            Ok(record) => match build_observation(&record) {
                Some(observation) => JobEnd::Observed(observation.into()),
                None => unreachable!("a debate that was driven to its end has an observation"),
            },
            Err(failure) if failure.exit == exit::INTERRUPTED => JobEnd::Stopped(failure),
            // A full disk or a damaged journal concerns the whole run, not an arm.
            Err(failure) if [exit::IO, exit::DAMAGED].contains(&failure.exit) => return Err(failure),
            Err(failure) => {
                let record = self.context.journal.find_record(&id)?;
                JobEnd::Failed(failed_observation(&tag, record.as_ref(), &failure.message).into(), failure)
            }
        };
        let spent = match &end {
            JobEnd::Observed(observation) | JobEnd::Failed(observation, _) => Amount::from_observation(observation),
            JobEnd::Stopped(_) => Amount::default(),
        };
        self.settle_amount(most, spent);
        self.count_failures(job.arm, &end);
        Ok(end)
    }

    async fn drive_debate(
        &self,
        checked: &opening::CheckedDebate,
        held: Option<Record>,
        interrupted: impl Future<Output = ()>,
    ) -> Result<Record> {
        let id = &checked.opened.debate;
        let started = match held {
            Some(_) => self.resume_debate(id).await?,
            None => {
                let out = Some(self.debates.join(id.as_str()));
                let request = OpeningRequest { yes: true, out, ..OpeningRequest::default() };
                start_debate(&self.context, &request, checked).await?
            }
        };
        let (_, record) = started.drive_debate(&self.context, Box::new(SilentWatch), interrupted).await?;
        Ok(record)
    }

    /// A debate that was interrupted.
    async fn resume_debate(&self, id: &DebateId) -> Result<crate::local_run::StartedDebate> {
        let (record, protocol) = read_debate(&self.context.journal, id)?;
        let wish = ResumeRequest::Resume("agon eval".into());
        match resume_debate(&self.context, &record, protocol, &SeatRequest::default(), &wish).await? {
            ResumeOutcome::Ready(started, _) => Ok(*started),
            ResumeOutcome::Elsewhere { held, .. } => Err(LockError::Held(held).into()),
        }
    }

    /// Why no more debates of an arm are tried.
    fn is_down(&self, arm: usize) -> Option<Failure> {
        let (failures, last) = &self.lock_state().down[arm];
        last.clone().filter(|_| *failures >= DOWN_AFTER)
    }

    /// Counts how often the provider of an arm was not available in a row.
    fn count_failures(&self, arm: usize, end: &JobEnd) {
        let down = &mut self.lock_state().down[arm];
        match end {
            JobEnd::Failed(_, failure) if failure.exit == exit::PROVIDER => {
                *down = (down.0 + 1, Some(failure.clone()));
            }
            JobEnd::Observed(_) => *down = (0, None),
            JobEnd::Failed(..) | JobEnd::Stopped(_) => {}
        }
    }

    /// Reserves what a debate takes at most; or says why it may not be begun, and then nothing more is.
    fn reserve_amount(&self, most: Amount) -> Option<Failure> {
        let mut state = self.lock_state();
        if state.halted.is_none() {
            let all = state.spent.add_scaled(state.reserved, 1.0).add_scaled(most, 1.0);
            state.halted = self.find_exhausted_limit(all);
        }
        if state.halted.is_none() {
            state.reserved = state.reserved.add_scaled(most, 1.0);
        }
        state.halted.clone()
    }

    /// Puts what a debate spent in place of what was reserved for it, in one step: between two, another would count neither.
    fn settle_amount(&self, most: Amount, spent: Amount) {
        let mut state = self.lock_state();
        state.reserved = state.reserved.add_scaled(most, -1.0);
        state.spent = state.spent.add_scaled(spent, 1.0);
    }

    /// Why no debate may be begun with which `all` would be spent.
    fn find_exhausted_limit(&self, all: Amount) -> Option<Failure> {
        let Extension { requests_max, tokens_max, cost_microusd_max, time_seconds_max, .. } = self.limits;
        let stop = |what: String, flag: &str| {
            let remedy = format!("give the same command again with a larger {flag} to continue");
            Some(Failure::new(exit::BUDGET, "budget", format!("stopped: {what}"), remedy))
        };
        if let Some(most) = requests_max.filter(|most| all.calls > *most as f64) {
            return stop(format!("the next debate could exceed {most} calls"), "--max-requests");
        }
        if let Some(most) = tokens_max.filter(|most| all.tokens > *most as f64) {
            return stop(format!("the next debate could exceed {most} tokens"), "--max-tokens");
        }
        if let Some(most) = cost_microusd_max.filter(|most| all.microusd > *most as f64) {
            let most = crate::display::format_money(most);
            return stop(format!("the next debate could exceed {most}"), "--max-cost");
        }
        let passed = self.began.elapsed().as_secs();
        time_seconds_max
            .filter(|most| passed >= *most)
            .and_then(|most| stop(format!("{most} seconds are over"), "--max-time"))
    }
}
