//! Removes what may not be shown from events before they reach a screen.

use std::sync::{Mutex, PoisonError};

use agon_core::{Entry, Event, Key, Record};
use agon_protocols::common::withheld::Withheld;
use agon_runtime::{
    drive::{Notice, Watch},
    files::FileError,
};

/// Passes on to a screen what may be shown.
pub struct Veil {
    screen: Box<dyn Watch>,
    state: Mutex<VeilState>,
}

struct VeilState {
    record: Record,
    withheld: Withheld,
}

impl Veil {
    /// Before `screen`, for a debate that continues from `record`.
    pub fn new(screen: Box<dyn Watch>, record: Record) -> Self {
        let withheld = Withheld::of(&record);
        Self { screen, state: Mutex::new(VeilState { record, withheld }) }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, VeilState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Veil {
    fn entry(&self, entry: &Entry) {
        let mut state = self.state();
        // What was on the record already was shown.
        if state.record.push(entry.clone()).is_ok()
            && (!state.withheld.is_empty() || matches!(entry.what, Event::Ruled { .. } | Event::Answered(_)))
        {
            state.withheld = Withheld::of(&state.record);
        }
        let shown = state.withheld.entry(entry);
        self.screen.entry(&shown);
    }

    fn record(&self, record: &Record) -> Result<(), FileError> {
        self.screen.record(record)
    }

    /// What is being written may quote what was struck: then it is shown once it stands.
    fn delta(&self, key: &Key, attempt: u32, text: &str) {
        let withholds = !self.state().withheld.is_empty();
        if !withholds {
            self.screen.delta(key, attempt, text);
        }
    }

    fn notice(&self, notice: &Notice) {
        self.screen.notice(notice);
    }
}
