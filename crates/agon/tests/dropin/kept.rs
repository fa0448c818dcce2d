//! What the verbs keep, seen by the commands: duels in lists and reports, rules that an artifact breaks,
//! runs and their events.

use std::fs;

use serde_json::{Value, json};

use crate::dropin::{
    duel::{add_turn, claim, conclude, join, release, text},
    workspace::Workspace,
};

fn emit(workspace: &Workspace, run: &str, words: &[&str]) {
    let line = ["agent-tools", "emit", "--workflow", "socratic-duel", "--harness", "codex", "--run-id", run];
    let ran = workspace.agon(&[&line, words].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// One turn under a lock of `who`, who gives it back.
fn speak(workspace: &Workspace, who: &Value, number: u32, name: &str, stance: &str) {
    let token = text(&claim(workspace, who), "lease_token").to_owned();
    add_turn(text(who, "debate_path"), number, name, stance);
    assert_eq!(release(workspace, who, &token, &[])["released"], json!(true));
}

fn closed_duel(workspace: &Workspace) -> Value {
    let (ada, bob) = (join(workspace, "Ada"), join(workspace, "Bob"));
    speak(workspace, &ada, 1, "Ada", "DISSENTING");
    let token = text(&claim(workspace, &bob), "lease_token").to_owned();
    add_turn(text(&ada, "debate_path"), 2, "Bob", "DISSENTING");
    conclude(text(&ada, "debate_path"), "DISSENT");
    release(workspace, &bob, &token, &["--close", "--outcome", "DISSENT"]);
    ada
}

#[test]
fn rules_that_an_artifact_breaks_are_told_by_check_and_show_and_by_no_verb() {
    let workspace = Workspace::new();
    let (ada, bob) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let id = text(&ada, "duel_id");
    speak(&workspace, &ada, 1, "Ada", "DISSENTING");
    speak(&workspace, &bob, 2, "Bob", "DISSENTING");
    speak(&workspace, &ada, 3, "Ada", "DISSENTING");
    let check = workspace.agon(&["check", id]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
    // The same participant again, and a turn left out, under a lock of its own.
    speak(&workspace, &ada, 5, "Ada", "CONVERGING");
    let check = workspace.agon(&["check", id]);
    assert_eq!((check.code, check.out.as_str()), (6, ""));
    let shown = workspace.agon(&["show", id]).out;
    for rule in ["A1 Turn 5: turn 4 is wanted here", "A3 Turn 5: Ada speaks twice in a row", "Turn 5: D9"] {
        assert!(check.err.contains(rule), "{rule}: {}", check.err);
        assert!(shown.contains(rule), "{rule}: {shown}");
    }
    let state = workspace.json(&["show", id]);
    assert!(state["broken_rules"].as_array().unwrap().len() >= 3 && state["changes"] == json!([]), "{state}");
}

#[test]
fn an_artifact_that_says_another_end_than_the_close_is_told() {
    let workspace = Workspace::new();
    let ada = closed_duel(&workspace);
    let id = text(&ada, "duel_id");
    assert_eq!(workspace.agon(&["check", id]).code, 0, "{}", workspace.agon(&["check", id]).err);
    let again = join(&workspace, "Ada");
    let bob = join(&workspace, "Bob");
    speak(&workspace, &bob, 1, "Bob", "DISSENTING");
    let token = text(&claim(&workspace, &again), "lease_token").to_owned();
    release(&workspace, &again, &token, &["--close", "--outcome", "DISSENT"]);
    let check = workspace.agon(&["check", text(&again, "duel_id")]);
    assert!(check.code == 6 && check.err.contains("closed as DISSENT, and its artifact says PENDING"), "{}", check.err);
}

#[test]
fn a_duel_is_found_by_the_path_of_its_artifact_whatever_stands_there() {
    let workspace = Workspace::new();
    let ada = closed_duel(&workspace);
    let (id, path) = (text(&ada, "duel_id"), text(&ada, "debate_path"));
    let check = workspace.agon(&["check", path]);
    assert!(check.code == 0 && check.out.contains(id), "{}{}", check.out, check.err);
    let original = fs::read_to_string(path).unwrap();
    let copy = workspace.write("copy.md", original.replace("| Duel ID | none |", &format!("| Duel ID | {id} |")));
    let check = workspace.agon(&["check", "copy.md"]);
    assert!(check.code == 6 && !check.err.contains("turn 1"), "its head is another: {}", check.err);
    fs::remove_file(copy).unwrap();
    fs::write(path, original.replacen("Number 1", "Number 9", 1)).unwrap();
    for name in [id, path] {
        let check = workspace.agon(&["check", name]);
        assert!(check.code == 6 && check.err.contains("turn 1 was changed"), "{name}: {}", check.err);
    }
    fs::remove_file(path).unwrap();
    fs::create_dir(path).unwrap();
    for name in [id, path] {
        let check = workspace.agon(&["check", name]);
        assert!(check.code == 6 && check.err.contains("is missing or unreadable"), "{name}: {}", check.err);
    }
    fs::remove_dir(path).unwrap();
    assert_eq!(workspace.agon(&["check", path]).code, 6);
}

#[test]
fn an_artifact_of_no_duel_here_is_checked_by_its_own_rules() {
    let (workspace, other) = (Workspace::new(), Workspace::new());
    let ada = closed_duel(&other);
    let sound = fs::read_to_string(text(&ada, "debate_path")).unwrap();
    workspace.write("source.md", "# Rest\n\nRest is owed.\n");
    workspace.write("a.md", &sound);
    let check = workspace.agon(&["check", "a.md"]);
    assert!(check.code == 0 && check.out.contains("2 turns, DISSENT"), "{}{}", check.out, check.err);
    workspace.write("a.md", sound.replace("## Turn 2", "## Turn 4"));
    let check = workspace.agon(&["check", "a.md"]);
    assert!(check.code == 6 && check.err.contains("A1 Turn 4"), "{}", check.err);
    workspace.write("notes.md", "# Notes\n\nMilk.\n");
    let check = workspace.agon(&["check", "notes.md"]);
    assert!(check.code == 6 && check.err.contains("neither a record nor the artifact of a duel"), "{}", check.err);
    assert!(!workspace.home().join("journal.db").exists(), "looking makes no store");
}

#[test]
fn duels_and_runs_of_the_verbs_are_listed() {
    let workspace = Workspace::new();
    assert!(workspace.agon(&["list"]).out.contains("No debates yet"));
    let ada = join(&workspace, "Ada");
    emit(
        &workspace,
        "run 7",
        &["--type", "status_change", "--step", "preparing", "--data", r#"{"status": "running"}"#],
    );
    let listed = workspace.agon(&["list"]).out;
    assert!(listed.contains(text(&ada, "duel_id")) && listed.contains("Is rest owed?"), "{listed}");
    assert!(listed.contains("run 7") && listed.contains("running") && !listed.contains("No debates"), "{listed}");
    workspace.write("willing.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    workspace.debate(&[]);
    let listed = workspace.json(&["list"]);
    let kinds: Vec<&str> = listed.as_array().unwrap().iter().map(|line| text(line, "kind")).collect();
    assert_eq!(kinds, ["debate", "drop-in duel", "run"]);
    assert_eq!((&listed[1]["status"], &listed[2]["events"]), (&json!("ACTIVE"), &json!(1)));
}

#[test]
fn a_run_is_shown_checked_and_exported_with_its_events() {
    let workspace = Workspace::new();
    let ada = join(&workspace, "Ada");
    let duel = text(&ada, "duel_id");
    let data = json!({"status": "completed", "event": "turn_composing", "duel_id": duel}).to_string();
    emit(
        &workspace,
        "run-7",
        &["--type", "status_change", "--step", "preparing", "--data", r#"{"status": "running"}"#],
    );
    emit(&workspace, "run-7", &["--type", "status_change", "--step", "debating", "--unit", "turn:1", "--data", &data]);
    let shown = workspace.agon(&["show", "run-7"]);
    assert!(shown.code == 0 && shown.out.contains("debating turn:1: completed, turn_composing"), "{}", shown.out);
    assert_eq!(workspace.json(&["check", "run-7"])["sound"], json!(true));
    let exported = workspace.agon(&["export", "run-7", "--format", "events"]);
    let lines: Vec<Value> = exported.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!(
        json!([last["workflow"], last["run_id"], last["type"], last["step"], last["unit"], last["data"]["duel_id"]]),
        json!(["socratic-duel", "run-7", "status_change", "debating", "turn:1", duel])
    );
    // The duel finds the events that name it, and its artifact.
    add_turn(text(&ada, "debate_path"), 1, "Ada", "DISSENTING");
    let of_duel = workspace.agon(&["export", duel, "--format", "events"]);
    assert_eq!(of_duel.out, exported.out);
    let artifact = workspace.agon(&["export", duel, "--format", "duel"]);
    assert_eq!(artifact.out, fs::read_to_string(text(&ada, "debate_path")).unwrap());
    let ran = workspace.agon(&["export", "run-7", "--format", "transcript"]);
    assert!(ran.code == 2 && ran.err.contains("a run has no files of format"), "{}", ran.err);
    assert_eq!(workspace.agon(&["show", "run-8"]).code, 8);
    // What was tampered with is no run that the verbs left.
    let store = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    store.execute("UPDATE runs SET status = 'completed'", []).unwrap();
    let check = workspace.agon(&["check", "run-7"]);
    assert!(check.code == 6 && check.err.contains("its events lead to"), "{}", check.err);
}
