//! The tables of accounts, whatever keeps them.

use std::{collections::BTreeSet, sync::Arc};

use agon_core::{DebateId, Event, Limits, Outcome};
use agon_journal::{
    Append, Journal,
    accounts::{
        AccountError, AttemptLimit, AuditEvent, AuditFilter, DebateRole, ExternalIdentity, GrantsTaken, LoginFlow,
        NewPrincipal, PasskeyChallenge, PrincipalId, Quotas, Scopes, TokenRequest,
    },
    tombstone::Deletion,
};

use crate::stores::{
    rules::{entries, open, reservation},
    store::{TestStore, over_all_stores},
};

fn audit(action: &'static str) -> AuditEvent {
    AuditEvent::on_command_line(action)
}

async fn person(journal: &Journal, login: &str, administrator: bool) -> PrincipalId {
    let new = NewPrincipal { login: login.into(), administrator, ..NewPrincipal::default() };
    journal.add_principal(new, audit("add_account")).await.unwrap()
}

async fn debate(journal: &Journal, id: &str) -> DebateId {
    open(journal, id).await.opened().debate.clone()
}

async fn names_and_identities_are_unique_and_the_last_administrator_stays(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "Ada", true).await;
    let new = NewPrincipal { login: "ADA".into(), ..NewPrincipal::default() };
    assert_eq!(journal.add_principal(new, audit("x")).await, Err(AccountError::Taken("ada".into())));
    let bob = person(&journal, "bob", false).await;
    let identity = ExternalIdentity { issuer: "https://idp.example".into(), subject: "7".into() };
    journal.link_identity(bob, identity.clone(), audit("x")).await.unwrap();
    assert!(journal.link_identity(ada, identity.clone(), audit("x")).await.is_err());
    assert_eq!(journal.principal_of(&identity).unwrap().unwrap().id, bob);
    let last = Err(AccountError::LastAdministrator(ada.to_string()));
    assert_eq!(journal.set_administrator(ada, false, audit("x")).await, last);
    assert_eq!(journal.set_disabled(ada, true, audit("x")).await, last);
    assert_eq!(journal.delete_principal(ada, audit("x")).await, last);
    journal.set_administrator(bob, true, audit("x")).await.unwrap();
    journal.delete_principal(ada, audit("delete_account")).await.unwrap();
    let gone = journal.find_principal(ada).unwrap().unwrap();
    assert_eq!((gone.login, gone.display.as_str(), gone.administrator), (None, "", false));
    person(&journal, "ada", false).await;
}

async fn secrets_count_until_they_expire_or_are_revoked_and_are_not_stored(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada", true).await;
    let wanted = TokenRequest { name: "ci".into(), scopes: Scopes::parse("answer").unwrap(), days: 1 };
    let (secret, token) = journal.add_token(ada, wanted.clone(), audit("x")).await.unwrap();
    let (known, administrator) = journal.find_token(secret.text()).unwrap().unwrap();
    assert!(known.id == token.id && administrator && known.scopes.to_string() == "read,answer");
    for (days, name) in [(0, "x"), (367, "x"), (1, ""), (1, "a\u{7}b")] {
        let wanted = TokenRequest { name: name.into(), days, ..wanted.clone() };
        assert!(journal.add_token(ada, wanted, audit("x")).await.is_err(), "{days} {name:?}");
    }
    let id = debate(&journal, "d1").await;
    let (link, shared) = journal.add_share_link(&id, ada, 1, audit("x")).await.unwrap();
    let session = journal.start_session(ada, 60, audit("login")).await.unwrap();
    assert_eq!(journal.find_session(session.text()).unwrap().unwrap().principal, ada);
    for text in [secret.text(), link.text(), session.text()] {
        assert!(!store.holds(text), "a secret is stored");
        assert!(
            store.holds(agon_core::Digest::from_content(text).as_str()),
            "the search of the store finds what is there"
        );
    }
    let bob = person(&journal, "bob", false).await;
    assert!(journal.revoke_token(bob, &token.id, audit("x")).await.is_err(), "it is another person's");
    journal.revoke_token(ada, &token.id, audit("x")).await.unwrap();
    assert_eq!(journal.find_token(secret.text()).unwrap(), None);
    journal.revoke_share_link(&id, &shared.id, audit("x")).await.unwrap();
    assert!(!journal.share_link(link.text()).unwrap().unwrap().is_valid_at(&agon_journal::time::current_stamp()));
    journal.set_disabled(bob, true, audit("x")).await.unwrap();
    let session = journal.start_session(bob, 60, audit("login")).await.unwrap();
    assert_eq!(journal.find_session(session.text()).unwrap().unwrap().state.name(), "disabled");
}

async fn a_login_under_way_is_taken_once(store: TestStore) {
    let journal = store.open();
    let flow = LoginFlow { state: "s".into(), nonce: "n".into(), verifier: "v".into(), next: "/".into() };
    let secret = journal.start_login_flow(flow.clone()).await.unwrap();
    assert_eq!(journal.take_login_flow("other").await, Ok(None));
    assert_eq!(journal.take_login_flow(secret.text()).await, Ok(Some(flow)));
    assert_eq!(journal.take_login_flow(secret.text()).await, Ok(None));
}

/// Rows `from` to `to`, named by their number.
fn many(table: &str, from: u32, to: u32, columns: &str, values: &str) -> String {
    format!(
        "WITH RECURSIVE n(i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i < {to})
         INSERT INTO {table} ({columns}) SELECT {values} FROM n"
    )
}

async fn a_flood_keeps_nobody_out(store: TestStore) {
    let journal = store.open();
    let limit = |counter: &str| vec![AttemptLimit { counter: counter.into(), most: 3 }];
    for _ in 0..3 {
        assert_eq!(journal.count_attempt(limit("guessed")).await, Ok(true));
    }
    let soon = agon_journal::time::add_seconds(&agon_journal::time::current_stamp(), 60).0;
    store.run(&many("login_attempts", 1, 20_000, "counter, since, made", &format!("'c' || i, '{soon}', 1"))).unwrap();
    assert_eq!(journal.count_attempt(limit("ada")).await, Ok(true), "somebody else");
    assert_eq!(journal.count_attempt(limit("guessed")).await, Ok(false), "those that count most stay");
    let flow = || LoginFlow { state: "s".into(), nonce: "n".into(), verifier: "v".into(), next: "/".into() };
    let first = journal.start_login_flow(flow()).await.unwrap();
    let next = if store.has_an_index() { "'/'" } else { "'/'::bytea" };
    let values = format!("'f' || i, 's', 'n', 'v', {next}, '{soon}'");
    store.run(&many("login_flows", 1, 10_000, "digest, state, nonce, verifier, next, expires_at", &values)).unwrap();
    let second = journal.start_login_flow(flow()).await.unwrap();
    // The oldest went: those of the flood end sooner than the first.
    assert!(journal.take_login_flow(first.text()).await.unwrap().is_some());
    assert!(journal.take_login_flow(second.text()).await.unwrap().is_some());
    let challenge = |principal| PasskeyChallenge { principal, state: "{}".into() };
    let ada = person(&journal, "ada", true).await;
    let state = if store.has_an_index() { "'{}'" } else { "'{}'::bytea" };
    let late = agon_journal::time::add_seconds(&agon_journal::time::current_stamp(), 3_000).0;
    let own = journal.start_passkey_challenge(challenge(Some(ada))).await.unwrap();
    let values = format!("'p' || i, NULL, {state}, '{late}'");
    store.run(&many("passkey_challenges", 1, 10_000, "digest, principal, state, expires_at", &values)).unwrap();
    journal.start_passkey_challenge(challenge(None)).await.unwrap();
    assert!(journal.take_passkey_challenge(own.text()).await.unwrap().is_some(), "a person's own stays");
}

async fn a_deleted_debate_counts_what_it_used(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada", true).await;
    let quotas = Quotas { cost_microusd: Some(10), ..Quotas::default() };
    let start = journal.reserve_start(ada, quotas, Some(10)).await.unwrap();
    let mut record = open(&journal, "d1").await;
    let d1 = record.opened().debate.clone();
    journal.settle_start(start, Some(&d1)).await.unwrap();
    let append = Append {
        reserve: vec![reservation("k", Limits::default())],
        ..entries(&mut record, vec![crate::stores::rules::asked("k")])
    };
    journal.append_entries(&d1, append).await.unwrap();
    assert_eq!(journal.sum_usage(&d1).unwrap().cost_microusd, 7);
    assert!(journal.reserve_start(ada, quotas, Some(3)).await.is_err(), "an open one counts its limit");
    let deletion = Deletion { debate: d1, entries: None, by: "Ada".into(), why: String::new() };
    journal.delete_debate(deletion).await.unwrap();
    assert!(journal.reserve_start(ada, quotas, Some(4)).await.is_err());
    assert!(journal.reserve_start(ada, quotas, Some(3)).await.is_ok());
}

async fn a_companion_is_its_debate_s_starter_s(store: TestStore) {
    let journal = store.open();
    let (ada, bob) = (person(&journal, "ada", true).await, person(&journal, "bob", false).await);
    let quotas = Quotas { cost_microusd: Some(10), ..Quotas::default() };
    let (of, free) = (debate(&journal, "d1").await, debate(&journal, "d2").await);
    let companion = DebateId::new("d1-mirror").unwrap();
    let count = |of: &DebateId, id: &DebateId, wanted| {
        let (journal, of, id) = (&journal, of.clone(), id.clone());
        async move { journal.start_companion(&of, &id, move |_| quotas, wanted).await }
    };
    let nobody = DebateId::new("d2-mirror").unwrap();
    assert_eq!(count(&free, &nobody, Some(99)).await, Ok(Some(99)), "nobody with an account started it");
    let start = journal.reserve_start(ada, quotas, Some(6)).await.unwrap();
    journal.settle_start(start, Some(&of)).await.unwrap();
    assert_eq!(count(&of, &companion, Some(6)).await, Ok(Some(4)), "what is left");
    assert_eq!(count(&of, &companion, Some(6)).await, Ok(Some(4)), "it counts once");
    let other = DebateId::new("d1-baseline").unwrap();
    assert!(matches!(count(&of, &other, None).await, Err(AccountError::Quota(_))));
    journal.forget_companion(&companion).await.unwrap();
    assert_eq!(count(&of, &companion, None).await, Ok(Some(4)));
    open(&journal, "d1-mirror").await;
    journal.forget_companion(&companion).await.unwrap();
    assert!(count(&of, &other, None).await.is_err(), "what was opened counts");
    // Who has a role in the debate has it in the companion, until it is taken back there.
    journal.grant_role(&of, ada, DebateRole::Owner, None, audit("x")).await.unwrap();
    journal.grant_role(&of, bob, DebateRole::Judge, Some("judge".into()), audit("x")).await.unwrap();
    journal.copy_grants(&of, &companion).await.unwrap();
    let roles = |id: &DebateId| -> Vec<_> {
        let grants = journal.grants_in(id).unwrap().into_iter();
        grants.map(|grant| (grant.principal, grant.role, grant.seat)).collect()
    };
    assert_eq!(roles(&companion), roles(&of));
    journal.revoke_roles(&companion, bob, GrantsTaken::All, audit("x")).await.unwrap();
    journal.copy_grants(&of, &companion).await.unwrap();
    assert_eq!(roles(&companion), [(ada, DebateRole::Owner, None)]);
}

async fn quotas_are_counted_before_anything_is_opened(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada", true).await;
    let quotas = Quotas { debates_per_day: Some(3), open_debates: Some(2), cost_microusd: Some(10_000_000) };
    let first = journal.reserve_start(ada, quotas, Some(4_000_000)).await.unwrap();
    let d1 = debate(&journal, "d1").await;
    journal.settle_start(first, Some(&d1)).await.unwrap();
    let dear = journal.reserve_start(ada, quotas, Some(7_000_000)).await;
    assert!(matches!(&dear, Err(AccountError::Quota(why)) if why.contains("leaves 6.00 USD")), "{dear:?}");
    let rest = journal.reserve_start(ada, quotas, None).await.unwrap();
    assert_eq!(rest.cost_max, Some(6_000_000), "what is left");
    let third = journal.reserve_start(ada, quotas, None).await;
    assert!(matches!(&third, Err(AccountError::Quota(why)) if why.contains("2 open debates")), "{third:?}");
    journal.settle_start(rest, None).await.unwrap();
    let raised = |cost| journal.raise_start(&d1, ada, move |_| quotas, Some(cost));
    assert!(matches!(raised(11_000_000).await, Err(AccountError::Quota(_))));
    let more = raised(9_000_000).await.unwrap();
    assert_eq!(more.cost_max, Some(9_000_000));
    // An extension that did not take place counts for nothing, one that did stays.
    let most = raised(10_000_000).await.unwrap();
    journal.lower_start(most.clone()).await.unwrap();
    let left = || async { journal.reserve_start(ada, Quotas { open_debates: None, ..quotas }, None).await };
    let start = left().await.unwrap();
    assert_eq!(start.cost_max, Some(1_000_000));
    journal.settle_start(start, None).await.unwrap();
    journal.lower_start(most).await.unwrap();
    let start = left().await.unwrap();
    assert_eq!(start.cost_max, Some(1_000_000), "undone once");
    journal.settle_start(start, None).await.unwrap();
    // A closed debate counts what it used, and is not open.
    let mut record = journal.read_record(&d1).unwrap();
    let closed = entries(&mut record, vec![Event::Closed { outcome: Outcome::valid("drawn", "x") }]);
    journal.append_entries(&d1, closed).await.unwrap();
    for _ in 0..2 {
        journal.reserve_start(ada, quotas, Some(5_000_000)).await.unwrap();
    }
    let fourth = journal.reserve_start(ada, quotas, Some(0)).await;
    assert!(matches!(&fourth, Err(AccountError::Quota(why)) if why.contains("24 hours")), "{fourth:?}");
}

async fn the_audit_is_append_only_and_roles_are_in_it(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada", true).await;
    let id = debate(&journal, "d1").await;
    journal.grant_role(&id, ada, DebateRole::Judge, Some("judge".into()), audit("grant_role")).await.unwrap();
    journal.grant_role(&id, ada, DebateRole::Judge, Some("judge".into()), audit("grant_role")).await.unwrap();
    let grants = journal.grants_of(&id, ada).unwrap();
    assert_eq!(grants.len(), 1);
    assert!(grants[0].answers_at("judge", agon_core::Role::Judge));
    assert!(!grants[0].answers_at("judge-2", agon_core::Role::Judge));
    assert_eq!(journal.list_for(ada, 10).unwrap().len(), 1);
    let lines =
        journal.list_audit_lines(&AuditFilter { debate: Some("d1".into()), ..AuditFilter::default() }, 10).unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].number > lines[1].number && lines[0].action == "grant_role");
    for sql in ["DELETE FROM audit", "UPDATE audit SET action = 'x'"] {
        assert!(store.run(sql).unwrap_err().contains("append-only"));
    }
    // Each seat is given, and taken back, by itself.
    for seat in [None, Some("judge-2".to_owned())] {
        journal.grant_role(&id, ada, DebateRole::Judge, seat, audit("grant_role")).await.unwrap();
    }
    let take = |which| journal.revoke_roles(&id, ada, which, audit("revoke_role"));
    assert_eq!(take(GrantsTaken::One(DebateRole::Judge, Some("judge".into()))).await, Ok(1));
    let seats: Vec<_> = journal.grants_of(&id, ada).unwrap().into_iter().map(|grant| grant.seat).collect();
    assert_eq!(seats, [None, Some("judge-2".to_owned())]);
    assert_eq!(take(GrantsTaken::One(DebateRole::Judge, None)).await, Ok(1));
    journal.grant_role(&id, ada, DebateRole::Judge, None, audit("grant_role")).await.unwrap();
    assert_eq!(take(GrantsTaken::Role(DebateRole::Viewer)).await, Ok(0));
    assert_eq!(take(GrantsTaken::Role(DebateRole::Judge)).await, Ok(2));
    journal.grant_role(&id, ada, DebateRole::Viewer, None, audit("grant_role")).await.unwrap();
    assert_eq!(take(GrantsTaken::All).await, Ok(1));
    let filter = AuditFilter { action: Some("revoke_role".into()), ..AuditFilter::default() };
    let told = journal.list_audit_lines(&filter, 9).unwrap().pop().unwrap().target.unwrap();
    assert!(told.ends_with(" judge at judge"), "{told}");
    assert!(journal.grants_of(&id, ada).unwrap().is_empty());
}

async fn several_processes_stay_within_one_quota_and_keep_one_administrator(store: TestStore) {
    let journals = [Arc::new(store.open()), Arc::new(store.open())];
    let ada = person(&journals[0], "ada", true).await;
    let bob = person(&journals[0], "bob", true).await;
    let quotas = Quotas { cost_microusd: Some(3_000_000), ..Quotas::default() };
    let starts = (0..24).map(|at| {
        let journal = Arc::clone(&journals[at % 2]);
        tokio::spawn(async move { journal.reserve_start(ada, quotas, Some(1_000_000)).await })
    });
    let mut numbers = BTreeSet::new();
    for start in starts.collect::<Vec<_>>() {
        match start.await.unwrap() {
            Ok(start) => assert!(numbers.insert(start.number), "each has a number of its own"),
            Err(error) => assert!(matches!(error, AccountError::Quota(_)), "{error}"),
        }
    }
    assert_eq!(numbers.len(), 3);
    let leave = |at: usize, who| {
        let journal = Arc::clone(&journals[at]);
        tokio::spawn(async move { journal.set_administrator(who, false, audit("x")).await })
    };
    let (first, second) = (leave(0, ada), leave(1, bob));
    let ended = [first.await.unwrap(), second.await.unwrap()];
    assert_eq!(ended.iter().filter(|end| end.is_ok()).count(), 1, "{ended:?}");
}

async fn what_people_send_is_kept_or_not_found_whatever_is_in_it(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada", true).await;
    let odd = "\0 '; DROP TABLE audit; -- \u{202e}";
    let id = journal.keep_form(ada, odd.into(), odd.into()).await.unwrap();
    let form = journal.kept_form(ada, &id).unwrap().unwrap();
    assert_eq!((form.path.as_str(), form.body.as_str()), (odd, odd));
    for _ in 0..9 {
        journal.keep_form(ada, "/".into(), String::new()).await.unwrap();
    }
    assert_eq!(journal.kept_form(ada, odd), Ok(None));
    let unknown = |what| Err(AccountError::Unknown { what, name: odd.into() });
    assert_eq!(journal.revoke_token(ada, odd, audit("x")).await, unknown("token"));
    let debate = debate(&journal, "d1").await;
    assert_eq!(journal.revoke_share_link(&debate, odd, audit("x")).await, unknown("link"));
    let identity = ExternalIdentity { issuer: "i".into(), subject: odd.into() };
    assert_eq!(journal.principal_of(&identity), Ok(None));
    assert!(journal.link_identity(ada, identity, audit("x")).await.is_err());
    journal.record_audit_event(audit("login").with_target(odd)).await.unwrap();
    let lines = |filter: AuditFilter| journal.list_audit_lines(&filter, 5).unwrap();
    let told = lines(AuditFilter { action: Some("login".into()), ..AuditFilter::default() });
    assert_eq!(told[0].target.as_deref(), Some(odd.replace('\0', " ").as_str()));
    for filter in [
        AuditFilter { action: Some(odd.into()), ..AuditFilter::default() },
        AuditFilter { debate: Some(odd.into()), ..AuditFilter::default() },
        AuditFilter { before: Some(told[0].number), action: Some("login".into()), ..AuditFilter::default() },
    ] {
        assert_eq!(lines(filter), []);
    }
    assert_eq!(lines(AuditFilter { principal: Some(ada), ..AuditFilter::default() }).len(), 1);
}

async fn all_that_is_known_of_a_person_is_read_again(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada", true).await;
    let quotas = Quotas { debates_per_day: Some(3), open_debates: None, cost_microusd: Some(u64::MAX) };
    journal.set_quotas(ada, quotas, audit("x")).await.unwrap();
    journal.set_display(ada, "Ada L.".into(), audit("x")).await.unwrap();
    let kept = journal.start_session(ada, 60, audit("x")).await.unwrap();
    let ended = journal.start_session(ada, 60, audit("x")).await.unwrap();
    journal.set_password(ada, "hash".into(), Some(kept.digest().to_string()), audit("x")).await.unwrap();
    assert!(
        journal.find_session(kept.text()).unwrap().is_some() && journal.find_session(ended.text()).unwrap().is_none()
    );
    assert_eq!(journal.password_of(ada), Ok(Some("hash".into())));
    let known = journal.principal_named("ADA").unwrap().unwrap();
    assert_eq!(known.quotas, Quotas { cost_microusd: Some(i64::MAX as u64), ..quotas });
    assert!(known.has_password && known.administrator && known.display == "Ada L.");
    let bob = person(&journal, "bob", true).await;
    journal.delete_principal(ada, audit("x")).await.unwrap();
    let order: Vec<_> = journal.list_principals().unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!(order, [bob, ada], "deleted ones last");
}

over_all_stores! {
    names_and_identities_are_unique_and_the_last_administrator_stays
    secrets_count_until_they_expire_or_are_revoked_and_are_not_stored
    a_login_under_way_is_taken_once
    a_flood_keeps_nobody_out
    a_deleted_debate_counts_what_it_used
    a_companion_is_its_debate_s_starter_s
    quotas_are_counted_before_anything_is_opened
    the_audit_is_append_only_and_roles_are_in_it
    several_processes_stay_within_one_quota_and_keep_one_administrator
    what_people_send_is_kept_or_not_found_whatever_is_in_it
    all_that_is_known_of_a_person_is_read_again
}
