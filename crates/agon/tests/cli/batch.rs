//! Many debates out of a file.

use std::{thread::sleep, time::Duration};

use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

fn results(out: &str) -> (Vec<Value>, Value) {
    let mut lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.pop().unwrap();
    lines.sort_by_key(|line| line["line"].as_u64());
    (lines, last)
}

/// A judge that scores by the letters of ids, whatever they mean.
fn by_letter(first: f64) -> String {
    let scores: Vec<Value> = ["a_000a", "a_000b", "a_000c", "b_000a", "b_000b", "b_000c"]
        .iter()
        .map(|id| json!({"argument_id": id, "reasoning": "It is so.", "score": if id.starts_with('a') { first } else { -first }}))
        .collect();
    json!({"rules": [{"key": "*judgment*", "reply": {"scores": scores}}, {"key": "*", "sample": true}]}).to_string()
}

#[test]
fn every_line_has_its_own_code_and_the_batch_says_whether_all_went_well() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let line = |more: Value| {
        let mut line = json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "rounds": 0});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    workspace.write(
        "good.jsonl",
        [line(json!({"id": "a"})), String::new(), line(json!({"id": "b", "judges": 3}))].join("\n"),
    );
    let ran = workspace.agon(&["batch", "good.jsonl", "--concurrency", "2", "--output", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let (lines, last) = results(&ran.out);
    assert_eq!(lines.iter().map(|line| line["line"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(
        (&lines[1]["id"], &lines[1]["code"], &lines[1]["outcome"]["name"]),
        (&json!("b"), &json!(0), &json!("even"))
    );
    assert_eq!((&last["event"], &last["closed_well"]), (&json!("batch"), &json!(2)));
    assert_eq!(workspace.json(&["check", "b"])["sound"], true);

    workspace.write("silent.json", r#"{"rules": [{"key": "*", "fail": "refused"}]}"#);
    let bad = [
        line(json!({"id": "c"})),
        "{".into(),
        line(json!({"id": "a"})),
        line(json!({"id": "e", "model": "scripted:silent.json"})),
        line(json!({"protocol": "exchagne"})),
    ];
    workspace.write("bad.jsonl", bad.join("\n"));
    let ran = workspace.agon(&["batch", "bad.jsonl", "--output", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let codes: Vec<u64> = results(&ran.out).0.iter().map(|line| line["code"].as_u64().unwrap()).collect();
    assert_eq!(codes, [0, 2, 0, 9, 8]);
    let ran = workspace.agon(&["batch", "bad.jsonl"]);
    assert!(ran.out.contains("line 2: no debate: not a JSON object"), "{}", ran.out);
    assert_eq!(workspace.agon(&["batch", "none.jsonl"]).code, 7);
}

#[test]
fn three_copies_of_one_judge_have_one_effective_vote() {
    let workspace = Workspace::new();
    for (n, first) in [0.1, 0.3, -0.2, 0.2].into_iter().enumerate() {
        workspace.write(&format!("judge-{n}.json"), by_letter(first));
    }
    // Each debate has another line of scores, the same for all three judges.
    let lines: Vec<String> = (0..4)
        .map(|n| {
            json!({"protocol": "exchange", "motion": "This house would rest.", "model": workspace.willing(), "rounds": 0,
                   "orders": "both", "seats": {"judge": format!("scripted:judge-{n}.json")}, "judges": 3, "id": format!("d{n}")})
            .to_string()
        })
        .collect();
    workspace.write("flip.jsonl", lines.join("\n"));
    let ran = workspace.agon(&["batch", "flip.jsonl", "--output", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let agreement = results(&ran.out).1["agreement"].clone();
    assert_eq!((&agreement["effective_votes"], &agreement["judges"]), (&json!(1.0), &json!(3)));
    // They score by the letter alone, so that every vote flips.
    assert_eq!((&agreement["flip_rate"], &agreement["flips"]), (&json!(1.0), &json!(12)));
    let one = workspace.write("one.jsonl", lines[0].replace("d0", "d9"));
    let ran = workspace.agon(&["batch", one.to_str().unwrap()]);
    assert!(ran.out.contains("effective votes: not computable from one debate"), "{}", ran.out);
}

/// Debates of `count` lines; their judge waits, so that a kill finds them under way.
fn slow(workspace: &Workspace, count: usize, named: bool) {
    let model = |delay: u64| json!({"rules": [{"key": "*judgment*", "sample": true, "delay_ms": delay}, {"key": "*", "sample": true}]});
    workspace.write("slow.json", model(20_000).to_string());
    let line = |n: usize| {
        let mut line = json!({"protocol": "exchange", "motion": format!("This house would rest {}.", n / 2),
            "model": "scripted:slow.json", "rounds": 0});
        if named {
            line["id"] = json!(format!("d{n}"));
        }
        line.to_string()
    };
    workspace.write("all.jsonl", (0..count).map(line).collect::<Vec<_>>().join("\n"));
}

/// Runs a batch until `begun` debates of it are judged, and kills it.
fn killed(workspace: &Workspace, begun: usize) {
    let line = ["batch", "all.jsonl", "--concurrency", &begun.to_string(), "--output", "json"];
    let mut child = workspace.command(&line).spawn().unwrap();
    let judged = || {
        let folders = std::fs::read_dir(workspace.work().join("debates")).into_iter().flatten().flatten();
        let asked = |folder: &std::fs::DirEntry| folder.path().join("arguments").is_dir();
        folders.filter(asked).count()
    };
    while judged() < begun {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let quick = json!({"rules": [{"key": "*", "sample": true}]});
    workspace.write("slow.json", quick.to_string());
}

#[test]
fn a_killed_batch_goes_on_and_pays_for_nothing_twice() {
    for named in [true, false] {
        let workspace = Workspace::new();
        slow(&workspace, 5, named);
        killed(&workspace, 2);
        let listed = workspace.json(&["list"]).as_array().unwrap().len();
        assert_eq!(listed, 2, "as many as were begun");
        let again = |states: [u64; 3]| {
            let ran = workspace.agon(&["batch", "all.jsonl", "--concurrency", "2", "--output", "json"]);
            assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
            let (lines, last) = results(&ran.out);
            let counts = ["new", "resumed", "repeated"].map(|state| last[state].as_u64().unwrap());
            assert_eq!((counts, last["closed_well"].as_u64()), (states, Some(5)), "{}", ran.out);
            lines
        };
        let lines = again([3, 2, 0]);
        let states: Vec<&str> = lines.iter().map(|line| line["state"].as_str().unwrap()).collect();
        assert_eq!(states, ["resumed", "resumed", "new", "new", "new"]);
        let spent = || -> Vec<Value> {
            lines.iter().map(|line| workspace.json(&["show", line["id"].as_str().unwrap()])["used"].clone()).collect()
        };
        let before = spent();
        let repeated = again([0, 0, 5]);
        assert_eq!(spent(), before, "nothing is asked of a debate that is over");
        for (first, second) in lines.iter().zip(&repeated) {
            assert_eq!((&first["id"], &first["outcome"]), (&second["id"], &second["outcome"]));
        }
        assert_eq!(workspace.json(&["list"]).as_array().unwrap().len(), 5);
        let told = workspace.agon(&["batch", "all.jsonl"]).out;
        assert!(told.contains("(repeated): ") && told.contains("(0 new, 0 resumed, 5 repeated)"), "{told}");
    }
}

#[test]
fn repeated_debates_count_for_the_agreement_of_judges() {
    let workspace = Workspace::new();
    let line = |n: usize| {
        json!({"protocol": "exchange", "motion": "This house would rest.", "model": workspace.willing(), "rounds": 0,
               "judges": 3, "id": format!("d{n}")})
        .to_string()
    };
    workspace.write("all.jsonl", (0..3).map(line).collect::<Vec<_>>().join("\n"));
    let agreement = || {
        let ran = workspace.agon(&["batch", "all.jsonl", "--output", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        results(&ran.out).1["agreement"].clone()
    };
    let first = agreement();
    assert_eq!(first["debates"], 3, "{first}");
    assert_eq!(agreement(), first);
}

#[test]
fn a_line_that_was_changed_under_its_id_is_refused_alone() {
    let workspace = Workspace::new();
    let line = |id: &str, more: Value| {
        let mut line = json!({"protocol": "exchange", "motion": "motion.txt", "model": workspace.willing(), "rounds": 0, "id": id});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    workspace.write("motion.txt", "This house would rest.");
    workspace.write("all.jsonl", [line("a", json!({})), line("b", json!({}))].join("\n"));
    assert_eq!(workspace.agon(&["batch", "all.jsonl"]).code, 0);
    workspace.write("all.jsonl", [line("a", json!({"rounds": 1})), line("b", json!({}))].join("\n"));
    let ran = workspace.agon(&["batch", "all.jsonl"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.out.contains("line 1: no debate: the debate a was started with other values (rounds or budgets)"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("line 2: b (repeated): "), "{}", ran.out);
    // What a file says is part of the line.
    workspace.write("motion.txt", "This house would work.");
    let ran = workspace.agon(&["batch", "all.jsonl"]);
    assert!(ran.out.contains("the debate b was started with other values (motion)"), "{}", ran.out);
    workspace.write("all.jsonl", [line("c", json!({})), line("c", json!({}))].join("\n"));
    let ran = workspace.agon(&["batch", "all.jsonl"]);
    assert!(ran.out.contains("line 2: no debate: line 1 has the same id, \"c\""), "{}", ran.out);
    // A debate that `run` opened is the same where everything is.
    let model = workspace.willing();
    let run = ["run", "exchange", "This house would work.", "--model", &model, "--rounds", "0", "--id", "r"];
    assert_eq!(workspace.agon(&run).code, 0);
    workspace.write("all.jsonl", line("r", json!({})));
    assert!(workspace.agon(&["batch", "all.jsonl"]).out.contains("line 1: r (repeated): "));
}

/// Kills of a batch where nobody says how many; `AGON_TEST_KILLS` is their number, for a longer test.
const KILLS: u64 = 6;

#[test]
fn a_batch_that_is_killed_anywhere_repeats_and_loses_nothing() {
    let kills = std::env::var("AGON_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    let count = 4 + kills as usize;
    let lines = |workspace: &Workspace| {
        let script = json!({"rules": [{"key": "*", "sample": true, "delay_ms": 15}]});
        workspace.write("slow.json", script.to_string());
        let line = |n: usize| {
            json!({"protocol": "exchange", "motion": format!("This house would rest {n}."),
                   "model": "scripted:slow.json", "rounds": 1})
            .to_string()
        };
        workspace.write("all.jsonl", (0..count).map(line).collect::<Vec<_>>().join("\n"));
    };
    let args = ["batch", "all.jsonl", "--concurrency", "3", "--output", "json", "--files", "none"];
    let whole = Workspace::new();
    lines(&whole);
    let undisturbed = results(&whole.agon(&args).out).0;
    let workspace = Workspace::new();
    lines(&workspace);
    let over = || -> std::collections::BTreeMap<String, Value> {
        let listed = workspace.json(&["list"]);
        let closed = listed.as_array().unwrap().iter().filter(|one| !one["outcome"].is_null());
        let used = |id: &str| workspace.json(&["show", id])["used"].clone();
        closed.map(|one| one["id"].as_str().unwrap().to_owned()).map(|id| (id.clone(), used(&id))).collect()
    };
    let mut seen = std::collections::BTreeMap::new();
    // Prime steps, so that no two kills meet the same moment.
    for kill in 0..kills {
        let mut child = workspace.command(&args).spawn().unwrap();
        sleep(Duration::from_millis(60 + kill * 137 % 400));
        let _ = child.kill();
        child.wait().unwrap();
        if kill % 3 == 2 {
            let now = over();
            for (id, used) in &seen {
                assert_eq!(now.get(id), Some(used), "{id} was over, and nothing more is asked of it");
            }
            seen = now;
        }
    }
    let (told, last) = results(&workspace.agon(&args).out);
    assert_eq!(last["closed_well"].as_u64(), Some(count as u64), "{last}");
    let pairs = |told: &[Value]| -> Vec<(Value, Value)> {
        told.iter().map(|line| (line["id"].clone(), line["outcome"].clone())).collect()
    };
    assert_eq!(pairs(&told), pairs(&undisturbed), "each line has its debate, with the same end");
    assert_eq!(workspace.json(&["list"]).as_array().unwrap().len(), count, "and no line has two");
    println!("{kills} kills, {count} lines: {} over before the last run, 0 repeated, 0 lost", last["repeated"]);
    let repeated = results(&workspace.agon(&args).out).1;
    assert_eq!((&repeated["repeated"], &repeated["used"]["requests"]), (&json!(count), &json!(0)));
}
