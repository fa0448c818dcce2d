//! Debates that nobody drives: those who watch them, or come later, hear it.

use std::time::{Duration, Instant};

use agon_core::DebateId;
use agon_journal::DriveLock;
use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::server::house::{House, HouseOptions, call_tool, create_for, read};

async fn stopped(house: &House, id: &DebateId) -> Value {
    let (status, debate) = read(house.request(Method::GET, &format!("/api/v1/debates/{id}"))).await;
    assert_eq!(status, 200, "{debate}");
    debate["stopped"].clone()
}

#[tokio::test]
async fn a_debate_that_needs_a_driver_and_has_none_has_stopped() {
    let house = House::new().await;
    let id = create_for(&house.journal, "m1", "exchange", "Rest.", "openai:gpt-5").await.unwrap();
    let lock = DriveLock::acquire(&house.journal, &id).unwrap();
    assert_eq!(stopped(&house, &id).await, Value::Null, "another process drives it");
    assert!(house.text("/debates/m1").await.contains("is answering"));
    // Someone who watches when the driver goes away.
    let stream = house.client.get(house.url("/api/v1/debates/m1/events")).send().await.unwrap();
    let mut stream = stream.bytes_stream();
    drop(lock);
    let mut text = String::new();
    while !text.contains("event: stopped\n") {
        let part = tokio::time::timeout(Duration::from_secs(30), stream.next()).await;
        text.push_str(&String::from_utf8_lossy(&part.unwrap().unwrap().unwrap()));
    }
    assert!(text.contains("\"code\":\"interrupted\"") && text.contains("agon resume m1"), "{text}");
    let why = stopped(&house, &id).await;
    assert_eq!(why["code"], "interrupted");
    assert!(why["remedy"].as_str().unwrap().contains("agon resume m1"), "{why}");
    let page = house.text("/debates/m1").await;
    assert!(page.contains("This debate stopped: ") && !page.contains("agon resume"), "a page has buttons: {page}");
    assert!(!page.contains("is answering"), "nobody answers: {page}");
    // It is driven again, here or elsewhere.
    let lock = DriveLock::acquire(&house.journal, &id).unwrap();
    assert_eq!(stopped(&house, &id).await, Value::Null);
    drop(lock);
    assert_eq!(stopped(&house, &id).await["code"], "interrupted");
}

#[tokio::test]
async fn a_debate_of_people_goes_its_way_without_a_driver_and_a_paused_one_says_so() {
    let house = House::new().await;
    let people = house.debate("d1", "This house would rest.").await;
    assert_eq!(stopped(&house, &people).await, Value::Null);
    let id = create_for(&house.journal, "m1", "exchange", "Rest.", "openai:gpt-5").await.unwrap();
    let pause = house.request(Method::POST, "/api/v1/debates/m1/pause").bearer_auth(&house.token);
    let (status, _) = read(pause.json(&json!({"name": "Ada", "why": "lunch"}))).await;
    assert_eq!(status, 200);
    let why = stopped(&house, &id).await;
    assert_eq!(why["code"], "paused");
    assert!(why["message"].as_str().unwrap().contains("lunch"), "{why}");
}

#[tokio::test]
async fn agents_hear_at_once_that_a_debate_has_stopped_and_why() {
    let house = House::new().await;
    house.debate("d1", "This house would rest.").await;
    let id = create_for(&house.journal, "m1", "exchange", "Rest.", "openai:gpt-5").await.unwrap();
    let call = |tool, arguments| call_tool(&house, &house.token, tool, arguments);
    let lock = DriveLock::acquire(&house.journal, &id).unwrap();
    let driven = call("wait_for_turn", json!({"debate": "m1", "seconds": 0})).await;
    assert_eq!(
        (&driven["stopped"], &driven["turn"]),
        (&Value::Null, &Value::Null),
        "another process drives it: {driven}"
    );
    let began = Instant::now();
    let leaving = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        drop(lock);
    };
    let (waited, ()) = tokio::join!(call("wait_for_turn", json!({"debate": "m1", "seconds": 50})), leaving);
    let mut all = vec![("wait_for_turn", waited)];
    for tool in ["wait_for_turn", "debate_result", "status"] {
        all.push((tool, call(tool, json!({"debate": "m1"})).await));
    }
    assert!(began.elapsed() < Duration::from_secs(20), "no window is waited out: {:?}", began.elapsed());
    let listed = call("list_debates", json!({})).await["debates"].clone();
    let of = |id: &str| listed.as_array().unwrap().iter().find(|debate| debate["id"] == id).unwrap().clone();
    all.push(("list_debates", of("m1")));
    let why = stopped(&house, &id).await;
    assert_eq!(why["code"], "interrupted");
    for (tool, told) in all {
        for part in ["code", "message", "remedy"] {
            assert_eq!(told["stopped"][part], why[part], "{tool}: {told}");
        }
    }
    // People need no driver.
    assert_eq!(of("d1")["stopped"], Value::Null);
    let waited = call("wait_for_turn", json!({"debate": "d1"})).await;
    assert!(waited["turn"].is_object() && waited["stopped"].is_null(), "{waited}");
}

#[tokio::test]
async fn waits_of_agents_end_with_an_answer_when_the_server_stops() {
    let (end, ended) = oneshot::channel();
    let house = House::start(HouseOptions { end: Some(ended), ..HouseOptions::default() }).await;
    let id = create_for(&house.journal, "m1", "exchange", "Rest.", "openai:gpt-5").await.unwrap();
    let _lock = DriveLock::acquire(&house.journal, &id).unwrap();
    let call = |tool| call_tool(&house, &house.token, tool, json!({"debate": "m1", "seconds": 50}));
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        end.send(()).unwrap();
        Instant::now()
    };
    let (turn, result, began) = tokio::join!(call("wait_for_turn"), call("debate_result"), stopping);
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "before the server gives up on its clients: {:?}",
        began.elapsed()
    );
    assert!(turn["next"].as_str().unwrap().contains("call wait_for_turn again"), "{turn}");
    assert_eq!((&turn["turn"], &turn["stopped"]), (&Value::Null, &Value::Null), "{turn}");
    assert!(result["next"].as_str().unwrap().contains("call debate_result"), "{result}");
    assert_eq!(result["status"], "running", "{result}");
}
