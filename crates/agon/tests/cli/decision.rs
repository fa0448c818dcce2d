//! The end of a run says what a decision needs, in the order of the report.

use crate::cli::workspace::Workspace;

#[test]
fn a_run_ends_with_what_a_decision_needs() {
    let workspace = Workspace::new();
    let ran = workspace.debate(&[]);
    let order = [
        "Question",
        "This house would rest.",
        "Answer",
        "Ended",
        "Read with care. ",
        "Judged by one judge (a script)",
        "Cost",
        "Open",
        "Change",
        "**Current Scores**",
        "files",
    ];
    let mut rest = ran.out.rsplit_once("ruled").map_or(ran.out.as_str(), |(_, rest)| rest);
    for part in order {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part} is missing or too early: {}", ran.out));
        rest = after;
    }
    let memo = workspace.read("d/memo.md");
    assert!(memo.contains("## How far to trust it") && memo.contains("](report.md#entry-"), "{memo}");
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], serde_json::json!([]), "a memo is compared, too");
}

#[test]
fn a_quiet_run_prints_only_the_result() {
    let workspace = Workspace::new();
    let ran = workspace.debate(&["-q"]);
    assert!(!ran.out.contains("Question") && !ran.out.contains("Judged by"), "{}", ran.out);
}

#[test]
fn a_run_without_a_verdict_says_so_and_whose_answer_is_missing() {
    let workspace = Workspace::new();
    workspace.write(
        "script.json",
        r#"{"rules": [{"key": "*opposition*", "fail": "refused"}, {"key": "*", "sample": true}]}"#,
    );
    let ran = workspace.run_debate(&["--model", "scripted:script.json"]);
    assert_eq!(ran.code, 9);
    assert!(ran.out.contains("Read with care. Nobody was heard; there is no verdict."), "{}", ran.out);
    assert!(ran.out.contains("A usable answer of opposition, which did not come"), "{}", ran.out);
}
