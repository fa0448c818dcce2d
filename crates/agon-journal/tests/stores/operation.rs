//! What operators rely on, whatever keeps the journal: labels and retention, deletion, readiness, waits and claims.

use std::collections::BTreeSet;

use agon_core::{DebateId, Digest, Event, Extension, LeftEntry, Outcome, sample};
#[cfg(feature = "cluster")]
use agon_journal::{Append, LockError};
use agon_journal::{
    DriveLock, Journal, JournalError,
    labels::{LABELS_MAX, is_label},
    time::days_ago,
    tombstone::Deletion,
};

#[cfg(feature = "cluster")]
use crate::stores::rules::asked;
use crate::stores::{
    rules::{answered, entries, open},
    store::{TestStore, over_all_stores},
};

fn id(id: &str) -> DebateId {
    DebateId::new(id).unwrap()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

async fn closed(journal: &Journal, name: &str) -> DebateId {
    let mut record = open(journal, name).await;
    let closed = Event::Closed { outcome: Outcome::valid("drawn", "x") };
    let append = entries(&mut record, vec![crate::stores::rules::asked("k"), answered("k", "Words."), closed]);
    journal.append_entries(&record.opened().debate, append).await.unwrap();
    record.opened().debate.clone()
}

#[tokio::test]
async fn a_journal_that_nobody_has_open_any_more_is_whole_in_its_file() {
    let store = TestStore::sqlite();
    let journal = store.open();
    let debate = closed(&journal, "d1").await;
    let other = store.open();
    drop(journal);
    assert!(store.home().join("journal.db-wal").exists(), "it is open at another place");
    drop(other);
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(store.home().join("journal.db"), copy.path().join("journal.db")).unwrap();
    let copied = Journal::open(copy.path()).unwrap();
    assert_eq!(copied.read_record(&debate).unwrap().entries().len(), 4);
    assert!(!store.home().join("journal.db-wal").exists());
}

async fn labels_are_kept_sorted_and_within_their_limits(store: TestStore) {
    let journal = store.open();
    let debate = closed(&journal, "d1").await;
    assert_eq!(journal.list_labels(&debate).unwrap(), Vec::<String>::new());
    let labels = journal.update_labels(&debate, words(&["q3", "keep", "keep"]), vec![]).await.unwrap();
    assert_eq!(labels, ["keep", "q3"]);
    let labels = journal.update_labels(&debate, words(&["a:b"]), words(&["q3", "absent"])).await.unwrap();
    assert_eq!(labels, ["a:b", "keep"]);
    assert_eq!(store.open().list_labels(&debate).unwrap(), labels, "another process reads the same");
    for bad in ["", "No Label", "ü", "a\0", "'; DROP TABLE labels; --", &"a".repeat(65)] {
        assert!(!is_label(bad));
        let refused = journal.update_labels(&debate, words(&["fine", bad]), vec![]).await.unwrap_err();
        assert!(matches!(refused, JournalError::Refused { .. }), "{refused:?}");
    }
    // Several add at once, and together no more than a debate can have.
    let journals: Vec<Journal> = (0..4).map(|_| store.open()).collect();
    let adds =
        (0..2 * LABELS_MAX).map(|at| journals[at % 4].update_labels(&debate, vec![format!("label-{at}")], vec![]));
    let added = futures::future::join_all(adds).await;
    assert_eq!(added.iter().filter(|added| added.is_ok()).count(), LABELS_MAX - 2);
    assert_eq!(journal.list_labels(&debate).unwrap().len(), LABELS_MAX);
    let none = journal.update_labels(&id("absent"), words(&["keep"]), vec![]).await.unwrap_err();
    assert_eq!(none, JournalError::NoSuchDebate(id("absent")));
}

async fn what_has_expired_is_closed_old_and_not_kept(store: TestStore) {
    let journal = store.open();
    for name in ["old", "older", "kept", "new"] {
        closed(&journal, name).await;
    }
    open(&journal, "open").await;
    store
        .run(
            "UPDATE debates SET last_at = '2020-01-02T00:00:00.000Z' WHERE id <> 'new';
             UPDATE debates SET last_at = '2020-01-01T00:00:00.000Z' WHERE id = 'older'",
        )
        .unwrap();
    journal.update_labels(&id("kept"), words(&["keep", "q3"]), vec![]).await.unwrap();
    let expired = |keep: &[&str], limit| {
        let found = journal.list_expired_debates(&days_ago(30).0, &words(keep), limit).unwrap();
        found.into_iter().map(|debate| debate.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(expired(&["keep", "other"], 9), ["older", "old"]);
    assert_eq!(expired(&["other"], 9), ["older", "kept", "old"]);
    assert_eq!(expired(&[], 2), ["older", "kept"]);
    assert_eq!(journal.list_expired_debates("2019", &[], 9).unwrap(), []);
}

async fn a_deletion_takes_what_belongs_to_the_debate_and_leaves_its_chain(store: TestStore) {
    let journal = store.open();
    let mut opened = sample::sample_opened("exchange", &["a", "b"]);
    let (own, shared) = ("a template of one".to_owned(), "a template of both".to_owned());
    opened.debate = id("gone");
    opened.prompts.insert("own".into(), Digest::from_content(&own));
    opened.prompts.insert("shared".into(), Digest::from_content(&shared));
    let texts = |texts: &[&String]| texts.iter().map(|text| (Digest::from_content(text), (*text).clone())).collect();
    let record = journal.create_debate(Event::Opened(opened.clone()), texts(&[&own, &shared]), None).await.unwrap();
    opened.debate = id("stays");
    opened.prompts.remove("own");
    journal.create_debate(Event::Opened(opened), texts(&[&shared]), None).await.unwrap();
    let mut record = record;
    let append = entries(&mut record, vec![crate::stores::rules::asked("k"), answered("k", "Zanzibar\0.")]);
    journal.append_entries(&id("gone"), append).await.unwrap();
    journal.update_labels(&id("gone"), words(&["keep"]), vec![]).await.unwrap();
    journal.mark_waiting(&id("gone"), 3, "w").await.unwrap();
    journal.index_for_search(std::time::Duration::from_secs(9)).await.unwrap();
    let head = record.head_hash().clone();
    let deletion = |entries: &[u64]| Deletion {
        debate: id("gone"),
        entries: Some(entries.iter().copied().collect::<BTreeSet<_>>()),
        by: "Ada".into(),
        why: "she asked\0 for it".into(),
    };
    let refused = journal.delete_debate(deletion(&[9])).await.unwrap_err();
    assert!(matches!(refused, JournalError::Refused { .. }), "{refused:?}");
    let tombstone = journal.delete_debate(deletion(&[0, 2])).await.unwrap();
    assert_eq!((tombstone.entries, &tombstone.head), (3, &head));
    let (read, left) = store.open().read_left_entries(&id("gone")).unwrap();
    assert_eq!(read, tombstone);
    let kept: Vec<bool> = left.iter().map(|entry| matches!(entry, LeftEntry::Kept(_))).collect();
    assert_eq!(kept, [false, true, false]);
    // Nothing finds it, and everything says why.
    let deleted = JournalError::Deleted(Box::new(tombstone.clone()));
    assert_eq!(journal.read_record(&id("gone")).unwrap_err(), deleted);
    assert_eq!(journal.delete_debate(deletion(&[0])).await.unwrap_err(), deleted);
    let again = entries(&mut record, vec![crate::stores::rules::asked("k/2")]);
    let absent = JournalError::NoSuchDebate(id("gone"));
    assert_eq!(journal.append_entries(&id("gone"), again).await.unwrap_err(), absent);
    let first = record.entries()[0].what.clone();
    assert_eq!(journal.create_debate(first, vec![], None).await.unwrap_err(), deleted, "its id is not given again");
    assert_eq!(journal.search_debates("zanzibar", 9).unwrap(), []);
    assert_eq!(journal.list_debates(9).unwrap().len(), 1);
    assert_eq!(journal.list_labels(&id("gone")).unwrap(), Vec::<String>::new());
    assert_eq!(journal.list_tombstones(9).unwrap(), [tombstone]);
    // A text goes with the last debate that names it.
    assert!(
        journal.read_texts([&Digest::from_content(&own)]).is_err()
            && journal.read_texts([&Digest::from_content(&shared)]).is_ok()
    );
}

async fn who_looks_whether_a_debate_is_driven_takes_nothing(store: TestStore) {
    let (journal, other) = (store.open(), store.open());
    let debate = open(&journal, "d1").await.opened().debate.clone();
    assert!(!other.is_driven(&debate).unwrap() && !other.is_driven(&id("absent")).unwrap());
    let held = DriveLock::acquire(&journal, &debate).unwrap();
    let fence = held.fence();
    for _ in 0..3 {
        assert!(other.is_driven(&debate).unwrap() && journal.is_driven(&debate).unwrap());
    }
    drop(held);
    for _ in 0..3 {
        assert!(!other.is_driven(&debate).unwrap());
    }
    let again = DriveLock::acquire(&other, &debate).unwrap();
    assert_eq!(again.fence(), fence.map(|fence| fence + 1), "a look is no claim");
    assert!(journal.is_driven(&debate).unwrap());
}

/// A deletion and openings that name the same text, at the same time.
async fn what_a_new_debate_names_is_not_deleted_with_an_old_one(store: TestStore) {
    let (deleting, opening) = (std::sync::Arc::new(store.open()), std::sync::Arc::new(store.open()));
    for round in 0..40 {
        let text = format!("a template of round {round}");
        let opened = |name: &str| {
            let mut opened = sample::sample_opened("exchange", &["a"]);
            opened.debate = id(&format!("{name}-{round}"));
            opened.prompts.insert("shared".into(), Digest::from_content(&text));
            opened
        };
        let texts = || vec![(Digest::from_content(&text), text.clone())];
        deleting.create_debate(Event::Opened(opened("old")), texts(), None).await.unwrap();
        let (debate, by, why) = (opened("old").debate, String::new(), String::new());
        let deletion = Deletion { debate, entries: None, by, why };
        let journal = std::sync::Arc::clone(&deleting);
        let deleted = tokio::spawn(async move { journal.delete_debate(deletion).await.map(drop) });
        let mut created = Vec::new();
        for at in 0..4 {
            let (journal, first, texts) =
                (std::sync::Arc::clone(&opening), Event::Opened(opened(&format!("new-{at}"))), texts());
            created.push(tokio::spawn(async move { journal.create_debate(first, texts, None).await.map(drop) }));
            tokio::task::yield_now().await;
        }
        deleted.await.unwrap().unwrap();
        for created in created {
            created.await.unwrap().unwrap();
        }
        assert!(
            opening.read_texts([&Digest::from_content(&text)]).is_ok(),
            "round {round}: a debate names a text that is gone"
        );
    }
}

/// Who takes a debate over while another appends: what is appended under the old claim is refused.
#[cfg(feature = "cluster")]
#[tokio::test]
async fn a_claim_that_is_lost_during_an_append_is_seen_by_it() {
    let Some(store) = TestStore::postgres().map(std::sync::Arc::new) else { return };
    let journal = store.open();
    let mut record = open(&journal, "d1").await;
    let debate = record.opened().debate.clone();
    let held = DriveLock::acquire(&journal, &debate).unwrap();
    let mut stale = record.clone();
    let append = Append { fence: held.fence(), ..entries(&mut record, vec![asked("k/1")]) };
    let settle = Append { fence: held.fence(), driven_ms: 7, ..Append::default() };
    let mut reservation = crate::stores::rules::reservation("k/2", agon_core::Limits::default());
    reservation.fence = held.fence();
    let taken = std::sync::Arc::clone(&store);
    let taking = tokio::task::spawn_blocking(move || {
        taken.run(
            "BEGIN; SELECT 1 FROM debates WHERE id = 'd1' FOR UPDATE; SELECT pg_sleep(1.5);
             UPDATE drives SET fence = fence + 1 WHERE debate = 'd1'; COMMIT",
        )
    });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let fenced = JournalError::Fenced { debate: debate.clone() };
    let (appended, settled, reserved) = tokio::join!(
        journal.append_entries(&debate, append),
        journal.append_entries(&debate, settle),
        journal.reserve_call(&debate, reservation)
    );
    taking.await.unwrap().unwrap();
    assert_eq!(appended.unwrap_err(), fenced);
    assert_eq!(settled.unwrap_err(), fenced);
    assert_eq!(reserved.unwrap_err(), fenced);
    let summary = journal.find_summary(&debate).unwrap().unwrap();
    assert_eq!((summary.entries, summary.driven_ms), (1, 0));
    // A lost claim is told before a record that has grown.
    let mut grown = journal.read_record(&debate).unwrap();
    journal.append_entries(&debate, entries(&mut grown, vec![asked("k/3")])).await.unwrap();
    let append = Append { fence: held.fence(), ..entries(&mut stale, vec![asked("k/4")]) };
    assert_eq!(journal.append_entries(&debate, append).await.unwrap_err(), JournalError::Fenced { debate });
}

async fn a_store_of_another_version_is_not_current(store: TestStore) {
    let journal = store.open();
    assert!(journal.is_current().unwrap());
    journal.check_writable().await.unwrap();
    store.set_version(99).unwrap();
    assert!(!journal.is_current().unwrap());
    let error = Journal::open_at(store.place()).err().unwrap();
    assert!(matches!(error, JournalError::Newer { found: 99, .. }), "{error:?}");
    assert!(error.to_string().contains("a newer version of agon"), "{error}");
    store.set_version(1).unwrap();
    let error = Journal::open_at(store.place()).err().unwrap();
    assert!(matches!(error, JournalError::Older { found: 1, .. }), "{error:?}");
    assert!(error.to_string().ends_with("export its debates with that version"), "{error}");
}

async fn who_waits_is_told_once_the_record_has_grown(store: TestStore) {
    let (journal, other) = (store.open(), store.open());
    let record = open(&journal, "d1").await;
    let id = record.opened().debate.clone();
    let woken = || other.list_due_wakes(10).unwrap();
    journal.mark_waiting(&id, 1, "w1").await.unwrap();
    assert_eq!(woken(), Vec::<String>::new());
    journal.extend_limits(record, Extension { rounds: 1, ..Extension::default() }).await.unwrap();
    assert_eq!(woken(), ["w1"]);
    journal.mark_waiting(&id, 2, "w2").await.unwrap();
    assert_eq!(woken(), Vec::<String>::new());
    journal.mark_waiting(&id, 1, "w3").await.unwrap();
    assert_eq!(woken(), ["w3"]);
    other.clear_waiting(&id).await.unwrap();
    assert_eq!(woken(), Vec::<String>::new());
}

/// A claim that its process lost: what it still appends or reserves leaves no trace.
#[cfg(feature = "cluster")]
#[tokio::test]
async fn who_lost_a_claim_neither_appends_nor_reserves() {
    let Some(store) = TestStore::postgres() else { return };
    let (lost, takes) = (store.open(), store.open());
    let mut record = open(&lost, "d1").await;
    let id = record.opened().debate.clone();
    let old = DriveLock::acquire(&lost, &id).unwrap();
    let append = Append { fence: old.fence(), ..entries(&mut record, vec![asked("k/1")]) };
    lost.append_entries(&id, append).await.unwrap();
    let held = DriveLock::acquire(&takes, &id).unwrap_err();
    assert!(matches!(held, LockError::Held(_)), "{held:?}");
    // The first was silent for long. It lives and would be heard again, so the claim becomes that of one that is gone.
    for sql in [
        "UPDATE drives SET holder = 'gone' WHERE debate = 'd1'",
        "INSERT INTO drivers (holder, words, until) VALUES ('gone', 'gone', '2020-01-01T00:00:00.000Z')",
    ] {
        store.run(sql).unwrap();
    }
    let new = DriveLock::acquire(&takes, &id).unwrap();
    assert!(new.fence() > old.fence());
    let mut stale = record.clone();
    let append = Append { fence: old.fence(), driven_ms: 5, ..entries(&mut stale, vec![asked("k/2")]) };
    let fenced = JournalError::Fenced { debate: id.clone() };
    assert_eq!(lost.append_entries(&id, append).await.unwrap_err(), fenced);
    let mut reservation = crate::stores::rules::reservation("k/2", agon_core::Limits::default());
    reservation.fence = old.fence();
    assert_eq!(lost.reserve_call(&id, reservation).await.unwrap_err(), fenced);
    // To give back what was lost does not take it from whoever has it.
    drop(old);
    let append = Append { fence: new.fence(), ..entries(&mut record, vec![asked("k/3")]) };
    takes.append_entries(&id, append).await.unwrap();
    assert_eq!((takes.read_record(&id).unwrap().len(), takes.list_call_receipts(&id).unwrap().len()), (3, 0));
    assert!(DriveLock::acquire(&lost, &id).is_err());
}

over_all_stores! {
    labels_are_kept_sorted_and_within_their_limits
    what_has_expired_is_closed_old_and_not_kept
    a_deletion_takes_what_belongs_to_the_debate_and_leaves_its_chain
    who_looks_whether_a_debate_is_driven_takes_nothing
    what_a_new_debate_names_is_not_deleted_with_an_old_one
    a_store_of_another_version_is_not_current
    who_waits_is_told_once_the_record_has_grown
}
