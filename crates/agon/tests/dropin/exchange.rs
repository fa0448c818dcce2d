//! `debate-ops` on a folder that agon did not make.

use serde_json::{Value, json};

use crate::dropin::workspace::{Ran, Workspace};

pub const DEBATE: &str = "{\n  \"debate_id\": \"rest\",\n  \"current_exchange\": 0,\n  \"current_phase\": \"awaiting_arguments\",\n  \"mine\": {\n    \"kept\": \"\\u00e9 {\"\n  }\n}\n\n# Motion\n\nThis house would rest.\n";

pub fn debate() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("rest/debate.md", DEBATE);
    workspace.write("rest/scores.json", "{}");
    workspace
}

pub fn argument(title: &str) -> Value {
    let ground = json!({"source": "own reasoning", "relevance": "It bears on the motion directly.",
        "content": "A pause lets people see what they had overlooked while they were busy with it."});
    json!({"title": title, "claim": format!("{title} makes the case."), "grounds": [ground],
        "warrant": "What is seen late is better than what is never seen at all."})
}

pub fn side(titles: &[&str]) -> String {
    Value::from(titles.iter().map(|title| argument(title)).collect::<Vec<_>>()).to_string()
}

/// `scores` as a judge hands them in.
pub fn judgment(scores: &[(&str, f64)]) -> Value {
    let score = |(id, score): &(&str, f64)| json!({"argument_id": id, "score": score, "reasoning": "It holds up against the others."});
    json!({"scores": scores.iter().map(score).collect::<Vec<_>>()})
}

pub fn process_exchange(workspace: &Workspace, number: &str, prop: &str, opp: &str, more: &[&str]) -> Ran {
    workspace.write("p.json", prop);
    workspace.write("o.json", opp);
    let line = ["debate-ops", "process-exchange", "rest", number, "--opp-file", "o.json", "--prop-file", "p.json"];
    workspace.agon(&[&line, more].concat())
}

pub fn process_judge(workspace: &Workspace, judgment: &str, more: &[&str]) -> Ran {
    workspace.write("j.json", judgment);
    workspace.agon(&[&["debate-ops", "process-judge", "rest", "--json-file", "j.json"], more].concat())
}

const OPENING: [&str; 3] = ["Rest restores attention", "Rest prevents mistakes", "Rest is owed"];
const SCORES: [(&str, f64); 6] = [
    ("prop_000a", 0.5),
    ("prop_000b", 0.25),
    ("prop_000c", -0.25),
    ("opp_000a", -0.5),
    ("opp_000b", 0.25),
    ("opp_000c", -0.25),
];

#[test]
fn two_exchanges_run_by_the_rules_and_nothing_is_found() {
    let workspace = debate();
    let against = ["Work feeds people", "Rest can wait", "Idleness costs"];
    let ran = process_exchange(&workspace, "0", &side(&OPENING), &side(&against), &["--strict"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = process_judge(&workspace, &judgment(&SCORES).to_string(), &["--strict"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let mut rebuttal = argument("Mistakes outweigh pace");
    rebuttal["attacks"] = json!([{"target_id": "opp_000a", "attack_type": "warrant_attack", "content": "Tired work feeds nobody for long."}]);
    let ran = process_exchange(&workspace, "1", &rebuttal.to_string(), &argument("Pace is what pays").to_string(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut corrected = judgment(&[("prop_001", 0.2), ("opp_001", -0.2)]);
    corrected["rescores"] =
        json!([{"argument_id": "opp_000a", "old_score": -0.5, "new_score": -0.75, "reasoning": "Its warrant fell."}]);
    let ran = process_judge(&workspace, &corrected.to_string(), &[]);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap()["rescored"], json!(["opp_000a"]));

    let state = workspace.read("rest/debate.md");
    assert!(state.contains("\"current_exchange\": 2") && state.contains("\"kept\": \"\\u00e9 {\""), "{state}");
    assert!(state.contains("\"total\": -0.95"), "{state}");
    assert!(workspace.read("rest/argument-graph.mmd").contains("prop_001 -->|⚔️ warrant| opp_000a"));
    assert!(workspace.files("").iter().all(|(path, _)| !path.contains("json") || path == "rest/scores.json"));
    assert!(
        workspace.agon(&["check", "rest"]).out.contains("0 findings"),
        "{}",
        workspace.agon(&["check", "rest"]).out
    );
}

#[test]
fn neither_side_is_written_before_both_are_valid() {
    let workspace = debate();
    let before = workspace.files("rest");
    let ran = process_exchange(&workspace, "0", &side(&OPENING), "[]", &[]);
    let want =
        "{\"success\": false, \"side\": \"opposition\", \"errors\": [\"Empty argument list\"], \"warnings\": null}\n";
    assert_eq!((ran.code, ran.err.as_str(), ran.out.as_str()), (1, want, ""));
    assert_eq!(workspace.files("rest"), before);
    assert!(!workspace.work().join("p.json").exists() && !workspace.work().join("o.json").exists());
}

#[test]
fn what_the_source_takes_is_taken_and_what_it_breaks_is_kept_in_the_journal() {
    let workspace = debate();
    // One argument where an opening has three, one scored twice and the other not at all.
    let one = argument("Rest restores attention").to_string();
    let ran = process_exchange(&workspace, "0", &one, &one, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "nothing is added to what the source says");
    let twice = judgment(&[("prop_000", 0.5), ("prop_000", -0.5)]).to_string();
    assert_eq!(process_judge(&workspace, &twice, &[]).code, 0);
    let check = workspace.agon(&["check", "rest"]);
    assert_eq!(check.code, 6, "what is found is no success for a program");
    let found = check.out;
    for says in ["opposition: arguments: 3 argument(s) are wanted", "prop_000 is scored twice", "opp_000 has no score"]
    {
        assert!(found.contains(says), "{says:?} is not in {found}");
    }
}

#[test]
fn what_python_prints_is_printed() {
    let workspace = debate();
    let ran = workspace.agon(&["debate-ops"]);
    let usage = "{\"success\": false, \"error\": \"Usage: python3 -m debate_ops <command> <args...>\"}\n";
    assert_eq!((ran.code, ran.err.as_str()), (1, usage));
    // An exchange without arguments has nothing to score.
    let ran = process_judge(&workspace, &judgment(&[("prop_001", 0.5), ("opp_001", -0.5)]).to_string(), &["--strict"]);
    assert!(ran.code == 1 && ran.out.contains("exchange 0 has no argument here"), "{}", ran.out);
    let mut untitled = argument("");
    untitled["title"] = json!("");
    let ran = process_exchange(&workspace, "0", &untitled.to_string(), &argument("Pace is what pays").to_string(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = process_judge(&workspace, &judgment(&[("prop_000", -0.0), ("opp_000", 0.0)]).to_string(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        workspace.read("rest/argument-graph.mmd").contains("prop_000[\"prop_000<br/><br/>⭐"),
        "an empty title is one"
    );
    assert!(workspace.read("rest/debate.md").contains("\"total\": 0.0"), "{}", workspace.read("rest/debate.md"));
}

#[test]
fn strict_makes_findings_errors_and_changes_nothing() {
    let workspace = debate();
    let before = workspace.files("rest");
    let one = argument("Rest restores attention").to_string();
    let ran = process_exchange(&workspace, "3", &one, &one, &["--strict"]);
    assert!(ran.code == 1 && ran.err.contains("exchange 0, not 3"), "{}", ran.err);
    let ran = process_exchange(&workspace, "0", &one, &one, &["--strict"]);
    assert!(ran.code == 1 && ran.err.contains("3 argument(s) are wanted"), "{}", ran.err);
    let ran =
        process_judge(&workspace, &judgment(&[("prop_000a", 0.5), ("opp_000a", -0.5)]).to_string(), &["--strict"]);
    assert!(ran.code == 1 && ran.out.contains("awaiting_judgment"), "{}", ran.out);
    assert_eq!(workspace.files("rest"), before);
}

#[test]
fn a_folder_that_agon_writes_from_a_record_is_left_to_it() {
    let workspace = debate();
    workspace.write("rest/record.jsonl", "{}");
    let ran = process_judge(&workspace, &judgment(&SCORES).to_string(), &[]);
    assert!(ran.code == 1 && ran.err.contains("agon resume"), "{}", ran.err);
}
