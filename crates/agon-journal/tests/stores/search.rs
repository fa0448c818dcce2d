//! The search over a journal: the same debates are found with and without its index, which follows what changes.

use std::{sync::Arc, time::Duration};

use agon_core::{
    Answered, DebateId, Event, Extension, Key, Outcome, Record, Reply, Request, Ruling, RulingKind, Seat, sample,
};
use agon_journal::{
    Append, Journal,
    accounts::{AuditEvent, DebateRole, NewPrincipal},
    seal_entry,
};
use serde_json::json;

use crate::stores::store::{TestStore, over_all_stores};

const LONG: Duration = Duration::from_secs(60);

/// A debate about `motion` in which one seat said each of `statements`; closed.
async fn debate(journal: &Journal, id: &str, motion: &str, statements: &[&str]) -> Record {
    let mut opened = sample::sample_opened("exchange", &["a"]);
    opened.debate = DebateId::new(id).unwrap();
    opened.motion = motion.into();
    let mut record = journal.create_debate(Event::Opened(opened), vec![], None).await.unwrap();
    let mut events = Vec::new();
    for (number, text) in statements.iter().enumerate() {
        let request = Request::new(format!("turn-{number}"), &Seat::new("a").unwrap(), "say");
        let key = request.key.clone();
        events.push(Event::Asked(request));
        events.push(Event::Answered(Answered::from_import(key, Reply::Said { text: (*text).to_owned() })));
    }
    events.push(Event::Closed { outcome: Outcome::valid("done", "All was said.") });
    append(journal, &mut record, events).await;
    record
}

async fn append(journal: &Journal, record: &mut Record, events: Vec<Event>) {
    let entries: Vec<Arc<_>> = events.into_iter().map(|what| seal_entry(record, what).unwrap()).collect();
    journal.append_entries(&record.opened().debate, Append { entries, ..Append::default() }).await.unwrap();
}

fn found(journal: &Journal, query: &str) -> Vec<String> {
    journal.search_debates(query, 100).unwrap().into_iter().map(|found| found.id.to_string()).collect()
}

async fn the_index_changes_no_result(store: TestStore) {
    let journal = store.open();
    debate(&journal, "d1", "This house would rest on Sundays.", &["Rest heals.", "A \"quoted\" 100% word_x"]).await;
    debate(&journal, "d2", "Über die Brücke", &["ÜBER alles 橋を渡る", "heal the bridge\nin two lines"]).await;
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
        "\"house would rest\" heals",
        "\"rest house\"",
        "\"rest on",
        "\"\"",
    ];
    let before: Vec<Vec<String>> = queries.iter().map(|query| found(&journal, query)).collect();
    assert_eq!(before[1], ["d1"]);
    // Words between quotes stand together; a quote that is not closed is a part of its word.
    let of_phrases = [vec!["d1"], vec![], vec![], vec!["d3", "d2", "d1"]];
    assert_eq!(before[before.len() - 4..], of_phrases);
    let beginning = |start: &str, limit| {
        let found = journal.list_beginning(&DebateId::new(start).unwrap(), limit).unwrap();
        found.into_iter().map(|found| found.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(beginning("d", 2), ["d3", "d2"]);
    assert_eq!((beginning("d1", 9), beginning("1", 9)), (vec!["d1".to_owned()], vec![]));
    assert_eq!(before[5], ["d2", "d1"]);
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), if store.has_an_index() { 3 } else { 0 });
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), 0, "everything is indexed");
    for (query, before) in queries.iter().zip(before) {
        assert_eq!(found(&journal, query), before, "{query:?}");
        let newest: Vec<String> =
            journal.search_debates(query, 1).unwrap().into_iter().map(|found| found.id.to_string()).collect();
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
    let ruling = Ruling::new(RulingKind::Redacted, "A text was redacted.").with_data(json!({"key": "turn-0"}));
    let more = Extension { rounds: 1, ..Extension::default() };
    let events = vec![Event::Extended { limits: more }, Event::Ruled { key: Key::from_parts("redaction"), ruling }];
    append(&journal, &mut record, events).await;
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), 0, "a debate in progress is left out");
    assert_eq!(journal.is_indexed(&id).unwrap(), !store.has_an_index());
    assert_eq!(found(&journal, "xylophonic"), Vec::<String>::new(), "before the index follows");
    append(&journal, &mut record, vec![Event::Closed { outcome: Outcome::valid("done", "All was said.") }]).await;
    assert_eq!(journal.index_for_search(LONG).await.unwrap(), usize::from(store.has_an_index()));
    assert!(journal.is_indexed(&id).unwrap());
    assert_eq!(found(&journal, "xylophonic"), Vec::<String>::new(), "and after");
    assert_eq!(found(&journal, "rest"), ["d1"]);
}

async fn words_that_many_debates_have_are_found_in_whatever_few_have_them_together(store: TestStore) {
    let journal = store.open();
    // More entries have each word than a store looks at one by one.
    let many = |word: &'static str| vec![word; 260];
    for at in 0..4 {
        debate(&journal, &format!("l{at}"), "Left.", &many("Lemons are yellow.")).await;
        debate(&journal, &format!("r{at}"), "Right.", &many("Radishes are red.")).await;
        if at == 1 {
            let both = [many("Lemons are yellow."), many("Radishes are red.")].concat();
            debate(&journal, "both", "Both.", &both).await;
        }
    }
    for index in [false, true] {
        if index {
            journal.index_for_search(LONG).await.unwrap();
        }
        for limit in [1, 2, 100] {
            let few = |query: &str| {
                let found = journal.search_debates(query, limit).unwrap();
                found.into_iter().map(|found| found.id.to_string()).collect::<Vec<_>>()
            };
            assert_eq!(few("lemons radishes"), ["both"], "{limit}");
            assert_eq!(few("le ra"), ["both"], "{limit}");
            assert_eq!(few("lemons absent"), Vec::<String>::new(), "{limit}");
            assert_eq!(few("lemons")[..1], ["l3"], "the newest first");
            assert_eq!(few("lemons").len(), 5.min(limit as usize));
        }
    }
}

async fn a_person_finds_the_debates_of_that_person(store: TestStore) {
    let journal = store.open();
    for id in ["d1", "d2", "d3"] {
        debate(&journal, id, "This house would rest.", &["Rest heals."]).await;
    }
    let audit = || AuditEvent::on_command_line("test");
    let ada = NewPrincipal { login: "ada".into(), display: "Ada".into(), ..NewPrincipal::default() };
    let ada = journal.add_principal(ada, audit()).await.unwrap();
    let of_ada = |query: &str, limit| {
        let found = journal.search_for(ada, query, limit).unwrap();
        found.into_iter().map(|found| found.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of_ada("rest", 9), Vec::<String>::new());
    for (id, seat) in [("d1", None), ("d2", Some("a")), ("d2", Some("b"))] {
        let (id, seat) = (DebateId::new(id).unwrap(), seat.map(str::to_owned));
        journal.grant_role(&id, ada, DebateRole::Debater, seat, audit()).await.unwrap();
    }
    for query in ["", "rest", "re", "rest heals"] {
        assert_eq!(of_ada(query, 9), ["d2", "d1"], "{query:?}");
        assert_eq!(of_ada(query, 1), ["d2"], "{query:?}");
    }
    journal.index_for_search(LONG).await.unwrap();
    assert_eq!(of_ada("rest heals", 9), ["d2", "d1"]);
    assert_eq!(of_ada("absent", 9), Vec::<String>::new());
    assert_eq!(found(&journal, "rest").len(), 3);
}

async fn debates_that_name_something_are_told_apart(store: TestStore) {
    let journal = store.open();
    let mut record = debate(&journal, "ruled", "This house would rest.", &["redacted"]).await;
    let ruling = Ruling::new(RulingKind::Redacted, "A text was redacted.").with_data(json!({"key": "turn-0"}));
    let more = Extension { rounds: 1, ..Extension::default() };
    append(
        &journal,
        &mut record,
        vec![Event::Extended { limits: more }, Event::Ruled { key: Key::from_parts("x"), ruling }],
    )
    .await;
    debate(&journal, "said", "\"redacted\" and \"fetched\" are words.", &["\"redacted\""]).await;
    let mut opened = sample::sample_opened("exchange", &["a"]);
    opened.debate = DebateId::new("opened").unwrap();
    opened.options.insert("verify".into(), "fetched".into());
    journal.create_debate(Event::Opened(opened), vec![], None).await.unwrap();
    let ids: Vec<DebateId> = ["ruled", "said", "opened", "absent"].map(|id| DebateId::new(id).unwrap()).into();
    let named = journal.that_name(&ids.iter().collect::<Vec<_>>(), "redacted", "fetched").unwrap();
    // A quote within a text is written otherwise.
    assert_eq!(named.iter().map(DebateId::as_str).collect::<Vec<_>>(), ["opened", "ruled"]);
}

/// The statement that finds entries with a word uses the index, where the database has one.
#[cfg(feature = "cluster")]
#[tokio::test]
async fn a_rare_word_is_found_by_the_index_of_trigrams() {
    let Some(store) = TestStore::postgres() else { return };
    let journal = store.open();
    debate(&journal, "d1", "This house would rest.", &["Rest heals."]).await;
    // A table of a few rows is read as it is; the plan must not.
    let plan = "DO $$ DECLARE line TEXT; plan TEXT := ''; BEGIN
        SET enable_seqscan = off;
        FOR line IN EXPLAIN SELECT debate FROM entries WHERE said ILIKE '%heals%' LIMIT 1001 LOOP
            plan := plan || line;
        END LOOP;
        IF strpos(plan, 'entries_said') = 0 THEN RAISE 'no index: %', plan; END IF;
    END $$";
    store.run(plan).unwrap();
}

over_all_stores! {
    words_that_many_debates_have_are_found_in_whatever_few_have_them_together
    a_person_finds_the_debates_of_that_person
    debates_that_name_something_are_told_apart
    the_index_changes_no_result
    what_is_added_later_is_found_and_what_is_redacted_is_not
}
