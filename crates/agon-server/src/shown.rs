//! What of a record may be shown. The log keeps a redacted text; no route but its own file serves it.

use agon_core::{Entry, Record, Reply, What};
use serde_json::{Value, json};

/// An entry as it is served. A redacted text is replaced by the number of the ruling that redacted
/// it, so the hash of such an entry can only be checked in `record.jsonl`.
pub fn entry(record: &Record, entry: &Entry) -> Value {
    let mut shown = json!(entry);
    match &entry.what {
        What::Answered(answered) if matches!(answered.reply, Reply::Said { .. }) => {
            if let Some(by) = record.redacted(&answered.key) {
                shown["what"]["answered"]["reply"] = json!({"redacted": {"by": by}});
            }
        }
        // Faults quote the answer that they are about.
        What::Asked(request) => {
            let of = request.redraft.as_ref().map(|redraft| &redraft.of);
            if of.is_some_and(|of| record.redacted(of).is_some()) {
                shown["what"]["asked"]["redraft"]["faults"] = json!([]);
            }
        }
        _ => {}
    }
    shown
}

/// Whether everything served of the record before must be read again: a text was redacted.
pub fn redacts(entry: &Entry) -> bool {
    matches!(&entry.what, What::Ruled { ruling, .. } if ruling.kind == agon_core::Kind::Redacted)
}
