//! Calls of one run that wait for limits of rate. Nothing of them was sent: where the run ends before their turn,
//! what was reserved for them is free again.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agon_core::{DebateId, Key};
use agon_journal::{CallEnd, Journal, Settlement};

use super::DriveError;
use crate::participant::{Call, CallFailure, Participant};

/// How often one who waits looks whether the debate stops, or whether an answer came from outside.
pub(super) const HEED_EVERY: Duration = Duration::from_millis(150);

/// The calls of one run that wait, by their keys, each with the number of its attempt.
#[derive(Debug, Default)]
pub(super) struct CallQueue {
    /// Set once the debate must stop.
    pub(super) stopping: AtomicBool,
    waiting: Mutex<BTreeMap<Key, u32>>,
}

impl CallQueue {
    /// Waits until `participant` may be asked; `None` where the debate stops before.
    pub(super) async fn admit_call(
        &self,
        participant: &dyn Participant,
        call: &Call,
    ) -> Option<Result<(), CallFailure>> {
        let _queued = QueuedCall::new(self, call);
        let since = tokio::time::Instant::now();
        let mut admitted = std::pin::pin!(participant.admit_call(call));
        loop {
            tokio::select! {
                biased;
                admitted = &mut admitted => {
                    let waited_ms = since.elapsed().as_millis() as u64;
                    if waited_ms > 0 {
                        tracing::info!(key = %call.key, waited_ms, "waited for a limit of rate");
                    }
                    return Some(admitted);
                }
                () = tokio::time::sleep(HEED_EVERY) => {}
            }
            if self.stopping.load(Ordering::Relaxed) {
                return None;
            }
        }
    }

    /// Frees what was reserved for those who wait and are not `wanted`.
    pub(super) async fn release_unwanted(
        &self,
        journal: &Journal,
        debate: &DebateId,
        wanted: impl Fn(&Key) -> bool,
    ) -> Result<(), DriveError> {
        let left: Vec<(Key, u32)> = {
            let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let left = waiting.iter().filter(|(key, _)| !wanted(key));
            left.map(|(key, attempt)| (key.clone(), *attempt)).collect()
        };
        for (key, attempt) in left {
            let unmade = Settlement { key, attempt, end: CallEnd::Unmade, usage: None, failure: None };
            journal.settle_call(debate, unmade).await?;
        }
        Ok(())
    }
}

/// A call in the queue, until it is dropped.
struct QueuedCall<'a> {
    queue: &'a CallQueue,
    key: Key,
}

impl<'a> QueuedCall<'a> {
    fn new(queue: &'a CallQueue, call: &Call) -> Self {
        let mut waiting = queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(call.key.clone(), call.attempt);
        Self { queue, key: call.key.clone() }
    }
}

impl Drop for QueuedCall<'_> {
    fn drop(&mut self) {
        self.queue.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
