//! Messages of webhooks: stored once, sent by one process at a time, settled as they went.

use agon_core::DebateId;
use agon_journal::{
    Journal,
    tombstone::Deletion,
    webhook_queue::{ClaimedMessage, DeliveryAttempt, DeliveryCounts, NextDelivery, QueuedMessage},
};

use crate::stores::{
    rules::{answered, asked, entries, open},
    store::{TestStore, over_all_stores},
};

fn message(id: &str, subject: &str, debate: Option<&DebateId>) -> QueuedMessage {
    QueuedMessage {
        id: id.into(),
        webhook: "hook".into(),
        event: "closed".into(),
        debate: debate.cloned(),
        subject: subject.into(),
        body: format!("{{\"of\":\"{subject} ü\"}}"),
    }
}

async fn registered(store: &TestStore) -> Journal {
    let journal = store.open();
    journal.register_webhooks(vec!["hook".into(), "other".into()]).await.unwrap();
    journal
}

async fn claim(journal: &Journal) -> Option<ClaimedMessage> {
    journal.claim_message("hook", None).await.unwrap()
}

fn attempt(status: Option<u16>, error: Option<&str>) -> DeliveryAttempt {
    DeliveryAttempt { status, took_ms: 3, error: error.map(Into::into) }
}

async fn a_webhook_is_told_what_happens_after_it_is_known(store: TestStore) {
    let before = store.open();
    let mut old = open(&before, "old").await;
    let journal = registered(&store).await;
    assert!(journal.find_untold_entries("hook").unwrap().is_none(), "what happened before is not told");
    // To begin again changes nothing.
    journal.register_webhooks(vec!["hook".into()]).await.unwrap();
    let id = old.opened().debate.clone();
    journal.append_entries(&id, entries(&mut old, vec![asked("k"), answered("k", "Yes\0.")])).await.unwrap();
    let untold = journal.find_untold_entries("hook").unwrap().unwrap();
    assert_eq!((untold.debate.as_str(), untold.length, untold.entries.len()), ("old", 3, 2));
    assert_eq!((untold.opening.seq, untold.entries[0].seq), (0, 1));
    let told = Some(("hook".to_owned(), id.clone(), untold.length));
    journal.queue_messages(vec![message("m1", "old/2", Some(&id))], told.clone()).await.unwrap();
    assert!(journal.find_untold_entries("hook").unwrap().is_none());
    assert_eq!(journal.find_untold_entries("other").unwrap().unwrap().length, 3, "each webhook by itself");
    // Another server that read the same entries meanwhile stores no second message about them.
    store.open().queue_messages(vec![message("m2", "old/2", Some(&id))], told).await.unwrap();
    let listed = journal.list_deliveries(Some("hook"), None, 9).unwrap();
    assert_eq!(listed.iter().map(|line| line.id.as_str()).collect::<Vec<_>>(), ["m1"]);
}

async fn of_several_servers_one_sends_a_message(store: TestStore) {
    let journal = registered(&store).await;
    let messages = (0..12).map(|at| message(&format!("m{at:02}"), &format!("s{at}"), None)).collect();
    journal.queue_messages(messages, None).await.unwrap();
    let servers: Vec<Journal> = (0..4).map(|_| store.open()).collect();
    let mut sent = Vec::new();
    // A claim that another was quicker at gives nothing; the next look finds what is left.
    for _ in 0..40 {
        let claims = futures::future::join_all(servers.iter().map(claim)).await;
        sent.extend(claims.into_iter().flatten().map(|claimed| claimed.id));
    }
    sent.sort();
    let all: Vec<String> = (0..12).map(|at| format!("m{at:02}")).collect();
    assert_eq!(sent, all, "each once");
    assert_eq!(claim(&journal).await, None, "until their claims lapse");
    store.run("UPDATE webhook_messages SET claimed_ms = 1").unwrap();
    assert_eq!(claim(&journal).await.unwrap().id, "m00", "a server that was killed loses no message");
}

async fn what_becomes_of_a_message_follows_from_its_attempts(store: TestStore) {
    let journal = registered(&store).await;
    journal.queue_messages(vec![message("m1", "s1", None)], None).await.unwrap();
    let counts = |pending, delivered, failed| {
        let counted = journal.delivery_counts("hook").unwrap();
        assert_eq!(counted, DeliveryCounts { pending, delivered, failed });
    };
    counts(1, 0, 0);
    assert_eq!(journal.claim_message("other", None).await.unwrap(), None);
    let claimed = claim(&journal).await.unwrap();
    assert_eq!((claimed.attempts, claimed.body.as_str()), (0, "{\"of\":\"s1 ü\"}"));
    let failed = attempt(Some(503), Some("HTTP status 503\0"));
    journal.settle_message("m1", failed, NextDelivery::After(60_000)).await.unwrap();
    assert_eq!(claim(&journal).await, None, "it waits");
    let line = journal.list_deliveries(None, Some("m1"), 9).unwrap().remove(0);
    assert_eq!((line.state.as_str(), line.attempts, line.status), ("pending", 1, Some(503)));
    assert_eq!(line.error.as_deref(), Some("HTTP status 503\0"));
    assert!(journal.redeliver_message("m1").await.unwrap());
    assert!(!journal.redeliver_message("absent").await.unwrap());
    let again = journal.claim_message("hook", Some("m1")).await.unwrap().unwrap();
    assert_eq!(again.attempts, 1);
    journal.settle_message("m1", attempt(None, Some("no answer")), NextDelivery::GivenUp).await.unwrap();
    counts(0, 0, 1);
    assert!(journal.redeliver_message("m1").await.unwrap());
    assert_eq!(claim(&journal).await.unwrap().attempts, 2);
    journal.settle_message("m1", attempt(Some(204), None), NextDelivery::Delivered).await.unwrap();
    counts(0, 1, 0);
    // It stays listed for a while, then it is forgotten with its attempts.
    journal.forget_messages().await.unwrap();
    counts(0, 1, 0);
    store.run("UPDATE webhook_messages SET created_at = '2020-01-01T00:00:00.000Z'").unwrap();
    journal.forget_messages().await.unwrap();
    counts(0, 0, 0);
    journal.settle_message("m1", attempt(Some(204), None), NextDelivery::Delivered).await.unwrap();
}

async fn a_deleted_debate_takes_its_messages_along(store: TestStore) {
    let journal = registered(&store).await;
    let id = open(&journal, "d1").await.opened().debate.clone();
    let told = |length| Some(("hook".to_owned(), id.clone(), length));
    journal.queue_messages(vec![message("m1", "s1", Some(&id))], told(1)).await.unwrap();
    journal.settle_message("m1", attempt(Some(500), Some("x")), NextDelivery::After(0)).await.unwrap();
    let wanted = Deletion { debate: id.clone(), entries: None, by: "Ada".into(), why: String::new() };
    journal.delete_debate(wanted).await.unwrap();
    assert_eq!(journal.list_deliveries(None, None, 9).unwrap(), []);
    journal.settle_message("m1", attempt(Some(204), None), NextDelivery::Delivered).await.unwrap();
    // A server that had read its entries before: nothing comes back.
    journal.queue_messages(vec![], told(1)).await.unwrap();
    let refused = journal.queue_messages(vec![message("m2", "s2", Some(&id))], told(1)).await;
    assert!(refused.is_err() || journal.list_deliveries(None, None, 9).unwrap().is_empty(), "{refused:?}");
    assert!(journal.find_untold_entries("hook").unwrap().is_none());
}

over_all_stores! {
    a_webhook_is_told_what_happens_after_it_is_known
    of_several_servers_one_sends_a_message
    what_becomes_of_a_message_follows_from_its_attempts
    a_deleted_debate_takes_its_messages_along
}
