//! The same server over a journal in a database: readiness, retention and deletion.

use std::time::Duration;

use serde_json::json;

use crate::operate::{database::Database, served::Served, workspace::Workspace};

#[test]
fn a_database_that_cannot_be_used_is_not_ready() {
    let Some(workspace) = Workspace::in_database("ready") else { return };
    let served = Served::new(&workspace, &[]);
    let ready = || {
        // A result is given again for a second.
        std::thread::sleep(Duration::from_millis(1_100));
        served.send("GET", "/readyz", "")
    };
    assert_eq!(ready().0, 200);
    let other = Database::from_address(workspace.journal.as_ref().unwrap());
    // Another program holds what every transaction writes.
    other.run("BEGIN; LOCK TABLE writers IN EXCLUSIVE MODE");
    let (status, said) = ready();
    assert!(
        status == 503
            && said.contains("\"journal_write\":\"no answer in time\"")
            && said.contains("\"journal_read\":\"ok\""),
        "{said}"
    );
    other.run("COMMIT");
    assert_eq!(ready().0, 200);
    other.run("BEGIN; LOCK TABLE debates IN ACCESS EXCLUSIVE MODE");
    let (status, said) = ready();
    assert!(status == 503 && said.contains("\"journal_read\":\"no answer in time\""), "{said}");
    assert_eq!(served.send("GET", "/healthz", "").0, 200);
    other.run("COMMIT");
    other.run("UPDATE agon_schema SET version = 99");
    let (status, said) = ready();
    assert!(status == 503 && said.contains("another version"), "{said}");
    // Programs that start now say so, and do nothing.
    let ran = workspace.agon(&["list"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    assert!(ran.err.contains("a newer version of agon") && ran.err.contains("99"), "{}", ran.err);
    other.run("UPDATE agon_schema SET version = 0");
    let ran = workspace.agon(&["list"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    assert!(ran.err.contains("the version 0, which no agon has written"), "{}", ran.err);
}

#[test]
fn retention_in_a_database_deletes_what_is_old_and_not_kept() {
    let Some(workspace) = Workspace::in_database("retention") else { return };
    let model = workspace.willing();
    for id in ["old", "kept", "new"] {
        let run = ["run", "exchange", "This house would rest.", "--id", id, "--model", &model, "--rounds", "0"];
        assert_eq!(workspace.agon(&run).code, 0);
    }
    let config = workspace.work().join("../config/agon/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "[retention]\nkeep_days = 30\nkeep = [\"keep\"]\n").unwrap();
    assert_eq!(workspace.json(&["label", "kept", "--add", "keep"])["labels"], json!(["keep"]));
    let database = Database::from_address(workspace.journal.as_ref().unwrap());
    database.run("UPDATE debates SET last_at = '2020-01-01T00:00:00.000Z' WHERE id <> 'new'");
    let plan = workspace.json(&["retention", "--plan"]);
    assert_eq!((plan["debates"].as_array().unwrap().len(), &plan["debates"][0]["id"]), (1, &json!("old")));
    let done = workspace.json(&["retention", "--yes"]);
    assert_eq!(done["deleted"][0]["deleted"]["debate"], "old");
    assert_eq!(workspace.json(&["check", "old"])["sound"], true);
    assert_eq!(database.number("SELECT count(*) FROM entries WHERE debate = 'old'"), 0);
    assert_eq!(database.number("SELECT count(*) FROM debates"), 2);
    assert!(workspace.agon(&["show", "old"]).err.contains("by retention"));
}

#[test]
fn a_debate_that_another_process_drives_is_not_deleted() {
    let Some(workspace) = Workspace::in_database("deletes") else { return };
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let served = Served::new(&workspace, &[]);
    let opening = json!({"protocol": "exchange", "motion": "x", "model": "scripted:slow.json", "id": "d1"});
    assert_eq!(served.start(opening).0, 201);
    let ran = workspace.agon(&["delete", "d1", "--reason", "x"]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains(&format!("process {}", served.child.id())), "{}", ran.err);
}
