//! A backup that is written while debates run can be restored, and its debates list, check and resume.

use std::{process::Stdio, time::Duration};

use serde_json::{Value, json};

use crate::operate::workspace::Workspace;

/// Debates of the batch that runs during the backups.
const DEBATES: usize = 40;

fn at_home(workspace: &Workspace, home: &std::path::Path, args: &[&str]) -> (i32, String, String) {
    let output = workspace.command(args).env("AGON_HOME", home).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn ids(list: &str) -> Vec<String> {
    let listed: Vec<Value> = serde_json::from_str(list).unwrap();
    let debates = listed.iter().filter(|line| line["kind"] == "debate");
    debates.map(|line| line["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn backups_under_load_are_restored_and_every_debate_checks() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 60}]}"#);
    workspace.write("note.md", "A rule of the house, in words that the debate can quote.\n");
    let lines = (0..DEBATES).map(|n| {
        let motion = format!("This house would rest on day {n}.");
        json!({"protocol": "exchange", "motion": motion, "id": format!("b{n}"), "model": "scripted:slow.json", "rounds": 2,
            "context": ["note.md"]})
    });
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    workspace.write("batch.jsonl", lines.join("\n"));
    let mut batch = workspace
        .command(&["batch", "batch.jsonl", "--concurrency", "6", "--files", "none"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while workspace.agon(&["list"]).out.lines().count() < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (mut backups, mut checked, mut open) = (0, 0, 0);
    let mut resumable = None;
    while batch.try_wait().unwrap().is_none() && backups < 4 {
        let name = format!("backup-{backups}.zip");
        let written = workspace.json(&["backup", &name]);
        backups += 1;
        let home = workspace.work().join(format!("home-{backups}"));
        let (code, _, err) = at_home(&workspace, &home, &["restore", &name, "--home", home.to_str().unwrap()]);
        assert_eq!(code, 0, "{err}");
        let (_, list, _) = at_home(&workspace, &home, &["list", "--output", "json", "--limit", "1000"]);
        let ids = ids(&list);
        assert_eq!(written["debates"], ids.len());
        for id in &ids {
            let (code, out, err) = at_home(&workspace, &home, &["check", id, "--output", "json"]);
            assert_eq!(
                (code, out.contains("\"sound\":true") || out.contains("\"sound\": true")),
                (0, true),
                "{id}: {out} {err}"
            );
            checked += 1;
            if at_home(&workspace, &home, &["show", id]).1.contains("agon resume") {
                open += 1;
                resumable = Some((home.clone(), id.clone()));
            }
        }
    }
    let _ = batch.kill();
    let _ = batch.wait();
    let (home, id) = resumable.expect("a backup that was written under load holds a debate that is not closed");
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let (code, _, err) = at_home(&workspace, &home, &["resume", &id]);
    assert_eq!(code, 0, "{err}");
    println!("{backups} backups under load, {checked} debates restored and checked, {open} of them open, 1 resumed");
    assert!(backups >= 2 && checked >= backups);
}

#[test]
fn a_backup_is_not_restored_over_debates_and_not_if_it_was_changed() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    let written = workspace.json(&["backup", "b.zip"]);
    assert_eq!((&written["debates"], workspace.agon(&["backup", "b.zip"]).code), (&json!(1), 5));
    assert_eq!(workspace.agon(&["backup", "b.zip", "--force"]).code, 0);
    let over = workspace.agon(&["restore", "b.zip"]);
    assert_eq!(over.code, 5, "{}", over.err);
    assert!(over.err.contains("has debates"), "{}", over.err);
    // Every tenth byte once: whatever is changed, nothing wrong is restored.
    let sound = std::fs::read(workspace.work().join("b.zip")).unwrap();
    let place = |n: usize| workspace.work().join(format!("h{n}"));
    let (mut refused, mut same) = (0, 0);
    for (n, at) in (0..sound.len()).step_by((sound.len() / 40).max(1)).enumerate() {
        let mut changed = sound.clone();
        changed[at] ^= 0x10;
        workspace.write("changed.zip", &changed);
        let home = place(n);
        let (code, _, err) = at_home(&workspace, &home, &["restore", "changed.zip", "--home", home.to_str().unwrap()]);
        match code {
            // Names and times of the archive itself hold nothing of the debates.
            0 => {
                assert_eq!(at_home(&workspace, &home, &["check", "d1"]).0, 0);
                same += 1;
            }
            6 => {
                assert!(!home.join("journal.db").exists(), "{err}");
                refused += 1;
            }
            other => panic!("byte {at}: {other}: {err}"),
        }
    }
    println!("{refused} changed backups refused, {same} without consequence");
    assert!(refused > 30, "{refused}");
    let cut = &sound[..sound.len() / 2];
    workspace.write("cut.zip", cut);
    assert_eq!(at_home(&workspace, &place(99), &["restore", "cut.zip", "--home", place(99).to_str().unwrap()]).0, 6);
    // A home that was used without debates is taken.
    let home = place(100);
    assert_eq!(at_home(&workspace, &home, &["list"]).0, 0);
    assert_eq!(at_home(&workspace, &home, &["restore", "b.zip", "--home", home.to_str().unwrap()]).0, 0);
    assert_eq!(at_home(&workspace, &home, &["check", "d1"]).0, 0);
    assert!(!home.join("serve-token").exists());
}
