//! The verifier's findings about the sources of a turn.
//!
//! A model cannot open a page, so its word makes no source verified, unreliable or fabricated: it
//! voices doubts, and the status is `unchecked`. Where the debate was opened with the option
//! `verify = "fetched"`, a part of the program that did open the pages answers the same request, and
//! its findings count.

use std::collections::BTreeMap;

use agon_core::{Faults, Key, Opened, View, draft::REDRAFTS_MAX, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{object, source::SOURCES_MAX};
pub use crate::common::verification::SourceStatus;
use crate::common::{claim_reading::ClaimReading, fields::ObjectReader, verification::is_fetched};

/// The value of the option `verify`: how sources are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyMode {
    /// Not at all.
    Off,
    /// A model voices doubts. The default.
    Doubts,
    /// Pages are fetched.
    Fetched,
}

impl VerifyMode {
    /// As the debate was opened.
    pub fn of(opened: &Opened) -> Self {
        match opened.options.get("verify").and_then(Value::as_str) {
            Some("off") => VerifyMode::Off,
            _ if is_fetched(opened) => VerifyMode::Fetched,
            _ => VerifyMode::Doubts,
        }
    }
}

/// The verifier's finding about one source of one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFinding {
    /// The entry that cites it.
    pub seq: u64,
    /// Its address.
    pub url: String,
    /// What is known.
    pub status: SourceStatus,
    /// Why, or a doubt; may be empty.
    pub explanation: String,
    /// The sentence of the page that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// What a model read there, where one was asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ClaimReading>,
}

/// The result of verifying the sources of one turn: data of the ruling `…/findings`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Entries that were looked at.
    pub seqs: Vec<u64>,
    /// One for each source, in order.
    pub findings: Vec<SourceFinding>,
    /// Claims stated as fact without a source or label, as the verifier quotes them.
    pub unlabelled: Vec<String>,
}

/// A source to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceToCheck {
    /// The entry that cites it.
    pub seq: u64,
    /// Its address.
    pub url: String,
}

/// Longest explanation or claim, in characters.
const TEXT_CHARS_MAX: usize = 300;
/// Claims without a source that are reported of one turn.
const UNLABELLED_MAX: usize = 3;

/// The findings of the whole debate, in the order of their rulings.
pub fn all(view: &View<'_>) -> Vec<Findings> {
    let noted =
        view.rulings(agon_core::RulingKind::Noted).filter(|(key, _)| key.as_str().ends_with("/findings"));
    noted.filter_map(|(_, ruling)| Findings::deserialize(&ruling.data).ok()).collect()
}

/// Codes of what decided about each source of each entry, as the part of the program that opens pages gave them.
pub fn codes(view: &View<'_>) -> BTreeMap<(u64, String), String> {
    let mut codes = BTreeMap::new();
    for (key, _) in view.rulings(agon_core::RulingKind::Noted) {
        let Some(asked) = key.as_str().strip_suffix("/findings") else { continue };
        let drafts = (1..=REDRAFTS_MAX).map(|number| Key::of(format!("{asked}/redraft-{number}")));
        for said in std::iter::once(Key::of(asked)).chain(drafts).filter_map(|key| view.said(&key)) {
            let Ok(value) = parse::json(said) else { continue };
            for found in value["findings"].as_array().into_iter().flatten() {
                if let (Some(seq), Some(url)) = (found["seq"].as_u64(), found["url"].as_str()) {
                    let code = found["code"].as_str().unwrap_or_default();
                    codes.insert((seq, url.to_owned()), code.to_owned());
                }
            }
        }
    }
    codes
}

/// What was found last about each source of each entry, in the order in which they were first looked at.
pub fn latest(findings: &[SourceFinding]) -> Vec<&SourceFinding> {
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
pub fn reconfirmed(finding: &SourceFinding, result: Option<u64>) -> SourceFinding {
    let at = result.map(|seq| format!(" from seq {seq}")).unwrap_or_default();
    let why =
        if finding.explanation.is_empty() { String::new() } else { format!(": {}", finding.explanation) };
    let explanation = format!("Re-confirmed{at}{why}").chars().take(TEXT_CHARS_MAX).collect();
    SourceFinding { explanation, ..finding.clone() }
}

/// JSON Schema of the verifier's statement about `cited`.
pub fn schema(cited: &[SourceToCheck], mode: VerifyMode) -> Value {
    let statuses: Vec<&str> = match mode {
        VerifyMode::Fetched => SourceStatus::ALL.iter().map(|status| status.name()).collect(),
        _ => vec![SourceStatus::Unchecked.name()],
    };
    let urls: Vec<&str> = cited.iter().map(|cited| cited.url.as_str()).collect();
    let finding = object(json!({
        "url": {"type": "string", "enum": urls},
        "explanation": {"type": "string", "maxLength": TEXT_CHARS_MAX},
        "status": {"type": "string", "enum": statuses},
    }));
    let claim = json!({"type": "string", "maxLength": TEXT_CHARS_MAX});
    object(json!({
        "findings": {"type": "array", "minItems": cited.len(), "maxItems": cited.len(), "items": finding},
        "unlabelled": {"type": "array", "minItems": 0, "maxItems": UNLABELLED_MAX, "items": claim},
    }))
}

/// The findings in `text`, or every rule that it breaks. Each source is reported once.
pub fn read(text: &str, cited: &[SourceToCheck], mode: VerifyMode) -> Result<Findings, Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut given: Vec<(Option<u64>, SourceFinding)> = Vec::new();
    for (i, item) in fields.list("findings", "findings", &mut faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("findings[{i}]"), &mut faults) else { continue };
        let names = SourceStatus::ALL.map(SourceStatus::name);
        let url = item.text("url", "findings", &mut faults);
        let name = item.choice("status", &names, "findings", &mut faults);
        let explanation = item.optional_text("explanation", "findings", &mut faults).unwrap_or_default();
        let Some(status) = SourceStatus::ALL.into_iter().find(|status| status.name() == name) else {
            continue;
        };
        if mode != VerifyMode::Fetched && status != SourceStatus::Unchecked {
            let message =
                "you did not open this page, so the status is \"unchecked\"; put a doubt into explanation";
            faults.add("findings", item.path("status"), message);
        }
        if !cited.iter().any(|cited| cited.url == url) && !url.is_empty() {
            faults.add("findings", item.path("url"), format!("{url:?} is not one of the sources to check"));
        }
        // Where the part of the program that opens pages says of which entry it speaks, that counts.
        let seq = item.get("seq").and_then(Value::as_u64);
        let explanation = explanation.chars().take(TEXT_CHARS_MAX).collect();
        let sentence = item.get("sentence").and_then(Value::as_str).filter(|_| mode == VerifyMode::Fetched);
        let sentence = sentence.map(crate::common::fields::one_line);
        let sentence = sentence.map(|text| text.chars().take(TEXT_CHARS_MAX).collect());
        given.push((
            seq,
            SourceFinding { seq: seq.unwrap_or(0), url, status, explanation, sentence, reading: None },
        ));
    }
    let mut findings = Vec::new();
    for SourceToCheck { seq, url } in cited {
        let about = |(of, finding): &&(Option<u64>, SourceFinding)| {
            finding.url == *url && of.is_none_or(|of| of == *seq)
        };
        match given.iter().find(about) {
            Some((_, finding)) => findings.push(SourceFinding { seq: *seq, ..finding.clone() }),
            None => faults.add("findings", "findings", format!("nothing is said about {url:?}")),
        }
    }
    let claims = fields.list("unlabelled", "findings", &mut faults).iter().filter_map(Value::as_str);
    let short =
        |claim: &str| crate::common::fields::one_line(claim).chars().take(TEXT_CHARS_MAX).collect::<String>();
    let unlabelled = claims.map(short).filter(|claim| !claim.is_empty()).take(UNLABELLED_MAX).collect();
    faults.or(Findings { seqs: Vec::new(), findings, unlabelled })
}

/// What is known of sources that nobody looked at, and why.
pub fn unchecked(cited: &[SourceToCheck], why: &str) -> Vec<SourceFinding> {
    let finding = |cited: &SourceToCheck| SourceFinding {
        seq: cited.seq,
        url: cited.url.clone(),
        status: SourceStatus::Unchecked,
        explanation: why.to_owned(),
        sentence: None,
        reading: None,
    };
    cited.iter().map(finding).collect()
}

/// The sources of an entry that are verified; the others are only noted.
pub fn cited(logged: &super::log::Logged) -> Vec<SourceToCheck> {
    let seq = logged.item.seq;
    logged.cites().take(SOURCES_MAX).map(|url| SourceToCheck { seq, url: url.to_owned() }).collect()
}

/// Content of a log entry `verification_result`.
pub fn result(finding: &SourceFinding) -> String {
    json!({
        "verified_seq": finding.seq, "url": finding.url,
        "status": finding.status.name(), "explanation": finding.explanation,
    })
    .to_string()
}

/// What the chair relays of a round's findings, in one paragraph. It quotes no entry: one of them may
/// be redacted later.
pub fn relayed(all: &[Findings]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut unread: Vec<(u64, usize)> = Vec::new();
    for SourceFinding { seq, url, status, explanation, .. } in all.iter().flat_map(|all| &all.findings) {
        let why = if explanation.is_empty() { String::new() } else { format!(" ({explanation})") };
        match status {
            SourceStatus::Verified | SourceStatus::Unreliable => {
                parts.push(format!("seq {seq}: {url} {}{why}", status.name()))
            }
            SourceStatus::Fabricated => parts.push(format!("seq {seq}: {url} fabricated")),
            SourceStatus::Unverified | SourceStatus::Unchecked if !why.is_empty() => {
                parts.push(format!("seq {seq}: {url} {}, with a note{why}", status.name()));
            }
            SourceStatus::Unverified | SourceStatus::Unchecked => {
                match unread.iter_mut().find(|(of, _)| of == seq) {
                    Some((_, count)) => *count += 1,
                    None => unread.push((*seq, 1)),
                }
            }
        }
    }
    if !unread.is_empty() {
        let each: Vec<String> = unread.iter().map(|(seq, count)| format!("seq {seq} ({count})")).collect();
        parts.push(format!("sources that nobody opened, unchecked: {}", each.join(", ")));
    }
    for SourceFinding { seq, url, reading, .. } in all.iter().flat_map(|all| &all.findings) {
        parts.extend(reading.as_ref().map(|reading| format!("seq {seq}: {url}: {}", reading.tag())));
    }
    for Findings { seqs, unlabelled, .. } in all.iter().filter(|all| !all.unlabelled.is_empty()) {
        let seqs: Vec<String> = seqs.iter().map(|seq| format!("seq {seq}")).collect();
        let count = unlabelled.len();
        parts.push(format!("{}: {count} statement(s) of fact without source or label", seqs.join(", ")));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<SourceToCheck> {
        ["https://a.b/1", "https://a.b/2"].map(|url| SourceToCheck { seq: 4, url: url.into() }).into()
    }

    fn said(first: &str, second: &str) -> String {
        json!({"findings": [
            {"url": "https://a.b/2", "status": second, "explanation": "two"},
            {"url": "https://a.b/1", "status": first, "explanation": ""},
        ], "unlabelled": ["Half of them left."]})
        .to_string()
    }

    #[test]
    fn a_model_s_word_alone_makes_no_source_fabricated() {
        for status in ["verified", "unreliable", "fabricated", "unverified"] {
            let faults = read(&said("unchecked", status), &two(), VerifyMode::Doubts).unwrap_err();
            assert_eq!((faults.0.len(), faults.0[0].at.as_str()), (1, "findings[0].status"), "{status}");
        }
        let schema = schema(&two(), VerifyMode::Doubts).to_string();
        assert!(schema.contains("unchecked") && !schema.contains("fabricated"));
    }

    #[test]
    fn every_source_is_reported_once_in_the_order_of_the_entry() {
        let findings = read(&said("verified", "fabricated"), &two(), VerifyMode::Fetched).unwrap().findings;
        let order: Vec<_> = findings.iter().map(|f| (f.url.as_str(), f.status)).collect();
        assert_eq!(
            order,
            [("https://a.b/1", SourceStatus::Verified), ("https://a.b/2", SourceStatus::Fabricated)]
        );
        let faults = read(r#"{"findings": [], "unlabelled": []}"#, &two(), VerifyMode::Fetched).unwrap_err();
        assert_eq!(faults.0.len(), 2);
        let other = r#"{"findings": [{"url": "https://x.y", "status": "verified"}]}"#;
        assert!(
            read(other, &two()[..1], VerifyMode::Fetched).unwrap_err().to_string().contains("not one of")
        );
    }

    #[test]
    fn what_nobody_opened_is_said_aloud() {
        let unlabelled = vec!["Half left.".into()];
        let none = Findings { seqs: vec![4], findings: unchecked(&two(), ""), unlabelled };
        assert_eq!(
            relayed(&[none]),
            "sources that nobody opened, unchecked: seq 4 (2); seq 4: 1 statement(s) of fact without source or label"
        );
        assert_eq!(relayed(&[]), "");
    }

    #[test]
    fn a_verification_result_is_json_with_four_keys() {
        let finding = SourceFinding {
            seq: 4,
            url: "https://a.b".into(),
            status: SourceStatus::Verified,
            explanation: "x".into(),
            sentence: None,
            reading: None,
        };
        let want = r#"{"verified_seq":4,"url":"https://a.b","status":"verified","explanation":"x"}"#;
        assert_eq!(result(&finding), want);
    }
}
