//! Input that no sane caller gives: the source's message where it has one, else one clear line, and
//! nothing half-written.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::dropin::{
    duel::{data, duel, join, text},
    exchange::{DEBATE, argument, debate, judgment, process_exchange, process_judge, side},
    workspace::Workspace,
};

/// What `debate-ops` says of an exception; nothing in the folder has changed.
fn exception(workspace: &Workspace, words: &[&str], says: &str) {
    let before = workspace.files("");
    let ran = workspace.agon(&[&["debate-ops"], words].concat());
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{words:?}");
    let said: Value = serde_json::from_str(&ran.err).unwrap_or_else(|error| panic!("{error}: {}", ran.err));
    let error = said["error"].as_str().unwrap();
    assert!(error.contains(says) && ran.err.lines().count() == 1, "{words:?}: {error}");
    assert_eq!(workspace.files(""), before, "{words:?}");
}

#[test]
fn lines_that_debate_ops_cannot_read_have_the_sources_messages() {
    let workspace = debate();
    workspace.write("p.json", side(&["T"]));
    exception(&workspace, &[], "Usage: ");
    exception(&workspace, &["nope"], "Unknown command: nope");
    exception(&workspace, &["process-judge", "rest"], "Usage: process-judge <debate> --json-file <path>");
    exception(&workspace, &["process-judge", "rest", "--file", "p.json"], "--json-file parameter required");
    let files = ["--prop-file", "p.json", "--opp-file", "o.json"];
    exception(
        &workspace,
        &[&["process-exchange", "rest", "one"], &files[..]].concat(),
        "invalid literal for int() with base 10: 'one'",
    );
    exception(&workspace, &[&["process-exchange", "rest", "-1"], &files[..]].concat(), "out of range");
    exception(
        &workspace,
        &[&["process-exchange", "rest", "0"], &files[..]].concat(),
        "[Errno 2] No such file or directory: 'o.json'",
    );
    exception(
        &workspace,
        &["process-exchange", "rest", "0", "--a", "p.json", "--opp-file", "o.json"],
        "Both --prop-file and --opp-file required",
    );
    exception(&workspace, &["process-judge", "rest", "--json-file", "rest"], "[Errno 21] Is a directory: 'rest'");
    workspace.write("o.json", side(&["T"]));
    exception(&workspace, &[&["process-exchange", "absent", "0"], &files[..]].concat(), "absent/debate.md'");
    workspace.write("o.json", "5");
    exception(
        &workspace,
        &[&["process-exchange", "rest", "0"], &files[..]].concat(),
        "'int' object has no attribute 'keys'",
    );
}

#[test]
fn state_that_cannot_be_read_stops_before_anything_is_written() {
    let workspace = debate();
    workspace.write("j.json", judgment(&[("prop_000a", 0.5), ("opp_000a", -0.5)]).to_string());
    let line = ["process-judge", "rest", "--json-file", "j.json"];
    for (state, says) in [
        ("---\ncurrent_exchange: 0\n", "JSON frontmatter must start with '{'"),
        ("{\"a\": \"}\n\n# Motion", "JSON frontmatter not properly closed"),
        ("{'a': 1}\n", "Invalid JSON in frontmatter: "),
        ("{\"debate_id\": \"d\"}\n", "'current_exchange'"),
        (
            "{\"debate_id\": \"d\", \"current_exchange\": \"0\", \"current_phase\": \"x\"}\n",
            "'current_exchange' must be a whole number",
        ),
    ] {
        workspace.write("rest/debate.md", state);
        exception(&workspace, &line, says);
    }
    workspace.write("rest/debate.md", DEBATE);
    workspace.write("rest/scores.json", "{");
    exception(&workspace, &line, "scores.json");
    workspace.write("rest/scores.json", "{}");
    workspace.write("rest/arguments/prop_000a.md", "no frontmatter");
    exception(&workspace, &line, "JSON frontmatter must start with '{'");
}

#[test]
fn judgments_that_are_none_leave_the_scores_alone() {
    let workspace = debate();
    let before = workspace.files("rest");
    let whole = judgment(&[("prop_000a", 0.5), ("opp_000a", -0.5)]);
    for (given, says) in [
        (whole.to_string().replace("-0.5", "NaN"), "Invalid JSON: "),
        (whole.to_string().replace("-0.5", "-1e400"), "Invalid JSON: "),
        (format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)), "Invalid JSON: "),
        ("I liked both.".into(), "Invalid JSON: "),
    ] {
        let ran = process_judge(&workspace, &given, &[]);
        assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{}", ran.out);
        let said: Value = serde_json::from_str(&ran.out).unwrap();
        assert!(said["errors"][0].as_str().unwrap().starts_with(says), "{}", ran.out);
        assert!(!workspace.work().join("j.json").exists());
        assert_eq!(workspace.files("rest"), before);
    }
    let doubled = whole.to_string().replace("\"score\":0.5", "\"score\":0.5,\"score\":0.5");
    let strict = process_judge(&workspace, &doubled, &["--strict"]);
    assert!(strict.code == 1 && strict.out.contains("stands twice"), "{}", strict.out);
    assert_eq!(workspace.files("rest"), before);
    assert_eq!(process_judge(&workspace, &doubled, &[]).code, 0, "the source takes the last");
}

#[test]
fn large_and_odd_arguments_are_written_whole() {
    let workspace = debate();
    let mut large = argument("Large");
    large["warrant"] = json!("A brace } and a quote \" and ``` within. ".repeat(260_000));
    let ran = process_exchange(&workspace, "1", &large.to_string(), &argument("Small").to_string(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = workspace.read("rest/arguments/prop_001.md");
    assert!(text.len() > 10_000_000 && text.ends_with("within. "));
    assert_eq!(workspace.files("rest").len(), 4);
}

#[test]
fn no_file_is_written_through_a_link_out_of_the_folder() {
    let workspace = debate();
    std::fs::create_dir(workspace.work().join("elsewhere")).unwrap();
    symlink(workspace.work().join("elsewhere"), workspace.work().join("rest/arguments")).unwrap();
    let one = argument("T").to_string();
    let ran = process_exchange(&workspace, "1", &one, &one, &[]);
    assert!(ran.code == 1 && ran.err.contains("is outside the debate's folder"), "{}", ran.err);
    assert_eq!(workspace.read("rest/debate.md"), DEBATE);
    assert!(workspace.files("elsewhere").is_empty());
}

#[test]
fn targets_that_are_no_markdown_file_have_the_sources_messages() {
    let workspace = Workspace::new();
    let file = workspace.write("x.txt", "x");
    let folder = workspace.work().join("folder.md");
    std::fs::create_dir(&folder).unwrap();
    let absent = workspace.work().join("absent.md");
    let join = |target: &str, more: &[&str]| {
        let line = ["join", "--target", target, "--participant-name", "Ada", "--harness", "codex"];
        duel(&workspace, &[&line, more].concat())
    };
    let source = workspace.write("x.MARKDOWN", "# X");
    for (target, more, says) in [
        ("x.md", &[][..], "Failed to join Socratic Duel lock context: Target path must be absolute: x.md"),
        (file.to_str().unwrap(), &[], "Target path must be a Markdown file: "),
        (folder.to_str().unwrap(), &[], "Target path must be a file: "),
        (absent.to_str().unwrap(), &[], "ENOENT: no such file or directory"),
        (source.to_str().unwrap(), &["--debate-dir", "debates"], "Debate directory must be absolute: debates"),
    ] {
        let ran = join(target, more);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{target}");
        assert!(ran.err.contains(says), "{target}: {}", ran.err);
    }
    let blank = join(source.to_str().unwrap(), &["--participant-name", " ", "--model-id", ""]);
    assert_eq!((blank.code, blank.err.as_str()), (1, ""));
    let want = r#"{"success":false,"tool":"socratic-duel","data":null,"errors":[{"message":"Participant name must be non-empty"},{"message":"Model ID must be non-empty"}]}"#;
    assert_eq!(blank.out.trim(), want);
    // A link is followed, so that one document has one duel.
    let link = workspace.work().join("link.md");
    symlink(&source, &link).unwrap();
    let line = ["join", "--target", link.to_str().unwrap(), "--participant-name", "Ada", "--harness", "codex"];
    assert_eq!(text(&data(&workspace, &line), "source_path"), source.canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn tokens_and_names_of_another_duel_open_nothing() {
    let workspace = Workspace::new();
    let (ada, bob) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let other = workspace.write("other.md", "# O");
    let other = other.to_str().unwrap();
    let join_other =
        |name: &str| data(&workspace, &["join", "--target", other, "--participant-name", name, "--harness", "codex"]);
    let (eve, _) = (join_other("Eve"), join_other("Ned"));
    let claim = |who: &Value| {
        data(
            &workspace,
            &["claim-lock", "--duel-id", text(who, "duel_id"), "--participant-id", text(who, "participant_id")],
        )
    };
    let (of_ada, of_eve) = (claim(&ada), claim(&eve));
    let release = |duel: &Value, who: &Value, token: &Value| {
        duel_release(&workspace, text(duel, "duel_id"), text(who, "participant_id"), text(token, "lease_token"))
    };
    let refused: Value = serde_json::from_str(&release(&ada, &ada, &of_eve).0).unwrap();
    assert_eq!(refused["data"]["reason"], "Participant does not own this active lock");
    let refused: Value = serde_json::from_str(&release(&ada, &bob, &of_ada).0).unwrap();
    assert_eq!(refused["data"]["released"], json!(false), "a token is worth nothing in other hands");
    assert!(release(&ada, &eve, &of_eve).1.contains("Participant does not belong to this duel"));
    let unknown = duel(&workspace, &["claim-lock", "--duel-id", "../../etc", "--participant-id", "a/b"]);
    assert!(unknown.err.contains("Participant not found: a/b"), "{}", unknown.err);
    let unknown = duel(&workspace, &["status", "--duel-id", "../../etc"]);
    assert!(unknown.err.contains("Duel not found: ../../etc"), "{}", unknown.err);
    let wrong =
        duel(&workspace, &["release-lock", "--duel-id", "d", "--participant-id", "p", "--close", "--outcome", "WON"]);
    let says =
        "Invalid --outcome value: 'WON'. Must be one of: ACCEPTED_CONSENSUS, DISSENT, MAX_TURNS, TIMEOUT, INVALIDATED";
    assert!(wrong.code == 1 && wrong.err.contains(says), "{}", wrong.err);
    for (line, says) in [
        (vec!["join", "--target", "x"], "required option '--participant-name' not specified"),
        (vec!["claim-lock", "--duel-id"], "option '--duel-id' wants a value"),
        (vec!["dance"], "unknown command 'dance'"),
    ] {
        let ran = duel(&workspace, &line);
        assert!(ran.code == 1 && ran.err.contains(says), "{}", ran.err);
    }
}

fn duel_release(workspace: &Workspace, duel_id: &str, participant: &str, token: &str) -> (String, String) {
    let line = ["release-lock", "--duel-id", duel_id, "--participant-id", participant, "--lease-token", token];
    let ran = duel(workspace, &line);
    (ran.out, ran.err)
}
