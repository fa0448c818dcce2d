//! A driver that is interrupted, and a second one. What `kill -9` does is in `tests/protocols`.

use std::{thread::sleep, time::Duration};

use crate::cli::workspace::Workspace;

/// Arguments of the run; the id fixes the seed, so that replies are the same.
fn run<'a>(model: &'a str, out: &'a str) -> Vec<&'a str> {
    vec!["run", "exchange", "This house would rest.", "--model", model, "--id", "d1", "--out", out, "--rounds", "3"]
}

#[test]
fn an_interrupt_ends_within_a_second_and_says_how_to_go_on() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let child = workspace.command(&run("scripted:slow.json", "d")).spawn().unwrap();
    // Long enough that the debate is open and both sides are being asked.
    while !workspace.work().join("d").join("debate.md").exists() {
        sleep(Duration::from_millis(20));
    }
    let started = std::time::Instant::now();
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(output.status.code(), Some(130));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("agon resume d1"), "{error}");
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let resumed = workspace.agon(&["resume", "d1"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(resumed.err.contains("its answer is unknown"), "{}", resumed.err);
}

#[test]
fn a_second_driver_is_told_who_drives() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let mut child = workspace.command(&run("scripted:slow.json", "d")).spawn().unwrap();
    while !workspace.work().join("d").join("debate.md").exists() {
        sleep(Duration::from_millis(20));
    }
    let ran = workspace.agon(&["resume", "d1"]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains(&format!("process {}", child.id())), "{}", ran.err);
    child.kill().unwrap();
    child.wait().unwrap();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 0, "the lock dies with its holder");
}
