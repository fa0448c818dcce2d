//! How critique and revision end: V1, V2, V3, at the limit, without debate, and F1 to F5.

use agon_core::{Record, Reply, RulingKind};
use agon_mock::MockFault;
use serde_json::json;

use crate::protocols::{
    canned::revise::{canned, critique, failed, play, said, track, version, weakness},
    stage::{Play, Stage},
};

/// A debate of a plan, of at most `rounds` rounds, some answers replaced.
fn plan(rounds: u32, other: impl Fn(&str) -> Option<Reply>) -> Record {
    let mut opened = track("plan");
    opened.limits.rounds = rounds;
    play(opened, other)
}

/// Nobody finds a weakness in the first round.
fn sound(key: &str) -> Option<Reply> {
    match key.split_once("/revision-") {
        Some((_, author)) => said(json!({"points": [], "document": version("plan", author, "1")})),
        None if key.contains("/critique-") => said(critique(json!([]), json!([]), json!([]))),
        None => None,
    }
}

/// Both concede the same, and disagree about more than order.
fn conceding(key: &str) -> Option<Reply> {
    if key.starts_with("round-1/concessions") {
        return said(json!({"pairs": [{"a": 1, "b": 1}]}));
    }
    let (critic, target) = key.strip_prefix("round-1/critique-")?.split_once("-of-")?;
    let problem = format!("Nothing says what {critic} does when the disk of {target} is full.");
    let weaknesses = json!([weakness("HIGH", "Task P2-T01: Store the notes", &problem)]);
    let reason = format!("{critic} measured half the writes.");
    let disagreements = json!([{"point": format!("Store of {target}"), "reason": reason, "severity": "HIGH"}]);
    said(critique(weaknesses, disagreements, json!(["The criteria are sharper."])))
}

/// What [`conceding`] and others are answered.
fn revised(key: &str) -> Option<Reply> {
    let (round, author) = key.split_once("/revision-")?;
    let points = json!([{"weakness": "W1", "answer": "addressed", "words": "A full disk is an error with a remedy."}]);
    said(json!({"points": points, "document": version("plan", author, round)}))
}

fn lost(hit: impl Fn(&str) -> bool) -> impl Fn(&str) -> Option<Reply> {
    move |key| hit(key).then(|| failed("declined")).flatten()
}

fn staged(played: &Record, end: (&str, bool)) -> Stage {
    let stage = Play::from_record(played).run();
    assert_eq!(stage.end(), end, "{}", stage.outcome().summary);
    stage.says_what(played);
    stage
}

#[test]
fn every_way_to_converge_and_the_limit_are_reached() {
    let table = [
        ("converged", "no critique names a weakness (V1)", plan(3, sound)),
        ("converged", "all disagreements are of low severity (V2)", plan(3, |_| None)),
        ("converged", "(V3)", plan(3, |key| conceding(key).or_else(|| revised(key)))),
        ("max_rounds", "joined after 1 round", plan(1, |_| None)),
    ];
    for (name, why, played) in table {
        let stage = staged(&played, (name, true));
        assert!(stage.outcome().summary.contains(why), "{why}: {}", stage.outcome().summary);
        let early = stage.file("debate_log.md").contains("- Early termination: yes");
        assert_eq!(early, name == "converged");
        assert!(stage.file("PLAN.md").contains("## Synthesis Notes"));
    }
}

#[test]
fn the_flows_without_debate_end_without_one() {
    for (strategy, end) in [("synthesize", "synthesized"), ("single", "single")] {
        let mut opened = track("plan");
        opened.options.insert("strategy".into(), strategy.into());
        staged(&play(opened, |_| None), (end, true));
    }
}

#[test]
fn whoever_is_lost_degrades_the_debate_and_is_named_first() {
    let table: [(&str, &str, Record); 6] = [
        ("F1", "Codex did not answer (", plan(2, lost(|key| key == "round-1/critique-2-of-1"))),
        ("F1", "Claude did not answer (", plan(2, lost(|key| key == "round-2/revision-1"))),
        ("F2", "Claude did not answer (", plan(2, lost(|key| key.starts_with("round-2/critique")))),
        ("F2", "Claude did not answer (", plan(2, lost(|key| key.starts_with("round-2/revision")))),
        ("F5", "Codex did not answer (", plan(2, lost(|key| key == "draft-2"))),
        ("F5", "The synthesizer did not answer (", plan(2, lost(|key| key == "synthesis"))),
    ];
    for (rule, first, played) in table {
        let stage = staged(&played, ("degraded", true));
        assert!(stage.outcome().summary.starts_with(first), "{rule}: {}", stage.outcome().summary);
        assert!(!stage.rulings(RulingKind::Absent).is_empty());
        assert_eq!(stage.outcome().absent.len(), if rule == "F2" { 2 } else { 1 }, "{rule}");
    }
    let stage = staged(&plan(2, lost(|key| key.starts_with("draft"))), ("void", false));
    assert_eq!(stage.outcome().absent.len(), 2);
    assert!(!stage.has_file("PLAN.md"));
}

#[test]
fn f3_a_failed_call_is_made_again_and_its_error_is_no_text() {
    let played = plan(2, |_| None);
    let html = MockFault::Html;
    let stage = Play::from_record(&played).fault(0, html.clone()).fault(1, html.clone()).fault(4, html).run();
    assert_eq!(stage.end().0, "converged");
    assert_eq!(stage.outcome().absent, []);
    for file in agon_report::render_debate_files(&stage.record, None) {
        // Any three digits may stand in a drawing.
        let error = if file.path.starts_with("report.") { "502 " } else { "502" };
        assert!(!file.content.contains(error), "{}", file.path);
    }
    assert_eq!(
        stage.file("PLAN.md"),
        agon_report::render_debate_files(&played, None).into_iter().find(|f| f.path == "PLAN.md").unwrap().content
    );
}

#[test]
fn f4_a_review_that_lost_a_critique_has_the_verdict_of_both() {
    let mut opened = track("review");
    opened.limits.rounds = 1;
    let played = play(opened, |key| {
        lost(|key| key.starts_with("round-1/critique-2"))(key).or_else(|| match key {
            "synthesis" => failed("declined"),
            key => canned("review", key),
        })
    });
    let stage = staged(&played, ("degraded", true));
    let summary = &stage.outcome().summary;
    assert!(summary.contains("Verdict (degraded): APPROVED."), "{summary}");
    assert!(stage.outcome().figures["verdict"].is_string());
}
