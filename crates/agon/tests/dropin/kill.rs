//! The verbs of the duel's skill, killed (SIGKILL) at instants that sweep over a whole call and called
//! again: what they keep is kept once and whole.
//!
//! What they write is one transaction of the journal each, so there is no step between others to die
//! at; the sweep finds it nevertheless if somebody puts one there.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    duel::{data, join, text},
    room::Room,
};

/// Kills a verb; the last of them come after its end.
const KILLS: u32 = 12;

/// Runs `words` and kills it after a part of `whole`.
fn killed(room: &Room, words: &[&str], part: u32, whole: Duration) {
    let mut child = room.command(words).spawn().unwrap();
    sleep(whole * part / KILLS);
    let _ = child.kill();
    child.wait().unwrap();
}

/// How long the call takes undisturbed, made in a room of its own.
fn duration(prepare: &dyn Fn(&Room) -> Vec<String>) -> Duration {
    let room = Room::new();
    let words = prepare(&room);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let start = Instant::now();
    assert_eq!(room.agon(&words).code, 0, "{words:?}");
    start.elapsed()
}

/// Kills the call that `prepare` gives at every part of its time, calls it again, and looks.
fn sweep(prepare: &dyn Fn(&Room) -> Vec<String>, look: &dyn Fn(&Room, &Value)) {
    let whole = duration(prepare);
    for part in 0..KILLS + 2 {
        let room = Room::new();
        let words = prepare(&room);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        killed(&room, &words, part, whole);
        let again = room.agon(&words);
        assert_eq!(again.code, 0, "part {part}: {}{}", again.out, again.err);
        let envelope: Value = serde_json::from_str(&again.out).unwrap();
        look(&room, &envelope["data"]);
    }
}

fn joining(room: &Room, name: &str) -> Vec<String> {
    let target = room.write("source.md", "# Rest\n\nRest is owed.\n");
    let folder = room.work().join("debates");
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

fn status(room: &Room, who: &Value) -> Value {
    data(room, &["status", "--duel-id", text(who, "duel_id")])
}

fn pair(room: &Room) -> [Value; 2] {
    [join(room, "Ada"), join(room, "Bob")]
}

fn claimed(room: &Room) -> (Value, String) {
    let [ada, _] = pair(room);
    let words =
        ["claim-lock", "--duel-id", text(&ada, "duel_id"), "--participant-id", text(&ada, "participant_id")];
    let token = text(&data(room, &words), "lease_token").to_owned();
    (ada, token)
}

#[test]
fn a_killed_join_leaves_one_participant() {
    sweep(&|room| joining(room, "Ada"), &|room, ada| {
        assert_eq!(ada["participant_count"], 1, "{ada}");
        assert_eq!(status(room, ada)["participants"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_killed_second_join_makes_a_pair() {
    let prepare = |room: &Room| {
        join(room, "Ada");
        joining(room, "Bob")
    };
    sweep(&prepare, &|room, bob| {
        assert_eq!((&bob["participant_count"], &bob["next_step"]), (&json!(2), &json!("claim_lock")));
        assert_eq!(join(room, "Ada")["duel_id"], bob["duel_id"]);
    });
}

#[test]
fn a_killed_claim_gives_the_lock_once() {
    let prepare = |room: &Room| verb(&["claim-lock"], &pair(room)[0]);
    sweep(&prepare, &|room, claim| {
        // Whoever was killed with the token in its hands holds the lock, as the source system has it.
        let taken = claim["reason"] == "Participant already owns an active lock; use refresh-lock";
        assert!(claim["acquired"] == true || taken, "{claim}");
        let bob = join(room, "Bob");
        let peer = data(
            room,
            &[
                "claim-lock",
                "--duel-id",
                text(&bob, "duel_id"),
                "--participant-id",
                text(&bob, "participant_id"),
            ],
        );
        assert_eq!(peer["reason"], "Peer owns an unexpired lock");
    });
}

#[test]
fn a_killed_refresh_keeps_the_lock() {
    let prepare = |room: &Room| {
        let (ada, token) = claimed(room);
        verb(&["refresh-lock", "--lease-token", &token], &ada)
    };
    sweep(&prepare, &|_, kept| assert_eq!(kept["refreshed"], true, "{kept}"));
}

#[test]
fn a_killed_release_frees_the_lock() {
    let prepare = |room: &Room| {
        let (ada, token) = claimed(room);
        verb(&["release-lock", "--lease-token", &token], &ada)
    };
    sweep(&prepare, &|room, _| {
        let bob = join(room, "Bob");
        let words = [
            "claim-lock",
            "--duel-id",
            text(&bob, "duel_id"),
            "--participant-id",
            text(&bob, "participant_id"),
        ];
        assert_eq!(data(room, &words)["acquired"], true);
    });
}

#[test]
fn a_killed_close_closes_once() {
    let prepare = |room: &Room| {
        let (ada, token) = claimed(room);
        verb(&["release-lock", "--lease-token", &token, "--close", "--outcome", "DISSENT"], &ada)
    };
    sweep(&prepare, &|room, closed| {
        let ada = join(room, "Ada");
        assert_eq!(ada["participant_count"], 1, "the next join begins another duel");
        assert_ne!(closed["closed"], Value::Null, "{closed}");
    });
}

#[test]
fn a_killed_event_is_kept_whole() {
    let prepare = |_: &Room| -> Vec<String> {
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
        // A call is an event: whoever was not answered and calls again has told it twice at most.
        assert!(matches!(kept["eventId"].as_i64(), Some(1 | 2)), "{kept}");
    });
}
