//! A scripted debate: canned answers, no model, no clock.
#![allow(clippy::unwrap_used, dead_code)] // Helpers are part of the tests.

#[path = "../common/drive.rs"]
mod drive;

use std::collections::BTreeMap;

use agon_core::{
    Answerer, Digest, Event, Extension, Failed, FailureKind, Key, Opened, Protocol as _, Record, Reply, Request,
    Ruling, RulingKind, Stamp, Usage,
};
use agon_protocols::revise::Revise;
use agon_report::File;
use serde_json::{Value, json};

pub const PLAN: &str = include_str!("../../../agon-protocols/src/revise/testdata/plan.md");
pub const REVIEW: &str = include_str!("../../../agon-protocols/src/revise/testdata/review.md");
pub const DRAFT: &str =
    "# Keeping notes\n\n## Why\n\nNotes that nobody can find again are of no use.\n\n## How\n\nWrite one line a day.";

/// A debate of so many authors with these options.
pub fn opened(authors: usize, options: Value) -> Opened {
    let mut seats: Vec<String> = (1..=authors).map(|n| format!("author-{n}")).collect();
    seats.push("synthesizer".into());
    let mut opened = agon_core::sample::sample_opened("revise", &seats.iter().map(String::as_str).collect::<Vec<_>>());
    opened.rules = Revise.manifest().rules;
    opened.motion = "Plan a program that keeps notes.".into();
    opened.options = options.as_object().unwrap().clone();
    opened.limits.rounds = 2;
    opened
}

pub fn track(mode: &str) -> Opened {
    opened(2, json!({"mode": mode, "phase": 2, "title": "Notes", "track": true}))
}

pub fn said(text: impl ToString) -> Option<Reply> {
    Some(Reply::Said { text: text.to_string() })
}

pub fn failed(detail: &str) -> Option<Reply> {
    Some(Reply::Failed(Failed { kind: FailureKind::Refused, detail: detail.into() }))
}

fn stamp() -> Stamp {
    Stamp("2026-01-31T09:30:00.000Z".into())
}

/// Drives until the end, or until nobody answers what is open.
pub fn drive(record: Record, answer: &dyn Fn(&Request) -> Option<Reply>) -> Record {
    drive_by(record, answer, false)
}

/// The same, by models that are known to read well enough to decide, or not.
pub fn drive_by(mut record: Record, answer: &dyn Fn(&Request) -> Option<Reply>, is_unfit_reader: bool) -> Record {
    let by = |request: &Request| {
        let by = Answerer::new("local").with_model(format!("model of {}", request.seat));
        (Answerer { is_unfit_reader, ..by }, Usage::default())
    };
    drive::drive(&Revise, &mut record, |_| stamp(), by, |request, _| answer(request));
    record
}

/// A debate by the canned answers, but for those that `other` gives.
pub fn play(opened: Opened, other: impl Fn(&str) -> Option<Reply>) -> Record {
    play_with(opened, &BTreeMap::new(), other)
}

/// The same with documents by name.
pub fn play_with(mut opened: Opened, texts: &BTreeMap<&str, &str>, other: impl Fn(&str) -> Option<Reply>) -> Record {
    let mut documents = BTreeMap::new();
    for (name, text) in texts {
        opened.documents.insert((*name).to_owned(), Digest::from_content(text));
        documents.insert(Digest::from_content(text), (*text).to_owned());
    }
    let mode = opened.options.get("mode").and_then(Value::as_str).unwrap_or("draft").to_owned();
    let record = Record::open(opened, stamp()).unwrap().with_documents(&documents);
    drive(record, &|request| other(request.key.as_str()).or_else(|| canned(&mode, request.key.as_str())))
}

pub fn extend(mut record: Record, rounds: u32, other: impl Fn(&str) -> Option<Reply>) -> Record {
    let mode = record.opened().options.get("mode").and_then(Value::as_str).unwrap_or("draft").to_owned();
    record.append_event(stamp(), Event::Extended { limits: Extension { rounds, ..Extension::default() } }).unwrap();
    drive(record, &|request| other(request.key.as_str()).or_else(|| canned(&mode, request.key.as_str())))
}

pub fn redact(record: &mut Record, key: &str) {
    let ruling = Ruling::new(RulingKind::Redacted, "redacted").with_data(json!({"key": key}));
    record.append_event(stamp(), Event::Ruled { key: Key::from_parts(format!("redacted/{key}")), ruling }).unwrap();
}

pub fn document(mode: &str) -> String {
    match mode {
        "plan" => PLAN.replace("Phase 1", "Phase 2").replace("P1-", "P2-"),
        "review" => REVIEW.replace("Phase 1", "Phase 2").replace("phase: 1", "phase: 2"),
        _ => DRAFT.to_owned(),
    }
}

/// A place of the document, by mode.
fn place(mode: &str) -> &'static str {
    match mode {
        "plan" => "Task P2-T01: Store the notes",
        "review" => "Findings",
        _ => "How",
    }
}

pub fn weakness(severity: &str, place: &str, problem: &str) -> Value {
    json!({"place": place, "problem": problem, "severity": severity})
}

pub fn critique(weaknesses: Value, disagreements: Value, concessions: Value) -> Value {
    json!({
        "strengths": ["It is short and says what it wants."], "weaknesses": weaknesses,
        "disagreements": disagreements, "concessions": concessions,
    })
}

/// The document of an author after so many revisions: nothing but words changes.
pub fn version(mode: &str, author: &str, round: &str) -> String {
    let text = document(mode);
    let from = match mode {
        "plan" => "One table is enough.",
        "review" => "the path is not checked",
        _ => "Write one line a day.",
    };
    assert!(text.contains(from));
    text.replace(from, &format!("{from} Version of author {author} after round {round}, with an index by date"))
}

/// The canned answer to a key: a round without agreement, then one that agrees on all but the order.
pub fn canned(mode: &str, key: &str) -> Option<Reply> {
    let parts: Vec<&str> = key.split(['/', '-']).collect();
    let severity = |round: &str| if round == "1" { "MEDIUM" } else { "LOW" };
    match parts.as_slice() {
        ["draft", ..] => said(document(mode)),
        ["round", round, "critique", critic, "of", target] => {
            let (problem, reason) = match *round {
                "1" => ("Nothing says what happens when the disk is full, asks", "half the writes, measured by author"),
                "2" => (
                    "An index by date grows for ever and who prunes it is open, asks",
                    "readers look at the newest first, says",
                ),
                _ => (
                    "The third word of the title promises what no later part keeps, asks",
                    "a list is read from its end, says",
                ),
            };
            // What is new and weighs much keeps a round from converging.
            let weight = if *round == "1" { "HIGH" } else { "MEDIUM" };
            let first = weakness(weight, place(mode), &format!("{problem} {critic} of {target}."));
            let second = weakness("LOW", place(mode), &format!("A name misleads ({critic}, {target}, {round})."));
            let weaknesses = if *critic == "1" { json!([first, second]) } else { json!([first]) };
            let reason = format!("{reason} {critic}.");
            let point = format!("Order of the tasks of {target}");
            let disagreements = json!([{"point": point, "reason": reason, "severity": severity(round)}]);
            let concessions = json!([format!("The criteria of {target} are sharper.")]);
            said(critique(weaknesses, disagreements, concessions))
        }
        ["round", round, "revision", author] => {
            let point = |id: &str, answer: &str, words: &str| json!({"weakness": id, "answer": answer, "words": words});
            let first = point("W1", "addressed", "A full disk is now an error with a remedy; data must not be lost.");
            let second = point("W2", "defended", "The name is that of the field -- everybody knows it.");
            let points = if *author == "2" { json!([first, second]) } else { json!([first]) };
            said(json!({"points": points, "document": version(mode, author, round)}))
        }
        ["round", _, "concessions", ..] => said(json!({"pairs": []})),
        ["synthesis", ..] if mode == "review" => None,
        ["synthesis", ..] => {
            let critique = if mode == "plan" { "critique_of_codex_r1.md" } else { "critique_of_second_r1.md" };
            let first = if mode == "plan" { "codex W1" } else { "second W1" };
            said(json!({
                "merged": ["Both put the store first, so it stays first."],
                "adopted": [{"point": "A full disk is an error.", "critique": critique, "weakness": first}],
                "overruled": [{"point": "Half the writes.", "reason": "The measurement was of another store.", "weakness": "none"}],
                "unresolved": (["1", "2"].map(|of| json!({
                    "point": format!("Order of the tasks of {of}"),
                    "tie_break": "The living docs name the store first.",
                }))),
                "answer": {"do": "Put the store first, and make a full disk an error.", "unless": "the notes fit into memory"},
                "document": document(mode),
            }))
        }
        _ => None,
    }
}

pub fn files(record: &Record) -> Vec<File> {
    agon_report::find_format("revise").unwrap().render_files(record)
}

pub fn file(record: &Record, path: &str) -> String {
    let files = files(record);
    files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).content.clone()
}

pub fn paths(record: &Record) -> Vec<String> {
    files(record).into_iter().map(|file| file.path).collect()
}

/// Name and summary of the latest outcome.
pub fn end(record: &Record) -> (String, String) {
    let outcome = record.closing_outcome().expect("the debate is over");
    (outcome.name.clone(), outcome.summary.clone())
}

/// Keys that were asked, in order.
pub fn asked(record: &Record) -> Vec<String> {
    let asked = record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) => Some(request.key.to_string()),
        _ => None,
    });
    asked.collect()
}
