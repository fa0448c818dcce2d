//! A proxy's header is believed from the proxy's address, and from no other.

use agon_journal::accounts::{AuditEvent, ExternalIdentity};
use agon_runtime::config::{AccountsConfig, ProxyConfig};
use agon_server::{AccountsSettings, OperationConfig};
use reqwest::Method;

use crate::accounts::house::{House, HouseOptions};

async fn house(peer: &str, create: bool) -> House {
    let proxy = ProxyConfig { header: "X-Forwarded-User".into(), peers: vec![peer.into()], create };
    House::with(AccountsConfig { proxy: Some(proxy), ..AccountsConfig::default() }).await
}

async fn status(house: &House, names: &[&str]) -> u16 {
    let request = house.request(Method::GET, "/api/v1/debates");
    let request = names.iter().fold(request, |request, name| request.header("x-forwarded-user", *name));
    request.send().await.unwrap().status().as_u16()
}

async fn known(house: &House, login: &str) {
    let person = house.person(login).await;
    let identity = ExternalIdentity { issuer: "proxy".into(), subject: login.into() };
    house.journal.link_identity(person, identity, AuditEvent::on_command_line("x")).await.unwrap();
}

#[tokio::test]
async fn a_header_from_anybody_else_is_refused_and_written_down() {
    let house = house("192.0.2.1", true).await;
    known(&house, "ada").await;
    assert_eq!(status(&house, &["ada"]).await, 403);
    assert_eq!(status(&house, &["new"]).await, 403);
    assert!(house.journal.principal_named("new").unwrap().is_none(), "and adds nobody");
    let lines = house.audited("forged_header");
    assert_eq!((lines.len(), lines[0].address.as_deref()), (2, Some("127.0.0.1")));
    // Not even with the session of the same person, and not on open pages.
    let ada = house.journal.principal_named("ada").unwrap().unwrap().id;
    let cookie = house.session(ada, 600).await;
    for path in ["/account", "/login", "/assets/agon.css"] {
        let request = house.request(Method::GET, path).header("cookie", &cookie).header("x-forwarded-user", "ada");
        assert_eq!(request.send().await.unwrap().status(), 403, "{path}");
    }
    // A flood of them does not fill the journal.
    for _ in 0..30 {
        status(&house, &["ada"]).await;
    }
    assert!(house.audited("forged_header").len() <= 10);
}

#[tokio::test]
async fn the_proxy_is_believed() {
    let house = house("127.0.0.1", false).await;
    known(&house, "ada").await;
    assert_eq!(status(&house, &["ada"]).await, 200);
    assert_eq!(status(&house, &["ADA"]).await, 403, "another name");
    assert_eq!(status(&house, &["nobody"]).await, 403);
    assert_eq!(status(&house, &["ada", "eve"]).await, 403, "two names are none");
    assert_eq!(status(&house, &[""]).await, 403);
    assert_eq!(status(&house, &[]).await, 401);
    let write = |origin: Option<String>| {
        let request = house.request(Method::POST, "/api/v1/plans").header("x-forwarded-user", "ada");
        let request = origin.into_iter().fold(request, |request, origin| request.header("origin", origin));
        request.json(&serde_json::json!({"protocol": "exchange", "motion": "m"})).send()
    };
    assert_eq!(write(None).await.unwrap().status(), 403, "a browser behind the proxy says where it comes from");
    assert_eq!(write(Some("https://evil.example".into())).await.unwrap().status(), 403);
    assert_eq!(write(Some(house.origin())).await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_proxy_may_add_people_where_it_is_configured() {
    let house = house("127.0.0.0/8", true).await;
    assert_eq!(status(&house, &["Grace@example.org"]).await, 200);
    let person = house.journal.principal_named("grace@example.org").unwrap().unwrap();
    assert!(!person.administrator && !person.has_password);
    assert_eq!(status(&house, &["<script>"]).await, 403, "what cannot be a login name gets no account");
    house.journal.set_disabled(person.id, true, AuditEvent::on_command_line("x")).await.unwrap();
    assert_eq!(status(&house, &["Grace@example.org"]).await, 403);
}

#[tokio::test]
async fn failed_logins_are_counted_for_whom_a_trusted_proxy_names() {
    let operation = OperationConfig { rate_factor: 0.0, trust_proxies: vec!["127.0.0.1".parse().unwrap()] };
    let accounts = Some(AccountsSettings::default());
    let house = House::start(HouseOptions { operation, accounts, ..HouseOptions::default() }).await;
    house.person_with_password("ada").await;
    let log_in = |from: String| {
        let request = house.request(Method::POST, "/login").header("x-forwarded-for", from);
        let request = request.header("origin", house.origin());
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body("login=ada&password=wrong").send()
    };
    for at in 0..10 {
        // All of one network of version 6.
        let status = log_in(format!("198.51.100.1, 2001:db8:1:2::{at}")).await.unwrap().status();
        assert_eq!(status, 401);
    }
    assert_eq!(log_in("2001:db8:1:2::ff".into()).await.unwrap().status(), 429);
    assert_eq!(log_in("2001:db8:1:3::1".into()).await.unwrap().status(), 401, "another client");
    let lines = house.audited("login");
    let addresses: Vec<_> = lines.iter().rev().filter_map(|line| line.address.as_deref()).collect();
    assert_eq!((addresses[0], addresses.last()), ("2001:db8:1:2::", Some(&"2001:db8:1:3::1")));
}
