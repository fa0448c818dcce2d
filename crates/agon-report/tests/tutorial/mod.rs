//! The tutorial of docs/dev/new-protocol.md is true: the format that it shows draws a debate of the protocol that it
//! shows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

#[path = "../common/drive.rs"]
mod drive;
mod poll;
#[path = "../../../agon-protocols/tests/laws/poll/mod.rs"]
mod rules;

use agon_core::{Answerer, Protocol, Record, Reply, Stamp, Usage, sample};

const TUTORIAL: &str = include_str!("../../../../docs/dev/new-protocol.md");

fn debate() -> Record {
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let mut record = Record::open(sample::opened_for(rules::Poll.manifest()), at()).unwrap();
    let by = |_: &_| (Answerer::default(), Usage::default());
    drive::drive(
        &rules::Poll,
        &mut record,
        |_| at(),
        by,
        |request, _| {
            let yes = request.seat.as_str() != "speaker-2";
            let text = format!(r#"{{"reason": "It is <b>late</b>.", "yes": {yes}}}"#);
            Some(Reply::Said { text })
        },
    );
    record
}

#[test]
fn the_tutorial_shows_the_format_that_is_tested() {
    let text = include_str!("poll/mod.rs");
    let text = text.replace("crate::tutorial::rules::", "agon_protocols::poll::").replace("agon_report::", "crate::");
    assert!(
        TUTORIAL.contains(&format!("```rust\n{text}```\n")),
        "docs/dev/new-protocol.md does not show tests/tutorial/poll/mod.rs as it stands"
    );
}

#[test]
fn the_format_of_the_tutorial_draws_every_answer() {
    let record = debate();
    let files = poll::FORMAT.render_files(&record);
    let wanted = "# Poll\n\n- Round 1, speaker-1: Yes: It is &lt;b>late&lt;/b>.\n- Round 1, speaker-2: No: It is &lt;b>late&lt;/b>.\n- Round 1, speaker-3: Yes: It is &lt;b>late&lt;/b>.\n";
    assert_eq!((files[0].path.as_str(), files[0].content.as_str()), ("poll.md", wanted));
    let graph = poll::FORMAT.views.build_graph(&record);
    assert_eq!(graph.statements.len(), 3);
    assert!(graph.edges.is_empty());
}
