//! A debate one of whose seats is answered from another terminal.

use std::{
    process::Child,
    thread::sleep,
    time::{Duration, Instant},
};

use agon_core::{form::FormField, sample};
use serde_json::Value;

use crate::outside::workspace::Workspace;

/// Starts a debate whose judge sits outside.
pub fn open(workspace: &Workspace) -> Child {
    let model = workspace.willing();
    let args = [
        "run",
        "exchange",
        "This house would rest.",
        "--rounds",
        "0",
        "--model",
        &model,
        "--seat",
        "judge=outside",
        "--id",
        "d1",
        "--out",
        "d",
        "--output",
        "json",
    ];
    workspace.command(&args).spawn().unwrap()
}

/// Waits until the judge is asked.
pub fn asked(workspace: &Workspace) -> Value {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < Duration::from_secs(30), "the judge was never asked");
        let ran = workspace.agon(&["seats", "d1", "--seat", "judge", "--output", "json"]);
        if ran.code == 0 {
            return serde_json::from_str(&ran.out).unwrap();
        }
        sleep(Duration::from_millis(50));
    }
}

pub fn statement(asked: &Value) -> String {
    sample::sample_answer(Some(&FormField::from_schema(&asked["schema"])), 7)
}

#[test]
fn a_run_waits_and_an_answer_from_elsewhere_moves_it_on() {
    let workspace = Workspace::new();
    let run = open(&workspace);
    let prompt = asked(&workspace);
    assert_eq!(prompt["messages"][0]["role"], "system");
    let watch = workspace.command(&["watch", "d1", "--output", "json"]).spawn().unwrap();
    let waiting = workspace.json(&["seats"]);
    assert_eq!((&waiting[0]["debate"], &waiting[0]["seats"][0]["seat"]), (&"d1".into(), &"judge".into()));
    assert_eq!(waiting[0]["seats"][0]["outside"], true);
    let text = workspace.agon(&["seats", "d1"]).out;
    assert!(text.contains("judge is free") && text.contains("agon answer d1 --seat judge"), "{text}");
    let told = workspace.agon(&["seats", "d1", "--seat", "judge"]).out;
    assert!(told.contains("Judge the new arguments") && told.contains("Grade: from 0 to 10"), "{told}");
    assert!(!told.contains("<argument") && !told.contains("exchange-000"), "{told}");
    let prose = workspace.agon(&["seats", "d1", "--seat", "judge", "-v"]).out;
    assert!(prose.contains("This house would rest.") && prose.contains("fits this schema"), "{prose}");
    assert_eq!(prompt["schema"]["properties"]["grades"]["items"]["properties"]["grade"]["title"], "Grade");
    let unfit = workspace.agon(&["answer", "d1", "--seat", "judge", "--text", "The proposition was better."]);
    assert_eq!(unfit.code, 2, "{}", unfit.err);
    assert!(unfit.err.contains("Grades") && unfit.err.contains("one line per field"), "{}", unfit.err);
    assert!(unfit.err.contains("line 1, “The proposition was better.”, names no field"), "{}", unfit.err);
    assert_eq!(asked(&workspace)["key"], prompt["key"], "nothing was recorded");

    workspace.write("verdict.json", statement(&prompt));
    let answer = ["answer", "d1", "--seat", "judge", "--name", "Ada", "--file", "verdict.json"];
    let receipt = workspace.json(&answer);
    assert_eq!(receipt["key"], prompt["key"]);
    let ran = run.wait_with_output().unwrap();
    assert!(ran.status.success());
    // Sent again, also after the end, it is the same receipt.
    assert_eq!(workspace.json(&answer), receipt);

    let watched = String::from_utf8(watch.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(watched, String::from_utf8(ran.stdout).unwrap(), "watching shows what running shows");
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("outside:Ada"));
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["seats"]), serde_json::json!([]));
}

#[test]
fn a_template_is_printed_filled_in_and_sent_back() {
    let workspace = Workspace::new();
    let run = open(&workspace);
    let prompt = asked(&workspace);
    let template = workspace.agon(&["seats", "d1", "--seat", "judge", "--template"]);
    assert_eq!(template.code, 0, "{}", template.err);
    let lines: Vec<&str> = template.out.lines().collect();
    assert_eq!(lines[..2], ["Clash: ", "Grades (these lines 6 times):"], "{}", template.out);
    let group = lines[2..].iter().take_while(|line| line.starts_with("  "));
    let labels: Vec<&str> = group.map(|line| line.trim().split([' ', ':']).next().unwrap()).collect();
    let ids = prompt["schema"]["properties"]["grades"]["items"]["properties"]["argument_id"]["enum"].clone();
    let mut filled = "Clash: They meet over what rest costs, and the count of the hours that are lost without it decides.\nGrades (these lines 6 times):\n".to_owned();
    for id in ids.as_array().unwrap() {
        for label in &labels {
            let words = match *label {
                "Argument" => id.as_str().unwrap(),
                "Grade" => "5",
                "Reasoning" => "It carries its claim, with a gap where it speaks of those who never rest.",
                other => panic!("unknown: {other}: {}", template.out),
            };
            filled += &format!("  {label}: {words}\n");
        }
    }
    workspace.write("filled.txt", &filled);
    let ran = workspace.agon(&["answer", "d1", "--seat", "judge", "--name", "Ada", "--file", "filled.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("it broke a rule"), "{}", ran.out);
    assert!(run.wait_with_output().unwrap().status.success());
}

#[test]
fn an_answer_that_breaks_a_rule_is_told_so_at_once() {
    let workspace = Workspace::new();
    let mut run = open(&workspace);
    let mut faulty: Value = serde_json::from_str(&statement(&asked(&workspace))).unwrap();
    faulty["grades"][0]["grade"] = 99.into();
    let answer = |n: &str| {
        workspace.write("faulty.json", faulty.to_string().replace("99", n));
        ["answer", "d1", "--seat", "judge", "--name", "Ada", "--file", "faulty.json"]
    };
    let told = workspace.agon(&answer("99"));
    assert!(
        told.code == 0 && told.out.contains("it broke a rule, and is asked for again: "),
        "{}{}",
        told.out,
        told.err
    );
    let receipt = workspace.json(&answer("98"));
    assert!(receipt["faults"][0].as_str().is_some_and(|fault| !fault.is_empty()), "{receipt}");
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn an_interrupted_run_loses_nothing_and_is_answered_while_nobody_drives() {
    let workspace = Workspace::new();
    let mut run = open(&workspace);
    let prompt = asked(&workspace);
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    workspace.write("verdict.json", statement(&prompt));
    let answer = ["answer", "d1", "--seat", "judge", "--file", "verdict.json"];
    assert_eq!(workspace.agon(&answer).code, 0);
    let ran = workspace.agon(&["resume", "d1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workspace.json(&["show", "d1"])["closed"], true);
}

#[test]
fn refusals_have_the_codes_of_the_desk() {
    let workspace = Workspace::new();
    let mut run = open(&workspace);
    let prompt = asked(&workspace);
    workspace.write("verdict.json", statement(&prompt));
    workspace.write("empty", " \n");
    workspace.write("binary", [0xff, 0xfe, 0x00]);
    workspace.write("flood", "x".repeat(2 * 1024 * 1024));
    let claim = workspace.json(&["seats", "claim", "d1", "--seat", "judge", "--name", "Ada", "--seconds", "60"]);
    let token = claim["token"].as_str().unwrap();
    assert_eq!(claim["holder"], "Ada");
    let refused = |args: &[&str], exit: i32, code: &str| {
        let ran = workspace.agon(&[args, &["--output", "json"]].concat());
        assert_eq!(ran.code, exit, "{args:?}: {}{}", ran.out, ran.err);
        let error: Value = serde_json::from_str(&ran.err).unwrap();
        assert_eq!(error["error"]["code"], code, "{args:?}: {error}");
        assert_eq!(ran.out, "");
    };
    let file = ["--file", "verdict.json"];
    refused(&[&["answer", "d1", "--seat", "judge"], &file[..]].concat(), 5, "held");
    refused(&["seats", "claim", "d1", "--seat", "judge", "--name", "Bob"], 5, "held");
    refused(&[&["answer", "d1", "--seat", "judge", "--token", "nonsense"], &file[..]].concat(), 5, "wrong_token");
    refused(&[&["answer", "d1", "--seat", "proposition"], &file[..]].concat(), 2, "not_outside");
    refused(&[&["answer", "d1", "--seat", "jury"], &file[..]].concat(), 8, "no_such_seat");
    refused(&[&["answer", "d2", "--seat", "judge"], &file[..]].concat(), 8, "no_such_debate");
    refused(&["seats", "d2"], 8, "no_such_debate");
    for unusable in ["empty", "binary", "flood"] {
        refused(&["answer", "d1", "--seat", "judge", "--token", token, "--file", unusable], 2, "unusable");
    }
    refused(&["answer", "d1", "--seat", "judge", "--token", token, "--file", "absent"], 7, "io");
    refused(&["seats", "release", "d1", "--seat", "judge", "--token", "nonsense"], 5, "wrong_token");
    let held = ["seats", "refresh", "d1", "--seat", "judge", "--token", token, "--seconds", "1"];
    workspace.json(&held);
    sleep(Duration::from_millis(1_200));
    let late = [&["answer", "d1", "--seat", "judge", "--token", token], &file[..]].concat();
    refused(&late, 5, "expired");
    let kept = workspace.agon(&late).err;
    assert!(kept.contains("your text is kept at"), "{kept}");

    let answer = [&["answer", "d1", "--seat", "judge"], &file[..]].concat();
    assert_eq!(workspace.agon(&answer).code, 0);
    assert!(run.wait().unwrap().success());
    workspace.write("verdict.json", "another");
    refused(&answer, 5, "closed");
}

#[test]
fn a_quote_that_does_not_stand_in_the_material_is_told_before_it_is_recorded() {
    let workspace = Workspace::new();
    workspace.write("a.rs", "fn total(net: u32) -> u32 {\n    net + 1\n}\n");
    workspace.write("sample.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let run = ["run", "review", "--context", "a.rs", "--model", "scripted:sample.json", "--debaters", "1"];
    let seats = ["--seat", "reviewer-1=outside", "--id", "r1", "--out", "r", "--quiet"];
    let run = workspace.command(&[&run[..], &seats].concat()).spawn().unwrap();
    let started = Instant::now();
    while workspace.agon(&["seats", "r1", "--seat", "reviewer-1"]).code != 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "the reviewer was never asked");
        sleep(Duration::from_millis(50));
    }
    let answer = |place: &str, quote: &str| {
        let words = format!(
            "Place: {place}\nQuote: {quote}\nClaim: One is added to every sum.\nWhy: The caller adds it as well.\n\
             Refuted by: A caller that does not.\nSeverity: high"
        );
        workspace.agon(&["answer", "r1", "--seat", "reviewer-1", "--name", "Ada", "--text", &words])
    };
    for (place, quote, why) in [
        ("a.rs:2", "net + tax(net)", "Findings 1, Quote: The quote does not stand in a.rs."),
        ("b.rs:2", "net + 1", "Findings 1, Quote: "),
    ] {
        let wrong = answer(place, quote);
        assert_eq!(wrong.code, 2, "{}", wrong.out);
        assert!(wrong.err.contains(why), "{}", wrong.err);
    }
    let right = answer("a.rs:2", "net + 1");
    assert_eq!(right.code, 0, "{}", right.err);
    assert!(run.wait_with_output().unwrap().status.success());
    let record = workspace.agon(&["export", "r1", "--format", "record"]).out;
    assert!(record.contains("One is added to every sum.") && !record.contains("tax(net)"), "{record}");
}
