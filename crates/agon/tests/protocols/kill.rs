//! `kill -9` at any instant of a debate by any protocol: nothing is lost, nothing is doubled, and the
//! files are those of a debate that nobody disturbed and that got the same replies.
//!
//! `AGON_TEST_KILLS` is the number of kills a protocol, for a longer test.

use std::{
    collections::BTreeMap,
    process::Child,
    thread::sleep,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

use crate::protocols::workspace::Workspace;

/// Kills of each protocol where nobody says how many.
const KILLS: u64 = 4;
/// The longest that a debate may take which is killed again and again.
const PATIENCE: Duration = Duration::from_secs(120);

/// A debate by one protocol.
struct Debate {
    args: &'static [&'static str],
    /// Most seats that speak at once.
    speakers: u64,
    /// What delays the answers of some seats: whoever speaks in the background answers at once, so
    /// that answers come in the same order however often they are asked for.
    rules: &'static str,
}

const SLOW: &str = r#"{"key": "*", "sample": true, "delay_ms": 40}"#;

const DEBATES: [Debate; 5] = [
    Debate { args: &["exchange", "This house would rest.", "--rounds", "3"], speakers: 2, rules: SLOW },
    Debate { args: &["duel", "doc.md", "--rounds", "6"], speakers: 1, rules: SLOW },
    Debate {
        args: &["revise", "Write the page on backups.", "--rounds", "3", "--debater", "Ann", "--debater", "Bo"],
        speakers: 2,
        rules: SLOW,
    },
    Debate {
        args: &[
            "panel",
            "Why?",
            "--debater",
            "Ann:engineer",
            "--debater",
            "Bo:analyst",
            "--debater",
            "Cy:critic",
            "--max-rounds",
            "4",
        ],
        speakers: 3,
        rules: SLOW,
    },
    Debate {
        args: &["chaired", "Why?", "--debater", "Ann:engineer", "--debater", "Bo:analyst", "--rounds", "2"],
        // A debater, and the verifier behind it.
        speakers: 2,
        rules: r#"{"key": "*/verification*", "sample": true}, {"key": "*", "sample": true, "delay_ms": 40}"#,
    },
];

impl Debate {
    fn workspace(&self) -> Workspace {
        let workspace = Workspace::new();
        workspace.write("slow.json", format!(r#"{{"rules": [{}]}}"#, self.rules));
        workspace.write("doc.md", "# Move house\n\nWe move, since costs are low.\n\n## Costs\n\nA van takes a day.\n");
        workspace
    }

    fn start(&self, workspace: &Workspace) -> Child {
        let own = ["--model", "scripted:slow.json", "--id", "d1", "--out", "d"];
        workspace.command(&[&["run"], self.args, &own].concat()).spawn().unwrap()
    }
}

/// A stream of instants that differ between runs of the test, since any instant must do.
fn noise() -> impl FnMut(u64) -> u64 {
    let mut state = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64 | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

fn is_opened(workspace: &Workspace) -> bool {
    workspace.home().join("journal.db").exists()
        && workspace.json(&["list"]).as_array().is_some_and(|debates| !debates.is_empty())
}

/// Runs the debate to its end, killed `kills` times at instants below `span` after each start.
fn killed(debate: &Debate, kills: u64, span: Duration) -> (Workspace, u64) {
    let (workspace, mut below) = (debate.workspace(), noise());
    let since = Instant::now();
    let mut done = 0;
    loop {
        assert!(since.elapsed() < PATIENCE, "{}: it does not end", debate.args[0]);
        let mut child = match is_opened(&workspace) {
            true => workspace.command(&["resume", "d1"]).spawn().unwrap(),
            false => {
                // Killed before it was opened: the folder may be there, and empty.
                let _ = std::fs::remove_dir_all(workspace.work().join("d"));
                debate.start(&workspace)
            }
        };
        if done < kills {
            sleep(Duration::from_micros(below(span.as_micros() as u64)));
            child.kill().unwrap();
            done += 1;
        }
        let ended = child.wait_with_output().unwrap();
        if [Some(0), Some(9)].contains(&ended.status.code()) {
            return (workspace, done);
        }
        assert_eq!(ended.status.code(), None, "{}: {}", debate.args[0], String::from_utf8_lossy(&ended.stderr));
    }
}

fn record(workspace: &Workspace) -> Vec<Value> {
    let text = workspace.read("d/record.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["seq"].is_u64()).collect()
}

/// What was put on record under each key, by kind; a key that comes twice in a kind is doubled.
fn by_key(record: &[Value]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in record {
        for (kind, what) in entry["what"].as_object().unwrap() {
            let content = if kind == "answered" { &what["reply"] } else { &what["ruling"] };
            let key = format!("{kind} {}", what["key"]);
            let before = found.insert(key.clone(), content.to_string());
            assert!(before.is_none() || kind == "closed", "{key} stands twice");
        }
    }
    found
}

/// Its files, with every time of day taken out.
fn files(workspace: &Workspace) -> Vec<(String, String)> {
    // The record, the report and the memo tell times and what a killed call cost.
    let timed = |name: &str| ["record.jsonl", "memo.md"].contains(&name) || name.starts_with("report.");
    let files = workspace.files("d").into_iter().filter(|(name, _)| !timed(name));
    // An artifact names the place of its document, which is another in each room.
    let here = workspace.work().display().to_string();
    files.map(|(name, text)| (name, timeless(&text).replace(&here, "WORK"))).collect()
}

/// `text` without what looks like `2026-01-31T09:30:00`, fractions and zone included, or like
/// `20260131T093000Z`.
fn timeless(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), String::new(), 0);
    let patterns: [&[u8]; 2] = [b"dddd-dd-ddTdd:dd:dd", b"ddddddddTdddddd"];
    let fits = |from: usize, pattern: &[u8]| {
        bytes.get(from..from + pattern.len()).is_some_and(|found| {
            found.iter().zip(pattern).all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                wanted => byte == wanted,
            })
        })
    };
    while at < bytes.len() {
        if let Some(pattern) = patterns.into_iter().find(|pattern| fits(at, pattern)) {
            at += pattern.len();
            while bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || b".Z+:".contains(byte)) {
                at += 1;
            }
            out.push_str("TIME");
        } else {
            let rest = &text[at..];
            let c = rest.chars().next().unwrap();
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

fn requests(workspace: &Workspace) -> u64 {
    workspace.json(&["show", "d1"])["used"]["requests"].as_u64().unwrap()
}

fn survives(debate: &Debate) {
    let name = debate.args[0];
    let kills = std::env::var("AGON_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let since = Instant::now();
    let (calm, _) = killed(debate, 0, Duration::from_secs(1));
    let took = since.elapsed();
    // Early and late instants alike, however long the debate takes and how often it is killed.
    let span = (took * 2 / (kills.max(1) as u32)).max(Duration::from_millis(60));
    let (workspace, kills) = killed(debate, kills, span);
    let (undisturbed, disturbed) = (record(&calm), record(&workspace));
    assert_eq!(undisturbed.len(), disturbed.len(), "{name}: no entry is lost or doubled");
    assert_eq!(by_key(&undisturbed), by_key(&disturbed), "{name}");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true, "{name}");
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], serde_json::json!([]), "{name}");
    let (calm_files, files) = (files(&calm), files(&workspace));
    let names = |files: &[(String, String)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&calm_files), names(&files), "{name}");
    for ((path, calm), (_, killed)) in calm_files.iter().zip(&files) {
        assert!(calm == killed, "{name}: {path} is a function of the replies\n{calm}\n-----\n{killed}");
    }
    let (made, wanted) = (requests(&workspace), requests(&calm));
    let repeated = made.checked_sub(wanted).unwrap_or_else(|| panic!("{name}: {made} of {wanted} calls"));
    assert!(repeated <= kills * debate.speakers, "{name}: {repeated} calls repeated in {kills} kills");
    println!("{name}: {kills} kills, {repeated} of {wanted} calls repeated, {} files", files.len());
}

#[test]
fn an_exchange_survives_kills() {
    survives(&DEBATES[0]);
}

#[test]
fn a_duel_survives_kills() {
    survives(&DEBATES[1]);
}

#[test]
fn a_revision_survives_kills() {
    survives(&DEBATES[2]);
}

#[test]
fn a_panel_survives_kills() {
    survives(&DEBATES[3]);
}

#[test]
fn a_chaired_debate_survives_kills() {
    survives(&DEBATES[4]);
}

#[test]
fn times_of_day_are_taken_out_and_nothing_else() {
    assert_eq!(timeless("a 2026-01-31T09:30:00.123Z, é 2026-01-31"), "a TIME, é 2026-01-31");
}
