//! A batch as a stream: lines as they come, faults, files, progress, summary, memory.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

fn line(workspace: &Workspace, more: Value) -> String {
    let mut line = json!({"protocol": "exchange", "motion": "This house would rest.", "rounds": 0,
        "model": workspace.willing()});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string()
}

fn values(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_of_standard_input_is_held_before_the_next_one_comes() {
    let workspace = Workspace::new();
    let mut child = workspace.command(&["batch", "-", "--output", "json"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut give = child.stdin.take().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&told.next().unwrap().unwrap()).unwrap() };
    for (given, code) in [
        (line(&workspace, json!({"id": "a"})), 0),
        ("{".to_owned(), 2),
        (line(&workspace, json!({"id": "a"})), 2),
        (line(&workspace, json!({"protocol": "exchagne"})), 8),
        (line(&workspace, json!({})), 0),
        (line(&workspace, json!({})), 0),
    ] {
        // Without the end of the input: what a line says is told at once.
        writeln!(give, "{given}").unwrap();
        give.flush().unwrap();
        assert_eq!(next()["code"], code, "{given}");
    }
    drop(give);
    let last = next();
    assert_eq!((&last["debates"], &last["closed_well"], &last["new"]), (&json!(6), &json!(3), &json!(3)), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(workspace.json(&["list"]).as_array().unwrap().len(), 3, "equal lines are two debates");
}

#[test]
fn an_empty_stream_and_a_missing_file_say_so() {
    let workspace = Workspace::new();
    let ran = workspace.agon(&["batch", "-"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("standard input contains no debates"), "{}", ran.err);
    workspace.write("empty.jsonl", "\n\n");
    assert!(workspace.agon(&["batch", "empty.jsonl"]).err.contains("empty.jsonl contains no debates"));
    let ran = workspace.agon(&["batch", "."]);
    assert!(ran.code == 7 && ran.err.contains("- for standard input"), "{}", ran.err);
}

#[test]
fn what_is_wrong_in_a_file_is_told_before_anybody_is_asked() {
    let workspace = Workspace::new();
    let long = format!("{{\"motion\": \"{}\"}}", "x".repeat(1 << 20));
    let mut lines: Vec<Vec<u8>> = vec![
        line(&workspace, json!({"id": "a"})).into(),
        long.into(),
        b"\xff\xfe".to_vec(),
        line(&workspace, json!({"model": "nobody:x"})).into(),
        line(&workspace, json!({"rounds": 999})).into(),
        line(&workspace, json!({"id": "b"})).into(),
        line(&workspace, json!({"id": "a"})).into(),
    ];
    lines.push(Vec::new());
    workspace.write("all.jsonl", lines.join(&b'\n'));
    let ran = workspace.agon(&["batch", "all.jsonl", "--output", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let told = values(&ran.out);
    let order: Vec<u64> = told.iter().filter_map(|line| line["line"].as_u64()).collect();
    assert_eq!(order, [2, 3, 4, 5, 7, 1, 6], "faults come first, and cost no other line");
    let message = |at: usize| told[at]["error"]["message"].as_str().unwrap();
    assert!(message(0).contains("longer than 1 MiB") && message(1).contains("not UTF-8"), "{}", ran.out);
    let codes: Vec<u64> = told.iter().filter_map(|line| line["code"].as_u64()).collect();
    assert_eq!(codes[5..], [0, 0]);
}

#[test]
fn the_summary_names_what_failed_by_kind() {
    let workspace = Workspace::new();
    workspace.write("silent.json", r#"{"rules": [{"key": "*", "fail": "refused"}]}"#);
    workspace.write("poor.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let mut lines: Vec<String> =
        (0..7).map(|n| line(&workspace, json!({"id": format!("s{n}"), "model": "scripted:silent.json"}))).collect();
    lines.push(line(&workspace, json!({"id": "p", "max_requests": 1})));
    lines.push("[]".into());
    lines.push(line(&workspace, json!({"id": "w"})));
    workspace.write("all.jsonl", lines.join("\n"));
    let ran = workspace.agon(&["batch", "all.jsonl", "--output", "json"]);
    assert_eq!(ran.code, 3);
    let last = values(&ran.out).pop().unwrap();
    let failures = last["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 3, "{last}");
    assert_eq!((&failures[0]["count"], &failures[0]["code"]), (&json!(7), &json!(9)));
    assert_eq!(failures[0]["ids"], json!(["s0", "s1", "s2", "s3", "s4"]));
    assert!(failures[0]["remedy"].as_str().unwrap().contains("agon extend s0"));
    let of = |kind: &str| failures.iter().find(|of| of["kind"] == kind).unwrap();
    assert_eq!((&of("budget")["ids"], &of("usage")["lines"]), (&json!(["p"]), &json!([9])));
    assert!(of("budget")["remedy"].as_str().unwrap().ends_with("then run the batch again"), "{last}");
    let text = workspace.agon(&["batch", "all.jsonl"]).out;
    assert!(text.contains("failed: 7 × ") && text.contains("s4 (line 5) and 2 more"), "{text}");
}

#[test]
fn only_the_files_that_are_wanted_are_written() {
    let workspace = Workspace::new();
    workspace.write("doc.md", "# Plan\n\nRest.\n");
    let lines = [
        line(&workspace, json!({"id": "x", "baseline": true})),
        json!({"protocol": "duel", "motion": "doc.md", "id": "y", "model": workspace.willing()}).to_string(),
    ];
    workspace.write("all.jsonl", lines.join("\n"));
    let held = |files: &[&str]| {
        let ran = workspace.agon(&[&["batch", "all.jsonl", "--output", "json"], files].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let told = values(&ran.out);
        let directory = told[0]["directory"].as_str().map(str::to_owned);
        let bytes: usize = match workspace.work().join("debates").is_dir() {
            true => workspace.files("debates").iter().map(|(_, text)| text.len()).sum(),
            false => 0,
        };
        (directory, bytes)
    };
    let names = || -> Vec<String> {
        let folder = workspace.work().join("debates");
        if !folder.is_dir() {
            return Vec::new();
        }
        workspace.files("debates").into_iter().map(|(name, _)| name).collect()
    };
    let (directory, none) = held(&["--files", "none"]);
    assert_eq!(directory, None);
    // What others rely on while a duel runs is written all the same.
    assert!(names().iter().all(|name| name.contains("debates/")), "{:?}", names());
    // The journal has everything, and can be exported.
    let ran = workspace.agon(&["export", "x", "--format", "all", "--out", "later"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let exported = workspace.files("later").len();
    assert!(exported > 10, "{exported}");
    assert_eq!(workspace.json(&["check", "x"])["sound"], true);
    // Run again with others, the same debates leave what is wanted now.
    let (directory, report) = held(&["--files", "report"]);
    assert!(directory.is_some());
    let reports: Vec<String> = names().into_iter().filter(|name| !name.contains("debates/")).collect();
    assert!(
        reports.iter().all(|name| ["report.html", "report.md", "memo.md"].iter().any(|file| name.ends_with(file))),
        "{reports:?}"
    );
    let (_, all) = held(&[]);
    assert!(none < report && report < all, "{none} {report} {all}");
    println!("bytes of two debates: none {none}, report {report}, all {all}");
    let wrong = workspace.agon(&["batch", "all.jsonl", "--files", "html"]);
    assert!(wrong.code == 2 && wrong.err.contains("none, report or all"), "{}", wrong.err);
}

#[test]
fn progress_is_told_where_it_is_wanted() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 100}]}"#);
    let lines: Vec<String> =
        (0..3).map(|n| line(&workspace, json!({"id": format!("d{n}"), "model": "scripted:slow.json"}))).collect();
    workspace.write("all.jsonl", lines.join("\n"));
    let ran = workspace.agon(&["batch", "all.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "nothing where nobody looks");
    let ran = workspace.agon(&["batch", "all.jsonl", "--progress"]);
    assert!(ran.err.starts_with("0/3 done, 0 running\n"), "{}", ran.err);
    assert_eq!(workspace.agon(&["batch", "all.jsonl", "--progress", "--quiet"]).err, "");
    let mut child = workspace.command(&["batch", "-", "--progress"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(told.next().unwrap().unwrap(), "0/? done, 0 running");
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn an_interrupted_batch_says_how_much_is_left_and_goes_on() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 300}]}"#);
    let lines: Vec<String> =
        (0..6).map(|n| line(&workspace, json!({"id": format!("d{n}"), "model": "scripted:slow.json"}))).collect();
    workspace.write("all.jsonl", lines.join("\n"));
    let child = workspace.command(&["batch", "all.jsonl", "--output", "json", "--concurrency", "2"]).spawn().unwrap();
    while workspace.agon(&["list", "--output", "json"]).out.matches("\"id\"").count() < 2 {
        sleep(Duration::from_millis(50));
    }
    let stop = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stop.success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let told = values(&String::from_utf8(ended.stdout).unwrap());
    let last = told.last().unwrap();
    let begun = last["debates"].as_u64().unwrap();
    assert_eq!(last["not_started"].as_u64(), Some(6 - begun), "{last}");
    let quick = json!({"rules": [{"key": "*", "sample": true}]});
    workspace.write("slow.json", quick.to_string());
    assert_eq!(workspace.agon(&["batch", "all.jsonl", "--concurrency", "2"]).code, 0);
    assert_eq!(workspace.json(&["list"]).as_array().unwrap().len(), 6);
}

/// Highest memory of a batch of `count` lines, in kB.
#[cfg(target_os = "linux")]
fn memory(workspace: &Workspace, count: usize, fault: bool) -> (u64, Duration) {
    let began = std::time::Instant::now();
    let mut child = workspace
        .command(&["batch", "-", "--output", "json", "--files", "none"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut give = child.stdin.take().unwrap();
    let model = workspace.willing();
    let padding = "x".repeat(400);
    let writer = std::thread::spawn(move || {
        for n in 0..count {
            let protocol = if fault { "nobody" } else { "exchange" };
            let line = json!({"protocol": protocol, "motion": format!("This house would rest {n}. {padding}"),
                "model": model, "rounds": 0});
            writeln!(give, "{line}").unwrap();
        }
    });
    let status = format!("/proc/{}/status", child.id());
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut highest, mut lines) = (0, 0);
    while let Some(Ok(_)) = told.next() {
        lines += 1;
        if lines % (count / 20).max(1) == 0 {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
            highest = highest.max(peak.unwrap_or(0));
        }
    }
    writer.join().unwrap();
    child.wait().unwrap();
    assert_eq!(lines, count + 1);
    (highest, began.elapsed())
}

/// `AGON_TEST_LINES` is the number of lines, for a longer test.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_lines() {
    let most = std::env::var("AGON_TEST_LINES").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000);
    let workspace = Workspace::new();
    let (few, took_few) = memory(&workspace, most / 10, true);
    let (many, took_many) = memory(&workspace, most, true);
    println!("{} lines: {few} kB, {took_few:?}; {most} lines: {many} kB, {took_many:?}", most / 10);
    // What a line leaves is its digest: 50 bytes, 100 while the table grows.
    let allowed = few + 6_000 + most as u64 / 10;
    assert!(many < allowed, "{few} kB with {} lines, {many} kB with {most}", most / 10);
}
