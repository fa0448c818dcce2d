//! Streams end soon after their reader may not read any more; and links that ended say nothing.

use std::time::Duration;

use agon_core::DebateId;
use agon_journal::accounts::{AuditEvent, DebateRole, GrantsTaken};
use futures::StreamExt;
use reqwest::Method;

use crate::accounts::house::House;

fn audit() -> AuditEvent {
    AuditEvent::on_command_line("test")
}

enum Proof {
    Cookie(String),
    Token(String),
}

/// Whether a stream of the debate, once begun, ends within some seconds.
async fn ends(house: &House, proof: &Proof, undo: impl Future<Output = ()>) -> bool {
    let request = house.request(Method::GET, "/api/v1/debates/d1/events");
    let request = match proof {
        Proof::Cookie(cookie) => request.header("cookie", cookie),
        Proof::Token(token) => request.bearer_auth(token),
    };
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let mut frames = response.bytes_stream();
    assert!(frames.next().await.unwrap().is_ok(), "it begins");
    undo.await;
    let all = async { while frames.next().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(6), all).await.is_ok()
}

async fn house() -> (House, DebateId) {
    let house = House::new().await;
    let id = house.debate("d1").await;
    (house, id)
}

#[tokio::test]
async fn a_stream_continues_where_nothing_changes() {
    let (house, id) = house().await;
    let viewer = house.with_role("viewer", &id, DebateRole::Viewer).await;
    let cookie = Proof::Cookie(house.session(viewer, 600).await);
    assert!(!ends(&house, &cookie, async {}).await);
}

#[tokio::test]
async fn a_stream_ends_with_its_token_and_its_login() {
    let (house, id) = house().await;
    let journal = &house.journal;
    let viewer = house.with_role("viewer", &id, DebateRole::Viewer).await;
    let token = Proof::Token(house.token(viewer, "read").await);
    let revoke = async {
        let held = journal.tokens_of(viewer).unwrap();
        journal.revoke_token(viewer, &held[0].id, audit()).await.unwrap();
    };
    assert!(ends(&house, &token, revoke).await, "a revoked token");
    let cookie = Proof::Cookie(house.session(viewer, 2).await);
    assert!(ends(&house, &cookie, async {}).await, "an expired login");
}

#[tokio::test]
async fn a_stream_ends_with_the_right_to_read() {
    let (house, id) = house().await;
    let journal = &house.journal;
    let viewer = house.with_role("viewer", &id, DebateRole::Viewer).await;
    let cookie = Proof::Cookie(house.session(viewer, 600).await);
    let ungrant = async {
        journal.revoke_roles(&id, viewer, GrantsTaken::All, audit()).await.unwrap();
    };
    assert!(ends(&house, &cookie, ungrant).await, "a role that was taken back");
    journal.grant_role(&id, viewer, DebateRole::Viewer, None, audit()).await.unwrap();
    let disable = async {
        journal.set_disabled(viewer, true, audit()).await.unwrap();
    };
    assert!(ends(&house, &cookie, disable).await, "a disabled person");
}

#[tokio::test]
async fn a_link_reads_one_debate_until_it_is_taken_back() {
    let (house, id) = house().await;
    house.debate("d2").await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let (secret, link) = house.link(owner, &id).await;
    let landing = house.get(&format!("/shared?link={secret}"), "").await;
    assert_eq!(landing.headers()["location"], "/debates/d1");
    let (cookie, set) = crate::accounts::people::set_cookie(&landing);
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "{set}");
    let page = house.text("/debates/d1", &cookie).await;
    assert!(page.contains("This house would rest.") && !page.contains("<textarea"), "it is read only");
    assert_eq!(house.get("/debates/d1/report", &cookie).await.status(), 200);
    for path in ["/", "/debates/d2", "/debates/d1/share", "/account"] {
        assert_eq!(house.get(path, &cookie).await.status(), 303, "{path}");
    }
    let bearer = |path: &str| house.request(Method::GET, path).bearer_auth(&secret).send();
    assert_eq!(bearer("/api/v1/debates/d1/entries").await.unwrap().status(), 200);
    assert_eq!(bearer("/api/v1/debates/d2/entries").await.unwrap().status(), 401);
    let stream = Proof::Cookie(cookie.clone());
    let undone = ends(&house, &stream, async {
        house.journal.revoke_share_link(&id, &link, audit()).await.unwrap();
    });
    assert!(undone.await);
    let mut pages = Vec::new();
    for (path, cookie) in [
        ("/debates/d1", &cookie),
        ("/debates/d2", &cookie),
        (&format!("/shared?link={secret}"), &String::new()),
        ("/shared?link=never", &String::new()),
    ] {
        let response = house.get(path, cookie).await;
        assert_eq!(response.status(), 410, "{path}");
        assert!(response.headers().get("set-cookie").is_none());
        let page = response.text().await.unwrap();
        assert!(!page.contains("rest") || !page.contains("house"), "it says what the debate was");
        assert!(!page.contains("/d1"), "{page}");
        pages.push(page);
    }
    let refused = bearer("/api/v1/debates/d1/entries").await.unwrap();
    assert_eq!(refused.status(), 403);
    assert!(!refused.text().await.unwrap().contains("d1"));
}

#[tokio::test]
async fn a_link_lets_a_person_who_is_logged_in_read_as_well() {
    let (house, id) = house().await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let member = house.person("member").await;
    let (secret, link) = house.link(owner, &id).await;
    let session = house.session(member, 600).await;
    let both = format!("{session}; agon_link_{link}={secret}");
    assert_eq!(house.get("/debates/d1", &session).await.status(), 404);
    let page = house.text("/debates/d1", &both).await;
    assert!(page.contains("This house would rest.") && page.contains("href=\"/account\""), "{page}");
    assert!(!page.contains("<textarea"), "it is read only");
    let events = house.get("/api/v1/debates/d1/entries", &both).await;
    assert_eq!(events.status(), 200);
    // It gives nothing else, and the person stays who they are.
    assert_eq!(house.form("/debates/d1/acts", &both, &[("act", "cancel")]).await.status(), 404);
    assert_eq!(house.get("/debates/d1/share", &both).await.status(), 404);
    assert_eq!(house.get("/account", &both).await.status(), 200);
    let (_, said) =
        crate::accounts::house::read(house.request(Method::GET, "/api/v1/session").header("cookie", &both)).await;
    assert_eq!(said["person"], member.to_string(), "{said}");
    // A link alone opens no tools, as the table says.
    let tools = house.request(Method::POST, "/mcp").header("cookie", format!("agon_link_{link}={secret}"));
    let tools = tools.header("origin", house.origin()).json(&serde_json::json!({}));
    assert_eq!(tools.send().await.unwrap().status(), 401);
    let (heads, rows) = crate::accounts::matrix::rows("| tool |");
    let at = heads.iter().position(|head| head == "link").unwrap();
    assert!(rows.iter().all(|(_, cells)| cells[at] == "401"), "{rows:?}");
    house.journal.revoke_share_link(&id, &link, audit()).await.unwrap();
    assert_eq!(house.get("/debates/d1", &both).await.status(), 404);
    assert_eq!(house.get("/account", &both).await.status(), 200);
}
