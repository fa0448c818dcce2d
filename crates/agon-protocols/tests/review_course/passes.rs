//! Reviews of more than one pass.

use agon_core::{Event, Extension, Protocol, Stamp, View};
use agon_protocols::review::{MaterialReview, state::FindingStatus};
use serde_json::json;

use super::{Answers, answers, drive_record, finding, found, one, opened, play, played, rulings, statuses};

#[test]
fn another_pass_asks_again_what_was_left_open_and_shows_what_is_known() {
    let (mut record, outcome) = play(1, &one("high"));
    assert_eq!(outcome.name, "unclear");
    let limits = Extension { rounds: 1, ..Extension::default() };
    record.append_event(Stamp("2026-01-01T00:00:00.000Z".into()), Event::Extended { limits }).unwrap();
    let mut all = Answers::new();
    all.insert("round-2/reviewer-1", found(&[]));
    all.insert("round-2/critic-1", answers(&[("F1", "agree")]));
    all.insert("round-2/critic-2", answers(&[("F1", "agree")]));
    drive_record(&mut record, &all);
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((outcome.name.as_str(), outcome.absent.len()), ("blocked", 0), "{}", outcome.summary);
    let (_, request) = record.find_request(&agon_core::Key::from_parts("round-2/reviewer-1")).unwrap();
    let facts = MaterialReview.prompt_facts(&View::new(&record, request), request);
    assert_eq!(facts["known"][0]["place"], "src/a.rs:3");
}

#[test]
fn a_finding_of_a_later_pass_is_not_decided_by_an_earlier_one_at_its_line() {
    let end = |severity: &str, first: &str, second: Option<&str>| {
        let mut all = one("medium");
        all.insert("round-1/critic-1", answers(&[("F1", first)]));
        for order in ["round-1/judge-a", "round-1/judge-b"] {
            all.insert(order, rulings(&[("F1", "does_not_hold")]));
        }
        all.insert("round-2/reviewer-1", found(&[finding("src/a.rs:3", "total / n", severity)]));
        let check = json!({"at": "F2", "code": "quote-there", "place": "src/a.rs:3", "note": ""});
        all.insert("round-2/verification", json!({"checks": [check]}));
        for look in ["round-2/critic-1", "round-2/critic-2"] {
            second.map(|second| all.insert(look, answers(&[("F2", second)])));
        }
        let mut opened = opened(1);
        opened.limits.rounds = 2;
        let (record, outcome) = played(opened, &all);
        (outcome.name, statuses(&record))
    };
    let (refuted, held) = (FindingStatus::Refuted, FindingStatus::Held);
    assert_eq!(end("high", "refuted", Some("agree")), ("blocked".into(), vec![refuted, held]));
    // What nobody read blocks nothing and is not forgotten.
    assert_eq!(end("high", "agree", None), ("unclear".into(), vec![held, FindingStatus::Undecided]));
}

#[test]
fn what_the_critic_adds_is_decided_by_the_judge_in_both_orders() {
    let end = |code: &str, orders: [&str; 2]| {
        let mut all = one("medium");
        let mut said = answers(&[("F1", "agree")]);
        said["findings"] = json!([finding("src/a.rs:9", "drop(lock)", "high")]);
        all.insert("round-1/critic-1", said);
        let check = json!({"at": "F2", "code": code, "place": "", "note": ""});
        all.insert("round-1/verification-added", json!({"checks": [check]}));
        for (order, ruling) in ["round-1/judge-a", "round-1/judge-b"].into_iter().zip(orders) {
            all.insert(order, rulings(&[("F2", ruling)]));
        }
        let (record, outcome) = play(1, &all);
        let judged = record.find_request(&agon_core::Key::from_parts("round-1/judge-a")).map(|(_, request)| request);
        let shown = judged.map(|request| MaterialReview.prompt_facts(&View::new(&record, request), request));
        (outcome.name, statuses(&record)[1], shown.map(|facts| facts["findings"][0]["id"].clone()))
    };
    let f2 = Some(json!("F2"));
    assert_eq!(end("quote-there", ["holds", "holds"]), ("blocked".into(), FindingStatus::Held, f2.clone()));
    let refuted = end("quote-there", ["does_not_hold", "does_not_hold"]);
    assert_eq!(refuted, ("approved".into(), FindingStatus::Refuted, f2.clone()));
    assert_eq!(end("quote-there", ["holds", "does_not_hold"]), ("unclear".into(), FindingStatus::Undecided, f2));
    // What cites nothing that is there reaches nobody.
    assert_eq!(end("quote-absent", ["holds", "holds"]), ("approved".into(), FindingStatus::Demoted, None));
}

#[test]
fn a_finding_is_not_merged_into_an_added_one_that_is_decided() {
    let mut all = one("medium");
    let mut said = answers(&[("F1", "agree")]);
    said["findings"] = json!([finding("src/a.rs:9", "drop(lock)", "low")]);
    all.insert("round-1/critic-1", said);
    let there = |id: &str| json!({"checks": [{"at": id, "code": "quote-there", "place": "src/a.rs:9", "note": ""}]});
    all.insert("round-1/verification-added", there("F2"));
    for order in ["round-1/judge-a", "round-1/judge-b"] {
        all.insert(order, rulings(&[("F2", "does_not_hold")]));
    }
    all.insert("round-2/reviewer-1", found(&[finding("src/a.rs:9", "drop(lock)", "high")]));
    all.insert("round-2/verification", there("F3"));
    for look in ["round-2/critic-1", "round-2/critic-2"] {
        all.insert(look, answers(&[("F3", "agree")]));
    }
    let mut opened = opened(1);
    opened.limits.rounds = 2;
    let (record, outcome) = played(opened, &all);
    let wanted = [FindingStatus::Held, FindingStatus::Refuted, FindingStatus::Held];
    assert_eq!((outcome.name.as_str(), statuses(&record)), ("blocked", wanted.to_vec()));
}
