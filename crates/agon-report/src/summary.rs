//! The summary of a debate for a pull request or a pipeline: at most a screen of Markdown, and its findings as
//! annotations of lines.

use std::fmt::Write;

use agon_core::{Key, Record, Standing};
use agon_text::{
    LinePlace,
    markdown::{escape_posted, escape_posted_cell, escape_posted_start},
};

use crate::{
    first_page::{FirstPage, Sentence},
    graph::shorten_text,
    views_of,
};

/// Most lines of a summary.
pub const LINES_MAX: usize = 60;
/// Most findings that it lists; the files of the debate have all.
const FINDINGS_MAX: usize = 20;
/// Longest account of the outcome, a sentence, or a cell of the table, in characters.
const TOLD_CHARS_MAX: usize = 600;
const SENTENCE_CHARS_MAX: usize = 300;
/// Most sentences of a part.
const SENTENCES_MAX: usize = 4;

/// How grave a finding is for a reader; shown as its word in the commands of GitHub's workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum AnnotationLevel {
    /// It should stop the change.
    Error,
    /// It should be looked at.
    Warning,
    /// It is worth knowing.
    Notice,
}

/// A finding in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// How grave it is.
    pub level: AnnotationLevel,
    /// The file, relative.
    pub path: String,
    /// Its first and last line in the new version, from 1; none where it has none there: it is about removed lines, or
    /// about the whole file.
    pub lines: Option<(u32, u32)>,
    /// What became of it, in a few words.
    pub title: String,
    /// What is wrong, in the words of who found it.
    pub text: String,
    /// The answer that it stands in.
    pub key: Key,
}

/// The summary of `record`, which is one that may be shown. `gate` says what a pipeline does and why; `used` what
/// the debate cost. The first line marks a comment, so that the next summary can replace it.
pub fn render_summary(record: &Record, gate: Option<&str>, used: &str) -> String {
    let page = FirstPage::with_extraction(record, None);
    let opened = record.opened();
    let (protocol, verdict) = (&opened.protocol, escape_posted(&page.verdict));
    // A comment of Markdown, which no reader sees.
    let mut text = format!("<!-- agon-summary:{protocol} -->\n### agon {protocol}: {verdict}\n\n");
    append_part(&mut text, "Answer", &page.answer_sentences());
    if let Some(told) = &page.told {
        let _ = writeln!(text, "{}\n", escape_posted_start(&shorten_text(&told.full_text(), TOLD_CHARS_MAX)));
    }
    let state = match record.closing_outcome().map(|outcome| outcome.standing) {
        None => "**The debate is not over, so it has no result.** ",
        Some(Standing::Void) => "**The debate has no result.** ",
        Some(Standing::Valid) => "",
    };
    let gate = gate.map(|gate| format!("Gate: {}. ", escape_posted(gate))).unwrap_or_default();
    if !(state.is_empty() && gate.is_empty()) {
        let _ = writeln!(text, "{}\n", format!("{state}{gate}").trim_end());
    }
    text.push_str(&render_findings_table(&views_of(record).list_annotations(record)));
    append_part(&mut text, "Read with care", &page.doubts);
    append_part(&mut text, "How far to trust it", &page.trust);
    append_part(&mut text, "Not settled", &page.open);
    let digest: String = record.head_hash().as_str().chars().take(12).collect();
    let id = &opened.debate;
    let readers = match crate::other_rules(record) {
        Some(_) => format!("`agon show {id}` reads"),
        None => format!("`agon show {id}` and `agon check {id}` read"),
    };
    let (used, count) = (escape_posted(used), record.len());
    let _ =
        writeln!(text, "<sub>{used} · debate `{id}` · {count} entries, head `{digest}` · {readers} the record</sub>");
    debug_assert!(text.lines().count() <= LINES_MAX);
    text
}

fn render_findings_table(all: &[Annotation]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = String::from("| | place | finding |\n|---|---|---|\n");
    for finding in all.iter().take(FINDINGS_MAX) {
        let Annotation { path, lines, title, text: said, .. } = finding;
        let place = lines.map(|(first, last)| LinePlace::new(path, first, last).to_string());
        let place = place.as_deref().unwrap_or(path);
        let said = escape_posted_cell(&shorten_text(said, SENTENCE_CHARS_MAX));
        let _ = writeln!(text, "| {} | {} | {said} |", escape_posted_cell(title), escape_posted_cell(place));
    }
    if all.len() > FINDINGS_MAX {
        let _ = writeln!(text, "\n{} more are in the files of the debate.", all.len() - FINDINGS_MAX);
    }
    text + "\n"
}

fn append_part(text: &mut String, heading: &str, sentences: &[Sentence]) {
    if sentences.is_empty() {
        return;
    }
    let all = sentences.iter().take(SENTENCES_MAX);
    let all: Vec<String> = all.map(|one| escape_posted(&shorten_text(&one.full_text(), SENTENCE_CHARS_MAX))).collect();
    let _ = writeln!(text, "**{heading}.** {}\n", all.join(" · "));
}

/// The annotations of `record` as commands of GitHub's workflows, a line each.
pub fn workflow_commands(record: &Record) -> Vec<String> {
    let told = |finding: &Annotation| {
        let Annotation { level, path, lines, title, text, .. } = finding;
        let lines = lines.map(|(first, last)| format!("line={first},endLine={last},")).unwrap_or_default();
        let (path, title) = (escape_command_value(path, true), escape_command_value(&format!("agon: {title}"), true));
        let text = escape_command_value(&shorten_text(text, TOLD_CHARS_MAX), false);
        format!("::{level} file={path},{lines}title={title}::{text}")
    };
    views_of(record).list_annotations(record).iter().map(told).collect()
}

/// A value of a workflow command: other people's words must not end it, or begin another one.
/// Source: the toolkit of GitHub Actions, "Workflow commands".
fn escape_command_value(text: &str, is_property: bool) -> String {
    let mut escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if is_property {
        escaped = escaped.replace(':', "%3A").replace(',', "%2C");
    }
    escaped.retain(|c| !c.is_control());
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_end_no_command() {
        assert_eq!(escape_command_value("a%b\r\n::error::x", false), "a%25b%0D%0A::error::x");
        assert_eq!(escape_command_value("a:b,c\u{1b}[0m", true), "a%3Ab%2Cc[0m");
    }
}
