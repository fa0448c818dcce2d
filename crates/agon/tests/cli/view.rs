//! The full-screen view of a running debate, at a terminal that `script(1)` makes. Where that program is
//! missing there is nothing to look at.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
};

use crate::cli::workspace::Workspace;

/// What begins and ends a full-screen view.
const TAKES: &str = "\u{1b}[?1049h";
const GIVES_BACK: &str = "\u{1b}[?1049l";

/// A debate whose answers take a while, at a terminal of 80 columns where `typed` is typed; gives the exit code
/// and what was shown. `None` where there is no way to make a terminal.
fn at_terminal(workspace: &Workspace, typed: &str, env: (&str, &str), more: &str) -> Option<(i32, String)> {
    if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("script(1) is missing: nothing was tested");
        return None;
    }
    if !workspace.work().join("slow.json").exists() {
        workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 300}]}"#);
    }
    let agon = env!("CARGO_BIN_EXE_agon");
    let run = "run exchange 'This house would rest.' --rounds 0 --model scripted:slow.json --id d1 --out d";
    let line = format!("stty cols 80 rows 24; {agon} {run} {more}");
    let mut command = workspace.program("script", &["-qec", &line, "/dev/null"]);
    command.env("TERM", "xterm").env("SHELL", "/bin/sh").env(env.0, env.1).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    keyboard.write_all(typed.as_bytes()).unwrap();
    let mut shown = String::new();
    child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    drop(keyboard);
    Some((child.wait().unwrap().code().unwrap_or(-1), shown))
}

#[test]
fn a_debate_that_is_left_in_its_view_says_how_it_is_resumed() {
    let workspace = Workspace::new();
    let Some((code, shown)) = at_terminal(&workspace, "q", ("LANG", "C"), "") else { return };
    assert_eq!(code, 130, "{shown}");
    let (_, after) = shown.rsplit_once(GIVES_BACK).expect("the terminal is given back");
    assert!(shown.contains(TAKES) && after.contains("agon resume d1"), "{shown}");
    assert!(!shown.contains(['─', '▌', '·']), "a terminal that is not of Unicode gets plain signs: {shown}");
    let ran = workspace.agon(&["resume", "d1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_debate_that_ends_in_its_view_leaves_its_outcome_on_the_screen() {
    let workspace = Workspace::new();
    // Without colours the view is the same.
    let Some((code, shown)) = at_terminal(&workspace, "", ("NO_COLOR", "1"), "") else { return };
    assert_eq!(code, 0, "{shown}");
    let (view, after) = shown.rsplit_once(GIVES_BACK).expect("the terminal is given back");
    assert!(view.contains("5 calls") || view.contains("of at most"), "{view}");
    let told = workspace.json(&["show", "d1"])["outcome"]["summary"].as_str().unwrap().to_owned();
    let after = after.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(after.matches(&told).count(), 1, "{after}");
    assert!(!view.contains("\u{1b}[32m") && !view.contains("\u{1b}[38"), "no colours: {view:?}");
}

#[test]
fn nothing_is_printed_into_a_statement_that_is_being_written() {
    let workspace = Workspace::new();
    let said = "I would rather not say anything at all about it.";
    let first = serde_json::json!({"key": "exchange-000/opposition", "reply": said, "delay_ms": 300});
    let all = serde_json::json!({"key": "*", "sample": true, "delay_ms": 300});
    workspace.write("slow.json", serde_json::json!({"rules": [first, all]}).to_string());
    let Some((code, shown)) = at_terminal(&workspace, "", ("LANG", "C.UTF-8"), "--plain") else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains(said), "{shown}");
    assert_eq!(shown.matches("OPPOSITION").count(), 2, "what waited is printed afterwards: {shown}");
    assert!(shown.contains("PROPOSITION") && shown.contains("Current Scores"), "{shown}");
    assert!(!shown.contains("**Current Scores**"), "a terminal shows no marks of Markdown: {shown}");
}

#[test]
fn a_terminal_without_unicode_gets_no_other_signs_in_plain_lines() {
    let workspace = Workspace::new();
    let Some((code, shown)) = at_terminal(&workspace, "", ("LC_ALL", "C"), "--plain") else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(shown.is_ascii(), "{:?}", shown.chars().filter(|c| !c.is_ascii()).collect::<String>());
}

#[test]
fn lines_are_printed_where_a_view_is_not_wanted() {
    for (env, more) in [(("LANG", "C.UTF-8"), "--plain"), (("CI", "true"), ""), (("LANG", "C.UTF-8"), "--quiet")] {
        let workspace = Workspace::new();
        let Some((code, shown)) = at_terminal(&workspace, "", env, more) else { return };
        assert_eq!(code, 0, "{shown}");
        assert!(!shown.contains(TAKES), "{env:?} {more}: {shown}");
    }
}
