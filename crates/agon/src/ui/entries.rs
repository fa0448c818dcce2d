//! `--output json`: every entry as it is appended, one a line, and nothing else.

use agon_core::Entry;
use agon_runtime::drive::Watch;

/// Writes entries as JSON lines.
pub struct JsonLines;

impl Watch for JsonLines {
    fn on_entry(&self, entry: &Entry) {
        super::print_line(&super::render_safe_json(entry));
    }
}
