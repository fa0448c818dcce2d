//! What the first page of a duel shows: the answers, and the flaws with their repairs and what became of each.

use agon_core::{Key, Record};
use agon_report::first_page::{BasisPoint, FirstPage};
use serde_json::{Value, json};

use super::scripted::{canned, duel, duel_with, said};

fn page(record: &Record) -> FirstPage {
    FirstPage::with_extraction(record, None)
}

fn note<'p>(point: &'p BasisPoint, label: &str) -> &'p str {
    point.notes.iter().find(|(is, _)| *is == label).map_or("", |(_, text)| text)
}

/// The duel with one turn changed.
fn changed(key: &'static str, change: impl Fn(&mut Value)) -> Record {
    duel_with(move |asked| {
        let mut turn = canned(key).filter(|_| asked == key)?;
        change(&mut turn);
        Some(said(turn))
    })
}

#[test]
fn consensus_has_one_answer_in_the_words_of_who_accepted_last() {
    let record = duel();
    let [answer] = page(&record).answers.try_into().unwrap();
    assert_eq!(answer.by, "Ada and Participant B");
    assert_eq!(answer.answer.action, "Name a writer and a reader, file within a day, and take silence for consent.");
    assert_eq!(answer.answer.unless, "the reader has no deputy");
    assert_eq!(Some(answer.seq), record.find_answer(&Key::from_parts("turn-5")).map(|(seq, _)| seq));
}

#[test]
fn without_consensus_each_answers_in_its_last_turn() {
    let mut opened = super::scripted::opened();
    opened.limits.rounds = 2;
    let record = super::scripted::play(opened, super::scripted::canned_answer);
    let answers = page(&record).answers;
    let told: Vec<(&str, &str)> =
        answers.iter().map(|answer| (answer.by.as_str(), answer.answer.action.as_str())).collect();
    assert_eq!(
        told,
        [
            ("Ada", "Do not fix a day before a writer is named."),
            ("Participant B", "Write within a day, and name the writer.")
        ]
    );
    let silent = duel_with(|key| (key == "turn-1").then_some(agon_core::Reply::Elapsed));
    assert!(page(&silent).answers.is_empty());
}

#[test]
fn a_turn_without_an_answer_comes_back() {
    let record = duel_with(|key| {
        let mut turn = canned("turn-1").filter(|_| key == "turn-1")?;
        turn.as_object_mut().unwrap().shift_remove("answer");
        Some(said(turn))
    });
    let (_, request) = record.find_request(&Key::from_parts("turn-1/redraft-1")).unwrap();
    let faults = &request.redraft.as_ref().unwrap().faults;
    assert_eq!(faults.iter().map(|fault| fault.at.as_str()).collect::<Vec<_>>(), ["answer"], "{faults:?}");
}

#[test]
fn flaws_have_place_repair_and_what_the_peer_made_of_them() {
    let record = duel();
    let basis = page(&record).basis;
    assert_eq!(basis.title, "Flaws and repairs");
    let states: Vec<(&str, &str, bool)> =
        basis.points.iter().map(|point| (point.id.as_str(), point.state, point.is_open)).collect();
    assert_eq!(
        states,
        [
            ("Turn 1, counterpoint 1", "granted", false),
            ("Turn 1, counterpoint 2", "narrowed", false),
            ("Turn 1, novel argument", "no answer", true),
            ("Turn 2, novel argument", "rejected", true),
            ("Turn 3, novel argument", "no answer", true),
            ("Turn 4, novel argument", "no answer", true),
            ("Turn 5, novel argument", "no answer", true),
        ]
    );
    let [first, second, ..] = basis.points.as_slice() else { panic!("{basis:?}") };
    assert_eq!((first.place.as_str(), second.place.as_str()), ("Costs", ""));
    assert_eq!(note(first, "Repair"), "State the price of a week.");
    assert_eq!(note(first, "Held by"), "Ada, turn 1; Participant B, turn 2");
    assert!(note(first, "Rests on").contains("\"Writing takes a quarter of an hour a decision.\""), "{first:?}");
    assert_eq!(note(second, "Narrowed by"), "Participant B, turn 2: It says when, and a day presses whoever led.");
    assert_eq!(note(&basis.points[3], "Rejected by"), "Ada, turn 3: A late record can be honest.");
    assert_eq!(note(&basis.points[3], "Repair"), "");
    for point in &basis.points {
        let turn = point.id.trim_start_matches("Turn ").split(',').next().unwrap();
        let (seq, answered) = record.find_answer(&Key::from_parts(format!("turn-{turn}"))).unwrap();
        assert_eq!(point.seq, seq, "{point:?}");
        assert!(answered.reply.text().unwrap().contains(&point.text), "{point:?}");
    }
}

#[test]
fn the_last_reply_counts_and_one_to_nothing_is_left_out_with_a_warning() {
    let record = changed("turn-4", |turn| {
        turn["replies"] = json!([
            {"claim": "Turn 1, novel argument", "stance": "granted", "why": ""},
            {"claim": "Turn 9, counterpoint 1", "stance": "granted", "why": ""},
        ]);
    });
    let basis = page(&record).basis;
    assert_eq!(basis.points[2].state, "granted");
    let warned = record.find_ruling(&Key::from_parts("turn-4/warned")).unwrap().1;
    assert!(warned.text.contains("D14 the reply to \"Turn 9, counterpoint 1\" was left out"), "{}", warned.text);
}

#[test]
fn where_nobody_was_asked_for_replies_none_is_missing() {
    let record = duel_with(|key| {
        let mut turn = canned(key)?;
        turn.as_object_mut().unwrap().shift_remove("replies");
        Some(said(turn))
    });
    let basis = page(&record).basis;
    assert!(basis.points.iter().all(|point| point.state == "raised" && !point.is_open), "{basis:?}");
}

#[test]
fn the_artifact_has_neither_answer_nor_repair_nor_reply() {
    let bare = duel_with(|key| {
        let mut turn = canned(key)?;
        let fields = turn.as_object_mut().unwrap();
        fields.shift_remove("replies");
        for point in fields["counterpoints"].as_array_mut().unwrap() {
            point.as_object_mut().unwrap().shift_remove("repair");
        }
        Some(said(turn))
    });
    let told = super::scripted::artifact(&duel());
    assert_eq!(told, super::scripted::artifact(&bare));
    for unseen in ["State the price of a week", "take silence for consent.", "narrowed"] {
        assert!(!told.contains(unseen), "{unseen}");
    }
}
