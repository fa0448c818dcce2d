//! A real debate of the source system, where it is at hand: its log is written byte for byte, and
//! what can be counted is counted again. And tables of the rules that a log may break.
#![allow(clippy::disallowed_methods)] // Tests read what formats must not.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use agon_report::chaired::{log, metadata, rules, transcript};
use serde_json::{Value, json};

/// The folder of the debate; `None` where the data is not at hand.
fn folder() -> Option<PathBuf> {
    let given = std::env::var("AGON_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = given.unwrap_or(beside).join("data/chaired");
    let Ok(entries) = fs::read_dir(&root) else {
        println!("skipped: {} is absent", root.display());
        return None;
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).find(|path| path.is_dir())
}

fn read(name: &str) -> Option<String> {
    Some(fs::read_to_string(folder()?.join(name)).unwrap())
}

#[test]
fn a_real_log_is_written_byte_for_byte() {
    let Some(text) = read("debate-log.jsonl") else { return };
    let entries = log::parse_log(&text).unwrap();
    assert_eq!(entries.len(), 25);
    assert_eq!(log::render_log(&entries), text);
}

#[test]
fn the_figures_of_a_real_debate_are_counted_again() {
    let (Some(text), Some(given)) = (read("debate-log.jsonl"), read("metadata.json")) else { return };
    let (entries, given): (_, Value) = (log::parse_log(&text).unwrap(), serde_json::from_str(&given).unwrap());
    let counted = json!(metadata::compute_metadata(given["topic"].as_str().unwrap(), &entries));
    for (name, value) in counted.as_object().unwrap() {
        // The reason of the example is the reporter's own summary of it.
        if name != "outcome_reason" {
            assert_eq!(*value, given[name], "{name}");
        }
    }
}

#[test]
fn the_transcript_of_a_real_debate_has_its_entries() {
    let (Some(text), Some(given)) = (read("debate-log.jsonl"), read("transcript.md")) else { return };
    let made = transcript::render_transcript("topic", &log::parse_log(&text).unwrap(), &[], &[]);
    let heads =
        |text: &str| text.lines().filter(|line| line.starts_with("### ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(heads(&made), heads(&given));
    assert_eq!(heads(&made).len(), 25);
}

#[test]
fn a_real_log_of_before_the_rules_is_read_with_warnings() {
    let Some(text) = read("debate-log.jsonl") else { return };
    let broken = rules::check_log(&log::parse_log(&text).unwrap(), &[], Some(3..=8));
    let found: Vec<&str> = broken.iter().map(|broken| broken.rule).collect();
    assert!(found.contains(&"L8"), "six and seven sources in an argument: {broken:?}");
    assert!(!found.iter().any(|rule| ["L1", "L2", "L3", "L4", "L6", "L12", "L13"].contains(rule)), "{broken:?}");
}

const LOG: &str = r#"{"seq":0,"timestamp":"2026-01-01T00:00:00Z","phase":"system","speaker":"chair","type":"setup","content":"Debate session initialised.","sources":null}
{"seq":1,"timestamp":"2026-01-01T00:00:01Z","phase":"opening","speaker":"ada","type":"opening_statement","content":"Yes.","sources":[{"url":"https://a.b/1","title":"One","accessed":"2026-01-01"}]}
{"seq":2,"timestamp":"2026-01-01T00:00:02Z","phase":"opening","speaker":"bob","type":"opening_statement","content":"[CONJECTURE] No.","sources":null}
{"seq":3,"timestamp":"2026-01-01T00:00:03Z","phase":"rebuttal","speaker":"chair","type":"announcement","content":"Round 1 of 1 beginning.","sources":null}
{"seq":4,"timestamp":"2026-01-01T00:00:04Z","phase":"rebuttal","speaker":"ada","type":"conjecture","content":"[CONJECTURE] Perhaps.","sources":null}
{"seq":5,"timestamp":"2026-01-01T00:00:05Z","phase":"rebuttal","speaker":"bob","type":"rebuttal","content":"Hardly.","sources":[{"url":"https://a.b/2","title":"Two","accessed":"2026-01-01"}], "rebuttal_to_seq": 4}
{"seq":6,"timestamp":"2026-01-01T00:00:06Z","phase":"closing","speaker":"bob","type":"closing_statement","content":"No.","sources":null}
{"seq":7,"timestamp":"2026-01-01T00:00:07Z","phase":"closing","speaker":"ada","type":"closing_statement","content":"Yes.","sources":null}
{"seq":8,"timestamp":"2026-01-01T00:00:08Z","phase":"system","speaker":"chair","type":"conclusion","content":"Debate concluded. Outcome: draw. Reason: Even.","sources":null}
"#;

#[test]
fn every_rule_that_a_log_breaks_is_named() {
    let check = |text: &str| {
        let rounds = 1..=1;
        let broken = rules::check_log(&log::parse_log(text).unwrap(), &["ada".into(), "bob".into()], Some(rounds));
        broken.into_iter().map(|broken| (broken.rule, broken.seq)).collect::<Vec<_>>()
    };
    assert_eq!(check(LOG), []);
    let verdict = r#"{"seq":6,"timestamp":"2026-01-01T00:00:06Z","phase":"system","speaker":"verifier","type":"verification_result","content":"{\"verified_seq\":1,\"url\":\"https://a.b/1\",\"status\":\"fabricated\",\"explanation\":\"\"}","sources":null, "target_seq": 1}"#;
    let closing = LOG.lines().nth(6).unwrap();
    let table = [
        ("\"seq\":4,", "\"seq\":44,", ("L1", Some(44))),
        ("00:00:04Z", "00:00:01Z", ("L2", Some(4))),
        ("\"phase\":\"rebuttal\",\"speaker\":\"chair\"", "\"phase\":\"middle\",\"speaker\":\"chair\"", ("L3", Some(3))),
        ("\"speaker\":\"ada\",\"type\":\"conjecture\"", "\"speaker\":\"eve\",\"type\":\"conjecture\"", ("L3", Some(4))),
        ("\"type\":\"announcement\"", "\"type\":\"remark\"", ("L3", Some(3))),
        ("\"speaker\":\"ada\",\"type\":\"conjecture\"", "\"speaker\":\"ada\",\"type\":\"ruling\"", ("L4", Some(4))),
        (
            "\"type\":\"closing_statement\",\"content\":\"Yes",
            "\"type\":\"new_point\",\"content\":\"[CONJECTURE] Yes",
            ("L5", Some(7)),
        ),
        (", \"rebuttal_to_seq\": 4", "", ("L6", Some(5))),
        ("\"rebuttal_to_seq\": 4", "\"rebuttal_to_seq\": 2", ("L6", Some(5))),
        ("\"rebuttal_to_seq\": 4", "\"rebuttal_to_seq\": 6", ("L6", Some(5))),
        ("\"type\":\"conjecture\"", "\"type\":\"source_challenge\"", ("L7", Some(4))),
        ("https://a.b/1", "ftp://a.b/1", ("L8", Some(1))),
        ("\"One\",\"accessed\":\"2026-01-01\"", "\"One\",\"accessed\":\"today\"", ("L8", Some(1))),
        ("[CONJECTURE] Perhaps", "Perhaps", ("L9", Some(4))),
        ("[CONJECTURE] No", "No", ("L10", Some(2))),
        ("\"speaker\":\"bob\",\"type\":\"closing", "\"speaker\":\"ada\",\"type\":\"closing", ("L11", Some(7))),
        ("Round 1 of 1 beginning.", "We begin.", ("L12", None)),
        ("\"type\":\"conclusion\"", "\"type\":\"announcement\"", ("L13", None)),
        (closing, verdict, ("L14", Some(1))),
        ("\"type\":\"announcement\",\"content\":\"Round", "\"type\":\"ruling\",\"content\":\"Round", ("L15", Some(3))),
        (
            "\"speaker\":\"chair\",\"type\":\"announcement\"",
            "\"speaker\":\"audience\",\"type\":\"audience_conclusion\"",
            ("L16", Some(3)),
        ),
        ("[CONJECTURE] Perhaps", "[CONJECTURE] SOURCE CORRECTION for seq 1", ("L17", Some(4))),
    ];
    for (from, to, want) in table {
        assert!(LOG.contains(from), "{from}");
        let found = check(&LOG.replace(from, to));
        assert!(found.contains(&want), "{to}: {found:?}");
    }
}
