//! What must hold of every text that is read as a log: what a reader of the log of a chaired debate took, written again, is read
//! as the same; and a record or what a deleted one left is accepted only as it is written, byte for byte.

use agon_report::{
    chaired::{log, log_line::LogLine},
    record_jsonl, tombstone_jsonl,
};

/// Reads `bytes` as each kind of log, and panics where that does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((record, texts)) = record_jsonl::read_record(bytes) {
        assert_eq!(record_jsonl::write_record(&record, &texts).as_bytes(), bytes);
    }
    if let Ok((tombstone, left)) = tombstone_jsonl::read_tombstone(bytes) {
        assert_eq!(tombstone_jsonl::write_tombstone(&tombstone, &left).as_bytes(), bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(entries) = log::parse_log(&text) {
        let written = log::render_log(&entries);
        assert_eq!(log::parse_log(&written).as_ref(), Ok(&entries), "{written:?}");
        assert_eq!(log::hide_redacted(&entries, &agon_text::HiddenPassages::default()).len(), entries.len());
    }
    for line in text.lines().filter_map(|line| LogLine::parse(line).ok()) {
        let written = line.render();
        assert_eq!(LogLine::parse(&written).as_ref(), Ok(&line), "{written:?}");
    }
}
