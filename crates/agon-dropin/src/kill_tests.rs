//! Killed at each single step of what a verb does to the disk, and called again: the result is that
//! of an undisturbed call, once.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::files::disk::{Disk, RealDisk};
use agon_core::Stamp;
use serde_json::{Value, json};

use super::{VerbResponse, debate_ops, killable_disk::DyingDisk, write_log};

const DEBATE: &str = "{\n  \"debate_id\": \"d\",\n  \"current_exchange\": 1,\n  \"current_phase\": \"awaiting_arguments\",\n  \"cumulative_scores\": {}\n}\n\n# Motion\n\nRest.\n";

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

fn argument() -> String {
    let ground = json!({"source": "S", "content": "X", "relevance": "R"});
    json!({"title": "T", "claim": "C", "warrant": "W", "grounds": [ground]}).to_string()
}

/// Every file below a folder, scoring times made equal.
fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let lines = text.lines().map(|line| if line.contains("scored_at") { "scored_at" } else { line });
                files.insert(path.strip_prefix(root).unwrap().to_owned(), lines.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    files
}

/// Prepares a folder, and does one call in it.
struct Verb {
    prepare: fn(&Path),
    call: fn(&Path, &dyn Disk, &mut dyn FnMut(VerbResponse)),
}

impl Verb {
    fn said(&self, here: &Path, disk: &dyn Disk) -> Vec<VerbResponse> {
        let mut all = Vec::new();
        (self.call)(here, disk, &mut |said| all.push(said));
        all
    }

    /// Kills the call at every step; gives the number of steps there are.
    fn survives(&self) -> usize {
        let undisturbed = tempfile::tempdir().unwrap();
        (self.prepare)(undisturbed.path());
        let want = self.said(undisturbed.path(), &RealDisk);
        assert_eq!((want.len(), want[0].code), (1, 0), "{want:?}");
        for steps in 0.. {
            let room = tempfile::tempdir().unwrap();
            (self.prepare)(room.path());
            let disk = DyingDisk::after(steps);
            let told = self.said(room.path(), &disk).into_iter().any(|said| said.code == 0);
            if disk.lived() {
                return steps;
            }
            // Who was answered has no reason to call again.
            if !told {
                assert_eq!(self.said(room.path(), &RealDisk)[0].out, want[0].out, "killed at step {steps}");
            }
            // What a killed process left to do, the next to come does, whatever it comes for.
            debate_ops::run_operation(
                &words("process-judge d --json-file absent.json"),
                room.path(),
                None,
                &RealDisk,
                &mut |_| {},
            );
            let mut left = tree(room.path());
            left.retain(|path, _| !path.to_string_lossy().contains(".torn-"));
            if told {
                left.entry("debate-log.lock".into()).and_modify(String::clear);
            }
            let mut wanted = tree(undisturbed.path());
            wanted.retain(|path, _| !path.to_string_lossy().contains(".torn-"));
            assert_eq!(left, wanted, "killed at step {steps}");
        }
        unreachable!()
    }
}

fn debate(here: &Path) {
    fs::create_dir(here.join("d")).unwrap();
    fs::write(here.join("d/debate.md"), DEBATE).unwrap();
    fs::write(here.join("d/scores.json"), "{}").unwrap();
}

fn argued(here: &Path) {
    debate(here);
    fs::write(here.join("p.json"), format!("[{0}, {0}]", argument())).unwrap();
    fs::write(here.join("o.json"), argument()).unwrap();
}

fn judged(here: &Path) {
    argued(here);
    exchange(here, &RealDisk, &mut |_| {});
    let scores = [("prop_001a", 0.5), ("prop_001b", -0.25), ("opp_001", -0.25)];
    let scores: Vec<Value> =
        scores.iter().map(|(id, score)| json!({"argument_id": id, "score": score, "reasoning": "r"})).collect();
    fs::write(here.join("j.json"), json!({"scores": scores}).to_string()).unwrap();
}

fn exchange(here: &Path, disk: &dyn Disk, tell: &mut dyn FnMut(VerbResponse)) {
    let line = "process-exchange d 1 --prop-file p.json --opp-file o.json";
    debate_ops::run_operation(&words(line), here, None, disk, tell);
}

fn judge(here: &Path, disk: &dyn Disk, tell: &mut dyn FnMut(VerbResponse)) {
    debate_ops::run_operation(&words("process-judge d --json-file j.json"), here, None, disk, tell);
}

fn log(here: &Path) {
    debate(here);
    fs::write(here.join("content.txt"), "What I say.\n").unwrap();
}

fn torn_log(here: &Path) {
    log(here);
    entry(here, &RealDisk, &mut |_| {});
    let whole = fs::read_to_string(here.join("debate-log.jsonl")).unwrap();
    fs::write(here.join("debate-log.jsonl"), format!("{whole}{}", &whole[..40])).unwrap();
}

fn entry(here: &Path, disk: &dyn Disk, tell: &mut dyn FnMut(VerbResponse)) {
    let now = Stamp("2026-01-31T09:30:00.000Z".into());
    let line = words("rebuttal chair ruling content.txt null 0");
    let places = write_log::WorkingPaths { here, given: Some(".".into()), home: None };
    write_log::run_write_log(&line, places, disk, &now, tell);
}

#[test]
fn process_exchange_survives_a_kill_at_every_step() {
    let steps = Verb { prepare: argued, call: exchange }.survives();
    assert!(steps > 20, "{steps} steps");
}

#[test]
fn process_judge_survives_a_kill_at_every_step_and_counts_once() {
    let steps = Verb { prepare: judged, call: judge }.survives();
    assert!(steps > 15, "{steps} steps");
}

#[test]
fn write_log_survives_a_kill_at_every_step() {
    assert_eq!(Verb { prepare: log, call: entry }.survives(), 4, "note, line, sync, note taken back");
}

#[test]
fn write_log_survives_a_kill_while_it_moves_a_torn_line_aside() {
    assert_eq!(Verb { prepare: torn_log, call: entry }.survives(), 8);
}
