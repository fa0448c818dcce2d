//! `kill -9` at any instant: nothing is lost, nothing is doubled, and the files are those of a
//! debate that nobody disturbed.

use std::{collections::BTreeSet, thread::sleep, time::Duration};

use serde_json::Value;

use crate::room::Room;

const KILLS: u64 = 20;

fn script(room: &Room) -> String {
    room.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 60}]}"#);
    "scripted:slow.json".into()
}

/// Arguments of the run; the id fixes the seed, so that replies are the same.
fn run<'a>(model: &'a str, out: &'a str) -> Vec<&'a str> {
    vec![
        "run",
        "exchange",
        "This house would rest.",
        "--model",
        model,
        "--id",
        "d1",
        "--out",
        out,
        "--rounds",
        "3",
    ]
}

/// A stream of instants that differ between runs of the test, since any instant must do.
fn noise() -> impl FnMut(u64) -> u64 {
    let mut state =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64 | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

#[test]
fn killed_at_random_instants_a_debate_ends_as_if_undisturbed() {
    let calm = Room::new();
    assert_eq!(calm.agon(&run(&script(&calm), "d")).code, 0);

    let room = Room::new();
    let model = script(&room);
    let mut below = noise();
    let mut kills = 0;
    let mut first = true;
    loop {
        let opened = room.home().join("journal.db").exists()
            && room.json(&["list"]).as_array().is_some_and(|debates| !debates.is_empty());
        let args = if opened { vec!["resume", "d1"] } else { run(&model, "d") };
        if !opened && !first {
            // Killed before it was opened: the folder may be there, and empty.
            let _ = std::fs::remove_dir_all(room.work().join("d"));
        }
        first = false;
        let mut child = room.command(&args).spawn().unwrap();
        if kills == KILLS {
            assert!(child.wait().unwrap().success());
            break;
        }
        sleep(Duration::from_micros(below(130_000)));
        child.kill().unwrap();
        kills += 1;
        if child.wait().unwrap().success() {
            break;
        }
    }

    let record = |room: &Room| -> Vec<Value> {
        let lines = room.read("d/record.jsonl");
        lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["seq"].is_u64())
            .collect()
    };
    let (undisturbed, killed) = (record(&calm), record(&room));
    let said = |record: &[Value]| -> BTreeSet<String> {
        record
            .iter()
            .filter(|e| e["what"]["answered"].is_object())
            .map(|e| {
                let answered = &e["what"]["answered"];
                format!("{} {}", answered["key"], answered["reply"])
            })
            .collect()
    };
    assert_eq!(undisturbed.len(), killed.len(), "no entry is lost or doubled");
    assert_eq!(said(&undisturbed), said(&killed));
    assert_eq!(room.json(&["check", "d1"])["sound"], true);
    assert_eq!(room.json(&["replay", "d1"])["files_different"], serde_json::json!([]));

    let without_times = |room: &Room| -> Vec<(String, String)> {
        let files = room.files("d").into_iter().filter(|(name, _)| name != "record.jsonl");
        files
            .map(|(name, text)| {
                let lines = text
                    .lines()
                    .filter(|line| !line.contains("\"scored_at\""))
                    .map(|line| format!("{line}\n"));
                (name, lines.collect())
            })
            .collect()
    };
    let (calm_files, files) = (without_times(&calm), without_times(&room));
    let names = |files: &[(String, String)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&calm_files), names(&files));
    for ((name, calm), (_, killed)) in calm_files.iter().zip(&files) {
        assert!(calm == killed, "{name}: files are a function of the replies\n{calm}\n{killed}");
    }

    let requests = |room: &Room| room.json(&["show", "d1"])["used"]["requests"].as_u64().unwrap();
    let repeated = requests(&room) - requests(&calm);
    // Two sides speak at once.
    assert!(repeated <= kills * 2, "{repeated} calls were repeated in {kills} kills");
    println!("{kills} kills, {repeated} of {} calls repeated", requests(&calm));
}

#[test]
fn an_interrupt_ends_within_a_second_and_says_how_to_go_on() {
    let room = Room::new();
    room.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let child = room.command(&run("scripted:slow.json", "d")).spawn().unwrap();
    // Long enough that the debate is open and both sides are being asked.
    while !room.work().join("d").join("debate.md").exists() {
        sleep(Duration::from_millis(20));
    }
    let started = std::time::Instant::now();
    let interrupted =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(output.status.code(), Some(130));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("agon resume d1"), "{error}");
    room.write("slow.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let resumed = room.agon(&["resume", "d1"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(resumed.err.contains("its answer is unknown"), "{}", resumed.err);
}

#[test]
fn a_second_driver_is_told_who_drives() {
    let room = Room::new();
    room.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let mut child = room.command(&run("scripted:slow.json", "d")).spawn().unwrap();
    while !room.work().join("d").join("debate.md").exists() {
        sleep(Duration::from_millis(20));
    }
    let ran = room.agon(&["resume", "d1"]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains(&format!("process {}", child.id())), "{}", ran.err);
    child.kill().unwrap();
    child.wait().unwrap();
    room.write("slow.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    assert_eq!(room.agon(&["resume", "d1"]).code, 0, "the lock dies with its holder");
}
