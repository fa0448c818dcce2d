//! The record of a deleted debate as JSON lines: what was deleted, then each entry without its words or, where it was
//! kept, as it was, and the last line of every record.
//!
//! Reading accepts exactly what writing wrote, and follows the hash chain through all entries.

use agon_core::{Entry, ErasedEntry, LeftEntry, Tombstone};
use serde::{Deserialize, Serialize};

use crate::record_jsonl::{EndedLine, JsonlError, RecordEnd, append_json_line, parse_exact_line};

/// How the first line begins.
const BEGIN: &str = "{\"deleted\":";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeletedLine {
    deleted: Tombstone,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ErasedLine {
    erased: ErasedEntry,
}

/// Whether `file` begins like the record of a deleted debate.
pub fn is_tombstone(file: &[u8]) -> bool {
    file.starts_with(BEGIN.as_bytes())
}

/// The file of a deleted debate.
pub fn write_tombstone(tombstone: &Tombstone, left: &[LeftEntry]) -> String {
    let mut out = String::new();
    append_json_line(&mut out, &DeletedLine { deleted: tombstone.clone() });
    for entry in left {
        match entry {
            LeftEntry::Kept(entry) => append_json_line(&mut out, entry),
            LeftEntry::Erased(entry) => append_json_line(&mut out, &ErasedLine { erased: entry.clone() }),
        }
    }
    let end = EndedLine { entries: tombstone.entries, head: tombstone.head.clone() };
    append_json_line(&mut out, &RecordEnd { end });
    out
}

/// The deleted debate in `file`, its chain verified.
///
/// # Errors
///
/// The first line that is not as [`write_tombstone()`] writes it, or that the chain contradicts.
pub fn read_tombstone(file: &[u8]) -> Result<(Tombstone, Vec<LeftEntry>), JsonlError> {
    let at_start = |why: String| JsonlError { line: 1, entry: None, why };
    let text = std::str::from_utf8(file).map_err(|_| at_start("the file is not UTF-8".into()))?;
    let cut_off = |line: usize, entry: u64| JsonlError {
        line,
        entry: Some(entry),
        why: "the file ends before its last line, which counts the entries".into(),
    };
    let (first, mut rest) = text.split_once('\n').ok_or_else(|| cut_off(1, 0))?;
    let DeletedLine { deleted } = parse_exact_line(first).map_err(at_start)?;
    let mut left = Vec::new();
    for number in 2.. {
        let fault = |entry: Option<u64>, why: String| JsonlError { line: number, entry, why };
        let next = left.len() as u64;
        let (line, after) = rest.split_once('\n').ok_or_else(|| cut_off(number, next))?;
        rest = after;
        if line.starts_with("{\"end\":") {
            let RecordEnd { end } = parse_exact_line(line).map_err(|why| fault(None, why))?;
            if !rest.is_empty() {
                return Err(fault(None, "there is text after the last line".into()));
            }
            if end.entries != deleted.entries || end.head != deleted.head {
                return Err(fault(None, "it differs from the first line".into()));
            }
            deleted.verify_chain(&left).map_err(|error| fault(Some(error.seq), error.why))?;
            break;
        }
        let entry = if line.starts_with("{\"erased\":") {
            parse_exact_line::<ErasedLine>(line).map(|line| LeftEntry::Erased(line.erased))
        } else {
            parse_exact_line::<Entry>(line).map(|entry| LeftEntry::Kept(Box::new(entry)))
        };
        left.push(entry.map_err(|why| fault(Some(next), why))?);
    }
    Ok((deleted, left))
}

#[cfg(test)]
mod tests {
    use agon_core::{Digest, Event, Key, Record, Ruling, RulingKind, Stamp, sample};

    use super::*;

    #[test]
    fn what_is_left_is_read_back_and_no_byte_can_change() {
        let at = || Stamp("2026-01-01T00:00:00.000Z".into());
        let mut record = Record::open(sample::sample_opened("test", &["a"]), at()).unwrap();
        let ruling = Ruling::new(RulingKind::Noted, "words");
        record.append_event(at(), Event::Ruled { key: Key::from_parts("a"), ruling }).unwrap();
        let tombstone = Tombstone {
            debate: record.opened().debate.clone(),
            protocol: "test".into(),
            entries: 2,
            head: record.head_hash().clone(),
            at: at(),
            by: "Ada".into(),
            why: String::new(),
        };
        let left: Vec<LeftEntry> =
            record.entries().iter().map(|entry| LeftEntry::Erased(ErasedEntry::from_entry(entry))).collect();
        let file = write_tombstone(&tombstone, &left);
        assert!(is_tombstone(file.as_bytes()) && !file.contains("words"), "{file}");
        assert_eq!(read_tombstone(file.as_bytes()).unwrap(), (tombstone.clone(), left.clone()));
        // Who deleted it, when and why is told, not proven; everything else is in the chain.
        let chain = file.find('\n').unwrap();
        for at in chain..file.len() {
            let mut bytes = file.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let changed = read_tombstone(&bytes);
            let named = |entry: &LeftEntry| match entry {
                LeftEntry::Erased(entry) => (entry.kind.clone(), entry.key.clone()),
                LeftEntry::Kept(_) => Default::default(),
            };
            // The name of an erased entry is no part of what its hash can show.
            let differs =
                |(_, read): &(Tombstone, Vec<LeftEntry>)| read.iter().zip(&left).all(|(a, b)| named(a) == named(b));
            assert!(changed.as_ref().map_or(true, |read| !differs(read)), "byte {at}");
        }
        let mut other = tombstone;
        other.head = Digest::from_content("x");
        assert!(read_tombstone(write_tombstone(&other, &left).as_bytes()).is_err());
    }
}
