//! `debate-log.jsonl`: one JSON object a line, written exactly as the source system's script writes
//! it, and read back from wherever it was made.

use agon_protocols::{
    chaired::{
        debaters::ROLES,
        log::{Logged, Type},
        source_form::LogSource,
        verification::hide_explanation,
    },
    common::{redacted_text::REDACTED, request_values::parse_word},
};
use agon_text::{HiddenPassages, collect_different};

use super::{log_line::LogLine, redaction_reasons};
use crate::python_json;

/// One line of a debate log, in the format of the source system.
pub type LogEntry = LogLine<Vec<LogSource>>;

/// A line that is not an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct LogLineError {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl LogEntry {
    /// As the log holds it, with what was redacted: the log is append-only.
    pub fn from_logged(logged: &Logged, timestamp: String) -> Self {
        let (content, sources) = logged.original_content();
        let item = &logged.item;
        Self {
            seq: item.seq,
            timestamp,
            phase: item.phase.name().to_owned(),
            speaker: item.speaker.clone(),
            kind: item.type_name().to_owned(),
            content: content.trim_end_matches('\n').to_owned(),
            sources: (!sources.is_empty()).then(|| sources.iter().map(LogSource::from_citation).collect()),
            rebuttal_to_seq: item.rebuttal_to_seq,
            target_seq: item.target_seq,
        }
    }

    /// Its line, without the line break.
    pub fn render(&self) -> String {
        let text = python_json::render_json_line::<str>;
        let source = |LogSource { url, title, accessed }: &LogSource| {
            let (url, title, accessed) = (text(url), text(title), text(accessed));
            format!(r#"{{"url":{url},"title":{title},"accessed":{accessed}}}"#)
        };
        self.render_with(|sources| format!("[{}]", sources.iter().map(source).collect::<Vec<_>>().join(",")))
    }

    /// The sources, none for null.
    pub fn sources(&self) -> &[LogSource] {
        self.sources.as_deref().unwrap_or_default()
    }

    /// Its type, where it is one that a debate may have.
    pub fn known_type(&self) -> Option<Type> {
        parse_word(&self.kind).filter(|kind| *kind != Type::Other)
    }

    /// Whether it is an argument.
    pub fn is_argument(&self) -> bool {
        self.known_type().is_some_and(Type::is_argument)
    }

    /// Whether its speaker has no office and may be a debater.
    pub fn is_by_debater(&self) -> bool {
        !ROLES.contains(&self.speaker.as_str())
    }
}

/// Speakers without an office, in the order of their first entries.
pub fn list_speakers(entries: &[LogEntry]) -> Vec<String> {
    collect_different(entries.iter().filter(|entry| entry.is_by_debater()).map(|entry| entry.speaker.clone()))
}

/// The whole file.
pub fn render_log(entries: &[LogEntry]) -> String {
    entries.iter().map(|entry| entry.render() + "\n").collect()
}

/// Reads a log of any origin. A last line that was torn off is an error like any other: code that
/// continues a log decides what becomes of it.
pub fn parse_log(text: &str) -> Result<Vec<LogEntry>, LogLineError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let entry = |(at, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| LogLineError { line: at + 1, why: error.to_string() })
    };
    lines.map(entry).collect()
}

/// The entries as every other file shows them: what was redacted is replaced by the reason, and the passages `struck`
/// with it are left out where others quote them.
pub fn hide_redacted(entries: &[LogEntry], struck: &HiddenPassages) -> Vec<LogEntry> {
    let redacted = redaction_reasons(entries);
    let hide = |entry: &LogEntry| {
        if let Some(reason) = redacted.get(&entry.seq) {
            return LogEntry { content: format!("[REDACTED — {reason}]"), sources: None, ..entry.clone() };
        }
        let hidden = match entry.kind.as_str() {
            // Its explanation may quote the entry, and is shown only while that stands.
            "verification_result" => {
                let of_struck = entry.target_seq.filter(|seq| redacted.contains_key(seq));
                of_struck.and_then(|_| hide_explanation(&entry.content))
            }
            _ => struck.redact_text(&entry.content, REDACTED),
        };
        LogEntry { content: hidden.unwrap_or_else(|| entry.content.clone()), ..entry.clone() }
    };
    entries.iter().map(hide).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry() -> LogEntry {
        LogEntry {
            seq: 7,
            timestamp: "2026-02-21T14:00:00Z".into(),
            phase: "rebuttal".into(),
            speaker: "ada".into(),
            kind: "rebuttal".into(),
            content: "Costs — \"all\" of them.\n\nFell ⚔".into(),
            sources: Some(vec![LogSource {
                url: "https://a.b/c".into(),
                title: "A & B".into(),
                accessed: "2026-02-21".into(),
            }]),
            rebuttal_to_seq: Some(3),
            target_seq: None,
        }
    }

    #[test]
    fn a_line_is_written_as_the_script_writes_it() {
        let want = r#"{"seq":7,"timestamp":"2026-02-21T14:00:00Z","phase":"rebuttal","speaker":"ada","type":"rebuttal","content":"Costs \u2014 \"all\" of them.\n\nFell \u2694","sources":[{"url":"https://a.b/c","title":"A & B","accessed":"2026-02-21"}], "rebuttal_to_seq": 3}"#;
        assert_eq!(entry().render(), want);
    }

    #[test]
    fn references_that_are_not_given_are_omitted() {
        let plain = LogEntry { sources: None, rebuttal_to_seq: None, ..entry() };
        assert!(plain.render().ends_with(r#","sources":null}"#));
        let both = LogEntry { sources: None, target_seq: Some(5), ..entry() };
        assert!(both.render().ends_with(r#","sources":null, "rebuttal_to_seq": 3, "target_seq": 5}"#));
    }

    #[test]
    fn a_reader_accepts_absent_and_null() {
        let absent = r#"{"seq":0,"timestamp":"t","phase":"system","speaker":"chair","type":"setup","content":"x"}"#;
        let null = absent.replace("\"x\"}", "\"x\",\"sources\":null,\"rebuttal_to_seq\":null,\"target_seq\":null}");
        assert_eq!(parse_log(absent), parse_log(&null));
    }

    #[test]
    fn a_torn_or_corrupt_line_is_named() {
        let whole = render_log(&[entry(), entry()]);
        assert_eq!(parse_log(&whole[..whole.len() - 9]).unwrap_err().line, 2);
        assert_eq!(parse_log("\n{\"seq\":1,\"sources\":oops}").unwrap_err().line, 2);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(content in any::<String>(), seq in any::<u64>(), to in any::<Option<u64>>()) {
            let entry = LogEntry { content, seq, rebuttal_to_seq: to, ..entry() };
            prop_assert_eq!(parse_log(&entry.render()).unwrap(), [entry]);
        }
    }
}
