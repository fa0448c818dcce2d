//! The threads of a worker that drive debates. An invocation only attaches to a drive: when its connection breaks,
//! because a node of Restate ended, the calls under way continue, and the next invocation attaches to them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use agon_app::{
    Context, Failure, Result,
    engine::DriveOrder,
    exit,
    opening::debate_id,
    resume::{ResumeOutcome, ResumeRequest, known, resume},
};
use agon_core::{DebateId, Record};
use agon_runtime::{drive::Watch, files::FileError, outside_seats::OutsideSeats};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::{JoinSet, LocalSet},
};

use crate::order::{DebateStatus, DriveEnd};

/// How often a debate that another process drives is looked at.
const HELD_EVERY: Duration = Duration::from_secs(1);

/// How long a debate is driven while only people outside are asked. After it, nobody drives it until something is appended.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a drive ended, for the invocation that wanted it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ended {
    /// With a result.
    End(DriveEnd),
    /// Without one: Restate is to try again, here or elsewhere.
    Retry(String),
    /// Without one, when the record had so many entries: only people outside are asked.
    Waiting(u64),
}

/// Remembers how long the record was that a drive saw last.
struct LastLength(Arc<AtomicU64>);

impl Watch for LastLength {
    fn record(&self, record: &Record) -> std::result::Result<(), FileError> {
        self.0.store(record.len(), Ordering::Relaxed);
        Ok(())
    }

    fn is_shown(&self) -> bool {
        false
    }
}

/// A debate to drive, and where its end is told.
type Job = (DriveOrder, watch::Sender<Option<Ended>>);

/// The threads, and the debates under way.
pub(crate) struct Drivers {
    context: Context,
    threads: Vec<mpsc::UnboundedSender<Job>>,
    next: AtomicUsize,
    running: Mutex<BTreeMap<DebateId, watch::Receiver<Option<Ended>>>>,
}

/// What ends the threads.
pub(crate) struct DriverThreads {
    ending: watch::Sender<bool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl DriverThreads {
    /// Stops every debate where it is, and waits until all have stopped. Other workers continue them.
    pub(crate) async fn end(self) {
        let _ = self.ending.send(true);
        let wait = move || self.threads.into_iter().for_each(|thread| drop(thread.join()));
        let _ = tokio::task::spawn_blocking(wait).await;
    }
}

/// What every thread drives with.
struct Driving {
    context: Context,
    /// As many as may be driven at once.
    slots: Semaphore,
    ending: watch::Receiver<bool>,
}

impl Drivers {
    /// Starts the threads: one per processor, for at most `concurrency` debates together.
    pub(crate) fn start(context: Context, concurrency: usize) -> (Arc<Self>, DriverThreads) {
        let context = Context { patience: Some(PATIENCE), ..context };
        let (ending, end) = watch::channel(false);
        let slots = Semaphore::new(concurrency);
        let driving = Arc::new(Driving { context: context.clone(), slots, ending: end });
        let count = thread::available_parallelism().map_or(1, usize::from).min(concurrency);
        let (senders, threads) = (0..count)
            .map(|_| {
                let (sender, jobs) = mpsc::unbounded_channel();
                let driving = Arc::clone(&driving);
                (sender, thread::spawn(move || attend(driving, jobs)))
            })
            .unzip();
        let drivers =
            Self { context, threads: senders, next: AtomicUsize::default(), running: Mutex::default() };
        (Arc::new(drivers), DriverThreads { ending, threads })
    }

    /// Drives a debate to its end, or waits for the end of the drive that is under way here. Where only people outside
    /// are asked, `wake` is told once it can continue.
    ///
    /// # Errors
    ///
    /// Why Restate is to try again, here or elsewhere.
    pub(crate) async fn drive(&self, order: DriveOrder, wake: &str) -> std::result::Result<DriveEnd, String> {
        let debate = order.debate.clone();
        match self.ended(order).await {
            Ended::End(end) => Ok(end),
            Ended::Retry(why) => Err(why),
            Ended::Waiting(length) => {
                let noted = self.context.journal.wait(&debate, length, wake).await;
                noted.map(|()| DriveEnd::Waiting).map_err(|error| error.to_string())
            }
        }
    }

    async fn ended(&self, order: DriveOrder) -> Ended {
        let debate = order.debate.clone();
        let mut end = self.attach(order);
        let ended = match end.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone(),
            Err(_) => None,
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.get(&debate).is_some_and(|known| known.same_channel(&end)) {
            running.remove(&debate);
        }
        ended.unwrap_or_else(|| Ended::Retry(format!("the drive of {debate} broke off")))
    }

    fn attach(&self, order: DriveOrder) -> watch::Receiver<Option<Ended>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // One that has ended was for an earlier invocation.
        let under_way =
            |end: &&watch::Receiver<Option<Ended>>| end.borrow().is_none() && end.has_changed().is_ok();
        if let Some(end) = running.get(&order.debate).filter(under_way) {
            tracing::info!(debate = %order.debate, "attached");
            return end.clone();
        }
        let (tell, end) = watch::channel(None);
        running.insert(order.debate.clone(), end.clone());
        let thread = self.next.fetch_add(1, Ordering::Relaxed) % self.threads.len().max(1);
        if let Some(thread) = self.threads.get(thread) {
            // A thread that has ended drops the sender, which the caller sees.
            let _ = thread.send((order, tell));
        }
        end
    }

    /// How far a debate is.
    pub(crate) fn status(&self, id: &str) -> Result<DebateStatus> {
        let id = debate_id(id)?;
        let summary = self.context.journal.summary(&id)?;
        let summary =
            summary.ok_or_else(|| Failure::unknown(format!("no debate {id} in this journal"), ""))?;
        Ok(DebateStatus { entries: summary.entries, outcome: summary.outcome })
    }

    /// Pauses a debate; gives the number of the entry.
    pub(crate) async fn pause(&self, id: &str, name: &str, why: &str) -> Result<u64> {
        let id = debate_id(id)?;
        let (_, protocol) = known(&self.context.journal, &id)?;
        Ok(self.desk(&id, protocol).pause(name, why).await?.seq)
    }

    /// Ends a debate without a result; gives the number of the entry.
    pub(crate) async fn cancel(&self, id: &str, name: &str, why: &str) -> Result<u64> {
        let id = debate_id(id)?;
        let (_, protocol) = known(&self.context.journal, &id)?;
        Ok(self.desk(&id, protocol).cancel(name, why).await?.seq)
    }

    fn desk<'d>(
        &'d self,
        debate: &'d DebateId,
        protocol: &'static dyn agon_core::Protocol,
    ) -> OutsideSeats<'d> {
        OutsideSeats { journal: &self.context.journal, home: &self.context.places.home, debate, protocol }
    }
}

/// Drives what comes, until the worker ends.
fn attend(driving: Arc<Driving>, mut jobs: mpsc::UnboundedReceiver<Job>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "a thread of the worker could not be started"),
    };
    LocalSet::new().block_on(&runtime, async {
        let mut ending = driving.ending.clone();
        let mut debates = JoinSet::new();
        loop {
            tokio::select! {
                job = jobs.recv() => match job {
                    Some((order, tell)) => {
                        let driving = Arc::clone(&driving);
                        debates.spawn_local(async move {
                            let ended = driving.hold(&order).await;
                            let _ = tell.send(Some(ended));
                        });
                    }
                    None => break,
                },
                Some(_) = debates.join_next() => {}
                _ = ending.wait_for(|ending| *ending) => break,
            }
        }
        drop(jobs);
        while debates.join_next().await.is_some() {}
    });
    runtime.shutdown_background();
}

impl Driving {
    /// Drives one debate as soon as there is room for it and nobody else drives it.
    async fn hold(&self, order: &DriveOrder) -> Ended {
        let mut ending = self.ending.clone();
        let ended = async { ending.wait_for(|ending| *ending).await.map(drop).unwrap_or_default() };
        let mut ended = std::pin::pin!(ended);
        loop {
            let slot = tokio::select! {
                biased;
                () = &mut ended => return leaving(),
                slot = self.slots.acquire() => slot,
            };
            let driven = self.once(order).await;
            drop(slot);
            match driven {
                Ok(end) => return end,
                Err(failure) if failure.code == "held" => {
                    tracing::info!(debate = %order.debate, held = failure.message, "waits");
                }
                // What the machine or the store does is not a result of the debate.
                Err(failure) if failure.exit == exit::IO => return Ended::Retry(failure.message),
                Err(failure) if failure.code == "interrupted" => return leaving(),
                Err(failure) => return Ended::End(failure.into()),
            }
            tokio::select! {
                () = &mut ended => return leaving(),
                () = self.is_free(&order.debate) => {}
            }
        }
    }

    /// Waits until a debate that another process drives has ended, or can be driven.
    async fn is_free(&self, debate: &DebateId) {
        loop {
            tokio::time::sleep(HELD_EVERY).await;
            let summary = self.context.journal.summary(debate);
            let has_ended = matches!(&summary, Ok(Some(summary)) if summary.outcome.is_some());
            if has_ended || !self.context.journal.is_driven(debate).unwrap_or(true) {
                return;
            }
        }
    }

    async fn once(&self, order: &DriveOrder) -> Result<Ended> {
        let context = self.context.clone().offline(order.offline);
        context.journal.unwait(&order.debate).await?;
        let (record, protocol) = known(&context.journal, &order.debate).map_err(elsewhere)?;
        if record.closed().is_some() {
            return Ok(Ended::End(DriveEnd::Closed));
        }
        let wish = ResumeRequest::Recorded;
        match resume(&context, &record, protocol, &order.seat_request(), &wish).await? {
            ResumeOutcome::Ready(started, _) => {
                let mut ending = self.ending.clone();
                let interrupted = async {
                    let _ = ending.wait_for(|ending| *ending).await;
                };
                let length = Arc::new(AtomicU64::new(record.len()));
                let watch = Box::new(LastLength(Arc::clone(&length)));
                match started.drive(&context, watch, interrupted).await {
                    Ok(_) => Ok(Ended::End(DriveEnd::Closed)),
                    Err(failure) if failure.code == "waiting" => {
                        Ok(Ended::Waiting(length.load(Ordering::Relaxed)))
                    }
                    Err(failure) => Err(failure),
                }
            }
            // Nothing was to be put on the record, so this does not occur: one who drives is waited for.
            ResumeOutcome::Elsewhere { held, .. } => Err(Failure::new(exit::CONFLICT, "held", held, "")),
        }
    }
}

/// A command opens a debate before it gives it to a worker. So one that is not there is in another journal.
fn elsewhere(failure: Failure) -> Failure {
    match failure.exit {
        exit::UNKNOWN if failure.code == "unknown" => {
            let remedy = "give the workers and this command the same AGON_JOURNAL";
            Failure {
                message: format!("{}, which this worker uses", failure.message),
                remedy: remedy.into(),
                ..failure
            }
        }
        _ => failure,
    }
}

fn leaving() -> Ended {
    Ended::Retry("this worker ends; another continues".into())
}

#[cfg(test)]
mod tests {
    use agon_app::{FileSet, SilentFrontend};
    use agon_core::{DebateId, Event, Protocol, sample};
    use agon_protocols::exchange::Exchange;
    use agon_runtime::{
        config::{Config, Paths},
        journal::Journal,
        prompts::Layers,
    };

    use super::*;

    fn context(home: &std::path::Path) -> Context {
        let places = Paths {
            home: home.to_owned(),
            journal: None,
            models: home.to_owned(),
            user_config: None,
            project_config: None,
            project: None,
            trust: Default::default(),
            prompts: Layers::default(),
            protocols: Layers::default(),
        };
        Context {
            config: Config::default(),
            places,
            journal: Arc::new(Journal::open(home).unwrap()),
            frontend: Arc::new(SilentFrontend),
            offline: true,
            files: FileSet::None,
            engine: None,
            patience: None,
        }
    }

    #[tokio::test]
    async fn a_debate_of_other_rules_is_not_driven_and_the_message_says_so() {
        let home = tempfile::tempdir().unwrap();
        let context = context(home.path());
        let others = [("older", 0), ("newer", 999)];
        for (id, rules) in others {
            let mut opened = sample::opened_for(Exchange.manifest());
            (opened.debate, opened.rules) = (DebateId::new(id).unwrap(), rules);
            let texts = vec![(agon_core::Digest::of(""), String::new())];
            context.journal.create(Event::Opened(opened), texts, None).await.unwrap();
        }
        let (drivers, threads) = Drivers::start(context, 1);
        for (id, rules) in others {
            let order = DriveOrder::new(DebateId::new(id).unwrap(), &Default::default(), true);
            let end = drivers.drive(order, "wake").await.unwrap();
            let DriveEnd::Stopped { exit, code, message, .. } = end else { panic!("{end:?}") };
            assert_eq!((exit, code.as_str()), (6, id));
            assert!(message.contains(&format!("the rules {rules} of ")), "{message}");
        }
        let unknown = DriveOrder::new(DebateId::new("nope").unwrap(), &Default::default(), true);
        let end = drivers.drive(unknown, "wake").await.unwrap();
        let DriveEnd::Stopped { exit: 8, remedy, .. } = end else { panic!("{end:?}") };
        assert!(remedy.contains("AGON_JOURNAL"), "{remedy}");
        threads.end().await;
    }
}
