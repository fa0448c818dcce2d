//! Judges as users name them: panels, orders, recusal.

use crate::cli::{bad_input::refused, workspace::Workspace};

#[test]
fn a_panel_judges_and_its_votes_are_on_the_record() {
    let workspace = Workspace::new();
    let ran = workspace.debate(&["--judges", "3", "--rounds", "0"]);
    assert!(ran.out.contains("3 judges in one order of the sides: 3 calls"), "{}", ran.out);
    let shown = workspace.json(&["show", "d1"]);
    let seats: Vec<&str> =
        shown["opened"]["lineup"].as_array().unwrap().iter().map(|sat| sat["seat"].as_str().unwrap()).collect();
    assert_eq!(seats, ["proposition", "opposition", "judge-1", "judge-2", "judge-3", "reporter"]);
    assert_eq!((&shown["opened"]["options"]["orders"], &shown["asked"]), (&"one".into(), &6.into()));
    assert_eq!(shown["outcome"]["figures"]["judges"]["quorum"], 2);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], serde_json::json!([]));
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn below_the_quorum_there_is_no_verdict() {
    let workspace = Workspace::new();
    let silent = r#"{"rules": [{"key": "*", "fail": "refused"}]}"#;
    workspace.write("silent.json", silent);
    let judges = "scripted:silent.json,scripted:willing.json,scripted:silent.json";
    workspace.willing();
    let ran = workspace.run_debate(&["--model", "scripted:willing.json", "--judges", judges, "--rounds", "0"]);
    assert_eq!(ran.code, 9, "{}", ran.err);
    let outcome = &workspace.json(&["show", "d1"])["outcome"];
    assert_eq!((&outcome["name"], &outcome["winner"]), (&"no_verdict".into(), &serde_json::Value::Null));
    let ran = workspace.agon(&["extend", "d1", "--max-requests", "100", "--seat", "judge=scripted:willing.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_cannot_judge_is_refused_before_anything_is_asked() {
    let workspace = Workspace::new();
    let run = |more: &'static [&'static str]| [&["run", "exchange", "x", "--model", "ollama:a"][..], more].concat();
    refused(&workspace, &run(&["--judges", "2"]), 2, "an odd number of judges");
    refused(&workspace, &run(&["--judges", "ollama:x,,ollama:y"]), 2, "has an empty entry");
    refused(&workspace, &run(&["--seat", "judge-2=ollama:x"]), 8, "no seat \"judge-2\"");
    let own = &["--seat", "opposition=ollama:b", "--seat", "judge=ollama:b"];
    refused(&workspace, &run(own), 2, "ollama:b would judge itself");
    refused(&workspace, &run(own), 2, "--self-judging");
    refused(&workspace, &["run", "duel", "x.md", "--judges", "3"], 2, "--judges is an option of exchange");
    let plan = workspace.json(&run(&["--judges", "3", "--orders", "both", "--plan"]));
    let judged = plan["requests"].as_array().unwrap().iter().filter(|call| call["prompt"] == "judgment").count();
    assert_eq!(judged, 12);
    assert!(plan["judging"].to_string().contains("6 calls for each judgment"), "{}", plan["judging"]);
    let one = workspace.json(&run(&["--orders", "one", "--plan"]));
    assert_eq!((&one["calls"], &one["judging"]), (&7.into(), &serde_json::json!([])));
    assert_eq!(workspace.json(&run(&["--plan"]))["calls"], 9);
}

#[test]
fn a_model_that_judges_itself_is_said_first() {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "0"]);
    let transcript = workspace.read("d/transcript.md");
    let head = transcript.split("## Seats").next().unwrap();
    assert!(head.contains("spoke for the proposition and the opposition and judged"), "{head}");
}

#[test]
fn a_debate_that_is_answered_from_an_earlier_one_is_judged_as_that_was() {
    let workspace = Workspace::new();
    let prefers = serde_json::json!({"rules": [
        {"key": "exchange-000/judgment*", "reply": {"scores": [
            {"argument_id": "a_000a", "reasoning": "It is so.", "score": 0.5}, {"argument_id": "a_000b", "reasoning": "It is so.", "score": 0.1},
            {"argument_id": "a_000c", "reasoning": "It is so.", "score": 0.0}, {"argument_id": "b_000a", "reasoning": "It is so.", "score": -0.2},
            {"argument_id": "b_000b", "reasoning": "It is so.", "score": -0.2}, {"argument_id": "b_000c", "reasoning": "It is so.", "score": -0.2}]}},
        {"key": "*", "sample": true}]});
    workspace.write("first.json", prefers.to_string());
    let ran = workspace.run_debate(&["--model", "scripted:first.json", "--rounds", "0", "--orders", "one"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let winner = |id: &str| workspace.json(&["show", id])["outcome"]["winner"].clone();
    for n in 2..6 {
        let id = format!("d{n}");
        let again = [
            "run",
            "exchange",
            "This house would rest.",
            "--model",
            "recorded:d1",
            "--rounds",
            "0",
            "--id",
            &id,
            "--out",
            &id,
        ];
        let ran = workspace.agon(&again);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(winner(&id), winner("d1"));
    }
}

#[test]
fn a_mirror_changes_the_models_about_and_says_what_that_did() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("other.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    // The judge finds for the proposition, whoever argues it.
    let scores: Vec<serde_json::Value> = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"]
        .iter()
        .map(|id| serde_json::json!({"argument_id": id, "reasoning": "It is so.", "score": if id.starts_with('p') { 0.2 } else { -0.2 }}))
        .collect();
    let script = serde_json::json!({"rules": [{"key": "*judgment*", "reply": {"scores": scores}}, {"key": "*", "sample": true}]});
    workspace.write("judge.json", script.to_string());
    let ran = workspace.run_debate(&[
        "--model",
        &model,
        "--seat",
        "opposition=scripted:other.json",
        "--seat",
        "judge=scripted:judge.json",
        "--rounds",
        "0",
        "--mirror",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("the mirror costs as much again"), "{}", ran.out);
    assert!(ran.out.contains("The side decided, not the debater: proposition won twice"), "{}", ran.out);
    let mirror = workspace.json(&["show", "d1-mirror"]);
    assert_eq!(mirror["opened"]["lineup"][0]["model"], "scripted:other.json");
    assert_eq!(mirror["opened"]["options"]["mirror_of"]["debate"], "d1");
    assert!(workspace.read("d-mirror/mirror.md").contains("scripted:other.json"));
    assert!(workspace.agon(&["show", "d1"]).out.contains("# The mirror of d1"));
    for id in ["d1", "d1-mirror"] {
        assert_eq!(workspace.json(&["replay", id])["files_different"], serde_json::json!([]));
        assert_eq!(workspace.json(&["check", id])["sound"], true);
    }
    // Nothing is held twice.
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 0);
    assert_eq!(workspace.json(&["list"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_baseline_spends_what_the_debate_spent_and_stands_beside_it() {
    let workspace = Workspace::new();
    let ran = workspace.debate(&["--rounds", "0", "--baseline"]);
    assert!(ran.out.contains("The same question, without a debate"), "{}", ran.out);
    let (debate, alone) = (workspace.json(&["show", "d1"]), workspace.json(&["show", "d1-baseline"]));
    let tokens = |shown: &serde_json::Value| {
        shown["used"]["prompt_tokens"].as_u64().unwrap() + shown["used"]["completion_tokens"].as_u64().unwrap()
    };
    let figures = &alone["outcome"]["figures"];
    assert_eq!(figures["tokens"].as_u64().unwrap(), tokens(&alone));
    let asked = figures["asked"].as_u64().unwrap();
    assert!(asked > 1 && asked <= 100, "{figures}");
    let mean = tokens(&alone) / asked;
    assert!(tokens(&alone) <= tokens(&debate), "{alone}");
    assert!(asked == 100 || tokens(&alone) + 2 * mean > tokens(&debate), "{asked} of {mean}: {}", tokens(&debate));
    let summary = alone["outcome"]["summary"].as_str().unwrap();
    let both = format!("for {} tokens beside {} of the debate", tokens(&alone), tokens(&debate));
    assert!(summary.contains(&both), "{summary}");
    assert!(debate["companions"]["baseline"].as_str().unwrap().contains("The majority of"));
    assert_eq!(workspace.json(&["replay", "d1-baseline"])["files_different"], serde_json::json!([]));
}

#[test]
fn companions_of_a_debate_that_stopped_are_held_when_it_goes_on() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace
        .write("out.json", r#"{"rules": [{"key": "*judgment", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#);
    let ran = workspace.run_debate(&["--model", "scripted:out.json", "--rounds", "0", "--baseline"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let ran = workspace.agon(&["resume", "d1", "--model", &model]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workspace.json(&["show", "d1-baseline"])["closed"], true);
}
