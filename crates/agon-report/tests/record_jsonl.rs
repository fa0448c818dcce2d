//! The record as a file: what is written reads back, and nothing else does.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::BTreeMap;

use agon_core::{Event, Extension, Record, Stamp};
use agon_report::record_jsonl::{read_record, write_record};
use proptest::prelude::*;

/// A debate that lost a side, was extended and is asked again: every kind of entry, few bytes.
fn small() -> (Record, String) {
    let mut record =
        common::debate_with(0, |key| key.starts_with("exchange-000/opp").then(|| common::failed("no \u{202e} thanks")));
    let limits = Extension { rounds: 1, ..Extension::default() };
    record.append_event(Stamp("2026-02-01T00:00:00.000Z".into()), Event::Extended { limits }).unwrap();
    let file = write_record(&record, &common::texts());
    (record, file)
}

#[test]
fn what_is_written_reads_back() {
    let record = common::debate(1);
    let file = write_record(&record, &common::texts());
    let (back, texts) = read_record(&file).unwrap();
    assert_eq!(back.entries(), record.entries());
    assert_eq!(texts, common::texts());
    assert!(file.ends_with("\"}}\n"));
    assert_eq!(
        file.lines().count() as u64,
        record.len() + 3 + 1,
        "each text stands once, though two prompts share one"
    );
}

#[test]
fn a_text_stands_before_the_entry_that_names_it() {
    let (record, file) = small();
    let lines: Vec<&str> = file.lines().collect();
    assert!(lines[..3].iter().all(|line| line.starts_with("{\"text\":\"")));
    assert_eq!(lines[3], serde_json::to_string(&record.entries()[0]).unwrap());
}

#[test]
fn every_changed_byte_is_found() {
    let (_, file) = small();
    let mut bytes = file.into_bytes();
    for at in 0..bytes.len() {
        let old = bytes[at];
        for new in [old ^ 1, b' ', b'"', 0xff] {
            if new != old {
                bytes[at] = new;
                assert!(read_record(&bytes).is_err(), "byte {at}: {:?} for {:?}", new as char, old as char);
            }
        }
        bytes[at] = old;
    }
    assert!(read_record(&bytes).is_ok());
}

#[test]
fn a_changed_byte_is_found_in_a_whole_debate() {
    let mut bytes = write_record(&common::debate(1), &common::texts()).into_bytes();
    for at in (0..bytes.len()).step_by(29) {
        bytes[at] ^= 1;
        assert!(read_record(&bytes).is_err(), "byte {at}");
        bytes[at] ^= 1;
    }
}

#[test]
fn every_lost_or_added_byte_is_found() {
    let (_, file) = small();
    let bytes = file.as_bytes();
    for at in 0..bytes.len() {
        let lost = [&bytes[..at], &bytes[at + 1..]].concat();
        assert!(read_record(&lost).is_err(), "byte {at} lost");
    }
    for at in (0..=bytes.len()).step_by(3) {
        let added = [&bytes[..at], b" ", &bytes[at..]].concat();
        assert!(read_record(&added).is_err(), "space added at {at}");
    }
}

#[test]
fn every_cut_is_found() {
    let (_, file) = small();
    for end in 0..file.len() {
        let error = read_record(&file.as_bytes()[..end]).unwrap_err();
        assert!(error.why.contains("file"), "{error}");
    }
}

#[test]
fn every_lost_doubled_or_exchanged_line_is_found() {
    let (_, file) = small();
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    for at in 0..lines.len() {
        let mut lost = lines.clone();
        lost.remove(at);
        assert!(read_record(lost.concat()).is_err(), "line {} lost", at + 1);
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        let error = read_record(doubled.concat()).unwrap_err();
        assert!(error.line.abs_diff(at + 2) <= 1, "line {} doubled: {error}", at + 1);
        if at > 0 {
            let mut exchanged = lines.clone();
            exchanged.swap(at - 1, at);
            assert!(read_record(exchanged.concat()).is_err(), "lines {at} and {} exchanged", at + 1);
        }
        let mut foreign = lines.clone();
        foreign.insert(at, "{\"note\":1}\n");
        assert_eq!(read_record(foreign.concat()).unwrap_err().line, at + 1);
    }
}

#[test]
fn an_error_names_line_entry_and_what_is_wrong() {
    let (_, file) = small();
    let message = |file: &str| read_record(file).unwrap_err().to_string();
    let changed = file.replace("Memory Fades", "Memory fades");
    assert_eq!(message(&changed), "line 8, entry 4: its content was changed (hash differs)");
    assert_eq!(message(""), "line 1, entry 0: the file ends before its last line, which counts the entries");
    assert_eq!(
        message(&file.replace("A glossary", "Another glossary")),
        "line 3, entry 0: the text was changed (digest differs)"
    );
    let spaced = file.replacen("{\"seq\":2,", "{\"seq\":2, ", 1);
    assert_eq!(
        message(&spaced),
        "line 6, entry 2: it does not have the form of a record (spacing, order of keys or escapes differ)"
    );
    let last = file.lines().count();
    assert_eq!(message(&format!("{file}\n")), format!("line {}: there is text after the last line", last + 1));
    assert_eq!(
        message(&file[..file.len() - 1]),
        format!("line {last}, entry {}: the file is cut off within this line", last - 4)
    );
}

#[test]
fn a_text_that_could_not_be_written_is_missed() {
    let (record, _) = small();
    let error = read_record(write_record(&record, &BTreeMap::new())).unwrap_err();
    assert!(error.to_string().contains("which is not before it"), "{error}");
}

#[test]
fn another_record_may_not_be_continued_here() {
    let mut other = common::opened(0);
    other.seed = 2;
    let other = Record::open(other, Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    let (_, file) = small();
    let foreign = write_record(&other, &common::texts());
    let opening = foreign.lines().nth(3).unwrap();
    let ours: Vec<&str> = file.lines().collect();
    let mixed = [&ours[..3], &[opening], &ours[4..]].concat().join("\n") + "\n";
    assert_eq!(
        read_record(mixed).unwrap_err().to_string(),
        "line 5, entry 1: it does not follow the entry before it (hash chain broken)"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_record(&bytes);
    }

    #[test]
    fn no_lines_make_it_panic(lines in proptest::collection::vec(prop_oneof![
        Just("{\"seq\":0,"), Just("{\"text\":\"\",\"content\":\"\"}\n"), Just("{\"end\":{\"entries\":0,\"head\":\"\"}}\n"), Just("[[[["), Just("\n"), Just("}")
    ], 0..8)) {
        prop_assert!(read_record(lines.concat()).is_err());
    }
}
