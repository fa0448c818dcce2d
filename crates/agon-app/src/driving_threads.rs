//! The threads on which a process drives its debates: one per processor, since participants need not move between
//! threads, and no thread has to serve all debates.

use std::{panic, thread};

use tokio::task::JoinHandle;
use tokio_util::task::{AbortOnDropHandle, LocalPoolHandle};

/// A fixed number of threads. Each drives many debates, which wait for their participants most of the time.
pub struct DrivingThreads(LocalPoolHandle);

impl DrivingThreads {
    /// Starts a thread per processor, but no more than `concurrency` debates can use.
    pub fn start(concurrency: usize) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self::with_threads(processors.min(concurrency.max(1)))
    }

    fn with_threads(count: usize) -> Self {
        Self(LocalPoolHandle::new(count))
    }

    /// Starts `work` on the thread that has least to do.
    pub fn spawn<Work, Driven>(&self, work: Work) -> JoinHandle<Driven::Output>
    where
        Work: FnOnce() -> Driven + Send + 'static,
        Driven: Future<Output: Send + 'static> + 'static,
    {
        self.0.spawn_pinned(work)
    }

    /// Runs `work` and gives its result. A panic of `work` becomes one of the caller; and where the caller stops waiting,
    /// the work ends.
    pub async fn run<Work, Driven>(&self, work: Work) -> Driven::Output
    where
        Work: FnOnce() -> Driven + Send + 'static,
        Driven: Future<Output: Send + 'static> + 'static,
    {
        let driven = AbortOnDropHandle::new(self.spawn(work)).await;
        driven.unwrap_or_else(|broken| match broken.try_into_panic() {
            Ok(reason) => panic::resume_unwind(reason),
            Err(_) => unreachable!("nothing aborts the work of a driving thread"),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use super::*;

    #[tokio::test]
    async fn two_debates_compute_at_the_same_time() {
        let threads = DrivingThreads::with_threads(2);
        let both = Arc::new(Barrier::new(2));
        // Each blocks its thread until the other has come as far.
        let meet = || {
            let both = Arc::clone(&both);
            threads.run(move || async move { both.wait().is_leader() })
        };
        let (one, other) = futures::join!(meet(), meet());
        assert_ne!(one, other);
    }

    #[tokio::test]
    async fn a_debate_that_nobody_waits_for_ends() {
        let threads = DrivingThreads::start(1);
        let (alive, mut ended) = tokio::sync::mpsc::channel::<()>(1);
        let debate = threads.run(|| async move {
            let _alive = alive;
            std::future::pending::<()>().await;
        });
        tokio::time::timeout(std::time::Duration::from_millis(50), debate).await.unwrap_err();
        let ended = tokio::time::timeout(std::time::Duration::from_secs(5), ended.recv()).await;
        assert_eq!(ended, Ok(None), "it still runs");
    }

    #[tokio::test]
    #[should_panic(expected = "of a debate")]
    async fn a_panic_of_a_debate_is_not_lost() {
        DrivingThreads::start(1).run(|| async { panic!("of a debate") }).await
    }
}
