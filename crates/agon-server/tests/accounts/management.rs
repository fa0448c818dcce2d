//! People managed over the web: added, invited, disabled, given quotas and roles; and what others may not do there.

use agon_journal::accounts::{DebateRole, PrincipalState};
use reqwest::Method;
use serde_json::json;

use crate::accounts::{
    house::{House, encoded, read},
    passkeys::secure,
    people::{PASSWORD, set_cookie},
};

/// An administrator's session.
async fn administrator(house: &House) -> String {
    house.person_with_password("administrator").await;
    let response = house.form("/login", "", &[("login", "administrator"), ("password", PASSWORD)]).await;
    set_cookie(&response).0
}

/// The path of the invitation that a page shows.
fn invitation(page: &str) -> String {
    let at = page.find("/invitation?code=").expect(page);
    page[at..].chars().take_while(|c| *c != '<').collect()
}

fn code(invitation: &str) -> &str {
    invitation.split_once('=').unwrap().1
}

#[tokio::test]
async fn an_invited_person_logs_in_once_and_chooses_a_password() {
    let house = secure().await;
    let admin = administrator(&house).await;
    let fields = [("act", "add"), ("login", "Grace"), ("display", "Grace <script>"), ("days", "3")];
    let response = house.form("/people", &admin, &fields).await;
    assert_eq!(response.status(), 200);
    let page = response.text().await.unwrap();
    assert!(page.contains("Grace &lt;script&gt;") && !page.contains("<script>"), "{page}");
    assert!(page.contains("https://agon.example/invitation?code=agon_invitation_"), "{page}");
    let link = invitation(&page);
    assert!(!house.text("/people", &admin).await.contains("agon_invitation_"), "it is shown once");
    for _ in 0..2 {
        let shown = house.text(&link, "").await;
        assert!(shown.contains("Grace &lt;script&gt;"), "looking does not use it up");
    }
    let foreign = house.request(Method::POST, "/invitation").header("origin", "https://evil.example");
    let foreign = foreign.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(foreign.body(encoded(&[("code", code(&link))])).send().await.unwrap().status(), 403);
    let response = house.form("/invitation", "", &[("code", code(&link))]).await;
    assert_eq!((response.status().as_u16(), &response.headers()["location"]), (303, &"/account".parse().unwrap()));
    let (grace, _) = set_cookie(&response);
    assert_eq!(house.form("/invitation", "", &[("code", code(&link))]).await.status(), 410, "once");
    assert_eq!(house.get(&link, "").await.status(), 410);
    let account = house.text("/account", &grace).await;
    assert!(account.contains("New password") && !account.contains("Current password"));
    let chosen = [("act", "password"), ("new", "a chosen password")];
    assert_eq!(house.form("/account", &grace, &chosen).await.status(), 200);
    let again = house.form("/login", "", &[("login", "grace"), ("password", "a chosen password")]).await;
    assert_eq!(again.status(), 303);
    let (mine, _) = set_cookie(&again);
    assert_eq!(house.form("/account", &mine, &chosen).await.status(), 403, "now the old one is needed");
    let via: Vec<String> = house.audited("login").into_iter().map(|line| line.via).collect();
    assert!(via.contains(&"invitation".to_owned()), "{via:?}");
    assert_eq!(house.audited("invite").len(), 1);
    // An invitation of somebody who has lost the password; the newest counts.
    let id = house.journal.principal_named("grace").unwrap().unwrap().id;
    let person = format!("/people/{id}");
    let invite = async || {
        let response = house.form(&person, &admin, &[("act", "invite"), ("days", "1")]).await;
        invitation(&response.text().await.unwrap())
    };
    let (first, second) = (invite().await, invite().await);
    assert_eq!(house.form("/invitation", "", &[("code", code(&first))]).await.status(), 410);
    house.form(&person, &admin, &[("act", "disable")]).await;
    assert_eq!(house.form("/invitation", "", &[("code", code(&second))]).await.status(), 410, "disabled");
    house.form(&person, &admin, &[("act", "enable")]).await;
    let let_in = house.form("/invitation", "", &[("code", code(&second))]).await;
    assert_eq!(let_in.status(), 303);
    let forgotten = [("act", "password"), ("new", "another chosen password")];
    let changed = house.form("/account", &set_cookie(&let_in).0, &forgotten).await;
    assert_eq!(changed.status(), 200, "who was invited has lost the old one");
    assert_eq!(house.get("/account", &mine).await.status(), 303, "and other logins end");
}

#[tokio::test]
async fn an_administrator_changes_an_account() {
    let house = secure().await;
    let admin = administrator(&house).await;
    let debate = house.debate("d1").await;
    let id = house.person_with_password("eve").await;
    let (path, journal) = (format!("/people/{id}"), &house.journal);
    let act = async |fields: &[(&str, &str)]| {
        let response = house.form(&path, &admin, fields).await;
        (response.status().as_u16(), response.text().await.unwrap())
    };
    let quotas = [("act", "quotas"), ("debates_per_day", "3"), ("open_debates", ""), ("max_cost", "2.5")];
    let (status, page) = act(&quotas).await;
    assert!(status == 200 && page.contains("value=\"2.50\""), "{page}");
    let set = journal.find_principal(id).unwrap().unwrap().quotas;
    assert_eq!((set.debates_per_day, set.open_debates, set.cost_microusd), (Some(3), None, Some(2_500_000)));
    for (field, value) in [("debates_per_day", "-1"), ("debates_per_day", "x"), ("max_cost", "-1"), ("max_cost", "NaN")]
    {
        assert_eq!(act(&[("act", "quotas"), (field, value)]).await.0, 422, "{field}={value}");
    }
    assert_eq!(act(&[("act", "grant"), ("debate", "none"), ("role", "judge")]).await.0, 422);
    assert_eq!(act(&[("act", "grant"), ("debate", "d1"), ("role", "king")]).await.0, 422);
    let (status, page) = act(&[("act", "grant"), ("debate", "d1"), ("role", "judge")]).await;
    assert!(status == 200 && page.contains("/debates/d1"), "{page}");
    assert_eq!(journal.grants_of(&debate, id).unwrap()[0].role, DebateRole::Judge);
    assert_eq!(act(&[("act", "ungrant"), ("debate", "d1"), ("role", "judge")]).await.0, 200);
    assert!(journal.grants_of(&debate, id).unwrap().is_empty());
    assert_eq!(act(&[("act", "appoint")]).await.0, 200);
    assert!(journal.find_principal(id).unwrap().unwrap().administrator);
    assert_eq!(act(&[("act", "dismiss")]).await.0, 200);
    let token = house.token(id, "run").await;
    let held = journal.tokens_of(id).unwrap()[0].id.clone();
    assert_eq!(act(&[("act", "revoke_token"), ("id", &held)]).await.0, 200);
    let request = house.request(Method::GET, "/api/v1/session").bearer_auth(&token);
    assert_eq!(read(request).await.0, 401);
    assert_eq!(act(&[("act", "remove_passkey"), ("id", "none")]).await.0, 404);
    let eve = set_cookie(&house.form("/login", "", &[("login", "eve"), ("password", PASSWORD)]).await).0;
    assert_eq!(act(&[("act", "end_logins")]).await.0, 200);
    assert_eq!(house.get("/account", &eve).await.status(), 303);
    assert_eq!(act(&[("act", "disable")]).await.0, 200);
    assert_eq!(journal.find_principal(id).unwrap().unwrap().state, PrincipalState::Disabled);
    assert_eq!(act(&[("act", "nonsense")]).await.0, 422);
    assert_eq!(act(&[("act", "delete"), ("confirm", "other")]).await.0, 422);
    assert_eq!(act(&[("act", "delete"), ("confirm", "Eve")]).await.0, 303);
    assert_eq!(house.get(&path, &admin).await.status(), 404);
    assert!(!house.text("/people", &admin).await.contains("eve &lt;b&gt;"));
    let own = journal.principal_named("administrator").unwrap().unwrap().id;
    let last = house.form(&format!("/people/{own}"), &admin, &[("act", "dismiss")]).await;
    assert_eq!(last.status(), 409, "the last administrator stays");
    for action in [
        "set_quotas",
        "grant_role",
        "revoke_role",
        "set_administrator",
        "revoke_token",
        "end_logins",
        "disable_account",
        "delete_account",
    ] {
        assert!(!house.audited(action).is_empty(), "{action} is written down");
    }
}

#[tokio::test]
async fn bad_input_adds_nobody() {
    let house = House::new().await;
    let administrator = house.person("administrator").await;
    let admin = house.session(administrator, 600).await;
    let long = "x".repeat(65);
    for fields in [
        vec![("act", "add"), ("login", "")],
        vec![("act", "add"), ("login", "two words")],
        vec![("act", "add"), ("login", "<b>")],
        vec![("act", "add"), ("login", &long)],
        vec![("act", "add"), ("login", "x"), ("display", "person:p-0123456789abcdef")],
        vec![("act", "add"), ("login", "x"), ("days", "31")],
        vec![("act", "add"), ("login", "x"), ("days", "0")],
        vec![("act", "add"), ("login", "x"), ("days", "soon")],
        vec![("login", "x")],
    ] {
        let response = house.form("/people", &admin, &fields).await;
        assert_eq!(response.status(), 422, "{fields:?}");
    }
    assert_eq!(house.form("/people", &admin, &[("act", "add"), ("login", "Administrator")]).await.status(), 409);
    assert_eq!(house.journal.list_principals().unwrap().len(), 1);
    assert_eq!(house.get("/people/nobody", &admin).await.status(), 404);
    assert_eq!(house.form("/people/nobody", &admin, &[("act", "disable")]).await.status(), 404);
    let request = house.request(Method::POST, "/people").header("cookie", &admin);
    let request = request.header("origin", house.origin()).json(&json!({"act": "add", "login": "x"}));
    assert_eq!(request.send().await.unwrap().status(), 415);
    let many = house.text("/people?q=%00%27%22%3Cb%3E", &admin).await;
    assert!(many.contains("&lt;b&gt;") && many.contains("Nobody is called so"), "{many}");
    // Nobody else may: not even with the administrator's token, or from a page of another site.
    let token = house.token(administrator, "run").await;
    let request = house.request(Method::GET, "/people").bearer_auth(&token);
    assert_eq!(request.send().await.unwrap().status(), 403);
    let member = house.person("member").await;
    let member = house.session(member, 600).await;
    assert_eq!(house.get("/people", &member).await.status(), 403);
    assert_eq!(house.form("/people", &member, &[("act", "add"), ("login", "x")]).await.status(), 403);
    for origin in [None, Some("https://evil.example"), Some("null")] {
        let request = house.request(Method::POST, "/people").header("cookie", &admin);
        let request = origin.into_iter().fold(request, |request, origin| request.header("origin", origin));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = request.body(encoded(&[("act", "add"), ("login", "x")])).send().await.unwrap();
        assert_eq!(response.status(), 403, "{origin:?}");
    }
    assert_eq!(house.journal.list_principals().unwrap().len(), 2);
}
