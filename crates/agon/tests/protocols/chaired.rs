//! How chaired debates end: won, drawn, void, and with an entry struck.

use agon_core::{Record, Reply, Request, RulingKind};
use serde_json::{Value, json};

use crate::protocols::{
    canned::chaired::{canned, concludes, debate, debate_fetched, debate_with, failed, opened, play, said},
    stage::{Play, Stage},
};

fn concluded(outcome: &'static str) -> Record {
    debate_with(move |request: &Request| {
        let mut value: Value = serde_json::from_str(canned(request).filter(|_| concludes(request))?.text()?).ok()?;
        value["outcome"] = json!(outcome);
        Some(said(value))
    })
}

fn staged(played: &Record) -> Stage {
    let stage = Play::from_record(played).run();
    assert_eq!(stage.end().0, played.closing_outcome().unwrap().name, "{}", stage.outcome().summary);
    stage
}

/// Seats that answer nothing from a key on.
fn lost(hit: impl Fn(&Request) -> bool) -> Record {
    debate_with(move |request| hit(request).then(failed))
}

#[test]
fn every_end_is_reached() {
    let table = [
        ("ada_wins", Some("ada"), debate()),
        ("draw", None, concluded("draw")),
        ("bob_wins", Some("bob"), concluded("bob_wins")),
        ("void", None, concluded("void")),
        ("void", None, lost(|request| request.key.as_str().starts_with("closing/debater-2"))),
        ("void", None, lost(|request| request.key.as_str().starts_with("conclusion"))),
    ];
    for (name, winner, played) in table {
        let stage = staged(&played);
        assert_eq!(stage.end(), (name, name != "void"), "{}", stage.outcome().summary);
        assert_eq!(stage.outcome().winner.as_deref(), winner);
        assert_eq!(stage.has_file("blog-post.md"), name != "void", "{name}");
        stage.says_what(&played);
        let log = stage.file("debate-log.jsonl");
        let conclusion = format!("Debate concluded. Outcome: {name}. Reason: ");
        assert_eq!(log.matches(&conclusion).count(), 1, "{log}");
    }
}

#[test]
fn a_fabricated_source_is_struck_and_its_debater_cannot_win() {
    let played =
        debate_fetched("census", "fabricated", |request| concludes(request).then(|| canned(request)).flatten());
    let stage = staged(&played);
    assert_eq!(stage.end(), ("bob_wins", true), "ada_wins is refused, and the redraft names bob");
    assert_eq!(stage.outcome().figures["redactions"], 1);
    assert_eq!(stage.rulings(RulingKind::Redacted).len(), 1);
    assert!(stage.record.answers().any(|(_, answer)| answer.key.as_str() == "conclusion/redraft-1"));
    for file in agon_report::render_debate_files(&stage.record, None) {
        let shows = file.content.contains("census of forgetting");
        assert_eq!(shows, file.path == "debate-log.jsonl", "{}", file.path);
    }
    let head = stage.file("transcript.md");
    assert!(head.contains("[REDACTED — a source it cites was found to be fabricated]"), "{head}");
}

#[test]
fn a_line_up_that_was_lost_is_asked_for_again_after_an_extension() {
    let mut opened = opened();
    for sat in &mut opened.lineup[..2] {
        (sat.name, sat.persona) = (None, None);
    }
    let member = |name: &str| {
        json!({
        "name": name, "persona": "Somebody", "starting_position": "Yes or no", "incentives": "To be right"})
    };
    let proposal = said(json!({"members": [member("ada"), member("bob")]}));
    let proposed = |request: &Request| match request.key.as_str() {
        "lineup" => Some(proposal.clone()),
        _ => canned(request),
    };
    let played = play(opened, proposed);
    assert_eq!(played.closing_outcome().unwrap().name, "ada_wins");
    // The chair refuses at first, and proposes what it would have when it is asked again.
    let part: Vec<agon_mock::Say> = said_by(&played, "chair").map(agon_mock::Say::Text).collect();
    let refusal = agon_mock::Say::Fails(agon_mock::MockFault::Refusal);
    let play = Play::from_record(&played).only("chair", 0).says("chair", vec![refusal; 2]).says("chair", part);
    let mut stage = play.run();
    assert_eq!(stage.end(), ("void", false));
    assert!(stage.outcome().summary.contains("nobody was named to debate"));
    stage.extend(0);
    assert_eq!(stage.end(), ("ada_wins", true), "{}", stage.outcome().summary);
    let names: Vec<String> = agon_report::participation::list_seat_summaries(&stage.record)
        .iter()
        .map(|sat| sat.title().to_owned())
        .collect();
    assert_eq!(names[..2], ["ada", "bob"], "those who were proposed are called by their names");
}

fn said_by<'r>(record: &'r Record, seat: &'r str) -> impl Iterator<Item = String> + 'r {
    let by =
        move |key: &agon_core::Key| record.find_request(key).is_some_and(|(_, request)| request.seat.as_str() == seat);
    let answers = record.answers().filter(move |(_, answer)| by(&answer.key));
    answers.filter_map(|(_, answer)| match &answer.reply {
        Reply::Said { text } => Some(text.clone()),
        _ => None,
    })
}
