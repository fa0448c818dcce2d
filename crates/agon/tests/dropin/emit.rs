//! Events of a duel's workflow, as its skill reports them.

use serde_json::{Value, json};

use crate::dropin::workspace::{Ran, Workspace};

fn emit(workspace: &Workspace, words: &[&str]) -> Ran {
    workspace.agon(
        &[&["agent-tools", "emit", "--harness", "codex", "--workflow", "socratic-duel", "--run-id", "r-1"], words]
            .concat(),
    )
}

fn kept(workspace: &Workspace, kind: &str, step: &str, more: &[&str], data: Value) -> Value {
    let data = data.to_string();
    let ran = emit(workspace, &[&["--type", kind, "--step", step, "--data", &data], more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&envelope["success"], &envelope["tool"]), (&json!(true), &json!("emit")));
    envelope["data"].clone()
}

fn refused(workspace: &Workspace, words: &[&str], says: &str) {
    let ran = emit(workspace, words);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{words:?}");
    let envelope: Value = serde_json::from_str(&ran.err).unwrap();
    let message = envelope["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains(says), "{words:?}: {message}");
}

#[test]
fn a_run_goes_through_its_states_to_its_end() {
    let workspace = Workspace::new();
    let first = kept(&workspace, "status_change", "preparing", &[], json!({"status": "running", "target": "/x.md"}));
    assert_eq!(json!([first["runId"], first["type"], first["runStatus"]]), json!(["r-1", "status_change", "running"]));
    assert!(first["eventId"].is_i64() && first.get("skippedSteps").is_none(), "{first}");
    kept(
        &workspace,
        "status_change",
        "preparing",
        &["--unit", "participant:p"],
        json!({"status": "completed", "event": "participant_registered"}),
    );
    let second = kept(&workspace, "status_change", "debating", &[], json!({"status": "running"}));
    assert_eq!(
        json!([second["skippedSteps"], second["completedPredecessors"]]),
        json!([["waiting_for_participant"], ["preparing"]])
    );
    let document =
        kept(&workspace, "artifact_registered", "debating", &[], json!({"path": "debates/x.md", "type": "markdown"}));
    let again =
        kept(&workspace, "artifact_registered", "debating", &[], json!({"path": "debates/x.md", "feature": "f"}));
    assert_eq!(document["docId"].as_str().unwrap(), again["docId"].as_str().unwrap());
    kept(
        &workspace,
        "status_change",
        "debating",
        &["--unit", "turn:1"],
        json!({"status": "running", "event": "turn_composing"}),
    );
    let update = kept(
        &workspace,
        "btw_update",
        "debating",
        &[],
        json!({"message": "Candidate convergence", "metadata": {"turn_number": "2"}}),
    );
    assert_eq!(update["runStatus"], "running");
    kept(&workspace, "status_change", "closing", &[], json!({"status": "running"}));
    let last = kept(
        &workspace,
        "status_change",
        "completed",
        &["--close-run"],
        json!({"status": "completed", "outcome": "DISSENT"}),
    );
    assert_eq!(last["runStatus"], "completed", "what was left running is completed with the run");
    assert!(last["eventId"].as_i64() > first["eventId"].as_i64());
}

#[test]
fn an_invalidated_run_has_failed() {
    let workspace = Workspace::new();
    let last = kept(
        &workspace,
        "status_change",
        "invalidated",
        &["--close-run"],
        json!({"status": "failed", "outcome": "INVALIDATED"}),
    );
    assert_eq!(last["runStatus"], "failed");
    assert_eq!(last["skippedSteps"].as_array().unwrap().len(), 5);
}

#[test]
fn steps_of_agents_within_a_workflow_are_their_own() {
    let workspace = Workspace::new();
    let step = "socratic-duel-participant:debating";
    let line = [
        "agent-tools",
        "emit",
        "--workflow",
        "socratic-duel-run",
        "--type",
        "status_change",
        "--run-id",
        "x",
        "--step",
        step,
        "--unit",
        "turn:1",
        "--data",
        "{\"status\":\"waiting\"}",
    ];
    let ran = workspace.agon(&line);
    assert!(ran.code == 0 && ran.out.contains("\"runStatus\":\"waiting\""), "{}{}", ran.out, ran.err);
    kept(&workspace, "status_change", step, &[], json!({"status": "running"}));
}

#[test]
fn what_breaks_a_rule_is_refused_and_not_kept() {
    let workspace = Workspace::new();
    let status = ["--type", "status_change", "--step", "debating", "--data"];
    for (words, says) in [
        (
            vec!["--type", "nothing"],
            "Invalid event type: 'nothing'. Must be one of: status_change, artifact_registered",
        ),
        (vec!["--type", "status_change", "--data", "{\"status\":\"running\"}"], "--step is required"),
        ([&status[..], &["{}"]].concat(), "require a 'status' field"),
        (
            [&status[..], &["{\"status\":\"done\"}"]].concat(),
            "Invalid status value: 'done'. Must be one of: not_started",
        ),
        ([&status[..], &["[]"]].concat(), "--data must be a JSON object"),
        ([&status[..], &["{\"status\":NaN}"]].concat(), "--data must be valid JSON"),
        (
            vec!["--type", "status_change", "--step", "dancing", "--data", "{\"status\":\"running\"}"],
            "step \"dancing\" is not a valid state",
        ),
        (vec!["--type", "btw_update"], "'message'"),
        (vec!["--type", "artifact_registered", "--data", "{\"path\":1}"], "'path'"),
        (
            vec!["--type", "btw_update", "--data", "{\"message\":\"m\"}", "--project", "here"],
            "Project path must be absolute. Received: here",
        ),
        (vec!["--type", ""], "--type is required"),
        (vec!["--loud"], "unknown option '--loud'"),
    ] {
        refused(&workspace, &words, says);
    }
    let ran = workspace.agon(&["agent-tools", "emit", "--type", "btw_update", "--run-id", "r"]);
    assert!(ran.code == 1 && ran.err.contains("required option '--workflow' not specified"), "{}", ran.err);
    let first = kept(&workspace, "btw_update", "", &[], json!({"message": "m"}));
    assert_eq!((&first["eventId"], &first["runStatus"]), (&json!(1), &json!("not_started")));
}
