//! Copies from store to store.

use agon_core::{DebateId, Digest, Event, Key, Limits, Outcome, Reply, Request, Seat, sample};
use agon_journal::{
    Append, CopyError, Journal, JournalCopy, JournalError,
    accounts::{
        AuditEvent, DebateRole, ExternalIdentity, GrantsTaken, NewPrincipal, PrincipalId, Quotas, Scopes, TokenRequest,
    },
    tombstone::Deletion,
    webhook_queue::{DeliveryAttempt, NextDelivery, QueuedMessage},
};

use crate::stores::{
    rules::{answered, asked, entries, open, reservation},
    store::TestStore,
};

async fn fill(journal: &Journal) {
    let mut opened = sample::sample_opened("exchange", &["a"]);
    opened.debate = DebateId::new("d1").unwrap();
    opened.motion = "A motion\0 with everything: ü".into();
    let text = "a template\0".to_owned();
    let texts = vec![(Digest::from_content(&text), text)];
    let mut record = journal.create_debate(Event::Opened(opened), texts, Some("/a".into())).await.unwrap();
    let (id, seat) = (record.opened().debate.clone(), Seat::new("a").unwrap());
    let append = Append {
        reserve: vec![reservation("k", Limits::default())],
        driven_ms: 7,
        ..entries(&mut record, vec![asked("k")])
    };
    journal.append_entries(&id, append).await.unwrap();
    let token = journal.claim_seat(&id, &seat, "Ada", 3000).await.unwrap().unwrap().token;
    let reply = Reply::Said { text: "Yes\0.".into() };
    journal.submit_reply(&id, &Request::new("k", &seat, "say"), &token, reply, vec![]).await.unwrap().unwrap();
    let mut other = open(journal, "d2").await;
    let closed = Event::Closed { outcome: Outcome::valid("drawn", "x") };
    let append = entries(&mut other, vec![asked("k"), answered("k", "No."), closed]);
    journal.append_entries(&other.opened().debate, append).await.unwrap();
}

/// All that can be read.
fn shown(journal: &Journal) -> String {
    let debates = journal.list_debates(99).unwrap().into_iter().map(|summary| {
        let id = &summary.id;
        let record = journal.read_record(id).unwrap();
        let lines: Vec<_> = record.entries().iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        let (calls, leases) = (journal.list_call_receipts(id).unwrap(), journal.list_leases(id).unwrap());
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
    let counts =
        JournalCopy { debates: 2, copied: 2, entries: 7, calls: 1, leases: 1, texts: 1, ..JournalCopy::default() };
    assert_eq!(copied, counts);
    assert_eq!(over.copy_to(&to, |_, _| {}).await.unwrap(), counts);
    assert_eq!(shown(&from), shown(&over));
    assert_eq!(shown(&from), shown(&to));
    // The whole record, its call and its lease are there to go on with.
    let id = DebateId::new("d1").unwrap();
    assert!(to.is_answered(&id, &Key::from_parts("k")).unwrap());
    assert_eq!(over.search_debates("everything yes", 9).unwrap().len(), 1);
}

fn audit() -> AuditEvent {
    AuditEvent::on_command_line("test")
}

/// A person with everything that an account can have, and debates with labels, roles and messages.
async fn people_and_labels(journal: &Journal) -> PrincipalId {
    let add = async |login: &str, administrator| {
        let identity = ExternalIdentity { issuer: "https://login.example".into(), subject: login.into() };
        let new = NewPrincipal {
            login: login.into(),
            display: format!("{login} ü"),
            password: Some("a hash of a password".into()),
            administrator,
            identity: Some(identity),
        };
        journal.add_principal(new, audit()).await.unwrap()
    };
    let (ada, bob) = (add("ada", true).await, add("bob", false).await);
    let quotas = Quotas { debates_per_day: Some(7), ..Quotas::default() };
    journal.set_quotas(ada, quotas, audit()).await.unwrap();
    let start = journal.reserve_start(ada, quotas, Some(5)).await.unwrap();
    let (d1, d2) = (DebateId::new("d1").unwrap(), DebateId::new("d2").unwrap());
    journal.settle_start(start, Some(&d1)).await.unwrap();
    journal.grant_role(&d1, ada, DebateRole::Owner, None, audit()).await.unwrap();
    journal.grant_role(&d1, bob, DebateRole::Debater, Some("a".into()), audit()).await.unwrap();
    journal.start_session(ada, 600, audit()).await.unwrap();
    let wanted = TokenRequest { name: "t".into(), scopes: Scopes::parse("run").unwrap(), days: 1 };
    journal.add_token(ada, wanted, audit()).await.unwrap();
    journal.add_share_link(&d1, ada, 1, audit()).await.unwrap();
    journal.update_labels(&d1, vec!["keep".into(), "q3".into()], vec![]).await.unwrap();
    journal.register_webhooks(vec!["hook".into()]).await.unwrap();
    let message = |id: &str| QueuedMessage {
        id: id.into(),
        webhook: "hook".into(),
        event: "closed".into(),
        debate: Some(d2.clone()),
        subject: format!("about {id}"),
        body: "{}".into(),
    };
    journal.queue_messages(vec![message("sent"), message("waits")], None).await.unwrap();
    let attempt = DeliveryAttempt { status: Some(204), took_ms: 1, error: None };
    journal.settle_message("sent", attempt, NextDelivery::Delivered).await.unwrap();
    // Something that the webhook was not told yet.
    let mut record = journal.read_record(&d1).unwrap();
    journal.append_entries(&d1, entries(&mut record, vec![asked("k/9")])).await.unwrap();
    open(journal, "gone").await;
    let wanted =
        Deletion { debate: DebateId::new("gone").unwrap(), entries: None, by: "Ada".into(), why: "why\0".into() };
    journal.delete_debate(wanted).await.unwrap();
    ada
}

#[tokio::test]
async fn labels_tombstones_people_and_what_webhooks_wait_for_go_along_and_secrets_do_not() {
    let (sqlite, back) = (TestStore::sqlite(), TestStore::sqlite());
    let between = TestStore::postgres().unwrap_or_else(TestStore::sqlite);
    let (from, over, to) = (sqlite.open(), between.open(), back.open());
    fill(&from).await;
    let ada = people_and_labels(&from).await;
    // A webhook that only the target knows.
    over.register_webhooks(vec!["other".into()]).await.unwrap();
    let (d1, d2, gone) = ["d1", "d2", "gone"].map(|id| DebateId::new(id).unwrap()).into();
    for (source, target) in [(&from, &over), (&over, &to)] {
        let done = source.copy_to(target, |_, _| {}).await.unwrap();
        let counts = (done.labels, done.messages, done.tombstones, done.people, done.roles);
        assert_eq!(counts, (2, 1, 1, 2, 2), "{done:?}");
        assert_eq!((done.people_left_out, done.not_deleted), (0, vec![]));
        assert_eq!(target.list_labels(&d1).unwrap(), ["keep", "q3"]);
        assert_eq!(target.read_left_entries(&gone).unwrap(), source.read_left_entries(&gone).unwrap());
        assert!(matches!(target.read_record(&gone), Err(JournalError::Deleted(_))));
        // Who may what stays known, and under the ids that stand on records.
        let roles = |journal: &Journal| {
            let grants = journal.grants_of(&d1, ada).unwrap();
            grants.into_iter().map(|grant| grant.role.name()).collect::<Vec<_>>()
        };
        assert_eq!((roles(target), roles(source)), (vec!["owner"], vec!["owner"]));
        assert_eq!(target.list_for(ada, 9).unwrap().len(), 1);
        let known = target.find_principal(ada).unwrap().unwrap();
        assert_eq!((known.login.as_deref(), known.display.as_str()), (Some("ada"), "ada ü"));
        assert_eq!(known.quotas.debates_per_day, Some(7));
        assert!(!known.has_password && !known.administrator);
        assert_eq!(target.tokens_of(ada).unwrap().len(), 0);
        // What was not sent is sent from the target, and nothing twice.
        let lines = target.list_deliveries(None, None, 9).unwrap();
        assert_eq!(lines.iter().map(|line| line.id.as_str()).collect::<Vec<_>>(), ["waits"]);
        let untold = target.find_untold_entries("hook").unwrap().unwrap();
        assert_eq!((untold.debate, untold.length), (d1.clone(), source.read_record(&d1).unwrap().len()));
        assert!(over.find_untold_entries("other").unwrap().is_none(), "what happened elsewhere is not told");
    }
    assert!(!back.holds("a hash of a password") && !between.holds("a hash of a password"));

    // A second copy adds what is new, and brings nothing back that the target has taken away.
    over.revoke_roles(&d1, ada, GrantsTaken::All, audit()).await.unwrap();
    from.update_labels(&d2, vec!["late".into()], vec![]).await.unwrap();
    let wanted = Deletion { debate: d2.clone(), entries: None, by: "Ada".into(), why: String::new() };
    let again = from.copy_to(&over, |_, _| {}).await.unwrap();
    assert_eq!((again.unchanged, again.labels, again.roles, again.people, again.messages), (2, 1, 0, 0, 0));
    assert_eq!(over.list_for(ada, 9).unwrap(), []);
    from.delete_debate(wanted).await.unwrap();
    let deleted = from.copy_to(&over, |_, _| {}).await.unwrap();
    assert_eq!((deleted.debates, deleted.tombstones, deleted.not_deleted), (1, 0, vec![d2.clone()]));
    assert!(over.read_record(&d2).is_ok(), "a copy deletes nothing");

    // Somebody else has the name in the target.
    let other = TestStore::sqlite();
    let other = other.open();
    let new = NewPrincipal { login: "ada".into(), display: "Another".into(), ..NewPrincipal::default() };
    other.add_principal(new, audit()).await.unwrap();
    let done = from.copy_to(&other, |_, _| {}).await.unwrap();
    assert_eq!((done.people, done.people_left_out, done.roles), (1, 1, 1));
    assert!(other.find_principal(ada).unwrap().is_none());
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
        let mut record = from.read_record(&id).unwrap();
        from.append_entries(&id, entries(&mut record, vec![asked("k/2")])).await.unwrap();
        open(&from, "d3").await;
        let more = from.copy_to(&to, |_, _| {}).await.unwrap();
        assert_eq!((more.copied, more.extended, more.unchanged), (1, 1, 1));
        assert_eq!(shown(&from), shown(&to));
        // Both go on: neither is overwritten, and nothing else is copied either.
        for (journal, key) in [(&from, "k/3"), (&to, "k/4")] {
            let mut record = journal.read_record(&id).unwrap();
            journal.append_entries(&id, entries(&mut record, vec![asked(key)])).await.unwrap();
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
        to.delete_debate(wanted).await.unwrap();
        let again = from.copy_to(&to, |_, _| {}).await.unwrap();
        assert_eq!((again.debates, again.unchanged, again.deleted), (1, 1, 1));
        assert!(to.find_tombstone(&debate).unwrap().is_some() && !matches!(to.find_record(&debate), Ok(Some(_))));
    }
}
