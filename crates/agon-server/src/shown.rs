//! What of a record may be shown. The log keeps a redacted text; no route but its own file serves it.

use agon_core::{Entry, Record, Reply, What};
use agon_protocols::common::{verification::Status, withheld::Withheld};
use serde_json::{Value, json};

/// An entry as it is served, without what `withheld` holds. A redacted text is replaced by the number of the ruling that redacted
/// it, so the hash of such an entry can only be checked in `record.jsonl`.
pub fn entry(record: &Record, withheld: &Withheld, entry: &Entry) -> Value {
    let mut shown = json!(entry);
    match &entry.what {
        What::Answered(answered) => {
            let Reply::Said { text } = &answered.reply else { return shown };
            match record.redacted(&answered.key) {
                Some(by) => shown["what"]["answered"]["reply"] = json!({"redacted": {"by": by}}),
                None => {
                    let text = withheld.hide(&answered.key, text).into_owned();
                    shown["what"]["answered"]["reply"] = json!(Reply::Said { text });
                }
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

/// Whether everything served of the record before must be read again: a text was redacted, or a page
/// that one rests on turned out never to have been.
pub fn redacts(entry: &Entry) -> bool {
    match &entry.what {
        What::Ruled { ruling, .. } => ruling.kind == agon_core::Kind::Redacted,
        What::Answered(answered) => {
            let invented = |text: &str| text.contains(Status::Fabricated.name());
            answered.key.as_str().ends_with("/verification") && answered.reply.text().is_some_and(invented)
        }
        _ => false,
    }
}
