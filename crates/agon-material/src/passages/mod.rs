//! Cutting material into passages with places: parts that fit a prompt and can be found by their words.
//!
//! Cutting is a pure function of kind and text, so the same text always has the same passages.

use serde::{Deserialize, Serialize};

use crate::diff::{DiffLine, FileDiff, LineMark, read_diff};

/// What an entry of the material is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaterialKind {
    /// One file's unified diff.
    Diff,
    /// A whole file or text.
    File,
    /// The text of a page from the web.
    Page,
}

/// Lines that a passage has if no boundary is better: a function of usual length, half a page of prose.
const LINES_WANTED: usize = 40;
/// A passage does not end before it has these lines, unless the text ends.
const LINES_MIN: usize = 20;
/// Maximum number of lines of a passage, so that several fit a prompt.
const LINES_MAX: usize = 60;
/// Bytes after which a passage ends, whatever its lines: about 2,000 tokens, a third of the usual prompt's
/// share.
const BYTES_MAX: usize = 6_000;
/// What begins a line that ends a block.
const CLOSERS: [char; 3] = ['}', ')', ']'];
/// How many lines away from [`LINES_WANTED`] a boundary may be to be better than one of the next worse kind.
const BOUNDARY_LINES: usize = 12;

/// Consecutive lines of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutPassage {
    /// First and last line of the new version; none if all lines were removed.
    pub lines: Option<(u32, u32)>,
    /// As a prompt shows it: each line with its number.
    pub shown: String,
    /// The lines without numbers and marks, for the search.
    pub words: String,
}

/// The passages of a text of this kind, in its order. The text of a diff that cannot be read has none.
pub fn cut_passages(kind: MaterialKind, text: &str) -> Vec<CutPassage> {
    match kind {
        MaterialKind::Diff => {
            let files = read_diff(text).unwrap_or_default();
            files.iter().flat_map(cut_diff).collect()
        }
        MaterialKind::File | MaterialKind::Page => cut_text(text),
    }
}

fn cut_text(text: &str) -> Vec<CutPassage> {
    let lines: Vec<&str> = text.lines().collect();
    let mut passages = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let end = find_boundary(&lines, start);
        // Empty lines alone show nothing.
        if lines[start..end].iter().any(|line| !line.trim().is_empty()) {
            let (mut shown, mut words) = (String::new(), String::new());
            for (number, line) in (start + 1..).zip(&lines[start..end]) {
                shown.push_str(&format!("{number}| {line}\n"));
                words.push_str(line);
                words.push('\n');
            }
            passages.push(CutPassage { lines: Some((start as u32 + 1, end as u32)), shown, words });
        }
        start = end;
    }
    passages
}

/// Where the passage that begins at `start` ends best: the index of the first line after it.
fn find_boundary(lines: &[&str], start: usize) -> usize {
    let mut bytes = 0;
    let fits = lines[start..].iter().take(LINES_MAX).take_while(|line| {
        bytes += line.len() + 1;
        bytes <= BYTES_MAX
    });
    // A line that is longer than a passage is one.
    let last = start + fits.count().max(1);
    if last == lines.len() && last - start <= LINES_WANTED {
        return last;
    }
    let first = (start + LINES_MIN).min(last);
    let badness = |end: usize| {
        let before = lines[end - 1];
        let next = lines.get(end).copied().unwrap_or_default();
        let kind = match (before.trim().is_empty(), is_outer_line(next)) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        kind * BOUNDARY_LINES + end.abs_diff(start + LINES_WANTED)
    };
    (first..=last).min_by_key(|end| badness(*end)).unwrap_or(last)
}

/// Whether a line stands at the margin and ends nothing.
fn is_outer_line(line: &str) -> bool {
    line.starts_with(|c: char| !c.is_whitespace() && !CLOSERS.contains(&c))
}

/// For each of `spans`, the lines of the blocks of `text` that hold it: from the line at the margin that begins the
/// first, such as the head of a function, to the line before the next block.
pub(crate) fn find_blocks(text: &str, spans: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |at: &usize| {
        let is_free = |line: &str| line.trim().is_empty() || line.starts_with(CLOSERS);
        lines.get(*at).is_some_and(|line| is_outer_line(line)) && (*at == 0 || is_free(lines[*at - 1]))
    };
    let find_block = |(first, last): &(u32, u32)| {
        let start = (0..*first as usize).rev().find(begins).unwrap_or(0);
        let end = (*last as usize..lines.len()).find(begins).unwrap_or(lines.len());
        (start as u32 + 1, end as u32)
    };
    spans.iter().map(find_block).collect()
}

fn cut_diff(diff: &FileDiff) -> Vec<CutPassage> {
    let mut remarks: String = diff.remark_lines().map(|line| format!("{line}\n")).collect();
    if diff.hunks.is_empty() {
        let words = format!("{} {remarks}", diff.path());
        return vec![CutPassage { lines: None, shown: remarks, words }];
    }
    let mut passages = Vec::new();
    for hunk in &diff.hunks {
        let mut rest = hunk.lines.as_slice();
        while !rest.is_empty() {
            let (part, others) = rest.split_at(hunk_boundary(rest));
            rest = others;
            let mut passage = CutPassage { lines: None, shown: std::mem::take(&mut remarks), words: String::new() };
            if !hunk.section_heading().is_empty() {
                passage.shown.push_str(&format!("@@ {}\n", hunk.section_heading()));
            }
            for line in part {
                passage.shown.push_str(&shown_line(line));
                passage.words.push_str(&line.text);
                passage.words.push('\n');
            }
            let mut numbers = part.iter().filter_map(|line| line.new);
            passage.lines = numbers.next().map(|first| (first, numbers.next_back().unwrap_or(first)));
            passages.push(passage);
        }
    }
    passages
}

/// How many of a hunk's lines the next passage takes. A long hunk is cut where it changes least: after
/// context.
fn hunk_boundary(lines: &[DiffLine]) -> usize {
    let mut bytes = 0;
    let fits = lines.iter().take(LINES_MAX).take_while(|line| {
        bytes += line.text.len() + 1;
        bytes <= BYTES_MAX
    });
    let last = fits.count().max(1);
    if last == lines.len() {
        return last;
    }
    let is_calm = |end: usize| {
        let after = lines.get(end).map(|line| line.mark);
        lines[end - 1].mark == LineMark::Context && after == Some(LineMark::Context)
    };
    let first = LINES_MIN.min(last);
    // A removed line and the one that replaces it belong together: never cut between them if it can be
    // avoided.
    let replaces = |end: usize| {
        lines[end - 1].mark == LineMark::Removed && lines.get(end).is_some_and(|line| line.mark != LineMark::Context)
    };
    let calm = (first..=last).rev().find(|end| is_calm(*end));
    calm.or_else(|| (first..=last).rev().find(|end| !replaces(*end))).unwrap_or(last)
}

fn shown_line(line: &DiffLine) -> String {
    let text = line.text.trim_end_matches('\r');
    match (line.new, line.mark) {
        (Some(number), LineMark::Added) => format!("{number}+| {text}\n"),
        (Some(number), _) => format!("{number}| {text}\n"),
        (None, _) => format!("-| {text}\n"),
    }
}

/// A quote without the numbers and marks that prompts show before lines, if each of its lines has some.
pub fn without_numbers(quote: &str) -> Option<String> {
    let mut plain = Vec::new();
    for line in quote.lines().filter(|line| !line.trim().is_empty()) {
        let (number, rest) = line.trim_start().split_once('|')?;
        let digits = number.trim().trim_end_matches('+');
        let is_number = digits == "-" || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_number {
            return None;
        }
        plain.push(rest.strip_prefix(' ').unwrap_or(rest));
    }
    (!plain.is_empty()).then(|| plain.join("\n"))
}

#[cfg(test)]
mod tests;
