//! Tests of the tables of accounts.

use agon_core::DebateId;
use rusqlite::Connection;

use super::super::{Journal, store};
use crate::accounts::{
    AccountError, AuditEvent, AuditFilter, DebateRole, ExternalIdentity, LoginFlow, NewPrincipal,
    PrincipalId, Quotas, Scopes, TokenRequest,
};

fn audit(action: &'static str) -> AuditEvent {
    AuditEvent::on_command_line(action)
}

async fn person(journal: &Journal, login: &str, administrator: bool) -> PrincipalId {
    let new = NewPrincipal { login: login.into(), administrator, ..NewPrincipal::default() };
    journal.add_principal(new, audit("add_account")).await.unwrap()
}

/// A debate with one row, as the tables of accounts see it.
fn debate(path: &std::path::Path, id: &str) -> DebateId {
    let db = Connection::open(path).unwrap();
    let sql = "INSERT INTO debates (id, protocol, motion, opened_at, length, head, last_at)
        VALUES (?, 'exchange', 'm', '2026-01-01T00:00:00.000Z', 1, 'h', '2026-01-01T00:00:00.000Z')";
    db.execute(sql, [id]).unwrap();
    DebateId::new(id).unwrap()
}

#[test]
fn an_old_journal_gets_the_tables_of_accounts_and_keeps_its_debates() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let old = Connection::open(&path).unwrap();
    for sql in [
        include_str!("../schema.sql"),
        include_str!("../schema_2.sql"),
        include_str!("../schema_3.sql"),
        include_str!("../schema_4.sql"),
        include_str!("../schema_5.sql"),
    ] {
        old.execute_batch(sql).unwrap();
    }
    old.pragma_update(None, "user_version", 5).unwrap();
    debate(&path, "old");
    drop(old);
    drop(store::open(home.path()).unwrap());
    let db = Connection::open(&path).unwrap();
    let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let kept: i64 =
        db.query_row("SELECT count(*) FROM debates WHERE id = 'old'", [], |row| row.get(0)).unwrap();
    let people: i64 = db.query_row("SELECT count(*) FROM principals", [], |row| row.get(0)).unwrap();
    assert!(version >= 6);
    assert_eq!((kept, people), (1, 0));
}

#[tokio::test]
async fn names_and_identities_are_unique_and_the_last_administrator_stays() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::open(home.path()).unwrap();
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
    let gone = journal.principal(ada).unwrap().unwrap();
    assert_eq!((gone.login, gone.display.as_str(), gone.administrator), (None, "", false));
    person(&journal, "ada", false).await;
}

#[tokio::test]
async fn secrets_count_until_they_expire_or_are_revoked_and_are_not_stored() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::open(home.path()).unwrap();
    let ada = person(&journal, "ada", true).await;
    let wanted = TokenRequest { name: "ci".into(), scopes: Scopes::of("answer").unwrap(), days: 1 };
    let (secret, token) = journal.add_token(ada, wanted.clone(), audit("x")).await.unwrap();
    let (known, administrator) = journal.token(secret.text()).unwrap().unwrap();
    assert!(known.id == token.id && administrator && known.scopes.to_string() == "read,answer");
    for (days, name) in [(0, "x"), (367, "x"), (1, ""), (1, "a\u{7}b")] {
        let wanted = TokenRequest { name: name.into(), days, ..wanted.clone() };
        assert!(journal.add_token(ada, wanted, audit("x")).await.is_err(), "{days} {name:?}");
    }
    let id = debate(journal.path(), "d1");
    let (link, shared) = journal.add_share_link(&id, ada, 1, audit("x")).await.unwrap();
    let session = journal.start_session(ada, 60, audit("login")).await.unwrap();
    assert_eq!(journal.session(session.text()).unwrap().unwrap().principal, ada);
    let stored = std::fs::read(journal.path()).unwrap();
    let beside = std::fs::read(home.path().join("journal.db-wal")).unwrap_or_default();
    for text in [secret.text(), link.text(), session.text()] {
        for file in [&stored, &beside] {
            assert!(!file.windows(text.len()).any(|part| part == text.as_bytes()), "a secret is stored");
        }
    }
    let bob = person(&journal, "bob", false).await;
    assert!(journal.revoke_token(bob, &token.id, audit("x")).await.is_err(), "it is another person's");
    journal.revoke_token(ada, &token.id, audit("x")).await.unwrap();
    assert_eq!(journal.token(secret.text()).unwrap(), None);
    journal.revoke_share_link(&id, &shared.id, audit("x")).await.unwrap();
    assert!(!journal.share_link(link.text()).unwrap().unwrap().counts(&crate::time::stamp()));
    journal.set_disabled(bob, true, audit("x")).await.unwrap();
    let session = journal.start_session(bob, 60, audit("login")).await.unwrap();
    assert_eq!(journal.session(session.text()).unwrap().unwrap().state.name(), "disabled");
}

#[tokio::test]
async fn a_login_under_way_is_taken_once() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::open(home.path()).unwrap();
    let flow = LoginFlow { state: "s".into(), nonce: "n".into(), verifier: "v".into(), next: "/".into() };
    let secret = journal.start_login_flow(flow.clone()).await.unwrap();
    assert_eq!(journal.take_login_flow("other").await, Ok(None));
    assert_eq!(journal.take_login_flow(secret.text()).await, Ok(Some(flow)));
    assert_eq!(journal.take_login_flow(secret.text()).await, Ok(None));
}

#[tokio::test]
async fn quotas_are_counted_before_anything_is_opened() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::open(home.path()).unwrap();
    let ada = person(&journal, "ada", true).await;
    let quotas = Quotas { debates_per_day: Some(3), open_debates: Some(2), cost_microusd: Some(10_000_000) };
    let first = journal.reserve_start(ada, quotas, Some(4_000_000)).await.unwrap();
    let d1 = debate(journal.path(), "d1");
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
    assert_eq!(raised(9_000_000).await, Ok(Some(9_000_000)));
    // A closed debate counts what it used, and is not open.
    let db = Connection::open(journal.path()).unwrap();
    db.execute("UPDATE debates SET outcome = 'tie'", []).unwrap();
    for _ in 0..2 {
        journal.reserve_start(ada, quotas, Some(5_000_000)).await.unwrap();
    }
    let fourth = journal.reserve_start(ada, quotas, Some(0)).await;
    assert!(matches!(&fourth, Err(AccountError::Quota(why)) if why.contains("24 hours")), "{fourth:?}");
}

#[tokio::test]
async fn the_audit_is_append_only_and_roles_are_in_it() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::open(home.path()).unwrap();
    let ada = person(&journal, "ada", true).await;
    let id = debate(journal.path(), "d1");
    journal.grant(&id, ada, DebateRole::Judge, Some("judge".into()), audit("grant_role")).await.unwrap();
    journal.grant(&id, ada, DebateRole::Judge, Some("judge".into()), audit("grant_role")).await.unwrap();
    let grants = journal.grants_of(&id, ada).unwrap();
    assert_eq!(grants.len(), 1);
    assert!(grants[0].answers_at("judge", agon_core::Role::Judge));
    assert!(!grants[0].answers_at("judge-2", agon_core::Role::Judge));
    assert_eq!(journal.list_for(ada, 10).unwrap().len(), 1);
    let lines =
        journal.audited(&AuditFilter { debate: Some("d1".into()), ..AuditFilter::default() }, 10).unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].number > lines[1].number && lines[0].action == "grant_role");
    let db = Connection::open(journal.path()).unwrap();
    for sql in ["DELETE FROM audit", "UPDATE audit SET action = 'x'"] {
        assert!(db.execute(sql, []).unwrap_err().to_string().contains("append-only"));
    }
    assert_eq!(journal.ungrant(&id, ada, None, audit("revoke_role")).await, Ok(1));
    assert!(!journal.has_role_in(&id, ada).unwrap());
}
