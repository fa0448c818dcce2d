//! The queue of what is to be written: one thread commits together what arrives together.

use std::{sync::mpsc, thread, time::Instant};

use tokio::sync::oneshot;

use super::{
    Result,
    storage::{StoreConnection, WriteJob},
};

/// Maximum number of jobs in one transaction.
const GROUP_MAX: usize = 512;

struct QueuedJob<T, W, D> {
    work: W,
    result: Option<Result<T>>,
    done: D,
}

impl<T, W, D> WriteJob for QueuedJob<T, W, D>
where
    T: Send,
    W: FnMut(&dyn StoreConnection) -> Result<T> + Send,
    D: FnOnce(Result<T>) + Send,
{
    fn apply(&mut self, db: &dyn StoreConnection) -> bool {
        let result = (self.work)(db);
        self.result.insert(result).is_ok()
    }

    fn report_result(self: Box<Self>, committed: Result<()>) {
        let Self { result, done, .. } = *self;
        match (committed, result) {
            (Ok(()), Some(result)) => done(result),
            (Err(error), _) => done(Err(error)),
            // What `done` would have told is dropped: so the caller knows that the job was not done.
            (Ok(()), None) => {}
        }
    }
}

/// A job, and where its result arrives.
pub(crate) fn build_write_job<T: Send + 'static>(
    work: impl FnMut(&dyn StoreConnection) -> Result<T> + Send + 'static,
) -> (Box<dyn WriteJob>, oneshot::Receiver<Result<T>>) {
    let (done, result) = oneshot::channel();
    (job_that_tells(work, |told| drop(done.send(told))), result)
}

/// A job that hands its result to `done`, once.
pub(crate) fn job_that_tells<T: Send + 'static>(
    work: impl FnMut(&dyn StoreConnection) -> Result<T> + Send + 'static,
    done: impl FnOnce(Result<T>) + Send + 'static,
) -> Box<dyn WriteJob> {
    Box::new(QueuedJob { work, result: None, done })
}

/// Starts the thread that lets `commit` write the jobs of the queue, group by group in one transaction, and tells their
/// callers. It ends with the queue.
pub(crate) fn start_writer(
    mut commit: impl FnMut(&mut [Box<dyn WriteJob>]) -> Result<()> + Send + 'static,
) -> (mpsc::Sender<Box<dyn WriteJob>>, thread::JoinHandle<()>) {
    let (sender, jobs) = mpsc::channel();
    let writing = thread::spawn(move || {
        while let Ok(first) = jobs.recv() {
            let mut group = vec![first];
            while group.len() < GROUP_MAX
                && let Ok(next) = jobs.try_recv()
            {
                group.push(next);
            }
            let (jobs, since) = (group.len(), Instant::now());
            let result = commit(&mut group);
            let took_ms = since.elapsed().as_millis() as u64;
            match &result {
                Ok(()) => tracing::debug!(jobs, took_ms, "commit"),
                Err(error) => tracing::warn!(jobs, took_ms, %error, "commit failed"),
            }
            for job in group {
                job.report_result(result.clone());
            }
        }
    });
    (sender, writing)
}
