//! Removes what may not be shown from events before they reach a screen.

use std::sync::{Mutex, PoisonError};

use agon_core::{Entry, Event, Key, Record};
use agon_protocols::common::struck_text::Withheld;
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
        let withheld = Withheld::from_record(&record);
        Self { screen, state: Mutex::new(VeilState { record, withheld }) }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, VeilState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Veil {
    fn on_entry(&self, entry: &Entry) {
        let mut state = self.lock_state();
        // What was on the record already was shown.
        if state.record.append_entry(entry.clone()).is_ok()
            && (!state.withheld.is_empty() || matches!(entry.what, Event::Ruled { .. } | Event::Answered(_)))
        {
            state.withheld = Withheld::from_record(&state.record);
        }
        let shown = state.withheld.mask_entry(entry);
        self.screen.on_entry(&shown);
    }

    fn on_record(&self, record: &Record) -> Result<(), FileError> {
        self.screen.on_record(record)
    }

    /// What is being written may quote what was struck: then it is shown once it stands.
    fn on_delta(&self, key: &Key, attempt: u32, text: &str) {
        let withholds = !self.lock_state().withheld.is_empty();
        if !withholds {
            self.screen.on_delta(key, attempt, text);
        }
    }

    fn on_notice(&self, notice: &Notice) {
        self.screen.on_notice(notice);
    }
}
