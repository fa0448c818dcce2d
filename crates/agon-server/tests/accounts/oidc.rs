//! Logins by OpenID Connect, against a provider with real keys: each wrong proof is refused.

use std::{collections::BTreeMap, sync::Arc};

use agon_journal::accounts::{AuditEvent, ExternalIdentity};
use agon_runtime::config::{AccountsConfig, OidcConfig};
use serde_json::json;

use crate::accounts::{
    house::{House, encoded},
    people::set_cookie,
    provider::{Algorithm, CLIENT, Fault, Provider},
};

async fn house(provider: &Provider, create: bool, domains: &[&str]) -> House {
    let oidc = OidcConfig {
        issuer: provider.issuer(),
        client_id: CLIENT.into(),
        client_secret_env: None,
        name: Some("Example <b>".into()),
        scopes: vec!["profile".into(), "email".into()],
        create,
        email_domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
    };
    let public_url = Some("http://agon.example".into());
    House::with(AccountsConfig { oidc: Some(oidc), public_url, ..AccountsConfig::default() }).await
}

/// The way to the provider: the cookie of the login, and the query that the provider gets.
async fn leave(house: &House, next: &str) -> (String, BTreeMap<String, String>) {
    let next = encoded(&[("next", next)]);
    let next = next.split_once('=').unwrap().1;
    let response = house.get(&format!("/login/provider?next={next}"), "").await;
    assert_eq!(response.status(), 303, "{:?}", response.text().await);
    let url: url::Url = response.headers()["location"].to_str().unwrap().parse().unwrap();
    (set_cookie(&response).0, url.query_pairs().into_owned().collect())
}

/// The way back.
async fn come_back(house: &House, cookie: &str, code: &str, state: &str) -> reqwest::Response {
    let query = [("code", code), ("state", state)]
        .map(|(name, value)| format!("{name}={}", encoded(&[("", value)]).trim_start_matches('=')));
    house.get(&format!("/login/callback?{}", query.join("&")), cookie).await
}

/// A whole login; the status and, where it worked, the cookie of the session.
async fn log_in(house: &House, provider: &Provider) -> (u16, String) {
    let (cookie, query) = leave(house, "/").await;
    let code = provider.authorize(&query);
    let response = come_back(house, &cookie, &code, &query["state"]).await;
    let status = response.status().as_u16();
    let is_in = status == 303;
    (status, if is_in { set_cookie(&response).0 } else { String::new() })
}

async fn with_person(algorithm: Algorithm) -> (Arc<Provider>, House) {
    let provider = Provider::start(algorithm).await;
    let house = house(&provider, false, &[]).await;
    let ada = house.person("ada").await;
    let identity = ExternalIdentity { issuer: provider.issuer(), subject: "subject-1".into() };
    house.journal.link_identity(ada, identity, AuditEvent::on_command_line("x")).await.unwrap();
    (provider, house)
}

#[tokio::test]
async fn a_person_whom_the_provider_proves_is_logged_in() {
    for algorithm in [Algorithm::Rs256, Algorithm::Es256] {
        let (provider, house) = with_person(algorithm).await;
        let page = house.text("/login?next=/debates/d1", "").await;
        assert!(page.contains("href=\"/login/provider?next=/debates/d1\"") && page.contains("Example &lt;b&gt;"));
        let (cookie, query) = leave(&house, "/debates/d1?x=1").await;
        assert_eq!(query["redirect_uri"], "http://agon.example/login/callback");
        assert_eq!(query["scope"], "openid profile email");
        let code = provider.authorize(&query);
        let response = come_back(&house, &cookie, &code, &query["state"]).await;
        assert_eq!(response.headers()["location"], "/debates/d1?x=1");
        let (session, set) = set_cookie(&response);
        assert!(set.contains("HttpOnly"), "{set}");
        assert!(house.text("/account", &session).await.contains("ada"));
        let line = &house.audited("login")[0];
        assert_eq!((line.via.as_str(), line.result.as_str()), ("provider", "ok"));
        // Nothing of it works a second time.
        assert_eq!(come_back(&house, &cookie, &code, &query["state"]).await.status(), 403);
        let (cookie, query) = leave(&house, "/").await;
        assert_eq!(come_back(&house, &cookie, &code, &query["state"]).await.status(), 403, "a replayed code");
    }
}

#[tokio::test]
async fn a_wrong_proof_is_refused() {
    for algorithm in [Algorithm::Rs256, Algorithm::Es256] {
        let (provider, house) = with_person(algorithm).await;
        let mut faults = vec![
            Fault::Nonce,
            Fault::NoNonce,
            Fault::Audience,
            Fault::OtherAudienceToo,
            Fault::Expired,
            Fault::Issuer,
            Fault::Changed,
            Fault::Unsigned,
            Fault::Symmetric,
            Fault::NoIdToken,
        ];
        faults.extend((algorithm == Algorithm::Es256).then_some(Fault::Key));
        for fault in &faults {
            *provider.fault.lock().unwrap() = *fault;
            assert_eq!(log_in(&house, &provider).await.0, 403, "{algorithm:?} {fault:?}");
        }
        let lines = house.audited("login");
        assert!(lines.len() == faults.len() && lines.iter().all(|line| line.result == "login_refused"));
        *provider.fault.lock().unwrap() = Fault::None;
        assert_eq!(log_in(&house, &provider).await.0, 303);
    }
}

#[tokio::test]
async fn a_login_that_was_not_begun_by_this_browser_is_refused() {
    let (provider, house) = with_person(Algorithm::Es256).await;
    let (cookie, query) = leave(&house, "/").await;
    let code = provider.authorize(&query);
    // An attacker sends the way back of an own login to another browser, with or without a login of its own.
    for cookie in ["", "agon_login=never", "agon_login="] {
        assert_eq!(come_back(&house, cookie, &code, &query["state"]).await.status(), 403);
    }
    assert!(house.audited("login").is_empty(), "what nobody began does not fill the audit");
    let (other, mine) = leave(&house, "/").await;
    assert_eq!(come_back(&house, &other, &code, &query["state"]).await.status(), 403);
    assert_eq!(house.audited("login").len(), 1, "what was begun is written down");
    assert_eq!(come_back(&house, &other, &code, &mine["state"]).await.status(), 403, "it was used up");
    assert_eq!(come_back(&house, &cookie, &code, "").await.status(), 403);
    // The right code with another state, in a login of its own.
    let (cookie, query) = leave(&house, "/").await;
    let code = provider.authorize(&query);
    assert_eq!(come_back(&house, &cookie, &code, "another state").await.status(), 403);
    // A code of another login does not fit the challenge of this one.
    let (first, query) = leave(&house, "/").await;
    let (_, stolen) = leave(&house, "/").await;
    let code = provider.authorize(&stolen);
    assert_eq!(come_back(&house, &first, &code, &query["state"]).await.status(), 403);
}

#[tokio::test]
async fn a_provider_that_calls_itself_otherwise_is_not_used() {
    let provider = Provider::start(Algorithm::Es256).await;
    let house = house(&provider, true, &[]).await;
    *provider.fault.lock().unwrap() = Fault::Discovery;
    let response = house.get("/login/provider", "").await;
    assert_eq!(response.status(), 502);
    let page = response.text().await.unwrap();
    assert!(page.contains("login provider") && !page.contains("127.0.0.1"), "{page}");
}

#[tokio::test]
async fn an_account_is_added_where_the_configuration_says_so() {
    let provider = Provider::start(Algorithm::Es256).await;
    let closed = house(&provider, false, &[]).await;
    assert_eq!(log_in(&closed, &provider).await.0, 403);
    let line = &closed.audited("login")[0];
    assert_eq!((line.result.as_str(), line.target.as_deref()), ("no_account", Some("subject-1")));
    assert!(closed.journal.list_principals().unwrap().is_empty());

    let open = house(&provider, true, &["example.org"]).await;
    open.person("ada.l").await;
    for email in [
        json!({"email": "ada@evil.example", "email_verified": true}),
        json!({"email": "ada@example.org", "email_verified": false}),
        json!({"email": "ada@example.org.evil.example", "email_verified": true}),
        json!({"email": "ada@example.org"}),
        json!({}),
    ] {
        *provider.email.lock().unwrap() = email.clone();
        assert_eq!(log_in(&open, &provider).await.0, 403, "{email}");
    }
    *provider.email.lock().unwrap() = json!({"email": "ada@example.org", "email_verified": true});
    let (status, session) = log_in(&open, &provider).await;
    assert_eq!(status, 303);
    let people = open.journal.list_principals().unwrap();
    let new = people.iter().find(|person| person.login.as_deref() != Some("ada.l")).unwrap();
    assert!(new.login.as_deref().unwrap().starts_with("ada.l-"), "the name was taken, and is not taken over");
    assert!(!new.administrator);
    let page = open.text("/account", &session).await;
    assert!(page.contains("Ada &lt;i&gt;Lovelace") && !page.contains("Current password"));
    assert_eq!(log_in(&open, &provider).await.0, 303);
    assert_eq!(open.journal.list_principals().unwrap().len(), 2, "the second login adds nobody");
    open.journal.set_disabled(new.id, true, AuditEvent::on_command_line("x")).await.unwrap();
    assert_eq!(log_in(&open, &provider).await.0, 403);
}
