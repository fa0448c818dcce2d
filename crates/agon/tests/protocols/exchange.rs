//! The four ways in which an exchange ends, extended and rescored.

use agon_core::{Event, Protocol, RulingKind, View};
use agon_mock::Say;
use agon_protocols::exchange::Exchange;
use serde_json::{Value, json};

use crate::protocols::{
    canned::exchange::{debate, debate_with, opened, said},
    stage::{Play, Stage, texts},
};

const OPENING: [&str; 6] = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"];

/// A judgment by which the proposition gets `share` for each of `ids`, and the opposition the rest.
fn judgment(ids: &[&str], share: f64) -> Value {
    let score = |id: &&str| if id.starts_with("prop") { share } else { -share };
    let scores = ids.iter().map(|id| json!({"argument_id": id, "score": score(id), "reasoning": "It is so."}));
    json!({"scores": scores.collect::<Vec<_>>()})
}

fn judged(judgments: &[Value]) -> Stage {
    let opened = opened(0);
    let texts_of = crate::protocols::canned::exchange::texts();
    Play::new(opened, texts_of).says("judge", texts(judgments)).run()
}

#[test]
fn every_end_is_reached() {
    for (name, share, winner) in [
        ("proposition_ahead", 0.3, Some("proposition")),
        ("opposition_ahead", -0.2, Some("opposition")),
        ("even", 0.0, None),
    ] {
        let stage = judged(&[judgment(&OPENING, share)]);
        assert_eq!(stage.end(), (name, true), "{}", stage.outcome().summary);
        assert_eq!(stage.outcome().winner.as_deref(), winner);
        assert_eq!(stage.server.request_count(), 4, "two sides, a judge and a reporter");
        assert!(stage.file("README.md").contains("## The Verdict"));
    }
    let stage = judged(&vec![json!("No."); 3]);
    assert_eq!(stage.end(), ("no_verdict", false));
    assert_eq!((stage.server.request_count(), &stage.outcome().winner), (5, &None));
}

#[test]
fn an_extended_exchange_goes_on_with_the_next_and_reports_anew() {
    let mut stage = judged(&[
        judgment(&OPENING, 0.1),
        judgment(&["prop_001", "opp_001"], -0.9),
        judgment(&["prop_002", "opp_002"], 0.0),
    ]);
    assert_eq!(stage.end(), ("proposition_ahead", true));
    let before = stage.file("README.md");
    stage.extend(1);
    assert_eq!(stage.end(), ("opposition_ahead", true), "{}", stage.outcome().summary);
    assert_eq!(stage.outcome().figures["exchanges"], 2);
    assert_ne!(before, stage.file("README.md"));
    stage.extend(1);
    assert_eq!((stage.end().0, &stage.outcome().figures["exchanges"]), ("opposition_ahead", &json!(3)));
    assert!(stage.has_file("arguments/opp_002.md"));
}

#[test]
fn a_debate_without_verdict_is_extended_to_one() {
    let mut stage = Play::new(opened(0), crate::protocols::canned::exchange::texts())
        .says("judge", texts(&["No.", "No.", "No."]))
        .says("judge", [Say::Text(judgment(&OPENING, 0.2).to_string())])
        .says("judge", [Say::Text(judgment(&["prop_001", "opp_001"], 0.0).to_string())])
        .run();
    assert_eq!(stage.end(), ("no_verdict", false));
    stage.extend(1);
    assert_eq!(stage.end(), ("proposition_ahead", true), "{}", stage.outcome().summary);
}

#[test]
fn earlier_scores_are_corrected_within_their_limits() {
    let played = debate(1);
    let stage = Play::from_record(&played).run();
    stage.says_what(&played);
    assert_eq!(stage.outcome(), played.closing_outcome().unwrap(), "by the same replies it ends the same");
    let scores: Value = serde_json::from_str(&stage.file("scores.json")).unwrap();
    assert_eq!(scores["prop_000b"]["current_score"], 0.05, "{scores}");
    // The reporter is told of it, and of none at the others.
    let mut asked = stage.record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) if request.prompt == "report" => Some(request),
        _ => None,
    });
    let report = asked.next_back().unwrap();
    let shown = Exchange.prompt_facts(&View::new(&stage.record, report), report)["arguments"].clone();
    let corrected = shown.as_array().unwrap().iter().filter(|shown| shown["corrections"] != json!([]));
    let corrected: Vec<_> = corrected.map(|shown| (shown["id"].clone(), shown["corrections"][0].clone())).collect();
    assert_eq!(corrected.len(), 1, "{shown:#}");
    let (id, correction) = &corrected[0];
    assert_eq!((id, &correction["old"], &correction["new"]), (&json!("prop_000b"), &json!(0.2), &json!(0.05)));
    assert!(correction["reasoning"].as_str().is_some_and(|why| !why.is_empty()), "{correction}");
    // A rescore by more than is allowed is left out, and said.
    let wild = debate_with(1, |key| {
        let mut value: Value = serde_json::from_str(
            played.answers().find(|(_, a)| a.key.as_str() == "exchange-001/judgment")?.1.reply.text()?,
        )
        .ok()?;
        value["rescores"][0]["new_score"] = json!(-0.9);
        (key == "exchange-001/judgment").then(|| said(value))
    });
    let stage = Play::from_record(&wild).run();
    let scores: Value = serde_json::from_str(&stage.file("scores.json")).unwrap();
    assert_eq!(scores["prop_000b"]["current_score"], 0.2, "{scores}");
    assert!(!stage.rulings(RulingKind::Warned).is_empty());
}
