//! The tutorial of docs/dev/new-protocol.md is true: a protocol without a folder in this crate has its files and its graph.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

#[path = "../common/drive.rs"]
mod drive;
#[path = "../../../agon-protocols/tests/laws/poll/mod.rs"]
mod rules;

use agon_core::{Answerer, Protocol, Record, Reply, Stamp, Usage, sample};
use agon_report::graph::Graph;

/// A debate of two rounds, in which one speaker needs a second draft.
fn debate() -> Record {
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let mut opened = sample::opened_for(rules::Poll.manifest());
    opened.limits.rounds = 2;
    let mut record = Record::open(opened, at()).unwrap();
    let by = |_: &_| (Answerer::default(), Usage::default());
    drive::drive(
        &rules::Poll,
        &mut record,
        |_| at(),
        by,
        |request, _| {
            let yes = request.seat.as_str() != "speaker-2";
            let text = match request.key.as_str() {
                "round-1/speaker-3" => "I say yes.".to_owned(),
                _ => format!(r#"{{"reason": "It is <b>late</b>.", "yes": {yes}}}"#),
            };
            Some(Reply::Said { text })
        },
    );
    record
}

#[test]
fn a_protocol_without_a_format_has_a_graph_of_every_answer_that_stands() {
    let record = debate();
    assert_eq!(record.closing_outcome().unwrap().summary, "2 of 3 say yes.");
    let graph = Graph::from_record(&record);
    let said: Vec<(&str, &str, &str)> = graph
        .statements
        .iter()
        .map(|said| (said.id.as_str(), said.when.as_str(), said.text.as_deref().unwrap_or_default()))
        .collect();
    let (yes, no) = ("reason: It is <b>late</b>.; yes: yes", "reason: It is <b>late</b>.; yes: no");
    assert_eq!(
        said,
        [
            ("round-1-speaker-1", "Round 1", yes),
            ("round-1-speaker-2", "Round 1", no),
            ("round-1-speaker-3", "Round 1", yes),
            ("round-2-speaker-1", "Round 2", yes),
            ("round-2-speaker-2", "Round 2", no),
            ("round-2-speaker-3", "Round 2", yes),
        ]
    );
    assert_eq!(graph.sides, ["Speaker 1", "Speaker 2", "Speaker 3"]);
    assert!(graph.edges.is_empty());
}

#[test]
fn a_protocol_without_a_format_has_a_transcript_and_a_report() {
    let files = agon_report::render_debate_files(&debate(), None);
    let transcript = &files.iter().find(|file| file.path == "transcript.md").unwrap().content;
    assert!(transcript.contains("## Round 2\n\n### Speaker 1\n\n**Reason**: It is &lt;b>late&lt;/b>."), "{transcript}");
    assert!(transcript.contains("2 of 3 say yes."), "{transcript}");
    assert!(files.iter().any(|file| file.path == "report.html"));
}

#[test]
fn later_rounds_hear_what_earlier_ones_said() {
    let record = debate();
    let (_, request) = record.find_request(&agon_core::Key::from_parts("round-2/speaker-1")).unwrap();
    let facts = rules::Poll.prompt_facts(&agon_core::View::new(&record, request), request);
    let said = facts["said"].as_array().unwrap();
    assert_eq!(said.len(), 3);
    assert_eq!(said[2]["answer"], r#"{"reason":"It is <b>late</b>.","yes":true}"#);
    assert_eq!(facts["motion"], record.opened().motion);
}
