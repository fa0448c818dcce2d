//! `--output json`: every entry as it is appended, one a line, and nothing else.

use agon_core::Entry;
use agon_runtime::drive::Watch;

/// Writes entries as JSON lines.
pub struct JsonLines;

impl Watch for JsonLines {
    fn entry(&self, entry: &Entry) {
        super::out(&super::json(entry));
    }
}
