//! How a duel goes, and the five ways it ends.

use agon_core::{Event, FailureKind, Key, Protocol, Record, Reply, RulingKind, Standing, View};
use agon_protocols::duel::{Duel, outcome::OUTCOMES};
use serde_json::{Value, json};

use crate::duel::scripted::{blocked, drive_record, duel, extend, failed, open, opened, said, turn};

pub const OPEN: &str = "OPEN_TO_DEBATE";
pub const CONVERGING: &str = "CONVERGING";
pub const ACCEPTING: &str = "ACCEPTING_CONSENSUS";
pub const DISSENTING: &str = "DISSENTING";

pub fn turns(stances: &[&str]) -> Vec<Value> {
    stances.iter().enumerate().map(|(i, stance)| turn(i + 1, stance)).collect()
}

/// Outcome, and how many turns were accepted.
pub fn end(record: &Record) -> (&str, usize) {
    let accepted = record.rulings().filter(|(_, key, _)| key.as_str().ends_with("/accepted")).count();
    (&record.closing_outcome().unwrap().name, accepted)
}

pub fn asked(record: &Record) -> Vec<(String, String)> {
    let asked = record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) => Some((request.key.to_string(), request.seat.to_string())),
        _ => None,
    });
    asked.collect()
}

pub fn rulings(record: &Record, kind: RulingKind) -> Vec<&str> {
    record.rulings().filter(|(_, _, ruling)| ruling.kind == kind).map(|(_, _, ruling)| ruling.text.as_str()).collect()
}

/// A duel of open turns in which some requests get another answer.
pub fn with(answer: impl Fn(&str) -> Option<Reply>) -> Record {
    let mut record = open(opened(6));
    let turns = turns(&[OPEN; 6]);
    drive_record(&mut record, |request| {
        let usual = || {
            let number = request.facts["turn"].as_u64().unwrap() as usize;
            (request.seat.as_str() != "witness").then(|| said(&turns[number - 1]))
        };
        answer(request.key.as_str()).or_else(usual)
    });
    record
}

#[test]
fn turns_alternate_and_the_witness_looks_before_each() {
    let record = duel(6, &turns(&[OPEN; 6]));
    let mut want = Vec::new();
    for (number, seat) in (1..=6).zip(["participant-1", "participant-2"].into_iter().cycle()) {
        want.push((format!("turn-{number}/witness"), "witness".to_owned()));
        want.push((format!("turn-{number}"), seat.to_owned()));
    }
    want.push(("close-1/witness".into(), "witness".into()));
    assert_eq!(asked(&record), want);
    assert_eq!(rulings(&record, RulingKind::Phase)[1], "Turn 2: Participant B");
    assert_eq!(rulings(&record, RulingKind::Lineup), ["Participant A, Participant B"]);
}

#[test]
fn names_of_the_line_up_are_used_and_the_others_made_up_distinct() {
    for (given, want) in [
        ([None, None], "Participant A, Participant B"),
        ([Some("Ada"), None], "Ada, Participant B"),
        ([None, Some("Participant A")], "Participant B, Participant A"),
        ([Some("participant b"), None], "participant b, Participant A"),
    ] {
        let mut opened = opened(2);
        for (seat, name) in opened.lineup.iter_mut().zip(given) {
            seat.name = name.map(str::to_owned);
        }
        let mut record = open(opened);
        drive_record(&mut record, |request| {
            let number = request.facts["turn"].as_u64().unwrap() as usize;
            (request.seat.as_str() != "witness").then(|| said(turn(number, OPEN)))
        });
        assert_eq!(rulings(&record, RulingKind::Lineup), [want]);
    }
}

#[test]
fn accepted_consensus_needs_both_latest_turns_and_nothing_blocking() {
    let record = duel(6, &turns(&[OPEN, ACCEPTING, ACCEPTING]));
    assert_eq!(end(&record), ("ACCEPTED_CONSENSUS", 3));
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((outcome.standing, &outcome.winner), (Standing::Valid, &None));
    // One of them took it back.
    let record = duel(6, &turns(&[OPEN, ACCEPTING, CONVERGING, OPEN, OPEN, OPEN]));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
}

#[test]
fn consensus_does_not_end_a_duel_before_its_fewest_turns() {
    let mut opened = opened(6);
    opened.limits.rounds_min = Some(5);
    let mut record = open(opened);
    let turns = turns(&[OPEN, ACCEPTING, ACCEPTING, ACCEPTING, ACCEPTING]);
    drive_record(&mut record, |request| {
        let number = request.facts["turn"].as_u64().unwrap() as usize;
        (request.seat.as_str() != "witness").then(|| said(&turns[number - 1]))
    });
    assert_eq!(end(&record), ("ACCEPTED_CONSENSUS", 5));
}

#[test]
fn candidate_convergence_is_ruled_and_ends_nothing() {
    let record = duel(6, &turns(&[CONVERGING, CONVERGING, CONVERGING, ACCEPTING, OPEN, OPEN]));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let candidate = |turn: u32| record.find_ruling(&Key::from_parts(format!("turn-{turn}/standing"))).is_some();
    assert_eq!([1, 2, 3, 4, 5, 6].map(candidate), [false, true, true, true, false, false]);
    assert!(rulings(&record, RulingKind::Converged).iter().all(|text| text.starts_with("Candidate convergence")));
}

#[test]
fn dissent_ends_a_duel_once_both_dissent_and_have_answered_each_other() {
    let record = duel(6, &turns(&[DISSENTING; 6]));
    assert_eq!(end(&record), ("DISSENT", 4));
    assert_eq!(rulings(&record, RulingKind::Deadlocked).len(), 1);
}

#[test]
fn dissent_stands_at_the_last_turn_where_one_dissents_or_an_item_blocks() {
    assert_eq!(end(&duel(6, &turns(&[OPEN, OPEN, OPEN, OPEN, OPEN, DISSENTING]))), ("DISSENT", 6));
    let mut blocking = turns(&[OPEN; 6]);
    blocking[4] = blocked(5, OPEN);
    assert_eq!(end(&duel(6, &blocking)), ("DISSENT", 6));
    // An item of an earlier turn that its author does not hold any more blocks nothing.
    let mut settled = turns(&[OPEN; 6]);
    settled[2] = blocked(3, OPEN);
    assert_eq!(end(&duel(6, &settled)), ("MAX_TURNS", 6));
}

#[test]
fn at_the_last_turn_consensus_comes_before_dissent_and_dissent_before_max_turns() {
    assert_eq!(end(&duel(6, &turns(&[OPEN, OPEN, OPEN, OPEN, ACCEPTING, ACCEPTING]))), ("ACCEPTED_CONSENSUS", 6));
    assert_eq!(end(&duel(6, &turns(&[OPEN, OPEN, OPEN, OPEN, ACCEPTING, DISSENTING]))), ("DISSENT", 6));
    assert_eq!(end(&duel(6, &turns(&[OPEN, OPEN, OPEN, OPEN, OPEN, ACCEPTING]))), ("MAX_TURNS", 6));
}

#[test]
fn a_duel_never_has_more_than_six_turns() {
    let record = duel(50, &turns(&[OPEN; 6]));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    assert_eq!(end(&duel(0, &turns(&[OPEN; 2]))), ("MAX_TURNS", 2));
}

#[test]
fn a_draft_is_asked_for_again_twice_and_then_the_duel_is_invalidated() {
    let bad = || Some(said("{\"position\": \"\"}"));
    let record = with(|key| key.starts_with("turn-3").then(bad).flatten().filter(|_| !key.ends_with("witness")));
    let keys: Vec<String> = asked(&record).into_iter().map(|(key, _)| key).collect();
    let last = ["turn-3", "turn-3/redraft-1", "turn-3/redraft-2", "close-1/witness"];
    assert_eq!(keys[keys.len() - 4..], last);
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((end(&record), outcome.standing), (("INVALIDATED", 2), Standing::Void));
    assert!(outcome.summary.starts_with("Participant A gave no usable turn 3: no draft of it kept the rules"));
    assert_eq!(outcome.absent[0].seat.as_str(), "participant-1");
    assert_eq!(rulings(&record, RulingKind::Absent).len(), 1);
}

#[test]
fn a_mended_draft_stands() {
    let record = with(|key| (key == "turn-2").then(|| said("I agree with everything.")));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let (_, ruling) = record.find_ruling(&Key::from_parts("turn-2/accepted")).unwrap();
    assert_eq!(ruling.decode_data::<Value>().unwrap()["key"], "turn-2/redraft-1");
}

#[test]
fn a_copy_is_asked_for_again_once_and_a_second_copy_stands() {
    let long = "Whoever joins a team late learns from what is written and from nothing else, so the writing decides what is known.";
    let copy = |number: usize| {
        let mut copy = turn(number, OPEN);
        copy["position"] = long.into();
        Some(said(copy))
    };
    let record = with(|key| match key {
        "turn-1" => copy(1),
        "turn-2" | "turn-2/redraft-1" => copy(2),
        _ => None,
    });
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let (_, asked) = record.find_request(&Key::from_parts("turn-2/redraft-1")).unwrap();
    assert!(asked.redraft.as_ref().unwrap().faults.iter().all(|fault| fault.rule == "repetition"));
    assert!(
        rulings(&record, RulingKind::Warned).iter().any(|text| text.contains("repeats turn 1 almost word for word"))
    );
}

/// A second turn with one support that cannot be shown, beside one that can.
fn half_supported() -> Reply {
    let mut half = turn(2, OPEN);
    half["novel_argument"]["support"] = json!([
        {"kind": "principle", "text": "What nobody reads is waste."},
        {"kind": "source", "text": "plan.md: \"Decisions are kept for ever\""},
    ]);
    said(half)
}

#[test]
fn support_that_cannot_be_shown_is_told_once_and_then_left_out_with_a_warning() {
    let record = with(|key| ["turn-2", "turn-2/redraft-1"].contains(&key).then(half_supported));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let (_, ruling) = record.find_ruling(&Key::from_parts("turn-2/accepted")).unwrap();
    let data: Value = ruling.decode_data().unwrap();
    assert_eq!((&data["key"], &data["told"]), (&json!("turn-2/redraft-1"), &json!(true)));
    assert!(rulings(&record, RulingKind::Warned).iter().any(|text| text.contains("it was left out")));
    let request = record.find_request(&Key::from_parts("turn-3")).unwrap().1;
    let turns = Duel.prompt_facts(&View::new(&record, request), request)["turns"].to_string();
    assert!(turns.contains("What nobody reads is waste") && !turns.contains("kept for ever"), "{turns}");
}

#[test]
fn timeout_is_for_a_participant_that_never_took_part() {
    for silent in [Reply::Elapsed, failed(FailureKind::Elapsed, "no answer in time")] {
        let record = with(|key| (key == "turn-2").then(|| silent.clone()));
        let outcome = record.closing_outcome().unwrap();
        assert_eq!((end(&record), outcome.standing), (("TIMEOUT", 1), Standing::Valid));
        assert!(outcome.summary.starts_with("Participant B never took part"), "{}", outcome.summary);
        assert_eq!((outcome.absent.len(), &outcome.winner), (1, &None));
    }
}

#[test]
fn a_peer_that_falls_silent_later_or_refuses_invalidates() {
    let record = with(|key| (key == "turn-4").then_some(Reply::Elapsed));
    assert_eq!(end(&record), ("INVALIDATED", 3));
    let record = with(|key| (key == "turn-1").then(|| failed(FailureKind::Refused, "it declined")));
    assert_eq!(end(&record), ("INVALIDATED", 0));
    assert!(record.closing_outcome().unwrap().summary.contains("it declined"));
}

pub fn seen(source: &str, artifact: &str) -> Option<Reply> {
    Some(said(json!({"source": source, "artifact": artifact})))
}

#[test]
fn an_artifact_that_somebody_else_changed_invalidates_and_the_original_is_kept() {
    let record = with(|key| (key == "turn-3/witness").then(|| seen("unchanged", "changed")).flatten());
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((end(&record), outcome.standing), (("INVALIDATED", 2), Standing::Void));
    assert!(outcome.summary.contains("the original is kept"), "{}", outcome.summary);
    assert!(outcome.absent.is_empty(), "nobody is absent");
    assert_eq!(rulings(&record, RulingKind::Invalidated).len(), 1);
}

#[test]
fn a_changed_source_is_a_warning_told_once_and_an_unreadable_one_invalidates() {
    let record = with(|key| key.ends_with("/witness").then(|| seen("changed", "unchanged")).flatten());
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let told: Vec<_> =
        rulings(&record, RulingKind::Warned).into_iter().filter(|text| text.contains("source")).collect();
    assert_eq!(told, ["the source document was changed; evidence is checked against the copy of the opening"]);
    let record = with(|key| (key == "turn-2/witness").then(|| seen("unreadable", "unchanged")).flatten());
    assert_eq!(end(&record), ("INVALIDATED", 1));
}

#[test]
fn a_missing_artifact_is_written_again_and_a_blind_witness_is_said_to_be_blind() {
    let record = with(|key| key.ends_with("/witness").then(|| seen("unchanged", "absent")).flatten());
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let gone = rulings(&record, RulingKind::Warned).iter().filter(|text| text.contains("was gone")).count();
    assert_eq!(gone, 6, "before the first turn there is none to be gone");
    let record = with(|key| (key == "turn-1/witness").then(|| failed(FailureKind::Exhausted, "no disk")));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    assert!(
        rulings(&record, RulingKind::Warned)[0]
            .ends_with("nobody looked at source and artifact before this turn: no disk")
    );
    let record = with(|key| (key == "turn-1/witness").then(|| said("{\"source\": \"fine\"}")));
    assert_eq!(end(&record), ("MAX_TURNS", 6), "what the witness cannot mean is not believed");
}

#[test]
fn without_its_document_a_duel_is_invalidated_before_anybody_is_asked() {
    let mut record = agon_core::Record::open(opened(6), agon_core::Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    drive_record(&mut record, |_| None);
    assert_eq!(end(&record), ("INVALIDATED", 0));
    assert_eq!(asked(&record), []);
}

#[test]
fn an_extension_gives_more_turns_up_to_six() {
    let all = turns(&[OPEN; 6]);
    let mut record = duel(3, &all);
    assert_eq!(end(&record), ("MAX_TURNS", 3));
    extend(&mut record, 9);
    drive_record(&mut record, |request| {
        let number = request.facts["turn"].as_u64().unwrap() as usize;
        (request.seat.as_str() != "witness").then(|| said(&all[number - 1]))
    });
    assert_eq!(end(&record), ("MAX_TURNS", 6));
}

#[test]
fn an_extension_tries_a_turn_again_that_did_not_come_about() {
    let mut record = with(|key| (key == "turn-2").then_some(Reply::Elapsed));
    assert_eq!(end(&record), ("TIMEOUT", 1));
    extend(&mut record, 0);
    let all = turns(&[OPEN; 6]);
    drive_record(&mut record, |request| {
        let number = request.facts["turn"].as_u64().unwrap() as usize;
        (request.seat.as_str() != "witness").then(|| said(&all[number - 1]))
    });
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    assert!(asked(&record).contains(&("turn-2/again-1".into(), "participant-2".into())));
}

#[test]
fn a_final_end_closes_again_as_it_was_and_says_why() {
    let mut record = duel(6, &turns(&[OPEN, ACCEPTING, ACCEPTING]));
    let before = record.closing_outcome().unwrap().clone();
    for _ in 0..2 {
        extend(&mut record, 2);
        drive_record(&mut record, |request| panic!("{} is asked", request.key));
        assert_eq!(record.closing_outcome(), Some(&before));
    }
    let (_, ruling) = record.find_ruling(&Key::from_parts("extension-2/unused")).unwrap();
    assert_eq!(ruling.text, "ACCEPTED_CONSENSUS is final: no turn can follow it.");
}

#[test]
fn no_end_names_a_winner_and_every_end_is_one_of_five() {
    for record in [
        duel(6, &turns(&[OPEN; 6])),
        duel(6, &turns(&[DISSENTING; 4])),
        duel(6, &turns(&[OPEN, ACCEPTING, ACCEPTING])),
        with(|key| (key == "turn-1").then_some(Reply::Elapsed)),
        with(|key| (key == "turn-5").then_some(Reply::Elapsed)),
    ] {
        let outcome = record.closing_outcome().unwrap();
        assert!(OUTCOMES.contains(&outcome.name.as_str()) && outcome.winner.is_none(), "{outcome:?}");
    }
}

#[test]
fn a_line_up_without_two_participants_is_invalidated_and_no_panic() {
    let mut opened = opened(6);
    opened.lineup.clear();
    let mut record = open(opened);
    drive_record(&mut record, |_| None);
    assert_eq!(end(&record), ("INVALIDATED", 0));
    assert_eq!(rulings(&record, RulingKind::Invalidated), ["The duel was opened without two participants."]);
}

#[test]
fn a_change_of_stance_is_in_the_ledger_with_what_is_new_in_its_support() {
    let record = duel(4, &turns(&[OPEN, OPEN, CONVERGING, CONVERGING]));
    let moved =
        |turn: u32| record.find_ruling(&Key::from_parts(format!("turn-{turn}/stance"))).map(|(_, ruling)| ruling);
    assert_eq!((moved(1), moved(2)), (None, None));
    let third = moved(3).unwrap();
    assert_eq!(third.text, "Participant A moves from OPEN_TO_DEBATE to CONVERGING on one new piece of support");
    assert_eq!(third.decode_data::<Value>().unwrap()["unsupported"], false);
    // The second cites what the first cited already.
    assert_eq!(moved(4).unwrap().decode_data::<Value>().unwrap()["unsupported"], true);
}
