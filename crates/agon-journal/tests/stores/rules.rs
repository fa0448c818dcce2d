//! The rules of the journal, whatever keeps it.

use std::sync::Arc;

use agon_core::{
    Answered, Basis, DebateId, Digest, Entry, Event, Key, Limits, Outcome, Record, Reply, Request, Seat, Usage, sample,
};
use agon_journal::{
    Append, CallEnd, DriveLock, Journal, JournalError, LockError, PassedLimit, Reservation, Reserved, Settlement,
    leases::Denied, seal_entry,
};

use crate::stores::store::{TestStore, over_all_stores};

pub async fn open(journal: &Journal, id: &str) -> Record {
    let mut opened = sample::sample_opened("exchange", &["a", "b"]);
    opened.debate = DebateId::new(id).unwrap();
    journal.create_debate(Event::Opened(opened), vec![], None).await.unwrap()
}

pub fn asked(key: &str) -> Event {
    Event::Asked(Request::new(key, &Seat::new("a").unwrap(), "say"))
}

pub fn answered(key: &str, text: &str) -> Event {
    Event::Answered(Answered::from_import(Key::from_parts(key), Reply::Said { text: text.into() }))
}

pub fn entries(record: &mut Record, events: Vec<Event>) -> Append {
    let entries: Vec<Arc<Entry>> = events.into_iter().map(|what| seal_entry(record, what).unwrap()).collect();
    Append { entries, ..Append::default() }
}

pub fn reservation(key: &str, limits: Limits) -> Reservation {
    Reservation {
        completion_tokens: 0,
        key: Key::from_parts(key),
        tokens: 100,
        cost_microusd: 7,
        cost_basis: Basis::Estimated,
        limits,
        attempts_max: 3,
        fence: None,
    }
}

fn lines(record: &Record) -> Vec<String> {
    record.entries().iter().map(|entry| serde_json::to_string(entry).unwrap()).collect()
}

async fn what_is_appended_is_read_again_byte_for_byte(store: TestStore) {
    let journal = store.open();
    let mut opened = sample::sample_opened("exchange", &["a"]);
    opened.motion = "NUL \0, \u{202e}bidi, \u{1F600}, '; DROP TABLE debates; --".into();
    let id = opened.debate.clone();
    let text = "a template\0 with everything: ü \r\n\t".to_owned();
    let texts = vec![(Digest::from_content(&text), text.clone())];
    let mut record = journal.create_debate(Event::Opened(opened), texts, Some("/a b/ü".into())).await.unwrap();
    let append = entries(&mut record, vec![asked("k/1"), answered("k/1", "\0\u{7f} \\u0000 \"quoted\"\n")]);
    journal.append_entries(&id, append).await.unwrap();
    // Another process reads the same.
    let read = store.open().read_record(&id).unwrap();
    assert_eq!(lines(&read), lines(&record));
    assert_eq!(read.opened().motion, record.opened().motion);
    assert_eq!(journal.read_texts([&Digest::from_content(&text)]).unwrap()[&Digest::from_content(&text)], text);
    let summary = journal.find_summary(&id).unwrap().unwrap();
    assert_eq!((summary.motion.as_str(), summary.entries), (record.opened().motion.as_str(), 3));
    assert_eq!(summary.directory.as_deref(), Some(std::path::Path::new("/a b/ü")));
    assert_eq!(summary.head, read.entries().last().unwrap().hash);
    assert!(journal.is_answered(&id, &Key::from_parts("k/1")).unwrap());
    assert!(!journal.is_answered(&id, &Key::from_parts("k/2")).unwrap());
    journal.set_directory(&id, "/elsewhere".into()).await.unwrap();
    assert_eq!(journal.list_debates(9).unwrap()[0].directory.as_deref(), Some(std::path::Path::new("/elsewhere")));
}

async fn an_id_is_taken_once_and_what_nobody_opened_is_not_there(store: TestStore) {
    let journal = store.open();
    let record = open(&journal, "d1").await;
    let again = journal.create_debate(record.entries()[0].what.clone(), vec![], None).await.unwrap_err();
    let id = DebateId::new("d1").unwrap();
    assert_eq!(again, JournalError::Exists(id.clone()));
    let other = DebateId::new("d2").unwrap();
    let none = JournalError::NoSuchDebate(other.clone());
    assert_eq!(journal.read_record(&other).unwrap_err(), none);
    assert_eq!(journal.find_record(&other).unwrap().map(|_| ()), None);
    let append = entries(&mut record.clone(), vec![asked("k")]);
    assert_eq!(journal.append_entries(&other, append).await.unwrap_err(), none);
    let reserved = journal.reserve_call(&other, reservation("k", Limits::default())).await;
    assert_eq!(reserved.unwrap_err(), none);
    let claim = journal.claim_seat(&other, &Seat::new("a").unwrap(), "Ada", 60).await;
    assert_eq!(claim.unwrap_err(), none);
}

async fn who_does_not_know_the_end_of_a_record_does_not_append(store: TestStore) {
    let (one, two) = (store.open(), store.open());
    let mut first = open(&one, "d1").await;
    let id = DebateId::new("d1").unwrap();
    let mut second = two.read_record(&id).unwrap();
    one.append_entries(&id, entries(&mut first, vec![asked("k/1")])).await.unwrap();
    let late = two.append_entries(&id, entries(&mut second, vec![asked("k/2")])).await.unwrap_err();
    assert_eq!(late, JournalError::Conflict { debate: id.clone(), length: 2 });
    // The same key a second time is refused even by who knows the end; nothing of the append is left.
    let mut twice = two.read_record(&id).unwrap();
    let sealed = Entry::seal(2, twice.entries()[1].at.clone(), asked("k/1"), twice.entries()[1].hash.clone());
    let append = Append {
        entries: vec![Arc::new(sealed)],
        reserve: vec![reservation("k/1", Limits::default())],
        driven_ms: 5,
        ..Append::default()
    };
    let refused = two.append_entries(&id, append).await.unwrap_err();
    let why = "asked k/1 is already on the record".to_owned();
    assert_eq!(refused, JournalError::Refused { debate: id.clone(), why });
    assert_eq!((two.list_call_receipts(&id).unwrap(), two.find_summary(&id).unwrap().unwrap().driven_ms), (vec![], 0));
    two.append_entries(&id, entries(&mut twice, vec![asked("k/2")])).await.unwrap();
    assert_eq!(one.read_record(&id).unwrap().len(), 3);
}

async fn of_many_who_append_at_once_one_does(store: TestStore) {
    let journals: Vec<Journal> = (0..4).map(|_| store.open()).collect();
    let mut record = open(&journals[0], "d1").await;
    let id = DebateId::new("d1").unwrap();
    for round in 0..20 {
        let tries = journals.iter().enumerate().map(|(at, journal)| {
            let append = entries(&mut record.clone(), vec![asked(&format!("k/{round}/{at}"))]);
            journal.append_entries(&id, append)
        });
        let results = futures::future::join_all(tries).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
        record = journals[0].read_record(&id).unwrap();
        assert_eq!(record.len(), round + 2);
    }
}

async fn no_two_reservations_pass_a_limit_together(store: TestStore) {
    let journals: Vec<Journal> = (0..4).map(|_| store.open()).collect();
    open(&journals[0], "d1").await;
    let id = DebateId::new("d1").unwrap();
    let limits = Limits { requests_max: Some(7), ..Limits::default() };
    let wanted = (0..40).map(|at| journals[at % 4].reserve_call(&id, reservation(&format!("k/{at}"), limits.clone())));
    let results = futures::future::join_all(wanted).await;
    let granted = results.iter().filter(|result| matches!(result, Ok(Reserved::Granted { .. }))).count();
    let over = Reserved::Refused(PassedLimit::Requests { used: 7, max: 7 });
    assert_eq!((granted, results.iter().filter(|result| **result == Ok(over.clone())).count()), (7, 33));
    assert_eq!(journals[1].sum_usage(&id).unwrap().requests, 7);
}

async fn a_call_counts_at_its_reservation_until_it_is_settled(store: TestStore) {
    let journal = store.open();
    let mut record = open(&journal, "d1").await;
    let id = DebateId::new("d1").unwrap();
    let limits = Limits::default();
    let append = Append {
        reserve: vec![reservation("k", limits.clone())],
        driven_ms: 1500,
        ..entries(&mut record, vec![asked("k")])
    };
    let granted = journal.append_entries(&id, append).await.unwrap();
    assert_eq!(granted, [Reserved::Granted { attempt: 0, tried: 0, before: Usage::default() }]);
    assert_eq!(journal.list_unfinished_requests(&id).unwrap(), [Key::from_parts("k")]);
    assert_eq!((journal.sum_usage(&id).unwrap().prompt_tokens, journal.sum_usage(&id).unwrap().estimated), (100, true));
    let failed = Settlement {
        key: Key::from_parts("k"),
        attempt: 0,
        end: CallEnd::Failed,
        usage: None,
        failure: Some("transient"),
    };
    journal.settle_call(&id, failed).await.unwrap();
    let again = journal.reserve_call(&id, reservation("k", limits.clone())).await.unwrap();
    assert!(matches!(again, Reserved::Granted { attempt: 1, tried: 1, .. }), "{again:?}");
    let usage = Usage { requests: 1, prompt_tokens: 30, completion_tokens: 4, cost_microusd: 2, ..Usage::default() };
    let end =
        Settlement { key: Key::from_parts("k"), attempt: 1, end: CallEnd::Answered, usage: Some(usage), failure: None };
    let append = Append { settle: vec![end], ..entries(&mut record, vec![answered("k", "Yes.")]) };
    journal.append_entries(&id, append).await.unwrap();
    assert_eq!(journal.list_unfinished_requests(&id).unwrap(), []);
    let calls = journal.list_call_receipts(&id).unwrap();
    let states: Vec<_> = calls.iter().map(|call| (call.state.as_str(), call.failure.as_deref())).collect();
    assert_eq!(states, [("failed", Some("transient")), ("answered", None)]);
    assert_eq!(calls[1].usage, usage);
    let spent = journal.sum_usage(&id).unwrap();
    assert_eq!((spent.requests, spent.prompt_tokens, spent.completion_tokens), (2, 130, 4));
    journal.give_up(&id, &Key::from_parts("k")).await.unwrap();
    let unmade = journal.reserve_call(&id, reservation("k", limits)).await.unwrap();
    assert!(matches!(unmade, Reserved::Granted { attempt: 2, tried: 0, .. }), "{unmade:?}");
    let unmade = Settlement { key: Key::from_parts("k"), attempt: 2, end: CallEnd::Unmade, usage: None, failure: None };
    journal.settle_call(&id, unmade).await.unwrap();
    assert_eq!(journal.list_call_receipts(&id).unwrap().len(), 2);
    let append = entries(&mut record, vec![Event::Closed { outcome: Outcome::valid("drawn", "x") }]);
    journal.append_entries(&id, append).await.unwrap();
    let stats = journal.compute_stats(None).unwrap();
    assert_eq!((stats.debates, stats.open, stats.driven_ms), (1, 0, 1500));
    assert_eq!(stats.protocols[0].outcomes["drawn"], 1);
    let amounts = &stats.amounts;
    assert_eq!((amounts.answered, amounts.failed, amounts.tokens_reported), (1, 1, 34));
    assert_eq!((amounts.tokens_estimated, amounts.failures["transient"]), (100, 1));
    assert_eq!(journal.compute_stats(Some("9999")).unwrap().debates, 0);
}

async fn of_eight_who_claim_a_seat_one_holds_it(store: TestStore) {
    let journals: Vec<Journal> = (0..4).map(|_| store.open()).collect();
    open(&journals[0], "d1").await;
    let (id, seat) = (DebateId::new("d1").unwrap(), Seat::new("a").unwrap());
    for round in 1..=20 {
        let names: Vec<String> = (0..8).map(|at| format!("racer {at}")).collect();
        let claims = names.iter().enumerate().map(|(at, name)| journals[at % 4].claim_seat(&id, &seat, name, 60));
        let claims = futures::future::join_all(claims).await;
        let mut won = claims.into_iter().filter_map(|claim| claim.unwrap().ok());
        let claim = won.next().unwrap();
        assert_eq!((claim.lease.fence, won.next()), (round, None));
        assert_eq!(journals[3].list_leases(&id).unwrap(), std::slice::from_ref(&claim.lease));
        let stolen = journals[1].refresh_lease(&id, &seat, "no token", 60).await.unwrap();
        assert_eq!(stolen, Err(Denied::Token(seat.clone())));
        let held = journals[2].refresh_lease(&id, &seat, &claim.token, 90).await.unwrap().unwrap();
        assert!(held.until > claim.lease.until);
        journals[2].release_seat(&id, &seat, &claim.token).await.unwrap().unwrap();
        assert_eq!(journals[0].list_leases(&id).unwrap(), []);
        let late = journals[1].verify_lease(&id, &seat, &claim.token).await.unwrap();
        assert!(matches!(late, Err(Denied::Expired(_))), "{late:?}");
    }
}

async fn an_answer_of_a_seat_stands_once(store: TestStore) {
    let journal = store.open();
    let mut record = open(&journal, "d1").await;
    let (id, seat) = (DebateId::new("d1").unwrap(), Seat::new("a").unwrap());
    journal.append_entries(&id, entries(&mut record, vec![asked("k")])).await.unwrap();
    let token = journal.claim_seat(&id, &seat, "Ada", 60).await.unwrap().unwrap().token;
    let request = Request::new("k", &seat, "say");
    let said = |text: &str| Reply::Said { text: text.into() };
    let submit = |text| journal.submit_reply(&id, &request, &token, said(text), vec![]);
    let receipts = futures::future::join_all((0..8).map(|_| submit("Once."))).await;
    let receipts: Vec<_> = receipts.into_iter().map(|receipt| receipt.unwrap().unwrap()).collect();
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0] && receipt.seq == 2));
    assert_eq!(submit("Otherwise.").await.unwrap(), Err(Denied::Answered(receipts[0].clone())));
    assert_eq!(journal.read_record(&id).unwrap().answers().count(), 1);
}

async fn one_process_drives_a_debate_and_others_hear_who(store: TestStore) {
    let (one, two) = (store.open(), store.open());
    let (id, other) = (DebateId::new("d1").unwrap(), DebateId::new("d2").unwrap());
    let lock = DriveLock::acquire(&one, &id).unwrap();
    for journal in [&one, &two] {
        let Err(LockError::Held(held)) = DriveLock::acquire(journal, &id) else { panic!("two drive") };
        assert!(held.contains(&format!("process {}", std::process::id())) && held.ends_with("drives d1"), "{held}");
    }
    drop(DriveLock::acquire(&two, &other).unwrap());
    drop(lock);
    let lock = DriveLock::acquire(&two, &id).unwrap();
    assert!(DriveLock::acquire(&one, &id).is_err());
    // A process that ends gives everything back.
    drop((lock, two));
    assert!(DriveLock::acquire(&one, &id).is_ok());
}

async fn debates_are_listed_newest_first(store: TestStore) {
    let journal = store.open();
    for id in ["b", "a", "c"] {
        open(&journal, id).await;
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    let ids =
        |limit| journal.list_debates(limit).unwrap().into_iter().map(|one| one.id.to_string()).collect::<Vec<_>>();
    assert_eq!((ids(9), ids(2)), (vec!["c".into(), "a".into(), "b".into()], vec!["c".into(), "a".into()]));
}

async fn lengths_of_many_debates_are_read_at_once(store: TestStore) {
    let journal = store.open();
    let mut record = open(&journal, "d000").await;
    let id = record.opened().debate.clone();
    journal.append_entries(&id, entries(&mut record, vec![asked("k")])).await.unwrap();
    for at in 1..3 {
        open(&journal, &format!("d{at:03}")).await;
    }
    // More than one statement takes; most of them were never opened.
    let ids: Vec<DebateId> = (0..300).map(|at| DebateId::new(format!("d{at:03}")).unwrap()).collect();
    let lengths = journal.count_entries(&ids.iter().collect::<Vec<_>>()).unwrap();
    let lengths: Vec<(&str, u64)> = lengths.iter().map(|(id, length)| (id.as_str(), *length)).collect();
    assert_eq!(lengths, [("d000", 2), ("d001", 1), ("d002", 1)]);
    assert!(journal.count_entries(&[]).unwrap().is_empty());
}

over_all_stores! {
    what_is_appended_is_read_again_byte_for_byte
    an_id_is_taken_once_and_what_nobody_opened_is_not_there
    who_does_not_know_the_end_of_a_record_does_not_append
    of_many_who_append_at_once_one_does
    no_two_reservations_pass_a_limit_together
    a_call_counts_at_its_reservation_until_it_is_settled
    of_eight_who_claim_a_seat_one_holds_it
    an_answer_of_a_seat_stands_once
    one_process_drives_a_debate_and_others_hear_who
    debates_are_listed_newest_first
    lengths_of_many_debates_are_read_at_once
}
