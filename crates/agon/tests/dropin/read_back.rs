//! What an import makes of entries that no format knows, and of documents that joined others.

use serde_json::json;

use crate::dropin::{
    import::{comes_back, exported, find_file, golden, import, run_on, warnings},
    workspace::Workspace,
};

#[test]
fn an_entry_of_an_unknown_type_stays_what_it_is() {
    let workspace = Workspace::new();
    let log = std::fs::read_to_string(golden("chaired").join("debate-log.jsonl")).unwrap();
    let known: String = log.lines().take(7).map(|line| format!("{line}\n")).collect();
    let at: serde_json::Value = serde_json::from_str(known.lines().last().unwrap()).unwrap();
    let entry = |seq: u64, speaker: &str, kind: &str, content: &str| {
        let at = &at["timestamp"];
        format!(
            "{{\"seq\":{seq},\"timestamp\":{at},\"phase\":\"rebuttal\",\"speaker\":\"{speaker}\",\"type\":\"{kind}\",\"content\":\"{content}\",\"sources\":null}}\n"
        )
    };
    // An announcement of a round that is none, and a remark that is no turn.
    let strange =
        entry(7, "chair", "fanfare", "Round 9 of 9 beginning.") + &entry(8, "keeper", "remark", "One moment, please.");
    let whole = known + &strange;
    workspace.write("there/debate-log.jsonl", &whole);
    let report = import(&workspace, "chaired", &[]);
    let said = warnings(&report);
    assert!(said.contains("L3 seq 7: \"fanfare\" is no type"), "{said}");
    assert!(said.contains("L3 seq 8: \"remark\" is no type"), "{said}");
    assert_eq!(report["open"], json!(["round-001/debater-2"]), "neither moved the debate on");
    comes_back(&workspace, "chaired");
    run_on(&workspace, &["resume", "d"]);
    let after = exported(&workspace, "chaired", "after");
    let log = find_file(&after, "debate-log.jsonl");
    assert!(log.starts_with(&whole) && !log.contains("Round 10"), "{log}");
    let transcript = find_file(&after, "transcript.md");
    assert!(transcript.contains("### [seq 7] Phase: rebuttal | chair | fanfare"), "{transcript}");
    assert!(transcript.contains("### [seq 8] Phase: rebuttal | keeper | remark"), "{transcript}");
    assert!(transcript.contains("One moment, please."), "{transcript}");
}

/// A document of the protocol's own tests.
fn sample(mode: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../agon-protocols/src/revise/testdata");
    std::fs::read_to_string(format!("{folder}/{mode}.md")).unwrap()
}

#[test]
fn a_joined_document_is_read_back_and_closes_the_debate() {
    let plan = sample("plan");
    let notes = "## Synthesis Notes\n\n### Standard Merge Decisions\n- The store of both comes first.\n";
    let joined = "# Code Review: Phase 1 — Notes\n<!-- Sources: review.md, review_second.md -->\n\nBoth found one thing.\n\n\
        ## Findings\n- F1 [MEDIUM] security, src/store.rs:42: The path is not checked. Fix: Reject it. (opus-F1, second-F1)\n\n\
        ## Verdict\n\nREJECTED\n";
    for (mode, result, text) in
        [("plan", "PLAN.md", format!("{plan}\n{notes}")), ("review", "REVIEW.md", joined.to_owned())]
    {
        let workspace = Workspace::new();
        let first = if mode == "plan" { "plan_first.md" } else { "review.md" };
        workspace.write(&format!("there/{first}"), sample(mode));
        workspace.write(&format!("there/{mode}_second.md"), sample(mode));
        workspace.write(&format!("there/{result}"), &text);
        let report = import(&workspace, "revise", &[]);
        assert_eq!((&report["open"], &report["outcome"]), (&json!([]), &json!("synthesized")), "{report}");
        comes_back(&workspace, "revise");
        let transcript = workspace.read("d/transcript.md");
        if mode == "plan" {
            assert!(transcript.contains("The store of both comes first."), "{transcript}");
        } else {
            assert!(transcript.contains("The path is not checked."), "{transcript}");
            let said = warnings(&report);
            assert!(said.contains("REVIEW.md: it says REJECTED; its reviews lead to APPROVED"), "{said}");
        }
    }
}
