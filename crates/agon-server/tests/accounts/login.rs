//! Logging in and out, sessions, forms that come too late, and what attackers try.

use std::time::Instant;

use agon_journal::accounts::{AuditEvent, DebateRole};
use agon_server::{AccountsSettings, OperationConfig};
use futures::{StreamExt, stream::FuturesUnordered};
use reqwest::Method;

use crate::accounts::{
    house::{House, HouseOptions, encoded},
    matrix::expired,
    people::{PASSWORD, set_cookie},
};

async fn log_in(house: &House, login: &str, password: &str, next: &str) -> reqwest::Response {
    house.form("/login", "", &[("login", login), ("password", password), ("next", next)]).await
}

#[tokio::test]
async fn a_person_logs_in_and_out() {
    let house = House::new().await;
    house.person_with_password("ada").await;
    let response = house.get("/?q=a&b=c", "").await;
    assert_eq!(response.headers()["location"], "/login?next=/%3Fq%3Da%26b%3Dc");
    let page = house.text("/login?next=/%3Fq%3Da%26b%3Dc", "").await;
    assert!(page.contains("value=\"/?q=a&amp;b=c\"") && page.contains("autocomplete=\"current-password\""));
    let response = log_in(&house, "Ada", PASSWORD, "/?q=a&b=c").await;
    assert_eq!((response.status().as_u16(), &response.headers()["location"]), (303, &"/?q=a&b=c".parse().unwrap()));
    let (cookie, set) = set_cookie(&response);
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax") && set.contains("Path=/"), "{set}");
    let home = house.text("/", &cookie).await;
    assert!(home.contains("href=\"/account\"") && home.contains("Start a debate"));
    assert!(!home.contains("<script>"));
    let account = house.text("/account", &cookie).await;
    assert!(account.contains("ada &lt;b&gt;"), "names are text");
    let id = house.journal.principal_named("ada").unwrap().unwrap().id;
    assert_eq!(account.matches(&format!("person:<wbr>{id}")).count(), 2, "what records say, and not the name");
    let out = house.form("/logout", &cookie, &[]).await;
    assert_eq!(out.headers()["location"], "/login");
    assert_eq!(house.get("/account", &cookie).await.status(), 303, "the session has ended, not only its cookie");
    let actions: Vec<_> = ["login", "logout"].into_iter().flat_map(|action| house.audited(action)).collect();
    assert_eq!(actions.len(), 2);
    assert!(actions.iter().all(|line| line.result == "ok" && line.address.as_deref() == Some("127.0.0.1")));
}

#[tokio::test]
async fn nobody_learns_whether_there_is_such_a_person() {
    let house = House::new().await;
    house.person_with_password("ada").await;
    let disabled = house.person_with_password("eve").await;
    house.journal.set_disabled(disabled, true, AuditEvent::on_command_line("x")).await.unwrap();
    let mut pages = Vec::new();
    let mut times = Vec::new();
    for (login, password) in
        [("ada", "wrong password"), ("nobody", "wrong password"), ("eve", PASSWORD), ("eve", "wrong")]
    {
        let since = Instant::now();
        let response = log_in(&house, login, password, "/").await;
        times.push(since.elapsed());
        assert_eq!(response.status(), 401);
        assert!(response.headers().get("set-cookie").is_none());
        pages.push(response.text().await.unwrap().replace(&format!("value=\"{login}\""), ""));
    }
    assert!(pages.iter().all(|page| *page == pages[0]), "the pages differ");
    let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
    assert!(*most < *least * 4, "{times:?}: one kind is told by its time");
}

#[tokio::test]
async fn guessing_is_limited_and_written_down() {
    let house = House::new().await;
    let ada = house.person_with_password("ada").await.to_string();
    for _ in 0..10 {
        assert_eq!(log_in(&house, "ada", "wrong password", "/").await.status(), 401);
    }
    assert_eq!(log_in(&house, "ada", PASSWORD, "/").await.status(), 429, "also with the right one");
    let lines = house.audited("login");
    assert_eq!(
        (lines.len(), lines[0].result.as_str(), lines[0].target.as_deref()),
        (10, "refused", Some(ada.as_str()))
    );
}

/// Memory that this process has in use, in MB; 0 where the system does not say.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1000
}

/// A server behind a proxy that says who its clients are.
async fn behind_proxy() -> House {
    let proxy = "127.0.0.1".parse().unwrap();
    let operation = OperationConfig { rate_factor: 0.0, trust_proxies: vec![proxy] };
    House::start(HouseOptions { accounts: Some(AccountsSettings::default()), operation, ..HouseOptions::default() })
        .await
}

/// The answer to a wrong login of the `n`th name from the `n`th address.
async fn wrong_login(house: &House, n: u32) -> reqwest::Response {
    let request = house.request(Method::POST, "/login").header("origin", house.origin());
    let request = request.header("x-forwarded-for", format!("198.51.{}.{}", n / 200, n % 200 + 1));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let body = encoded(&[("login", &format!("nobody-{n}")), ("password", "wrong password")]);
    request.body(body).send().await.unwrap()
}

#[tokio::test]
async fn who_logs_in_with_too_many_others_hears_when_to_try_again() {
    let house = &behind_proxy().await;
    let mut tries: FuturesUnordered<_> = (0..200).map(|n| wrong_login(house, n)).collect();
    // Those who wait give up when the test ends.
    let refused = loop {
        let answer = tries.next().await.expect("someone is refused");
        if answer.status() == 503 {
            break answer;
        }
    };
    assert_eq!(refused.headers()["retry-after"], "2");
}

/// A measurement of the whole process, alone: `AGON_MEASURE=1 cargo test --release --workspace --exclude agon-cluster
/// memory_of -- --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout)]
async fn memory_of_a_server_under_400_wrong_logins() {
    if std::env::var_os("AGON_MEASURE").is_none() {
        return println!("skipped: AGON_MEASURE is not set");
    }
    let house = &behind_proxy().await;
    let before = memory();
    let tries = (0..400).map(|n| async move { wrong_login(house, n).await.status().as_u16() });
    let mut most = before;
    let tries = futures::future::join_all(tries);
    let mut tries = std::pin::pin!(tries);
    let statuses = loop {
        tokio::select! {
            statuses = &mut tries => break statuses,
            () = tokio::time::sleep(std::time::Duration::from_millis(20)) => most = most.max(memory()),
        }
    };
    let after = memory();
    let checked = statuses.iter().filter(|status| **status == 401).count();
    println!("before {before} MB, at most {most} MB, after {after} MB; {checked} of 400 were checked");
    assert!(most < 200, "{most} MB");
}

#[tokio::test]
async fn a_login_leads_to_this_server_alone() {
    let house = House::new().await;
    house.person_with_password("ada").await;
    for next in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/logout"] {
        let response = log_in(&house, "ada", PASSWORD, next).await;
        assert_eq!(response.headers()["location"], "/", "{next}");
        let page = house.text(&format!("/login?next={}", encoded(&[("", next)]).trim_start_matches('=')), "").await;
        assert!(page.contains("name=\"next\" value=\"/\""), "{next}");
    }
}

#[tokio::test]
async fn a_form_of_another_site_does_nothing() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    house.person_with_password("ada").await;
    let cookie = house.session(owner, 600).await;
    for origin in [Some("https://evil.example"), Some("null"), None] {
        for (path, body) in [
            ("/debates/d1/acts", encoded(&[("act", "cancel")])),
            ("/account/tokens", encoded(&[("name", "stolen")])),
            ("/debates/d1/share", encoded(&[("act", "link")])),
            ("/logout", String::new()),
            ("/login", encoded(&[("login", "ada"), ("password", PASSWORD)])),
        ] {
            let request = house.request(Method::POST, path).header("cookie", &cookie);
            let request = origin.into_iter().fold(request, |request, origin| request.header("origin", origin));
            let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 403, "{path} from {origin:?}");
            assert!(response.headers().get("set-cookie").is_none());
        }
    }
    assert!(house.journal.read_record(&id).unwrap().closing_outcome().is_none());
    assert_eq!(house.get("/account", &cookie).await.status(), 200);
}

#[tokio::test]
async fn what_was_written_is_shown_again_after_an_expired_login() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let judge = house.with_role("judge", &id, DebateRole::Judge).await;
    let other = house.person("other").await;
    let cookie = expired(&house, judge).await;
    let words = "A long verdict: <b>ü & \"quotes\"\nand a second line + 100%";
    let response = house.form("/debates/d1/seats/judge", &cookie, &[("key", "k"), ("text", words)]).await;
    assert_eq!(response.status(), 401);
    let page = response.text().await.unwrap();
    let at = page.find("/drafts/").expect(&page);
    let draft: String = page[at..].chars().take_while(|c| *c != '"').collect();
    assert!(house.names(&id).is_empty(), "nothing was sent on");
    let strange = house.session(other, 600).await;
    assert_eq!(house.get(&draft, &strange).await.status(), 404, "it is the person's alone");
    let again = house.session(judge, 600).await;
    let shown = house.text(&draft, &again).await;
    assert!(shown.contains("action=\"/debates/d1/seats/judge\"") && shown.contains("method=\"post\""));
    assert!(shown.contains("A long verdict: &lt;b&gt;ü &amp; &quot;quotes&quot;\nand a second line + 100%"), "{shown}");
    let start = [("protocol", "exchange"), ("motion", "This house would <i>wait</i>."), ("rounds", "2")];
    let page = house.form("/debates", &cookie, &start).await.text().await.unwrap();
    let at = page.find("/drafts/").expect(&page);
    let draft: String = page[at..].chars().take_while(|c| *c != '"').collect();
    let shown = house.text(&draft, &again).await;
    assert!(shown.contains("action=\"/debates\"") && shown.contains("would &lt;i&gt;wait&lt;/i&gt;"), "{shown}");
    // Of forms about accounts, people are told that nothing was sent.
    let page = house.form("/people", &cookie, &[("act", "add"), ("login", "x")]).await.text().await.unwrap();
    assert!(page.contains("Nothing was sent") && !page.contains("/drafts/"), "{page}");
    // Passwords are not kept.
    let response = house.form("/account", &cookie, &[("act", "password"), ("new", "a new password")]).await;
    assert!(!response.text().await.unwrap().contains("/drafts/"));
}

#[tokio::test]
async fn a_session_is_secure_behind_https() {
    let public_url = Some("https://agon.example".into());
    let config = agon_runtime::config::AccountsConfig { public_url, ..Default::default() };
    let house = House::with(config).await;
    house.person_with_password("ada").await;
    let (cookie, set) = set_cookie(&log_in(&house, "ada", PASSWORD, "/").await);
    assert!(set.starts_with("__Host-agon_session=") && set.ends_with("; Secure"), "{set}");
    assert_eq!(house.get("/account", &cookie).await.status(), 200);
}

#[tokio::test]
async fn a_password_is_changed_by_its_person_and_ends_all_other_logins() {
    let house = House::new().await;
    let ada = house.person_with_password("ada").await;
    let (mine, other) = (house.session(ada, 600).await, house.session(ada, 600).await);
    let change = async |old: &str, new: &str| {
        house.form("/account", &mine, &[("act", "password"), ("old", old), ("new", new)]).await
    };
    assert_eq!(change("wrong password", "another long password").await.status(), 403);
    assert_eq!(change(PASSWORD, "short").await.status(), 422);
    assert_eq!(house.get("/account", &other).await.status(), 200);
    assert_eq!(change(PASSWORD, " another long password ").await.status(), 200);
    assert_eq!(house.get("/account", &mine).await.status(), 200);
    assert_eq!(house.get("/account", &other).await.status(), 303);
    assert_eq!(log_in(&house, "ada", PASSWORD, "/").await.status(), 401);
    assert_eq!(log_in(&house, "ada", " another long password ", "/").await.status(), 303);
}

#[tokio::test]
async fn guessing_is_limited_across_servers_that_share_a_journal() {
    let home = tempfile::tempdir().unwrap();
    let open = || Some(std::sync::Arc::new(agon_journal::Journal::open(home.path()).unwrap()));
    let config = agon_runtime::config::AccountsConfig::default;
    let houses = [House::over(open(), config()).await, House::over(open(), config()).await];
    houses[0].person_with_password("ada").await;
    for at in 0..10 {
        assert_eq!(log_in(&houses[at % 2], "ada", "wrong password", "/").await.status(), 401, "{at}");
    }
    for house in &houses {
        assert_eq!(log_in(house, "ada", PASSWORD, "/").await.status(), 429, "also with the right one");
    }
}
