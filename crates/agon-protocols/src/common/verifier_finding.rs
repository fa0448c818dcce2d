//! What the verifier answers: one finding for each source, as the part of the program that opens pages writes it.

use agon_core::{Faults, SourceStatus, parse};
use serde::Deserialize;

use super::fields::one_line;

/// Longest address, explanation and sentence, in characters.
pub(super) const TEXT_CHARS_MAX: usize = 1_000;

/// One finding of the verifier's answer, as the program writes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct VerifierFinding {
    /// The place that cites the source, or the number of the entry.
    #[serde(default)]
    pub at: String,
    /// See `at`.
    pub seq: Option<u64>,
    /// Its address, as it was cited.
    pub url: String,
    /// What is known.
    pub status: SourceStatus,
    /// What decided.
    #[serde(default)]
    pub code: String,
    /// What decided, in words.
    #[serde(default)]
    pub explanation: String,
    /// What the page says where the quotation stands.
    pub sentence: Option<String>,
    /// The page that was read.
    pub page: Option<VerifiedPage>,
    /// What was said, what was quoted for it, and what of the page is shown to the reader.
    #[serde(default)]
    pub claim: String,
    /// See `claim`.
    #[serde(default)]
    pub quote: String,
    /// See `claim`; empty where there is nothing to read.
    #[serde(default)]
    pub shown: String,
}

/// The page of a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct VerifiedPage {
    /// SHA-256 of its body.
    pub sha256: Option<String>,
}

/// The findings of the verifier's answer `text`.
pub fn parse_findings(text: &str) -> Result<Vec<VerifierFinding>, Faults> {
    #[derive(Deserialize)]
    struct VerifierAnswer {
        findings: Vec<VerifierFinding>,
    }
    let answer: VerifierAnswer = parse::decode_statement(parse::parse_json_answer(text)?)?;
    let mut findings = answer.findings;
    for found in &mut findings {
        found.explanation = shorten_to_line(&found.explanation);
        found.sentence = found.sentence.take().map(|text| shorten_to_line(&text)).filter(|text| !text.is_empty());
    }
    Ok(findings)
}

pub(super) fn shorten_to_line(text: &str) -> String {
    one_line(text).chars().take(TEXT_CHARS_MAX).collect()
}
