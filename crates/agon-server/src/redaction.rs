//! The part of a record that the server serves. The record keeps a redacted text; no route serves it.

use agon_core::{Entry, Event, Record, Reply};
use agon_protocols::common::{struck_text::Withheld, verification::SourceStatus};
use serde::Serialize;
use serde_json::json;

/// An entry as it is served, without what is `withheld`. A redacted answer is replaced by the number of the
/// ruling that redacted it. The hash of an entry of which something is left out can only be checked in the
/// record that its owner exports.
pub fn render_served_entry(record: &Record, withheld: &Withheld, entry: &Entry) -> impl Serialize + use<> {
    let mut shown = json!(withheld.mask_entry(entry));
    // What stood around a statement is in the record that its owner exports.
    if let Some(answered) = shown["what"]["answered"].as_object_mut() {
        answered.remove("original");
    }
    if let Event::Answered(answered) = &entry.what
        && let (Reply::Said { .. }, Some(by)) = (&answered.reply, record.redaction_seq(&answered.key))
    {
        shown["what"]["answered"]["reply"] = json!({"redacted": {"by": by}});
    }
    shown
}

/// Whether everything served of the record before must be read again: a text was redacted, or a page
/// that one rests on turned out never to have been.
pub fn needs_rereading(entry: &Entry) -> bool {
    match &entry.what {
        Event::Ruled { ruling, .. } => ruling.kind == agon_core::RulingKind::Redacted,
        Event::Answered(answered) => {
            let invented = |text: &str| text.contains(SourceStatus::Fabricated.name());
            answered.key.as_str().ends_with("/verification") && answered.reply.text().is_some_and(invented)
        }
        _ => false,
    }
}
