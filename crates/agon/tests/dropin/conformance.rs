//! Recorded runs of the exchange system's own program, where they are at hand.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use crate::dropin::workspace::Workspace;

fn recorded() -> Option<Value> {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(3);
    let path = above.find_map(|folder| fs::read_to_string(folder.join("shared/conformance/debate_ops.json")).ok());
    if path.is_none() {
        println!("skipped: shared/conformance/debate_ops.json is not beside the project");
    }
    path.map(|text| serde_json::from_str(&text).unwrap())
}

/// Times of scoring differ from run to run.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.split_once("\"scored_at\": \"") {
        Some((before, _)) => format!("{before}\"scored_at\": \"<TS>\""),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_recorded_run_is_reproduced() {
    let Some(runs) = recorded() else { return };
    let runs = runs.as_object().unwrap();
    for (name, run) in runs {
        let workspace = Workspace::new();
        for (path, text) in run["initial"].as_object().unwrap() {
            workspace.write(path, text.as_str().unwrap());
        }
        for step in run["steps"].as_array().unwrap() {
            for (path, text) in step["input_files"].as_object().unwrap() {
                workspace.write(path, text.as_str().unwrap());
            }
            let words = step["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
            let line: Vec<&str> = ["debate-ops"].into_iter().chain(words).collect();
            let ran = workspace.agon(&line);
            assert_eq!(i64::from(ran.code), step["exit"].as_i64().unwrap(), "{name}: {}{}", ran.out, ran.err);
            assert_eq!(ran.out, step["stdout"].as_str().unwrap(), "{name}");
            assert_eq!(ran.err, step["stderr"].as_str().unwrap(), "{name}");
            let left: BTreeMap<String, String> =
                workspace.files("").into_iter().map(|(path, text)| (path, timeless(&text))).collect();
            let want: BTreeMap<String, String> = serde_json::from_value(step["tree_after"].clone()).unwrap();
            assert_eq!(left, want, "{name}");
        }
    }
    println!("{} recorded runs reproduced", runs.len());
}
