//! Debates that nobody drives: those who watch them, or come later, hear it.

use std::time::Duration;

use agon_core::DebateId;
use agon_journal::DriveLock;
use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::house::{House, create_for, read};

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
