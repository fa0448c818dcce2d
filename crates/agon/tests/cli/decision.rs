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
fn a_debate_is_shown_by_its_first_page_and_whole_where_that_is_asked() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    let record = workspace.read("d/record.jsonl");
    let said = record.lines().find_map(|line| {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = entry["what"]["answered"]["reply"]["said"]["text"].as_str()?;
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        value["arguments"][0]["warrant"].as_str().map(str::to_owned)
    });
    let said: Vec<String> = said.unwrap().split_whitespace().take(4).map(str::to_owned).collect();
    let show = |more: &[&str]| {
        let shown = workspace.agon(&[&["show", "d1"], more].concat());
        assert_eq!(shown.code, 0, "{}", shown.err);
        shown.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let page = show(&[]);
    assert!(page.contains("Question") && page.contains("Answer") && page.contains("Ended"), "{page}");
    assert!(!page.contains("Warrant") && !page.contains("{\""), "no whole statement and no JSON: {page}");
    let whole = show(&["--full"]);
    assert!(whole.contains(&said.join(" ")) && whole.len() > 2 * page.len(), "{whole}");
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
