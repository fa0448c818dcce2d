//! One source as a statement cites it, and what is known of it. A source that nobody opened is called so:
//! that nothing was checked must never look as if all were well.

use agon_core::Record;
use agon_protocols::{
    common::{
        claim_reading::ClaimReading,
        verification::{self, SourceCheck, SourceStatus},
    },
    declared::{self, declaration::Ask, state::called},
};

/// Why nobody opened a source of a statement that was looked up.
const TOO_MANY: &str = "not opened: the limit of sources for one place or one statement is reached";
/// Codes of a source whose page was not read, though someone looked for it.
pub const UNREAD: [&str; 7] =
    ["", "blocked", "unreachable", "unchecked", "never-seen", "missing", "no-web-address"];

/// One source that a statement cites, with the result of its check.
#[derive(Debug, Clone, PartialEq)]
pub struct CitedSource {
    /// The statement, as readers know it.
    pub of: String,
    /// What was cited, as it stands there.
    pub source: String,
    /// What was found, in a word; `unchecked` where nobody looked.
    pub status: String,
    /// Whether its page was read and decides neither way.
    pub is_open: bool,
    /// The sentence that decides, or why nothing is known.
    pub why: String,
}

impl CitedSource {
    /// A source that nobody looked up.
    pub fn unknown(of: &str, source: &str) -> Self {
        let why = String::new();
        let status = "unchecked".into();
        Self { of: of.to_owned(), source: source.to_owned(), status, is_open: false, why }
    }

    /// A source that was looked up.
    pub fn found(of: &str, found: &SourceCheck) -> Self {
        let why = why(found.sentence.as_ref(), &found.explanation, found.reading.as_ref());
        let status = found.status.name().to_owned();
        let is_open = found.status == SourceStatus::Unverified && !UNREAD.contains(&found.code.as_str());
        Self { of: of.to_owned(), source: found.url.clone(), status, is_open, why }
    }
}

/// The sentence that decided, or why nothing is known; then what a model read, marked as a model's.
pub fn why(sentence: Option<&String>, explanation: &str, reading: Option<&ClaimReading>) -> String {
    let why = sentence.map_or(explanation, String::as_str).to_owned();
    let Some(reading) = reading else { return why };
    let by = reading.sentence.iter().filter(|by| **by != why).map(|by| format!(", by \u{201c}{by}\u{201d}"));
    let read = format!("({}{})", reading.tag(), by.collect::<String>());
    if why.is_empty() { read } else { format!("{why} {read}") }
}

/// What `words` of a place cite: what was found there, and the addresses that nobody opened, since a
/// place has more of them than are looked up.
pub fn place(of: &str, at: &str, words: &str, found: &[SourceCheck]) -> Vec<CitedSource> {
    let here: Vec<&SourceCheck> = found.iter().filter(|found| found.at == at).collect();
    let mut all: Vec<CitedSource> = here.iter().map(|found| CitedSource::found(of, found)).collect();
    let rest = verification::addresses(words).into_iter().filter(|url| !all.iter().any(|c| c.source == *url));
    let rest: Vec<CitedSource> = rest.map(|url| CitedSource::unknown(of, &url)).collect();
    let why = if here.is_empty() { "" } else { TOO_MANY };
    all.extend(rest.into_iter().map(|cited| CitedSource { why: why.to_owned(), ..cited }));
    all
}

/// What prose cites: what was found, and the addresses that nobody opened.
pub fn prose(of: &str, text: &str, found: &[SourceCheck]) -> Vec<CitedSource> {
    let mut all: Vec<CitedSource> = found.iter().map(|found| CitedSource::found(of, found)).collect();
    let rest = verification::addresses(text).into_iter().filter(|url| !found.iter().any(|f| f.url == *url));
    let why = if found.is_empty() { "" } else { TOO_MANY };
    all.extend(rest.map(|url| CitedSource { why: why.to_owned(), ..CitedSource::unknown(of, &url) }));
    all
}

/// What the statements of a declared protocol cite; nothing for any other.
pub fn declared(record: &Record) -> Vec<CitedSource> {
    let Some((declaration, state)) = declared::said(record) else { return Vec::new() };
    let mut all = Vec::new();
    for said in &state.said {
        let ask = declaration.ask(&said.ask).map(Ask::title).unwrap_or_default();
        let of = format!("{}, {} {}", called(record.opened(), &said.seat), ask, said.round);
        all.extend(prose(&of, &said.statement.text, &said.sources));
    }
    all
}
