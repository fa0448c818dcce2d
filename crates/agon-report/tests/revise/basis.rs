//! What the first page of critique and revision shows: the synthesizer's answer, the joined document, and the
//! weaknesses with what became of each.

use agon_core::{Key, Record};
use agon_report::first_page::{BasisPoint, FirstPage};
use serde_json::{Value, json};

use super::play::{canned, critique, file, opened, play, said, track, weakness};

fn page(record: &Record) -> FirstPage {
    FirstPage::with_extraction(record, None)
}

fn note<'p>(point: &'p BasisPoint, label: &str) -> &'p str {
    point.notes.iter().find(|(is, _)| *is == label).map_or("", |(_, text)| text)
}

fn synthesis(mode: &str) -> Value {
    let reply = canned(mode, "synthesis").unwrap();
    serde_json::from_str(reply.text().unwrap()).unwrap()
}

/// A plan after one round, its synthesis changed.
fn plan(change: impl Fn(&mut Value)) -> Record {
    let mut opened = track("plan");
    opened.limits.rounds = 1;
    play(opened, move |key| {
        let mut written = Some(synthesis("plan")).filter(|_| key == "synthesis")?;
        change(&mut written);
        said(written)
    })
}

#[test]
fn the_answer_is_the_synthesizers_and_stands_in_no_file() {
    let record = plan(|_| ());
    let [answer] = page(&record).answers.try_into().unwrap();
    assert_eq!(answer.by, "the synthesizer");
    assert_eq!(answer.answer.action, "Put the store first, and make a full disk an error.");
    assert_eq!(Some(answer.seq), record.find_answer(&Key::from_parts("synthesis")).map(|(seq, _)| seq));
    assert!(!file(&record, "PLAN.md").contains("make a full disk an error."));
    let alone = play(track("plan"), |key| key.starts_with("synthesis").then(|| said("I would rather not.")).flatten());
    assert!(page(&alone).answers.is_empty());
}

#[test]
fn a_synthesis_without_an_answer_is_told_once_and_then_stands() {
    let record = play(track("plan"), |key| {
        let mut written = Some(synthesis("plan")).filter(|_| key.starts_with("synthesis"))?;
        written.as_object_mut().unwrap().shift_remove("answer");
        said(written)
    });
    let (_, request) = record.find_request(&Key::from_parts("synthesis/redraft-1")).unwrap();
    assert_eq!(request.redraft.as_ref().unwrap().faults[0].at, "answer");
    assert!(record.find_answer(&Key::from_parts("synthesis/redraft-2")).is_none());
    let page = page(&record);
    assert!(page.answers.is_empty());
    assert_eq!(page.basis.points[0].place, "PLAN.md");
}

#[test]
fn weaknesses_have_their_authors_answer_and_what_the_synthesis_made_of_them() {
    let record = plan(|written| {
        written["overruled"][0]["weakness"] = json!("codex W2");
    });
    let basis = page(&record).basis;
    let told: Vec<(&str, &str, bool)> =
        basis.points.iter().map(|point| (point.state, point.id.as_str(), point.is_open)).collect();
    assert_eq!(
        told,
        [
            ("joined", "", false),
            ("in dispute", "", true),
            ("in dispute", "", true),
            ("addressed, not read again", "claude W1", false),
            ("addressed, adopted", "codex W1", false),
            ("defended, overruled", "codex W2", true),
        ]
    );
    assert_eq!((basis.points[0].place.as_str(), basis.points[0].text.as_str()), ("PLAN.md", "Plan: Phase 2 — Notes"));
    assert_eq!(note(&basis.points[1], "In the joined text"), "The living docs name the store first.");
    let [.., adopted, overruled] = basis.points.as_slice() else { panic!("{basis:?}") };
    assert_eq!((note(adopted, "Severity"), note(overruled, "Severity")), ("high", "low"));
    assert!(note(adopted, "Answer").starts_with("A full disk is now an error"), "{adopted:?}");
    assert_eq!(note(adopted, "Adopted"), "A full disk is an error.");
    assert_eq!(note(overruled, "Overruled"), "The measurement was of another store.");
    let (seq, held) = record.find_answer(&Key::from_parts("round-1/critique-1-of-2")).unwrap();
    assert_eq!(adopted.seq, seq);
    assert!(held.reply.text().unwrap().contains(&adopted.text));
    let flips = page(&record).flips;
    assert!(flips[0].text.starts_with("3 of 3 weaknesses of the last round were answered"), "{flips:?}");
}

#[test]
fn a_weakness_that_is_named_again_stands_once() {
    let again = |key: &str| {
        let named = json!({"place": "How", "problem": "It is still there.", "severity": "HIGH", "repeats": "W1"});
        match key {
            "round-1/critique-1-of-2" => {
                let first = weakness("HIGH", "How", "Nothing says who prunes the notes.");
                said(critique(json!([first]), json!([]), json!([])))
            }
            "round-2/critique-1-of-2" => said(critique(json!([named]), json!([]), json!([]))),
            "round-1/revision-2" | "round-2/revision-2" => {
                let reply = canned("draft", key).unwrap();
                let mut revision: Value = serde_json::from_str(reply.text().unwrap()).unwrap();
                revision["points"].as_array_mut().unwrap().truncate(1);
                said(revision)
            }
            "synthesis" => {
                let mut written = synthesis("draft");
                written["adopted"][0]["weakness"] = json!("second W1, round 2");
                said(written)
            }
            _ => None,
        }
    };
    let record = play(opened(2, json!({"mode": "draft"})), again);
    let points = page(&record).basis.points;
    let of_second: Vec<(&str, &str)> = points
        .iter()
        .filter(|point| point.id.starts_with("second"))
        .map(|point| (point.id.as_str(), point.state))
        .collect();
    assert_eq!(of_second, [("second W1, round 2", "addressed, adopted")]);
}

#[test]
fn a_review_rests_on_the_joined_findings() {
    let record = play(track("review"), |key| {
        let finding = json!({"from": ["opus-F1"], "dimension": "security", "place": "src/store.rs:42",
            "problem": "The path is taken as it comes.", "fix": "Reject two dots.", "severity": "HIGH"});
        let answer = json!({"do": "Do not ship it before paths are checked.", "unless": ""});
        let list = json!({"summary": "Both found the unchecked path.", "findings": [finding], "rejected": [], "answer": answer});
        key.starts_with("synthesis").then(|| said(list)).flatten()
    });
    let page = page(&record);
    assert_eq!(page.answers[0].answer.action, "Do not ship it before paths are checked.");
    let [joined, finding, ..] = page.basis.points.as_slice() else { panic!("{page:?}") };
    assert_eq!((joined.place.as_str(), joined.state), ("REVIEW.md", "joined"));
    assert_eq!((finding.state, finding.place.as_str(), finding.is_open), ("HIGH", "src/store.rs:42", true));
    assert_eq!((note(finding, "Fix"), note(finding, "Found by")), ("Reject two dots.", "opus-F1"));
}
