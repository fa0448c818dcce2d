//! The files of a debate that was taken over from files of other programs: what nothing was added to
//! stays as it was, byte for byte.
//!
//! The originals are documents that the record is pinned to. Whether a file changed since is seen by
//! drawing it twice: of the record as it was taken over, and of the record now.

use std::collections::BTreeMap;

use agon_core::{Event, Record};

use crate::File;

/// What the name of an original begins with, among the documents of a record.
pub const PREFIX: &str = "import/";

/// An original file, by its path in the folder that was taken over.
pub fn find_original<'r>(record: &'r Record, path: &str) -> Option<&'r str> {
    record.opened().import_details()?;
    record.document(&format!("{PREFIX}{path}"))
}

/// The files that `draw` makes of `record`, with the originals in the place of what did not change;
/// what only grew is the original and what came to it.
pub fn draw_with_originals(record: &Record, draw: impl Fn(&Record) -> Vec<File>) -> Vec<File> {
    merge_originals(record, draw, |_, _| true, |_, _, _| None)
}

/// [`draw_with_originals`], where only what `stands` stays as it was: given its path, and the original where there
/// was one. What does not is drawn, but where `join` knows how a file that changed continues: given its path, the
/// original and what is drawn now. It is not asked once something may no longer be shown.
pub fn merge_originals(
    record: &Record,
    draw: impl Fn(&Record) -> Vec<File>,
    stands: impl Fn(&str, Option<&str>) -> bool,
    join: impl Fn(&str, &str, &str) -> Option<String>,
) -> Vec<File> {
    let now = draw(record);
    let Some(taken) = record_at_import(record) else { return now };
    let then: BTreeMap<String, String> = draw(&taken).into_iter().map(|file| (file.path, file.content)).collect();
    let hidden = record.answers().any(|(_, answered)| record.redaction_seq(&answered.key).is_some());
    let mut files = Vec::new();
    for File { path, content } in now {
        let content = match (then.get(&path), find_original(record, &path)) {
            (Some(then), original) if *then == content => match original {
                _ if !stands(&path, original) => content,
                Some(original) => original.to_owned(),
                // The folder had no such file, and nothing came that would make one.
                None => continue,
            },
            (Some(then), Some(original)) => {
                let known = Some(original).filter(|_| !hidden);
                match known.and_then(|original| join(&path, original, &content)) {
                    Some(joined) => joined,
                    None if !then.is_empty() && content.starts_with(then) => {
                        format!("{original}{}", &content[then.len()..])
                    }
                    None => content,
                }
            }
            _ => content,
        };
        files.push(File { path, content });
    }
    let absent = record.documents().iter().filter_map(|(name, text)| {
        let path = name.strip_prefix(PREFIX)?;
        (!then.contains_key(path) && !files.iter().any(|file| file.path == path)).then(|| File::new(path, text))
    });
    let absent: Vec<File> = absent.collect();
    files.extend(absent);
    files
}

/// The record as it was when the files were taken over; `None` for any other debate.
fn record_at_import(record: &Record) -> Option<Record> {
    record.opened().import_details()?;
    let later = |what: &Event| match what {
        Event::Answered(answered) => !answered.is_imported(),
        Event::Extended { .. } | Event::Acted(_) => true,
        Event::Ruled { ruling, .. } => ruling.redacted_answer().is_some(),
        Event::Opened(_) | Event::Asked(_) | Event::Closed { .. } => false,
    };
    let entries = record.entries();
    let end = entries.iter().position(|entry| later(&entry.what)).unwrap_or(entries.len());
    Some(record.copy_first_entries(end))
}
