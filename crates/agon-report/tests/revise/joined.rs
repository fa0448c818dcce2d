//! The joined documents, read back as what their synthesizer said: whatever it was, written again it is
//! the same file.

use agon_core::Record;
use agon_protocols::revise::review::Review;
use agon_report::revise::joined_document;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::play::*;

/// A debate of one round whose synthesizer says `synthesis`.
fn debate(mode: &str, synthesis: &Value) -> Record {
    let mut opened = track(mode);
    opened.limits.rounds = 1;
    play(opened, |key| key.starts_with("synthesis").then(|| said(synthesis)).flatten())
}

/// What stands in a list of a document: words, and the marks that its layout uses.
fn note() -> impl Strategy<Value = String> {
    "[a-z]{1,8}( [a-z]{1,8}| —| \\(b\\)| c:| Fix){0,5} [a-z]{1,8}"
}

prop_compose! {
    fn synthesis()(
        merged in prop::collection::vec(note(), 0..3),
        adopted in prop::collection::vec(note(), 0..3),
        overruled in prop::collection::vec((note(), "[a-z]{1,9}( [a-z]{1,9}){1,3}"), 0..3),
        unresolved in prop::collection::vec((note(), "[a-z]{1,9}( [a-z]{1,9}){1,3}"), 1..3),
        body in "[a-z]{3,9}( [a-z]{3,9}){9,20}",
    ) -> Value {
        let adopted = adopted.iter().map(|point| json!({"point": point, "critique": "critique_of_second_r1.md"}));
        let pair = |name: &'static str| move |(point, why): &(String, String)| json!({"point": point, name: why});
        json!({
            "merged": merged, "adopted": adopted.collect::<Vec<_>>(),
            "overruled": overruled.iter().map(pair("reason")).collect::<Vec<_>>(),
            "unresolved": unresolved.iter().map(pair("tie_break")).collect::<Vec<_>>(),
            "document": format!("# Keeping notes\n\n## Why\n\n{body}\n\n## How\n\nWrite one line a day."),
        })
    }
}

prop_compose! {
    fn unified()(
        summary in "[A-Z][a-z]{5,9}( [a-z]{3,9}){6,9}", problem in note(), fix in "[A-Z][a-z]{2,8}( [a-z]{2,8}){2,5}",
        place in "src/[a-z]{1,8}\\.rs:[1-9]", reason in "[A-Z][a-z]{2,8}( [a-z]{2,8}){2,5}",
        severity in prop::sample::select(vec!["HIGH", "MEDIUM"]), left in any::<bool>(),
    ) -> Value {
        let finding = |from: Vec<&str>| json!({
            "from": from, "dimension": "stub detection", "place": place, "problem": problem, "fix": fix,
            "severity": severity,
        });
        let (findings, rejected) = match left {
            true => (vec![finding(vec!["opus-F1"])], json!([{"finding": "codex-F1", "reason": reason}])),
            false => (vec![finding(vec!["opus-F1", "codex-F1"])], json!([])),
        };
        json!({"summary": summary, "findings": findings, "rejected": rejected})
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn notes_of_a_synthesis_are_read_back(synthesis in synthesis()) {
        let text = file(&debate("draft", &synthesis), "SYNTHESIS.md");
        let read = json!(joined_document::parse_synthesis(&text));
        prop_assert_eq!(&read["adopted"], &synthesis["adopted"], "{}", text);
        prop_assert_eq!(&read["document"], &synthesis["document"], "{}", text);
        prop_assert_eq!(file(&debate("draft", &read), "SYNTHESIS.md"), text);
    }

    #[test]
    fn findings_of_a_review_are_read_back(unified in unified()) {
        let text = file(&debate("review", &unified), "REVIEW.md");
        let read = json!(joined_document::parse_unified_review(&text));
        prop_assert_eq!(&read["rejected"], &unified["rejected"], "{}", text);
        prop_assert_eq!(file(&debate("review", &read), "REVIEW.md"), text);
    }

    #[test]
    fn no_text_makes_reading_panic(text in any::<String>(), notes in any::<String>()) {
        let text = format!("# T\n{text}\n## Findings\n- {notes}\n## Synthesis Notes\n### Debate Resolution\n- {notes}");
        joined_document::parse_synthesis(&text);
        joined_document::parse_unified_review(&text);
        Review::parse(&text);
    }
}
