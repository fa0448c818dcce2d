//! Material of a debate: what is shown, listed, refused and kept.

use std::process::Command;

use serde_json::Value;

use crate::cli::workspace::{Ran, Workspace};

const MOTION: &str = "This house would merge the change.";

/// A repository with one change of one line.
fn changed() -> Workspace {
    let workspace = Workspace::new();
    workspace.git(&["init", "-q"]);
    workspace.write("src/wait.rs", "fn wait(n: u32) -> u32 {\n    n * 2\n}\n");
    workspace.git(&["add", "src"]);
    workspace.git(&["commit", "-qm", "first"]);
    workspace.write("src/wait.rs", "fn wait(n: u32) -> u32 {\n    2u32.pow(n)\n}\n");
    workspace.git(&["commit", "-qam", "second"]);
    workspace
}

fn run(workspace: &Workspace, more: &[&str]) -> Ran {
    let model = workspace.willing();
    let run = ["run", "exchange", MOTION, "--rounds", "0", "--id", "d1", "--out", "d", "--model", &model];
    workspace.agon(&[&run, more].concat())
}

fn shown(workspace: &Workspace) -> Vec<(String, Value)> {
    let record = workspace.read("d/record.jsonl");
    let entries = record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answers = entries.filter_map(|entry| {
        let answered = entry["what"]["answered"].clone();
        (!answered.is_null()).then(|| (answered["key"].as_str().unwrap().to_owned(), answered["shown"].clone()))
    });
    answers.collect()
}

#[test]
fn a_change_is_shown_to_everyone_and_the_record_says_so() {
    let workspace = changed();
    let ran = run(&workspace, &["--context", "git:HEAD~1..HEAD"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answers = shown(&workspace);
    assert!(answers.len() >= 4, "{answers:?}");
    for (key, shown) in &answers {
        let places: Vec<&str> = shown.as_array().unwrap().iter().map(|one| one["place"].as_str().unwrap()).collect();
        assert_eq!(places, ["src/wait.rs:1-3", "src/wait.rs:1-3"], "{key}");
    }
    let report = workspace.read("d/report.md");
    assert!(report.contains("## Material") && report.contains("src/wait.rs"), "{report}");
    // The diff and the file have the same lines, and are one file of two passages.
    assert!(report.contains("1 file; prompts showed 2 passages of it."), "{report}");
    assert!(report.contains("| diff, file | 3 | 2 |"), "{report}");
    // A later change of the file does not reach the debate.
    workspace.write("src/wait.rs", "fn other() {}\n");
    let ran = workspace.agon(&["extend", "d1", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let digests = |answers: &[(String, Value)]| answers.last().unwrap().1.to_string();
    assert_eq!(digests(&shown(&workspace)), digests(&answers));
    assert_eq!(workspace.agon(&["replay", "d1"]).code, 0);
}

#[test]
fn material_of_one_seat_is_shown_to_no_other() {
    let workspace = changed();
    let ran = run(&workspace, &["--context", "proposition=src/wait.rs"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (key, shown) in shown(&workspace) {
        assert_eq!(shown.is_null(), !key.contains("proposition"), "{key}: {shown}");
    }
}

#[test]
fn a_person_at_an_outside_seat_reads_the_material() {
    let workspace = changed();
    let model = workspace.willing();
    let child = workspace
        .command(&["run", "exchange", MOTION, "--id", "d1", "--model", &model, "--seat", "proposition=outside"])
        .args(["--context", "git:HEAD~1..HEAD"])
        .spawn()
        .unwrap();
    let mut child = child;
    let asked = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let ran = workspace.agon(&["seats", "d1", "--seat", "proposition", "--verbose"]);
        (ran.code == 0).then_some(ran.out)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let asked = asked.expect("the seat is asked");
    assert!(asked.contains("2u32.pow(n)") && asked.contains("src/wait.rs"), "{asked}");
    let told = workspace.agon(&["seats", "d1", "--seat", "proposition"]).out;
    assert!(told.contains("What it is about:\nsrc/wait.rs, 1-3") && !told.contains("Statements so far"), "{told}");
    // The record says what was read, as of a model's prompt.
    let schema = workspace.json(&["seats", "d1", "--seat", "proposition"])["schema"].clone();
    let answer = agon_core::sample::sample_answer(Some(&agon_core::form::FormField::from_schema(&schema)), 7);
    let ran = workspace.agon(&["answer", "d1", "--seat", "proposition", "--text", &answer]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let record = workspace.agon(&["export", "d1", "--format", "record"]).out;
    let line = record.lines().find(|line| line.contains("\"outside:")).unwrap();
    assert_eq!(line.matches(r#""place":"src/wait.rs:1-3""#).count(), 2, "{line}");
}

#[test]
fn a_change_hides_nothing_and_what_is_left_out_of_it_is_told() {
    let workspace = changed();
    workspace.write("src/wait.rs", "fn wait() {\n    evil();\n}\n");
    workspace.write(".gitattributes", "*.rs -diff linguist-generated\n");
    workspace.write("logo.png", b"\0\x01");
    workspace.git(&["add", "src", ".gitattributes", "logo.png"]);
    workspace.git(&["commit", "-qm", "third"]);
    let ran = run(&workspace, &["--context", "git:HEAD~1...HEAD"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let places: Vec<String> =
        shown(&workspace)[0].1.as_array().unwrap().iter().map(|one| one["place"].to_string()).collect();
    assert_eq!(places.iter().filter(|place| place.contains("src/wait.rs")).count(), 2, "{places:?}");
    let told = "1 changed file was not reviewed: logo.png (binary).";
    let report = workspace.read("d/report.md");
    assert!(report.contains(told), "{report}");
    let summary = workspace.agon(&["show", "d1", "--summary", "markdown"]).out;
    assert!(summary.contains(told), "{summary}");
}

#[test]
fn a_plan_lists_the_material_and_what_is_left_out() {
    let workspace = changed();
    workspace.write("src/logo.png", b"\0\x01\x02");
    let model = workspace.willing();
    let args = ["run", "exchange", MOTION, "--model", &model, "--plan", "--context", "src"];
    let plan = workspace.json(&args);
    assert_eq!(plan["material"]["files"][0]["path"], "src/wait.rs");
    assert_eq!(plan["material"]["left_out"][0]["path"], "src/logo.png");
    let more = workspace.json(&args[..args.len() - 2]);
    assert!(plan["prompt_tokens"].as_u64() > more["prompt_tokens"].as_u64());
    let told = workspace.agon(&args).out;
    assert!(told.contains("src/wait.rs") && told.contains("left out: src/logo.png (binary"), "{told}");
    let note = run(&workspace, &["--context", "src"]).err;
    assert!(note.contains("src/logo.png") && note.contains("--plan --output json lists all"), "{note}");
    // The diff and the file of one path are one file.
    let change = ["run", "exchange", MOTION, "--model", &model, "--plan", "--context", "git:HEAD~1..HEAD"];
    let told = workspace.agon(&change).out;
    assert!(told.contains("material: 1 file, ") && told.contains("src/wait.rs (diff)"), "{told}");
}

#[test]
fn what_cannot_be_material_is_refused_before_anything_is_asked() {
    let workspace = changed();
    workspace.write("key.txt", format!("aws_access_key_id = AKIA{}\n", "Q7ZK3M2XW5RT4PLB"));
    let model = workspace.willing();
    let run = ["run", "exchange", MOTION, "--id", "d1", "--model", &model];
    for (more, says) in [
        (&["--context", "nowhere.txt"] as &[&str], "nowhere.txt"),
        (&["--context", "git:HEAD..HEAD"], "is empty"),
        (&["--context", "git:nowhere"], "\"nowhere\""),
        (&["--context", "key.txt"], "key.txt:1"),
        (&["--context-tokens", "900"], "--context"),
        (&["--context", "src", "--context-tokens", "5"], "too small"),
        (&["--context", "src", "--local-only", "--seat", "judge=openai:gpt-5"], "judge"),
        (&["--context", "https://example.org/", "--local-only"], "--local-only"),
    ] {
        let ran = workspace.agon(&[&run, more].concat());
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.err);
        assert!(ran.err.contains(says) && !ran.err.contains("AKIA"), "{more:?}: {}", ran.err);
    }
    assert_eq!(workspace.json(&["list"]), serde_json::json!([]), "nothing was opened");
    let ran = workspace.agon(&[&run, &["--context", "key.txt", "--allow-secrets"] as &[&str]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_diff_comes_on_standard_input() {
    use std::io::Write;
    let workspace = changed();
    let diff = Command::new("git").args(["diff", "HEAD~1"]).current_dir(workspace.work()).output().unwrap();
    let model = workspace.willing();
    let mut command = workspace.command(&["run", "exchange", MOTION, "--rounds", "0", "--id", "d1", "--out", "d"]);
    let mut child =
        command.args(["--model", &model, "--context", "-"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&diff.stdout).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(shown(&workspace).iter().all(|(_, shown)| shown[0]["place"] == "src/wait.rs:1-3"));
}

/// A plan of a review of what is piped in.
fn piped(workspace: &Workspace, bytes: &[u8]) -> (Option<i32>, String) {
    use std::io::Write;
    let model = workspace.willing();
    let mut command = workspace.command(&["run", "review", "--plan", "--context", "-", "--model", &model]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code(), told)
}

#[test]
fn one_odd_byte_of_standard_input_does_not_refuse_the_whole_diff() {
    let workspace = Workspace::new();
    let head = b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-caf\n+caf".as_slice();
    let (code, told) = piped(&workspace, &[head, b"\xe9 of the town\n"].concat());
    assert!(code == Some(0) && told.contains("a.txt"), "{told}");
    let (code, told) = piped(&workspace, &[head, b"\0\n"].concat());
    assert!(code == Some(2) && told.contains("standard input is not a text: binary"), "{told}");
}

#[test]
fn a_secret_at_the_head_of_a_hunk_or_in_a_document_is_not_sent() {
    let workspace = Workspace::new();
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let diff = format!(
        "diff --git a/c.py b/c.py\n--- a/c.py\n+++ b/c.py\n@@ -20 +20 @@ TOKEN = \"{token}\"\n-a = 1\n+a = 2\n"
    );
    let (code, told) = piped(&workspace, diff.as_bytes());
    assert!(code == Some(2) && told.contains("secrets: c.py, a line without a number"), "{told}");
    workspace.write("plan.md", format!("# The plan\n\nLog in with {token} and move.\n"));
    let duel = ["run", "duel", "plan.md", "--model", &workspace.willing(), "--plan"];
    let ran = workspace.agon(&duel);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("the document seems to contain secrets: source:3"), "{}", ran.err);
    let ran = workspace.agon(&[&duel[..], &["--allow-secrets"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_is_local_stays_local_when_the_debate_continues() {
    let workspace = changed();
    let ran = run(&workspace, &["--context", "src", "--local-only", "--extract", "openai:gpt-5"]);
    assert!(ran.code == 2 && ran.err.contains("openai:gpt-5"), "{}", ran.err);
    let ran = run(&workspace, &["--context", "src", "--local-only", "--max-requests", "1"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    for more in [
        &["resume", "d1", "--seat", "judge=openai:gpt-5"] as &[&str],
        &["extend", "d1", "--max-requests", "20", "--model", "openai:gpt-5"],
    ] {
        let ran = workspace.agon(more);
        assert!(ran.code == 2 && ran.err.contains("--local-only"), "{more:?}: {}", ran.err);
    }
    let ran = workspace.agon(&["extend", "d1", "--max-requests", "20", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = workspace.agon(&["graph", "d1", "--extract", "openai:gpt-5"]);
    assert!(ran.code == 2 && ran.err.contains("--local-only"), "{}", ran.err);
    // The host joins the line-up last.
    let model = workspace.willing();
    let host = ["run", "panel", "Should we rest?", "--model", &model, "--seat", "host=openai:gpt-5", "--plan"];
    let ran = workspace.agon(&[&host[..], &["--context", "src", "--local-only"]].concat());
    assert!(ran.code == 2 && ran.err.contains("--local-only") && ran.err.contains("host"), "{}", ran.err);
}

#[test]
fn places_that_statements_name_are_compared_with_the_material() {
    let workspace = changed();
    let ran = run(&workspace, &["--context", "src"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report = workspace.read("d/report.md");
    assert!(!report.contains("Statements name"), "no statement names a place: {report}");
    let record = workspace.read("d/record.jsonl");
    let said = record.lines().find_map(|line| {
        let entry: Value = serde_json::from_str(line).ok()?;
        let answered = &entry["what"]["answered"];
        (answered["key"] == "exchange-000/proposition").then(|| answered["reply"]["said"]["text"].clone())
    });
    let mut said: Value = serde_json::from_str(said.unwrap().as_str().unwrap()).unwrap();
    said["arguments"][0]["claim"] =
        "The line `src/wait.rs:2` overflows at 12:30, unlike src/wait.rs:40 and src/gone.rs:1.".into();
    said["arguments"][0]["grounds"][0]["source"] = "src/wait.rs:1-3".into();
    said["arguments"][1]["grounds"][0]["source"] = "src/wait.rs:9".into();
    let script = serde_json::json!({"rules": [
        {"key": "exchange-000/proposition", "reply": said}, {"key": "*", "sample": true},
    ]});
    workspace.write("named.json", script.to_string());
    let more = ["--context", "src", "--model", "scripted:named.json", "--id", "d2", "--out", "e"];
    let ran = workspace.agon(&[&["run", "exchange", MOTION, "--rounds", "0"][..], &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report = workspace.read("e/report.md");
    for part in [
        "src/wait.rs:2 | found | src/wait.rs has line 2.",
        "src/wait.rs:40 | not found | src/wait.rs ends at line 3.",
        "src/gone.rs:1 | not found | The material has no file src/gone.rs.",
        "src/wait.rs:1-3 | in the material",
        "src/wait.rs:9 | not in the material | src/wait.rs ends at line 3.",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(!report.contains("12:30 |"), "{report}");
    // It is said where a reader learns what to trust, too.
    assert!(report.contains("of them do not exist. One is src/wait.rs:40."), "{report}");
}

#[test]
fn whoever_lets_the_embedded_model_review_is_told_what_it_finds() {
    let workspace = changed();
    let plan = |models: &[&str]| {
        let ran = workspace.agon(&[&["run", "review", "--context", "git:HEAD", "--plan"], models].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.err
    };
    assert!(plan(&["--model", "local"]).contains("no more than guessing does"));
    assert!(!plan(&["--model", &workspace.willing()]).contains("guessing"));
    let one_seat = format!("reviewer-1={}", workspace.willing());
    assert!(plan(&["--model", "local", "--seat", &one_seat]).contains("no more than guessing does"), "the other seats");
}
