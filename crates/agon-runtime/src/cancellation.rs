//! Work that can be given up.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Whether a piece of work was given up. Its copies are one flag.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Gives the work up.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was given up.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Gives the work up once the guard is dropped, for example with the answer that waits for it.
    pub fn stop_on_drop(&self) -> StopGuard {
        StopGuard(self.clone())
    }
}

/// Requests are compared by what they ask for.
impl PartialEq for StopFlag {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Gives work up when it is dropped.
#[derive(Debug)]
pub struct StopGuard(StopFlag);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.stop();
    }
}
