//! Bad input: one message, the right exit code, nothing asked, nothing left behind.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

/// Runs, and checks code and message; nothing may be opened.
pub fn refused(workspace: &Workspace, args: &[&str], code: i32, says: &str) {
    let ran = workspace.agon(args);
    assert_eq!(ran.code, code, "{args:?}: {}{}", ran.out, ran.err);
    assert!(ran.err.contains(says), "{args:?}: {says:?} is not in {}", ran.err);
    assert!(ran.err.lines().count() <= 2, "{args:?}: {}", ran.err);
    assert_eq!(ran.out, "", "{args:?}");
    assert!(!workspace.work().join("debates").exists(), "{args:?}: a folder was left");
}

#[test]
fn wrong_names_say_what_there_is() {
    let workspace = Workspace::new();
    refused(&workspace, &["run", "exchagne", "x"], 8, "did you mean exchange");
    refused(&workspace, &["run", "exchange", "x", "--seat", "jugde=local"], 8, "did you mean judge");
    refused(&workspace, &["run", "exchange", "x", "--seat", "judge"], 2, "NAME=MODEL");
    refused(&workspace, &["run", "exchange", "x", "--seat", "judge=local", "--seat", "judge=local"], 2, "twice");
    refused(&workspace, &["run", "exchange", "x", "--model", "gtp-5"], 8, "PROVIDER:MODEL");
    refused(&workspace, &["run", "exchange", "x", "--model", "nobody:x"], 8, "no provider");
    refused(&workspace, &["run", "exchange", "x", "--model", "scripted:absent.json"], 2, "absent.json");
    refused(&workspace, &["run", "exchange", "x", "--model", "recorded:absent"], 8, "absent");
    refused(&workspace, &["resume", "absent"], 8, "absent");
    refused(&workspace, &["resume", "../../etc"], 2, "a-z");
    refused(&workspace, &["show", "absent"], 8, "agon list");
    refused(&workspace, &["run", "exchange", "x", "--id", "../x"], 2, "a-z");
}

#[test]
fn motions_that_cannot_be_debated_are_refused() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("empty.md", "  \n");
    workspace.write("binary.md", [0x89, b'P', b'N', b'G', 0, 0xff]);
    workspace.write("long.md", "x ".repeat(50_000));
    std::fs::create_dir(workspace.work().join("folder")).unwrap();
    for (motion, says) in [
        ("", "motion is empty"),
        ("  ?! ", "motion has no words"),
        ("empty.md", "motion is empty"),
        ("binary.md", "not a text file"),
        ("long.md", "at most"),
        ("folder", "is a folder"),
        ("absent.md", "no file"),
    ] {
        refused(&workspace, &["run", "exchange", motion, "--model", &model], 2, says);
    }
    refused(&workspace, &["run", "exchange", "--model", &model], 2, "no motion");
}

#[test]
fn limits_that_cannot_be_meant_are_refused() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for (flag, value, says) in [
        ("--rounds", "51", "0 to 50 rounds"),
        ("--max-cost", "0", "above zero"),
        ("--max-cost", "nan", "above zero"),
        ("--max-cost", "inf", "above zero"),
        ("--max-requests", "0", "more than zero"),
        ("--max-time", "soon", "30m"),
    ] {
        refused(&workspace, &["run", "exchange", "x", "--model", &model, flag, value], 2, says);
    }
    refused(&workspace, &["run", "exchange", "x", "--model", &model, "--max-cost", "-1"], 2, "above zero");
    let ran = workspace.agon(&["run", "exchange", "x", "--rounds", "-1"]);
    assert!(ran.code == 2 && ran.err.contains("invalid value '-1' for '--rounds"), "{}", ran.err);
}

#[test]
fn a_wrong_configuration_comes_before_a_missing_model() {
    let workspace = Workspace::new();
    for (config, says) in [
        ("modle = \"x\"", "agon.toml:1"),
        ("[limits]\nmax_cost_usd = nan", "agon.toml:2"),
        ("[providers.lab]\nkind = \"openai\"\napi_key = \"hunter2\"", "environment variable"),
    ] {
        workspace.write("agon.toml", config);
        refused(&workspace, &["run", "exchange", "x", "--model", "nobody:x"], 2, says);
    }
    workspace.write("agon.toml", "[seats.exchange]\njugde = \"local\"");
    refused(&workspace, &["run", "exchange", "x"], 8, "did you mean judge");
}

#[test]
fn a_key_that_is_not_set_is_named_before_anything_is_sent() {
    let workspace = Workspace::new();
    refused(&workspace, &["run", "exchange", "x", "--model", "anthropic:claude-x"], 3, "ANTHROPIC_API_KEY");
}

#[test]
fn a_folder_in_use_is_refused() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("mine/notes.md", "mine");
    refused(&workspace, &["run", "exchange", "x", "--model", &model, "--out", "mine"], 2, "it exists and is not empty");
    assert_eq!(workspace.read("mine/notes.md"), "mine");
}

#[test]
fn a_store_that_cannot_be_used_is_named_and_left_alone() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    std::fs::create_dir_all(workspace.home()).unwrap();
    let journal = workspace.home().join("journal.db");
    std::fs::write(&journal, "this is no database, but it is somebody's file".repeat(100)).unwrap();
    refused(&workspace, &["run", "exchange", "x", "--model", &model], 6, "journal.db");
    assert!(std::fs::read_to_string(&journal).unwrap().starts_with("this is no database"));

    let other = Workspace::new();
    let model = other.willing();
    other.agon(&["run", "exchange", "x", "--model", &model, "--id", "d1", "--out", "d"]);
    let db = rusqlite::Connection::open(other.home().join("journal.db")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    refused(&other, &["run", "exchange", "x", "--model", &model], 6, "newer version of agon");
    refused(&other, &["list"], 6, "newer version of agon");
}

#[test]
fn a_changed_journal_is_noticed() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.agon(&["run", "exchange", "x", "--model", &model, "--id", "d1", "--out", "d"]);
    let db = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    db.execute("UPDATE entries SET line = replace(line, 'sample', 'simple') WHERE seq = 5", []).unwrap();
    drop(db);
    let ran = workspace.agon(&["show", "d1"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    assert!(ran.err.contains("entry 5"), "{}", ran.err);
}

#[test]
fn no_permission_and_no_place_are_told_before_anything_is_asked() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("file", "x");
    let ran = workspace.agon(&["run", "exchange", "x", "--model", &model, "--out", "file/below"]);
    assert_eq!(ran.code, 7, "{}", ran.err);
    assert_eq!(workspace.json(&["list"]), serde_json::json!([]));
    // Root may write anywhere, so the rest is only true for others.
    let locked = workspace.work().join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(locked.join("probe"), "x").is_err() {
        let ran = workspace.agon(&["run", "exchange", "x", "--model", &model, "--out", "locked/d"]);
        assert_eq!(ran.code, 7, "{}", ran.err);
    }
}

#[test]
fn an_id_that_is_taken_names_how_to_go_on() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    assert_eq!(workspace.agon(&["run", "exchange", "x", "--model", &model, "--id", "d1", "--out", "d"]).code, 0);
    let ran = workspace.agon(&["run", "exchange", "x", "--model", &model, "--id", "d1", "--out", "e"]);
    assert_eq!(ran.code, 5);
    assert!(ran.err.contains("agon resume d1"), "{}", ran.err);
}

#[test]
fn hostile_text_never_acts_on_the_terminal() {
    let workspace = Workspace::new();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}evil";
    let script = serde_json::json!({"rules": [
        {"key": "exchange-000/judgment", "reply": hostile},
        {"key": "*", "sample": true},
    ]});
    workspace.write("s.json", script.to_string());
    let motion = format!("This house {hostile} would.");
    let ran = workspace.agon(&[
        "run",
        "exchange",
        &motion,
        "--rounds",
        "0",
        "--model",
        "scripted:s.json",
        "--id",
        "d1",
        "--out",
        "d",
    ]);
    let shown = [ran.out, ran.err, workspace.agon(&["show", "d1"]).out, workspace.agon(&["list"]).out].concat();
    assert!(shown.contains("owned"));
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
}

#[test]
fn what_has_no_end_is_not_read_for_ever() {
    let workspace = Workspace::new();
    refused(&workspace, &["batch", "/dev/zero"], 7, "line 1: it is longer than 64 MiB");
    refused(&workspace, &["eval", "/dev/zero", "--arm", "direct"], 2, "longer than");
    refused(&workspace, &["import", "record", "/dev/zero"], 7, "larger than 256 MB");
    refused(&workspace, &["run", "exchange", "x", "--model", "scripted:/dev/zero"], 2, "a regular file");
}

#[test]
fn a_record_is_taken_as_it_is() {
    let workspace = Workspace::new();
    for (flag, value) in [("--out", "d"), ("--id", "d2"), ("--model", "local"), ("--seat", "judge=local")] {
        refused(&workspace, &["import", "record", "record.jsonl", flag, value], 2, flag);
    }
}

#[test]
fn an_emptied_journal_is_told_and_left_alone() {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "0"]);
    let journal = workspace.home().join("journal.db");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", journal.display()));
    }
    std::fs::write(&journal, "").unwrap();
    let model = workspace.willing();
    for line in [&["list"][..], &["show", "d1"], &["check", "d1"], &["run", "exchange", "x", "--model", &model]] {
        let ran = workspace.agon(line);
        assert_eq!((ran.code, ran.out.as_str()), (6, ""), "{line:?}: {}", ran.err);
        assert!(
            ran.err.contains("journal.db is empty (0 bytes)") && ran.err.contains("restore it from a copy"),
            "{}",
            ran.err
        );
    }
    assert!(workspace.agon(&["doctor"]).out.contains("journal.db is empty (0 bytes)"));
    assert_eq!(std::fs::metadata(&journal).unwrap().len(), 0);
}

#[test]
fn a_journal_that_vanished_is_told_once_and_by_the_doctor() {
    let workspace = Workspace::new();
    assert!(workspace.agon(&["list"]).err.is_empty(), "nobody was here before");
    workspace.debate(&["--rounds", "0"]);
    assert!(workspace.agon(&["doctor"]).out.contains("ok  journal"));
    let journal = workspace.home().join("journal.db");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", journal.display()));
    }
    let first = workspace.agon(&["list"]);
    let says = "agon created a new journal at ";
    assert!(first.code == 0 && first.err.contains(says) && first.err.contains("d1.lock"), "{}", first.err);
    assert!(workspace.agon(&["list"]).err.is_empty(), "once");
    let doctor = workspace.agon(&["doctor"]).out;
    assert!(doctor.contains("it lacks 1 debate that was driven here (d1)"), "{doctor}");
}

#[test]
fn names_that_look_the_same_are_refused() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let debaters = |one: &str, other: &str| {
        let names = json!([{"name": one}, {"name": other}]);
        workspace.write("lineup.json", json!({"topic": "Rest?", "debaters": names}).to_string());
        workspace.agon(&["run", "chaired", "--lineup", "lineup.json", "--model", &model, "--plan"])
    };
    assert_eq!(debaters("Anna", "Bo").code, 0);
    for (one, other, says) in [
        ("Anna", "\u{410}nna", "several alphabets"),
        ("Copa", "\u{421}\u{43e}\u{440}\u{430}", "look alike"),
        ("Al", "AI", "look alike"),
        ("Anna", "\u{ff2a}udge", "looks like \"judge\""),
    ] {
        let ran = debaters(one, other);
        assert!(ran.code == 2 && ran.err.contains(says), "{one} {other}: {}", ran.err);
    }
}

#[test]
fn what_a_line_up_file_leaves_open_is_said() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let plan = |config: Value| {
        workspace.write("lineup.json", config.to_string());
        let ran = workspace.agon(&["run", "chaired", "Rest?", "--lineup", "lineup.json", "--model", &model, "--plan"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.err
    };
    assert!(plan(json!({"debaters": []})).contains("the line-up file names no debaters"));
    let named = json!([{"name": "Ann"}, {"name": "Bo"}]);
    for dir in [json!("out/x"), json!(3)] {
        let said = plan(json!({"debaters": named, "output_dir": dir}));
        assert!(said.contains("is ignored; use --out to choose the folder"), "{said}");
    }
    for dir in [json!(""), json!(null)] {
        assert!(!plan(json!({"debaters": named, "output_dir": dir})).contains("output_dir"));
    }
}

#[test]
fn a_motion_file_in_the_form_of_the_source_keeps_its_terms_and_scope() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let body = "# Motion\n\nThis house would rest.\n\n## Definitions\n\n- **rest**: a pause\n- **house**: us\n\n## Scope\n\nSundays.\n";
    workspace.write("motion.md", body);
    let run = ["run", "exchange", "motion.md", "--model", &model, "--rounds", "0", "--id", "d1", "--out", "d"];
    assert_eq!(workspace.agon(&run).code, 0);
    let state = workspace.read("d/debate.md");
    assert!(state.contains("\"debate_id\": \"this-house-would-rest\""), "{state}");
    let (_, kept) = state.split_once("\n\n").unwrap();
    assert_eq!(
        kept,
        "# Motion\n\nThis house would rest.\n\n## Definitions\n\n- **rest**: a pause\n\n- **house**: us\n\n## Scope\n\nSundays.\n"
    );
    // What a folder of the source begins with; flags win.
    workspace.write("state.md", state);
    let more = ["--define", "rest=sleep", "--scope", "Mondays."];
    let run = ["run", "exchange", "state.md", "--model", &model, "--rounds", "0", "--id", "d2", "--out", "e"];
    assert_eq!(workspace.agon(&[&run[..], &more].concat()).code, 0);
    let state = workspace.read("e/debate.md");
    assert!(state.contains("- **rest**: sleep") && state.contains("- **house**: us"), "{state}");
    assert!(state.contains("## Scope\n\nMondays.") && !state.contains("a pause"), "{state}");
    workspace.write("motion.md", body.replace("- **house**: us", "- house"));
    let refused = workspace.agon(&["run", "exchange", "motion.md", "--model", &model]);
    assert!(refused.code == 2 && refused.err.contains("\"- house\" is not a definition"), "{}", refused.err);
    // Any other file is the motion as it stands.
    workspace.write("plain.md", "# Rest\n\nThis house would rest.\n");
    let run = ["run", "exchange", "plain.md", "--model", &model, "--rounds", "0", "--id", "d3", "--out", "f"];
    assert_eq!(workspace.agon(&run).code, 0);
    assert!(workspace.read("f/debate.md").contains("\\# Rest"));
}

#[test]
fn debates_about_one_motion_are_called_after_their_folders() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    for (id, slug) in [("a", "this-house-would-rest"), ("b", "this-house-would-rest-2")] {
        let ran = workspace.agon(&[
            "run",
            "exchange",
            "This house would rest.",
            "--model",
            &model,
            "--rounds",
            "0",
            "--id",
            id,
        ]);
        assert!(ran.out.contains(&format!("Completed 1 exchanges for '{slug}'")), "{}", ran.out);
        let state = workspace.read(&format!("debates/{slug}/debate.md"));
        assert!(state.contains(&format!("\"debate_id\": \"{slug}\"")), "{state}");
    }
    assert_eq!(workspace.agon(&["fork", "b", "--at", "3", "--id", "c"]).code, 0);
    assert_eq!(workspace.agon(&["resume", "c", "--quiet"]).code, 0);
    let state = workspace.read("debates/this-house-would-rest-3/debate.md");
    assert!(state.contains("\"debate_id\": \"this-house-would-rest-3\""), "{state}");
}
