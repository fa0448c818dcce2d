//! A duel through the verbs, as two shells play it.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::dropin::workspace::{Ran, Workspace};

pub fn duel(workspace: &Workspace, words: &[&str]) -> Ran {
    workspace.agon(&[&["agent-tools", "socratic-duel"], words].concat())
}

/// The data of a verb that must succeed.
pub fn data(workspace: &Workspace, words: &[&str]) -> Value {
    let ran = duel(workspace, words);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words:?}: {}", ran.out);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&envelope["success"], &envelope["tool"]), (&json!(true), &json!("socratic-duel")));
    envelope["data"].clone()
}

pub fn join(workspace: &Workspace, name: &str) -> Value {
    let target = workspace.write("source.md", "# Rest\n\nRest is owed.\n");
    let folder = workspace.work().join("debates");
    data(
        workspace,
        &[
            "join",
            "--target",
            target.to_str().unwrap(),
            "--topic",
            "Is rest owed?",
            "--debate-dir",
            folder.to_str().unwrap(),
            "--participant-name",
            name,
            "--harness",
            "codex",
            "--model-id",
            "m-1",
            "--run-id",
            "r1",
        ],
    )
}

pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key}: {value}"))
}

pub fn claim(workspace: &Workspace, who: &Value) -> Value {
    data(workspace, &["claim-lock", "--duel-id", text(who, "duel_id"), "--participant-id", text(who, "participant_id")])
}

pub fn release(workspace: &Workspace, who: &Value, token: &str, more: &[&str]) -> Value {
    let line = [
        "release-lock",
        "--duel-id",
        text(who, "duel_id"),
        "--participant-id",
        text(who, "participant_id"),
        "--lease-token",
        token,
    ];
    data(workspace, &[&line, more].concat())
}

const CONCLUSION: &str = "## Terminal Conclusion";

/// Adds a turn that keeps every rule, before the conclusion.
pub fn add_turn(path: &str, number: u32, name: &str, stance: &str) {
    const WORDS: [&str; 7] = ["sleep", "work", "pay", "health", "law", "habit", "youth"];
    let there = fs::read_to_string(path).unwrap_or_else(|_| {
        "# Socratic Duel: Is rest owed?\n\n**Source Document**: `source.md`\n**Source Link**: [source.md](source.md)\n**Status**: ACTIVE\n**Created**: now\n\n\
         ## Metadata\n\n| Field | Value |\n|---|---|\n| Duel ID | none |\n| Source Path | source.md |\n| Topic | Is rest owed? |\n| Topic Slug | is-rest-owed |\n| Max Turns | 6 |\n| Status | ACTIVE |\n| Candidate Convergence | No |\n\n\
         ## Participants\n\n| Participant | Harness | Model | Joined |\n|---|---|---|---|\n| Ada | codex | m-1 | now |\n| Bob | codex | m-1 | now |\n\n\
         ## Terminal Conclusion\n\n**Outcome**: PENDING\n**Closed At**: Pending\n**Candidate Convergence**: No\n**Reason**: Pending\n\nThe duel goes on.\n"
            .to_owned()
    });
    fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
    let (one, two) = (WORDS[number as usize % 7], WORDS[(number as usize + 2) % 7]);
    let about = if number == 1 { "Source".to_owned() } else { "Turn 1".to_owned() };
    let turn = format!(
        "---\n\n## Turn {number} — {name} (codex / m-1) — {stance}\n\n**Position**\nAs before. Number {number} weighs {one} against {two}.\n\n\
         **Counterpoints**\n- Addresses: {about}\n  Claim: Nobody asked what {two} does to {one} in year {number}.\n  Support:\n    - source.md: \"Rest is owed\"\n\n\
         **Agreements**\n- That {one} matters is right.\n\n**Novel Argument**\nOnly {two} of kind {number} outlives {one}.\n\nSupport:\n    - Principle: {two} comes first\n\n\
         **Unresolved Items**\n- Who pays for {two}? (non-blocking)\n\n**Stance Revision Support**\n- None\n\n"
    );
    fs::write(path, there.replacen(CONCLUSION, &(turn + CONCLUSION), 1)).unwrap();
}

/// Writes the conclusion of a duel that closes as `outcome`.
pub fn conclude(path: &str, outcome: &str) {
    let text = fs::read_to_string(path).unwrap();
    let text = text.replace("**Outcome**: PENDING", &format!("**Outcome**: {outcome}"));
    let text = text.replace("**Closed At**: Pending", "**Closed At**: now");
    let text = text.replace("**Reason**: Pending", "**Reason**: Nothing was left to say.");
    fs::write(path, text.replace("The duel goes on.", "`source.md` on Is rest owed? is settled.")).unwrap();
}

#[test]
fn two_shells_play_to_consensus_and_nobody_else_wrote() {
    let workspace = Workspace::new();
    let ada = join(&workspace, "Ada");
    assert_eq!((&ada["participant_count"], &ada["next_step"]), (&json!(1), &json!("wait_peer")));
    let refused = claim(&workspace, &ada);
    assert_eq!(refused["reason"], "Waiting for a second participant");
    assert_eq!(
        json!([refused["acquired"], refused["retry_after_seconds"], refused["wait_until"], refused["next_step"]]),
        json!([false, 30, null, "wait_peer"])
    );
    let bob = join(&workspace, "Bob");
    assert_eq!((&bob["duel_id"], &bob["next_step"]), (&ada["duel_id"], &json!("claim_lock")));
    assert_eq!(
        join(&workspace, "Ada")["participant_id"],
        ada["participant_id"],
        "the same identity is the same participant"
    );
    let path = text(&ada, "debate_path");
    assert!(path.ends_with("-is-rest-owed.md") && !Path::new(path).exists(), "{path}");
    assert_eq!(text(&ada, "target_key"), json!([text(&ada, "source_path"), "is-rest-owed"]).to_string());

    let mut tokens = Vec::new();
    for (turn, who, name) in [(1, &ada, "Ada"), (2, &bob, "Bob"), (3, &ada, "Ada"), (4, &bob, "Bob")] {
        let peer = if name == "Ada" { &bob } else { &ada };
        let claimed = claim(&workspace, who);
        assert_eq!((&claimed["acquired"], &claimed["next_step"]), (&json!(true), &json!("compose_turn")));
        assert_eq!(claimed["wait_until"], claimed["lease_expires_at"]);
        let token = text(&claimed, "lease_token").to_owned();
        assert_eq!(claim(&workspace, who)["reason"], "Participant already owns an active lock; use refresh-lock");
        let waits = claim(&workspace, peer);
        assert_eq!(
            (&waits["reason"], &waits["lease_token"], &waits["next_step"]),
            (&json!("Peer owns an unexpired lock"), &Value::Null, &json!("wait_turn"))
        );
        let ids = ["--duel-id", text(who, "duel_id"), "--participant-id", text(who, "participant_id")];
        let kept = data(&workspace, &[&["refresh-lock", "--lease-token", &token], &ids[..]].concat());
        assert_eq!((&kept["refreshed"], text(&kept, "lease_token")), (&json!(true), token.as_str()));
        let status = data(&workspace, &["status", "--duel-id", text(who, "duel_id")]);
        assert_eq!(
            (&status["next_step"], &status["lock"]["lease_token"], &status["duel"]["leaseToken"]),
            (&json!("wait_turn"), &Value::Null, &Value::Null)
        );
        assert_eq!(status["participants"][1]["displayName"], "Bob");
        // Nobody accepts a consensus before anybody spoke.
        add_turn(path, turn, name, if turn == 1 { "CONVERGING" } else { "ACCEPTING_CONSENSUS" });
        if turn == 3 {
            let text = fs::read_to_string(path).unwrap();
            let (before, third) = text.rsplit_once("- None").unwrap();
            fs::write(path, format!("{before}- Turn 2: it answers what was open{third}")).unwrap();
        }
        if turn < 4 {
            let released = release(&workspace, who, &token, &[]);
            assert_eq!((&released["released"], &released["next_step"]), (&json!(true), &json!("wait_turn")));
        }
        tokens.push(token);
    }
    let stale = release(&workspace, &ada, &tokens[0], &["--close", "--outcome", "DISSENT"]);
    assert_eq!(stale["reason"], "Closing a duel requires an active lock owned by this participant");
    assert_eq!((&stale["closed"], &stale["outcome"]), (&json!(false), &json!("DISSENT")));
    conclude(path, "ACCEPTED_CONSENSUS");
    let closed = release(&workspace, &bob, &tokens[3], &["--close", "--outcome", "ACCEPTED_CONSENSUS"]);
    assert_eq!(
        json!([closed["released"], closed["closed"], closed["status"], closed["next_step"]]),
        json!([true, true, "CLOSED", "closed"])
    );
    let late = claim(&workspace, &ada);
    assert_eq!(
        json!([late["acquired"], late["retry_after_seconds"], late["reason"], late["next_step"]]),
        json!([false, 0, "Duel lock context is closed", "closed"])
    );

    let id = text(&ada, "duel_id");
    let check = workspace.agon(&["check", id]);
    assert!(check.code == 0 && check.out.contains("ACCEPTED_CONSENSUS"), "{}{}", check.out, check.err);
    let shown = workspace.agon(&["show", id]).out;
    assert!(shown.contains("Bob (codex / m-1)") && shown.contains("closed as ACCEPTED_CONSENSUS"), "{shown}");
    let again = join(&workspace, "Ada");
    assert_ne!(again["duel_id"], ada["duel_id"], "a closed duel is never resumed");
    assert!(text(&again, "debate_path").ends_with("-is-rest-owed-2.md"), "{again}");
    fs::write(path, fs::read_to_string(path).unwrap().replacen("As before.", "Never.", 1)).unwrap();
    let check = workspace.agon(&["check", id]);
    assert_eq!(check.code, 6, "{}", check.out);
    assert!(
        check.err.contains("after the duel was closed") && check.err.contains("turn 1 was changed"),
        "{}",
        check.err
    );
}

#[test]
fn a_turn_that_its_peer_changes_under_the_lock_is_found() {
    let workspace = Workspace::new();
    let (ada, bob) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let path = text(&ada, "debate_path");
    let token = text(&claim(&workspace, &ada), "lease_token").to_owned();
    add_turn(path, 1, "Ada", "DISSENTING");
    release(&workspace, &ada, &token, &[]);
    assert_eq!(workspace.agon(&["check", text(&ada, "duel_id")]).code, 0);
    let token = text(&claim(&workspace, &bob), "lease_token").to_owned();
    fs::write(path, fs::read_to_string(path).unwrap().replace("As before.", "I yield.")).unwrap();
    add_turn(path, 2, "Bob", "CONVERGING");
    release(&workspace, &bob, &token, &[]);
    let check = workspace.agon(&["check", text(&ada, "duel_id")]);
    assert!(check.code == 6 && check.err.contains("turn 1 was changed"), "{}", check.err);
    assert!(!check.err.contains("nobody"), "{}", check.err);
}

#[test]
fn a_third_participant_is_refused() {
    let workspace = Workspace::new();
    join(&workspace, "Ada");
    let bob = join(&workspace, "Bob");
    let target = text(&bob, "target_path");
    let folder = workspace.work().join("debates");
    let line = [
        "join",
        "--target",
        target,
        "--topic",
        "Is rest owed?",
        "--debate-dir",
        folder.to_str().unwrap(),
        "--participant-name",
        "Eve",
        "--harness",
        "codex",
    ];
    let ran = duel(&workspace, &line);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let envelope: Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        envelope["errors"][0]["message"],
        "Failed to join Socratic Duel lock context: Active Socratic Duel already has two participants; resume with an existing participant identity"
    );
    assert!(ran.err.starts_with("{\n  \"success\": false"), "{}", ran.err);
}

#[test]
fn a_peer_that_comes_late_stops_a_timeout() {
    let workspace = Workspace::new();
    let ada = join(&workspace, "Ada");
    let ids = ["--duel-id", text(&ada, "duel_id"), "--participant-id", text(&ada, "participant_id")];
    let alone = data(&workspace, &[&["claim-lock", "--for-timeout"], &ids[..]].concat());
    assert_eq!((&alone["acquired"], &alone["next_step"]), (&json!(true), &json!("update_markdown")));
    let token = text(&alone, "lease_token").to_owned();
    join(&workspace, "Bob");
    let early = release(&workspace, &ada, &token, &["--close", "--outcome", "TIMEOUT"]);
    assert_eq!(
        json!([early["released"], early["closed"], early["status"], early["outcome"], early["next_step"]]),
        json!([false, false, "ACTIVE", "TIMEOUT", "compose_turn"])
    );
    assert!(text(&early, "reason").contains("second participant is present"));
    assert_eq!(early["owner_participant_id"], ada["participant_id"], "the lock is kept");
    assert_eq!(release(&workspace, &ada, &token, &[])["released"], json!(true));
    assert_eq!(release(&workspace, &ada, &token, &[])["reason"], "No active lock to release");
}

#[test]
fn a_duel_is_found_by_target_and_topic() {
    let workspace = Workspace::new();
    let ada = join(&workspace, "Ada");
    let target = text(&ada, "target_path");
    let found = data(&workspace, &["status", "--target", target, "--topic", "is REST owed"]);
    assert_eq!(found["duel"]["id"], ada["duel_id"]);
    let ran = duel(&workspace, &["status", "--target", target]);
    assert!(ran.code == 1 && ran.err.contains(&format!("No active duel found for target: {target}")), "{}", ran.err);
    let ran = duel(&workspace, &["status"]);
    assert!(ran.err.contains("Either duelId or targetPath is required"), "{}", ran.err);
    let bare = data(&workspace, &["join", "--target", target, "--participant-name", "Ada", "--harness", "codex"]);
    assert_eq!(
        json!([bare["topic"], bare["topic_slug"], bare["debate_path"], bare["target_key"]]),
        json!([null, null, null, target])
    );
}
