//! Every route as every visitor, compared with the table; the numbers come from the page docs/authorization.md.

use agon_core::DebateId;
use agon_journal::accounts::{DebateRole, PrincipalId};
use reqwest::Method;

use crate::accounts::house::{House, create};

/// How a visitor of the matrix proves what it is.
enum Proof {
    Cookie(String),
    Token(String),
}

async fn visitors(house: &House, id: &DebateId) -> Vec<(&'static str, Proof)> {
    let owner = house.with_role("owner", id, DebateRole::Owner).await;
    let mut all = vec![("anonymous", Proof::Cookie(String::new()))];
    let (secret, link) = house.link(owner, id).await;
    all.push(("link", Proof::Cookie(format!("agon_link_{link}={secret}"))));
    let member = house.person("member").await;
    all.push(("member", Proof::Cookie(house.session(member, 600).await)));
    for (name, role) in [
        ("viewer", DebateRole::Viewer),
        ("audience", DebateRole::Audience),
        ("debater", DebateRole::Debater),
        ("judge", DebateRole::Judge),
    ] {
        let person = house.with_role(name, id, role).await;
        all.push((name, Proof::Cookie(house.session(person, 600).await)));
    }
    all.push(("owner", Proof::Cookie(house.session(owner, 600).await)));
    let administrator = house.person("administrator").await;
    all.push(("administrator", Proof::Cookie(house.session(administrator, 600).await)));
    for (name, scopes) in [("token read", "read"), ("token answer", "answer"), ("token run", "run")] {
        all.push((name, Proof::Token(house.token(owner, scopes).await)));
    }
    all.push(("expired", Proof::Cookie(expired(house, owner).await)));
    all
}

pub async fn expired(house: &House, person: PrincipalId) -> String {
    let cookie = house.session(person, 1).await;
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    cookie
}

/// What a cell of the page means for one answer.
fn seen(status: u16, location: Option<&str>, body: &str) -> &'static str {
    let is_one_of = |codes: &[&str]| codes.iter().any(|code| body.contains(code));
    match status {
        303 if location.is_some_and(|to| to == "/login" || to.starts_with("/login?")) => "401",
        401 if !body.contains("The login name or the password is wrong") => "401",
        403 if is_one_of(&["not_permitted", "You are not permitted"]) => "403",
        404 if is_one_of(&["no_such_debate", "Unknown debate"]) => "404",
        _ => "yes",
    }
}

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/authorization.md");
    std::fs::read_to_string(path).unwrap()
}

/// The rows of one table of the page: name and cells.
pub fn rows(head: &str) -> (Vec<String>, Vec<(String, Vec<String>)>) {
    let page = page();
    let cells = |line: &str| {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect::<Vec<_>>()
    };
    let table: Vec<&str> =
        page.lines().skip_while(|line| !line.starts_with(head)).take_while(|line| line.starts_with('|')).collect();
    let heads = cells(table[0])[2..].to_vec();
    let rows = table[2..].iter().map(|line| {
        let cells = cells(line);
        (cells[0].clone(), cells[2..].to_vec())
    });
    (heads, rows.collect())
}

#[tokio::test]
async fn every_route_does_for_every_visitor_what_the_table_says() {
    let house = House::new().await;
    // It has seats of every kind.
    create(&house.journal, "d1", "chaired", "This house would rest.").await.unwrap();
    let id = DebateId::new("d1").unwrap();
    let visitors = visitors(&house, &id).await;
    let (heads, rows) = rows("| route |");
    assert_eq!(heads, visitors.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
    let (mut wrong, mut count) = (Vec::new(), 0);
    // What would end the test's own sessions is asked last, and of a session of its own.
    let (last, first): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(route, _)| route.contains("/logout"));
    for (route, cells) in first.into_iter().chain(last) {
        let (method, pattern) = route.split_once(' ').unwrap();
        let method = if method == "*" { "POST" } else { method };
        for (at, (name, proof)) in visitors.iter().enumerate() {
            let kinds: Vec<&str> = cells[at].split('/').collect();
            let seats = ["chair", "debater-1", "audience"];
            for (kind, seat) in kinds.iter().zip(seats) {
                let path = pattern
                    .replace("{id}", "d1")
                    .replace("{seat}", seat)
                    .replace("{name}", "none")
                    .replace("{*path}", "transcript.md")
                    .replace("{token}", "none")
                    .replace("{draft}", "none");
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                let request = house.request(method.clone(), &path);
                let request = match proof {
                    Proof::Cookie(cookie) => request.header("cookie", cookie).header("origin", house.origin()),
                    Proof::Token(token) => request.bearer_auth(token),
                };
                let request = match (method == Method::POST, path.starts_with("/api") || path == "/mcp") {
                    (false, _) => request,
                    (true, true) => request.header("content-type", "application/json").body("[]"),
                    (true, false) => {
                        request.header("content-type", "application/x-www-form-urlencoded").body("act=interject")
                    }
                };
                let response = request.send().await.unwrap();
                let status = response.status().as_u16();
                let to = response.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
                let is_stream = path.ends_with("/events") && status == 200;
                let body = if is_stream { String::new() } else { response.text().await.unwrap() };
                // Whoever logs out is led to the page for logging in, too.
                let to = to.filter(|_| !(path == "/logout" && *kind == "yes"));
                let got = seen(status, to.as_deref(), &body);
                count += 1;
                if got != *kind {
                    wrong.push(format!("{method} {path} as {name}: {status} ({got}), the table says {kind}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 680, "{count} cells");
}

#[tokio::test]
async fn a_route_that_is_not_there_tells_nobody_but_people() {
    let house = House::new().await;
    let member = house.person("member").await;
    let cookie = house.session(member, 600).await;
    for path in ["/nowhere", "/api/v1/nowhere", "/debates/d1/nowhere", "/debates/../audit"] {
        assert!([303, 401].contains(&house.get(path, "").await.status().as_u16()), "{path}");
        let status = house.get(path, &cookie).await.status().as_u16();
        assert!([404, 403].contains(&status), "{path}: {status}");
    }
    for path in ["/account", "/api/v1/debates"] {
        let request = house.request(Method::DELETE, path).header("cookie", &cookie);
        assert_eq!(request.header("origin", house.origin()).send().await.unwrap().status(), 405, "{path}");
    }
}

#[tokio::test]
async fn the_token_of_a_server_without_accounts_counts_nowhere() {
    let house = House::new().await;
    house.debate("d1").await;
    let request = house.request(Method::GET, "/api/v1/debates/d1").bearer_auth(&house.token);
    assert_eq!(request.send().await.unwrap().status(), 401);
    let link = house.get(&format!("/?token={}", house.token), "").await;
    assert!(link.headers().get("set-cookie").is_none() && link.headers()["location"] != "/");
    for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        for path in ["/api/v1/debates/d1", "/mcp", "/account"] {
            let status = house.request(method.clone(), path).send().await.unwrap().status().as_u16();
            assert!([303, 401, 403].contains(&status), "{method} {path}: {status}");
        }
    }
}
