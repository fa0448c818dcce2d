//! The search over a journal: the same debates are found with and without its index, which follows what changes.

use std::{sync::Arc, time::Duration};

use agon_core::{
    Answered, DebateId, Event, Extension, Key, Outcome, Record, Reply, Request, Ruling, RulingKind, Seat,
    sample,
};
use agon_runtime::journal::{Append, Journal, seal};
use serde_json::json;

use crate::store::{TestStore, over_all_stores};

const LONG: Duration = Duration::from_secs(60);

/// A debate about `motion` in which one seat said each of `statements`; closed.
async fn debate(journal: &Journal, id: &str, motion: &str, statements: &[&str]) -> Record {
    let mut opened = sample::opened("exchange", &["a"]);
    opened.debate = DebateId::new(id).unwrap();
    opened.motion = motion.into();
    let mut record = journal.create(Event::Opened(opened), vec![], None).await.unwrap();
    let mut events = Vec::new();
    for (number, text) in statements.iter().enumerate() {
        let request = Request::new(format!("turn-{number}"), &Seat::new("a").unwrap(), "say");
        let key = request.key.clone();
        events.push(Event::Asked(request));
        events.push(Event::Answered(Answered::imported(key, Reply::Said { text: (*text).to_owned() })));
    }
    events.push(Event::Closed { outcome: Outcome::valid("done", "All was said.") });
    append(journal, &mut record, events).await;
    record
}

async fn append(journal: &Journal, record: &mut Record, events: Vec<Event>) {
    let entries: Vec<Arc<_>> = events.into_iter().map(|what| seal(record, what).unwrap()).collect();
    journal.append(&record.opened().debate, Append { entries, ..Append::default() }).await.unwrap();
}

fn found(journal: &Journal, query: &str) -> Vec<String> {
    journal.search(query, 100).unwrap().into_iter().map(|found| found.id.to_string()).collect()
}

async fn the_index_changes_no_result(store: TestStore) {
    let journal = store.open();
    debate(&journal, "d1", "This house would rest on Sundays.", &["Rest heals.", "A \"quoted\" 100% word_x"])
        .await;
    debate(&journal, "d2", "Über die Brücke", &["ÜBER alles 橋を渡る", "heal the bridge\nin two lines"])
        .await;
    debate(&journal, "d3", "Nothing was said about it.", &[]).await;
    let queries = [
        "",
        "rest",
        "REST",
        "est",
        "sundays heals",
        "heal",
        "quoted",
        "\"quoted\"",
        "100%",
        "%",
        "_",
        "word_x",
        "wordax",
        "brücke",
        "über",
        "ÜBER",
        "橋",
        "橋を渡",
        "lines",
        "absent",
        "rest absent",
        "a",
        "ab",
        "a\\b",
        "said",
        "\0",
        "re\0st",
        "bridge in",
        "he*l",
        "AND",
        "NOT rest",
        "(rest)",
        "'",
        "rest'; DROP TABLE debates",
    ];
    let before: Vec<Vec<String>> = queries.iter().map(|query| found(&journal, query)).collect();
    assert_eq!(before[1], ["d1"]);
    assert_eq!(before[5], ["d2", "d1"]);
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), if store.has_an_index() { 3 } else { 0 });
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), 0, "everything is indexed");
    for (query, before) in queries.iter().zip(before) {
        assert_eq!(found(&journal, query), before, "{query:?}");
        let newest: Vec<String> =
            journal.search(query, 1).unwrap().into_iter().map(|found| found.id.to_string()).collect();
        assert_eq!(newest, before[..before.len().min(1)], "the newest with {query:?}");
    }
}

async fn what_is_added_later_is_found_and_what_is_redacted_is_not(store: TestStore) {
    let journal = store.open();
    let mut record = debate(&journal, "d1", "This house would rest.", &["Xylophonic words."]).await;
    journal.index_for_search(LONG).await.unwrap();
    let id = DebateId::new("d1").unwrap();
    assert!(journal.is_indexed(&id).unwrap());
    assert_eq!(found(&journal, "xylophonic"), ["d1"]);
    let ruling = Ruling::new(RulingKind::Redacted, "A text was redacted.").with(json!({"key": "turn-0"}));
    let more = Extension { rounds: 1, ..Extension::default() };
    let events = vec![Event::Extended { limits: more }, Event::Ruled { key: Key::of("redaction"), ruling }];
    append(&journal, &mut record, events).await;
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), 0, "a debate in progress is left out");
    assert_eq!(journal.is_indexed(&id).unwrap(), !store.has_an_index());
    assert_eq!(found(&journal, "xylophonic"), Vec::<String>::new(), "before the index follows");
    append(&journal, &mut record, vec![Event::Closed { outcome: Outcome::valid("done", "All was said.") }])
        .await;
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), usize::from(store.has_an_index()));
    assert!(journal.is_indexed(&id).unwrap());
    assert_eq!(found(&journal, "xylophonic"), Vec::<String>::new(), "and after");
    assert_eq!(found(&journal, "rest"), ["d1"]);
}

over_all_stores! {
    the_index_changes_no_result
    what_is_added_later_is_found_and_what_is_redacted_is_not
}
