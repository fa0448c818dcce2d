//! Protocols with rows of seats, documents and tracks, from the command line to the record. Each
//! test is about the command line, and needs its protocol to be among those that are built in.

use std::{thread::sleep, time::Duration};

use serde_json::{Value, json};

use crate::cli::{bad_input::refused, workspace::Workspace};

/// A room in which everybody is willing; `None` where the protocol is not built in.
fn room_for(protocol: &str) -> Option<Workspace> {
    agon_protocols::find_protocol(protocol)?;
    let workspace = Workspace::new();
    workspace.willing();
    workspace.write("doc.md", "# Move house\n\nWe move, since costs are low.\n");
    workspace.write("a.md", "# A\n\nThe first text is about one thing.\n");
    workspace.write("b.md", "# B\n\nThe second text is about another.\n");
    Some(workspace)
}

const MODEL: [&str; 2] = ["--model", "scripted:willing.json"];

fn run(workspace: &Workspace, args: &[&str]) -> Value {
    let ran = workspace.agon(&[&["run"], args, &MODEL, &["--id", "d1"]].concat());
    assert!([0, 9].contains(&ran.code), "{args:?}: {}", ran.err);
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
    workspace.json(&["show", "d1"])["opened"].clone()
}

#[test]
fn members_are_named_on_the_command_line() {
    let Some(workspace) = room_for("panel") else { return };
    let members = ["--debater", "Ann:engineer", "--debater", "Bo Li", "--max-rounds", "1"];
    let opened = run(&workspace, &[&["panel", "Why?", "--out", "d"], &members[..]].concat());
    let lineup = opened["lineup"].as_array().unwrap();
    assert_eq!(lineup.len(), 3, "two panelists and the moderator");
    assert_eq!((&lineup[0]["name"], &lineup[0]["persona"]), (&json!("Ann"), &json!("engineer")));
    assert_eq!((&lineup[1]["seat"], &lineup[1]["name"]), (&json!("panelist-2"), &json!("Bo Li")));
    assert_eq!(opened["limits"]["rounds"], 1);
    assert_eq!(opened["options"].get("approve"), None, "nobody is there to be asked");
    for (args, says) in [
        (&["--debater", "Ann"][..], "the line-up names 1"),
        (&["--debater", "Ann", "--debater", "ANN"], "two are called"),
        (&["--debater", "Ann", "--debater", "moderator"], "is a role"),
        (&["--max-rounds", "16"], "1 to 15 rounds"),
        (&["--min-rounds", "2"], "panel does not take --min-rounds"),
    ] {
        let workspace = room_for("panel").unwrap();
        refused(&workspace, &[&["run", "panel", "Why?"], args, &MODEL].concat(), 2, says);
    }
}

#[test]
fn models_are_given_to_rows_and_names_also_when_a_debate_goes_on() {
    let Some(workspace) = room_for("panel") else { return };
    workspace.write(
        "out.json",
        r#"{"rules": [{"key": "opening/panelist-2", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#,
    );
    let members = ["--debater", "Ann", "--debater", "Bo", "--seat", "panelist=scripted:out.json", "--id", "d1"];
    let ran = workspace.agon(&[&["run", "panel", "Why?", "--rounds", "1"], &members[..], &MODEL].concat());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(workspace.agon(&["resume", "d1", "--seat", "Zoe=scripted:willing.json"]).code, 8);
    let ran = workspace.agon(&["resume", "d1", "--seat", "bo=scripted:willing.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = workspace.agon(&["extend", "d1", "--rounds", "20"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("and panel allows at most 15"), "{}", ran.err);
}

#[test]
fn nothing_is_extended_past_the_most_rounds_of_its_rules() {
    let Some(workspace) = room_for("revise") else { return };
    run(&workspace, &["revise", "Write it.", "--rounds", "3", "--out", "d"]);
    let held = workspace.json(&["show", "d1"])["outcome"]["figures"]["rounds"].as_u64().unwrap();
    let record = workspace.read("d/record.jsonl");
    let left = (3 - held).to_string();
    let over = (4 - held).to_string();
    refused(&workspace, &["extend", "d1", "--rounds", &over], 2, "--rounds");
    refused(&workspace, &["extend", "d1", "--rounds", &over], 2, "4 in all, and revise allows at most 3");
    refused(&workspace, &["extend", "d1"], 2, "nothing to add");
    assert_eq!(workspace.read("d/record.jsonl"), record, "nothing was put on the record");
    if held < 3 {
        assert_eq!(workspace.agon(&["extend", "d1", "--rounds", &left]).code, 0, "what an early end left over");
    }
    let log = workspace.read("d/debate_log.md");
    assert!(log.contains("- Max rounds: 3\n") && !log.contains("### Round 4"), "{log}");
}

#[test]
fn whoever_did_not_answer_is_asked_again_without_more_rounds() {
    let Some(workspace) = room_for("revise") else { return };
    let rules = r#"{"rules": [{"key": "synthesis*", "fail": "refused"}, {"key": "*", "sample": true}]}"#;
    workspace.write("silent.json", rules);
    let silent = ["--seat", "synthesizer=scripted:silent.json"];
    let args = ["run", "revise", "Write it.", "--rounds", "0", "--id", "d1", "--out", "d"];
    let ran = workspace.agon(&[&args[..], &MODEL, &silent].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("agon extend d1`"), "{}", ran.out);
    let ran = workspace.agon(&["extend", "d1", "--seat", "synthesizer=scripted:willing.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workspace.json(&["show", "d1"])["outcome"]["name"], "synthesized");
    assert!(!workspace.work().join("d/debate_log.md").exists(), "nothing was debated");
}

#[test]
fn a_draft_that_is_none_is_refused_before_anything_is_stored() {
    let Some(workspace) = room_for("revise") else { return };
    let track = ".kiln/tracks/phase-2";
    workspace.write(&format!("{track}/plan_codex.md"), workspace.read("a.md"));
    let args = ["run", "revise", "--track", track, "--strategy", "debate"];
    refused(&workspace, &[&args[..], &MODEL].concat(), 2, "plan_codex.md is not a valid plan: there is no task");
    let draft = ["run", "revise", "--mode", "review", "--draft", "Ann=a.md", "--draft", "Bo=b.md"];
    refused(&workspace, &[&draft[..], &MODEL].concat(), 2, "a.md is not a valid review: no dimension has a result");
    workspace.write(".kiln/config.json", r#"{"preferences": ["debate"]}"#);
    refused(&workspace, &[&args[..], &MODEL].concat(), 2, "config.json: preferences is [\"debate\"]");
}

#[test]
fn a_debate_config_opens_a_chaired_debate() {
    let Some(workspace) = room_for("chaired") else { return };
    let config = json!({"topic": "Why?", "min_rounds": 1, "max_rounds": 1, "time_budget_minutes": 20,
        "debaters": [{"name": "Ann", "persona": "P", "starting_position": "for"}, {"name": "Bo"}],
        "models": {"chair": "scripted:willing.json"}});
    workspace.write("debate-config.json", config.to_string());
    let opened = run(&workspace, &["chaired", "--lineup", "debate-config.json", "--out", "d"]);
    assert_eq!(
        (&opened["motion"], &opened["options"]),
        (&json!("Why?"), &json!({"time_budget_minutes": 20, "verify": "fetched", "output_dir": "d"}))
    );
    assert_eq!((&opened["limits"]["rounds"], &opened["limits"]["rounds_min"]), (&json!(1), &json!(1)));
    assert_eq!(opened["lineup"][0]["details"], json!({"starting_position": "for"}));
    let kept: Value = serde_json::from_str(&workspace.read("d/debate-config.json")).unwrap();
    assert_eq!(kept["debaters"][0]["starting_position"], "for", "what was given stays");
    assert_ne!(kept["debaters"][1]["incentives"], "", "what was missing is proposed");
    assert_eq!(kept["output_dir"], "d", "it names the folder that there is");
    let bare = json!({"debaters": [{"name": "Ann", "model": "llama"}, {"name": "Bo"}]});
    let workspace = room_for("chaired").unwrap();
    workspace.write("bare.json", bare.to_string());
    refused(&workspace, &["run", "chaired", "Why?", "--lineup", "bare.json"], 8, "no model \"llama\"");
}

#[test]
fn the_host_of_a_chaired_debate_answers_in_words_from_any_seat() {
    let Some(workspace) = room_for("chaired") else { return };
    let member = |name: &str| json!({"name": name, "persona": "P", "starting_position": format!("{name} says so."), "incentives": "I"});
    let script = json!({"rules": [
        {"key": "lineup", "reply": {"members": [member("Ann"), member("Bo")]}},
        {"key": "lineup/approval", "reply": "Make it three debaters, please."},
        {"key": "lineup/approval/reading", "reply": {"choice": "change", "members": 3, "changed": []}},
        {"key": "lineup/revised", "reply": {"members": [member("Ann"), member("Bo"), member("Cy")]}},
        {"key": "lineup/revised/approval", "reply": "Looks good"},
        {"key": "lineup/revised/approval/reading", "reply": {"choice": "approve", "quote": "Looks good", "members": 0, "changed": []}},
        {"key": "*", "sample": true}]});
    workspace.write("willing.json", script.to_string());
    let words = ["chaired", "Why?", "--rounds", "1", "--out", "d", "--seat", "host=scripted:willing.json"];
    let opened = run(&workspace, &words);
    assert_eq!(opened["options"]["approve"], true);
    let kept: Value = serde_json::from_str(&workspace.read("d/debate-config.json")).unwrap();
    let names: Vec<&str> =
        kept["debaters"].as_array().unwrap().iter().map(|debater| debater["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ann", "Bo", "Cy"]);
    let report = workspace.read("d/report.md");
    assert!(!report.contains("debater-4"), "seats in reserve are nobody's to read of");
}

#[test]
fn a_duel_is_about_a_document_and_only_one_at_a_time() {
    let Some(workspace) = room_for("duel") else { return };
    refused(&workspace, &["run", "duel", "Move house?"], 2, "is not a Markdown file");
    refused(&workspace, &["run", "duel", "absent.md"], 2, "no file absent.md");
    workspace
        .write("out.json", r#"{"rules": [{"key": "turn-2*", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#);
    let out = ["run", "duel", "doc.md", "--model", "scripted:out.json"];
    assert_eq!(workspace.agon(&out).code, 3);
    let ran = workspace.agon(&out);
    assert_eq!(ran.code, 5);
    let open = workspace.json(&["list"])[0]["id"].as_str().unwrap().to_owned();
    assert!(ran.err.contains(&format!("agon resume {open}")), "{}", ran.err);
    let opened = run(&workspace, &["duel", "doc.md", "--out", "d"]);
    assert_eq!(opened["motion"], "Move house");
    let path = workspace.work().join("doc.md").canonicalize().unwrap();
    assert_eq!(opened["options"]["source_path"], json!(path));
}

#[test]
fn an_artifact_that_somebody_else_changed_is_noticed_and_kept() {
    let Some(workspace) = room_for("duel") else { return };
    workspace.write(
        "slow.json",
        r#"{"rules": [{"key": "turn-3*", "sample": true, "delay_ms": 2000}, {"key": "*", "sample": true}]}"#,
    );
    let duel = ["run", "duel", "doc.md", "--model", "scripted:slow.json", "--id", "d1", "--out", "d"];
    let mut child = workspace.command(&duel).spawn().unwrap();
    let artifact = || std::fs::read_dir(workspace.work().join("d/debates")).ok()?.next()?.ok().map(|file| file.path());
    let half_way = || artifact().filter(|path| std::fs::read_to_string(path).unwrap().contains("## Turn 2"));
    let path = loop {
        match half_way() {
            Some(path) => break path,
            None => sleep(Duration::from_millis(20)),
        }
    };
    sleep(Duration::from_millis(300));
    std::fs::write(&path, "mine").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(9));
    let name = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(workspace.read(&format!("d/debates/{name}.changed")), "mine");
    assert!(workspace.read(&format!("d/debates/{name}")).contains("## Turn 2"));
    assert!(workspace.read("d/record.jsonl").contains(r#"\"artifact\":\"changed\""#));
}

/// A duel of six turns called `d1`, closed, with the path of its artifact.
fn closed_duel(workspace: &Workspace) -> std::path::PathBuf {
    let ran = workspace.agon(&[&["run", "duel", "doc.md", "--id", "d1", "--out", "d"], &MODEL[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut folder = std::fs::read_dir(workspace.work().join("d/debates")).unwrap();
    folder.next().unwrap().unwrap().path()
}

#[test]
fn an_artifact_that_was_changed_after_the_close_is_told_whatever_is_named() {
    let Some(workspace) = room_for("duel") else { return };
    let path = closed_duel(&workspace);
    let artifact = path.to_str().unwrap();
    let original = std::fs::read_to_string(&path).unwrap();
    let told = |why: Option<&str>| {
        for name in ["d1", "d", artifact] {
            let check = workspace.agon(&["check", name]);
            let wanted = if why.is_some() { 6 } else { 0 };
            assert_eq!(check.code, wanted, "{name}: {}{}", check.out, check.err);
            assert!(check.err.contains(why.unwrap_or_default()), "{name}: {}", check.err);
        }
    };
    told(None);
    std::fs::write(&path, original.replacen("**Position**\n", "**Position**\nNot ", 1)).unwrap();
    told(Some("turn 1 was changed"));
    std::fs::write(&path, original.replace("**Closed At**: 2", "**Closed At**: 3")).unwrap();
    told(Some("its header or its conclusion was changed"));
    std::fs::remove_file(&path).unwrap();
    told(Some("is missing"));
    std::fs::create_dir(&path).unwrap();
    told(Some("is a folder"));
    // What stands there is kept, and the artifact comes back.
    let resumed = workspace.agon(&["resume", "d1"]);
    assert!(resumed.code == 0 && resumed.err.contains(".changed"), "{}", resumed.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), original);
    told(None);
    // The record alone, elsewhere, is as sound as it ever was; with other files the artifact belongs to it.
    workspace.write("alone/record.jsonl", workspace.read("d/record.jsonl"));
    assert_eq!(workspace.agon(&["check", "alone"]).code, 0);
    workspace.write("alone/transcript.md", workspace.read("d/transcript.md"));
    assert_eq!(workspace.agon(&["check", "alone"]).code, 6);
    // A copy elsewhere names its duel.
    workspace.write("copy.md", &original);
    assert_eq!(workspace.agon(&["check", "copy.md"]).code, 0);
    workspace.write("copy.md", original.replacen("**Position**\n", "**Position**\nNot ", 1));
    let check = workspace.agon(&["check", "copy.md"]);
    assert!(check.code == 6 && check.err.contains("turn 1 was changed"), "{}", check.err);
}

#[test]
fn events_of_a_duel_name_its_artifact_by_its_whole_path() {
    let Some(workspace) = room_for("duel") else { return };
    let path = closed_duel(&workspace).canonicalize().unwrap();
    let exported = workspace.agon(&["export", "d1", "--format", "events"]).out;
    let events = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let named: Vec<Value> = events.filter_map(|event| event["data"].get("debate_path").cloned()).collect();
    assert!(named.len() > 3 && named.iter().all(|named| *named == json!(path)), "{named:?}");
}

#[test]
fn a_duel_to_which_somebody_never_came_has_an_exit_code_of_its_own() {
    let Some(workspace) = room_for("duel") else { return };
    workspace
        .write("silent.json", r#"{"rules": [{"key": "turn-2*", "fail": "elapsed"}, {"key": "*", "sample": true}]}"#);
    let ran = workspace.agon(&["run", "duel", "doc.md", "--model", "scripted:silent.json", "--id", "d1", "--out", "d"]);
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    let shown = workspace.json(&["show", "d1"]);
    assert_eq!(json!([shown["outcome"]["name"], shown["outcome"]["standing"]]), json!(["TIMEOUT", "valid"]));
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 10, "it repeats its outcome");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn drafts_and_a_track_open_a_revise_debate() {
    let Some(workspace) = room_for("revise") else { return };
    let drafts = ["--draft", "Ann=a.md", "--draft", "Bo=b.md", "--rounds", "9"];
    let opened = run(&workspace, &[&["revise", "--out", "d"], &drafts[..]].concat());
    assert_eq!(opened["documents"].as_object().unwrap().keys().collect::<Vec<_>>(), ["draft/ann", "draft/bo"]);
    assert_eq!(opened["limits"]["rounds"], 3);
    assert!(opened["options"]["rounds_note"].as_str().unwrap().contains("9 rounds"));

    let workspace = room_for("revise").unwrap();
    let track = ".kiln/tracks/phase-2";
    workspace.write(".kiln/config.json", r#"{"preferences": {"planStrategy": "debate", "debateRounds": 1}}"#);
    let plan = include_str!("../../../agon-protocols/src/revise/testdata/plan.md");
    workspace.write(&format!("{track}/plan_claude.md"), plan.replace("Phase 1", "Phase 2").replace("P1-", "P2-"));
    let given = workspace.read(&format!("{track}/plan_claude.md"));
    let other = given.replace("notes that can be found", "notes that are easily found");
    workspace.write(&format!("{track}/plan_codex.md"), other);
    workspace.write(&format!("{track}/PLAN.md"), "theirs");
    let run_in = ["run", "revise", "--track", track];
    refused(&workspace, &[&run_in[..], &MODEL].concat(), 2, "PLAN.md already exists");
    assert_eq!(workspace.read(&format!("{track}/PLAN.md")), "theirs");
    std::fs::remove_file(workspace.work().join(track).join("PLAN.md")).unwrap();
    let opened = run(&workspace, &["revise", "--track", track]);
    assert_eq!((&opened["options"]["phase"], &opened["options"]["track"]), (&json!(2), &json!(true)));
    assert_eq!(workspace.read(&format!("{track}/plan_claude.md")), given);
    let log = workspace.read(&format!("{track}/debate_log.md"));
    assert!(log.contains("- Claude critique of Codex: critique_of_codex_r1.md ("), "{log}");
    let critique = workspace.read(&format!("{track}/critique_of_codex_r1.md"));
    assert!(critique.starts_with("## Critique of Codex Plan (Round 1)\n"), "{critique}");
    // A review of the same phase goes on with the log, and keeps its own files apart.
    let ran = workspace.agon(&[&run_in[..], &MODEL, &["--mode", "review", "--id", "d2"]].concat());
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    assert!(workspace.work().join(track).join("d2/record.jsonl").is_file());
    for debate in ["d1", "d2"] {
        assert_eq!(workspace.json(&["replay", debate])["files_different"], json!([]), "{debate}");
    }
}
