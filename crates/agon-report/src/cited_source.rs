//! One source as a statement cites it, and what is known of it. A source that nobody opened is called so:
//! that nothing was checked must never look as if all were well.

use std::collections::BTreeSet;

use agon_core::Record;
use agon_protocols::{
    common::{
        claim_reading::SupportReading,
        verification::{self, SourceCheck, SourceStatus},
    },
    declared::{self, declaration::Ask, state::seat_name},
};
use agon_text::count_noun;

use crate::{graph::Graph, material_places::PinnedMaterial};

/// Why nobody opened a source of a statement that was looked up.
const TOO_MANY: &str = "not opened: the limit of sources for one place or one statement is reached";
/// Codes of a source whose page was not read, though someone looked for it.
pub const UNREAD: [&str; 7] = ["", "blocked", "unreachable", "unchecked", "never-seen", "missing", "no-web-address"];

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
        let (of, source, status) = (of.to_owned(), source.to_owned(), "unchecked".to_owned());
        Self { of, source, status, is_open: false, why: String::new() }
    }

    /// A source that was looked up.
    pub fn from_check(of: &str, found: &SourceCheck) -> Self {
        let why = explain_status(found.status, found.sentence.as_ref(), &found.explanation, found.reading.as_ref());
        let status = found.status.name().to_owned();
        let is_open = found.status == SourceStatus::Unverified && !UNREAD.contains(&found.code.as_str());
        Self { of: of.to_owned(), source: found.url.clone(), status, is_open, why }
    }
}

/// Statuses of a source that names a place of the material.
const IN_MATERIAL: &str = "in the material";
const NOT_IN_MATERIAL: &str = "not in the material";
/// Statuses of a source that is gone, never was, or does not hold what is quoted from it.
const BAD: [&str; 5] = ["fabricated", "unreliable", "absent", "missing", NOT_IN_MATERIAL];
/// Statuses of a source whose page holds what is quoted.
const GOOD: [&str; 2] = ["verified", "verified-edited"];
/// Statuses of a source whose words or place were compared, and that is neither.
const COMPARED: [&str; 2] = ["near", IN_MATERIAL];
/// Statuses of a source that nobody could verify.
const UNKNOWN: [&str; 4] = ["unchecked", "unverified", "blocked", "unreachable"];

/// Every source of a debate, once for each statement that cites it: what was found about it, if anybody
/// looked. `graph` is that of the record.
pub fn list_cited_sources(record: &Record, graph: &Graph) -> Vec<CitedSource> {
    let mut all = crate::views_of(record).list_cited_sources(record, graph);
    let material = PinnedMaterial::from_record(record);
    // Those that name a place of the material and that nobody looked up are compared with it.
    for cited in all.iter_mut().filter(|cited| cited.status == "unchecked") {
        if let Some((is_there, note)) = material.as_ref().and_then(|material| material.look_up(&cited.source)) {
            cited.status = if is_there { IN_MATERIAL } else { NOT_IN_MATERIAL }.to_owned();
            cited.why = note;
        }
    }
    let mut seen = BTreeSet::new();
    all.retain(|cited| seen.insert((cited.of.clone(), cited.source.clone())));
    all
}

/// How many sources came out how. Every figure about the sources of a debate is one of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// All that were cited.
    pub all: usize,
    /// Whose page holds what is quoted.
    pub verified: usize,
    /// Which are gone, never were, or do not hold what is quoted.
    pub bad: usize,
    /// Whose page was opened and decides neither way.
    pub open: usize,
    /// Which nobody verified.
    pub unknown: usize,
    /// Which were opened or compared, whatever came of it.
    pub checked: usize,
    /// Which were looked up in the document, word for word.
    pub known: usize,
}

impl Counts {
    /// Those of `cited`.
    pub fn from_cited(cited: &[CitedSource]) -> Self {
        let count = |test: &dyn Fn(&CitedSource) -> bool| cited.iter().filter(|cited| test(cited)).count();
        let is = |cited: &CitedSource, known: &[&str]| known.contains(&cited.status.as_str());
        let is_checked = |cited: &CitedSource| is(cited, &GOOD) || is(cited, &BAD) || is(cited, &COMPARED);
        Self {
            all: cited.len(),
            verified: count(&|cited| is(cited, &GOOD)),
            bad: count(&|cited| is(cited, &BAD)),
            open: count(&|cited| cited.is_open),
            unknown: count(&|cited| !cited.is_open && is(cited, &UNKNOWN)),
            checked: count(&|cited| cited.is_open || is_checked(cited)),
            known: count(&|cited| cited.status == "in the document"),
        }
    }

    /// What a reader must know of sources before anything else, a sentence each.
    pub fn describe_troubles(&self) -> Vec<String> {
        let all = count_noun(self.all, "source", "sources");
        let told = [
            (self.bad, format!("{} of {all} cited are gone or do not hold what is quoted from them.", self.bad)),
            (self.open, format!("{} of {all} cited were opened, and nothing could be compared.", self.open)),
            (self.unknown, format!("{} of {all} cited were not verified by anybody.", self.unknown)),
        ];
        told.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect()
    }

    /// How far the sources were looked up, in a sentence or two.
    pub fn describe_coverage(&self) -> String {
        let &Self { all, open, checked, known, .. } = self;
        let sources = count_noun(all, "source", "sources");
        let undecided = if open > 0 { format!("; of {open} nothing could be compared") } else { String::new() };
        let document = match known {
            0 => String::new(),
            known => format!(" {known} were looked up in the document, word for word."),
        };
        match checked {
            0 if known == all => format!("{sources} cited.{document}"),
            0 => format!("{sources} cited, and nobody opened any page.{document}"),
            checked => format!("{checked} of {sources} cited were opened and compared{undecided}.{document}"),
        }
    }
}

/// How many pages `addresses` lead to; two parts of one page are one.
pub fn count_pages<'a>(addresses: impl Iterator<Item = &'a str>) -> usize {
    addresses.map(|url| url.split('#').next().unwrap_or(url)).collect::<BTreeSet<_>>().len()
}

/// What the page says there, or why nothing is known; then what the status does not say: whether a reader found that
/// the page bears the claim out.
pub fn explain_status(
    status: SourceStatus,
    sentence: Option<&String>,
    explanation: &str,
    reading: Option<&SupportReading>,
) -> String {
    let why = sentence.map_or(explanation, String::as_str).to_owned();
    let by = reading.and_then(|reading| reading.sentence.as_ref()).filter(|by| **by != why);
    let by = by.map(|by| format!(", by \u{201c}{by}\u{201d}")).unwrap_or_default();
    let note = verification::standing_note(status, reading);
    let note = note.trim_start_matches([':', ';', ' ']);
    match (why.is_empty(), note.is_empty()) {
        (_, true) => why,
        (true, _) => format!("({note}{by})"),
        _ => format!("{why} ({note}{by})"),
    }
}

/// What `words` of a place cite: what was found there, and the addresses that nobody opened, since a
/// place has more of them than are looked up.
pub fn collect_place_sources(of: &str, at: &str, words: &str, found: &[SourceCheck]) -> Vec<CitedSource> {
    collect_prose_sources(of, words, found.iter().filter(|found| found.at == at))
}

/// What prose cites: what was found, and the addresses that nobody opened.
pub fn collect_prose_sources<'f>(
    of: &str,
    text: &str,
    found: impl IntoIterator<Item = &'f SourceCheck>,
) -> Vec<CitedSource> {
    let mut all: Vec<CitedSource> = found.into_iter().map(|found| CitedSource::from_check(of, found)).collect();
    let why = if all.is_empty() { "" } else { TOO_MANY };
    let rest = verification::find_addresses(text).into_iter().filter(|url| !all.iter().any(|c| c.source == *url));
    let rest = rest.map(|url| CitedSource { why: why.to_owned(), ..CitedSource::unknown(of, &url) });
    let rest: Vec<CitedSource> = rest.collect();
    all.extend(rest);
    all
}

/// What the statements of a declared protocol cite; nothing for any other.
pub fn collect_declared_sources(record: &Record) -> Vec<CitedSource> {
    let Some((declaration, state)) = declared::read_declared_state(record) else { return Vec::new() };
    let mut all = Vec::new();
    for said in &state.said {
        let ask = declaration.find_ask(&said.ask).map(Ask::title).unwrap_or_default();
        let of = format!("{}, {} {}", seat_name(record.opened(), &said.seat), ask, said.round);
        all.extend(collect_prose_sources(&of, &said.statement.text, &said.sources));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_decides_neither_way_was_opened_all_the_same() {
        let found = |status, code: &str| SourceCheck {
            status,
            code: code.into(),
            ..SourceCheck::unchecked("", "https://a.b", "")
        };
        assert!(!CitedSource::from_check("seq-1", &found(SourceStatus::Unverified, "blocked")).is_open);
        let found = [
            found(SourceStatus::Verified, "words"),
            found(SourceStatus::Unverified, "no-quote"),
            found(SourceStatus::Unverified, "no-quote"),
        ];
        let counts = Counts::from_cited(&found.map(|found| CitedSource::from_check("seq-1", &found)));
        let undecided = "2 of 3 sources cited were opened, and nothing could be compared.";
        assert_eq!(counts.describe_troubles(), [undecided]);
        let coverage = "3 of 3 sources cited were opened and compared; of 2 nothing could be compared.";
        assert_eq!(counts.describe_coverage(), coverage);
    }

    #[test]
    fn parts_of_a_page_are_one_page() {
        let cited = ["https://a.b/c", "https://a.b/c#d", "https://a.b/c", "https://a.b/e"];
        assert_eq!(count_pages(cited.into_iter()), 2);
    }
}
