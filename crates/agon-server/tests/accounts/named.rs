//! What a request to open a debate names, and the names that people give themselves.

use agon_core::DebateId;
use agon_journal::accounts::{AuditEvent, DebateRole, GrantsTaken};
use reqwest::Method;
use serde_json::{Value, json};

use crate::accounts::house::{House, create, read};

#[tokio::test]
async fn an_id_that_is_taken_is_answered_like_one_that_is_free() {
    let house = House::new().await;
    house.debate("budget-2027").await;
    let ivy = house.person("ivy").await;
    let token = house.token(ivy, "run").await;
    let mut started = Vec::new();
    for id in ["budget-2027", "budget-2028"] {
        let (status, answer) =
            house.post("/api/v1/debates", &token, json!({"protocol": "exchange", "motion": "m", "id": id})).await;
        assert_eq!(status, 201, "{answer}");
        let own = answer["id"].as_str().unwrap().to_owned();
        assert!(own.starts_with(&format!("{id}-")) && own.len() == id.len() + 9, "{own}");
        started.push(own);
    }
    // The same id of the same person is the same debate, as a client expects that sends twice.
    let (status, again) = house
        .post("/api/v1/debates", &token, json!({"protocol": "exchange", "motion": "m", "id": "budget-2028"}))
        .await;
    assert_eq!((status, &again["error"]["code"]), (409, &json!("exists")), "{again}");
    let other = house.person("ben").await;
    let token = house.token(other, "run").await;
    let (status, answer) = house
        .post("/api/v1/debates", &token, json!({"protocol": "exchange", "motion": "m", "id": "budget-2028"}))
        .await;
    assert!(status == 201 && answer["id"] != started[1].as_str(), "{answer}");
    let long = "a".repeat(64);
    let (status, answer) =
        house.post("/api/v1/debates", &token, json!({"protocol": "exchange", "motion": "m", "id": long})).await;
    assert!(status == 201 && answer["id"].as_str().unwrap().len() == 64, "{answer}");
    // Who reads every debate is told what is taken.
    let administrator = house.person("administrator").await;
    let token = house.token(administrator, "run").await;
    let (status, taken) = house
        .post("/api/v1/debates", &token, json!({"protocol": "exchange", "motion": "m", "id": "budget-2027"}))
        .await;
    assert_eq!((status, &taken["error"]["code"]), (409, &json!("exists")), "{taken}");
}

#[tokio::test]
async fn a_debate_that_answers_from_another_continues_for_those_who_read_the_other() {
    let house = House::new().await;
    let secret = house.debate("secret").await;
    let own = create(&house.journal, "own", "exchange", "m").await.unwrap();
    // The line-up of the second debate names the first.
    let mut opened = house.journal.read_record(&own).unwrap().opened().clone();
    let again = DebateId::new("again").unwrap();
    (opened.debate, opened.lineup[0].model) = (again.clone(), "recorded:secret".into());
    let texts = house.journal.read_texts(opened.prompts.values()).unwrap().into_iter().collect();
    house.journal.create_debate(agon_core::Event::Opened(opened), texts, None).await.unwrap();
    let ivy = house.with_role("ivy", &again, DebateRole::Owner).await;
    let audit = || AuditEvent::on_command_line("test");
    house.journal.grant_role(&secret, ivy, DebateRole::Viewer, None, audit()).await.unwrap();
    let token = house.token(ivy, "run").await;
    let resume = |token: String| {
        let house = &house;
        async move { house.post("/api/v1/debates/again/extend", &token, json!({"rounds": 1})).await }
    };
    let (allowed, _) = resume(token.clone()).await;
    house.journal.revoke_roles(&secret, ivy, GrantsTaken::All, audit()).await.unwrap();
    let (status, refused) = resume(token).await;
    assert_ne!(allowed, 422);
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(status == 422 && message.contains("no debate secret"), "{refused}");
}

async fn renames(house: &House, cookie: &str, name: &str) -> (u16, String) {
    let sent = house.form("/account", cookie, &[("act", "name"), ("display", name)]).await;
    (sent.status().as_u16(), sent.text().await.unwrap())
}

#[tokio::test]
async fn nobody_is_called_like_another() {
    let house = House::new().await;
    house.person("administrator").await;
    let dora = house.person("dora").await;
    let audit = || AuditEvent::on_command_line("test");
    let ada = house.person("ada").await;
    house.journal.set_display(ada, "Ada Lovelace".into(), audit()).await.unwrap();
    let cookie = house.session(dora, 600).await;
    for name in [
        "Ada Lovelace",
        "ada lovelace",
        "Аdа Lоvеlасе",
        "Ada\u{200b} Lovelace",
        "ada",
        "administrator",
        "deleted account",
        "Deleted  Account p-0000000000000000",
        "unknown account",
        "judge",
        "Judge",
        "proposition",
        "human",
        "gpt-5",
        "gрt-5",
        "openai:gpt-5",
        "local",
        "person:p-0000000000000000",
    ] {
        renames(&house, &cookie, name).await;
        let display = house.journal.find_principal(dora).unwrap().unwrap().display;
        assert_eq!(display, "dora <b>", "{name}");
    }
    renames(&house, &cookie, "Dora Marsden").await;
    assert_eq!(house.journal.find_principal(dora).unwrap().unwrap().display, "Dora Marsden");
    // One's own name can be written otherwise.
    renames(&house, &cookie, "DORA Marsden").await;
    assert_eq!(house.journal.find_principal(dora).unwrap().unwrap().display, "DORA Marsden");
}

#[tokio::test]
async fn a_role_that_is_taken_back_frees_the_seat() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let dora = house.with_role("dora", &id, DebateRole::Debater).await;
    let (owning, debating) = (house.token(owner, "answer").await, house.token(dora, "answer").await);
    let claim = "/api/v1/debates/d1/seats/proposition/claim";
    let (status, held) = house.post(claim, &debating, json!({"holder": "x", "seconds": 3600})).await;
    assert_eq!(status, 200, "{held}");
    let (status, refused) = house.post(claim, &owning, json!({"holder": "x"})).await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("held")));
    let audit = AuditEvent::on_command_line("test");
    house.journal.revoke_roles(&id, dora, GrantsTaken::All, audit).await.unwrap();
    let (status, given) = house.post(claim, &owning, json!({"holder": "x"})).await;
    assert_eq!(status, 200, "{given}");
    let answer = json!({"token": held["token"], "text": "Late."});
    let (status, _) = house.post("/api/v1/debates/d1/seats/proposition/answer", &debating, answer).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_page_of_the_same_host_over_another_scheme_is_of_another_site() {
    let public_url = Some("http://agon.lan".into());
    let config = agon_runtime::config::AccountsConfig { public_url, ..Default::default() };
    let house = House::with(config).await;
    let ada = house.person("ada").await;
    let cookie = house.session(ada, 600).await;
    let write = |origin: &str| {
        let request = house.request(Method::POST, "/account").header("cookie", &cookie);
        let request = request.header("origin", origin.to_owned()).header("host", "agon.lan");
        request.header("content-type", "application/x-www-form-urlencoded").body("act=none")
    };
    for (origin, is_own) in [
        ("http://agon.lan", true),
        ("HTTP://AGON.LAN", true),
        ("https://agon.lan", false),
        ("http://agon.lan:8911", false),
        ("null", false),
    ] {
        let status = write(origin).send().await.unwrap().status().as_u16();
        assert_eq!(status != 403 && status != 421, is_own, "{origin}: {status}");
    }
}

#[tokio::test]
async fn a_client_elsewhere_is_not_told_where_files_are() {
    let house = House::new().await;
    let administrator = house.person("administrator").await;
    let like = house.debate("d0").await;
    let mut opened = house.journal.read_record(&like).unwrap().opened().clone();
    opened.debate = DebateId::new("d1").unwrap();
    let texts = house.journal.read_texts(opened.prompts.values()).unwrap().into_iter().collect();
    let folder = Some("/srv/agon/debates/d1".into());
    house.journal.create_debate(agon_core::Event::Opened(opened), texts, folder).await.unwrap();
    let token = house.token(administrator, "run,read").await;
    for (tool, arguments) in [("list_debates", json!({})), ("debate_result", json!({"debate": "d1", "seconds": 0}))] {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let request = house.request(Method::POST, "/mcp").bearer_auth(&token).json(&call);
        let request = request.header("accept", "application/json, text/event-stream");
        let text = request.send().await.unwrap().text().await.unwrap();
        assert!(text.contains("d1") && !text.contains("/srv/agon"), "{tool}: {text}");
    }
    let (_, listed): (u16, Value) = read(house.request(Method::GET, "/api/v1/debates").bearer_auth(&token)).await;
    assert!(!listed.to_string().contains("/srv/agon"), "{listed}");
}
