//! One process drives a debate at a time. The lock ends with its process; safety never rests on it, but on
//! compare-and-append.

use agon_core::DebateId;

use super::{
    Journal,
    storage::{DriveLock, LockError},
};

impl DriveLock {
    /// The number of the claim that it is, where it can be lost to others.
    pub fn fence(&self) -> Option<u64> {
        self.fence
    }

    /// Takes the lock of `debate`, or says who holds it.
    pub fn acquire(journal: &Journal, debate: &DebateId) -> Result<Self, LockError> {
        let lock = match journal.store.take_debate_lock(debate) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => journal.drives.claim_debate(debate),
            Err(error) => Err(error),
        };
        match &lock {
            Ok(_) => tracing::debug!(%debate, "lock taken"),
            Err(LockError::Held(_)) => tracing::debug!(%debate, "lock held by another process"),
            Err(LockError::Fault { .. }) => {}
        }
        lock
    }
}
