//! What the first page of a panel shows: the moderator's answer, and who holds what.

use agon_report::first_page::{BasisPoint, FirstPage};
use serde_json::{Value, json};

use super::{panel, panel_with, said};
use crate::panel::play::{canned, opened};

fn synthesis(change: impl Fn(&mut Value) + 'static) -> agon_core::Record {
    panel_with(opened(), move |key| {
        let mut written: Value = serde_json::from_str(&canned(key).filter(|_| key.starts_with("synthesis"))?).unwrap();
        change(&mut written);
        Some(said(written))
    })
}

fn note<'p>(point: &'p BasisPoint, label: &str) -> &'p str {
    point.notes.iter().find(|(is, _)| *is == label).map_or("", |(_, text)| text)
}

#[test]
fn the_answer_is_the_moderators_and_stands_in_the_synthesis() {
    let record = panel();
    let page = FirstPage::with_extraction(&record, None);
    let [answer] = page.answers.as_slice() else { panic!("{:?}", page.answers) };
    assert_eq!(answer.by, "the moderator");
    assert_eq!(answer.answer.action, "Keep a line for each decision, without names.");
    assert_eq!(answer.answer.unless, "nobody looks one up within a year");
    let (seq, held) = record.find_answer(&agon_core::Key::from_parts("synthesis-000")).unwrap();
    assert_eq!(answer.seq, seq);
    assert!(held.reply.text().unwrap().contains(&answer.answer.action));
}

#[test]
fn points_are_grouped_by_who_holds_them() {
    let record = synthesis(|written| {
        let ada = json!({"name": "Ada", "quote": "a line for each decision answers it"});
        let cy = json!({"name": "Cy", "quote": "a line is a record"});
        let finding = |text: &str, agreed: Value, objected: Value| json!({"finding": text, "disagreement": "none", "agreed": agreed, "objected": objected, "evidence": "it was said"});
        let findings = written["findings"].as_array_mut().unwrap();
        findings.push(finding("A line is enough.", json!([ada]), json!([cy])));
        findings.push(finding("A line is a record, too.", json!([cy]), json!([])));
    });
    let page = FirstPage::with_extraction(&record, None);
    for point in &page.basis.points {
        let entry = serde_json::to_string(&record.entries()[point.seq as usize].what).unwrap();
        assert!(entry.contains(&point.text), "{entry} lacks {}", point.text);
    }
    let states: Vec<&str> = page.basis.points.iter().map(|point| point.state).collect();
    assert_eq!(states, ["agreed", "contradicted", "unsettled", "said by one"]);
    let [agreed, contradicted, unsettled, alone] = page.basis.points.as_slice() else { panic!("four") };
    assert_eq!(agreed.id, "D1");
    assert!(note(agreed, "Held by").contains("Ada, opening: “a line for each decision answers it”"));
    assert!(note(agreed, "Held by").contains("Bob, round 1: “I would revise"), "{:?}", agreed.notes);
    assert!(note(contradicted, "Objected").starts_with("Cy, round "), "{:?}", contradicted.notes);
    assert_eq!(note(unsettled, "Why open"), "Nobody had measured it.");
    assert!(note(unsettled, "One side").ends_with("A record silences."), "{:?}", unsettled.notes);
    assert!((contradicted.is_open, unsettled.is_open, alone.is_open) == (true, true, false));
}

#[test]
fn a_case_that_begins_with_its_name_names_it_once() {
    let whole = |record: &agon_core::Record| {
        let page = FirstPage::with_extraction(record, None);
        let unsettled = page.basis.points.iter().find(|point| point.state == "unsettled").unwrap().clone();
        ["One side", "The other"].map(|label| note(&unsettled, label).to_owned())
    };
    let plain = whole(&panel());
    let sides = plain.clone();
    let named = synthesis(move |written| {
        for (side, field) in sides.iter().zip(["one_side", "other_side"]) {
            written["unresolved"][0][field] = json!(side);
        }
    });
    assert_eq!(whole(&named), plain);
}

#[test]
fn nobody_agrees_and_objects_to_the_same() {
    let record = panel_with(opened(), |key| {
        let mut written: Value = serde_json::from_str(&canned(key).filter(|_| key == "synthesis-000")?).unwrap();
        written["findings"][0]["objected"] = written["findings"][0]["agreed"].clone();
        Some(said(written))
    });
    let (_, request) = record.find_request(&agon_core::Key::from_parts("synthesis-000/redraft-1")).unwrap();
    let faults = &request.redraft.as_ref().unwrap().faults;
    assert_eq!(faults[0].at, "findings[0].objected", "{faults:?}");
}

#[test]
fn without_a_synthesis_no_answer_is_invented() {
    let record = panel_with(opened(), |key| key.starts_with("synthesis").then(|| said("I would rather not.")));
    let page = FirstPage::with_extraction(&record, None);
    assert!(page.answers.is_empty());
    assert_eq!(page.basis.points.iter().map(|point| point.state).collect::<Vec<_>>(), ["unsettled"]);
    assert!(note(&page.basis.points[0], "One side").contains('“'), "{:?}", page.basis.points);
}

#[test]
fn what_converged_is_told_where_no_finding_bears_it() {
    let record = synthesis(|written| written["findings"][0]["disagreement"] = json!("none"));
    let page = FirstPage::with_extraction(&record, None);
    let settled = page.basis.points.iter().find(|point| point.state == "settled").unwrap();
    assert_eq!((settled.id.as_str(), settled.text.as_str()), ("D1", "whether the losses outweigh the cost"));
    let given_up = "Bob, round 1: “Ada is right about the archive: 31 of 40 is more than minutes ever cost us.”";
    assert_eq!(note(settled, "Given up by"), given_up);
    assert!(note(settled, "One side").starts_with("Ada: “"), "{:?}", settled.notes);
    let entry = serde_json::to_string(&record.entries()[settled.seq as usize].what).unwrap();
    assert!(entry.contains("Ada is right about the archive"), "{entry}");
}
