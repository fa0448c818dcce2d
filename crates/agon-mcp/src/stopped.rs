//! Whether a debate has stopped: nothing happens in it until it is continued.

use agon_core::Record;
use agon_runtime::outside_seats::UnansweredRequest;

use crate::{Debates, refusal::Result};

/// What can be done about a debate that has stopped.
pub(crate) const STOPPED: &str = "agon resume shows why it stopped; resume_debate continues it";

impl Debates {
    /// Whether a debate, of which `open` is asked, has stopped: it is not over, it waits for nobody, and no process drives
    /// it. Where a seat outside is asked, none need drive it meanwhile.
    pub(crate) fn has_stopped(&self, record: &Record, open: &[UnansweredRequest]) -> Result<bool> {
        let id = &record.opened().debate;
        let is_left = record.find_pause().is_none()
            && !open.iter().any(|open| open.outside)
            && agon_formats::other_rules(record).is_none()
            && !self.journal.is_driven(id)?;
        // It may have ended since the record was read.
        Ok(is_left && self.journal.read_record(id)?.closing_outcome().is_none())
    }
}
