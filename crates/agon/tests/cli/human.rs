//! A person at a terminal, by means of `script(1)`, which gives a command one. Where that program is
//! missing these tests have nothing to type at.

use std::{
    io::{Read, Write},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::cli::workspace::Workspace;

const IDS: [&str; 6] = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"];

fn judgment() -> String {
    let scores = IDS.map(|id| {
        let score = if id.starts_with("prop") { 0.5 } else { -0.5 };
        serde_json::json!({"argument_id": id, "score": score, "reasoning": "It is so."})
    });
    serde_json::json!({"scores": scores}).to_string()
}

/// The command at a terminal of its own; `None` where there is no way to make one.
fn at_terminal(workspace: &Workspace, args: &[&str], editor: Option<&str>) -> Option<Child> {
    let has_script = Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_script {
        println!("script(1) is missing: nothing was tested");
        return None;
    }
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("{} {}", env!("CARGO_BIN_EXE_agon"), quoted.join(" "));
    let mut command = workspace.program("script", &["-qec", &line, "/dev/null"]);
    command.env("TERM", "dumb").env("SHELL", "/bin/sh").stdin(Stdio::piped());
    command.envs(editor.map(|editor| ("VISUAL", editor)));
    Some(command.spawn().unwrap())
}

fn ended(mut child: Child) -> (i32, String) {
    let mut shown = String::new();
    child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    (child.wait().unwrap().code().unwrap_or(-1), shown)
}

fn args<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let run = ["run", "exchange", "This house would rest.", "--rounds", "0", "--model", model];
    [&run[..], &["--seat", "judge=human", "--id", "d1", "--out", "d"], more].concat()
}

#[test]
fn a_person_answers_at_the_terminal() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let Some(mut child) = at_terminal(&workspace, &args(&model, &[]), None) else { return };
    let mut keyboard = child.stdin.take().unwrap();
    keyboard.write_all(format!("{}\n\n", judgment()).as_bytes()).unwrap();
    let (code, shown) = ended(child);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("JUDGE (you)") && shown.contains("Judge the new arguments against each other"), "{shown}");
    assert!(!shown.contains("<argument") && !shown.contains("JSON object"), "people are told in plain words: {shown}");
    assert!(!shown.contains('\u{1b}'), "a dumb terminal gets plain text: {shown:?}");
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("\"participant\":\"human\""), "{record}");
    assert!(!workspace.home().join("drafts/d1").exists(), "a debate that is over needs no drafts");
}

#[test]
fn what_was_typed_before_an_interrupt_is_offered_again() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let Some(mut child) = at_terminal(&workspace, &args(&model, &[]), None) else { return };
    let mut keyboard = child.stdin.take().unwrap();
    keyboard.write_all(format!("{}\n", judgment()).as_bytes()).unwrap();
    let draft = workspace.home().join("drafts/d1/exchange-000/judgment.txt");
    let started = Instant::now();
    while !draft.exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "the draft is kept as it is typed");
        sleep(Duration::from_millis(20));
    }
    keyboard.write_all(b"\x03").unwrap();
    let (code, shown) = ended(child);
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("agon resume d1"), "{shown}");

    let mut child = at_terminal(&workspace, &["resume", "d1"], None).unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    keyboard.write_all(b"\n").unwrap();
    let (code, shown) = ended(child);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Your draft:"), "{shown}");
}

#[test]
fn a_form_is_asked_field_by_field_and_what_cannot_stand_is_asked_again() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let Some(mut child) = at_terminal(&workspace, &args(&model, &[]), None) else { return };
    let mut keyboard = child.stdin.take().unwrap();
    // The clash, then a reason and a grade for each of six arguments; the first grade is none at first.
    let mut typed = String::from("One says \"nobody rests on any day\".\nIt holds.\nvery good\n7.5\n");
    for grade in ["6", "5", "4", "3", "2"] {
        typed.push_str(&format!("It is so.\n{grade}\n"));
    }
    // No argument says what is quoted, which is said before anything is sent; then all is kept but the clash.
    typed.push('\n');
    typed.push_str("They meet on rest.\n");
    typed.push_str(&"\n".repeat(13));
    keyboard.write_all(typed.as_bytes()).unwrap();
    let (code, shown) = ended(child);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("a_000a") && shown.contains("a number is wanted"), "{shown}");
    assert!(shown.contains("This breaks rules"), "{shown}");
    let record = workspace.read("d/record.jsonl");
    assert!(!record.contains("redraft-1"), "nothing was recorded that could not stand");
    assert!(record.contains("They meet on rest."), "{record}");
}

#[test]
fn the_editor_is_opened_when_it_is_wanted() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("answer.json", judgment());
    let editor = workspace.write("edit.sh", "cp \"$1\" skeleton.json; cp answer.json \"$1\"\n");
    let editor = format!("sh {}", editor.display());
    let Some(mut child) = at_terminal(&workspace, &args(&model, &[]), Some(&editor)) else { return };
    child.stdin.take().unwrap().write_all(b"/e\n").unwrap();
    let (code, shown) = ended(child);
    assert_eq!(code, 0, "{shown}");
    let skeleton: serde_json::Value = serde_json::from_str(&workspace.read("skeleton.json")).unwrap();
    assert_eq!(skeleton["grades"].as_array().unwrap().len(), 6);
    assert_eq!(skeleton["grades"][0]["reasoning"], "");
}

#[test]
fn a_person_is_not_asked_where_standard_output_is_for_a_program() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let Some(child) = at_terminal(&workspace, &args(&model, &["--output", "json"]), None) else { return };
    let (code, shown) = ended(child);
    assert_eq!(code, 2, "{shown}");
}
