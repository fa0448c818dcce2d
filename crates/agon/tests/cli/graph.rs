//! The argument graph and the report on the command line.

use serde_json::json;

use crate::cli::workspace::Workspace;

#[test]
fn a_debate_s_graph_is_had_in_every_language_and_without_what_was_said() {
    let workspace = Workspace::new();
    assert_eq!(workspace.debate(&[]).code, 0);
    let mermaid = workspace.agon(&["graph", "d1", "--format", "mermaid"]);
    assert_eq!((mermaid.code, mermaid.out), (0, workspace.read("d/argument-graph.mmd")), "byte for byte");
    for (language, begins) in
        [("dot", "digraph \"d1\" {"), ("argdown", "===\ntitle: "), ("aif", "{\n"), ("json", "{\n")]
    {
        let ran = workspace.agon(&["graph", "d1", "--format", language]);
        assert!(ran.code == 0 && ran.out.starts_with(begins), "{language}: {}", ran.out);
    }
    let people = workspace.agon(&["graph", "d1"]).out;
    assert!(people.contains("prop_000a") && people.contains("statements"), "{people}");
    let struck = || workspace.json(&["graph", "d1", "--without", "prop_000a", "--without", "opp_000b"]);
    let once = struck();
    assert_eq!(once["without"], json!(["prop_000a", "opp_000b"]));
    assert_eq!(once, struck(), "the same every time");
    let whole = workspace.json(&["graph", "d1"]);
    let seq = whole["statements"][0]["seq"].to_string();
    let turn = workspace.json(&["graph", "d1", "--without", &seq]);
    assert_eq!(turn["without"].as_array().unwrap().len(), 3, "all that was said in that entry");
}

#[test]
fn what_a_graph_cannot_mean_is_refused() {
    let workspace = Workspace::new();
    assert_eq!(workspace.debate(&[]).code, 0);
    let ran = workspace.agon(&["graph", "d1", "--format", "mermade"]);
    assert!(ran.code == 2 && ran.err.contains("did you mean mermaid?"), "{}", ran.err);
    let ran = workspace.agon(&["graph", "d1", "--without", "prop_999"]);
    assert!(ran.code == 8 && ran.err.contains("prop_000a"), "{}", ran.err);
}

#[test]
fn every_debate_leaves_its_report_and_replay_compares_it() {
    let workspace = Workspace::new();
    assert_eq!(workspace.debate(&[]).code, 0);
    let page = workspace.read("d/report.html");
    assert!(page.contains("What did not work") && page.contains("<svg"), "{page}");
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
    assert_eq!(workspace.agon(&["export", "d1", "--format", "report", "--out", "again"]).code, 0);
    assert_eq!(workspace.read("again/report.html"), page);
    std::fs::write(workspace.work().join("d/report.html"), "edited").unwrap();
    let replay = workspace.agon(&["replay", "d1"]);
    assert!(replay.code == 6 && replay.out.contains("report.html is missing, was changed"), "{}", replay.out);
}

/// A debate called `d1`, and a reader called `reader.json` that finds an attack of its first rebuttal on
/// its first argument.
fn read_debate(workspace: &Workspace) -> String {
    assert_eq!(workspace.debate(&[]).code, 0);
    let graph = workspace.json(&["graph", "d1"]);
    let statements = graph["statements"].as_array().unwrap();
    let rebuttal = statements.iter().find(|statement| statement["step"] == 1).unwrap();
    let quote: Vec<&str> = rebuttal["text"].as_str().unwrap().split(' ').take(8).collect();
    let earlier = statements.iter().filter(|statement| statement["step"] == 0).count();
    let rule = |order: &str, to: usize| {
        let relation = json!({"quote": quote.join(" "), "relation": "attack", "to": to});
        json!({"key": format!("statement-001/{order}"), "reply": {"relations": [relation]}})
    };
    let rules =
        [rule("oldest-first", 1), rule("latest-first", earlier), json!({"key": "*", "reply": {"relations": []}})];
    workspace.write("reader.json", json!({"rules": rules}).to_string());
    "scripted:reader.json".into()
}

#[test]
fn what_a_model_extracts_is_paid_once_and_stands_marked_in_graph_report_and_replay() {
    let workspace = Workspace::new();
    let model = read_debate(&workspace);
    let before = workspace.read("d/report.md");
    let plan = workspace.json(&["graph", "d1", "--extract", &model, "--plan"]);
    let calls = plan["calls"].as_u64().unwrap();
    assert!(calls >= 4 && calls.is_multiple_of(2), "{plan}");
    assert_eq!(workspace.agon(&["show", "d1-extraction"]).code, 8, "a plan opens nothing");
    let ran = workspace.agon(&["graph", "d1", "--extract", &model, "--format", "dot"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("digraph") && ran.out.contains("extracted by scripted:reader.json"), "{}", ran.out);
    assert!(ran.err.contains(&format!("{calls} calls")), "the cost is said before it begins: {}", ran.err);
    let shown = workspace.json(&["show", "d1-extraction"]);
    assert_eq!((&shown["asked"], &shown["outcome"]["figures"]["kept"]), (&calls.into(), &1.into()), "{shown}");
    // It is shown from now on, and not asked for again.
    std::fs::remove_file(workspace.work().join("reader.json")).unwrap();
    let again = workspace.agon(&["graph", "d1", "--extract", &model]);
    assert!(again.code == 0 && again.out.contains("(extracted)"), "{} {}", again.out, again.err);
    let graph = workspace.json(&["graph", "d1"]);
    assert_eq!(graph["extracted"]["by"], "scripted:reader.json");
    let extracted = |graph: &serde_json::Value| {
        let edges = graph["edges"].as_array().unwrap();
        edges.iter().filter(|edge| edge["extracted_by"].is_string()).count()
    };
    assert_eq!((extracted(&graph), extracted(&workspace.json(&["graph", "d1", "--typed-only"]))), (1, 0));
    let report = workspace.read("d/report.md");
    assert!(report != before && report.contains("(extracted)"), "{report}");
    for id in ["d1", "d1-extraction"] {
        assert_eq!(workspace.json(&["replay", id])["files_different"], json!([]), "{id}");
        assert_eq!(workspace.json(&["check", id])["sound"], true, "{id}");
    }
    assert_eq!(workspace.agon(&["export", "d1", "--format", "report", "--out", "again"]).code, 0);
    assert_eq!(workspace.read("again/report.md"), report);
}

#[test]
fn an_extraction_that_stopped_goes_on_and_another_model_s_stands_beside_it() {
    let workspace = Workspace::new();
    let model = read_debate(&workspace);
    let whole = workspace.read("reader.json");
    let mut rules: serde_json::Value = serde_json::from_str(&whole).unwrap();
    rules["rules"].as_array_mut().unwrap().insert(0, json!({"key": "statement-002/*", "fail": "unavailable"}));
    workspace.write("reader.json", rules.to_string());
    let ran = workspace.agon(&["graph", "d1", "--extract", &model]);
    assert!(ran.code == 3 && ran.err.contains("agon resume d1-extraction"), "{}", ran.err);
    assert!(!workspace.agon(&["graph", "d1"]).out.contains("(extracted)"), "it has not ended");
    workspace.write("reader.json", whole);
    let ran = workspace.agon(&["graph", "d1", "--extract", &model]);
    assert!(ran.code == 0 && ran.out.contains("(extracted)"), "{}", ran.err);
    workspace.write("other.json", r#"{"rules": [{"key": "*", "reply": {"relations": []}}]}"#);
    let ran = workspace.agon(&["graph", "d1", "--extract", "scripted:other.json"]);
    assert!(ran.out.contains("No relation was extracted from prose by scripted:other.json"), "{}", ran.out);
    assert_eq!(workspace.json(&["show", "d1-extraction-2"])["closed"], true);
    assert_eq!(workspace.json(&["graph", "d1"])["extracted"]["debate"], "d1-extraction-2", "the newest");
}

#[test]
fn a_debate_is_read_once_it_has_ended_where_it_was_opened_so() {
    let workspace = Workspace::new();
    workspace.write("none.json", r#"{"rules": [{"key": "*", "reply": {"relations": []}}]}"#);
    let ran = workspace.debate(&["--extract", "scripted:none.json"]);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("reads each statement that follows others twice"), "{}", ran.out);
    assert!(ran.out.contains("What scripted:none.json extracted from d1"), "{}", ran.out);
    assert_eq!(workspace.json(&["show", "d1-extraction"])["outcome"]["name"], "extracted");
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
}

#[test]
fn what_cannot_be_extracted_is_refused() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    assert_eq!(workspace.debate(&["--rounds", "0"]).code, 0);
    let ran = workspace.agon(&["graph", "d1", "--extract", &model]);
    assert!(ran.code == 2 && ran.err.contains("no statement of d1 follows another"), "{}", ran.err);
    let ran = workspace.agon(&["graph", "d1", "--extract", "nobody:x"]);
    assert!(ran.code != 0 && ran.err.contains("nobody"), "{}", ran.err);
    let ran = workspace.agon(&["graph", "d1", "--extract", &model, "--typed-only"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}
