//! Copies from store to store.

use agon_core::{DebateId, Digest, Event, Key, Limits, Outcome, Reply, Request, Seat, sample};
use agon_runtime::journal::{Append, CopyError, Journal, JournalCopy, tombstone::Deletion};

use crate::{
    rules::{answered, asked, entries, open, reservation},
    store::TestStore,
};

async fn fill(journal: &Journal) {
    let mut opened = sample::opened("exchange", &["a"]);
    opened.debate = DebateId::new("d1").unwrap();
    opened.motion = "A motion\0 with everything: ü".into();
    let text = "a template\0".to_owned();
    let texts = vec![(Digest::of(&text), text)];
    let mut record = journal.create(Event::Opened(opened), texts, Some("/a".into())).await.unwrap();
    let (id, seat) = (record.opened().debate.clone(), Seat::new("a").unwrap());
    let append = Append {
        reserve: vec![reservation("k", Limits::default())],
        driven_ms: 7,
        ..entries(&mut record, vec![asked("k")])
    };
    journal.append(&id, append).await.unwrap();
    let token = journal.claim(&id, &seat, "Ada", 3000).await.unwrap().unwrap().token;
    let reply = Reply::Said { text: "Yes\0.".into() };
    journal.submit(&id, &Request::new("k", &seat, "say"), &token, reply, vec![]).await.unwrap().unwrap();
    let mut other = open(journal, "d2").await;
    let closed = Event::Closed { outcome: Outcome::valid("drawn", "x") };
    let append = entries(&mut other, vec![asked("k"), answered("k", "No."), closed]);
    journal.append(&other.opened().debate, append).await.unwrap();
}

/// All that can be read.
fn shown(journal: &Journal) -> String {
    let debates = journal.list(99).unwrap().into_iter().map(|summary| {
        let id = &summary.id;
        let record = journal.read(id).unwrap();
        let lines: Vec<_> =
            record.entries().iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        let (calls, leases) = (journal.calls(id).unwrap(), journal.leases(id).unwrap());
        format!("{summary:?} {lines:?} {calls:?} {leases:?}")
    });
    debates.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_journal_comes_back_from_another_store_as_it_was() {
    let (sqlite, back) = (TestStore::sqlite(), TestStore::sqlite());
    let Some(postgres) = TestStore::postgres() else { return };
    let (from, over, to) = (sqlite.open(), postgres.open(), back.open());
    fill(&from).await;
    let copied = from.copy_to(&over, |_, _| {}).await.unwrap();
    let counts = JournalCopy {
        debates: 2,
        copied: 2,
        entries: 7,
        calls: 1,
        leases: 1,
        texts: 1,
        ..JournalCopy::default()
    };
    assert_eq!(copied, counts);
    assert_eq!(over.copy_to(&to, |_, _| {}).await.unwrap(), counts);
    assert_eq!(shown(&from), shown(&over));
    assert_eq!(shown(&from), shown(&to));
    // The whole record, its call and its lease are there to go on with.
    let id = DebateId::new("d1").unwrap();
    assert!(to.is_answered(&id, &Key::of("k")).unwrap());
    assert_eq!(over.search("everything yes", 9).unwrap().len(), 1);
}

#[tokio::test]
async fn a_copy_goes_on_where_it_ended_and_touches_nothing_that_differs() {
    let other = TestStore::postgres().unwrap_or_else(TestStore::sqlite);
    for store in [TestStore::sqlite(), other] {
        let from = TestStore::sqlite();
        let (from, to) = (from.open(), store.open());
        fill(&from).await;
        from.copy_to(&to, |_, _| {}).await.unwrap();
        let again = from.copy_to(&to, |_, _| {}).await.unwrap();
        assert_eq!((again.copied, again.unchanged), (0, 2));
        // The source goes on, and gets a debate more.
        let id = DebateId::new("d1").unwrap();
        let mut record = from.read(&id).unwrap();
        from.append(&id, entries(&mut record, vec![asked("k/2")])).await.unwrap();
        open(&from, "d3").await;
        let more = from.copy_to(&to, |_, _| {}).await.unwrap();
        assert_eq!((more.copied, more.extended, more.unchanged), (1, 1, 1));
        assert_eq!(shown(&from), shown(&to));
        // Both go on: neither is overwritten, and nothing else is copied either.
        for (journal, key) in [(&from, "k/3"), (&to, "k/4")] {
            let mut record = journal.read(&id).unwrap();
            journal.append(&id, entries(&mut record, vec![asked(key)])).await.unwrap();
        }
        open(&from, "d4").await;
        let before = shown(&to);
        let differ = from.copy_to(&to, |_, _| {}).await.unwrap_err();
        assert_eq!(differ, CopyError::Differ(vec![id]));
        assert_eq!(shown(&to), before);
    }
}

#[tokio::test]
async fn a_debate_that_the_target_has_deleted_does_not_come_back() {
    let other = TestStore::postgres().unwrap_or_else(TestStore::sqlite);
    for store in [TestStore::sqlite(), other] {
        let from = TestStore::sqlite();
        let (from, to) = (from.open(), store.open());
        fill(&from).await;
        from.copy_to(&to, |_, _| {}).await.unwrap();
        let debate = DebateId::new("d1").unwrap();
        let wanted = Deletion { debate: debate.clone(), entries: None, by: "Ada".into(), why: String::new() };
        to.delete(wanted).await.unwrap();
        let again = from.copy_to(&to, |_, _| {}).await.unwrap();
        assert_eq!((again.debates, again.unchanged, again.deleted), (1, 1, 1));
        assert!(to.tombstone(&debate).unwrap().is_some() && !matches!(to.find(&debate), Ok(Some(_))));
    }
}
