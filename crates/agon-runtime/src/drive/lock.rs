//! One process drives a debate at a time. The lock ends with its process; safety never rests on it, but on
//! compare-and-append.

use agon_core::DebateId;

use super::DriveError;
use crate::journal::{DebateLock, Journal, LockFault};

/// The lock on a debate in its journal's store. Its holder drives the debate; it ends with its process.
#[derive(Debug)]
pub struct DriveLock {
    lock: Box<dyn DebateLock>,
}

impl DriveLock {
    /// The number of the claim that it is, where it can be lost to others.
    pub fn fence(&self) -> Option<u64> {
        self.lock.fence()
    }

    /// Takes the lock of `debate`, or says who holds it.
    pub fn take(journal: &Journal, debate: &DebateId) -> Result<Self, DriveError> {
        match journal.lock(debate) {
            Ok(lock) => {
                tracing::debug!(%debate, "lock taken");
                Ok(Self { lock })
            }
            Err(LockFault::Held(holder)) => {
                tracing::debug!(%debate, "lock held by another process");
                Err(DriveError::Held { held: format!("{holder} drives {debate}") })
            }
            Err(LockFault::Fault { path, why }) => Err(DriveError::Lock { path, why }),
        }
    }
}
