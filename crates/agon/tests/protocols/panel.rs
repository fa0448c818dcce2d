//! How panels end: by agreement, by convergence, in part, in deadlock, at the limit, without verdict.

use agon_core::{FailureKind, Record};
use agon_mock::{MockFault, Say};
use serde_json::{Value, json};

use crate::protocols::{
    canned::panel::{canned, failed, opened, panel, panel_with, said},
    stage::Play,
};

fn value(key: &str) -> Value {
    serde_json::from_str(&canned(key).unwrap()).unwrap()
}

/// A panel with at most `rounds` exchanges, some answers replaced.
fn limited(rounds: u32, answers: Vec<(&'static str, Value)>) -> Record {
    let mut opened = opened();
    opened.limits.rounds = rounds;
    panel_with(opened, move |key| answers.iter().find(|(at, _)| *at == key).map(|(_, value)| spoken(value)))
}

/// Prose as it is, a statement as JSON.
fn spoken(value: &Value) -> agon_core::Reply {
    value.as_str().map_or_else(|| said(value), said)
}

/// Only the first of two disagreements, which one answer settles.
fn converging() -> Record {
    let mut analysis = value("analysis-000/disagreements");
    analysis["disagreements"].as_array_mut().unwrap().truncate(1);
    let mut review = value("exchange-001/review");
    review["next"] = analysis["next"].clone();
    review["next"]["question"] = json!("What would a line have to hold for that?");
    let mut synthesis = value("synthesis-000");
    synthesis["unresolved"] = json!([]);
    limited(
        1,
        vec![("analysis-000/disagreements", analysis), ("exchange-001/review", review), ("synthesis-000", synthesis)],
    )
}

/// Only the second, on which somebody repeats what was said before.
fn deadlocked() -> Record {
    let mut analysis = value("analysis-000/disagreements");
    let second = analysis["disagreements"][1].clone();
    analysis["disagreements"] = json!([second]);
    analysis["next"] = value("exchange-001/review")["next"].clone();
    analysis["next"]["disagreement"] = json!("D1");
    let mut review = value("exchange-004/review");
    review["deadlock"] = json!("repetition");
    review["next"]["disagreement"] = json!("D1");
    let again = json!("People hold back doubts as soon as there is a record, and a line is a record.");
    let mut synthesis = value("synthesis-000");
    synthesis["unresolved"][0]["disagreement"] = json!("D1");
    limited(
        1,
        vec![
            ("analysis-000/disagreements", analysis),
            ("exchange-001/answer", again),
            ("exchange-001/review", review),
            ("synthesis-000", synthesis),
        ],
    )
}

/// Only the second, cut off by the limit.
fn unresolved() -> Record {
    let mut analysis = value("analysis-000/disagreements");
    let second = analysis["disagreements"][1].clone();
    analysis["disagreements"] = json!([second]);
    analysis["next"] = value("exchange-001/review")["next"].clone();
    let mut synthesis = value("synthesis-000");
    synthesis["unresolved"][0]["disagreement"] = json!("D1");
    let mut review = value("exchange-004/review");
    review["new_insight"] = json!(true);
    limited(
        1,
        vec![
            ("analysis-000/disagreements", analysis),
            ("exchange-001/answer", json!("Nobody who is named dares to doubt, as I have seen for years.")),
            ("exchange-001/review", review),
            ("synthesis-000", synthesis),
        ],
    )
}

/// All agree, and the strongest case against it changes nobody's mind.
fn agreed() -> Record {
    let mut analysis = value("analysis-000/disagreements");
    analysis["all_agree"] = json!(true);
    let claim = |name: &str, quote: &str| json!({"panelist": name, "quote": quote});
    let challenge = json!({
        "claim": {"choice": "holds", "quote": "We keep notes"},
        "counter": {"topic": "who reads it", "kind": "premise", "rank": "high", "claims": [
            claim("Cy", "nobody has ever read one of them"), claim("Ada", "Our archive lost 31 of 40 oral decisions")]},
        "next": {"target": "Ada", "quote": "nobody has ever read one of them", "question": "Who would have read the 31?"},
    });
    let mut synthesis = value("synthesis-000");
    synthesis["unresolved"] = json!([]);
    limited(
        15,
        vec![
            ("analysis-000/disagreements", analysis),
            ("analysis-000/valve/panelist-3", json!("We keep notes, and nobody has ever read one of them.")),
            ("analysis-000/challenge", challenge),
            ("analysis-000/challenge/confirm/agreement", json!({"choice": "holds"})),
            ("synthesis-000", synthesis),
        ],
    )
}

#[test]
fn every_end_is_reached() {
    let table = [
        ("converged", "1 of 1 disagreement converged", converging()),
        ("converged", "all agree, and the strongest case against it changed nobody's mind", agreed()),
        ("deadlocked", "0 of 1 disagreement converged, 1 deadlocked", deadlocked()),
        ("partially_converged", "1 of 2 disagreements converged, 1 deadlocked, 0 unresolved.", panel()),
        (
            "partially_converged",
            "1 unresolved. D1: read by the moderator, confirmed by Bob. The limit",
            limited(2, vec![]),
        ),
        ("unresolved", "0 of 1 disagreement converged, 0 deadlocked, 1 unresolved. The limit", unresolved()),
    ];
    for (name, course, played) in table {
        let stage = Play::from_record(&played).run();
        assert_eq!(stage.end(), (name, true), "{}", stage.outcome().summary);
        assert!(stage.outcome().summary.contains(course), "{}", stage.outcome().summary);
        stage.says_what(&played);
        assert_eq!(stage.outcome(), played.closing_outcome().unwrap(), "by the same replies it ends the same");
        let title = stage.outcome().figures["status"].as_str().unwrap();
        assert!(stage.file("synthesis.md").contains(&format!("**Status:** {title}\n")));
    }
}

#[test]
fn without_two_openings_or_a_moderator_there_is_no_verdict() {
    let lost = |seats: &'static [&'static str]| {
        panel_with(opened(), |key| {
            let hit = seats.iter().any(|seat| key.ends_with(seat)) && key.starts_with("opening");
            hit.then(|| failed(FailureKind::Refused, "declined"))
        })
    };
    let stage = Play::from_record(&lost(&["panelist-1", "panelist-3"])).run();
    assert_eq!(stage.end(), ("no_verdict", false));
    assert!(stage.outcome().summary.contains("Ada") && stage.outcome().summary.contains("Cy"));
    let stage = Play::from_record(&panel()).only("moderator", 0).fails("moderator", MockFault::Refusal).run();
    assert_eq!(stage.end(), ("no_verdict", false));
    assert!(stage.outcome().summary.contains("the moderator"), "{}", stage.outcome().summary);
}

#[test]
fn a_panel_without_verdict_is_extended_to_one() {
    let played = panel();
    let part = played.answers().filter(|(_, answer)| {
        played.find_request(&answer.key).is_some_and(|(_, request)| request.seat.as_str() == "moderator")
    });
    // Lenses are chosen; then the openings are not compared.
    let part: Vec<Say> =
        part.skip(1).filter_map(|(_, answer)| Some(Say::Text(answer.reply.text()?.to_owned()))).collect();
    let mut stage = Play::from_record(&played)
        .only("moderator", 1)
        .says("moderator", vec![Say::Fails(MockFault::Refusal); 2])
        .says("moderator", part)
        .run();
    assert_eq!(stage.end(), ("no_verdict", false));
    stage.extend(1);
    assert!(stage.outcome().absent.is_empty(), "{:?}", stage.outcome());
    assert_eq!(stage.end(), ("partially_converged", true));
}

#[test]
fn proposed_panelists_are_called_by_their_names_in_every_reading() {
    let mut opened = opened();
    for sat in &mut opened.lineup[..3] {
        (sat.name, sat.persona) = (None, None);
    }
    let member = |name: &str, lens: &str| json!({"name": name, "persona": "Somebody", "lens": lens});
    let proposal = json!({"members": [
        member("Ada", "Empirical Evidence"), member("Bob", "Practitioner Experience"), member("Cy", "Contrarian")]});
    let played = panel_with(opened, |key| (key == "lineup").then(|| said(&proposal)));
    let stage = Play::from_record(&played).run();
    assert_eq!(stage.end().0, "partially_converged", "{}", stage.outcome().summary);
    let seats: Vec<String> = agon_report::participation::list_seat_summaries(&stage.record)
        .iter()
        .map(|sat| sat.title().to_owned())
        .collect();
    assert_eq!(seats, ["Ada", "Bob", "Cy", "moderator"]);
    let transcript = agon_report::find_format("transcript").unwrap().render_files(&stage.record).remove(0).content;
    assert!(transcript.contains("| Ada | ") && !transcript.contains("| panelist-1 | local"), "{transcript}");
}
