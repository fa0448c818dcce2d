//! Quotas: refused before anything is opened; and the person who starts a debate owns it.

use agon_journal::accounts::DebateRole;
use agon_journal::accounts::{AuditEvent, Quotas};
use agon_runtime::config::{AccountsConfig, QuotasConfig};
use reqwest::Method;
use serde_json::json;

use crate::accounts::house::{House, create};

#[tokio::test]
async fn a_person_starts_as_much_as_the_quota_allows() {
    let quotas = QuotasConfig { debates_per_day: Some(2), open_debates: None, max_cost_usd: Some(5.0) };
    let house = House::with(AccountsConfig { quotas, ..AccountsConfig::default() }).await;
    let (ada, bob) = (house.person("ada").await, house.person("bob").await);
    let (token, other) = (house.token(ada, "run").await, house.token(bob, "run").await);
    let start = |token: String, id: &'static str, cost: Option<f64>| {
        let body = json!({"protocol": "exchange", "motion": "This house would rest.", "id": id, "max_cost": cost});
        let house = &house;
        async move { house.post("/api/v1/debates", &token, body).await }
    };
    let (status, body) = start(token.clone(), "dear", Some(6.0)).await;
    assert_eq!((status, &body["error"]["code"]), (429, &json!("quota")), "{body}");
    let id = |body: &serde_json::Value| agon_core::DebateId::new(body["id"].as_str().unwrap()).unwrap();
    let d1 = id(&start(token.clone(), "d1", Some(4.0)).await.1);
    let d2 = id(&start(token.clone(), "d2", None).await.1);
    let motion = house.journal.find_summary(&d2).unwrap().unwrap().motion;
    assert_eq!(motion, "This house would rest. for 1.00", "it may cost what is left");
    let (status, body) = start(token.clone(), "d3", Some(0.1)).await;
    assert_eq!((status, &body["error"]["code"]), (429, &json!("quota")), "{body}");
    assert_eq!(house.journal.list_debates(9).unwrap().len(), 2);
    let extend = format!("/api/v1/debates/{d1}/extend");
    assert_eq!(house.journal.grants_of(&d1, ada).unwrap()[0].role.name(), "owner");
    assert_eq!(house.post(&extend, &token, json!({"max_cost": 4.5})).await.0, 429);
    assert_eq!(house.post(&extend, &other, json!({"max_cost": 4.0})).await.0, 404);
    let more = Quotas { debates_per_day: Some(9), cost_microusd: Some(50_000_000), ..Quotas::default() };
    house.journal.set_quotas(ada, more, AuditEvent::on_command_line("x")).await.unwrap();
    assert_eq!(start(token.clone(), "d3", Some(0.1)).await.0, 201);
    assert_eq!(house.post(&extend, &token, json!({"max_cost": 4.5})).await.0, 200);
    // What was not opened does not count.
    let body = json!({"protocol": "exchange", "motion": " "});
    for _ in 0..12 {
        assert_eq!(house.post("/api/v1/debates", &other, body.clone()).await.0, 422);
    }
    assert_eq!(start(other, "d4", Some(1.0)).await.0, 201);
    // Lists hold what the person may read.
    let cookie = house.session(ada, 600).await;
    let home = house.text("/", &cookie).await;
    assert!(home.contains("/debates/d1") && !home.contains("/debates/d4"));
    let searched = house.text("/?q=rest", &cookie).await;
    assert!(searched.contains("/debates/d1") && !searched.contains("/debates/d4"));
}

#[tokio::test]
async fn what_is_not_extended_does_not_count() {
    let quotas = QuotasConfig { debates_per_day: None, open_debates: None, max_cost_usd: Some(5.0) };
    let house = House::with(AccountsConfig { quotas, ..AccountsConfig::default() }).await;
    let ada = house.person("ada").await;
    let token = house.token(ada, "run").await;
    let start = |id: &'static str, cost: f64| {
        let body = json!({"protocol": "exchange", "motion": "m", "id": id, "max_cost": cost});
        let (house, token) = (&house, &token);
        async move { house.post("/api/v1/debates", token, body).await }
    };
    let (status, started) = start("d1", 1.0).await;
    assert_eq!(status, 201, "{started}");
    let refused = json!({"max_cost": 5.0, "max_time": "1m"});
    let extend = format!("/api/v1/debates/{}/extend", started["id"].as_str().unwrap());
    assert_eq!(house.post(&extend, &token, refused).await.0, 422);
    assert_eq!(start("d2", 4.5).await.0, 429);
    assert_eq!(start("d2", 3.0).await.0, 201, "the rest is still there");
    // A debate without a limit of its own gets what is left, also where nobody names a sum.
    let id = create(&house.journal, "d3", "exchange", "m").await.unwrap();
    house.journal.grant_role(&id, ada, DebateRole::Owner, None, AuditEvent::on_command_line("x")).await.unwrap();
    let limit = || agon_runtime::drive::current_limits(&house.journal.read_record(&id).unwrap()).cost_microusd_max;
    assert_eq!(limit(), None);
    assert_eq!(house.post("/api/v1/debates/d3/extend", &token, json!({"rounds": 1})).await.0, 200);
    assert_eq!(limit(), Some(1_000_000));
    assert_eq!(start("d4", 0.1).await.0, 429);
}

#[tokio::test]
async fn an_act_whose_client_went_away_is_written_down() {
    let house = House::new().await;
    let ada = house.person("ada").await;
    let token = house.token(ada, "run").await;
    let body = json!({"protocol": "exchange", "motion": "Go slowly.", "id": "d1"});
    let request = house.request(Method::POST, "/api/v1/debates").bearer_auth(&token).json(&body);
    let gone = request.timeout(std::time::Duration::from_millis(200)).send().await;
    assert!(gone.is_err_and(|error| error.is_timeout()));
    for _ in 0..50 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        if !house.audited("start_debate").is_empty() {
            break;
        }
    }
    let lines = house.audited("start_debate");
    assert_eq!(lines.iter().map(|line| line.result.as_str()).collect::<Vec<_>>(), ["ok"]);
    let id = house.journal.list_debates(1).unwrap().remove(0).id;
    assert_eq!(house.journal.grants_of(&id, ada).unwrap().len(), 1, "and its owner has it");
}
