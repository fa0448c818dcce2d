//! Panels whose moderator gives no usable answer.

use agon_core::{FailureKind, Key, Standing};
use serde_json::json;

use super::{
    fact, next_of, outcome,
    play::{self, extended, failed, file, opened, panel_with, said},
};

#[test]
fn a_panel_whose_openings_nobody_compared_has_no_verdict() {
    let lost = "analysis-000/disagreements";
    let mut record = panel_with(opened(), |key| (key == lost).then(|| failed(FailureKind::Refused, "declined")));
    let end = outcome(&record);
    assert_eq!((end.standing, end.absent[0].seat.as_str()), (Standing::Void, "moderator"));
    assert_eq!(end.summary, "No verdict: no usable answer came from the moderator (declined).");
    let report = file(&record, "synthesis.md");
    assert!(report.contains("### Key Findings\n\nNone.\n"), "no agreement is claimed: {report}");
    let first = |key: &str| play::canned(&key.replace("analysis-001", "analysis-000")).map(said);
    extended(&mut record, 1, &first);
    assert_eq!(outcome(&record).standing, Standing::Valid);
}

#[test]
fn what_no_usable_review_says_was_not_found_and_the_moderator_is_asked_for_a_question() {
    let mut opened = opened();
    opened.limits.rounds = 2;
    let open = |id: &str| json!({"disagreement": id, "one_side": "It pays.", "other_side": "It does not.", "why": "No figures."});
    let synthesis = json!({"findings": [{"finding": "Both stayed open.", "disagreement": "none", "agreed": [], "evidence": "what was said"}],
        "modifications": [], "unresolved": [open("D1"), open("D2")], "insights": [],
        "answer": {"do": "Keep a line for each decision.", "unless": ""}});
    let record = panel_with(opened, |key| match key {
        key if key.starts_with("exchange-001/review") => Some(said("I have nothing to say.")),
        "route-000" => Some(next_of("exchange-001/review", |_| {})),
        "synthesis-000" => Some(said(&synthesis)),
        _ => None,
    });
    assert_eq!(fact(&record, "route-000", "cause"), "no_question");
    assert!(record.find_answer(&Key::from_parts("exchange-002/answer")).is_some());
    let end = outcome(&record);
    assert_eq!((end.standing, end.absent.len()), (Standing::Valid, 0), "{}", end.summary);
    assert!(end.summary.contains("0 of 2 disagreements converged"), "{}", end.summary);
}

#[test]
fn a_panel_that_lost_its_moderator_ends_unresolved_and_is_never_converged() {
    let mut record = panel_with(opened(), |key| {
        let is_lost = key.contains("/review") || key.starts_with("route") || key.starts_with("synthesis");
        is_lost.then(|| failed(FailureKind::Refused, "declined"))
    });
    let end = outcome(&record);
    assert_eq!((end.name.as_str(), end.standing), ("unresolved", Standing::Valid));
    assert!(end.summary.starts_with("The moderator did not answer (declined). Unresolved: 0 of 2"), "{}", end.summary);
    assert!(end.summary.ends_with("The moderator gave no usable question."), "{}", end.summary);
    extended(&mut record, 2, &|key| play::canned(key).map(said));
    assert!(record.find_request(&Key::from_parts("route-001")).is_some(), "it is asked again");
}
