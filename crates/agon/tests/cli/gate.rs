//! What a pipeline learns: exit codes of gates, and summaries.

use crate::workspace::Workspace;

/// A workspace and a model that says what a schema asks for.
fn room() -> (Workspace, String) {
    let workspace = Workspace::new();
    let model = workspace.willing();
    (workspace, model)
}

#[test]
fn a_gate_turns_the_outcome_into_an_exit_code() {
    let (workspace, model) = room();
    let run = ["run", "exchange", "This house would rest.", "--rounds", "0", "--model", &model, "--id", "d1"];
    let refused = workspace.agon(&[&run[..], &["--fail-on", "fail|bloked"]].concat());
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("bloked") && refused.err.contains("proposition_ahead"), "{}", refused.err);
    assert_eq!(workspace.agon(&["show", "d1"]).code, 8, "a wrong list opens nothing");

    let ran = workspace.agon(&[&run[..], &["--quiet"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let outcome = workspace.json(&["show", "d1"])["outcome"]["name"].as_str().unwrap().to_owned();
    let class = match outcome.as_str() {
        "proposition_ahead" => 0,
        "opposition_ahead" => 10,
        _ => 11,
    };
    for (list, code) in [
        ("fail", class),
        ("blocked", class),
        (outcome.as_str(), 10),
        ("dissent,degraded", class % 10 + class / 11 * 10),
    ] {
        for verb in ["show", "resume"] {
            let gated = workspace.agon(&[verb, "d1", "--fail-on", list]);
            assert_eq!(gated.code, code, "{verb} {list}: {}", gated.out);
            assert!(gated.out.contains("gate: "), "{}", gated.out);
        }
    }
    let json = workspace.agon(&["resume", "d1", "--fail-on", &outcome, "--output", "json"]);
    let last: serde_json::Value = serde_json::from_str(json.out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["result"]), (&"gate".into(), &"fail".into()), "{last}");
}

#[test]
fn what_has_no_result_passes_no_gate() {
    let (workspace, model) = room();
    let silent = workspace.write("silent.json", r#"{"rules": [{"key": "*", "fail": "refused"}]}"#);
    let silent = format!("scripted:{}", silent.display());
    let ran =
        workspace.agon(&["run", "exchange", "Rest.", "--model", &silent, "--id", "d1", "--fail-on", "fail"]);
    assert_eq!(ran.code, 11, "{}", ran.err);
    assert_eq!(workspace.agon(&["show", "d1", "--fail-on", "void"]).code, 10);
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 9, "without a gate nothing changes");

    // One that is not over.
    let run = ["run", "exchange", "Rest.", "--model", &model, "--id", "d2", "--max-requests", "2"];
    let stopped = workspace.agon(&[&run[..], &["--fail-on", "fail"]].concat());
    assert_eq!(stopped.code, 4, "{}", stopped.err);
    assert_eq!(workspace.agon(&["show", "d2", "--fail-on", "fail"]).code, 11);
    let gone_on =
        ["extend", "d2", "--max-requests", "40", "--fail-on", "proposition_ahead|opposition_ahead|unclear"];
    assert_eq!(workspace.agon(&gone_on).code, 10);
}

#[test]
fn a_summary_is_short_marked_and_goes_where_the_pipeline_reads_it() {
    let (workspace, model) = room();
    let motion = "This house would <!-- --> ::error::rest.\n::error::twice";
    let run = ["run", "exchange", motion, "--rounds", "0", "--model", &model, "--id", "d1", "--quiet"];
    let named = workspace.work().join("summary.md");
    let ran =
        workspace.agon(&[&run[..], &["--summary", "markdown", "--summary-file", "summary.md"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(&named).unwrap();
    assert!(text.starts_with("<!-- agon-summary:exchange -->\n") && text.lines().count() <= 60, "{text}");
    assert!(text.contains("agon show d1"), "{text}");
    let again = workspace.agon(&["export", "d1", "--summary", "markdown", "--summary-file", "summary.md"]);
    assert_eq!((again.code, std::fs::read_to_string(&named).unwrap()), (0, text.clone()), "it is replaced");
    let shown = workspace.agon(&["show", "d1", "--summary", "markdown"]);
    assert!(shown.code == 0 && shown.out.contains(text.trim_end()), "{}", shown.out);

    let step = workspace.work().join("step.md");
    for _ in 0..2 {
        let mut command = workspace.command(&["show", "d1", "--summary", "github", "--fail-on", "fail"]);
        let done = command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &step).output().unwrap();
        let said =
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert!(!said.lines().any(|line| line.trim_start().starts_with("::")), "{said}");
    }
    let steps = std::fs::read_to_string(&step).unwrap();
    assert_eq!(
        steps.matches("<!-- agon-summary:exchange -->").count(),
        2,
        "other steps write to it too: {steps}"
    );
    assert!(steps.contains("Gate: "), "{steps}");
}
