//! Material that nobody was shown: it is not approved unread, and what was not read is named.

use serde_json::json;

use crate::review::workspace::{Ran, Workspace};

/// Reviewers who find nothing, whatever they are shown.
fn content(workspace: &Workspace) {
    let rules = json!({"rules": [{"key": "*", "reply": {"findings": []}}]});
    workspace.write("content.json", rules.to_string());
}

fn review(workspace: &Workspace, more: &[&str]) -> Ran {
    let run = ["run", "review", "--model", "scripted:content.json", "--id", "r1", "--out", "r"];
    workspace.agon(&[&run, more].concat())
}

#[test]
fn a_review_of_which_no_reviewer_saw_a_line_is_not_approved() {
    let workspace = Workspace::new();
    content(&workspace);
    workspace.write("long.js", format!("var all = \"{}\";\n", "x".repeat(160_000)));
    let ran = review(&workspace, &["--context", "long.js", "--fail-on", "fail|unclear", "--summary", "markdown"]);
    assert!(ran.out.contains("Unclear: 2 of 2 reviewers were shown nothing of the material"), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 file was not reviewed: long.js (no prompt had room for it)."), "{}", ran.out);
    assert_ne!(ran.code, 0, "{}", ran.err);
    let shown = workspace.json(&["show", "r1"]);
    assert_eq!(shown["outcome"]["name"], "unclear", "{shown}");
}

#[test]
fn files_that_did_not_fit_are_named_beside_an_approval() {
    let workspace = Workspace::new();
    content(&workspace);
    for number in 0..40 {
        let lines: String = (0..200).map(|line| format!("let value_{number}_{line} = {line};\n")).collect();
        workspace.write(&format!("src/part{number}.js"), lines);
    }
    let ran = review(&workspace, &["--context", "src", "--context-tokens", "2000", "--summary", "markdown"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Approved") && ran.out.contains("files were not reviewed: src/part"), "{}", ran.out);
    assert!(workspace.read("r/report.md").contains("files were not reviewed"), "the report says so, too");
}

#[test]
fn a_seat_that_would_see_nothing_of_the_material_is_refused() {
    let workspace = Workspace::new();
    content(&workspace);
    workspace.write("a.js", "let a = 1;\n");
    for (seat, unseeing) in [("judge", "reviewer-1 and reviewer-2 and critic"), ("reviewer", "critic and judge")] {
        let ran = review(&workspace, &["--context", &format!("{seat}=a.js")]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(&format!("nothing of the material is for {unseeing}")), "{}", ran.err);
    }
    let ran =
        review(&workspace, &["--context", "reviewer=a.js", "--context", "critic=a.js", "--context", "judge=a.js"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}
