//! The chair's answer and reasons on the first page.
#![allow(clippy::unwrap_used)]

use agon_core::Reply;
use agon_report::first_page::FirstPage;

use super::{
    none,
    stage::{SECRET, canned, debate, debate_fetched, opened, play, said},
};

#[test]
fn the_chairs_answer_and_reasons_stand_on_the_first_page() {
    let record = debate();
    let page = FirstPage::with_extraction(&record, None);
    let [answer] = page.answers.as_slice() else { panic!("{:?}", page.answers) };
    assert_eq!((answer.by.as_str(), answer.answer.unless.as_str()), ("the chair", "nobody reads it within a year"));
    assert_eq!(answer.answer.action, "Write a line for each large decision.");
    let points = &page.basis.points;
    assert_eq!((points[0].state, points[1].state), ("for the winner", "for the others"));
    assert_eq!(points[0].text, "It rested on sources and met the cost with a figure.");
    let rests = points[0].notes.iter().find(|(label, _)| *label == "Rests on").unwrap();
    assert!(rests.1.starts_with("seq 6 of "), "{rests:?}");
}

#[test]
fn reasons_bear_the_marks_of_their_entries_and_what_was_struck_is_not_told_again() {
    let record = debate_fetched("census", "fabricated", none);
    let page = FirstPage::with_extraction(&record, None);
    let points = &page.basis.points;
    let states: Vec<&str> = points.iter().map(|point| point.state).collect();
    assert_eq!(states, ["for the winner", "for the others", "struck"]);
    for point in points {
        let entry = serde_json::to_string(&record.entries()[point.seq as usize].what).unwrap();
        assert!(entry.contains(&point.text), "{entry} lacks {}", point.text);
    }
    let shown = format!("{points:?}");
    assert!(shown.contains("seq 3 of bob (verified): “"), "{shown}");
    assert!(!shown.contains(SECRET), "{shown}");
}

#[test]
fn where_the_order_decided_no_answer_stands() {
    let record = play(opened(), |request| {
        if request.key.as_str() != "conclusion/swapped" {
            return canned(request);
        }
        let Some(Reply::Said { text }) = canned(request) else { return None };
        Some(said(text.replace("ada_wins", "bob_wins")))
    });
    assert_eq!(record.closing_outcome().unwrap().name, "draw");
    let page = FirstPage::with_extraction(&record, None);
    assert!(page.answers.is_empty(), "{:?}", page.answers);
}
