//! `kill -9` at any instant of an evaluation: no item is asked twice, none is lost, and the report is that of a run
//! that nobody disturbed.
//!
//! `AGON_TEST_EVAL_ITEMS` and `AGON_TEST_EVAL_KILLS` are the numbers of items and kills, for a longer test.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::eval::{
    workspace::Workspace,
    world::{answered, certain, items, observations, timeless},
};

/// Items and kills where nobody says how many.
const ITEMS: usize = 24;
const KILLS: u32 = 5;

const LINE: [&str; 12] = [
    "eval",
    "items.jsonl",
    "--model",
    "scripted:sure.json",
    "--out",
    "run",
    "--arm",
    "direct",
    "--arm",
    "critique",
    "--concurrency",
    "4",
];

fn number<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn workspace(count: usize) -> Workspace {
    let workspace = Workspace::new();
    items(&workspace, count);
    certain(&workspace, "sure.json", 0.8);
    workspace
}

fn lines(workspace: &Workspace) -> usize {
    let path = workspace.work().join("run/observations.jsonl");
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}

#[test]
fn a_killed_run_repeats_and_loses_nothing() {
    let (count, kills) = (number("AGON_TEST_EVAL_ITEMS", ITEMS), number("AGON_TEST_EVAL_KILLS", KILLS));
    let undisturbed = workspace(count);
    let began = Instant::now();
    let ran = undisturbed.agon(&LINE);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let span = began.elapsed();

    let killed = workspace(count);
    let all = count * 2;
    let mut done = 0;
    for kill in 1..=kills {
        // Spread over the run: each time after a few more debates, and a moment that differs.
        let wanted = all * kill as usize / (kills as usize + 1);
        let mut child = killed.command(&LINE).spawn().unwrap();
        let since = Instant::now();
        while lines(&killed) < wanted {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
            assert!(since.elapsed() < span * 20 + Duration::from_secs(60), "it does not progress");
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(u64::from(kill) * 7 % 23));
        child.kill().unwrap();
        child.wait().unwrap();
        done += 1;
    }
    let ran = killed.agon(&LINE);
    assert_eq!(ran.code, 0, "{}", ran.err);

    let (one, other) = (observations(&undisturbed, "run"), observations(&killed, "run"));
    assert_eq!((one.len(), other.len()), (all, all));
    for (key, line) in &one {
        assert_eq!(timeless(line), timeless(&other[key]), "{key:?}");
    }
    let debates = |workspace: &Workspace| workspace.json(&["stats"])["debates"].as_u64().unwrap();
    assert_eq!((debates(&undisturbed), debates(&killed)), (all as u64, all as u64));
    assert_eq!(answered(&killed), answered(&undisturbed), "an answer that is stored is not asked for again");
    let report = |workspace: &Workspace| -> Value { serde_json::from_str(&workspace.read("run/report.json")).unwrap() };
    assert_eq!(timeless(&report(&undisturbed)), timeless(&report(&killed)));
    println!("{count} items with 2 arms, killed {done} times: 0 repeated, 0 lost; undisturbed {span:.1?}");
}

#[test]
fn a_line_that_was_cut_off_is_written_again() {
    let workspace = workspace(3);
    assert_eq!(workspace.agon(&LINE).code, 0);
    let whole = observations(&workspace, "run");
    let path = workspace.work().join("run/observations.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 40]).unwrap();
    let before = answered(&workspace);
    assert_eq!(workspace.agon(&LINE).code, 0);
    assert_eq!((observations(&workspace, "run"), answered(&workspace)), (whole, before));
    std::fs::write(&path, "{\n").unwrap();
    let ran = workspace.agon(&LINE);
    assert!(ran.code == 6 && ran.err.contains("line 1"), "{}", ran.err);
}

#[test]
fn ctrl_c_leaves_a_report_of_what_has_ended_and_the_run_continues() {
    let workspace = workspace(6);
    let slow = workspace.read("sure.json").replace("\"reply\"", "\"delay_ms\":300,\"reply\"");
    workspace.write("sure.json", slow);
    let line = [&LINE[..8], &["--concurrency", "1"]].concat();
    let mut child = workspace.command(&line).spawn().unwrap();
    let since = Instant::now();
    while lines(&workspace) < 2 {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not progress");
        sleep(Duration::from_millis(10));
    }
    let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let count = lines(&workspace);
    assert!((2..6).contains(&count), "{count}");
    assert!(workspace.read("run/report.html").contains("<html"));
    let ran = workspace.agon(&line);
    assert_eq!((ran.code, observations(&workspace, "run").len()), (0, 6), "{}", ran.err);
    assert_eq!(answered(&workspace), 6);
}
