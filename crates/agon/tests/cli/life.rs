//! A debate from its opening to its extension.

use serde_json::Value;

use crate::cli::workspace::Workspace;

#[test]
fn a_debate_is_checked_though_a_folder_bears_its_name() {
    let workspace = Workspace::new();
    assert_eq!(workspace.debate(&[]).code, 0);
    std::fs::create_dir(workspace.work().join("d1")).unwrap();
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

#[test]
fn a_debate_runs_ends_is_found_again_and_is_extended() {
    let workspace = Workspace::new();
    let ran = workspace.debate(&[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for file in [
        "debate.md",
        "scores.json",
        "argument-graph.mmd",
        "README.md",
        "transcript.md",
        "record.jsonl",
        "arguments/prop_000c.md",
    ] {
        assert!(workspace.work().join("d").join(file).is_file(), "{file}");
    }
    let list = workspace.json(&["list"]);
    assert_eq!(list[0]["id"], "d1");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["check", "d/record.jsonl"])["sound"], true);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], serde_json::json!([]));

    let before = workspace.read("d/README.md");
    let ran = workspace.agon(&["extend", "d1", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(workspace.work().join("d/arguments/opp_002.md").is_file());
    assert_ne!(before, workspace.read("d/README.md"));
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], serde_json::json!([]));
    assert_eq!(workspace.json(&["show", "d1"])["outcome"]["figures"]["exchanges"], 3);
}

#[test]
fn a_fork_goes_its_own_way_from_any_entry() {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "1"]);
    let record = workspace.read("d/record.jsonl");
    let entries: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let scored = entries.iter().find(|e| e["what"]["ruled"]["key"] == "exchange-000/scores").unwrap();
    let at = scored["seq"].as_u64().unwrap().to_string();
    let other = workspace.willing();
    let seat = format!("judge={other}");
    let ran =
        workspace.agon(&["fork", "d1", "--at", &at, "--id", "f1", "--out", "f", "--rounds", "2", "--seat", &seat]);
    assert_eq!((ran.code, ran.out.trim()), (0, "f1"), "{}", ran.err);
    let fork = workspace.json(&["show", "f1"]);
    assert_eq!((&fork["entries"], &fork["closed"]), (&(at.parse::<u64>().unwrap() + 1).into(), &false.into()));
    assert_eq!(fork["opened"]["parent"]["debate"], "d1");
    assert_eq!(workspace.agon(&["resume", "f1"]).code, 0);
    assert_eq!(workspace.json(&["show", "f1"])["outcome"]["figures"]["exchanges"], 3);
    assert_eq!(workspace.json(&["replay", "f1"])["files_different"], serde_json::json!([]));
    assert_eq!(workspace.json(&["check", "f1"])["sound"], true);
    assert_eq!(workspace.agon(&["fork", "d1", "--id", "f1"]).code, 5);
    assert_eq!(workspace.agon(&["fork", "d1", "--at", "999"]).code, 2);
    assert_eq!(workspace.agon(&["fork", "nope"]).code, 8);
    // Another seed draws other labels, and the past would not have come about.
    let seeds: Vec<i32> =
        (0..6).map(|seed: u32| workspace.agon(&["fork", "d1", "--seed", &seed.to_string()]).code).collect();
    assert!(seeds.contains(&2), "{seeds:?}");
}

#[test]
fn json_output_is_one_clean_stream() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let ran = workspace.agon(&[
        "run",
        "exchange",
        "This house would rest.",
        "--model",
        &model,
        "--id",
        "d1",
        "--output",
        "json",
    ]);
    assert_eq!(ran.code, 0);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, entries) = lines.split_last().unwrap();
    for (seq, entry) in entries.iter().enumerate() {
        assert_eq!(entry["seq"], seq);
    }
    assert!(entries[0]["what"]["opened"].is_object());
    assert_eq!(last["event"], "closed");
    assert_eq!(last["outcome"], entries.last().unwrap()["what"]["closed"]["outcome"]);
    assert_eq!(ran.err, "");
}

#[test]
fn the_same_id_and_replies_give_the_same_files() {
    let files = [(), ()].map(|()| {
        let workspace = Workspace::new();
        workspace.debate(&[]);
        let timed = ["record.jsonl", "scores.json", "report.html", "report.md", "memo.md"];
        let files = workspace.files("d").into_iter().filter(|(name, _)| !timed.contains(&name.as_str()));
        files.collect::<Vec<_>>()
    });
    assert_eq!(files[0], files[1]);
}

#[test]
fn a_recorded_debate_answers_again() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let run = |id: &str, model: &str| {
        let ran =
            workspace.agon(&["run", "exchange", "This house would rest.", "--model", model, "--id", id, "--out", id]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        workspace.files(id).into_iter().filter(|(name, _)| name.starts_with("arguments/")).collect::<Vec<_>>()
    };
    assert_eq!(run("first", &model), run("again", "recorded:first"));
}

#[test]
fn a_closed_debate_that_is_resumed_gets_its_files_again() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    let whole = workspace.files("d");
    std::fs::remove_file(workspace.work().join("d/scores.json")).unwrap();
    workspace.write("d/debate.md", "changed");
    assert_eq!(workspace.agon(&["replay", "d1"]).code, 6);
    assert_eq!(workspace.agon(&["resume", "d1"]).code, 0);
    assert_eq!(workspace.files("d"), whole);
}

#[test]
fn a_record_goes_to_another_journal_and_on_from_there() {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "0"]);
    let other = Workspace::new();
    other.willing();
    other.write("record.jsonl", workspace.read("d/record.jsonl"));
    assert_eq!(other.agon(&["import", "record", "record.jsonl"]).code, 0);
    assert_eq!(other.agon(&["import", "record", "record.jsonl"]).code, 5);
    let ran = other.agon(&["extend", "d1", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(other.json(&["show", "d1"])["outcome"]["figures"]["exchanges"], 2);
}

#[test]
fn one_changed_byte_of_an_exported_record_is_named() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    let record = workspace.read("d/record.jsonl");
    let changed = record.replacen("This sample", "That sample", 1);
    workspace.write("d/record.jsonl", changed);
    let ran = workspace.agon(&["check", "d/record.jsonl"]);
    assert_eq!(ran.code, 6);
    assert!(ran.err.contains("entry"), "{}", ran.err);
    assert_eq!(workspace.agon(&["check", "d1"]).code, 6, "the copy in the folder is compared");
}

#[test]
fn a_folder_is_checked_by_its_record_and_one_without_a_debate_is_no_clean_bill() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    assert_eq!(workspace.json(&["check", "d"])["sound"], true);
    workspace.write("d/record.jsonl", workspace.read("d/record.jsonl").replacen("This sample", "That sample", 1));
    assert_eq!(workspace.agon(&["check", "d"]).code, 6);
    workspace.write("empty/notes.md", "mine");
    let ran = workspace.agon(&["check", "empty"]);
    assert!(ran.code == 8 && ran.err.contains("contains neither record.jsonl nor debate.md"), "{}{}", ran.out, ran.err);
}

#[test]
fn an_export_writes_over_its_own_files_alone() {
    let workspace = Workspace::new();
    workspace.debate(&[]);
    workspace.write("project/README.md", "mine");
    let ran = workspace.agon(&["export", "d1", "--out", "project"]);
    assert!(ran.code == 5 && ran.err.contains("README.md"), "{}", ran.err);
    assert_eq!(workspace.files("project"), [("README.md".to_owned(), "mine".to_owned())], "nothing was written");
    let files = workspace.json(&["export", "d1", "--format", "exchange"]);
    let scores = files.as_array().unwrap().iter().find(|file| file["path"] == "scores.json").unwrap();
    assert_eq!(scores["content"], workspace.read("d/scores.json"));
    // A folder that the debate was exported to before is drawn anew.
    assert_eq!(workspace.agon(&["export", "d1", "--out", "again"]).code, 0);
    assert_eq!(workspace.agon(&["extend", "d1", "--rounds", "1"]).code, 0);
    assert_eq!(workspace.agon(&["export", "d1", "--out", "again"]).code, 0);
    assert_eq!(workspace.read("again/scores.json"), workspace.read("d/scores.json"));
    assert_eq!(workspace.agon(&["export", "d1", "--out", "project", "--force"]).code, 0);
    assert_ne!(workspace.read("project/README.md"), "mine");
}

#[test]
fn own_prompts_are_shown_beside_the_shipped_ones() {
    let workspace = Workspace::new();
    assert!(workspace.agon(&["prompts", "diff"]).out.contains("no difference"));
    assert_eq!(workspace.agon(&["prompts", "eject", "exchange/report"]).code, 0);
    assert_eq!(workspace.json(&["prompts", "diff", "exchange/report"]), serde_json::json!([]));
    let own = workspace.read(".agon/prompts/exchange/report.md");
    workspace.write(".agon/prompts/exchange/report.md", format!("{own}\nBe brief.\n"));
    let ran = workspace.agon(&["prompts", "diff"]);
    assert!(ran.out.starts_with("--- exchange/report embedded\n+++ exchange/report project\n"), "{}", ran.out);
    assert!(ran.out.contains("\n+Be brief.\n"), "{}", ran.out);
}

#[test]
fn the_outcome_is_told_once() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for protocol in ["panel", "revise", "chaired"] {
        let run = ["run", protocol, "Should we rest?", "--rounds", "1", "--id", protocol, "--model", &model];
        let out = workspace.agon(&run).out.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = workspace.json(&["show", protocol])["outcome"]["summary"].as_str().unwrap().to_owned();
        // What an outcome of authors says of rounds is said in words of its own where people read it.
        let told = if protocol == "revise" { "last versions were joined after 1 round".to_owned() } else { told };
        assert_eq!(out.matches(&told).count(), 1, "{protocol}: {told}: {out}");
    }
}
