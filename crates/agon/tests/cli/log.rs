//! `AGON_LOG`: a run can be asked what it does, and says nothing of what is said in it.

use crate::cli::workspace::{Ran, Workspace};

/// Words that only the participant says.
const SAID: &str = "PELICAN";

fn run(log: Option<&str>) -> (Workspace, Ran) {
    let workspace = Workspace::new();
    let script = format!(
        r#"{{"rules": [
            {{"key": "exchange-000/proposition", "attempts": 1, "fail": "transient"}},
            {{"key": "exchange-000/opposition", "reply": "{SAID} is no JSON"}},
            {{"key": "*", "sample": true}}
        ]}}"#
    );
    workspace.write("script.json", script);
    let args = ["run", "exchange", "This house would rest.", "--id", "d1", "--out", "d", "--quiet"];
    let mut command = workspace.command(&[&args[..], &["--model", "scripted:script.json"]].concat());
    if let Some(log) = log {
        command.env("AGON_LOG", log);
    }
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (workspace, Ran { code, out: text(output.stdout), err: text(output.stderr) })
}

#[test]
fn a_log_shows_the_steps_of_a_debate_and_none_of_its_words() {
    let (workspace, ran) = run(Some("debug"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    for told in [
        "debate=d1",
        "lock taken",
        " step ",
        " append ",
        " commit ",
        "call begins key=exchange-000/proposition",
        "call ends key=exchange-000/proposition",
        "failure=\"transient\"",
        "pause before another attempt key=exchange-000/proposition reason=\"transient\"",
        "exchange-000/opposition/redraft-1",
        "the debate is closed",
    ] {
        assert!(ran.err.contains(told), "{told:?} is missing in {}", ran.err);
    }
    assert!(workspace.read("d/record.jsonl").contains(SAID), "it was said");
    for hidden in [SAID, "This house would rest", "You argue", "\u{1b}["] {
        assert!(!ran.err.contains(hidden), "{hidden:?} stands in {}", ran.err);
    }
    assert!(ran.err.lines().filter(|line| line.contains("DEBUG")).all(|line| line.contains(" agon_")));
}

#[test]
fn without_the_variable_nothing_is_logged() {
    for log in [None, Some("")] {
        let (_, ran) = run(log);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.err.contains("DEBUG") && !ran.err.contains("INFO"), "{}", ran.err);
    }
}

#[test]
fn a_filter_that_cannot_be_read_is_refused_before_anything_is_done() {
    let (workspace, ran) = run(Some("agon=[=loud"));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("AGON_LOG") && ran.err.contains("AGON_LOG=debug"), "{}", ran.err);
    assert!(!workspace.home().join("journal.db").exists());
}
