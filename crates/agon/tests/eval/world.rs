//! Items and scripted models for evaluations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::eval::workspace::Workspace;

/// One item with a context; the second choice is right.
pub fn item(n: usize) -> Value {
    json!({
        "id": format!("q{n}"), "cluster": format!("c{}", n / 2), "question": format!("Who built house {n}?"),
        "choices": ["Ada", "Ben", "Cleo"], "gold": "Ben", "context": format!("House {n} was built by Ben in 1900."),
    })
}

/// Writes `count` items to `items.jsonl`.
pub fn items(workspace: &Workspace, count: usize) {
    lines(workspace, "items.jsonl", (0..count).map(item));
}

pub fn lines(workspace: &Workspace, name: &str, values: impl Iterator<Item = Value>) {
    workspace.write(name, values.map(|value| value.to_string() + "\n").collect::<String>());
}

/// A model that answers A, with probability `sure` spread over three choices, in every form that arms ask for.
pub fn certain(workspace: &Workspace, name: &str, sure: f64) -> String {
    let rest = (1.0 - sure) / 2.0;
    let shares = json!({"A": sure, "B": rest, "C": rest});
    let reply = json!({
        "reasoning": "It is so.", "quote": "built by Ben", "quotes": ["built by Ben"], "argument": "It is so.",
        "critique": "Nothing is wrong.", "answer": "A", "probabilities": shares,
    });
    let pick = |fields: &[&str]| {
        let picked: serde_json::Map<String, Value> =
            fields.iter().map(|field| ((*field).to_owned(), reply[*field].clone())).collect();
        Value::from(picked)
    };
    let rules = json!({"rules": [
        {"key": "*first/answerer*", "reply": pick(&["reasoning", "answer", "probabilities"])},
        {"key": "*verdict/answerer*", "reply": pick(&["reasoning", "answer", "probabilities"])},
        {"key": "*verdict/judge*", "reply": pick(&["quote", "reasoning", "answer", "probabilities"])},
        {"key": "*ranking/*", "reply": pick(&["answer", "probabilities"])},
        {"key": "*/first/*", "reply": pick(&["answer", "probabilities"])},
        {"key": "*", "sample": true},
    ]});
    workspace.write(name, rules.to_string());
    format!("scripted:{name}")
}

/// The observations of a run, by item, arm and repetition; the last line of each counts.
pub fn observations(workspace: &Workspace, folder: &str) -> BTreeMap<(String, String, u64), Value> {
    let text = workspace.read(&format!("{folder}/observations.jsonl"));
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let key = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        (text("item"), text("arm"), line["repetition"].as_u64().unwrap_or(0))
    };
    lines.map(|line| (key(&line), line)).collect()
}

/// Calls that were answered, over all debates of the journal.
pub fn answered(workspace: &Workspace) -> u64 {
    workspace.json(&["stats"])["answered"].as_u64().unwrap()
}

/// What differs from run to run: times, hashes of records, folders; and what a call cost that a kill interrupted.
const VARYING: [&str; 8] = ["seconds", "record_hash", "records", "folder", "usage", "cost", "front", "token_ratio"];

/// `value` without what differs from run to run.
pub fn timeless(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .filter(|(name, _)| name.as_str() != "warnings" && !VARYING.iter().any(|part| name.contains(part)));
            kept.map(|(name, value)| (name.clone(), timeless(value))).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(all) => all.iter().map(timeless).collect(),
        other => other.clone(),
    }
}
