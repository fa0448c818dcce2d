//! Reviews: files, the verdict of the stricter side, and one list of findings.

use agon_protocols::revise::review::{Review, ReviewVerdict};
use agon_report::revise::joined_document;
use serde_json::json;

use super::play::*;

/// A review of author 1 or 2 with findings as given, in the layout.
fn review(findings: &str, verdict: &str) -> String {
    let (head, _) = document("review").split_once("## Findings").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
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
    held(opened, other)
}

fn held(opened: agon_core::Opened, other: impl Fn(&str) -> Option<agon_core::Reply>) -> agon_core::Record {
    play(opened, answered(other))
}

fn answered(other: impl Fn(&str) -> Option<agon_core::Reply>) -> impl Fn(&str) -> Option<agon_core::Reply> {
    move |key: &str| {
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
    }
}

/// Everywhere that a debate states its verdict it is `wanted`, and no finding of high severity stands
/// beside an approval.
#[track_caller]
fn agrees(record: &agon_core::Record, wanted: &str) {
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(outcome.figures["verdict"], wanted, "{}", outcome.summary);
    let text = file(record, "REVIEW.md");
    assert!(text.contains(&format!("\n## Verdict\n\n{wanted}\n")), "{text}");
    let sentinel = text.rsplit_once("sentinel: review-verdict").unwrap().1;
    let status = if wanted == "REJECTED" { "fail" } else { "pass" };
    assert!(sentinel.contains(&format!("status: {status}\n")), "{sentinel}");
    assert!(status == "fail" || sentinel.contains("severity_high: 0\n"), "{sentinel}");
    let degraded = !outcome.absent.is_empty();
    assert_eq!(outcome.figures["degraded"] == true, degraded);
    assert_eq!(outcome.name == "degraded", degraded);
    assert_eq!(outcome.summary.contains("Verdict (degraded)"), degraded, "{}", outcome.summary);
    assert_eq!(sentinel.contains("did not answer"), degraded, "{sentinel}");
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
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(outcome.figures["verdict"], "REJECTED");
    assert!(outcome.summary.ends_with("Verdict: REJECTED, by the stricter side (Codex)."), "{}", outcome.summary);
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
        text.contains("status: fail\nreviewer: codex\nseverity_high: 1\nseverity_medium: 0\nseverity_low: 1\n"),
        "{text}"
    );
    assert!(
        agon_report::participation::list_warnings(&record)
            .iter()
            .any(|(_, text)| text.contains("its record counts 7 high, found 1"))
    );
}

/// Loses every answer to a key that begins so.
fn lost(start: &str) -> impl Fn(&str) -> Option<agon_core::Reply> {
    move |key: &str| key.starts_with(start).then(|| failed("declined")).flatten()
}

#[test]
fn whoever_is_lost_the_stricter_of_all_standing_reviews_is_the_verdict() {
    for step in [
        "draft-1",
        "round-1/critique-1",
        "round-1/critique-2",
        "round-1/critique",
        "round-1/revision-1",
        "round-1/revision-2",
        "round-1/revision",
        "synthesis",
    ] {
        agrees(&debate(lost(step)), "REJECTED");
    }
    let alone = debate(lost("draft-2"));
    agrees(&alone, "APPROVED");
    let summary = &alone.closing_outcome().unwrap().summary;
    assert!(summary.ends_with("Verdict (degraded) of Opus's last review alone: APPROVED."), "{summary}");
}

#[test]
fn a_later_round_that_loses_both_keeps_the_stricter_verdict() {
    let record = held(track("review"), lost("round-2"));
    assert_eq!(record.closing_outcome().unwrap().absent.len(), 2);
    agrees(&record, "REJECTED");
}

#[test]
fn without_a_round_the_stricter_first_version_is_the_verdict() {
    let mut opened = track("review");
    opened.limits.rounds = 0;
    agrees(&held(opened, |_| None), "REJECTED");
}

#[test]
fn among_three_reviewers_one_that_rejects_is_enough() {
    let mut opened = opened(3, json!({"mode": "review", "phase": 2}));
    opened.limits.rounds = 1;
    let third = |key: &str| match key {
        "draft-1" | "draft-2" => said(review(OPUS, "APPROVED")),
        "draft-3" => said(review(CODEX, "REJECTED")),
        key if key.starts_with("round-1") => failed("declined"),
        "synthesis" => failed("declined"),
        _ => None,
    };
    agrees(&held(opened, third), "REJECTED");
}

#[test]
fn given_reviews_have_their_verdict_whoever_is_lost() {
    let (opus, codex) = (review(OPUS, "APPROVED"), review(CODEX, "REJECTED"));
    let texts = [("draft/opus", opus.as_str()), ("draft/codex", codex.as_str())].into();
    let record = play_with(track("review"), &texts, answered(lost("round-1")));
    agrees(&record, "REJECTED");
}

/// The second reviewer revises to `findings` with this answer to its first weakness.
fn revised(findings: &'static str, answer: &'static str, words: &'static str) -> agon_core::Record {
    debate(move |key| {
        let points = json!([{"weakness": "W1", "answer": answer, "words": words},
            {"weakness": "W2", "answer": "defended", "words": "It was looked at on purpose."}]);
        let document = review(findings, "APPROVED");
        match key {
            key if key.starts_with("round-1/revision-2") => said(json!({"points": points, "document": document})),
            key if key.starts_with("synthesis") => failed("declined"),
            _ => None,
        }
    })
}

#[test]
fn a_finding_that_its_author_drops_without_reason_stays_and_decides() {
    let low = "- F1 [LOW] security, src/store.rs:42: any file can be read. Fix: check the path.";
    for findings in ["- None", low] {
        let record = revised(findings, "defended", "It was looked at on purpose.");
        assert!(asked(&record).contains(&"round-1/revision-2/redraft-1".to_owned()), "it is told once");
        agrees(&record, "REJECTED");
        let text = file(&record, "REVIEW.md");
        assert!(text.contains("(withdrawn by its author without reason)"), "{text}");
        let log = file(&record, "debate_log.md");
        assert!(log.contains("; withdrawn without reason, and it stands: F1"), "{log}");
        let revised = file(&record, "review_codex_v2.md");
        assert!(revised.contains("status: fail\n") && revised.contains("severity_high: 1\n"), "{revised}");
    }
    let reasons = [
        revised("- None", "addressed", "F1 cannot happen: the path is checked by its caller."),
        revised("- None", "addressed", "At src/store.rs:42 the path was checked before."),
    ];
    for record in reasons {
        assert!(!asked(&record).contains(&"round-1/revision-2/redraft-1".to_owned()));
        agrees(&record, "APPROVED");
    }
}

#[test]
fn a_severity_that_is_not_read_is_told_once_and_never_approves_by_itself() {
    for tag in ["[CRITICAL]", "[严重]", "[HOCH]", "[P0]"] {
        let text = CODEX.replace("[HIGH]", tag);
        for (stated, wanted) in [("REJECTED", "REJECTED"), ("APPROVED", "APPROVED")] {
            let record = debate(|key| match key {
                key if key.starts_with("draft-2") => said(review(&text, stated)),
                key => lost("round-1")(key).or_else(|| lost("synthesis")(key)),
            });
            assert!(asked(&record).contains(&"draft-2/redraft-1".to_owned()), "{tag}");
            agrees(&record, wanted);
            let joined = file(&record, "REVIEW.md");
            assert!(joined.contains("[severity not read]") && joined.contains("severity_high: 0\n"), "{joined}");
        }
    }
}

#[test]
fn a_severity_in_small_letters_rejects_too() {
    let small = CODEX.replace("[HIGH]", "[High]");
    let record = debate(|key| match key {
        "draft-2" => said(review(&small, "REJECTED")),
        key => lost("round-1")(key),
    });
    agrees(&record, "REJECTED");
}

#[test]
fn a_joined_list_that_is_stricter_than_the_reviews_decides() {
    let mild = CODEX.replace("HIGH", "MEDIUM");
    let approving = |key: &str| match key {
        "draft-2" => said(review(&mild, "APPROVED")),
        key => lost("round-1")(key),
    };
    let record = debate(approving);
    agrees(&record, "REJECTED");
    let summary = &record.closing_outcome().unwrap().summary;
    assert!(summary.ends_with("Verdict (degraded): REJECTED, by the joined list of findings."), "{summary}");
}

#[test]
fn a_joined_list_that_is_milder_overrules_nobody_and_says_so() {
    let mut milder = unified();
    milder["findings"][0]["severity"] = json!("LOW");
    milder["findings"][0]["from"] = json!(["codex-F1"]);
    milder["rejected"] = json!([
        {"finding": "opus-F1", "reason": "It is the same."}, {"finding": "codex-F2", "reason": "Taste."},
    ]);
    let record = debate(|key| key.starts_with("synthesis").then(|| said(&milder)).flatten());
    agrees(&record, "REJECTED");
    let text = file(&record, "REVIEW.md");
    assert!(text.contains("severity_high: 0\n") && text.contains("notes: \""), "{text}");
    assert!(text.contains("but who joins them overrules no reviewer"), "{text}");
}

#[test]
fn an_extension_that_nobody_joins_has_the_verdict_of_the_last_versions() {
    let mut opened = track("review");
    opened.limits.rounds = 1;
    let mend = |key: &str| match key {
        "round-1/revision-2" => {
            let points = json!([{"weakness": "W1", "answer": "addressed", "words": "F1 was wrong."},
                {"weakness": "W2", "answer": "defended", "words": "It was looked at on purpose."}]);
            let mild = CODEX.replace("HIGH", "LOW").replace("it.", "it soon.");
            said(json!({"points": points, "document": review(&mild, "APPROVED")}))
        }
        "synthesis" => {
            let mut mild = unified();
            mild["findings"][0]["severity"] = json!("MEDIUM");
            mild["answer"] = json!({"do": "Check the path.", "unless": ""});
            said(mild)
        }
        _ => None,
    };
    let record = play(opened, answered(mend));
    agrees(&record, "APPROVED");
    let worse = |key: &str| match key {
        "round-2/revision-1" => {
            let points = json!([{"weakness": "W1", "answer": "addressed", "words": "It is worse than I said."}]);
            said(json!({"points": points, "document": review(&OPUS.replace("MEDIUM", "HIGH"), "REJECTED")}))
        }
        key => lost("synthesis/again-1")(key),
    };
    let more = extend(record, 1, answered(worse));
    agrees(&more, "REJECTED");
    assert!(file(&more, "REVIEW.md").contains("review_v3.md"));
}

#[test]
fn the_verdict_stands_without_a_synthesizer() {
    let record = debate(|key| (key == "synthesis").then(|| failed("declined")).flatten());
    assert_eq!(record.closing_outcome().unwrap().figures["verdict"], "REJECTED");
    let text = file(&record, "REVIEW.md");
    assert!(text.contains("The synthesizer did not answer (declined)."), "{text}");
    assert!(
        text.contains("F1 [HIGH] security, src/store.rs:42: any file can be read. Fix: check the path. (codex-F1)"),
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
    assert_eq!(json!(joined_document::parse_unified_review(&text)), unified());
    assert_eq!(Review::parse(&text).stated, Some(ReviewVerdict::Rejected));
    let again =
        debate(|key| (key == "synthesis").then(|| said(json!(joined_document::parse_unified_review(&text)))).flatten());
    assert_eq!(file(&again, "REVIEW.md"), text);
    // A finding that nobody spoke about stands in its reviewer's words.
    let mut short = unified();
    short["rejected"] = json!([]);
    let short = debate(|key| key.starts_with("synthesis").then(|| said(&short)).flatten());
    let text = file(&short, "REVIEW.md");
    let read = json!(joined_document::parse_unified_review(&text));
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
    assert_eq!(paths(&record), ["review.md", "REVIEW.md"]);
}
