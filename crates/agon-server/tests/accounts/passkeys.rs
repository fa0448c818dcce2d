//! Passkeys: registered after a login here, used in place of a password, and what is refused.

use agon_journal::accounts::{AuditEvent, PrincipalId};
use agon_runtime::config::AccountsConfig;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::accounts::{
    authenticator::{Authenticator, ORIGIN},
    house::{House, read},
    people::{PASSWORD, set_cookie},
};

pub async fn secure() -> House {
    House::with(AccountsConfig { public_url: Some(ORIGIN.into()), ..AccountsConfig::default() }).await
}

/// The cookie of a session that begins with the password.
async fn logged_in(house: &House, login: &str) -> String {
    let response = house.form("/login", "", &[("login", login), ("password", PASSWORD)]).await;
    assert_eq!(response.status(), 303);
    set_cookie(&response).0
}

async fn send(house: &House, path: &str, cookie: &str, body: &Value) -> Response {
    let request = house.request(Method::POST, path).header("cookie", cookie).header("origin", ORIGIN);
    request.json(body).send().await.unwrap()
}

/// A challenge, and the cookies that its answer comes with.
async fn challenge(house: &House, path: &str, cookie: &str) -> (Value, String) {
    let response = send(house, path, cookie, &json!({})).await;
    assert_eq!(response.status(), 200, "{path}");
    let (own, set) = set_cookie(&response);
    assert!(set.starts_with("__Host-agon_passkey=") && set.contains("HttpOnly; SameSite=Lax"), "{set}");
    (response.json().await.unwrap(), format!("{cookie}; {own}"))
}

async fn register(house: &House, cookie: &str, authenticator: &mut Authenticator) -> (u16, Value) {
    let (options, cookies) = challenge(house, "/api/v1/passkeys/options", cookie).await;
    let body = json!({"name": "phone <b>", "credential": authenticator.register(&options)});
    let response = send(house, "/api/v1/passkeys", &cookies, &body).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

/// Logs in; the status, and the cookie of the session.
async fn log_in(house: &House, authenticator: &mut Authenticator) -> (u16, Option<String>) {
    let (options, cookie) = challenge(house, "/api/v1/login/options", "").await;
    answered(house, &cookie, authenticator.sign(&options)).await
}

async fn answered(house: &House, cookie: &str, credential: Value) -> (u16, Option<String>) {
    let body = json!({"credential": credential, "next": "/debates/d1"});
    let response = send(house, "/api/v1/login", cookie, &body).await;
    let status = response.status().as_u16();
    let is_set = response.headers().contains_key("set-cookie");
    let cookie = is_set.then(|| set_cookie(&response).0);
    let value: Value = response.json().await.unwrap();
    match status {
        200 => assert_eq!(value["next"], "/debates/d1"),
        _ => assert!(value["error"]["code"].is_string() && cookie.is_none(), "{value}"),
    }
    (status, cookie)
}

/// A person with a passkey.
async fn ada(house: &House) -> (PrincipalId, String, Authenticator) {
    let person = house.person_with_password("ada").await;
    let cookie = logged_in(house, "ada").await;
    let mut authenticator = Authenticator::new(7);
    let (status, made) = register(house, &cookie, &mut authenticator).await;
    assert_eq!(status, 201, "{made}");
    (person, cookie, authenticator)
}

#[tokio::test]
async fn a_person_logs_in_with_a_passkey_alone() {
    let house = secure().await;
    let (person, cookie, mut authenticator) = ada(&house).await;
    let page = house.text("/account", &cookie).await;
    assert!(page.contains("phone &lt;b&gt;") && page.contains("/assets/passkeys.js?v="), "{page}");
    assert!(house.text("/login", "").await.contains("data-passkey=\"login\""));
    let (options, _) = challenge(&house, "/api/v1/login/options", "").await;
    assert_eq!(options["publicKey"]["allowCredentials"], json!([]), "nobody learns who has which passkeys");
    assert_eq!(options["publicKey"]["userVerification"], "required");
    let (status, session) = log_in(&house, &mut authenticator).await;
    assert_eq!(status, 200);
    let session = session.unwrap();
    let request = house.request(Method::GET, "/api/v1/session").header("cookie", &session);
    let (_, said) = read(request).await;
    assert_eq!((said["person"].as_str(), &said["proof"]), (Some(person.to_string().as_str()), &json!("session")));
    let held = house.journal.passkeys_of(person).unwrap();
    assert!(held[0].used_at.is_some() && held[0].counter == authenticator.counter);
    let lines = house.audited("login");
    assert_eq!((lines[0].via.as_str(), lines[0].result.as_str()), ("passkey", "ok"));
    assert_eq!(house.audited("add_passkey")[0].principal, Some(person.to_string()));
    // Another person cannot remove it; its own can, and then it proves nothing.
    let remove = format!("/account/passkeys/{}", held[0].id);
    house.person_with_password("eve").await;
    let strange = logged_in(&house, "eve").await;
    assert_eq!(house.form(&remove, &strange, &[]).await.status(), 404);
    assert_eq!(house.form(&remove, &session, &[]).await.status(), 303);
    assert_eq!(log_in(&house, &mut authenticator).await.0, 403);
    assert_eq!(house.audited("remove_passkey").len(), 1);
}

#[tokio::test]
async fn a_forged_replayed_or_foreign_answer_proves_nothing() {
    let house = secure().await;
    let (person, cookie, mut honest) = ada(&house).await;
    let key = honest.key.clone();
    type Lie = fn(&mut Authenticator);
    let lies: [(&str, Lie); 9] = [
        ("another origin", |one| one.origin = "https://agon.example.evil.example".into()),
        ("without encryption", |one| one.origin = "http://agon.example".into()),
        ("another port", |one| one.origin = "https://agon.example:8443".into()),
        ("another relying party", |one| one.rp_id = "evil.example".into()),
        ("an unverified person", |one| one.verifies = false),
        ("in a frame of another site", |one| one.is_framed = true),
        ("another challenge", |one| one.challenge = Some("AAAA".into())),
        ("another key", |one| one.key = Authenticator::new(8).key),
        ("another person", |one| one.user_handle = b"p-0123456789abcdef".to_vec()),
    ];
    for (what, lie) in lies {
        let mut liar = Authenticator::new(7);
        (liar.counter, liar.user_handle) = (honest.counter + 10, honest.user_handle.clone());
        lie(&mut liar);
        assert_eq!(log_in(&house, &mut liar).await, (403, None), "{what}");
    }
    // The answer is used once, and with the browser that asked.
    let (options, cookies) = challenge(&house, "/api/v1/login/options", "").await;
    let signed = honest.sign(&options);
    assert_eq!(answered(&house, "", signed.clone()).await.0, 403, "without its cookie");
    let (_, others) = challenge(&house, "/api/v1/login/options", "").await;
    assert_eq!(answered(&house, &others, signed.clone()).await.0, 403, "with the cookie of another challenge");
    assert_eq!(answered(&house, &cookies, signed.clone()).await.0, 200);
    assert_eq!(answered(&house, &cookies, signed).await.0, 403, "again");
    // A copy of the key that counts by itself is found out.
    honest.counter -= 1;
    assert_eq!(log_in(&house, &mut honest).await.0, 403, "the counter stands");
    // Neither is a challenge for a registration one for a login.
    let (options, cookies) = challenge(&house, "/api/v1/passkeys/options", &cookie).await;
    assert_eq!(answered(&house, &cookies, honest.sign(&options)).await.0, 403);
    for (body, status) in [(json!({"credential": {}}), 403), (json!({"credential": 1}), 403), (json!({}), 422)] {
        let (_, cookies) = challenge(&house, "/api/v1/login/options", "").await;
        assert_eq!(send(&house, "/api/v1/login", &cookies, &body).await.status(), status, "{body}");
    }
    let refused = house.audited("login").into_iter().filter(|line| line.result == "passkey_refused");
    assert!(refused.count() >= lies.len());
    assert_eq!(log_in(&house, &mut honest).await.0, 200, "the honest one still can");
    assert!(std::sync::Arc::ptr_eq(&honest.key, &key));
    house.journal.set_disabled(person, true, AuditEvent::on_command_line("x")).await.unwrap();
    assert_eq!(log_in(&house, &mut honest).await.0, 403, "the account is disabled");
}

#[tokio::test]
async fn a_passkey_is_registered_by_its_person_after_a_login_here() {
    let house = secure().await;
    let (person, cookie, mut first) = ada(&house).await;
    assert_eq!(register(&house, &cookie, &mut first).await.0, 409, "it is there already");
    house.person_with_password("eve").await;
    let strange = logged_in(&house, "eve").await;
    assert_eq!(register(&house, &strange, &mut Authenticator::new(7)).await.0, 409, "it is another person's");
    type Lie = fn(&mut Authenticator);
    let lies: [(&str, Lie); 4] = [
        ("another origin", |one| one.origin = "https://evil.example".into()),
        ("another relying party", |one| one.rp_id = "evil.example".into()),
        ("an unverified person", |one| one.verifies = false),
        ("another challenge", |one| one.challenge = Some("AAAA".into())),
    ];
    for (what, lie) in lies {
        let mut liar = Authenticator::new(9);
        lie(&mut liar);
        assert_eq!(register(&house, &cookie, &mut liar).await.0, 403, "{what}");
    }
    // A challenge belongs to the person who asked, and is used once.
    let (options, cookies) = challenge(&house, "/api/v1/passkeys/options", &cookie).await;
    let own = cookies.split("; ").last().unwrap();
    let body = json!({"name": "x", "credential": Authenticator::new(10).register(&options)});
    let stolen = send(&house, "/api/v1/passkeys", &format!("{strange}; {own}"), &body).await;
    assert_eq!(stolen.status(), 403);
    assert_eq!(send(&house, "/api/v1/passkeys", &cookies, &body).await.status(), 403, "it was taken");
    let named = json!({"name": "", "credential": {}});
    assert_eq!(send(&house, "/api/v1/passkeys", &cookies, &named).await.status(), 403, "no challenge is left");
    // Who is vouched for by another server has no passkey here, and tokens change no account.
    let vouched = AuditEvent { via: "provider".into(), ..AuditEvent::on_command_line("login") };
    let vouched = house.journal.start_session(person, 600, vouched).await.unwrap();
    let vouched = format!("__Host-agon_session={}", vouched.text());
    let response = send(&house, "/api/v1/passkeys/options", &vouched, &json!({})).await;
    assert_eq!(response.status(), 403);
    let value: Value = response.json().await.unwrap();
    assert_eq!(value["error"]["code"], "not_local");
    let token = house.token(person, "run").await;
    assert_eq!(house.post("/api/v1/passkeys/options", &token, json!({})).await.0, 403);
    assert_eq!(send(&house, "/api/v1/passkeys/options", "", &json!({})).await.status(), 401);
    let request = house.request(Method::POST, "/api/v1/passkeys/options").header("cookie", &cookie);
    let foreign = request.header("origin", "https://evil.example").send().await.unwrap();
    assert_eq!(foreign.status(), 403);
    assert_eq!(house.journal.passkeys_of(person).unwrap().len(), 1);
}

#[tokio::test]
async fn a_server_without_an_address_that_browsers_trust_has_no_passkeys() {
    let house = House::new().await;
    house.person_with_password("ada").await;
    let cookie = logged_in(&house, "ada").await;
    for (path, cookie) in [("/api/v1/login/options", ""), ("/api/v1/passkeys/options", &cookie)] {
        let request = house.request(Method::POST, path).header("cookie", cookie).header("origin", house.origin());
        let (status, value) = read(request).await;
        assert_eq!((status, &value["error"]["code"]), (404, &json!("no_passkeys")), "{path}");
    }
    assert!(!house.text("/login", "").await.contains("passkey"));
    assert!(!house.text("/account", &cookie).await.contains("passkeys.js"));
}
