//! Judges as users name them: panels, orders, recusal.

use crate::{bad_input::refused, room::Room};

#[test]
fn a_panel_judges_and_its_votes_are_on_the_record() {
    let room = Room::new();
    let ran = room.debate(&["--judges", "3", "--rounds", "0"]);
    assert!(ran.out.contains("3 judges in one order of the sides: 3 calls"), "{}", ran.out);
    let shown = room.json(&["show", "d1"]);
    let seats: Vec<&str> = shown["opened"]["lineup"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sat| sat["seat"].as_str().unwrap())
        .collect();
    assert_eq!(seats, ["proposition", "opposition", "judge-1", "judge-2", "judge-3", "reporter"]);
    assert_eq!((&shown["opened"]["options"]["orders"], &shown["asked"]), (&"one".into(), &6.into()));
    assert_eq!(shown["outcome"]["figures"]["judges"]["quorum"], 2);
    assert_eq!(room.json(&["replay", "d1"])["files_different"], serde_json::json!([]));
    assert_eq!(room.json(&["check", "d1"])["sound"], true);
}

#[test]
fn below_the_quorum_there_is_no_verdict() {
    let room = Room::new();
    let silent = r#"{"rules": [{"key": "*", "fail": "refused"}]}"#;
    room.write("silent.json", silent);
    let judges = "scripted:silent.json,scripted:willing.json,scripted:silent.json";
    room.willing();
    let ran = room.run_debate(&["--model", "scripted:willing.json", "--judges", judges, "--rounds", "0"]);
    assert_eq!(ran.code, 9, "{}", ran.err);
    let outcome = &room.json(&["show", "d1"])["outcome"];
    assert_eq!((&outcome["name"], &outcome["winner"]), (&"no_verdict".into(), &serde_json::Value::Null));
    let ran = room.agon(&["extend", "d1", "--max-requests", "100", "--seat", "judge=scripted:willing.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_cannot_judge_is_refused_before_anything_is_asked() {
    let room = Room::new();
    let run =
        |more: &'static [&'static str]| [&["run", "exchange", "x", "--model", "ollama:a"][..], more].concat();
    refused(&room, &run(&["--judges", "2"]), 2, "an odd number of judges");
    refused(&room, &run(&["--judges", "ollama:x,,ollama:y"]), 2, "names no model in one place");
    refused(&room, &run(&["--seat", "judge-2=ollama:x"]), 8, "no seat \"judge-2\"");
    let own = &["--seat", "opposition=ollama:b", "--seat", "judge=ollama:b"];
    refused(&room, &run(own), 2, "ollama:b would judge itself");
    refused(&room, &run(own), 2, "--self-judging");
    refused(&room, &["run", "duel", "x.md", "--judges", "3"], 2, "--judges belongs to exchange");
    let plan = room.json(&run(&["--judges", "3", "--orders", "both", "--plan"]));
    let judged =
        plan["requests"].as_array().unwrap().iter().filter(|call| call["prompt"] == "judgment").count();
    assert_eq!(judged, 12);
    assert!(plan["judging"].to_string().contains("6 calls for each judgment"), "{}", plan["judging"]);
    let one = room.json(&run(&["--orders", "one", "--plan"]));
    assert_eq!((&one["calls"], &one["judging"]), (&7.into(), &serde_json::json!([])));
    assert_eq!(room.json(&run(&["--plan"]))["calls"], 9);
}

#[test]
fn a_model_that_judges_itself_is_said_first() {
    let room = Room::new();
    room.debate(&["--rounds", "0"]);
    let transcript = room.read("d/transcript.md");
    let head = transcript.split("## Seats").next().unwrap();
    assert!(head.contains("spoke for the proposition and the opposition and judged"), "{head}");
}

#[test]
fn a_debate_that_is_answered_from_an_earlier_one_is_judged_as_that_was() {
    let room = Room::new();
    let prefers = serde_json::json!({"rules": [
        {"key": "exchange-000/judgment*", "reply": {"scores": [
            {"argument_id": "a_000a", "reasoning": "It is so.", "score": 0.5}, {"argument_id": "a_000b", "reasoning": "It is so.", "score": 0.1},
            {"argument_id": "a_000c", "reasoning": "It is so.", "score": 0.0}, {"argument_id": "b_000a", "reasoning": "It is so.", "score": -0.2},
            {"argument_id": "b_000b", "reasoning": "It is so.", "score": -0.2}, {"argument_id": "b_000c", "reasoning": "It is so.", "score": -0.2}]}},
        {"key": "*", "sample": true}]});
    room.write("first.json", prefers.to_string());
    let ran = room.run_debate(&["--model", "scripted:first.json", "--rounds", "0", "--orders", "one"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let winner = |id: &str| room.json(&["show", id])["outcome"]["winner"].clone();
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
        let ran = room.agon(&again);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(winner(&id), winner("d1"));
    }
}

#[test]
fn a_mirror_changes_the_models_about_and_says_what_that_did() {
    let room = Room::new();
    let model = room.willing();
    room.write("other.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    // The judge finds for the proposition, whoever argues it.
    let scores: Vec<serde_json::Value> = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"]
        .iter()
        .map(|id| serde_json::json!({"argument_id": id, "reasoning": "It is so.", "score": if id.starts_with('p') { 0.2 } else { -0.2 }}))
        .collect();
    let script = serde_json::json!({"rules": [{"key": "*judgment*", "reply": {"scores": scores}}, {"key": "*", "sample": true}]});
    room.write("judge.json", script.to_string());
    let ran = room.run_debate(&[
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
    assert!(ran.out.contains("The place won, not who argued: proposition won twice"), "{}", ran.out);
    let mirror = room.json(&["show", "d1-mirror"]);
    assert_eq!(mirror["opened"]["lineup"][0]["model"], "scripted:other.json");
    assert_eq!(mirror["opened"]["options"]["mirror_of"]["debate"], "d1");
    assert!(room.read("d-mirror/mirror.md").contains("scripted:other.json"));
    assert!(room.agon(&["show", "d1"]).out.contains("# The mirror of d1"));
    for id in ["d1", "d1-mirror"] {
        assert_eq!(room.json(&["replay", id])["files_different"], serde_json::json!([]));
        assert_eq!(room.json(&["check", id])["sound"], true);
    }
    // Nothing is held twice.
    assert_eq!(room.agon(&["resume", "d1"]).code, 0);
    assert_eq!(room.json(&["list"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_baseline_spends_what_the_debate_spent_and_stands_beside_it() {
    let room = Room::new();
    let ran = room.debate(&["--rounds", "0", "--baseline"]);
    assert!(ran.out.contains("The same question, without a debate"), "{}", ran.out);
    let (debate, alone) = (room.json(&["show", "d1"]), room.json(&["show", "d1-baseline"]));
    let tokens = |shown: &serde_json::Value| {
        shown["used"]["prompt_tokens"].as_u64().unwrap()
            + shown["used"]["completion_tokens"].as_u64().unwrap()
    };
    let figures = &alone["outcome"]["figures"];
    assert_eq!(figures["tokens"].as_u64().unwrap(), tokens(&alone));
    let asked = figures["asked"].as_u64().unwrap();
    assert!(asked > 1 && asked <= 25, "{figures}");
    let mean = tokens(&alone) / asked;
    assert!(tokens(&alone) <= tokens(&debate), "{alone}");
    assert!(
        asked == 25 || tokens(&alone) + 2 * mean > tokens(&debate),
        "{asked} of {mean}: {}",
        tokens(&debate)
    );
    assert!(debate["companions"]["baseline"].as_str().unwrap().contains("The majority of"));
    assert_eq!(room.json(&["replay", "d1-baseline"])["files_different"], serde_json::json!([]));
}

#[test]
fn companions_of_a_debate_that_stopped_are_held_when_it_goes_on() {
    let room = Room::new();
    let model = room.willing();
    room.write(
        "out.json",
        r#"{"rules": [{"key": "*judgment", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#,
    );
    let ran = room.run_debate(&["--model", "scripted:out.json", "--rounds", "0", "--baseline"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let ran = room.agon(&["resume", "d1", "--model", &model]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(room.json(&["show", "d1-baseline"])["closed"], true);
}
