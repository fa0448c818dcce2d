//! What came of comparing the sources of a turn with their pages. Where the debate was opened with the option
//! `verify = "fetched"`, a part of the program opens the pages and answers the requests to the seat `verifier`;
//! otherwise nobody looks.

use agon_core::{Facts, Faults, RulingKind, View};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_with::{DefaultOnError, serde_as};

use super::{
    conduct,
    conduct_rules::SOURCE_RULE,
    log::{DebateLog, Logged},
    source_form::SOURCES_MAX,
};
pub use crate::common::verification::SourceStatus;
use crate::common::{
    claim_reading::{SourceReading, SupportReading},
    fields::one_line,
    form::{Form, Kind, choice_kind, form_field, list_kind},
    redacted_text::REDACTED,
    verification::standing_note,
    verifier_finding::parse_findings,
};

/// The finding about one source of one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFinding {
    /// The entry that cites it.
    pub seq: u64,
    /// Its address.
    pub url: String,
    /// What is known.
    pub status: SourceStatus,
    /// What decided: a code of `docs/verify.md`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Why; may be empty.
    pub explanation: String,
    /// What the page says where the quotation stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// What a model read there, where one was asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<SupportReading>,
}

impl SourceFinding {
    /// Of a source that nobody looked at, and why.
    pub fn unchecked(seq: u64, url: &str, why: &str) -> Self {
        let (url, explanation, status) = (url.to_owned(), why.to_owned(), SourceStatus::Unchecked);
        Self { seq, url, status, code: String::new(), explanation, sentence: None, reading: None }
    }

    /// The same as it stands: what the chair has lifted is not held against anybody.
    pub fn apply_lifting(self, log: &DebateLog) -> Self {
        let lifted = conduct::lifted_at(log, self.seq, SOURCE_RULE);
        match lifted.filter(|_| self.status == SourceStatus::Unreliable) {
            Some(at) => Self {
                status: SourceStatus::Unverified,
                explanation: format!("the chair lifted the finding in seq {at}"),
                ..self
            },
            None => self,
        }
    }
}

/// The result of verifying the sources of one turn: data of the ruling `…/findings`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Entries that were looked at.
    pub seqs: Vec<u64>,
    /// One for each source, in order.
    pub findings: Vec<SourceFinding>,
}

/// What a model read of the pages of a round: data of the ruling `…/readings`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// One for each source that was read.
    pub readings: Vec<SourceReading>,
}

/// A source to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceToCheck {
    /// The entry that cites it.
    pub seq: u64,
    /// Its address.
    pub url: String,
    /// What is quoted from it; may be empty.
    #[serde(default)]
    pub quote: String,
}

/// Longest explanation or sentence, in characters.
const TEXT_CHARS_MAX: usize = 300;

/// The findings of the whole debate, in the order of their rulings, each with what was read.
pub fn collect_findings(view: &View<'_>) -> Vec<SourceFinding> {
    let noted =
        |end: &'static str| view.rulings_of_kind(RulingKind::Noted).filter(move |(key, _)| key.as_str().ends_with(end));
    let found = noted("/findings").filter_map(|(_, ruling)| ruling.decode_data::<Findings>());
    let mut found: Vec<SourceFinding> = found.flat_map(|all| all.findings).collect();
    for (_, ruling) in noted("/readings") {
        let Some(Readings { readings }) = ruling.decode_data() else { continue };
        add_readings(&mut found, &readings);
    }
    found
}

/// The same as it stands.
pub fn collect_standing_findings(view: &View<'_>, log: &DebateLog) -> Vec<SourceFinding> {
    collect_findings(view).into_iter().map(|finding| finding.apply_lifting(log)).collect()
}

/// Adds what was read to the findings that it is about.
pub fn add_readings(found: &mut [SourceFinding], readings: &[SourceReading]) {
    for finding in found {
        let about = |read: &&SourceReading| read.seq == Some(finding.seq) && read.url == finding.url;
        if let Some(read) = readings.iter().rfind(about) {
            finding.reading = Some(read.reading.clone());
        }
    }
}

/// What was found last about each source of each entry, in the order in which they were first looked at.
pub fn latest_findings(findings: &[SourceFinding]) -> Vec<&SourceFinding> {
    let mut latest: Vec<&SourceFinding> = Vec::new();
    for finding in findings {
        match latest.iter_mut().find(|known| known.seq == finding.seq && known.url == finding.url) {
            Some(known) => *known = finding,
            None => latest.push(finding),
        }
    }
    latest
}

/// `finding` about an entry that was challenged: what is known of a page is not looked up twice.
pub fn reconfirm_finding(finding: &SourceFinding, result: Option<u64>) -> SourceFinding {
    let at = result.map(|seq| format!(" from seq {seq}")).unwrap_or_default();
    let why = if finding.explanation.is_empty() { String::new() } else { format!(": {}", finding.explanation) };
    let explanation = format!("Re-confirmed{at}{why}").chars().take(TEXT_CHARS_MAX).collect();
    SourceFinding { explanation, ..finding.clone() }
}

/// The form of the verifier's answer about `cited`.
pub fn findings_form(cited: &[SourceToCheck]) -> Form {
    let finding = [
        form_field("url", Kind::Reference(cited.iter().map(|cited| cited.url.clone()).collect())),
        form_field("explanation", Kind::Text { chars_min: None, chars_max: Some(TEXT_CHARS_MAX as u32) }),
        form_field("status", choice_kind(SourceStatus::ALL.map(SourceStatus::name))),
    ];
    let finding = Kind::Object(Form::new("findings", finding));
    Form::new("findings", [form_field("findings", list_kind(cited.len(), cited.len(), finding))])
}

/// The findings in `text` about `cited`, each source once, or every fault.
pub fn parse_cited_findings(text: &str, cited: &[SourceToCheck]) -> Result<Vec<SourceFinding>, Faults> {
    let given = parse_findings(text)?;
    let mut faults = Faults::default();
    let mut findings = Vec::new();
    for SourceToCheck { seq, url, .. } in cited {
        // Where the answer says of which entry it speaks, that counts.
        let found = given.iter().find(|found| found.url == *url && found.seq.is_none_or(|of| of == *seq));
        let Some(found) = found else {
            faults.add("findings", "findings", format!("nothing is said about {url:?}"));
            continue;
        };
        let short = |text: &str| one_line(text).chars().take(TEXT_CHARS_MAX).collect::<String>();
        findings.push(SourceFinding {
            status: found.status,
            code: found.code.clone(),
            sentence: found.sentence.as_deref().map(short),
            ..SourceFinding::unchecked(*seq, url, &short(&found.explanation))
        });
    }
    faults.into_result(findings)
}

/// The sources of an entry that are verified; the others are only noted.
pub fn cited_sources(logged: &Logged) -> Vec<SourceToCheck> {
    let source = |url: &str| {
        let own = logged.visible_sources().iter().find(|source| source.source == url);
        let quote = own.map(|source| source.quote.clone()).unwrap_or_default();
        SourceToCheck { seq: logged.item.seq, url: url.to_owned(), quote }
    };
    logged.cited_addresses().take(SOURCES_MAX).map(source).collect()
}

/// Content of a log entry `verification_result`, by whichever program wrote it.
#[serde_as]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoggedResult {
    /// The entry that cites the source.
    #[serde_as(deserialize_as = "DefaultOnError")]
    pub verified_seq: Option<u64>,
    /// Its address.
    #[serde_as(deserialize_as = "DefaultOnError")]
    pub url: Option<String>,
    /// What is known, as [`SourceStatus::name`] has it.
    #[serde_as(deserialize_as = "DefaultOnError")]
    pub status: Option<String>,
    /// Why.
    #[serde_as(deserialize_as = "DefaultOnError")]
    pub explanation: Option<String>,
}

impl LoggedResult {
    /// As the content of an entry has it; a field of another kind is none.
    pub fn parse(content: &str) -> Option<Self> {
        // By way of an object: of a field that stands there twice the last one counts, and a list is not a result.
        let fields: Facts = serde_json::from_str(content).ok()?;
        Self::deserialize(fields).ok()
    }
}

/// Content of a log entry `verification_result`.
pub fn render_result(finding: &SourceFinding) -> String {
    let SourceFinding { seq, url, status, explanation, .. } = finding.clone();
    let (url, status, explanation) = (Some(url), Some(status.name().to_owned()), Some(explanation));
    json!(LoggedResult { verified_seq: Some(seq), url, status, explanation }).to_string()
}

/// Such a content without its explanation, which may quote the entry; `None` where it is not an object.
pub fn hide_explanation(content: &str) -> Option<String> {
    let mut fields: Facts = serde_json::from_str(content).ok()?;
    fields.insert("explanation".to_owned(), REDACTED.into());
    Some(json!(fields).to_string())
}

/// What the chair relays of a round's findings, in one paragraph. It quotes no entry: one of them may
/// be redacted later.
pub fn relay_text(all: &[SourceFinding]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut unread: Vec<(u64, usize)> = Vec::new();
    for SourceFinding { seq, url, status, explanation, reading, .. } in all {
        let why = if explanation.is_empty() { String::new() } else { format!(" ({explanation})") };
        let note = standing_note(*status, reading.as_ref());
        match status {
            SourceStatus::Verified => parts.push(format!("seq {seq}: {url} verified{note}")),
            SourceStatus::Fabricated => parts.push(format!("seq {seq}: {url} fabricated")),
            status if *status == SourceStatus::Unreliable || !why.is_empty() => {
                parts.push(format!("seq {seq}: {url} {}{why}{note}", status.name()));
            }
            _ => match unread.iter_mut().find(|(of, _)| of == seq) {
                Some((_, count)) => *count += 1,
                None => unread.push((*seq, 1)),
            },
        }
    }
    if !unread.is_empty() {
        let each: Vec<String> = unread.iter().map(|(seq, count)| format!("seq {seq} ({count})")).collect();
        parts.push(format!("sources that nobody opened, unchecked: {}", each.join(", ")));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<SourceToCheck> {
        let source = |url: &str| SourceToCheck { seq: 4, url: url.into(), quote: String::new() };
        ["https://a.b/1", "https://a.b/2"].map(source).into()
    }

    fn said(first: &str, second: &str) -> String {
        json!({"findings": [
            {"url": "https://a.b/2", "status": second, "explanation": "two"},
            {"url": "https://a.b/1", "status": first, "explanation": ""},
        ]})
        .to_string()
    }

    #[test]
    fn a_field_of_another_kind_hides_no_other_of_a_logged_result() {
        let content =
            r#"{"verified_seq": "12", "url": "https://a.b/1", "status": "fabricated", "explanation": ["none"]}"#;
        let read = LoggedResult::parse(content).unwrap();
        assert_eq!((read.verified_seq, read.explanation), (None, None));
        assert_eq!((read.url.as_deref(), read.status.as_deref()), (Some("https://a.b/1"), Some("fabricated")));
        assert_eq!(LoggedResult::parse("fabricated"), None);
    }

    #[test]
    fn every_source_is_reported_once_in_the_order_of_the_entry() {
        let findings = parse_cited_findings(&said("verified", "fabricated"), &two()).unwrap();
        let order: Vec<_> = findings.iter().map(|f| (f.url.as_str(), f.status)).collect();
        assert_eq!(order, [("https://a.b/1", SourceStatus::Verified), ("https://a.b/2", SourceStatus::Fabricated)]);
        assert_eq!(parse_cited_findings(r#"{"findings": []}"#, &two()).unwrap_err().0.len(), 2);
        assert!(parse_cited_findings(&said("verified", "doubtful"), &two()).is_err());
    }

    #[test]
    fn what_nobody_opened_is_said_aloud() {
        let unchecked = |cited: SourceToCheck| SourceFinding::unchecked(cited.seq, &cited.url, "");
        let none: Vec<_> = two().into_iter().map(unchecked).collect();
        assert_eq!(relay_text(&none), "sources that nobody opened, unchecked: seq 4 (2)");
        let findings = parse_cited_findings(&said("verified", "unreliable"), &two()).unwrap();
        assert_eq!(
            relay_text(&findings),
            "seq 4: https://a.b/1 verified: the quotation stands; nobody read whether it bears out the claim; \
             seq 4: https://a.b/2 unreliable (two)"
        );
        assert_eq!(relay_text(&[]), "");
    }

    #[test]
    fn a_verification_result_is_json_with_four_keys() {
        let finding =
            SourceFinding { status: SourceStatus::Verified, ..SourceFinding::unchecked(4, "https://a.b", "x") };
        let want = r#"{"verified_seq":4,"url":"https://a.b","status":"verified","explanation":"x"}"#;
        assert_eq!(render_result(&finding), want);
    }
}
