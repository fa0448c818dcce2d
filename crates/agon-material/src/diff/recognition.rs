//! Whether a text is a diff, whatever programs wrote before it: a summary, the description of a commit, a mail's head,
//! colours, a byte order mark.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

/// What the first line of a file's part begins with, where git wrote it.
const FILE_STARTS: [&str; 3] = ["diff --git ", "diff --cc ", "diff --combined "];

/// A line outside of hunks that is coloured; within them, a mark stands before what a file has.
static COLOURED: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern("(?m)^(?:\\x1b\\[[0-9;:]*m)+(?:diff -|--- |commit |index )"));
/// First lines of programs other than git; they say nothing by themselves.
const HEADED: [&str; 3] = ["Index: ", "diff -", "Only in "];

/// Sequences that set and reset colours in a terminal.
static COLOURS: LazyLock<Regex> = LazyLock::new(|| compile_pattern("\\x1b\\[[0-9;:]*[mK]"));

/// The lines that git and mail programs put before a diff.
static HEAD_LINES: LazyLock<Regex> = LazyLock::new(|| {
    let stat = r"[ \t]\S.*\|\s+(?:\d+ ?[+-]*|Bin\b.*|Unmerged)";
    let sum = r" \d+ files? changed.*";
    let summary = r" (?:create|delete|rename|copy|mode change|rewrite)\b.*";
    let numbers = r"(?:\d+|-)\t(?:\d+|-)\t.+";
    let status = r"[ACDMRTUX]\d*\t.+";
    let raw = r":\d{6} \d{6} [0-9a-f.]+ [0-9a-f.]+ [A-Z]\d*\t.+";
    compile_pattern(&format!("^(?:{stat}|{sum}|{summary}|{numbers}|{status}|{raw}|---)?$"))
});

/// A line of the head of a mail, and of the description of a commit.
static MAIL_LINE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"^[A-Za-z][A-Za-z0-9-]*: ?\S.*$"));
static MAIL_SUBJECT: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"(?i)^subject: "));
static COMMIT: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"^(?:commit|From) [0-9a-f]{40}"));

fn compile_pattern(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("a pattern is sound: {error}"))
}

/// The text as [`read_diff`](super::read_diff) reads it if it is a diff: what stands before the first file is what
/// programs write there. A text in which a diff is quoted is not a diff.
pub fn as_diff(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim_start_matches('\u{feff}');
    // A file can have such sequences as well, so they are taken out only where they colour a diff.
    if COLOURED.is_match(text) {
        let plain = COLOURS.replace_all(text, "");
        return begins_a_diff(&plain).then_some(plain);
    }
    begins_a_diff(text).then_some(Cow::Borrowed(text))
}

fn begins_a_diff(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let Some(first) = lines.iter().position(|line| !line.trim().is_empty()) else { return false };
    let lines = &lines[first..];
    let is_headed = COMMIT.is_match(lines[0]) || HEADED.iter().any(|start| lines[0].starts_with(start));
    if is_file_start(lines) || (is_headed && has_file(lines)) {
        return true;
    }
    let body = mail_body(lines);
    starts_after_summary(body) || (body.len() < lines.len() && is_patch(body))
}

/// Whether a diff begins behind nothing but a summary.
fn starts_after_summary(lines: &[&str]) -> bool {
    let head = lines.iter().take_while(|line| HEAD_LINES.is_match(line)).count();
    is_file_start(&lines[head..])
}

/// Whether the body of a mail is a patch as git writes it: a line `---` behind the message, and then the diff. A fence
/// before that quotes one.
fn is_patch(body: &[&str]) -> bool {
    let message = body.iter().take_while(|line| !line.starts_with("```") && !line.starts_with("~~~"));
    let ends = message.enumerate().filter(|(_, line)| line.trim_end() == "---");
    ends.into_iter().any(|(at, _)| starts_after_summary(&body[at + 1..]))
}

/// Whether the first of these lines begins the part of a file.
fn is_file_start(lines: &[&str]) -> bool {
    match lines {
        [old, new, ..] if old.starts_with("--- ") => new.starts_with("+++ "),
        [line, ..] => FILE_STARTS.iter().any(|start| line.starts_with(start)),
        [] => false,
    }
}

/// What follows the head of a mail that has a subject; the lines themselves where they have no such head.
fn mail_body<'l, 't>(lines: &'l [&'t str]) -> &'l [&'t str] {
    let is_head = |line: &&&str| MAIL_LINE.is_match(line) || line.starts_with([' ', '\t']);
    let head = lines.iter().take_while(is_head);
    let has_subject = head.clone().any(|line| MAIL_SUBJECT.is_match(line));
    let count = head.count();
    match MAIL_LINE.is_match(lines[0]) && has_subject && lines.get(count).is_none_or(|line| line.is_empty()) {
        true => &lines[count..],
        false => lines,
    }
}

fn has_file(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.starts_with("diff --") || line.starts_with("@@ -"))
}
