//! A deleted debate leaves no word and a chain that can be checked.

use serde_json::json;

use crate::operate::workspace::Workspace;

/// Whether any file below the data directory holds `words`.
fn holds(workspace: &Workspace, words: &str) -> Vec<String> {
    fn walk(folder: &std::path::Path, words: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, words, found);
            } else if std::fs::read(&path).unwrap().windows(words.len()).any(|part| part == words.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    walk(&workspace.home(), words, &mut found);
    found
}

fn run(workspace: &Workspace, id: &str, motion: &str, more: &[&str]) {
    let model = workspace.willing();
    let ran = workspace.agon(
        &[&["run", "exchange", motion, "--model", &model, "--id", id, "--out", id, "--rounds", "0"], more].concat(),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_deleted_debate_leaves_a_tombstone_and_no_words() {
    let workspace = Workspace::new();
    workspace.write("secret.md", "Zanzibar keeps its cloves in a quiet warehouse.\n");
    workspace.write("shared.md", "Nutmeg is kept in another warehouse.\n");
    run(&workspace, "gone", "This house would keep quokkas.", &["--context", "secret.md", "--context", "shared.md"]);
    run(&workspace, "stays", "This house would keep wombats.", &["--context", "shared.md"]);
    let before = workspace.json(&["check", "gone"]);
    assert!(!holds(&workspace, "keep quokkas").is_empty() && !holds(&workspace, "Zanzibar").is_empty());
    workspace.write("gone/mine.txt", "notes of a person");
    workspace.write("gone/transcript.md", "changed by a person");
    let deleted = workspace.json(&["delete", "gone", "--reason", "the author asked for it", "--name", "Ada"]);
    let kept = deleted[0]["kept"].as_array().unwrap();
    assert!(kept.len() == 1 && kept[0].as_str().unwrap().ends_with("transcript.md"), "{deleted}");
    let left: Vec<String> = workspace.files("gone").into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, ["mine.txt", "transcript.md"]);
    assert_eq!((holds(&workspace, "keep quokkas"), holds(&workspace, "Zanzibar")), (vec![], vec![]));
    assert!(!holds(&workspace, "Nutmeg").is_empty(), "what another debate uses stays");
    // Nothing lists or shows it, and everything says why.
    assert!(!workspace.agon(&["list"]).out.contains("gone"));
    for command in [["show", "gone"], ["resume", "gone"], ["export", "gone"], ["delete", "gone"]] {
        let ran = workspace.agon(&command);
        let is_export = command[0] == "export";
        assert_eq!(ran.code, if is_export { 0 } else { 8 }, "{command:?}: {} {}", ran.out, ran.err);
        let told = ran.err.contains("was deleted on") && ran.err.contains("by Ada: the author asked for it");
        assert!(is_export || told, "{command:?}: {}", ran.err);
    }
    let model = workspace.willing();
    let again = workspace.agon(&[
        "run",
        "exchange",
        "This house would begin again.",
        "--model",
        &model,
        "--id",
        "gone",
        "--out",
        "x",
    ]);
    assert_eq!(again.code, 8, "an id is not given again: {}", again.err);
    // The chain is that of the record.
    let after = workspace.json(&["check", "gone"]);
    assert_eq!(
        (&after["head"], &after["entries"], &after["sound"]),
        (&before["head"], &before["entries"], &json!(true))
    );
    assert_eq!(after["erased"], before["entries"]);
    let record = workspace.agon(&["export", "gone", "--format", "record"]).out;
    workspace.write("left.jsonl", &record);
    assert_eq!(workspace.json(&["check", "left.jsonl"])["sound"], true);
    let lines: Vec<&str> = record.lines().collect();
    workspace.write("short.jsonl", [&lines[..3], &lines[4..]].concat().join("\n") + "\n");
    assert_eq!(workspace.agon(&["check", "short.jsonl"]).code, 6);
    assert_eq!(workspace.json(&["check", "stays"])["sound"], true);
    // A backup keeps the tombstone.
    assert_eq!(workspace.agon(&["backup", "b.zip"]).code, 0);
}

#[test]
fn the_words_of_one_entry_can_go_and_the_others_are_verified_in_full() {
    let workspace = Workspace::new();
    run(&workspace, "d1", "This house would keep quokkas.", &[]);
    assert_eq!(workspace.agon(&["delete", "d1", "--entry", "9999"]).code, 2);
    let before = workspace.json(&["check", "d1"]);
    assert_eq!(workspace.agon(&["delete", "d1", "--entry", "0", "--entry", "3"]).code, 0);
    let after = workspace.json(&["check", "d1"]);
    assert_eq!((&after["erased"], &after["head"]), (&json!(2), &before["head"]));
    let record = workspace.agon(&["export", "d1", "--format", "record"]).out;
    assert!(!record.contains("quokkas") && record.contains("\"closed\""));
    let changed = record.replacen("proposition", "opposition1", 1);
    workspace.write("changed.jsonl", changed);
    assert_eq!(workspace.agon(&["check", "changed.jsonl"]).code, 6);
}

#[test]
fn a_debate_that_is_only_called_like_a_companion_stays() {
    let workspace = Workspace::new();
    run(&workspace, "d1-extraction", "This house would keep numbats.", &[]);
    run(&workspace, "d1-mirror", "This house would keep bettongs.", &[]);
    run(&workspace, "d1", "This house would keep quokkas.", &["--baseline"]);
    assert_eq!(workspace.json(&["show", "d1-baseline"])["opened"]["options"]["baseline_of"]["debate"], "d1");
    let deleted = workspace.json(&["delete", "d1"]);
    assert_eq!(deleted[0]["companions"], json!(["d1-baseline"]));
    for id in ["d1-extraction", "d1-mirror"] {
        assert_eq!(workspace.json(&["check", id])["sound"], true, "{id}");
    }
    assert!(!holds(&workspace, "keep numbats").is_empty() && holds(&workspace, "keep quokkas").is_empty());
    // A debate whose companion could not have its id is not opened at all.
    run(&workspace, "d2-mirror", "This house would keep wombats.", &[]);
    let model = workspace.willing();
    let open = |id: &str, companion: &str| {
        let words = ["run", "exchange", "x", "--model", &model, "--id", id, "--out", id, "--rounds", "0", companion];
        workspace.agon(&words)
    };
    let refused = open("d2", "--mirror");
    assert!(refused.code == 5 && refused.err.contains("d2-mirror is another debate"), "{}", refused.err);
    assert_eq!(workspace.agon(&["show", "d2"]).code, 8, "nothing was paid for");
    assert_eq!(workspace.agon(&["delete", "d2-mirror"]).code, 0);
    assert_eq!(open("d2", "--mirror").code, 8, "an id is not given again");
    // One that was opened since is told apart as well.
    workspace.write(
        "stops.json",
        r#"{"rules": [{"key": "*judgment*", "fail": "unavailable"}, {"key": "*", "sample": true}]}"#,
    );
    let stopped = workspace.agon(&[
        "run",
        "exchange",
        "x",
        "--model",
        &model,
        "--seat",
        "judge=scripted:stops.json",
        "--id",
        "d3",
        "--rounds",
        "0",
        "--mirror",
    ]);
    assert_eq!(stopped.code, 3, "{}", stopped.err);
    run(&workspace, "d3-mirror", "This house would keep wombats.", &[]);
    let before = workspace.json(&["check", "d3-mirror"])["head"].clone();
    let resumed = workspace.agon(&["resume", "d3", "--seat", &format!("judge={model}")]);
    assert!(resumed.code == 5 && resumed.err.contains("d3-mirror is another debate"), "{}", resumed.err);
    assert!(!workspace.agon(&["show", "d3"]).out.contains("wombats"));
    assert_eq!(workspace.json(&["check", "d3-mirror"])["head"], before);
}

#[test]
fn retention_spares_a_debate_whose_companion_is_kept() {
    let workspace = Workspace::new();
    run(&workspace, "d1", "This house would rest.", &["--baseline"]);
    let config = workspace.work().join("../config/agon/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "[retention]\nkeep_days = 30\nkeep = [\"keep\"]\n").unwrap();
    let db = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    db.execute("UPDATE debates SET last_at = '2020-01-01T00:00:00.000Z'", ()).unwrap();
    drop(db);
    let planned = || {
        let plan = workspace.json(&["retention", "--plan"]);
        plan["debates"].as_array().unwrap().iter().map(|debate| debate["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(planned(), ["d1", "d1-baseline"]);
    workspace.json(&["label", "d1-baseline", "--add", "keep"]);
    assert_eq!(planned(), Vec::<serde_json::Value>::new());
    workspace.json(&["retention", "--yes"]);
    assert_eq!(workspace.json(&["list"]).as_array().unwrap().len(), 2);
    workspace.json(&["label", "d1-baseline", "--remove", "keep"]);
    workspace.json(&["retention", "--yes"]);
    assert_eq!(workspace.json(&["list"]), json!([]));
}

#[test]
fn retention_deletes_what_is_old_closed_and_without_a_label_to_keep() {
    let workspace = Workspace::new();
    for id in ["old", "kept", "new"] {
        run(&workspace, id, "This house would rest.", &[]);
    }
    let nothing = workspace.agon(&["retention", "--yes"]);
    assert!(nothing.code == 0 && nothing.out.contains("no retention.keep_days"), "{}", nothing.out);
    let config = workspace.work().join("../config/agon/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "[retention]\nkeep_days = 30\nkeep = [\"keep\"]\n").unwrap();
    assert_eq!(workspace.agon(&["label", "kept", "--add", "No Label"]).code, 2);
    assert_eq!(workspace.json(&["label", "kept", "--add", "keep", "--add", "q3"])["labels"], json!(["keep", "q3"]));
    // Two of them were last touched long ago.
    let db = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    db.execute("UPDATE debates SET last_at = '2020-01-01T00:00:00.000Z' WHERE id <> 'new'", ()).unwrap();
    drop(db);
    let plan = workspace.json(&["retention", "--plan"]);
    assert_eq!((plan["debates"].as_array().unwrap().len(), &plan["debates"][0]["id"]), (1, &json!("old")));
    let done = workspace.json(&["retention", "--yes"]);
    assert_eq!(done["deleted"][0]["deleted"]["debate"], "old");
    assert!(workspace.agon(&["show", "old"]).err.contains("by retention: closed for more than 30 days"));
    let list = workspace.agon(&["list"]).out;
    assert!(list.contains("kept") && list.contains("new") && !list.contains("old"), "{list}");
    // A project that comes from anyone deletes nothing.
    workspace.write("agon.toml", "[retention]\nkeep_days = 1\n");
    assert_eq!(workspace.agon(&["retention", "--yes"]).code, 2);
}
