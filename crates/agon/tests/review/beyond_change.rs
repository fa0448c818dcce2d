//! Reviews of changes whose error cannot be seen in the change: its cause stands in a file that is not part of it. A scripted
//! reviewer looks there first; 24 changes have such an error, in four languages, and 12 have none.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::workspace::Workspace;

/// A line of `beyond-change.jsonl`.
#[derive(Deserialize)]
struct ChangeCase {
    name: String,
    language: String,
    base: BTreeMap<String, String>,
    diff: String,
    defect: Option<Defect>,
}

/// The error of a change: its line, and the lines elsewhere that make it one.
#[derive(Deserialize)]
struct Defect {
    path: String,
    line: u32,
    quote: String,
    claim: String,
    cause_path: String,
    cause_quote: String,
}

fn cases() -> Vec<ChangeCase> {
    include_str!("beyond-change.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The change as the last commit of a repository.
fn repository(case: &ChangeCase) -> Workspace {
    let workspace = Workspace::new();
    workspace.git(&["init", "-q"]);
    for (path, text) in &case.base {
        workspace.write(path, text);
    }
    workspace.git(&["add", "-A"]);
    workspace.git(&["commit", "-qm", "before"]);
    let diff = workspace.write("change.diff", &case.diff);
    workspace.git(&["apply", "change.diff"]);
    std::fs::remove_file(diff).unwrap();
    workspace.git(&["add", "-A"]);
    workspace.git(&["commit", "-qm", "after"]);
    workspace
}

/// A reviewer that reads the file with the cause, if there is one, and reports what it makes of it.
fn script(defect: Option<&Defect>) -> Value {
    let mut rule =
        json!({"key": "*reviewer-1*", "reply": {"findings": []}, "lookups": [{"tool": "search", "words": "return"}]});
    if let Some(defect) = defect {
        let finding = json!({"place": format!("{}:{}", defect.path, defect.line), "quote": defect.quote, "claim": defect.claim,
            "why": "The other file shows it.", "refuted_by": "Another text there.", "severity": "high"});
        rule["reply"] = json!({"findings": [finding]});
        rule["lookups"] =
            json!([{"tool": "search", "words": defect.cause_quote}, {"tool": "read", "path": defect.cause_path}]);
    }
    json!({"rules": [rule, {"key": "*", "sample": true}]})
}

#[test]
fn what_makes_a_change_wrong_is_found_by_a_lookup_and_not_in_the_prompt() {
    let cases = cases();
    let planted = cases.iter().filter(|case| case.defect.is_some()).count();
    let languages: std::collections::BTreeSet<_> = cases.iter().map(|case| case.language.as_str()).collect();
    assert_eq!((cases.len(), planted, languages.len()), (36, 24, 4));
    for case in &cases {
        let (name, workspace) = (&case.name, repository(case));
        let script = workspace.write("script.json", script(case.defect.as_ref()).to_string());
        let model = format!("scripted:{}", script.display());
        let run = ["run", "review", "--context", "git:HEAD~1..HEAD", "--debaters", "1", "--id", "d1", "--out", "d"];
        let ran = workspace.agon(&[&run[..], &["--model", &model]].concat());
        let record = workspace.read("d/record.jsonl");
        let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answered = lines.iter().map(|line| &line["what"]["answered"]).find(|one| one["lookups"].is_array());
        let answered = answered.unwrap_or_else(|| panic!("{name}: {}{}", ran.out, ran.err));
        let closed = lines.iter().map(|line| &line["what"]["closed"]["outcome"]).find(|one| one.is_object()).unwrap();
        let text_of =
            |digest: &Value| lines.iter().find(|line| line["text"] == *digest).unwrap()["content"].as_str().unwrap();
        let Some(defect) = &case.defect else {
            assert_eq!(closed["name"], "approved", "{name}: {closed}");
            continue;
        };
        assert!(!case.diff.contains(&defect.cause_path), "{name}: the cause lies outside the change");
        let read = answered["lookups"].as_array().unwrap().last().unwrap();
        let shown = text_of(&read["result"]).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        assert!(shown.contains(&defect.cause_quote), "{name}: {shown}");
        assert_eq!(closed["figures"]["findings"], 1, "{name}: the quote stands in the change: {closed}");
    }
}
