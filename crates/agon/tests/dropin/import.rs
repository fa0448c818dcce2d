//! `agon import` on folders that other programs made: what is wrong is named, the debate runs on, and
//! what nothing was added to comes back byte for byte.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::dropin::{
    duel::{add_turn, conclude},
    workspace::Workspace,
};

pub fn golden(format: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/dropin/golden").join(format)
}

/// Real debates, where they are at hand.
fn shared(format: &str) -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(format);
    let Ok(entries) = std::fs::read_dir(&root) else {
        println!("skipped: {} is absent", root.display());
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

/// Copies a golden folder into the room, as `there`.
pub fn lay(workspace: &Workspace, from: &Path) {
    let mut folders = vec![from.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(from).unwrap().display().to_string();
                workspace.write(&format!("there/{name}"), std::fs::read(&path).unwrap());
            }
        }
    }
}

pub fn import(workspace: &Workspace, format: &str, more: &[&str]) -> Value {
    let model = workspace.willing();
    workspace.json(&[&["import", format, "there", "--id", "d", "--out", "d", "--model", &model], more].concat())
}

pub fn warnings(report: &Value) -> String {
    report["warnings"].as_array().unwrap().iter().map(|w| format!("{}\n", w.as_str().unwrap())).collect()
}

/// The files of the debate as exported.
pub fn exported(workspace: &Workspace, format: &str, to: &str) -> Vec<(String, String)> {
    let ran = workspace.agon(&["export", "d", "--format", format, "--out", to]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    workspace.files(to)
}

/// Every file of `there` comes back as it was.
pub fn comes_back(workspace: &Workspace, format: &str) -> Vec<(String, String)> {
    let files = exported(workspace, format, "back");
    assert_eq!(files, workspace.files("there"));
    sound(workspace);
    files
}

fn sound(workspace: &Workspace) {
    for verb in ["check", "replay"] {
        let ran = workspace.agon(&[verb, "d"]);
        assert_eq!(ran.code, 0, "{verb}: {}{}", ran.out, ran.err);
    }
}

pub fn run_on(workspace: &Workspace, words: &[&str]) {
    let ran = workspace.agon(&[words, &["--quiet"]].concat());
    assert_eq!(ran.code, 0, "{words:?}: {}", ran.err);
    sound(workspace);
}

pub fn find_file<'f>(files: &'f [(String, String)], name: &str) -> &'f str {
    &files.iter().find(|(path, _)| path == name).unwrap_or_else(|| panic!("no {name}")).1
}

#[test]
fn an_exchange_comes_back_and_is_extended_by_one() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let report = import(&workspace, "exchange", &[]);
    let said = warnings(&report);
    for wanted in [
        "S1 arguments: 3 argument(s) are wanted, found 2",
        "S3 arguments[0].attacks[1].target_id: \"opp_999\"",
        "S4 arguments[0].attacks[1].attack_type: \"mockery\"",
        "J7 rescore of opp_000a: it moves by -0.700",
        "report turning_points: 2 or 3 are wanted, found 1",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
    assert_eq!(report["outcome"], "proposition_ahead");
    let before = comes_back(&workspace, "exchange");
    let record = std::fs::read_to_string(workspace.work().join("d/record.jsonl")).unwrap();
    let answers = record.lines().filter(|line| line.contains("\"answered\""));
    assert!(answers.clone().count() == 7 && answers.clone().all(|line| line.contains("\"imported\"")));
    assert!(answers.clone().all(|line| line.contains("\"cost_microusd\":0") || !line.contains("cost_microusd")));

    run_on(&workspace, &["extend", "d", "--rounds", "1"]);
    let after = exported(&workspace, "exchange", "after");
    for (name, text) in before.iter().filter(|(name, _)| name.starts_with("arguments/")) {
        assert_eq!(find_file(&after, name), text);
    }
    for side in ["prop", "opp"] {
        find_file(&after, &format!("arguments/{side}_002.md"));
    }
    let scores = find_file(&before, "scores.json").trim_end_matches("\n}").to_owned();
    assert!(find_file(&after, "scores.json").starts_with(&scores), "old scores stay as they are");
    let state = find_file(&after, "debate.md");
    assert!(state.contains("\"current_exchange\": 3") && state.contains("\"debate_id\": \"rest\""), "{state}");
    assert!(state.contains("\"kept\": \"\\u00e9 {\"") && state.ends_with("Kept as it is.\n"), "{state}");
}

#[test]
fn an_exchange_that_waits_for_its_judge_is_resumed_there() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let there = |name: &str| workspace.work().join("there").join(name);
    for name in ["README.md", "argument-graph.mmd", "arguments/prop_001.md", "arguments/opp_001.md"] {
        std::fs::remove_file(there(name)).unwrap();
    }
    workspace.write("there/scores.json", "{}");
    let report = import(&workspace, "exchange", &[]);
    assert_eq!(report["open"], serde_json::json!(["exchange-000/judgment"]));
    assert!(warnings(&report).contains("debate.md: current_exchange is 2, but the number of judged exchanges is 0"));
    let back = exported(&workspace, "exchange", "back");
    for (name, text) in workspace.files("there").iter().filter(|(name, _)| name != "debate.md") {
        assert_eq!(find_file(&back, name), text, "{name}");
    }
    assert!(find_file(&back, "debate.md").contains("\"current_exchange\": 0"), "the state is what the rest says");
    run_on(&workspace, &["resume", "d"]);
    assert!(find_file(&exported(&workspace, "exchange", "after"), "scores.json").contains("opp_000c"));
}

#[test]
fn real_exchanges_come_back_and_are_extended() {
    for folder in shared("exchange") {
        let workspace = Workspace::new();
        lay(&workspace, &folder);
        import(&workspace, "exchange", &[]);
        comes_back(&workspace, "exchange");
        run_on(&workspace, &["extend", "d", "--rounds", "1"]);
    }
}

#[test]
fn a_chaired_log_comes_back_with_its_warnings_and_goes_on() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("chaired"));
    let report = import(&workspace, "chaired", &[]);
    let said = warnings(&report);
    for wanted in [
        "L10 seq 3: it has neither a source nor the label [CONJECTURE]",
        "L6 seq 7: a rebuttal without rebuttal_to_seq",
        "L11 seq 9: reader speaks out of turn",
        "metadata.json: total_entries is 13; by the log it is 14",
        "transcript.md: it lacks seq 1, ",
        "transcript.md: it shows seq 99, unlike the log",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
    assert_eq!(report["outcome"], "reader_wins");
    let before = comes_back(&workspace, "chaired");
    run_on(&workspace, &["extend", "d", "--rounds", "1"]);
    let after = exported(&workspace, "chaired", "after");
    let log = find_file(&after, "debate-log.jsonl");
    let rest = log.strip_prefix(find_file(&before, "debate-log.jsonl")).expect("the log only grows");
    assert!(rest.starts_with("{\"seq\":14,") && rest.contains("Round 2 of 2 beginning."), "{rest}");
    assert!(find_file(&after, "metadata.json").contains(&format!("\"total_entries\": {}", log.lines().count())));
    assert!(find_file(&after, "transcript.md").contains("### [seq 2] Phase: opening | reader"));
}

#[test]
fn a_chaired_log_goes_on_in_the_middle_of_a_round() {
    let workspace = Workspace::new();
    let log = std::fs::read_to_string(golden("chaired").join("debate-log.jsonl")).unwrap();
    let whole: String = log.lines().take(7).map(|line| format!("{line}\n")).collect();
    workspace.write("there/debate-log.jsonl", format!("{whole}{{\"seq\":7,\"timest"));
    let report = import(&workspace, "chaired", &[]);
    assert!(warnings(&report).contains("debate-log.jsonl: its last line is cut off; ignored"));
    assert_eq!(report["open"], serde_json::json!(["round-001/debater-2"]));
    run_on(&workspace, &["resume", "d"]);
    let after = exported(&workspace, "chaired", "after");
    let rest = find_file(&after, "debate-log.jsonl").strip_prefix(&whole).unwrap();
    assert!(rest.starts_with("{\"seq\":7,") && rest.contains("\"speaker\":\"keeper\""), "{rest}");
}

#[test]
fn the_real_chaired_log_comes_back_and_is_extended() {
    for folder in shared("chaired") {
        let workspace = Workspace::new();
        lay(&workspace, &folder);
        let said = warnings(&import(&workspace, "chaired", &[]));
        assert!(said.contains("L8 seq 2: 6 sources") && !said.contains("metadata.json"), "{said}");
        comes_back(&workspace, "chaired");
        run_on(&workspace, &["extend", "d", "--rounds", "1"]);
    }
}

#[test]
fn a_duel_comes_back_and_is_played_to_its_end() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("duel"));
    let report = import(&workspace, "duel", &[]);
    let said = warnings(&report);
    assert!(said.contains("turn-2") && said.contains("D7"), "{said}");
    assert!(!said.contains("cannot be read"), "{said}");
    let name = "debates/2026-01-31-move.md";
    let before = exported(&workspace, "duel", "back");
    assert_eq!(before, [(name.to_owned(), workspace.read(&format!("there/{name}")))]);
    run_on(&workspace, &["resume", "d"]);
    let after = exported(&workspace, "duel", "after");
    let (old, new) = (find_file(&before, name), find_file(&after, name));
    let turns = |text: &str| text[text.find("## Turn 1").unwrap()..text.find("## Terminal").unwrap()].to_owned();
    assert!(turns(new).starts_with(turns(old).trim_end()), "{new}");
    assert!(new.contains("## Turn 3 — Ann") && new.contains("**Status**: CLOSED"), "{new}");
    assert!(new.contains("| Status | CLOSED |") && !new.contains("PENDING"), "{new}");
}

#[test]
fn the_import_of_a_finished_duel_advises_no_further_turn() {
    for (turns, says) in [(6, "closed as MAX_TURNS; no turn can follow"), (4, "continue with: agon resume d")] {
        let workspace = Workspace::new();
        workspace.write("there/source.md", "# Rest\n\nRest is owed.\n");
        let artifact = workspace.work().join("there/debates/rest.md");
        for (number, name) in (1..=turns).zip(["Ada", "Bob"].into_iter().cycle()) {
            add_turn(artifact.to_str().unwrap(), number, name, "OPEN_TO_DEBATE");
        }
        conclude(artifact.to_str().unwrap(), "MAX_TURNS");
        let model = workspace.willing();
        let ran = workspace.agon(&["import", "duel", "there", "--id", "d", "--out", "d", "--model", &model]);
        assert!(ran.code == 0 && ran.out.contains(says), "{turns}: {}{}", ran.out, ran.err);
        assert!(turns == 4 || !ran.out.contains("agon extend"), "{}", ran.out);
    }
}

#[test]
fn a_duel_without_its_document_is_taken_and_cannot_go_on() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("duel"));
    std::fs::remove_file(workspace.work().join("there/plan.md")).unwrap();
    let said = warnings(&import(&workspace, "duel", &[]));
    assert!(said.contains("plan.md: the source document cannot be read"), "{said}");
    assert_eq!(workspace.agon(&["resume", "d", "--quiet"]).code, 9);
}

#[test]
fn a_revise_folder_comes_back_and_runs_on() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("revise"));
    let report = import(&workspace, "revise", &[]);
    let said = warnings(&report);
    for wanted in [
        "critique_of_bo_r1.md: C2 its sections are Strengths, Weaknesses, Concessions",
        "draft_bo_v2.md: R1 its first line is not",
        "debate_log.md: the number of weaknesses in critique_of_bo_r1.md is 1; the log says 3",
        "C3 weaknesses[0].place",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
    let before = comes_back(&workspace, "revise");
    run_on(&workspace, &["resume", "d"]);
    let after = exported(&workspace, "revise", "after");
    for (name, text) in before.iter().filter(|(name, _)| name != "debate_log.md") {
        assert_eq!(find_file(&after, name), text, "{name}");
    }
    for name in ["draft_ada_v3.md", "critique_of_bo_r2.md", "SYNTHESIS.md"] {
        find_file(&after, name);
    }
    let head = find_file(&before, "debate_log.md").split("\n### Outcome").next().unwrap().trim_end();
    let log = find_file(&after, "debate_log.md");
    assert!(log.starts_with(head) && log.contains("### Round 2"), "{log}");
}

/// What cannot be imported: exit code, one line that names the file and says why, and nothing left.
#[track_caller]
fn refused(workspace: &Workspace, line: &[&str], code: i32, says: &str) {
    let ran = workspace.agon(&[&["import"], line].concat());
    assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{line:?}: {}", ran.err);
    assert!(ran.err.contains(says) && ran.err.lines().count() <= 2, "{says}: {}", ran.err);
    let listed = workspace.agon(&["list", "--output", "json"]);
    assert_eq!(listed.out.trim_end(), "[]", "nothing is on the record");
    assert!(!workspace.work().join("debates").exists(), "no folder is left");
}

#[test]
fn what_cannot_be_read_is_named_in_one_line_and_leaves_nothing() {
    let workspace = Workspace::new();
    let state = std::fs::read_to_string(golden("exchange").join("debate.md")).unwrap();
    let argument = std::fs::read_to_string(golden("exchange").join("arguments/opp_001.md")).unwrap();
    refused(&workspace, &["exchange", "absent"], 7, "absent: No such file");
    refused(&workspace, &["exchagne", "absent"], 2, "did you mean exchange?");
    workspace.write("x/other.md", "hello");
    refused(&workspace, &["exchange", "x"], 6, "debate.md: it is missing");
    refused(&workspace, &["duel", "x"], 6, "no debate artifact");
    refused(&workspace, &["chaired", "x"], 6, "debate-log.jsonl: it is missing");
    refused(&workspace, &["revise", "x"], 6, "no initial versions");
    for (text, says) in [
        ("---\nno\n---\n".to_owned(), "JSON frontmatter must start with '{'"),
        ("{\"a\": \"}".into(), "JSON frontmatter not properly closed"),
        (state.replace(": 2,", ": \"two\","), "frontmatter: invalid type"),
        (state.split("# Motion").next().unwrap().to_owned(), "no motion"),
    ] {
        workspace.write("x/debate.md", text);
        refused(&workspace, &["exchange", "x"], 6, says);
    }
    workspace.write("x/debate.md", state);
    for (scores, says) in [
        ("{\"a\": NaN}", "scores.json: expected"),
        ("{\"a\": {\"current_score\": 1, \"history\": [{\"score\": \"1\"}]}}", "scores.json: "),
        ("[]", "scores.json: "),
    ] {
        workspace.write("x/scores.json", scores);
        refused(&workspace, &["exchange", "x"], 6, says);
    }
    workspace.write("x/scores.json", "{}");
    for (id, says) in [("../../etc/x", "the id"), ("opp_1", "the id"), ("opp_002", "it contains the argument")] {
        workspace
            .write("x/arguments/opp_001.md", argument.replace("\"id\": \"opp_001\"", &format!("\"id\": \"{id}\"")));
        refused(&workspace, &["exchange", "x"], 6, says);
    }
    workspace.write("x/arguments/opp_001.md", argument.replace("\"exchange\": 1", "\"exchange\": 7"));
    refused(&workspace, &["exchange", "x"], 6, "it states exchange 7");
    workspace.write("x/arguments/opp_001.md", "x".repeat(10 << 20));
    refused(&workspace, &["exchange", "x"], 6, "opp_001.md: it has 10485760 bytes");
    workspace.write("x/arguments/opp_001.md", b"\xff\xfe");
    refused(&workspace, &["exchange", "x"], 6, "it is not UTF-8 text");
    workspace.write("x/arguments/opp_001.md", argument);
    workspace.write("x/.agon-commit.json", "{}");
    refused(&workspace, &["exchange", "x"], 5, "was interrupted here");
    let line =
        r#"{"seq":0,"timestamp":"t","phase":"system","speaker":"chair","type":"setup","content":"x","sources":null}"#;
    workspace.write("log.jsonl", format!("{line}\nforeign words\n{line}\n"));
    refused(&workspace, &["chaired", "log.jsonl"], 6, "log.jsonl: line 2: ");
    workspace.write("log.jsonl", "");
    refused(&workspace, &["chaired", "log.jsonl"], 6, "it has no entries");
    workspace.write("log.jsonl", format!("{line}\n"));
    refused(&workspace, &["chaired", "log.jsonl"], 6, "gives the motion");
}

#[cfg(unix)]
#[test]
fn no_link_leads_an_import_out_of_its_folder() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let secret = workspace.write("secret.md", "# Secret\n");
    std::os::unix::fs::symlink(secret, workspace.work().join("there/arguments/opp_009.md")).unwrap();
    refused(&workspace, &["exchange", "there"], 6, "it is a link to a place outside the folder");
    // A path in an artifact is no way to have models read a file that is no document.
    lay(&workspace, &golden("duel"));
    workspace.write("key.pem", "PRIVATE");
    let name = "there/debates/2026-01-31-move.md";
    let pointed = workspace.read(name).replace("`plan.md`", "`../../key.pem`");
    workspace.write(name, pointed);
    let model = workspace.willing();
    let report = workspace.json(&["import", "duel", name, "--id", "d", "--model", &model]);
    assert!(warnings(&report).contains("key.pem: the source document cannot be read"));
    assert!(
        !std::fs::read_to_string(workspace.work().join(report["directory"].as_str().unwrap()).join("record.jsonl"))
            .unwrap()
            .contains("PRIVATE")
    );
}

#[test]
fn duplicated_and_reordered_lines_are_taken_with_a_warning() {
    let workspace = Workspace::new();
    let log = std::fs::read_to_string(golden("chaired").join("debate-log.jsonl")).unwrap();
    let mut lines: Vec<&str> = log.lines().collect();
    lines.swap(2, 3);
    lines.insert(5, lines[4]);
    workspace.write("there/debate-log.jsonl", lines.join("\n") + "\n");
    let report = import(&workspace, "chaired", &[]);
    let said = warnings(&report);
    assert!(said.contains("L1 seq 3: entry 2 has the number 3"), "{said}");
    assert!(said.contains("L1 seq 4: entry 5 has the number 4"), "{said}");
    comes_back(&workspace, "chaired");
}

#[test]
fn a_key_that_stands_twice_counts_as_its_last_and_is_named() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let doubled = |name: &str, from: &str, to: &str| {
        let text = workspace.read(&format!("there/{name}"));
        assert!(text.contains(from), "{name}: {text}");
        workspace.write(&format!("there/{name}"), text.replacen(from, to, 1));
    };
    doubled("debate.md", "{\n", "{\n  \"debate_id\": \"another\",\n");
    doubled("arguments/opp_001.md", "{\n", "{\n  \"title\": \"Another\",\n");
    // An argument that is scored twice, by two keys of the same name.
    let first = "{\"prop_000a\": {\"current_score\": 0.9, \"history\": []},";
    let scores = workspace.read("there/scores.json");
    workspace.write("there/scores.json", scores.replacen('{', first, 1));
    let said = warnings(&import(&workspace, "exchange", &[]));
    for wanted in [
        "debate.md: the key \"debate_id\" stands twice",
        "opp_001.md: the key \"title\" stands twice",
        "scores.json: the key \"prop_000a\" stands twice",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
    comes_back(&workspace, "exchange");
    assert!(!workspace.read("d/transcript.md").contains("Another"), "the last one is used");
}

#[test]
fn an_id_that_is_taken_and_a_folder_in_use_are_refused() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    import(&workspace, "exchange", &[]);
    let model = workspace.willing();
    let line = ["import", "exchange", "there", "--id", "d", "--model", &model];
    // The same files under the same id are the same import, as after a kill.
    std::fs::remove_file(workspace.work().join("d/record.jsonl")).unwrap();
    assert_eq!(workspace.agon(&line).code, 0);
    assert!(workspace.work().join("d/record.jsonl").is_file());
    let scores = workspace.read("there/scores.json");
    workspace.write("there/scores.json", scores.replacen("\"reasoning\": \"", "\"reasoning\": \"Now: ", 1));
    let again = workspace.agon(&line);
    assert_eq!(again.code, 5, "{}", again.err);
    let into = workspace.agon(&["import", "exchange", "there", "--out", "there", "--model", &model]);
    assert!(into.code == 2 && into.err.contains("it exists and is not empty"), "{}", into.err);
}
