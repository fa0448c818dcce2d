//! The gate of a pipeline and its summary.

use crate::cli::workspace::Workspace;

/// A script whose judge prefers one side.
fn judged(workspace: &Workspace) -> Vec<String> {
    let model = workspace.willing();
    ["--model", &model, "--rounds", "0"].map(str::to_owned).to_vec()
}

fn gate(list: &str) -> [&str; 2] {
    ["--fail-on", list]
}

#[test]
fn a_listed_outcome_fails_and_an_unclear_one_is_never_green() {
    let workspace = Workspace::new();
    let more = judged(&workspace);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    // Samples are even, which is no clear result.
    let ran = workspace.run_debate(&[&more, &gate("fail") as &[&str]].concat());
    assert_eq!(ran.code, 11, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("gate: unclear (even, unclear)"), "{}", ran.out);
    for (list, code) in [("fail", 11), ("even", 10), ("blocked|unclear", 10), ("void, dissent", 11)] {
        let show = workspace.agon(&["show", "d1", "--fail-on", list]);
        assert_eq!(show.code, code, "{list}: {}", show.out);
        let resumed = workspace.agon(&["resume", "d1", "--fail-on", list]);
        assert_eq!(resumed.code, code, "{list}: {}", resumed.out);
    }
    let ran = workspace.agon(&["show", "d1", "--fail-on", "even", "--output", "json"]);
    assert!(ran.out.contains(r#"{"event":"gate","result":"fail","codes":["even"]}"#), "{}", ran.out);
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 0, "without a gate nothing changes");
}

#[test]
fn an_unknown_code_is_refused_before_anything_is_asked() {
    let workspace = Workspace::new();
    let more = judged(&workspace);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let ran = workspace.run_debate(&[&more, &gate("fail|bloked") as &[&str]].concat());
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("\"bloked\"") && ran.err.contains("opposition_ahead"), "{}", ran.err);
    assert_eq!(workspace.json(&["list"]), serde_json::json!([]));
}

#[test]
fn a_debate_without_a_result_never_passes() {
    let workspace = Workspace::new();
    let script = r#"{"rules": [{"key": "*opposition*", "fail": "refused"}, {"key": "*", "sample": true}]}"#;
    workspace.write("lost.json", script);
    let ran = workspace.run_debate(&["--model", "scripted:lost.json", "--rounds", "0", "--fail-on", "fail"]);
    assert_eq!(ran.code, 11, "{}{}", ran.out, ran.err);
    assert_eq!(workspace.agon(&["show", "d1", "--fail-on", "void"]).code, 10);
    assert_eq!(workspace.agon(&["show", "d1", "--fail-on", "fail,dissent"]).code, 11);
}

#[test]
fn a_debate_that_is_not_over_passes_no_gate() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let stopped = workspace.run_debate(&["--model", &model, "--max-requests", "2", "--fail-on", "fail"]);
    assert_eq!(stopped.code, 4, "it can be resumed: {}", stopped.err);
    assert_eq!(workspace.agon(&["show", "d1", "--fail-on", "fail"]).code, 11);
    let extended = workspace.agon(&["extend", "d1", "--max-requests", "40", "--fail-on", "even"]);
    assert_eq!(extended.code, 10, "{}{}", extended.out, extended.err);
}

#[test]
fn a_summary_marks_itself_and_has_at_most_a_screen() {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "1"]);
    let summary = ["show", "d1", "--fail-on", "fail", "--summary"];
    let ran = workspace.agon(&[&summary as &[&str], &["markdown"]].concat());
    assert!(ran.out.starts_with("<!-- agon-summary:exchange -->\n### agon exchange: Even\n"), "{}", ran.out);
    assert!(ran.out.contains("Gate: unclear (even, unclear)"), "{}", ran.out);
    assert!(ran.out.lines().count() <= 61, "{}", ran.out);
    for other in [["--out", "files"], ["--format", "record"]] {
        let both = workspace.agon(&[&["export", "d1", "--summary", "markdown"][..], &other].concat());
        assert!(both.code == 2 && both.err.contains("--summary"), "one of them would be dropped: {}", both.err);
    }
    // A pipeline names the file; the next summary of the same step is added.
    for times in 1..=2 {
        let mut command = workspace.command(&[&summary as &[&str], &["github"]].concat());
        let ran = command.env("GITHUB_STEP_SUMMARY", workspace.work().join("step.md")).output().unwrap();
        assert_eq!(ran.status.code(), Some(11));
        assert_eq!(workspace.read("step.md").matches("<!-- agon-summary:exchange -->").count(), times);
    }
    workspace.agon(&[&summary as &[&str], &["markdown", "--summary-file", "mine.md"]].concat());
    workspace.agon(&[&summary as &[&str], &["markdown", "--summary-file", "mine.md"]].concat());
    assert_eq!(workspace.read("mine.md").matches("<!-- agon-summary").count(), 1);
    let exported = workspace.agon(&["export", "d1", "--summary", "markdown"]);
    assert!(exported.code == 0 && exported.out.starts_with("<!-- agon-summary:exchange -->"), "{}", exported.out);
    let json = workspace.agon(&["export", "d1", "--summary", "markdown", "--output", "json"]);
    assert!(json.out.starts_with(r#"{"event":"summary","text":"<!-- agon-summary:exchange -->"#), "{}", json.out);
}

#[test]
fn words_of_a_model_are_no_commands_of_a_workflow() {
    let workspace = Workspace::new();
    // After the words before it, a line of 80 columns ends: the terminal's text is wrapped there.
    let long = format!("{} ::stop-commands::x {}::error::y", "word ".repeat(15).trim_end(), "w".repeat(76));
    let motion = format!("This house would.\n::error file=x::run this\n ##[error]or this, ##[warning]or\n{long}");
    let model = workspace.willing();
    for (id, output) in [("d1", "--plain"), ("d2", "--output=json")] {
        let run = ["run", "exchange", &motion, "--id", id, "--rounds", "0", "--model", &model, output];
        let ran = workspace.command(&run).env("GITHUB_ACTIONS", "true").output().unwrap();
        let shown = workspace.command(&["show", id, "--full", output]).env("GITHUB_ACTIONS", "true").output().unwrap();
        let texts = [ran.stdout, ran.stderr, shown.stdout].map(|out| String::from_utf8(out).unwrap());
        for out in &texts {
            let commands = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
            assert_eq!(out.lines().find(commands), None, "{out}");
        }
        assert!(texts[2].contains("error file=x"), "{}", texts[2]);
    }
}
