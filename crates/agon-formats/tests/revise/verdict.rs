//! Reviews: files, the verdict of the stricter side, and one list of findings.

use agon_formats::revise::joined;
use agon_protocols::revise::review::Verdict;
use serde_json::json;

use super::play::*;

/// A review of author 1 or 2 with findings as given, in the layout.
fn review(findings: &str, verdict: &str) -> String {
    let (head, _) =
        document("review").split_once("## Findings").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    format!("{head}## Findings\n\n{findings}\n\n## Verdict\n\n{verdict}\n")
}

fn unified() -> serde_json::Value {
    json!({
        "summary": "Both found the unchecked path; only one minds the name.",
        "findings": [{
            "from": ["opus-F1", "codex-F1"], "dimension": "security", "place": "src/store.rs:42",
            "problem": "The path is taken as it comes.", "fix": "Reject two dots.", "severity": "HIGH",
        }],
        "rejected": [{"finding": "codex-F2", "reason": "The name is that of the field."}],
    })
}

const OPUS: &str = "- F1 [MEDIUM] security, src/store.rs:42: the path is not checked. Fix: reject it.";
const CODEX: &str = "- F1 [HIGH] security, src/store.rs:42: any file can be read. Fix: check the path.\n- F2 [LOW] quality, src/a.rs:7: a name misleads. Fix: rename it.";

/// One round between a reviewer who approves and one who rejects.
fn debate(other: impl Fn(&str) -> Option<agon_core::Reply>) -> agon_core::Record {
    let mut opened = track("review");
    opened.limits.rounds = 1;
    play(opened, move |key| {
        let answered = |points: usize, text: String| {
            let point = |n: usize| json!({"weakness": format!("W{n}"), "answer": "defended", "words": "It was looked at on purpose."});
            said(json!({"points": (1..=points).map(point).collect::<Vec<_>>(), "document": text}))
        };
        other(key).or_else(|| match key {
            "draft-1" => said(review(OPUS, "APPROVED")),
            "draft-2" => said(review(CODEX, "REJECTED")),
            "round-1/revision-1" => answered(1, review(&OPUS.replace("it.", "it at once."), "APPROVED")),
            "round-1/revision-2" => answered(2, review(&CODEX.replace("it.", "it soon."), "REJECTED")),
            key if key.starts_with("synthesis") => said(unified()),
            _ => None,
        })
    })
}

#[test]
fn a_review_debate_leaves_exactly_the_source_system_s_files() {
    assert_eq!(
        paths(&debate(|_| None)),
        [
            "review.md",
            "review_codex.md",
            "critique_of_review_codex_r1.md",
            "critique_of_review_opus_r1.md",
            "review_v2.md",
            "review_codex_v2.md",
            "debate_log.md",
            "REVIEW.md",
        ]
    );
}

#[test]
fn golden_files_of_a_review_debate() {
    let record = debate(|_| None);
    for path in ["review_codex_v2.md", "debate_log.md", "REVIEW.md"] {
        insta::assert_snapshot!(format!("revise-review-{}", path.replace('.', "-")), file(&record, path));
    }
}

#[test]
fn if_the_verdicts_differ_the_stricter_wins() {
    let record = debate(|_| None);
    let outcome = record.closed().unwrap();
    assert_eq!(outcome.figures["verdict"], "REJECTED");
    assert!(
        outcome.summary.ends_with("Verdict: REJECTED, by the stricter side (Codex)."),
        "{}",
        outcome.summary
    );
    assert_eq!(outcome.figures["reviews"]["opus"]["verdict"], "APPROVED");
    assert!(file(&record, "REVIEW.md").contains("\n## Verdict\n\nREJECTED\n"));
}

#[test]
fn counts_are_recomputed_after_each_revision() {
    let wrong = review(CODEX, "REJECTED")
        + "\n```yaml\nsentinel: review-verdict\nphase: 2\nstatus: pass\nreviewer: gpt\nseverity_high: 7\nseverity_medium: 0\nseverity_low: 0\n```\n";
    let answer = json!({"points": [
        {"weakness": "W1", "answer": "defended", "words": "It was looked at on purpose."},
        {"weakness": "W2", "answer": "defended", "words": "It was looked at on purpose."},
    ], "document": wrong});
    let record = debate(|key| key.starts_with("round-1/revision-2").then(|| said(&answer)).flatten());
    let text = file(&record, "review_codex_v2.md");
    assert_eq!(text.matches("sentinel: review-verdict").count(), 1);
    assert!(
        text.contains(
            "status: fail\nreviewer: codex\nseverity_high: 1\nseverity_medium: 0\nseverity_low: 1\n"
        ),
        "{text}"
    );
    assert!(
        agon_formats::conduct::warnings(&record)
            .iter()
            .any(|(_, text)| text.contains("its record counts 7 high, found 1"))
    );
}

#[test]
fn f4_where_a_reviewer_is_lost_the_first_one_s_last_verdict_stands() {
    let record = debate(|key| (key == "round-1/revision-2").then(|| failed("declined")).flatten());
    let outcome = record.closed().unwrap();
    assert_eq!(outcome.name, "degraded");
    assert_eq!(outcome.figures["verdict"], "APPROVED");
    assert!(outcome.summary.starts_with("Codex did not answer (declined). "), "{}", outcome.summary);
    assert!(
        outcome.summary.ends_with("Verdict of Opus's last review alone: APPROVED."),
        "{}",
        outcome.summary
    );
}

#[test]
fn the_verdict_stands_without_a_synthesizer() {
    let record = debate(|key| (key == "synthesis").then(|| failed("declined")).flatten());
    assert_eq!(record.closed().unwrap().figures["verdict"], "REJECTED");
    let text = file(&record, "REVIEW.md");
    assert!(text.contains("The synthesizer did not answer (declined)."), "{text}");
    assert!(
        text.contains(
            "F1 [HIGH] security, src/store.rs:42: any file can be read. Fix: check the path. (codex-F1)"
        ),
        "{text}"
    );
    assert!(text.contains("(opus-F1)") && text.contains("(codex-F2)"));
}

#[test]
fn agreed_findings_are_never_downgraded_in_the_file() {
    let mut low = unified();
    low["findings"][0]["severity"] = json!("LOW");
    let record = debate(|key| key.starts_with("synthesis").then(|| said(&low)).flatten());
    assert!(asked(&record).contains(&"synthesis/redraft-1".to_owned()));
    assert!(file(&record, "REVIEW.md").contains("- F1 [HIGH] security, src/store.rs:42: The path is taken"));
}

#[test]
fn a_joined_review_is_read_back() {
    let record = debate(|_| None);
    let text = file(&record, "REVIEW.md");
    assert_eq!(joined::unified(&text), unified());
    assert_eq!(joined::verdict(&text), Some(Verdict::Rejected));
    let again = debate(|key| (key == "synthesis").then(|| said(joined::unified(&text))).flatten());
    assert_eq!(file(&again, "REVIEW.md"), text);
    // A finding that nobody spoke about stands in its reviewer's words.
    let mut short = unified();
    short["rejected"] = json!([]);
    let short = debate(|key| key.starts_with("synthesis").then(|| said(&short)).flatten());
    let text = file(&short, "REVIEW.md");
    let read = joined::unified(&text);
    assert_eq!(read["findings"][1]["from"], json!(["codex-F2"]), "{text}");
    assert_eq!(read["findings"][1]["fix"], "rename it soon.");
}

#[test]
fn a_single_review_has_its_own_verdict() {
    let mut opened = track("review");
    opened.options.insert("strategy".into(), "single".into());
    let record = play(opened, |_| None);
    assert_eq!(
        end(&record),
        ("single".to_owned(), "Opus wrote alone. Verdict of Opus's last review alone: APPROVED.".to_owned())
    );
    assert_eq!(paths(&record), ["review.md", "debate_log.md", "REVIEW.md"]);
}
