//! What cannot be evaluated is refused before anything is asked; what fails is told apart from what is wrong.

use serde_json::{Value, json};

use crate::eval::{
    workspace::{Ran, Workspace},
    world::{answered, certain, item, items, lines, observations},
};

fn with(workspace: &Workspace, more: &[&str]) -> Ran {
    workspace.agon(&[&["eval", "items.jsonl", "--model", "scripted:sure.json", "--out", "run"], more].concat())
}

fn changed(n: usize, name: &str, value: Value) -> Value {
    let mut item = item(n);
    item[name] = value;
    item
}

#[test]
fn items_that_cannot_be_evaluated_are_named_with_their_line() {
    let workspace = Workspace::new();
    certain(&workspace, "sure.json", 0.8);
    let cases: [(Vec<Value>, &str); 8] = [
        (vec![item(1), item(1)], "line 2: the id \"q1\" occurs twice"),
        (vec![changed(1, "choices", json!(["Ben", "ben."]))], "overlap"),
        (vec![changed(1, "gold", json!("Dora"))], "not among the choices"),
        (vec![changed(1, "choices", json!(["Ben"]))], "2 to 26 choices"),
        (vec![changed(1, "answer", json!("Ben"))], "unknown field"),
        (vec![changed(1, "question", json!(" "))], "question"),
        (vec![changed(1, "question", json!("x".repeat(19_999)))], "at most 20000"),
        (vec![json!({"id": "q", "question": "Q?"})], "has no choices"),
    ];
    for (wrong, says) in cases {
        lines(&workspace, "items.jsonl", wrong.into_iter());
        let ran = with(&workspace, &["--arm", "direct"]);
        assert!(ran.code == 2 && ran.err.contains(says), "{says}: {} {}", ran.code, ran.err);
    }
    workspace.write("items.jsonl", "");
    let ran = with(&workspace, &["--arm", "direct"]);
    assert!(ran.code == 2 && ran.err.contains("no items"), "{}", ran.err);
    workspace.write("items.jsonl", "[\n{}\n]");
    let ran = with(&workspace, &["--arm", "direct"]);
    assert!(ran.code == 2 && ran.err.contains("array"), "{}", ran.err);
    let ran = workspace.agon(&["eval", "none.jsonl", "--arm", "direct"]);
    assert!(ran.code == 7 && ran.err.contains("none.jsonl"), "{}", ran.err);
    assert!(!workspace.work().join("run").exists());
    assert_eq!(workspace.json(&["list"]), json!([]));
}

#[test]
fn items_without_gold_and_one_item_run_with_a_note() {
    let workspace = Workspace::new();
    certain(&workspace, "sure.json", 0.8);
    let mut bare = item(1);
    bare.as_object_mut().unwrap().remove("gold");
    lines(&workspace, "items.jsonl", std::iter::once(bare));
    let ran = with(&workspace, &["--arm", "direct"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("no item has a gold answer") && ran.err.contains("1 item:"), "{}", ran.err);
    assert!(observations(&workspace, "run").values().all(|line| line.get("gold").is_none()));
}

#[test]
fn arms_that_cannot_answer_are_refused() {
    let workspace = Workspace::new();
    items(&workspace, 2);
    certain(&workspace, "sure.json", 0.8);
    workspace.write(
        "talk.toml",
        "name = \"talk\"\nsummary = \"x\"\n[[seat]]\nname = \"one\"\nrole = \"debater\"\nabout = \"x\"\n\
         [[phase]]\nname = \"only\"\n[[phase.ask]]\nname = \"say\"\nseats = [\"one\"]\nprompt = \"x\"\n",
    );
    for (more, code, says) in [
        (&[][..], 2, "no arm is named"),
        (&["--arm", "talk.toml"][..], 2, "no judge of answers: it ends without a decision"),
        (&["--arm", "exchange"][..], 2, "none of them is among the choices"),
        (&["--arm", "duel"][..], 2, "debates a document"),
        (&["--arm", "drect"][..], 8, "direct"),
        (&["--arm", "direct", "--arm", "direct"][..], 2, "named twice"),
        (&["--arm", "direct", "--seat", "jugde=local"][..], 8, "the seats of these arms are answerer"),
        (&["--arm", "direct", "--seat", "answerer=human"][..], 2, "ask models alone"),
        (&["--arm", "direct", "--equal-tokens"][..], 2, "no arm takes samples"),
        (&["--arm", "direct", "--max-requests", "0"][..], 2, "more than zero"),
    ] {
        let ran = with(&workspace, more);
        assert!(ran.code == code && ran.err.contains(says), "{more:?}: {} {}", ran.code, ran.err);
    }
    workspace.write("run/other.txt", "x");
    let ran = with(&workspace, &["--arm", "direct"]);
    assert!(ran.code == 2 && ran.err.contains("holds no evaluation"), "{}", ran.err);
    assert_eq!(workspace.json(&["list"]), json!([]));
}

#[test]
fn a_run_is_not_continued_with_other_items_models_or_prompts() {
    let workspace = Workspace::new();
    items(&workspace, 3);
    certain(&workspace, "sure.json", 0.8);
    certain(&workspace, "other.json", 0.6);
    assert_eq!(with(&workspace, &["--arm", "direct"]).code, 0);
    let before = observations(&workspace, "run");
    let refused = |more: &[&str], says: &str| {
        let ran = with(&workspace, more);
        assert!(ran.code == 5 && ran.err.contains(says), "{says}: {} {}", ran.code, ran.err);
        assert!(ran.err.contains("--out"), "{}", ran.err);
        assert_eq!(observations(&workspace, "run"), before);
    };
    refused(&["--arm", "direct", "--seat", "answerer=scripted:other.json"], "scripted:other.json");
    refused(&["--arm", "direct", "--seed", "7"], "seed");
    refused(&["--arm", "direct", "--pilot", "2"], "--pilot 2");
    items(&workspace, 4);
    refused(&["--arm", "direct"], "the item \"q3\" is new");
    lines(&workspace, "items.jsonl", (0..3).map(|n| if n == 1 { changed(1, "gold", json!("Ada")) } else { item(n) }));
    refused(&["--arm", "direct"], "the item \"q1\" was changed");
    items(&workspace, 3);
    workspace.write(".agon/prompts/direct/verdict.md", "{{ role(\"user\") }}\nAnswer: {{ question }}");
    refused(&["--arm", "direct"], "prompts");
    std::fs::remove_dir_all(workspace.work().join(".agon")).unwrap();
    assert_eq!(with(&workspace, &["--arm", "direct"]).code, 0);
    let out = workspace.work().join("run");
    std::fs::write(out.join("run.json"), "{").unwrap();
    let ran = with(&workspace, &["--arm", "direct"]);
    assert!(ran.code == 6 && ran.err.contains("run.json"), "{}", ran.err);
}

#[test]
fn a_provider_that_is_down_for_one_arm_fails_that_arm_alone_and_is_tried_again() {
    let workspace = Workspace::new();
    items(&workspace, 8);
    certain(&workspace, "sure.json", 0.8);
    workspace.write("down.json", r#"{"rules": [{"key": "*", "fail": "unavailable"}]}"#);
    let more = ["--arm", "direct", "--arm", "critique", "--seat", "critic=scripted:down.json", "--output", "json"];
    let ran = with(&workspace, &more);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&value["done"], &value["failed"]), (&json!(8), &json!(8)));
    assert_eq!(value["failures"][0]["arm"], "critique");
    let seen = observations(&workspace, "run");
    let of =
        |arm: &str| seen.iter().filter(|((_, other, _), _)| other == arm).map(|(_, line)| line).collect::<Vec<_>>();
    assert!(of("direct").iter().all(|line| line["state"] == "answered"));
    assert!(of("critique").iter().all(|line| line["state"]["failed"].is_object() && line.get("answer").is_none()));
    let not_asked = |line: &&&Value| line["state"]["failed"]["reason"].as_str().unwrap().starts_with("not asked");
    assert!(of("critique").iter().filter(not_asked).count() >= 3, "after a few, no more are tried");
    let before = answered(&workspace);
    certain(&workspace, "down.json", 0.8);
    let ran = with(&workspace, &more);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let seen = observations(&workspace, "run");
    assert!(seen.values().all(|line| line["state"] == "answered"), "{seen:?}");
    // What had been answered is not asked again: of each debate that had begun, the first answer.
    let begun = before - 8;
    assert_eq!(answered(&workspace), 8 + 8 * 3);
    assert!(begun > 0 && begun < 8, "{begun}");
}

#[test]
fn probabilities_that_are_none_are_sent_back_and_then_count_as_no_answer() {
    let workspace = Workspace::new();
    items(&workspace, 2);
    let shares = |a: f64| json!({"answer": "A", "probabilities": {"A": a, "B": 0.1, "C": 0.1}});
    let rules = json!({"rules": [{"key": "*redraft-1", "reply": shares(0.8)}, {"key": "*", "reply": shares(0.5)}]});
    workspace.write("sure.json", rules.to_string());
    let ran = with(&workspace, &["--arm", "direct"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let seen = observations(&workspace, "run");
    assert!(seen.values().all(|line| line["state"] == "answered" && line["usage"]["calls"] == 2), "{seen:?}");
    workspace.write("sure.json", json!({"rules": [{"key": "*", "reply": shares(0.5)}]}).to_string());
    let ran = workspace.agon(&[
        "eval",
        "items.jsonl",
        "--model",
        "scripted:sure.json",
        "--out",
        "never",
        "--arm",
        "direct",
        "--seed",
        "2",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in observations(&workspace, "never").values() {
        assert!(line["state"]["degraded"].is_object() && line.get("answer").is_none(), "{line}");
    }
}

#[test]
fn a_judge_that_is_always_certain_is_observed_as_it_is() {
    let workspace = Workspace::new();
    items(&workspace, 4);
    certain(&workspace, "sure.json", 1.0);
    let ran = with(&workspace, &["--arm", "direct"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in observations(&workspace, "run").values() {
        let mut shares: Vec<f64> =
            line["probabilities"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect();
        shares.sort_by(f64::total_cmp);
        assert_eq!(shares, [0.0, 0.0, 1.0]);
    }
}

#[test]
fn two_processes_do_not_write_to_one_run() {
    let workspace = Workspace::new();
    items(&workspace, 2);
    workspace.write("sure.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let line = ["eval", "items.jsonl", "--model", "scripted:sure.json", "--out", "run", "--arm", "direct"];
    let mut child = workspace.command(&line).spawn().unwrap();
    let began = std::time::Instant::now();
    while !workspace.work().join("run/observations.jsonl").exists() {
        assert!(began.elapsed().as_secs() < 30, "it does not begin");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let ran = workspace.agon(&line);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ran.code == 5 && ran.err.contains("another process"), "{} {}", ran.code, ran.err);
}
