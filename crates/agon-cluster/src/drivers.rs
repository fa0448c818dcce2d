//! The threads of a worker that drive debates. An invocation only attaches to a drive: when its connection breaks,
//! because a node of Restate ended, the calls under way continue, and the next invocation attaches to them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use agon_app::{
    Context, Failure, Result,
    driving_threads::DrivingThreads,
    exit,
    remote_engine::DriveOrder,
    resume::{ResumeOutcome, ResumeRequest, read_debate, resume_debate},
};
use agon_core::{DebateId, Record};
use agon_runtime::{drive::Watch, files::FileError};
use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use tokio::{
    sync::{Semaphore, watch},
    task::AbortHandle,
};
use tokio_util::task::TaskTracker;

use crate::order::DriveEnd;

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
    fn on_record(&self, record: &Record) -> std::result::Result<(), FileError> {
        self.0.store(record.len(), Ordering::Relaxed);
        Ok(())
    }

    fn is_shown(&self) -> bool {
        false
    }
}

/// The end of a drive, for every invocation that attached to it.
type Drive = Shared<BoxFuture<'static, Ended>>;

/// The threads, and the debates under way.
pub(crate) struct Drivers {
    driving: Arc<Driving>,
    threads: DrivingThreads,
    drives: TaskTracker,
    running: Mutex<BTreeMap<DebateId, (AbortHandle, Drive)>>,
}

/// What every thread drives with.
struct Driving {
    context: Context,
    /// As many as may be driven at once.
    slots: Semaphore,
    ending: watch::Sender<bool>,
}

impl Drivers {
    /// Starts the threads: one per processor, for at most `concurrency` debates together.
    pub(crate) fn start(context: Context, concurrency: usize) -> Self {
        let context = Context { patience: Some(PATIENCE), ..context };
        let driving = Driving { context, slots: Semaphore::new(concurrency), ending: watch::Sender::new(false) };
        let threads = DrivingThreads::start(concurrency);
        Self { driving: Arc::new(driving), threads, drives: TaskTracker::new(), running: Mutex::default() }
    }

    /// Stops every debate where it is, and waits until all have stopped. Other workers continue them.
    pub(crate) async fn stop_all(&self) {
        self.driving.ending.send_replace(true);
        self.drives.close();
        self.drives.wait().await;
    }

    /// Drives a debate to its end, or waits for the end of the drive that is under way here. Where only people outside
    /// are asked, `wake` is told once it can continue.
    ///
    /// # Errors
    ///
    /// Why Restate is to try again, here or elsewhere.
    pub(crate) async fn drive_debate(&self, order: DriveOrder, wake: &str) -> std::result::Result<DriveEnd, String> {
        let debate = order.debate.clone();
        let drive = self.attach_to_drive(order);
        let ended = drive.clone().await;
        self.forget_drive(&debate, &drive);
        match ended {
            Ended::End(end) => Ok(end),
            Ended::Retry(why) => Err(why),
            Ended::Waiting(length) => {
                let noted = self.driving.context.journal.mark_waiting(&debate, length, wake).await;
                noted.map(|()| DriveEnd::Waiting).map_err(|error| error.to_string())
            }
        }
    }

    /// Forgets a drive that has ended, if no other has begun since.
    fn forget_drive(&self, debate: &DebateId, drive: &Drive) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.get(debate).is_some_and(|(_, known)| known.ptr_eq(drive)) {
            running.remove(debate);
        }
    }

    fn attach_to_drive(&self, order: DriveOrder) -> Drive {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let debate = order.debate.clone();
        // One that has ended was for an earlier invocation.
        if let Some((_, drive)) = running.get(&debate).filter(|(task, _)| !task.is_finished()) {
            tracing::info!(%debate, "attached");
            return drive.clone();
        }
        let (driving, tracked) = (Arc::clone(&self.driving), self.drives.token());
        let driven = self.threads.spawn(|| async move {
            let ended = driving.run_order(&order).await;
            drop(tracked);
            ended
        });
        let task = driven.abort_handle();
        let broke_off = Ended::Retry(format!("the drive of {debate} broke off"));
        let drive = driven.map(|driven| driven.unwrap_or(broke_off)).boxed().shared();
        running.insert(debate, (task, drive.clone()));
        drive
    }
}

impl Driving {
    /// Drives one debate as soon as there is room for it and nobody else drives it.
    async fn run_order(&self, order: &DriveOrder) -> Ended {
        let mut ending = self.ending.subscribe();
        let ended = async { ending.wait_for(|ending| *ending).await.map(drop).unwrap_or_default() };
        let mut ended = std::pin::pin!(ended);
        loop {
            let slot = tokio::select! {
                biased;
                () = &mut ended => return worker_ends(),
                slot = self.slots.acquire() => slot,
            };
            let driven = self.run_once(order).await;
            drop(slot);
            match driven {
                Ok(end) => return end,
                Err(failure) if failure.code == "held" => {
                    tracing::info!(debate = %order.debate, held = failure.message, "waits");
                }
                // What the machine or the store does is not a result of the debate.
                Err(failure) if failure.exit == exit::IO => return Ended::Retry(failure.message),
                Err(failure) if failure.code == "interrupted" => return worker_ends(),
                Err(failure) => return Ended::End(failure.into()),
            }
            tokio::select! {
                () = &mut ended => return worker_ends(),
                () = self.wait_until_free(&order.debate) => {}
            }
        }
    }

    /// Waits until a debate that another process drives has ended, or can be driven.
    async fn wait_until_free(&self, debate: &DebateId) {
        loop {
            tokio::time::sleep(HELD_EVERY).await;
            let summary = self.context.journal.find_summary(debate);
            let has_ended = matches!(&summary, Ok(Some(summary)) if summary.outcome.is_some());
            if has_ended || !self.context.journal.is_driven(debate).unwrap_or(true) {
                return;
            }
        }
    }

    async fn run_once(&self, order: &DriveOrder) -> Result<Ended> {
        let context = self.context.clone().with_offline(order.offline);
        context.journal.clear_waiting(&order.debate).await?;
        let (record, protocol) = read_debate(&context.journal, &order.debate).map_err(explain_unknown)?;
        if record.closing_outcome().is_some() {
            return Ok(Ended::End(DriveEnd::Closed));
        }
        let wish = ResumeRequest::Recorded;
        match resume_debate(&context, &record, protocol, &order.seat_request(), &wish).await? {
            ResumeOutcome::Ready(started, _) => {
                let mut ending = self.ending.subscribe();
                let interrupted = async {
                    let _ = ending.wait_for(|ending| *ending).await;
                };
                let length = Arc::new(AtomicU64::new(record.len()));
                let watch = Box::new(LastLength(Arc::clone(&length)));
                match started.drive_debate(&context, watch, interrupted).await {
                    Ok(_) => Ok(Ended::End(DriveEnd::Closed)),
                    Err(failure) if failure.code == "waiting" => Ok(Ended::Waiting(length.load(Ordering::Relaxed))),
                    Err(failure) => Err(failure),
                }
            }
            // Nothing was to be put on the record, so this does not occur: one who drives is waited for.
            ResumeOutcome::Elsewhere { held, .. } => Err(Failure::new(exit::CONFLICT, "held", held, "")),
        }
    }
}

/// A command opens a debate before it gives it to a worker. So one that is not there is in another journal.
fn explain_unknown(failure: Failure) -> Failure {
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

fn worker_ends() -> Ended {
    Ended::Retry("this worker ends; another continues".into())
}

#[cfg(test)]
mod tests {
    use agon_app::{FileSet, SilentFrontend};
    use agon_core::{DebateId, Event, Protocol, sample};
    use agon_journal::Journal;
    use agon_protocols::exchange::Exchange;
    use agon_runtime::{
        config::{Config, Paths},
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
            is_attended: false,
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
            let texts = vec![(agon_core::Digest::from_content(""), String::new())];
            context.journal.create_debate(Event::Opened(opened), texts, None).await.unwrap();
        }
        let drivers = Drivers::start(context, 1);
        for (id, rules) in others {
            let order = DriveOrder::new(DebateId::new(id).unwrap(), &Default::default(), true);
            let end = drivers.drive_debate(order, "wake").await.unwrap();
            let DriveEnd::Stopped { exit, code, message, .. } = end else { panic!("{end:?}") };
            assert_eq!((exit, code.as_str()), (6, id));
            assert!(message.contains(&format!("the rules {rules} of ")), "{message}");
        }
        let unknown = DriveOrder::new(DebateId::new("nope").unwrap(), &Default::default(), true);
        let end = drivers.drive_debate(unknown, "wake").await.unwrap();
        let DriveEnd::Stopped { exit: 8, remedy, .. } = end else { panic!("{end:?}") };
        assert!(remedy.contains("AGON_JOURNAL"), "{remedy}");
        drivers.stop_all().await;
    }
}
