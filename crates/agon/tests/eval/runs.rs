//! Whole evaluations: what is asked, observed, skipped and reported.

use serde_json::{Value, json};

use crate::eval::{
    workspace::Workspace,
    world::{answered, certain, item, items, lines, observations},
};

const ARMS: [&str; 6] = ["--arm", "direct", "--arm", "critique", "--arm", "debate-mirrored"];

fn eval<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["eval", "items.jsonl", "--model", "scripted:sure.json", "--out", "run"], more].concat()
}

#[test]
fn three_arms_run_to_their_end_and_a_second_run_asks_nothing() {
    let workspace = Workspace::new();
    items(&workspace, 4);
    certain(&workspace, "sure.json", 0.8);
    let line = eval(&[&ARMS[..], &["--output", "json"]].concat());
    let ran = workspace.agon(&line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&value["done"], &value["debates"], &value["new"]), (&json!(12), &json!(12), &json!(12)));
    let seen = observations(&workspace, "run");
    assert_eq!(seen.len(), 12);
    for ((item, arm, _), line) in &seen {
        assert_eq!(line["state"], "answered", "{line}");
        let shares: Vec<f64> =
            line["probabilities"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect();
        let choices = ["Ada", "Ben", "Cleo"];
        let at = choices.iter().position(|choice| line["answer"] == *choice).unwrap();
        assert!((shares[at] - 0.8).abs() < 1e-9, "{item} {arm}: the order of the file: {line}");
        assert_eq!(line["choices"], json!(choices));
        assert_eq!(line["gold"], "Ben");
        assert_eq!(line["models"], json!(["scripted"]));
    }
    let answers = |arm: &str| -> Vec<&Value> {
        seen.iter().filter(|((_, other, _), _)| other == arm).map(|(_, line)| &line["answer"]).collect()
    };
    assert_eq!(answers("direct"), answers("critique"), "arms are shown the choices in the same order");
    let mirrored = &seen[&("q0".into(), "debate-mirrored".into(), 0)];
    // The judge always says A, so each time the side that argues for A wins.
    assert_eq!(mirrored["mirror"], json!({"debate": 0, "mirror": 1}));
    assert_eq!((&mirrored["votes"][0]["flip"], &mirrored["verified_quote"]), (&json!(false), &json!(true)));
    assert_eq!(mirrored["sides"].as_array().unwrap().len(), 2);
    assert_eq!(mirrored["usage"]["calls"], 12);
    let calls = answered(&workspace);
    assert_eq!(calls, 4 * (1 + 3 + 12));

    let again: Value = serde_json::from_str(&workspace.agon(&line).out).unwrap();
    assert_eq!((&again["done"], &again["new"]), (&json!(12), &json!(0)));
    assert_eq!(answered(&workspace), calls);
    // Also in another folder: the debates are in the journal.
    let mut elsewhere = line.clone();
    elsewhere[5] = "other";
    let other: Value = serde_json::from_str(&workspace.agon(&elsewhere).out).unwrap();
    assert_eq!((&other["done"], answered(&workspace)), (&json!(12), calls));
    assert_eq!(observations(&workspace, "other"), seen);
    // Each debate is one like any other.
    let id = mirrored["debate"].as_str().unwrap();
    assert_eq!(workspace.json(&["check", id])["sound"], true);
    assert_eq!(workspace.json(&["replay", id])["files_different"], json!([]));
}

#[test]
fn every_shipped_arm_answers() {
    let workspace = Workspace::new();
    items(&workspace, 1);
    certain(&workspace, "sure.json", 0.6);
    let arms = [
        ("direct", 1),
        ("cot", 1),
        ("self-consistency", 5),
        ("critique", 3),
        ("consultancy", 6),
        ("debate", 7),
        ("debate-mirrored", 12),
        ("judge-with-source", 7),
    ];
    let named: Vec<&str> = arms.iter().flat_map(|(arm, _)| ["--arm", arm]).collect();
    let ran = workspace.agon(&eval(&named));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let seen = observations(&workspace, "run");
    for (arm, calls) in arms {
        let line = &seen[&("q0".to_owned(), arm.to_owned(), 0)];
        assert_eq!((&line["usage"]["calls"], &line["state"]), (&json!(calls), &json!("answered")), "{arm}: {line}");
    }
    let debate = &seen[&("q0".to_owned(), "debate".to_owned(), 0)];
    assert_eq!(debate["votes"][0]["first_shown"], debate["answer"], "the first speaker argues for A");
    let consultancy = &seen[&("q0".to_owned(), "consultancy".to_owned(), 0)];
    assert_eq!(consultancy["mirror"], json!({"debate": 0, "mirror": 1}));
}

#[test]
fn samples_are_independent_and_the_majority_decides() {
    let workspace = Workspace::new();
    items(&workspace, 1);
    let say = |letter: &str, share: f64| {
        let rest = (1.0 - share) / 2.0;
        let shares: serde_json::Map<String, Value> =
            ["A", "B", "C"].iter().map(|l| ((*l).to_owned(), json!(if *l == letter { share } else { rest }))).collect();
        json!({"reasoning": "So.", "answer": letter, "probabilities": shares})
    };
    let rules = json!({"rules": [
        {"key": "*sample-1", "reply": say("B", 0.9)},
        {"key": "*sample-2", "reply": say("C", 0.5)},
        {"key": "*sample-3", "reply": say("C", 0.5)},
        {"key": "*", "fail": "refused"},
    ]});
    workspace.write("sure.json", rules.to_string());
    let ran = workspace.agon(&eval(&["--arm", "self-consistency", "--samples", "4"]));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let seen = observations(&workspace, "run");
    let line = &seen[&("q0".to_owned(), "self-consistency".to_owned(), 0)];
    assert_eq!(line["state"], "answered", "a vote does not need each sample: {line}");
    let record = workspace.json(&["show", line["debate"].as_str().unwrap()]);
    assert_eq!(record["outcome"]["name"], "C", "two of three, however sure the other one is");
    assert_eq!(record["outcome"]["figures"]["decided"]["votes"], json!({"A": 0, "B": 1, "C": 2}));
    let line = [
        "eval",
        "items.jsonl",
        "--model",
        "scripted:sure.json",
        "--arm",
        "self-consistency",
        "--samples",
        "7",
        "--out",
        "few",
    ];
    assert_eq!(workspace.agon(&line).code, 0);
    let few = &observations(&workspace, "few")[&("q0".to_owned(), "self-consistency".to_owned(), 0)];
    assert!(few["state"]["degraded"]["reason"].as_str().unwrap().contains("did not answer"), "3 of 7: {few}");
}

#[test]
fn a_plan_says_what_it_takes_and_recommends_the_mirror() {
    let workspace = Workspace::new();
    items(&workspace, 10);
    certain(&workspace, "sure.json", 0.6);
    let arms = ["--arm", "self-consistency", "--arm", "debate", "--equal-tokens", "--plan"];
    let plan = workspace.json(&eval(&arms));
    assert_eq!((&plan["items"], &plan["debates"]), (&json!(10), &json!(20)));
    let arm = |name: &str| plan["arms"].as_array().unwrap().iter().find(|arm| arm["arm"] == name).unwrap().clone();
    assert_eq!(arm("debate")["calls"], 70.0);
    let tokens = |name: &str| {
        arm(name)["prompt_tokens"].as_f64().unwrap() + 0.35 * arm(name)["completion_tokens_max"].as_f64().unwrap()
    };
    let ratio = tokens("self-consistency") / tokens("debate");
    assert!((1.0..1.3).contains(&ratio), "{ratio}: {plan}");
    let advice = plan["advice"][0].as_str().unwrap();
    assert!(advice.contains("debate-mirrored") && advice.contains("about 4 of 10 pairs"), "{advice}");
    assert!(!workspace.work().join("run").exists(), "a plan writes nothing");
    assert_eq!(workspace.json(&["list"]), json!([]));
    let mirrored = workspace.json(&eval(&["--arm", "debate-mirrored", "--arm", "self-consistency", "--plan"]));
    assert_eq!(mirrored["advice"], json!([]));
}

#[test]
fn a_pilot_is_a_sample_that_its_seed_decides() {
    let workspace = Workspace::new();
    items(&workspace, 30);
    certain(&workspace, "sure.json", 0.7);
    let pilot = |seed: &str, out: &str| -> Vec<String> {
        let line =
            ["eval", "items.jsonl", "--model", "scripted:sure.json", "--pilot", "5", "--seed", seed, "--out", out];
        let ran = workspace.agon(&line);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let mut ids: Vec<String> = observations(&workspace, out).into_keys().map(|(item, ..)| item).collect();
        ids.dedup();
        ids
    };
    let first = pilot("1", "one");
    assert_eq!(first.len(), 5);
    assert_eq!(pilot("1", "again"), first);
    assert_ne!(pilot("2", "two"), first);
    let arms: std::collections::BTreeSet<String> =
        observations(&workspace, "one").into_keys().map(|(_, arm, _)| arm).collect();
    assert_eq!(arms.into_iter().collect::<Vec<_>>(), ["debate-mirrored", "direct"]);
}

#[test]
fn arms_and_repetitions_can_be_added_and_a_budget_stops_and_continues() {
    let workspace = Workspace::new();
    items(&workspace, 6);
    certain(&workspace, "sure.json", 0.7);
    let ran = workspace.agon(&eval(&["--arm", "direct", "--max-requests", "4", "--concurrency", "2"]));
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("--max-requests"), "{}", ran.err);
    assert_eq!(observations(&workspace, "run").len(), 4);
    assert_eq!(workspace.agon(&eval(&["--arm", "direct"])).code, 0);
    assert_eq!(answered(&workspace), 6);
    let more = ["--arm", "direct", "--arm", "cot", "--repeat", "2"];
    assert_eq!(workspace.agon(&eval(&more)).code, 0);
    assert_eq!(answered(&workspace), 24);
    assert_eq!(observations(&workspace, "run").len(), 24);
    let ids: std::collections::BTreeSet<String> =
        observations(&workspace, "run").values().map(|line| line["debate"].to_string()).collect();
    assert_eq!(ids.len(), 24);
}

#[test]
fn observations_from_elsewhere_are_reported() {
    let workspace = Workspace::new();
    let observed = |n: usize| {
        json!({"item": format!("i{n}"), "arm": "theirs", "gold": "x", "choices": ["x", "y"], "state": "answered",
               "answer": if n.is_multiple_of(3) { "y" } else { "x" }})
    };
    lines(&workspace, "theirs.jsonl", (0..9).map(observed));
    let ran = workspace.agon(&["eval", "import", "theirs.jsonl", "--out", "theirs", "--output", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["observations"], 9);
    assert_eq!(workspace.agon(&["eval", "report", "theirs"]).code, 0);
    let twice = workspace.agon(&["eval", "import", "theirs.jsonl", "--out", "theirs"]);
    assert_eq!(twice.code, 2, "{}", twice.err);
    let judged = [
        json!({"debate": {"id": "d", "item": "i", "arm": "theirs", "choices": ["x", "y"], "gold": "x"}}),
        json!({"judgment": {"judge": "j", "answer": "x"}}),
    ];
    lines(&workspace, "judged.jsonl", judged.into_iter());
    assert_eq!(workspace.agon(&["eval", "import", "judged.jsonl", "--out", "judged"]).code, 0);
    assert_eq!(observations(&workspace, "judged").values().next().unwrap()["votes"][0]["judge"], "j");
    lines(
        &workspace,
        "bad.jsonl",
        [observed(0), json!({"item": "i", "arm": "a", "probabilities": [0.2, 0.2]})].into_iter(),
    );
    let bad = workspace.agon(&["eval", "import", "bad.jsonl", "--out", "bad"]);
    assert!(bad.code == 2 && bad.err.contains("line 2"), "{}", bad.err);
    assert!(!workspace.work().join("bad").exists());
}

#[test]
fn a_protocol_of_the_user_is_an_arm() {
    let workspace = Workspace::new();
    lines(&workspace, "items.jsonl", std::iter::once(item(1)));
    workspace.write("mine.toml", MINE);
    workspace.write("sure.json", json!({"rules": [{"key": "*", "reply": {"answer": "(b) because"}}]}).to_string());
    let ran = workspace.agon(&eval(&["--arm", "./mine.toml"]));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let line = &observations(&workspace, "run")[&("q1".to_owned(), "mine".to_owned(), 0)];
    assert!(line["answer"].is_string() && line.get("probabilities").is_none(), "{line}");
}

const MINE: &str = r#"name = "mine"
summary = "One answers"
[[seat]]
name = "one"
role = "debater"
about = "answers"
[[phase]]
name = "only"
[[phase.ask]]
name = "say"
seats = ["one"]
prompt = "{{ question }} {% for choice in choices %}{{ choice.letter }} {{ choice.text }} {% endfor %}"
field = [{ name = "answer", type = "answer" }]
[outcome]
read = "answer"
ask = "say"
"#;
