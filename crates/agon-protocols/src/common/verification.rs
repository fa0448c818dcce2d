//! What is known of the sources of a statement, where the debate was opened with the option
//! `verify = "fetched"`: a part of the program at the seat `verifier` opens the pages, and its answer
//! stands on the record. Nothing here fetches anything.

use std::ops::Range;

use agon_core::{Faults, Key, Opened, Outcome, Reply, Request, parse};
use agon_text::find_links;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    claim_reading::{ClaimReading, SourceReading},
    fields::ObjectReader,
    seat,
};

/// The result of checking one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceStatus {
    /// The page says what is claimed.
    Verified,
    /// The page is gone, or does not say it.
    Unreliable,
    /// The page never was.
    Fabricated,
    /// The page could not be read, or it is not clear what it says.
    Unverified,
    /// Nobody opened the page.
    Unchecked,
}

impl SourceStatus {
    /// All, in the order of reports.
    pub const ALL: [SourceStatus; 5] = [
        SourceStatus::Verified,
        SourceStatus::Unreliable,
        SourceStatus::Fabricated,
        SourceStatus::Unverified,
        SourceStatus::Unchecked,
    ];

    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            SourceStatus::Verified => "verified",
            SourceStatus::Unreliable => "unreliable",
            SourceStatus::Fabricated => "fabricated",
            SourceStatus::Unverified => "unverified",
            SourceStatus::Unchecked => "unchecked",
        }
    }

    /// Whether someone read the page: the statuses that a log knows.
    pub fn is_result(self) -> bool {
        matches!(self, SourceStatus::Verified | SourceStatus::Unreliable | SourceStatus::Fabricated)
    }
}

/// Whether cited pages are opened while the debate continues.
pub fn is_fetched(opened: &Opened) -> bool {
    opened.options.get("verify").and_then(Value::as_str) == Some("fetched")
}

/// Stands in place of what rested on a page that never was.
pub const STRUCK: &str = "[REDACTED — the page that was cited for this never existed]";
/// How a claim begins that its page does not bear out.
pub const CONJECTURE: &str = "[CONJECTURE]";
/// Sources of one place that are looked up, and of one statement: further ones are only listed, as sources
/// that nobody opened.
const SOURCES_MAX: usize = 5;
const SOURCES_OF_ALL_MAX: usize = 50;
/// Longest address, explanation and sentence, in characters.
const TEXT_CHARS_MAX: usize = 1_000;

/// A place of a statement that cites sources: the text that cites, and the addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Which place, by the protocol's own name for it.
    pub at: String,
    /// Its words.
    pub content: String,
    /// The words that it challenges, which it names and does not claim; empty where it challenges nothing.
    pub challenged: String,
    /// What it cites.
    pub urls: Vec<String>,
}

/// The result of checking one source that one place of a statement cites.
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
    /// The sentence of the page that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// SHA-256 of the page as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What a model read there, where one was asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ClaimReading>,
}

impl SourceCheck {
    /// What is wrong with it, where its author should fix it: the claim is not there, or the page
    /// never was. What could not be read is not a fault.
    pub fn fault(&self) -> Option<String> {
        let SourceCheck { url, explanation, status, .. } = self;
        match status {
            SourceStatus::Unreliable => Some(format!(
                "{url}: {explanation}. Correct the claim by what the page says, cite a page that says it, or begin the content with {CONJECTURE} and name no page"
            )),
            SourceStatus::Fabricated => Some(format!(
                "{url}: this page does not exist and never did ({explanation}). Cite a real page, or give your own reasoning"
            )),
            _ => None,
        }
    }

    /// As other seats are told, in a few words.
    pub fn tag(&self) -> String {
        let why = match self.status {
            SourceStatus::Verified => String::new(),
            _ if self.explanation.is_empty() => String::new(),
            _ => format!(": {}", self.explanation),
        };
        let read = self.reading.as_ref().map(|reading| format!("; {}", reading.tag())).unwrap_or_default();
        format!("{}{why}{read}", self.status.name())
    }
}

/// The request that has the statement `of` verified. It names no prompt: nobody is paid for it.
pub fn request(key: &str, of: &Key) -> Request {
    Request::new(format!("{key}/verification"), &seat("verifier"), "").or_absent().fact("of", of.as_str())
}

/// The fact `entries` of such a request: what the part of the program that opens pages looks at.
pub fn entries(cited: &[Citation]) -> Value {
    let source = |url: &String| json!({"url": url});
    let entry = |cited: &Citation| {
        let sources: Vec<Value> = cited.urls.iter().take(SOURCES_MAX).map(source).collect();
        let mut entry = json!({"at": cited.at, "content": cited.content, "sources": sources});
        if !cited.challenged.is_empty() {
            entry["challenged"] = cited.challenged.as_str().into();
        }
        entry
    };
    cited.iter().map(entry).collect()
}

/// What the verifier answered about `cited`: each source once, `unchecked` where it said nothing.
pub fn read(reply: &Reply, cited: &[Citation]) -> Vec<SourceCheck> {
    let (given, why) = match reply {
        Reply::Said { text } => match findings(text) {
            Ok(given) => (given, String::new()),
            Err(faults) => (Vec::new(), faults.to_string()),
        },
        Reply::Failed(failed) => (Vec::new(), failed.detail.clone()),
        Reply::Elapsed => (Vec::new(), "no answer in time".to_owned()),
    };
    let mut found = Vec::new();
    for Citation { at, urls, .. } in cited {
        for url in urls.iter().take(SOURCES_MAX) {
            let known = given.iter().find(|found| found.at == *at && found.url == *url).cloned();
            found.push(known.unwrap_or_else(|| SourceCheck {
                at: at.clone(),
                url: url.clone(),
                status: SourceStatus::Unchecked,
                code: String::new(),
                explanation: short(&why),
                sentence: None,
                sha256: None,
                reading: None,
            }));
        }
    }
    found
}

fn findings(text: &str) -> Result<Vec<SourceCheck>, Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut found = Vec::new();
    for (i, item) in fields.list("findings", "findings", &mut faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("findings[{i}]"), &mut faults) else { continue };
        let text = |name: &str| short(item.get(name).and_then(Value::as_str).unwrap_or_default());
        let status = SourceStatus::ALL.into_iter().find(|status| status.name() == text("status"));
        let Some(status) = status else {
            faults.add("findings", item.path("status"), "no known status");
            continue;
        };
        let sha256 = item.get("page").and_then(|page| page["sha256"].as_str()).map(short);
        found.push(SourceCheck {
            at: text("at"),
            url: text("url"),
            status,
            code: text("code"),
            explanation: text("explanation"),
            sentence: Some(text("sentence")).filter(|sentence| !sentence.is_empty()),
            sha256,
            reading: None,
        });
    }
    faults.or(found)
}

/// Adds what a model read to what was found.
pub fn with_readings(found: &mut [SourceCheck], readings: Vec<SourceReading>) {
    for read in readings {
        let same = |found: &&mut SourceCheck| found.url == read.url && read.place == found.at.as_str();
        if let Some(found) = found.iter_mut().find(same) {
            found.reading = Some(read.reading);
        }
    }
}

/// JSON Schema of the verifier's answer about `cited`.
pub fn schema(cited: &[Citation]) -> Value {
    let statuses: Vec<&str> =
        [SourceStatus::Unchecked].iter().chain(&SourceStatus::ALL[..4]).map(|status| status.name()).collect();
    let places: Vec<&str> = cited.iter().map(|cited| cited.at.as_str()).collect();
    let urls: Vec<&str> = cited.iter().flat_map(|cited| cited.urls.iter().map(String::as_str)).collect();
    let finding = json!({
        "type": "object", "required": ["at", "url", "status", "explanation"],
        "properties": {
            "at": {"type": "string", "enum": places}, "url": {"type": "string", "enum": urls},
            "status": {"type": "string", "enum": statuses}, "explanation": {"type": "string", "maxLength": 300},
        },
    });
    json!({
        "type": "object", "required": ["findings"], "additionalProperties": true,
        "properties": {"findings": {"type": "array", "minItems": urls.len(), "maxItems": urls.len(), "items": finding}},
    })
}

fn short(text: &str) -> String {
    super::fields::one_line(text).chars().take(TEXT_CHARS_MAX).collect()
}

/// The `places` of a statement that cite pages, each with its words.
pub fn cited<'t>(places: impl IntoIterator<Item = (String, &'t str)>) -> Vec<Citation> {
    let places = places.into_iter().map(|(at, words)| (at, words, addresses(words)));
    let cited = places.filter(|(_, _, urls)| !urls.is_empty());
    let mut left = SOURCES_OF_ALL_MAX;
    let cited = cited.map_while(|(at, words, mut urls)| {
        urls.truncate(SOURCES_MAX.min(left));
        left -= urls.len();
        (!urls.is_empty()).then(|| Citation {
            at,
            content: words.to_owned(),
            challenged: String::new(),
            urls,
        })
    });
    cited.collect()
}

/// The passages of prose that cite pages: a paragraph, or its part up to the sentence with each address.
pub fn passages(text: &str) -> Vec<Citation> {
    passages_of([("", text)])
}

/// The passages that cite pages in several texts of one statement, each text with its name.
pub fn passages_of<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<Citation> {
    let cited = texts.into_iter().flat_map(|(name, text)| {
        let spans = spans(text).into_iter().enumerate();
        spans.map(move |(i, span)| (passage(name, i), text[span].trim()))
    });
    self::cited(cited)
}

/// `text` with what follows for its passages.
pub fn marked(text: &str, found: &[SourceCheck]) -> String {
    marked_of("", text, found)
}

/// The text called `name` with what follows for its passages.
pub fn marked_of(name: &str, text: &str, found: &[SourceCheck]) -> String {
    if !found.iter().any(|found| found.fault().is_some()) {
        return text.to_owned();
    }
    let (mut whole, mut from) = (String::new(), 0);
    for (i, span) in spans(text).into_iter().enumerate() {
        let words = &text[span.clone()];
        let start = span.start + (words.len() - words.trim_start().len());
        let mut words = words.trim().to_owned();
        let end = start + words.len();
        mark(&mut words, &passage(name, i), found);
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
pub fn cited_in(texts: Vec<(String, &mut String)>) -> Vec<Citation> {
    passages_of(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}

fn passage(name: &str, at: usize) -> String {
    let passage = format!("passage {}", at + 1);
    if name.is_empty() { passage } else { format!("{name}, {passage}") }
}

/// What was found about passages of the text called `name`.
pub fn found_in<'f>(name: &str, found: &'f [SourceCheck]) -> impl Iterator<Item = &'f SourceCheck> {
    let begin = passage(name, 0);
    let begin = begin.trim_end_matches('1').to_owned();
    found.iter().filter(move |found| found.at.starts_with(&begin))
}

/// Where the passages stand that hold an address.
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut start = 0;
        let ends = line.char_indices().filter_map(|(at, c)| {
            let after = &line[at + c.len_utf8()..];
            (".!?".contains(c) && after.starts_with(char::is_whitespace)).then_some(at + c.len_utf8())
        });
        for end in ends.chain([line.len()]) {
            if !addresses(&line[start..end]).is_empty() {
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
pub fn mark(words: &mut String, at: &str, found: &[SourceCheck]) {
    let wrong = found.iter().filter(|found| found.at == at && found.fault().is_some());
    match wrong.map(|found| found.status).max() {
        Some(SourceStatus::Fabricated) => *words = STRUCK.to_owned(),
        Some(_) if !words.starts_with(CONJECTURE) => *words = format!("{CONJECTURE} {words}"),
        _ => {}
    }
}

/// The `words` of the place `at` with what was found about its pages behind them.
pub fn tagged(words: &str, at: &str, found: &[SourceCheck]) -> String {
    let tags: Vec<String> = found.iter().filter(|found| found.at == at).map(SourceCheck::tag).collect();
    if tags.is_empty() { words.to_owned() } else { format!("{words} [source {}]", tags.join("; ")) }
}

/// How many sources came out how, in words; empty where there are none.
pub fn summary(found: &[SourceCheck]) -> String {
    let counts = SourceStatus::ALL.iter().filter_map(|status| {
        let count = found.iter().filter(|found| found.status == *status).count();
        (count > 0).then(|| format!("{count} {}", status.name()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// `outcome` with how many sources came out how, under the figure `sources`.
pub fn counted(mut outcome: Outcome, found: impl Iterator<Item = SourceStatus>) -> Outcome {
    let found: Vec<SourceStatus> = found.collect();
    if found.is_empty() {
        return outcome;
    }
    let mut counts = json!({"all": found.len()});
    for status in SourceStatus::ALL {
        let count = found.iter().filter(|one| **one == status).count();
        if count > 0 {
            counts[status.name()] = count.into();
        }
    }
    outcome.figures["sources"] = counts;
    outcome
}

/// Addresses of pages in `text`, each once.
pub fn addresses(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for link in find_links(text) {
        let is_new = !found.iter().any(|known| known == link.text);
        if is_new && link.text.chars().count() <= TEXT_CHARS_MAX {
            found.push(link.text.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited() -> Vec<Citation> {
        vec![Citation {
            at: "a/1".into(),
            content: "x".into(),
            challenged: String::new(),
            urls: vec!["https://a.b/1".into(), "https://a.b/2".into()],
        }]
    }

    #[test]
    fn each_source_is_found_once_and_what_nobody_said_is_unchecked() {
        let text = json!({"findings": [
            {"at": "a/1", "url": "https://a.b/2", "status": "fabricated", "explanation": "gone", "code": "never-seen",
             "sentence": null, "page": {"sha256": "ab"}},
            {"at": "a/2", "url": "https://a.b/1", "status": "verified"},
        ]});
        let found = read(&Reply::Said { text: text.to_string() }, &cited());
        let shown: Vec<_> = found.iter().map(|found| (found.url.as_str(), found.status)).collect();
        assert_eq!(
            shown,
            [("https://a.b/1", SourceStatus::Unchecked), ("https://a.b/2", SourceStatus::Fabricated)]
        );
        assert_eq!(found[1].sha256.as_deref(), Some("ab"));
        assert!(found[0].fault().is_none() && found[1].fault().is_some());
        assert_eq!(summary(&found), "1 fabricated, 1 unchecked");
        for reply in [Reply::Elapsed, Reply::Said { text: "no JSON".into() }] {
            assert!(read(&reply, &cited()).iter().all(|found| found.status == SourceStatus::Unchecked));
        }
    }

    #[test]
    fn a_passage_ends_with_the_sentence_that_holds_its_address() {
        let text = "It is dear. It cost 5 euros (https://a.b/1). So what.\n\n- See https://a.b/2! It says 7.\nNone here.";
        let cited = passages(text);
        let shown: Vec<_> = cited.iter().map(|cited| (cited.at.as_str(), cited.content.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("passage 1", "It is dear. It cost 5 euros (https://a.b/1)."),
                ("passage 2", "- See https://a.b/2!")
            ]
        );
        let found = |at: &str, status| SourceCheck {
            at: at.into(),
            url: String::new(),
            status,
            code: String::new(),
            explanation: String::new(),
            sentence: None,
            sha256: None,
            reading: None,
        };
        let wrong =
            [found("passage 1", SourceStatus::Fabricated), found("passage 2", SourceStatus::Unreliable)];
        assert_eq!(
            marked(text, &wrong),
            format!("{STRUCK} So what.\n\n{CONJECTURE} - See https://a.b/2! It says 7.\nNone here.")
        );
        assert_eq!(marked(text, &[found("passage 1", SourceStatus::Unverified)]), text);
    }

    #[test]
    fn addresses_end_where_their_punctuation_begins() {
        for (text, wanted) in [
            ("World Bank (https://a.b/c_(d)).", vec!["https://a.b/c_(d)"]),
            ("HTTPS://A.B/x, <http://c.d/e>; https://", vec!["HTTPS://A.B/x", "http://c.d/e"]),
            ("own reasoning", vec![]),
        ] {
            assert_eq!(addresses(text), wanted, "{text}");
        }
    }
}
