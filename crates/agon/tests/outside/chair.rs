//! A person at the chair of a chaired debate: rules as the chair does, for all to read.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::outside::{seats::statement, workspace::Workspace};

#[test]
fn a_person_rules_as_chair_to_the_end() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let args = ["run", "chaired", "Should the library open on Sundays?", "--rounds", "1", "--id", "d1", "--out", "d"];
    let more = ["--model", &model, "--seat", "chair=outside", "--output", "json"];
    let mut run = workspace.command(&[&args[..], &more].concat()).spawn().unwrap();
    let since = Instant::now();
    let mut ruled = 0;
    let code = loop {
        if let Some(status) = run.try_wait().unwrap() {
            break status.code();
        }
        assert!(since.elapsed() < Duration::from_secs(60), "it ends");
        let ran = workspace.agon(&["seats", "d1", "--seat", "chair", "--output", "json"]);
        let Ok(asked) = serde_json::from_str::<Value>(&ran.out) else {
            sleep(Duration::from_millis(40));
            continue;
        };
        workspace.write("ruling.txt", statement(&asked));
        ruled += u32::from(
            workspace.agon(&["answer", "d1", "--seat", "chair", "--name", "Ada", "--file", "ruling.txt"]).code == 0,
        );
    };
    let mut error = String::new();
    std::io::Read::read_to_string(&mut run.stderr.take().unwrap(), &mut error).unwrap();
    assert_eq!(code, Some(0), "{error}");
    assert!(ruled >= 2, "the chair opened and ended it");
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("\"outside:Ada\""));
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}
