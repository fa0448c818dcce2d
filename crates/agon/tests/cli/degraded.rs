//! Seats that fail: the outcome says so and names no winner that needed them.

use serde_json::json;

use crate::cli::workspace::Workspace;

fn run(rules: &str) -> (Workspace, i32, String) {
    let workspace = Workspace::new();
    workspace.write("script.json", format!(r#"{{"rules": [{rules}, {{"key": "*", "sample": true}}]}}"#));
    let ran = workspace.run_debate(&["--model", "scripted:script.json"]);
    (workspace, ran.code, ran.out)
}

#[test]
fn without_its_judge_a_debate_has_no_verdict() {
    for nonsense in [
        "\"I would rather not.\"",
        "{\"scores\": []}",
        "{\"scores\": [{\"argument_id\": \"x\"}]}",
        "\"```json\\n{\\\"scores\\\": 3}\\n```\"",
    ] {
        let (workspace, code, out) = run(&format!(r#"{{"key": "*judgment*", "reply": {nonsense}}}"#));
        assert_eq!(code, 9, "{nonsense}");
        assert!(out.contains("No verdict") && out.contains("judge"), "{out}");
        let shown = workspace.json(&["show", "d1"]);
        assert_eq!(shown["outcome"]["winner"], serde_json::Value::Null);
        // Two redrafts and no more: two sides, three tries of the judge in each order.
        assert_eq!(shown["used"]["requests"], 8);
        let readme = workspace.read("d/README.md").to_lowercase();
        assert!(!readme.contains("proposition wins") && readme.contains("no verdict"), "{readme}");
    }
}

#[test]
fn without_a_side_a_debate_has_no_verdict_and_says_which() {
    let (workspace, code, out) = run(r#"{"key": "*opposition*", "fail": "refused"}"#);
    assert_eq!(code, 9);
    assert!(out.contains("the opposition"), "{out}");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn a_lost_side_gets_another_try_when_the_debate_is_extended() {
    let (workspace, code, _) = run(r#"{"key": "exchange-000/opposition*", "reply": "no"}"#);
    assert_eq!(code, 9);
    workspace.write("script.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let ran = workspace.agon(&["extend", "d1", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], serde_json::json!([]));
}

#[test]
fn without_its_reporter_a_debate_still_stands() {
    let (workspace, code, out) = run(r#"{"key": "report-*", "fail": "filtered"}"#);
    assert_eq!(code, 0);
    assert!(out.contains("reporter did not answer"), "{out}");
    let readme = workspace.read("d/README.md");
    assert!(readme.contains("reporter"), "{readme}");
}

#[test]
fn a_report_in_circles_goes_back_once_and_then_stands_with_a_warning() {
    let circles = "The first side provides an argument that it matters, and the second side does not. ".repeat(6);
    let point = json!({"heading": "A point at issue", "text": "It was made, and the other side met it with another."});
    let report = json!({"title": "A debate", "question": "What?", "clash": circles, "turning_points": [point, point],
        "verdict": "So it came out.", "answer": {"do": "Neither side is ahead.", "unless": ""}, "ahead": "even"});
    let (workspace, code, _) = run(&json!({"key": "report-*", "reply": report}).to_string());
    assert_eq!(code, 0);
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("/redraft-1\"") && !record.contains("/redraft-2"), "{record}");
    assert!(workspace.read("d/README.md").contains("provides an argument that it matters"), "it stands");
    let transcript = workspace.read("d/transcript.md");
    assert!(transcript.contains("clash: it says the same words again and again"), "{transcript}");
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
}

#[test]
fn fenced_json_is_taken_and_prose_around_it_too() {
    let workspace = Workspace::new();
    let judgment = |scores: &str| format!("Here you are:\n```json\n{{\"scores\": [{scores}]}}\n```\nDone.");
    let scores: Vec<String> = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"]
        .iter()
        .zip([0.3, 0.1, -0.1, 0.2, -0.2, -0.3])
        .map(|(id, score)| format!(r#"{{"argument_id": "{id}", "score": {score}, "reasoning": "It is so."}}"#))
        .collect();
    let script = serde_json::json!({"rules": [
        {"key": "exchange-000/judgment", "reply": judgment(&scores.join(","))},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    let ran = workspace.run_debate(&["--model", "scripted:script.json", "--rounds", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("The proposition is ahead"), "{}", ran.out);
}

#[test]
fn scores_that_miss_zero_are_told_once_and_then_centred() {
    let workspace = Workspace::new();
    let scores: Vec<_> = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"]
        .iter()
        .map(|id| serde_json::json!({"argument_id": id, "score": if id.starts_with('p') {0.8} else {0.2}, "reasoning": "It is so."}))
        .collect();
    let script = serde_json::json!({"rules": [
        {"key": "exchange-000/judgment*", "reply": {"scores": scores}},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    let ran = workspace.run_debate(&["--model", "scripted:script.json", "--rounds", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let figures = &workspace.json(&["show", "d1"])["outcome"]["figures"];
    assert_eq!(figures["proposition"]["total"], 0.9);
    assert_eq!(figures["opposition"]["total"], -0.9);
    let transcript = workspace.read("d/transcript.md");
    assert!(transcript.contains("0.8") && transcript.contains("centred"), "raw scores and shift are shown");
}

#[test]
fn a_budget_stops_before_the_call_that_could_pass_it() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let run = ["run", "exchange", "This house would rest.", "--model", &model, "--id", "d1", "--max-requests", "4"];
    let ran = workspace.agon(&run);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("4 of 4 requests") && ran.err.contains("agon resume d1"), "{}", ran.err);
    assert_eq!(workspace.json(&["show", "d1"])["used"]["requests"], 4);
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 4);
    assert_eq!(workspace.json(&["show", "d1"])["used"]["requests"], 4);
    assert_eq!(workspace.agon(&["extend", "d1", "--max-requests", "100"]).code, 0);
}

#[test]
fn a_provider_that_cannot_go_on_suspends_and_another_takes_its_seat() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write(
        "out.json",
        r#"{"rules": [{"key": "exchange-001/judgment", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#,
    );
    let ran = workspace.run_debate(&["--model", "scripted:out.json", "--output", "json"]);
    assert_eq!(ran.code, 3);
    let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "suspended");
    let error: serde_json::Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    assert!(error["error"]["remedy"].as_str().unwrap().contains("agon resume d1"));
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 3);
    let ran = workspace.agon(&["resume", "d1", "--seat", &format!("judge={model}")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn what_fails_in_passing_is_tried_again_and_then_stops() {
    let workspace = Workspace::new();
    workspace.write("s.json", r#"{"rules": [{"key": "exchange-000/judgment", "fail": "transient", "attempts": 2}, {"key": "*", "sample": true}]}"#);
    let ran = workspace.run_debate(&["--model", "scripted:s.json", "--rounds", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("2 of 5") && ran.err.contains("3 of 5"), "{}", ran.err);
    // Both sides, the judge in both orders with two calls more, the reporter.
    assert_eq!(workspace.json(&["show", "d1"])["used"]["requests"], 7);
}
