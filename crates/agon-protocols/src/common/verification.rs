//! What is known of the sources of a statement, where the debate was opened with the option
//! `verify = "fetched"`: a part of the program at the seat `verifier` opens the pages and compares, and its answer
//! stands on the record. Nothing here fetches anything.

use std::ops::Range;

use crate::common::form::{Form, Kind, choice_kind, form_field, list_kind};
pub use agon_core::SourceStatus;
use agon_core::{Citation, Key, Opened, Outcome, Reply, Request, form::FormField};
use agon_text::{collect_different, find_links};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    claim_reading::{SourceReading, SupportReading, UNREAD},
    named_seat,
    request_values::read_option,
    verifier_finding::{TEXT_CHARS_MAX, VerifierFinding, parse_findings, shorten_to_line},
};

/// Whether cited pages are opened while the debate continues.
pub fn is_fetched(opened: &Opened) -> bool {
    read_option::<String>(opened, "verify").as_deref() == Some("fetched")
}

/// Stands in place of what rested on a page that never was.
pub const STRUCK: &str = "[REDACTED — the page that was cited for this never existed]";
/// How a claim begins that its page does not bear out.
pub const CONJECTURE: &str = "[CONJECTURE]";
/// Sources of one place that are looked up, and of one statement: further ones are only listed, as sources
/// that nobody opened.
const SOURCES_MAX: usize = 5;
const SOURCES_OF_ALL_MAX: usize = 50;

/// A place of a statement that cites sources, as the part of the program that opens pages is told of it: the text that
/// cites, and what it cites.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CitedPlace {
    /// Which place, by the protocol's own name for it.
    pub at: String,
    /// Its words.
    pub content: String,
    /// What it cites.
    pub sources: Vec<CitedPage>,
}

/// A page that is cited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CitedPage {
    /// Its address.
    pub url: String,
    /// Words of it. Absent where prose holds the address: then what stands in quotation marks there is quoted from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl CitedPlace {
    /// Words that cite the pages `urls`.
    pub fn of_prose(at: String, content: String, urls: Vec<String>) -> Self {
        Self { at, content, sources: urls.into_iter().map(|url| CitedPage { url, quote: None }).collect() }
    }

    /// Words that rest on `sources`, each with its own quotation.
    pub fn of_citations(at: String, content: String, sources: Vec<Citation>) -> Self {
        let page = |source: Citation| CitedPage { url: source.source, quote: Some(source.quote) };
        Self { at, content, sources: sources.into_iter().map(page).collect() }
    }

    fn limited_sources(&self) -> impl Iterator<Item = &CitedPage> {
        self.sources.iter().take(SOURCES_MAX)
    }
}

/// The result of checking one source that one place of a statement cites.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCheck {
    /// Which place.
    pub at: String,
    /// The address.
    pub url: String,
    /// What is known.
    pub status: SourceStatus,
    /// What decided: a code of `docs/verify.md`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What decided, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub explanation: String,
    /// What the page says where the quotation stands.
    pub sentence: Option<String>,
    /// SHA-256 of the page as it was read.
    pub sha256: Option<String>,
    /// What a reader said of it, where one was asked.
    pub reading: Option<SupportReading>,
}

impl SourceCheck {
    /// What nobody looked at.
    pub fn unchecked(at: &str, url: &str, why: &str) -> Self {
        let (at, url, explanation) = (at.to_owned(), url.to_owned(), shorten_to_line(why));
        let (code, status) = (String::new(), SourceStatus::Unchecked);
        Self { at, url, status, code, explanation, sentence: None, sha256: None, reading: None }
    }

    /// What is wrong with it, where its author should correct it: the page does not hold the quotation, or it never was.
    /// What could not be read is not a fault.
    pub fn describe_fault(&self) -> Option<String> {
        let SourceCheck { url, explanation, status, .. } = self;
        match status {
            SourceStatus::Unreliable => Some(format!(
                "{url}: {explanation}. Quote what the page says, word for word, cite a page that has these words, or begin the content with {CONJECTURE} and name no page"
            )),
            SourceStatus::Fabricated => Some(format!(
                "{url}: this page does not exist and never did ({explanation}). Cite a real page, or give your own reasoning"
            )),
            _ => None,
        }
    }

    /// As other seats are told, in a few words.
    pub fn describe_status(&self) -> String {
        let is_told = self.status != SourceStatus::Verified && !self.explanation.is_empty();
        let why = if is_told { format!(": {}", self.explanation) } else { String::new() };
        format!("{}{why}{}", self.status.name(), standing_note(self.status, self.reading.as_ref()))
    }
}

/// What `verified` says and does not: that the quotation stands, and whether a reader found that it bears the claim out.
pub fn standing_note(status: SourceStatus, reading: Option<&SupportReading>) -> String {
    let read = reading.map(SupportReading::describe_reading);
    match (status, read) {
        (SourceStatus::Verified, read) => format!(": the quotation stands; {}", read.as_deref().unwrap_or(UNREAD)),
        (_, Some(read)) => format!("; {read}"),
        (_, None) => String::new(),
    }
}

/// The request that has the statement `of` verified. It names no prompt: nobody is paid for it.
pub fn verification_request(key: &str, of: &Key) -> Request {
    Request::new(format!("{key}/verification"), &named_seat("verifier"), "").or_absent().with_fact("of", of.as_str())
}

/// The fact `entries` of such a request: what the part of the program that opens pages looks at.
pub fn render_entries(cited: &[CitedPlace]) -> impl Serialize + use<> {
    let entry =
        |place: &CitedPlace| CitedPlace { sources: place.limited_sources().cloned().collect(), ..place.clone() };
    cited.iter().map(entry).collect::<Vec<_>>()
}

/// What the verifier answered about `cited`: each source once, `unchecked` where it said nothing.
pub fn parse_source_checks(reply: &Reply, cited: &[CitedPlace]) -> Vec<SourceCheck> {
    let (given, why) = match reply {
        Reply::Said { text } => match parse_findings(text) {
            Ok(given) => (given, String::new()),
            Err(faults) => (Vec::new(), faults.to_string()),
        },
        Reply::Failed(failed) => (Vec::new(), failed.detail.clone()),
        Reply::Elapsed => (Vec::new(), "no answer in time".to_owned()),
    };
    let mut found = Vec::new();
    for place in cited {
        for CitedPage { url, .. } in place.limited_sources() {
            let unchecked = SourceCheck::unchecked(&place.at, url, &why);
            let known = given.iter().find(|found| found.at == place.at && found.url == *url).cloned();
            found.push(match known {
                Some(VerifierFinding { status, code, explanation, sentence, page, .. }) => {
                    let sha256 = page.and_then(|page| page.sha256);
                    SourceCheck { status, code, explanation, sentence, sha256, ..unchecked }
                }
                None => unchecked,
            });
        }
    }
    found
}

/// Adds what was read to what was found.
pub fn with_readings(found: &mut [SourceCheck], readings: Vec<SourceReading>) {
    for read in readings {
        let same = |found: &&mut SourceCheck| found.url == read.url && found.at == read.at;
        if let Some(found) = found.iter_mut().find(same) {
            found.reading = Some(read.reading);
        }
    }
}

/// The schema of the verifier's answer about `cited`.
pub fn verification_schema(cited: &[CitedPlace]) -> FormField {
    let statuses = [SourceStatus::Unchecked].into_iter().chain(SourceStatus::ALL[..4].iter().copied());
    let places = cited.iter().map(|cited| cited.at.as_str());
    let urls: Vec<&str> = cited.iter().flat_map(|cited| &cited.sources).map(|page| page.url.as_str()).collect();
    let count = urls.len();
    let finding = Form::new(
        "findings",
        [
            form_field("at", choice_kind(places)),
            form_field("url", choice_kind(urls)),
            form_field("status", choice_kind(statuses.map(SourceStatus::name))),
            form_field("explanation", Kind::Text { chars_min: None, chars_max: Some(300) }),
        ],
    );
    Form::new("findings", [form_field("findings", list_kind(count, count, Kind::Object(finding)))]).to_schema()
}

/// The `places` of a statement that cite pages, each with its words.
pub fn collect_cited_places<'t>(places: impl IntoIterator<Item = (String, &'t str)>) -> Vec<CitedPlace> {
    let places = places.into_iter().map(|(at, words)| (at, words, find_addresses(words)));
    let cited = places.filter(|(_, _, urls)| !urls.is_empty());
    let mut left = SOURCES_OF_ALL_MAX;
    let cited = cited.map_while(|(at, words, mut urls)| {
        urls.truncate(SOURCES_MAX.min(left));
        left -= urls.len();
        (!urls.is_empty()).then(|| CitedPlace::of_prose(at, words.to_owned(), urls))
    });
    cited.collect()
}

/// The passages of prose that cite pages: a paragraph, or its part up to the sentence with each address.
pub fn find_cited_passages(text: &str) -> Vec<CitedPlace> {
    passages_of([("", text)])
}

/// The passages that cite pages in several texts of one statement, each text with its name.
fn passages_of<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<CitedPlace> {
    let cited = texts.into_iter().flat_map(|(name, text)| {
        let spans = find_address_spans(text).into_iter().enumerate();
        spans.map(move |(i, span)| (passage_name(name, i), text[span].trim()))
    });
    collect_cited_places(cited)
}

/// `text` with what follows for its passages.
pub fn mark_passages(text: &str, found: &[SourceCheck]) -> String {
    marked_of("", text, found)
}

/// The text called `name` with what follows for its passages.
pub fn marked_of(name: &str, text: &str, found: &[SourceCheck]) -> String {
    if !found.iter().any(|found| found.describe_fault().is_some()) {
        return text.to_owned();
    }
    let (mut whole, mut from) = (String::new(), 0);
    for (i, span) in find_address_spans(text).into_iter().enumerate() {
        let words = &text[span.clone()];
        let start = span.start + (words.len() - words.trim_start().len());
        let mut words = words.trim().to_owned();
        let end = start + words.len();
        mark_words(&mut words, &passage_name(name, i), found);
        whole.push_str(&text[from..start]);
        whole.push_str(&words);
        from = end;
    }
    whole + &text[from..]
}

/// Gives every one of several texts of a statement, each with its name, what follows for its passages.
pub fn mark_each(texts: Vec<(String, &mut String)>, found: &[SourceCheck]) {
    for (name, text) in texts {
        *text = marked_of(&name, text, found);
    }
}

/// What several texts of a statement cite, each with its name.
pub fn cited_in(texts: Vec<(String, &mut String)>) -> Vec<CitedPlace> {
    passages_of(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}

fn passage_name(name: &str, at: usize) -> String {
    let passage = format!("passage {}", at + 1);
    if name.is_empty() { passage } else { format!("{name}, {passage}") }
}

/// What was found about passages of the text called `name`.
pub fn found_in<'f>(name: &str, found: &'f [SourceCheck]) -> impl Iterator<Item = &'f SourceCheck> {
    let begin = passage_name(name, 0);
    let begin = begin.trim_end_matches('1').to_owned();
    found.iter().filter(move |found| found.at.starts_with(&begin))
}

/// Where the passages stand that hold an address.
fn find_address_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut start = 0;
        let ends = line.char_indices().filter_map(|(at, c)| {
            let after = &line[at + c.len_utf8()..];
            (".!?".contains(c) && after.starts_with(char::is_whitespace)).then_some(at + c.len_utf8())
        });
        for end in ends.chain([line.len()]) {
            if !find_addresses(&line[start..end]).is_empty() {
                spans.push(line_start + start..line_start + end);
                start = end;
            }
        }
        line_start += line.len();
    }
    spans
}

/// What follows for the `words` of the place `at`: nothing of them is left where their page never was,
/// and where a page does not bear them out they are conjecture.
pub fn mark_words(words: &mut String, at: &str, found: &[SourceCheck]) {
    let wrong = found.iter().filter(|found| found.at == at && found.describe_fault().is_some());
    match wrong.map(|found| found.status).max() {
        Some(SourceStatus::Fabricated) => *words = STRUCK.to_owned(),
        Some(_) if !words.starts_with(CONJECTURE) => *words = format!("{CONJECTURE} {words}"),
        _ => {}
    }
}

/// The `words` of the place `at` with what was found about its pages behind them.
pub fn tag_words(words: &str, at: &str, found: &[SourceCheck]) -> String {
    let tags: Vec<String> = found.iter().filter(|found| found.at == at).map(SourceCheck::describe_status).collect();
    if tags.is_empty() { words.to_owned() } else { format!("{words} [source {}]", tags.join("; ")) }
}

/// How many sources came out how, in words; empty where there are none.
pub fn summarise_sources(found: &[SourceCheck]) -> String {
    let counts = count_statuses(found.iter().map(|found| found.status)).into_iter();
    counts.map(|(status, count)| format!("{count} {}", status.name())).collect::<Vec<_>>().join(", ")
}

/// How many sources came out how, without those that none did.
fn count_statuses(found: impl Iterator<Item = SourceStatus> + Clone) -> Vec<(SourceStatus, usize)> {
    let counts = SourceStatus::ALL.map(|status| (status, found.clone().filter(|one| *one == status).count()));
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// `outcome` with how many sources came out how, under the figure `sources`.
pub fn add_source_counts(mut outcome: Outcome, found: impl Iterator<Item = SourceStatus>) -> Outcome {
    let found: Vec<SourceStatus> = found.collect();
    if found.is_empty() {
        return outcome;
    }
    let mut counts = json!({"all": found.len()});
    for (status, count) in count_statuses(found.into_iter()) {
        counts[status.name()] = count.into();
    }
    outcome.figures["sources"] = counts;
    outcome
}

/// Addresses of pages in `text`, each once.
pub fn find_addresses(text: &str) -> Vec<String> {
    let links = find_links(text).into_iter().filter(|link| link.text.chars().count() <= TEXT_CHARS_MAX);
    collect_different(links.map(|link| link.text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited() -> Vec<CitedPlace> {
        let urls = ["https://a.b/1", "https://a.b/2"].map(String::from).to_vec();
        vec![CitedPlace::of_prose("a/1".into(), "x".into(), urls)]
    }

    #[test]
    fn each_source_is_found_once_and_what_nobody_said_is_unchecked() {
        let text = json!({"findings": [
            {"at": "a/1", "url": "https://a.b/2", "status": "fabricated", "explanation": "gone", "code": "never-seen",
             "sentence": null, "page": {"sha256": "ab"}},
            {"at": "a/2", "url": "https://a.b/1", "status": "verified"},
        ]});
        let found = parse_source_checks(&Reply::Said { text: text.to_string() }, &cited());
        let shown: Vec<_> = found.iter().map(|found| (found.url.as_str(), found.status)).collect();
        assert_eq!(shown, [("https://a.b/1", SourceStatus::Unchecked), ("https://a.b/2", SourceStatus::Fabricated)]);
        assert_eq!(found[1].sha256.as_deref(), Some("ab"));
        assert!(found[0].describe_fault().is_none() && found[1].describe_fault().is_some());
        assert_eq!(summarise_sources(&found), "1 fabricated, 1 unchecked");
        for reply in [Reply::Elapsed, Reply::Said { text: "no JSON".into() }] {
            assert!(parse_source_checks(&reply, &cited()).iter().all(|found| found.status == SourceStatus::Unchecked));
        }
    }

    #[test]
    fn verified_never_says_more_than_that_the_quotation_stands() {
        use super::super::claim_reading::ClaimVerdict;
        let found = SourceCheck { status: SourceStatus::Verified, ..SourceCheck::unchecked("a", "b", "") };
        assert_eq!(
            found.describe_status(),
            "verified: the quotation stands; nobody read whether it bears out the claim"
        );
        let reading = |verdict| Some(SupportReading { verdict, sentence: None, is_unfit: false });
        let read = SourceCheck { reading: reading(ClaimVerdict::Silent), ..found };
        assert_eq!(read.describe_status(), "verified: the quotation stands; a model reads it as: silent");
        let open = SourceCheck { status: SourceStatus::Unverified, ..SourceCheck::unchecked("a", "b", "gone") };
        assert_eq!(open.describe_status(), "unverified: gone");
    }

    #[test]
    fn a_passage_ends_with_the_sentence_that_holds_its_address() {
        let text =
            "It is dear. It cost 5 euros (https://a.b/1). So what.\n\n- See https://a.b/2! It says 7.\nNone here.";
        let cited = find_cited_passages(text);
        let shown: Vec<_> = cited.iter().map(|cited| (cited.at.as_str(), cited.content.as_str())).collect();
        assert_eq!(
            shown,
            [("passage 1", "It is dear. It cost 5 euros (https://a.b/1)."), ("passage 2", "- See https://a.b/2!")]
        );
        let found = |at: &str, status| SourceCheck { status, ..SourceCheck::unchecked(at, "", "") };
        let wrong = [found("passage 1", SourceStatus::Fabricated), found("passage 2", SourceStatus::Unreliable)];
        assert_eq!(
            mark_passages(text, &wrong),
            format!("{STRUCK} So what.\n\n{CONJECTURE} - See https://a.b/2! It says 7.\nNone here.")
        );
        assert_eq!(mark_passages(text, &[found("passage 1", SourceStatus::Unverified)]), text);
    }

    #[test]
    fn addresses_end_where_their_punctuation_begins() {
        for (text, wanted) in [
            ("World Bank (https://a.b/c_(d)).", vec!["https://a.b/c_(d)"]),
            ("HTTPS://A.B/x, <http://c.d/e>; https://", vec!["HTTPS://A.B/x", "http://c.d/e"]),
            ("own reasoning", vec![]),
        ] {
            assert_eq!(find_addresses(text), wanted, "{text}");
        }
    }
}
