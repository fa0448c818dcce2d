//! `record.jsonl`: the whole record, one JSON object a line, hash-chained and readable with jq.
//!
//! Texts that an entry names stand once, before it; the last line says how many entries there are
//! and the hash of the last. Reading accepts exactly what writing wrote, byte for byte, so no
//! change, loss or addition goes unnoticed.

use std::{
    collections::{BTreeMap, BTreeSet},
    str,
};

use agon_core::{Digest, Entry, Event, Record};
use agon_text::collect_different;
use serde::{Deserialize, Serialize};

/// Why a file is not a record as it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {why}", .entry.map(|entry| format!(", entry {entry}")).unwrap_or_default())]
pub struct JsonlError {
    /// The line, from 1.
    pub line: usize,
    /// The entry that this line is or precedes, from 0; `None` for the last line.
    pub entry: Option<u64>,
    /// What is wrong, as one sentence without a full stop.
    pub why: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text<'t> {
    text: Digest,
    content: std::borrow::Cow<'t, str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordEnd {
    pub end: EndedLine,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndedLine {
    pub entries: u64,
    pub head: Digest,
}

/// The file of `record`. `texts` must hold every text that the record names; one that is missing
/// is left out, and reading the file will say so.
pub fn write_record(record: &Record, texts: &BTreeMap<Digest, String>) -> String {
    let (mut out, mut written) = (String::new(), BTreeSet::new());
    for entry in record.entries() {
        for text in list_new_texts(&entry.what, &written) {
            if let Some(content) = texts.get(&text) {
                append_json_line(&mut out, &Text { text: text.clone(), content: content.into() });
            }
            written.insert(text);
        }
        append_json_line(&mut out, entry);
    }
    let end = EndedLine { entries: record.len(), head: record.head_hash().clone() };
    append_json_line(&mut out, &RecordEnd { end });
    out
}

/// The record and the texts in `file`, every line of it verified.
pub fn read_record(file: impl AsRef<[u8]>) -> Result<(Record, BTreeMap<Digest, String>), JsonlError> {
    let mut reader = RecordReader { texts: BTreeMap::new(), known: BTreeSet::new(), due: Vec::new(), record: None };
    let mut rest = file.as_ref();
    for number in 1.. {
        let fault = |entry: Option<u64>, why: &str| JsonlError { line: number, entry, why: why.into() };
        let next = Some(reader.next());
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            return Err(match rest {
                [] => fault(next, "the file ends before its last line, which counts the entries"),
                _ => fault(next, "the file is cut off within this line"),
            });
        };
        let line = str::from_utf8(&rest[..end]).map_err(|_| fault(next, "it is not UTF-8"))?;
        rest = &rest[end + 1..];
        let is_end = line.starts_with("{\"end\":");
        reader.read_line(line).map_err(|why| fault(next.filter(|_| !is_end), &why))?;
        if is_end && !rest.is_empty() {
            return Err(JsonlError { line: number + 1, ..fault(None, "there is text after the last line") });
        }
        if is_end {
            break;
        }
    }
    let empty = || JsonlError { line: 1, entry: None, why: "there are no entries".into() };
    Ok((reader.record.ok_or_else(empty)?, reader.texts))
}

struct RecordReader {
    texts: BTreeMap<Digest, String>,
    /// Texts that an entry before named.
    known: BTreeSet<Digest>,
    /// Texts read since the last entry, in order.
    due: Vec<Digest>,
    record: Option<Record>,
}

impl RecordReader {
    /// Number of the entry that must come next.
    fn next(&self) -> u64 {
        self.record.as_ref().map_or(0, Record::len)
    }

    fn read_line(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with("{\"seq\":") {
            self.add_entry(parse_exact_line(line)?)
        } else if line.starts_with("{\"text\":") {
            self.add_text(parse_exact_line(line)?)
        } else if line.starts_with("{\"end\":") {
            self.check_end(&parse_exact_line::<RecordEnd>(line)?.end)
        } else {
            Err("this is not a line of a record".into())
        }
    }

    fn add_text(&mut self, Text { text, content }: Text<'_>) -> Result<(), String> {
        if Digest::from_content(content.as_bytes()) != text {
            return Err("the text was changed (digest differs)".into());
        }
        self.due.push(text.clone());
        match self.texts.insert(text, content.into_owned()) {
            None => Ok(()),
            Some(_) => Err("this text occurs twice".into()),
        }
    }

    fn add_entry(&mut self, entry: Entry) -> Result<(), String> {
        let wanted = list_new_texts(&entry.what, &self.known);
        if let Some(missing) = wanted.iter().find(|digest| !self.texts.contains_key(*digest)) {
            return Err(format!("it names the text {missing}, which is not before it"));
        }
        if wanted != self.due {
            return Err("the texts before it are not the texts that it names, in that order".into());
        }
        self.known.extend(std::mem::take(&mut self.due));
        match &mut self.record {
            Some(record) => record.append_entry(entry).map_err(|error| error.why),
            None => {
                let record = Record::new(entry).map_err(|error| error.why)?;
                self.record = Some(record.with_documents(&self.texts));
                Ok(())
            }
        }
    }

    fn check_end(&self, end: &EndedLine) -> Result<(), String> {
        let Some(record) = &self.record else { return Err("there are no entries before the last line".into()) };
        if !self.due.is_empty() {
            return Err("a text precedes the last line, which names no text".into());
        }
        if end.entries != record.len() {
            return Err(format!("it counts {} entries, but there are {}", end.entries, record.len()));
        }
        if end.head != *record.head_hash() {
            return Err("its hash differs from the hash of the last entry".into());
        }
        Ok(())
    }
}

/// Texts that an entry names and `known` does not have, each once, in its order.
fn list_new_texts(what: &Event, known: &BTreeSet<Digest>) -> Vec<Digest> {
    let named = what.list_text_digests().into_iter();
    collect_different(named.filter(|digest| !known.contains(*digest)).cloned())
}

/// A line that is written exactly as [`write`] writes its value.
pub(crate) fn parse_exact_line<'l, T: Serialize + Deserialize<'l>>(line: &'l str) -> Result<T, String> {
    let value: T = serde_json::from_str(line).map_err(|error| format!("it cannot be read ({error})"))?;
    let mut same = String::new();
    append_json_line(&mut same, &value);
    if same.trim_end_matches('\n') != line {
        return Err("it does not have the form of a record (spacing, order of keys or escapes differ)".into());
    }
    Ok(value)
}

pub(crate) fn append_json_line(out: &mut String, line: &impl Serialize) {
    // Every key is a text and every value plain, so serialisation has no way to fail.
    out.push_str(&serde_json::to_string(line).unwrap_or_default());
    out.push('\n');
}
