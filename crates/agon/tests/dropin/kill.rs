//! The verbs of the duel's skill, killed (SIGKILL) at instants that sweep over a whole call and called
//! again: what they keep is kept once and whole.
//!
//! What they write is one transaction of the journal each. Between it and the answer lies one more
//! instant, which the sweep may miss: it has tests of its own. `scripts/check-kills` tries every instant.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use agon_dropin::store::{
    duels::{Duels, LEASE},
    events::{self, Emission},
    receipts::RequestReceipt,
};
use agon_journal::time::now;
use serde_json::{Value, json};

use crate::dropin::{
    duel::{data, join, text},
    workspace::Workspace,
};

/// Kills a verb; the last of them come after its end.
const KILLS: u32 = 12;

/// Runs `words` and kills it after a part of `whole`; gives the answer that it had given until then.
fn killed(workspace: &Workspace, words: &[&str], part: u32, whole: Duration) -> String {
    let mut child = workspace.command(words).spawn().unwrap();
    sleep(whole * part / KILLS);
    let _ = child.kill();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// How long the call takes undisturbed, made in a room of its own.
fn duration(prepare: &dyn Fn(&Workspace) -> Vec<String>) -> Duration {
    let workspace = Workspace::new();
    let words = prepare(&workspace);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let start = Instant::now();
    assert_eq!(workspace.agon(&words).code, 0, "{words:?}");
    start.elapsed()
}

/// Kills the call that `prepare` gives at every part of its time, calls it again unless it was
/// answered, and looks.
fn sweep(prepare: &dyn Fn(&Workspace) -> Vec<String>, look: &dyn Fn(&Workspace, &Value)) {
    let whole = duration(prepare);
    for part in 0..KILLS + 2 {
        let workspace = Workspace::new();
        let words = prepare(&workspace);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut answer = killed(&workspace, &words, part, whole);
        if answer.is_empty() {
            let again = workspace.agon(&words);
            assert_eq!(again.code, 0, "part {part}: {}{}", again.out, again.err);
            answer = again.out;
        }
        let envelope: Value = serde_json::from_str(&answer).unwrap();
        look(&workspace, &envelope["data"]);
    }
}

fn joining(workspace: &Workspace, name: &str) -> Vec<String> {
    let target = workspace.write("source.md", "# Rest\n\nRest is owed.\n");
    let folder = workspace.work().join("debates");
    let words = [
        "agent-tools",
        "socratic-duel",
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
    ];
    words.map(str::to_owned).into()
}

fn verb(words: &[&str], who: &Value) -> Vec<String> {
    let ids = ["--duel-id", text(who, "duel_id"), "--participant-id", text(who, "participant_id")];
    let all = ["agent-tools", "socratic-duel"].iter().chain(words).chain(&ids);
    all.map(|word| (*word).to_owned()).collect()
}

fn status(workspace: &Workspace, who: &Value) -> Value {
    data(workspace, &["status", "--duel-id", text(who, "duel_id")])
}

fn pair(workspace: &Workspace) -> [Value; 2] {
    [join(workspace, "Ada"), join(workspace, "Bob")]
}

fn claimed(workspace: &Workspace) -> (Value, String) {
    let [ada, _] = pair(workspace);
    let words = ["claim-lock", "--duel-id", text(&ada, "duel_id"), "--participant-id", text(&ada, "participant_id")];
    let token = text(&data(workspace, &words), "lease_token").to_owned();
    (ada, token)
}

#[test]
fn a_killed_join_leaves_one_participant() {
    sweep(&|workspace| joining(workspace, "Ada"), &|workspace, ada| {
        assert_eq!(ada["participant_count"], 1, "{ada}");
        assert_eq!(status(workspace, ada)["participants"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_killed_second_join_makes_a_pair() {
    let prepare = |workspace: &Workspace| {
        join(workspace, "Ada");
        joining(workspace, "Bob")
    };
    sweep(&prepare, &|workspace, bob| {
        assert_eq!((&bob["participant_count"], &bob["next_step"]), (&json!(2), &json!("claim_lock")));
        assert_eq!(join(workspace, "Ada")["duel_id"], bob["duel_id"]);
    });
}

#[test]
fn a_killed_claim_gives_the_lock_once() {
    let prepare = |workspace: &Workspace| verb(&["claim-lock"], &pair(workspace)[0]);
    sweep(&prepare, &|workspace, claim| {
        assert_eq!((&claim["acquired"], &claim["next_step"]), (&json!(true), &json!("compose_turn")));
        let bob = join(workspace, "Bob");
        let peer = data(
            workspace,
            &["claim-lock", "--duel-id", text(&bob, "duel_id"), "--participant-id", text(&bob, "participant_id")],
        );
        assert_eq!(peer["reason"], "Peer owns an unexpired lock");
    });
}

#[test]
fn a_killed_refresh_keeps_the_lock() {
    let prepare = |workspace: &Workspace| {
        let (ada, token) = claimed(workspace);
        verb(&["refresh-lock", "--lease-token", &token], &ada)
    };
    sweep(&prepare, &|_, kept| assert_eq!(kept["refreshed"], true, "{kept}"));
}

#[test]
fn a_killed_release_frees_the_lock() {
    let prepare = |workspace: &Workspace| {
        let (ada, token) = claimed(workspace);
        verb(&["release-lock", "--lease-token", &token], &ada)
    };
    sweep(&prepare, &|workspace, freed| {
        assert_eq!((&freed["released"], &freed["next_step"]), (&json!(true), &json!("wait_turn")), "{freed}");
        let bob = join(workspace, "Bob");
        let words =
            ["claim-lock", "--duel-id", text(&bob, "duel_id"), "--participant-id", text(&bob, "participant_id")];
        assert_eq!(data(workspace, &words)["acquired"], true);
    });
}

#[test]
fn a_killed_close_closes_once() {
    let prepare = |workspace: &Workspace| {
        let (ada, token) = claimed(workspace);
        verb(&["release-lock", "--lease-token", &token, "--close", "--outcome", "DISSENT"], &ada)
    };
    sweep(&prepare, &|workspace, closed| {
        let ada = join(workspace, "Ada");
        assert_eq!(ada["participant_count"], 1, "the next join begins another duel");
        assert_eq!((&closed["released"], &closed["closed"]), (&json!(true), &json!(true)), "{closed}");
    });
}

#[test]
fn a_killed_event_is_kept_whole() {
    let prepare = |_: &Workspace| -> Vec<String> {
        let words = [
            "agent-tools",
            "emit",
            "--harness",
            "codex",
            "--workflow",
            "socratic-duel",
            "--run-id",
            "r-1",
            "--type",
            "status_change",
            "--step",
            "preparing",
            "--data",
            r#"{"status":"running","target":"/x.md"}"#,
        ];
        words.map(str::to_owned).into()
    };
    sweep(&prepare, &|_, kept| {
        assert_eq!(kept["runStatus"], "running", "{kept}");
        assert_eq!(kept["eventId"], 1, "{kept}");
    });
}

/// A call of the request `words` that dies with everything done and nothing said.
fn unanswered<T>(workspace: &Workspace, words: &[String], work: impl FnOnce(&RequestReceipt) -> T) -> T {
    // The program's own name is no part of what it is asked.
    let receipt = RequestReceipt::acquire(&workspace.home(), &json!(words[1..]).to_string()).unwrap();
    work(&receipt)
}

fn again(workspace: &Workspace, words: &[String]) -> Value {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = workspace.agon(&words);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    serde_json::from_str::<Value>(&ran.out).unwrap()["data"].clone()
}

#[test]
fn a_claim_that_was_granted_and_not_told_is_told_when_it_comes_again() {
    let workspace = Workspace::new();
    let [ada, _] = pair(&workspace);
    let words = verb(&["claim-lock"], &ada);
    let claim = unanswered(&workspace, &words, |receipt| {
        let mut duels = Duels::open_for(receipt).unwrap();
        duels.claim_lock(text(&ada, "duel_id"), text(&ada, "participant_id"), false, now(), &|_| None).unwrap()
    });
    let told = again(&workspace, &words);
    assert_eq!((&told["acquired"], &told["reason"]), (&json!(true), &Value::Null));
    assert_eq!(told["lease_token"].as_str(), claim.now.duel.lease_token.as_deref());
    let second = again(&workspace, &words);
    assert_eq!(second["reason"], "Participant already owns an active lock; use refresh-lock");
}

#[test]
fn a_token_that_is_stale_is_told_to_nobody() {
    let workspace = Workspace::new();
    let [ada, bob] = pair(&workspace);
    let words = verb(&["claim-lock"], &ada);
    let earlier = now() - LEASE;
    unanswered(&workspace, &words, |receipt| {
        let mut duels = Duels::open_for(receipt).unwrap();
        duels.claim_lock(text(&ada, "duel_id"), text(&ada, "participant_id"), false, earlier, &|_| None).unwrap()
    });
    assert_eq!(again(&workspace, &verb(&["claim-lock"], &bob))["acquired"], true);
    assert_eq!(again(&workspace, &words)["reason"], "Peer owns an unexpired lock");
}

#[test]
fn a_release_that_was_done_and_not_told_is_told_when_it_comes_again() {
    for close in [false, true] {
        let workspace = Workspace::new();
        let (ada, token) = claimed(&workspace);
        let mut words = verb(&["release-lock", "--lease-token", &token], &ada);
        words.extend(close.then(|| "--close".to_owned()));
        unanswered(&workspace, &words, |receipt| {
            let mut duels = Duels::open_for(receipt).unwrap();
            let (duel, who) = (text(&ada, "duel_id"), text(&ada, "participant_id"));
            duels.release_lock(duel, who, Some(&token), close, None, now(), &|_| None).unwrap()
        });
        let told = again(&workspace, &words);
        assert_eq!((&told["released"], &told["closed"]), (&json!(true), &json!(close)), "{told}");
        assert_eq!(again(&workspace, &words)["released"], false, "that is another request");
    }
}

#[test]
fn an_event_that_was_kept_and_not_told_is_kept_once() {
    let workspace = Workspace::new();
    let words = ["agent-tools", "emit", "--workflow", "w", "--run-id", "r", "--type", "btw_update"];
    let words: Vec<String> =
        [&words[..], &["--data", r#"{"message":"m"}"#]].concat().iter().map(|word| (*word).to_owned()).collect();
    let emission = Emission {
        run: "r".into(),
        workflow: "w".into(),
        kind: "btw_update".into(),
        data: serde_json::from_value(json!({"message": "m"})).unwrap(),
        ..Emission::default()
    };
    let kept = unanswered(&workspace, &words, |receipt| events::emit_event(receipt, &emission, None, now()).unwrap());
    assert_eq!(kept.event, 1);
    assert_eq!(again(&workspace, &words)["eventId"], 1, "the event of the killed call");
    assert_eq!(again(&workspace, &words)["eventId"], 2, "said again on purpose, it is another event");
}
