//! Passkeys, their challenges, invitations and counted logins, whatever keeps them.

use agon_journal::{
    Journal,
    accounts::{AccountError, AttemptLimit, AuditEvent, NewPasskey, NewPrincipal, PasskeyChallenge, PrincipalId},
};

use crate::stores::store::{TestStore, over_all_stores};

fn audit(action: &'static str) -> AuditEvent {
    AuditEvent::on_command_line(action)
}

async fn person(journal: &Journal, login: &str) -> PrincipalId {
    let new = NewPrincipal { login: login.into(), ..NewPrincipal::default() };
    journal.add_principal(new, audit("add_account")).await.unwrap()
}

fn key(principal: PrincipalId, credential: &str) -> NewPasskey {
    let (name, key) = ("phone".into(), "{\"a\":\"\u{0}\"}".into());
    NewPasskey { principal, name, credential: credential.into(), key, counter: 4 }
}

async fn a_passkey_belongs_to_one_person_and_its_counter_only_moves_from_where_it_was(store: TestStore) {
    let journal = store.open();
    let (ada, bob) = (person(&journal, "ada").await, person(&journal, "bob").await);
    let made = journal.add_passkey(key(ada, "AAAA"), audit("add_passkey")).await.unwrap();
    assert_eq!(journal.find_passkey("AAAA").unwrap(), Some(made.clone()), "read again as it was, with every byte");
    for owner in [ada, bob] {
        let again = journal.add_passkey(key(owner, "AAAA"), audit("x")).await;
        assert!(matches!(again, Err(AccountError::Taken(_))), "{again:?}");
    }
    for (name, credential) in [("", "B"), ("a\u{7}b", "B"), ("x", ""), ("x", "a\u{0}b")] {
        let new = NewPasskey { name: name.into(), ..key(ada, credential) };
        assert!(journal.add_passkey(new, audit("x")).await.is_err(), "{name:?} {credential:?}");
    }
    assert!(journal.passkey_used(&made, 5).await.unwrap());
    assert!(!journal.passkey_used(&made, 6).await.unwrap(), "of two with one counter, one");
    let used = journal.find_passkey("AAAA").unwrap().unwrap();
    assert!(used.counter == 5 && used.used_at.is_some());
    assert!(journal.remove_passkey(bob, &made.id, audit("x")).await.is_err(), "it is another person's");
    for at in 1..20 {
        journal.add_passkey(key(ada, &format!("key{at}")), audit("x")).await.unwrap();
    }
    let more = journal.add_passkey(key(ada, "more"), audit("x")).await;
    assert!(matches!(more, Err(AccountError::TooMany { most: 20, .. })), "{more:?}");
    assert_eq!(journal.login_ways().unwrap()[&ada].passkeys, 20);
    journal.remove_passkey(ada, &made.id, audit("remove_passkey")).await.unwrap();
    assert_eq!(journal.find_passkey("AAAA").unwrap(), None);
    journal.set_disabled(ada, true, audit("x")).await.unwrap();
    assert_eq!(journal.find_passkey("key1").unwrap(), None, "of a disabled person");
    let disabled = journal.add_passkey(key(ada, "new"), audit("x")).await;
    assert!(matches!(disabled, Err(AccountError::Unknown { .. })), "{disabled:?}");
    journal.set_disabled(ada, false, audit("x")).await.unwrap();
    let secret = journal.create_invitation(ada, 1, audit("x")).await.unwrap();
    let challenge = PasskeyChallenge { principal: Some(ada), state: "{}".into() };
    journal.start_passkey_challenge(challenge).await.unwrap();
    journal.delete_principal(ada, audit("x")).await.unwrap();
    assert!(journal.passkeys_of(ada).unwrap().is_empty());
    assert_eq!(journal.take_invitation(secret.text()).await.unwrap(), None);
}

async fn a_challenge_and_an_invitation_are_taken_once_and_end(store: TestStore) {
    let journal = store.open();
    let ada = person(&journal, "ada").await;
    let challenge = PasskeyChallenge { principal: Some(ada), state: "{\"challenge\":[1]}".into() };
    let secret = journal.start_passkey_challenge(challenge.clone()).await.unwrap();
    assert!(!store.holds(secret.text()));
    assert_eq!(journal.take_passkey_challenge("other").await.unwrap(), None);
    assert_eq!(journal.take_passkey_challenge(secret.text()).await.unwrap(), Some(challenge.clone()));
    assert_eq!(journal.take_passkey_challenge(secret.text()).await.unwrap(), None, "once");
    let late = journal.start_passkey_challenge(PasskeyChallenge { principal: None, ..challenge }).await.unwrap();
    let invitation = journal.create_invitation(ada, 7, audit("invite")).await.unwrap();
    assert!(!store.holds(invitation.text()));
    assert_eq!(journal.find_invitee(invitation.text()).unwrap(), Some(ada));
    assert!(journal.login_ways().unwrap()[&ada].invited);
    store.run("UPDATE passkey_challenges SET expires_at = '2020-01-01T00:00:00.000Z'").unwrap();
    store.run("UPDATE invitations SET expires_at = '2020-01-01T00:00:00.000Z'").unwrap();
    assert_eq!(journal.take_passkey_challenge(late.text()).await.unwrap(), None, "it has expired");
    assert_eq!(journal.find_invitee(invitation.text()).unwrap(), None);
    assert_eq!(journal.take_invitation(invitation.text()).await.unwrap(), None);
    for days in [0, 31] {
        assert!(journal.create_invitation(ada, days, audit("x")).await.is_err(), "{days}");
    }
    let (first, second) = (
        journal.create_invitation(ada, 1, audit("x")).await.unwrap(),
        journal.create_invitation(ada, 1, audit("x")).await.unwrap(),
    );
    assert_eq!(journal.take_invitation(first.text()).await.unwrap(), None, "the newest counts");
    assert_eq!(journal.take_invitation(second.text()).await.unwrap(), Some(ada));
    assert_eq!(journal.take_invitation(second.text()).await.unwrap(), None, "once");
}

async fn attempts_are_counted_once_for_all_who_share_the_journal(store: TestStore) {
    let journals = [store.open(), store.open()];
    let limits = |names: &[(&str, u32)]| {
        names.iter().map(|(name, most)| AttemptLimit { counter: (*name).into(), most: *most }).collect::<Vec<_>>()
    };
    let tries = futures::future::join_all(
        (0..12).map(|at| journals[at % 2].count_attempt(limits(&[("one", 5), ("both", 100)]))),
    );
    let made = tries.await.into_iter().filter(|made| *made.as_ref().unwrap()).count();
    assert_eq!(made, 5, "at the same moment, at two servers");
    assert!(!journals[0].count_attempt(limits(&[("other", 5), ("one", 5)])).await.unwrap());
    let rest = (0..6).map(|_| journals[1].count_attempt(limits(&[("other", 5)])));
    let mut fresh = 0;
    for made in rest {
        fresh += u32::from(made.await.unwrap());
    }
    assert_eq!(fresh, 5, "what was refused was counted nowhere");
    journals[1].uncount_attempt("one".into(), vec!["both".into()]).await.unwrap();
    assert!(journals[0].count_attempt(limits(&[("one", 1), ("both", 5)])).await.unwrap());
    assert!(!journals[0].count_attempt(limits(&[("both", 5)])).await.unwrap());
    store.run("UPDATE login_attempts SET since = '2020-01-01T00:00:00.000Z'").unwrap();
    assert!(journals[0].count_attempt(limits(&[("one", 1), ("both", 5)])).await.unwrap(), "the time is over");
    assert!(!journals[1].count_attempt(limits(&[("one", 1)])).await.unwrap());
    // Their number is bounded; those whose time is over make room, and else those that counted least.
    let rows = |since: &str| {
        let row = format!("SELECT 'r' || n, '{since}', 1 FROM numbers");
        store.run(&format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
            INSERT INTO login_attempts (counter, since, made) {row}"
        ))
    };
    store.run("DELETE FROM login_attempts").unwrap();
    rows("2999-01-01T00:00:00.000Z").unwrap();
    assert!(journals[0].count_attempt(limits(&[("new", 5)])).await.unwrap());
    store.run("UPDATE login_attempts SET since = '2020-01-01T00:00:00.000Z'").unwrap();
    assert!(journals[0].count_attempt(limits(&[("new", 5)])).await.unwrap());
}

over_all_stores! {
    a_passkey_belongs_to_one_person_and_its_counter_only_moves_from_where_it_was
    a_challenge_and_an_invitation_are_taken_once_and_end
    attempts_are_counted_once_for_all_who_share_the_journal
}
