//! `review.sarif`: what holds and what remains a concern, in the Static Analysis Results Interchange Format 2.1.0
//! of OASIS, which code hosts and editors show next to the lines.

use agon_core::{Digest, GateClass, Outcome, Protocol, Record, Standing};
use agon_protocols::review::{
    MaterialReview,
    finding::FindingSeverity,
    state::{FindingCase, FindingStatus, ReviewState},
};
use serde::Serialize;
use serde_json::json;

use super::{by_severity, finding_level, locate_finding};

/// The file.
pub(super) fn render_sarif(record: &Record, state: &ReviewState) -> String {
    let cases = by_severity(state, [FindingStatus::Held, FindingStatus::Concern]).into_iter();
    let driver = json!({
        "name": "agon",
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": FindingSeverity::ALL.map(build_rule),
    });
    let file = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "automationDetails": {"id": format!("agon/review/{}", record.opened().debate)},
            "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder that holds the reviewed files."}}},
            "invocations": [build_invocation(record.closing_outcome())],
            "results": cases.map(build_result).collect::<Vec<_>>(),
        }],
    });
    format!("{file:#}\n")
}

/// Whether the review came to a clear verdict, and why not: without one, an empty list of results does not say that
/// nothing was found.
fn build_invocation(outcome: Option<&Outcome>) -> impl Serialize {
    let is_clear = |outcome: &Outcome| {
        let spec = MaterialReview.manifest().find_outcome(&outcome.name);
        outcome.standing == Standing::Valid && spec.is_some_and(|spec| spec.gate != GateClass::Unclear)
    };
    if outcome.is_some_and(is_clear) {
        return json!({"executionSuccessful": true});
    }
    let why = outcome.map_or_else(|| "The review has not ended.".to_owned(), Outcome::render_summary);
    json!({
        "executionSuccessful": false,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": why}}],
    })
}

fn build_rule(severity: FindingSeverity) -> impl Serialize {
    let (level, text) = match severity {
        FindingSeverity::High => {
            ("error", "A serious finding: wrong results, lost data, a crash or a hole in security")
        }
        FindingSeverity::Medium => ("warning", "A finding that should be fixed"),
        FindingSeverity::Low => ("note", "A finding of little weight"),
    };
    json!({
        "id": rule_id(severity), "shortDescription": {"text": text}, "defaultConfiguration": {"level": level},
    })
}

fn rule_id(severity: FindingSeverity) -> String {
    format!("review/{}", severity.name())
}

fn build_result(case: &FindingCase) -> impl Serialize {
    let (path, lines) = locate_finding(case);
    let mut place = json!({"artifactLocation": {"uri": encode_uri(&path), "uriBaseId": "%SRCROOT%"}});
    if let Some((first, last)) = lines {
        place["region"] = json!({"startLine": first, "endLine": last, "snippet": {"text": case.finding.quote}});
    }
    let concern =
        if case.status() == FindingStatus::Concern { "Concern, without evidence for or against it: " } else { "" };
    let text = format!("{concern}{} {}", case.finding.claim, case.finding.why);
    // The same words in the same file are the same finding in the next review, wherever they moved.
    let words = agon_text::to_single_line(&case.finding.quote);
    json!({
        "ruleId": rule_id(case.severity()),
        "level": finding_level(case),
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"quote/v1": Digest::from_content(format!("{path}\n{words}"))},
        "properties": {"id": case.id, "status": case.status().name()},
    })
}

/// A relative path as the reference of a URI (RFC 3986).
fn encode_uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference_of_a_uri() {
        assert_eq!(encode_uri("src/a b#ü.rs"), "src/a%20b%23%C3%BC.rs");
        assert_eq!(encode_uri("a:b/c.rs"), "a%3Ab/c.rs");
    }
}
