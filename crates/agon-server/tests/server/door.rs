//! Who is let in: hosts, origins, tokens, kinds of content, and what every answer says about itself.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::server::house::{House, read};

/// What comes back for bytes that a client of one's own would not send.
async fn raw(house: &House, request: &str) -> String {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(std::time::Duration::from_secs(5), stream.read_to_end(&mut answer));
    let _ = reading.await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn routes() -> Vec<&'static str> {
    vec![
        "/",
        "/debates/d1",
        "/assets/agon.css",
        "/assets/agon.js",
        "/nowhere",
        "/api/v1/openapi.json",
        "/api/v1/protocols",
        "/api/v1/debates",
        "/api/v1/debates/d1",
        "/api/v1/debates/d1/entries",
        "/api/v1/debates/d1/events",
        "/api/v1/debates/d1/scores",
        "/api/v1/debates/d1/transcript",
        "/api/v1/debates/d1/files",
        "/api/v1/debates/d1/files/record.jsonl",
        "/api/v1/debates/d1/requests",
        "/api/v1/debates/d1/seats/judge/prompt",
        "/api/v1/nowhere",
        "/mcp",
    ]
}

#[tokio::test]
async fn every_route_refuses_a_foreign_host() {
    let house = House::new().await;
    house.debate("d1", "This house would rest.").await;
    let port = house.address.port();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}"), "agon.lan".into()];
    for route in routes() {
        for host in [
            "evil.example".into(),
            format!("evil.example:{port}"),
            "127.0.0.1".into(),
            format!("127.0.0.1:{port}.evil.example"),
            String::new(),
        ] {
            let answer =
                raw(&house, &format!("GET {route} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 421"), "{route} {host:?}: {answer:.80}");
        }
    }
    for host in own {
        let answer = raw(&house, &format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer:.80}");
    }
    let port = house.address.port();
    for hostile in [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        format!("GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"),
    ] {
        let answer = raw(&house, &hostile).await;
        assert!(answer.starts_with("HTTP/1.1 421") || answer.starts_with("HTTP/1.1 400"), "{hostile}: {answer:.80}");
    }
}

#[tokio::test]
async fn reading_needs_the_token_also_from_this_machine() {
    let house = House::with(false).await;
    house.debate("d1", "This house would rest.").await;
    for route in routes() {
        let without = house.get(route).await.status().as_u16();
        let wanted = if route.starts_with("/assets/") { 200 } else { 401 };
        assert_eq!(without, wanted, "{route}");
    }
    let cookie = house.cookie().await;
    for route in ["/", "/debates/d1", "/api/v1/debates/d1/entries"] {
        let get = || house.client.get(house.url(route));
        assert_eq!(get().bearer_auth(&house.token).send().await.unwrap().status(), 200, "{route}");
        assert_eq!(get().header("cookie", &cookie).send().await.unwrap().status(), 200, "{route}");
    }
}

#[tokio::test]
async fn writing_needs_the_token_and_a_page_of_this_server() {
    let house = House::new().await;
    let url = house.url("/api/v1/debates");
    let body = serde_json::json!({"protocol": "exchange", "motion": "This house would rest."});
    let own = format!("http://{}", house.address);
    let cookie = house.cookie().await;
    let post = || house.client.post(&url).json(&body);
    for (case, request, code) in [
        ("nothing", post(), "token_needed"),
        ("own origin, no token", post().header("origin", &own), "token_needed"),
        ("wrong token", post().bearer_auth("0".repeat(64)), "token_needed"),
        ("cookie without origin", post().header("cookie", &cookie), "foreign_origin"),
        (
            "cookie, foreign origin",
            post().header("cookie", &cookie).header("origin", "http://evil.example"),
            "foreign_origin",
        ),
        (
            "cookie, other port",
            post().header("cookie", &cookie).header("origin", "http://127.0.0.1:1"),
            "foreign_origin",
        ),
        ("cookie, null origin", post().header("cookie", &cookie).header("origin", "null"), "foreign_origin"),
        (
            "token, foreign origin",
            post().bearer_auth(&house.token).header("origin", "http://evil.example"),
            "foreign_origin",
        ),
        (
            "the token as cookie",
            post().header("cookie", format!("agon={}", house.token)).header("origin", &own),
            "token_needed",
        ),
    ] {
        let (status, refusal) = read(request).await;
        let wanted = if code == "token_needed" { 401 } else { 403 };
        assert_eq!((status, refusal["error"]["code"].as_str()), (wanted, Some(code)), "{case}");
    }
    assert_eq!(read(post().header("cookie", &cookie).header("origin", &own)).await.0, 201);
    assert_eq!(house.get("/?token=wrong").await.status(), 403);
}

#[tokio::test]
async fn every_route_that_writes_has_the_same_door() {
    let house = House::new().await;
    house.debate("d1", "This house would rest.").await;
    let document = house.json("/api/v1/openapi.json").await;
    let writes = document["paths"].as_object().unwrap().iter().filter(|(_, item)| item["post"].is_object());
    let mut routes: Vec<(String, &str)> =
        writes.map(|(path, _)| (path.replace("{id}", "d1").replace("{seat}", "judge"), "application/json")).collect();
    assert_eq!(routes.len(), 12, "{routes:?}");
    routes.push(("/mcp".into(), "application/json"));
    for page in ["/debates", "/debates/d1/acts", "/debates/d1/seats/judge"] {
        routes.push((page.into(), "application/x-www-form-urlencoded"));
    }
    let before = house.journal.read_record(&agon_core::DebateId::new("d1").unwrap()).unwrap().len();
    let own = format!("http://{}", house.address);
    let cookie = house.cookie().await;
    for (route, kind) in &routes {
        let body = if *kind == "application/json" { "{}" } else { "act=cancel&name=Eve&motion=x" };
        let post = || house.client.post(house.url(route)).header("content-type", *kind).body(body);
        for (case, request, status) in [
            ("nothing", post(), 401),
            ("own origin alone", post().header("origin", &own), 401),
            ("cookie alone", post().header("cookie", &cookie), 403),
            ("null origin", post().header("cookie", &cookie).header("origin", "null"), 403),
            ("foreign origin", post().header("cookie", &cookie).header("origin", "http://evil.example"), 403),
            ("foreign host", post().bearer_auth(&house.token).header("host", "evil.example"), 421),
        ] {
            assert_eq!(request.send().await.unwrap().status(), status, "{route}: {case}");
        }
        let text = house.client.post(house.url(route)).bearer_auth(&house.token).header("content-type", "text/plain");
        let text = text.header("accept", "application/json, text/event-stream");
        assert_eq!(text.body(body).send().await.unwrap().status(), 415, "{route}");
    }
    let after = house.journal.read_record(&agon_core::DebateId::new("d1").unwrap()).unwrap().len();
    assert_eq!(before, after, "nothing was put on the record");
}

#[tokio::test]
async fn a_form_of_another_site_is_no_request() {
    let house = House::new().await;
    for kind in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""] {
        let request = house.client.post(house.url("/api/v1/debates")).bearer_auth(&house.token);
        let request = if kind.is_empty() { request } else { request.header("content-type", kind) };
        assert_eq!(read(request.body(r#"{"protocol":"exchange","motion":"x y"}"#)).await.0, 415, "{kind}");
    }
    let request = house.client.post(house.url("/debates")).bearer_auth(&house.token);
    let answer = request.header("content-type", "text/plain").body("motion=x").send().await.unwrap();
    assert_eq!(answer.status(), 415);
}

#[tokio::test]
async fn every_answer_says_what_may_run_in_it() {
    let house = House::new().await;
    house.debate("d1", "This house would rest.").await;
    for route in routes() {
        let answer = house.get(route).await;
        let headers = answer.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{route}");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"), "{route}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{route}");
        assert_eq!(headers["referrer-policy"], "same-origin", "{route}");
        assert!(!headers.contains_key("access-control-allow-origin"), "{route}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_token_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new().await;
    let path = house.home.path().join("serve-token");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(agon_server::WriteToken::from_home(house.home.path()).unwrap().text(), house.token);
    assert_eq!(mode(), 0o600);
}
