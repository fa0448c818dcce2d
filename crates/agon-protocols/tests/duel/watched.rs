//! What is looked at besides the turns themselves: files before the close, files that turns cite, the
//! topic, and how near both are to each other.

use agon_core::{Key, Protocol, Record, Reply, RulingKind, Standing, View};
use agon_protocols::duel::Duel;
use serde_json::json;

use crate::duel::{
    course::{ACCEPTING, DISSENTING, OPEN, asked, end, rulings, seen, turns, with},
    scripted::{drive_record, duel, extend, open, opened, said, turn},
};

/// A duel of these stances in which the witness sees something before the close.
fn closed_upon(stances: &[&str], sight: (&str, &str)) -> Record {
    let (turns, mut record) = (turns(stances), open(opened(6)));
    drive_record(&mut record, |request| {
        let number = request.facts["turn"].as_u64().unwrap() as usize;
        match request.key.as_str() {
            "close-1/witness" => seen(sight.0, sight.1),
            _ if request.seat.as_str() == "witness" => None,
            _ => Some(turns.get(number - 1).map_or(Reply::Elapsed, said)),
        }
    });
    record
}

#[test]
fn files_that_changed_while_the_last_turn_was_composed_leave_no_result_however_it_ends() {
    let ends: [(&[&str], &str, usize); 4] = [
        (&[OPEN, ACCEPTING, ACCEPTING], "ACCEPTED_CONSENSUS", 3),
        (&[DISSENTING; 4], "DISSENT", 4),
        (&[OPEN; 6], "MAX_TURNS", 6),
        (&[OPEN], "TIMEOUT", 1),
    ];
    for (stances, name, count) in ends {
        assert_eq!(end(&closed_upon(stances, ("unchanged", "unchanged"))), (name, count));
        let gone = closed_upon(stances, ("unchanged", "absent"));
        assert_eq!(end(&gone), (name, count));
        assert!(rulings(&gone, RulingKind::Warned).iter().any(|text| text.contains("was gone")), "{name}");
        for (sight, why) in [
            (("unchanged", "changed"), "Somebody else changed the debate artifact; the original is kept."),
            (("unreadable", "unchanged"), "The source document cannot be read any more."),
        ] {
            let record = closed_upon(stances, sight);
            let outcome = record.closing_outcome().unwrap();
            assert_eq!((end(&record), outcome.standing), (("INVALIDATED", count), Standing::Void), "{name}");
            assert!(outcome.summary.starts_with(&format!("Before the duel was closed: {why}")), "{name}");
            assert_eq!(rulings(&record, RulingKind::Invalidated), [why], "{name}");
        }
    }
}

#[test]
fn a_turn_that_never_came_stays_the_reason_and_the_change_is_a_warning() {
    let silent_later = closed_upon(&[OPEN, OPEN, OPEN], ("unchanged", "changed"));
    let outcome = silent_later.closing_outcome().unwrap();
    assert!(outcome.summary.starts_with("Participant B gave no usable turn 4"), "{}", outcome.summary);
    assert!(rulings(&silent_later, RulingKind::Warned).iter().any(|text| text.contains("Somebody else changed")));
}

#[test]
fn after_an_extension_the_files_are_looked_at_again_before_a_close_that_failed() {
    let mut record = closed_upon(&[OPEN, ACCEPTING, ACCEPTING], ("unchanged", "changed"));
    extend(&mut record, 0);
    drive_record(&mut record, |_| None);
    assert_eq!(end(&record), ("ACCEPTED_CONSENSUS", 3));
    assert!(asked(&record).contains(&("close-2/witness".into(), "witness".into())));
    assert!(record.find_ruling(&Key::from_parts("extension-1/unused")).is_none());
}

#[test]
fn a_consensus_is_a_candidate_convergence() {
    let record = duel(6, &turns(&[OPEN, ACCEPTING, ACCEPTING]));
    let outcome = record.closing_outcome().unwrap();
    assert_eq!(
        (outcome.name.as_str(), &outcome.figures["candidate_convergence"]),
        ("ACCEPTED_CONSENSUS", &json!(true))
    );
}

#[test]
fn a_file_that_is_cited_and_nowhere_is_a_warning_and_the_turn_stands() {
    let mut cites = turn(2, OPEN);
    cites["novel_argument"]["support"] = json!([
        {"kind": "file", "text": "src/none.rs:3 and lib/there.rs:7"},
        {"kind": "source", "text": "plan.md: \"within a day\""},
    ]);
    let record = with(|key| match key {
        "turn-2" => Some(said(&cites)),
        "turn-2/files" => Some(said(json!({"src/none.rs:3": "missing", "lib/there.rs:7": "there"}))),
        _ => None,
    });
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let (_, ruling) = record.find_ruling(&Key::from_parts("turn-2/files/warned")).unwrap();
    assert_eq!(ruling.text, "src/none.rs:3 is cited as support, and there is no such file");
    let looks = asked(&record).into_iter().filter(|(key, _)| key.ends_with("/files"));
    assert_eq!(looks.collect::<Vec<_>>(), [("turn-2/files".to_owned(), "witness".to_owned())]);
    let request = record.find_request(&Key::from_parts("turn-2/files")).unwrap().1;
    let schema = Duel.answer_schema(&View::new(&record, request), request).unwrap();
    assert_eq!(schema.required, ["src/none.rs:3", "lib/there.rs:7"]);
}

#[test]
fn a_claim_that_the_peer_marks_as_off_the_topic_stands_with_a_warning() {
    let mut marks = turn(2, OPEN);
    marks["off_topic"] =
        json!([{"claim": "Turn 1, novel argument", "why": "Bananen haben mit der Frist nichts zu tun."}]);
    let record = with(|key| (key == "turn-2").then(|| said(&marks)));
    assert_eq!(end(&record), ("MAX_TURNS", 6));
    let warned: Vec<_> = rulings(&record, RulingKind::Warned).into_iter().filter(|text| text.contains("D12")).collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("holds Turn 1, novel argument to be off the topic: Bananen haben"), "{warned:?}");
}
