//! What the first page of an exchange shows: the reporter's answer, the clash that decided, the attack that hit hardest,
//! and the best of each side.

use agon_core::{Key, Record, Reply};
use agon_report::first_page::{BasisPoint, FirstPage};
use serde_json::{Value, json};

use crate::common::{canned, canned_scores, debate, debate_with, failed, files, said};

fn page(record: &Record) -> FirstPage {
    FirstPage::with_extraction(record, None)
}

fn note<'p>(point: &'p BasisPoint, label: &str) -> &'p str {
    point.notes.iter().find(|(is, _)| *is == label).map_or("", |(_, text)| text)
}

/// The debate with another judgment of the rebuttals.
fn judged(change: impl Fn(&mut Value)) -> Record {
    debate_with(1, |key| {
        let mut judgment = canned(key).filter(|_| key == "exchange-001/judgment")?;
        change(&mut judgment);
        Some(said(judgment))
    })
}

#[test]
fn the_answer_is_the_reporters_and_no_file_of_the_format_has_it() {
    let record = debate(1);
    let [answer] = page(&record).answers.try_into().unwrap();
    assert_eq!(
        (answer.by.as_str(), answer.answer.unless.as_str()),
        ("the reporter", "nobody looks one up within a year")
    );
    assert_eq!(answer.answer.action, "Write each decision down in a line with its reason.");
    assert_eq!(Some(answer.seq), record.find_answer(&Key::from_parts("report-002")).map(|(seq, _)| seq));
    assert!(files(&record).iter().all(|file| !file.content.contains("a line with its reason")));
    let alone = debate_with(1, |key| key.starts_with("report").then(|| failed("no words")));
    assert!(page(&alone).answers.is_empty());
}

#[test]
fn a_report_without_an_answer_comes_back() {
    let record = debate_with(1, |key| {
        let mut report = canned(key).filter(|_| key == "report-002")?;
        report.as_object_mut().unwrap().shift_remove("answer");
        Some(said(report))
    });
    let (_, request) = record.find_request(&Key::from_parts("report-002/redraft-1")).unwrap();
    assert_eq!(request.redraft.as_ref().unwrap().faults[0].at, "answer");
}

#[test]
fn the_clash_is_the_judges_of_the_exchange_in_which_the_winner_gained_most() {
    let record = debate(1);
    let basis = page(&record).basis;
    assert_eq!(basis.title, "Clash that decided, and the best of each side");
    let clash = &basis.points[0];
    assert!(clash.state == "clash" && clash.text.starts_with("They meet on what is lost."), "{clash:?}");
    assert_eq!(note(clash, "Moved the lead"), "Opening exchange: +1.20 for the proposition");
    let (seq, answered) = record.find_answer(&Key::from_parts("exchange-000/judgment")).unwrap();
    assert_eq!(clash.seq, seq);
    assert!(answered.reply.text().unwrap().contains("They meet on what is lost."));
    let scored = debate_with(1, |key| canned_scores(key).filter(|_| key.contains("judgment")).map(said));
    assert_eq!(page(&scored).basis.points[0].state, "decided", "a judge that gives scores tells no clash");
}

#[test]
fn the_attack_that_decided_is_the_one_after_which_a_score_fell_most() {
    let record = debate(1);
    let basis = page(&record).basis;
    let [_, proposition, opposition, hit] = basis.points.as_slice() else { panic!("{basis:?}") };
    assert_eq!((hit.state, hit.id.as_str()), ("decided", "opp_001"));
    assert_eq!(hit.text, "A line holds no reason to test.");
    assert!(note(hit, "Hits").starts_with("prop_000b, Reasons Outlive Their Authors: "), "{hit:?}");
    assert_eq!((note(hit, "Its score"), note(hit, "The judge")), ("+0.20 → +0.05", "Weakened by opp_001."));
    assert_eq!((proposition.state, proposition.id.as_str()), ("best of the proposition", "prop_000a"));
    assert_eq!(proposition.text, "Decisions that nobody wrote down are lost within a year.");
    assert!(note(proposition, "Grounds").starts_with("Of 40 oral decisions, 31 could not be reconstructed (Archive"));
    assert_eq!((opposition.id.as_str(), note(opposition, "Score")), ("opp_001", "+0.125"));
    for point in &basis.points[1..] {
        let side = if point.id.starts_with("prop") { "proposition" } else { "opposition" };
        let exchange = &point.id[point.id.len().min(point.id.find('_').unwrap() + 1)..][..3];
        let (seq, answered) = record.find_answer(&Key::from_parts(format!("exchange-{exchange}/{side}"))).unwrap();
        assert_eq!(point.seq, seq);
        assert!(answered.reply.text().unwrap().contains(&point.text), "{point:?}");
    }
}

#[test]
fn without_a_fall_or_with_two_as_great_nothing_decided() {
    let ids = |record: &Record| page(record).basis.points.iter().map(|point| point.state).collect::<Vec<_>>();
    let best = ["clash", "best of the proposition", "best of the opposition"];
    assert_eq!(ids(&judged(|judgment| judgment["rescores"] = json!([]))), best);
    let risen = judged(|judgment| judgment["rescores"][0]["new_score"] = json!(0.3));
    assert_eq!(ids(&risen), best);
    let equal = judged(|judgment| {
        let other =
            json!({"argument_id": "opp_000a", "old_score": 0.1, "new_score": -0.05, "reasoning": "Met by prop_001."});
        judgment["rescores"].as_array_mut().unwrap().push(other);
    });
    assert_eq!(ids(&equal), best);
    // What no argument of the other side attacked did not fall by a clash.
    let aside = judged(|judgment| {
        judgment["rescores"][0] =
            json!({"argument_id": "prop_000a", "old_score": 0.45, "new_score": 0.2, "reasoning": "It was too high."})
    });
    assert_eq!(ids(&aside), best);
    let scored = debate_with(0, |key| canned_scores(key).filter(|_| key.contains("judgment")).map(said));
    assert_eq!(page(&scored).basis.title, "Best of each side");
    let unjudged = debate_with(0, |key| key.contains("judgment").then_some(Reply::Elapsed));
    assert!(page(&unjudged).basis.points.is_empty());
}
