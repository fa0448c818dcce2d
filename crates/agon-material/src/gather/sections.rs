//! From an answer of git to the diffs of its files.

use super::{GatherError, file_reader};
use crate::diff::{FileDiff, read_diff};

/// What a hunk begins with, behind the line before it.
const HUNK: &[u8] = b"\n@@ ";

/// The diffs of an answer of git. What is not UTF-8 in them becomes U+FFFD.
pub(super) fn diffs_of(label: &str, output: &[u8]) -> Result<Vec<FileDiff>, GatherError> {
    let mut diffs = Vec::new();
    for section in split_sections(output) {
        let is_unreadable = file_reader::has_zero(section) || !file_reader::is_mostly_text(section);
        let header = section.windows(HUNK.len()).position(|start| start == HUNK).unwrap_or(section.len());
        let is_foreign = std::str::from_utf8(&section[..header]).is_err();
        let parsed = parse_diff(label, &String::from_utf8_lossy(section))?;
        diffs.extend(parsed.into_iter().map(|diff| FileDiff {
            is_unreadable,
            has_foreign_path: diff.has_foreign_path || is_foreign,
            ..diff
        }));
    }
    Ok(diffs)
}

/// The parts of a diff that git made, one for each file. A line of a hunk never begins like a header.
fn split_sections(output: &[u8]) -> Vec<&[u8]> {
    const START: &[u8] = b"diff --git ";
    let is_start = |at: &usize| output[*at..].starts_with(START);
    let mut starts = vec![0];
    let line_starts = output.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    starts.extend(line_starts.filter(is_start));
    starts.push(output.len());
    starts.windows(2).map(|pair| &output[pair[0]..pair[1]]).filter(|part| part.starts_with(START)).collect()
}

pub(super) fn parse_diff(label: &str, text: &str) -> Result<Vec<FileDiff>, GatherError> {
    read_diff(text).map_err(|fault| GatherError::Diff { source_name: label.to_owned(), fault })
}

/// The path of a diff, without control characters.
pub(super) fn shown_path(diff: &FileDiff) -> String {
    diff.path().chars().filter(|c| !c.is_control()).collect()
}
