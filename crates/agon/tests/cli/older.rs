//! What agon 0.1.0 left before its rules and its schema were those of this version: records under `kept/`, one of each
//! protocol, and a journal. They can be shown and exported; whatever would step their scripts is refused.

use serde_json::{Value, json};

use crate::cli::{served::Served, workspace::Workspace};

const KEPT: [(&str, &str); 7] = [
    ("exchange", include_str!("kept/exchange.jsonl")),
    ("duel", include_str!("kept/duel.jsonl")),
    ("revise", include_str!("kept/revise.jsonl")),
    ("panel", include_str!("kept/panel.jsonl")),
    ("chaired", include_str!("kept/chaired.jsonl")),
    ("review", include_str!("kept/review.jsonl")),
    ("declared", include_str!("kept/declared.jsonl")),
];
/// A journal of the schema before, with two debates.
const JOURNAL: &str = include_str!("../../../agon-journal/tests/stores/kept/journal-10.sql");

/// A kept record in a journal of its own, and as `record.jsonl` in the working folder.
struct KeptRecord {
    workspace: Workspace,
    id: String,
    text: &'static str,
    /// By which rules it was held, as every message says it.
    held: String,
}

impl KeptRecord {
    fn import((protocol, text): (&str, &'static str)) -> Self {
        let workspace = Workspace::new();
        workspace.write("record.jsonl", text);
        let ran = workspace.agon(&["import", "record", "record.jsonl"]);
        let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let opened = entries.map(|entry| entry["what"]["opened"].clone()).find(Value::is_object).unwrap();
        let (rules, name) = (&opened["rules"], opened["protocol"].as_str().unwrap());
        let held = format!("held by the rules {rules} of an older agon ({name} rules now: ");
        assert_eq!(ran.code, 0, "{protocol}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("It was {held}")), "{protocol}: {}", ran.err);
        Self { workspace, id: format!("kept-{protocol}"), text, held }
    }

    /// Runs a command that is refused with one sentence and its remedy.
    fn refuse(&self, command: &[&str]) {
        let ran = self.workspace.agon(command);
        assert_eq!(ran.code, 6, "{command:?}: {}{}", ran.out, ran.err);
        let sentence = format!("error: debate {} was {}", self.id, self.held);
        assert!(ran.err.starts_with(&sentence), "{command:?}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 2, "{command:?}: {}", ran.err);
        assert!(ran.err.contains("it can still be shown and exported"), "{command:?}: {}", ran.err);
    }
}

#[test]
fn a_record_of_lower_rules_is_not_continued_and_one_sentence_says_why() {
    for kept in KEPT {
        let kept = KeptRecord::import(kept);
        let id = kept.id.as_str();
        for command in [
            &["resume", id][..],
            &["extend", id, "--rounds", "1"],
            &["replay", id],
            &["check", id],
            &["check", "record.jsonl"],
            &["fork", id, "--id", "fork"],
            &["seats", id],
            &["pause", id, "--name", "Eve"],
            &["graph", id, "--extract", "scripted:none.json"],
        ] {
            kept.refuse(command);
        }
        let entries = kept.text.lines().filter(|line| line.starts_with("{\"seq\"")).count();
        assert_eq!(kept.workspace.json(&["show", id])["entries"], json!(entries), "{id}: nothing was added");
        assert_eq!(kept.workspace.json(&["list"]).as_array().unwrap().len(), 1, "{id}: nothing was forked");
    }
}

#[test]
fn a_record_of_lower_rules_is_shown_and_exported_without_the_files_of_its_protocol() {
    for kept in KEPT {
        let kept = KeptRecord::import(kept);
        let (id, workspace) = (kept.id.as_str(), &kept.workspace);
        let shown = workspace.agon(&["show", id]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        // The terminal's lines are broken between words.
        let told = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(&kept.held) && !told.contains("agon resume"), "{id}: {}", shown.out);
        assert!(workspace.agon(&["list"]).out.contains(id));
        let exported = workspace.agon(&["export", id, "--out", "files"]);
        assert_eq!(exported.code, 0, "{}", exported.err);
        assert!(exported.err.contains(&kept.held), "{id}: {}", exported.err);
        let files = workspace.files("files");
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["memo.md", "record.jsonl", "report.html", "report.md", "transcript.md"], "{id}");
        for (name, content) in &files {
            match name.as_str() {
                "record.jsonl" => assert_eq!(content, kept.text, "{id}"),
                name => assert!(content.contains(&kept.held), "{id}: {name}: {content}"),
            }
        }
        let summary = workspace.agon(&["export", id, "--summary", "markdown"]);
        assert!(summary.code == 0 && summary.out.contains(&kept.held), "{id}: {}", summary.err);
    }
    let kept = KeptRecord::import(KEPT[0]);
    kept.refuse(&["export", "kept-exchange", "--format", "exchange"]);
    let removed = kept.workspace.agon(&["delete", "kept-exchange"]);
    assert_eq!(removed.code, 0, "{}", removed.err);
}

#[test]
fn files_that_nobody_draws_any_more_are_named_when_their_debate_is_deleted() {
    let kept = KeptRecord::import(KEPT[0]);
    let db = rusqlite::Connection::open(kept.workspace.home().join("journal.db")).unwrap();
    let folder = kept.workspace.work().join("d");
    db.execute("UPDATE debates SET directory = ?1", [folder.to_str().unwrap()]).unwrap();
    drop(db);
    let left = kept.workspace.write("d/arguments/prop_000a.md", "An argument.");
    let deleted = kept.workspace.json(&["delete", "kept-exchange"]);
    assert_eq!(deleted[0]["kept"], json!([left]));
}

#[test]
fn a_server_shows_a_record_of_lower_rules_and_does_not_continue_it() {
    let kept = KeptRecord::import(KEPT[3]);
    let served = Served::new(&kept.workspace, &[]);
    let (status, page) = served.send("GET", "/debates/kept-panel", "");
    assert_eq!(status, 200, "{page}");
    assert!(page.contains(&kept.held), "{page}");
    for (act, body) in [("pause", json!({"name": "Eve", "why": "late"})), ("extend", json!({"rounds": 1}))] {
        let (status, said) = served.post(&format!("/api/v1/debates/kept-panel/{act}"), &body);
        assert_eq!((status, &said["error"]["code"]), (409, &json!("older")), "{act}: {said}");
    }
}

#[test]
fn a_journal_of_the_schema_before_is_brought_up_and_its_debates_are_shown() {
    let workspace = Workspace::new();
    kept_journal(&workspace, 10);
    let list = workspace.agon(&["list"]).out;
    assert!(list.contains("kept-closed") && list.contains("kept-open"), "{list}");
    for (id, said) in [("kept-closed", "2 of 2 chose: yes"), ("kept-open", "Not over.")] {
        let shown = workspace.agon(&["show", id]);
        assert!(shown.code == 0 && shown.out.contains(said), "{id}: {}{}", shown.out, shown.err);
    }
    assert_eq!(workspace.agon(&["delete", "kept-closed"]).code, 0);
    // What was deleted can be checked without rules.
    assert_eq!(workspace.agon(&["check", "kept-closed"]).code, 0);
}

#[test]
fn a_journal_of_a_lower_schema_is_refused_and_the_message_says_how_to_export_it() {
    let workspace = Workspace::new();
    kept_journal(&workspace, 9);
    let ran = workspace.agon(&["list"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    assert!(ran.err.contains("(schema 9; this version brings up schema 10)"), "{}", ran.err);
    assert!(ran.err.contains("agon export ID --format record"), "{}", ran.err);
}

/// A journal of the schema before, which calls its schema `version`.
fn kept_journal(workspace: &Workspace, version: u32) {
    std::fs::create_dir_all(workspace.home()).unwrap();
    let db = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    db.execute_batch(&format!("{JOURNAL}PRAGMA user_version = {version};")).unwrap();
}
