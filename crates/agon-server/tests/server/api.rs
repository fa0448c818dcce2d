//! The interface for programs: every route, the desk's codes, and malformed input of many kinds.

use serde_json::{Value, json};

use crate::server::house::{House, read};

#[tokio::test]
async fn a_debate_is_read_from_its_list_to_its_files() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest on Sundays.").await;
    house.debate("d2", "Another 100% motion_x.").await;
    house.play(&id).await;
    let list = house.json("/api/v1/debates").await;
    assert_eq!(list.as_array().unwrap().len(), 2);
    for (query, found) in [
        ("?q=sundays", vec!["d1"]),
        ("?q=SUNDAYS%20rest", vec!["d1"]),
        ("?q=absent", vec![]),
        ("?q=%25", vec!["d2"]),
        ("?q=n_x", vec!["d2"]),
        ("?q=This+sample+says", vec!["d1"]),
        ("?limit=1", vec!["d2"]),
    ] {
        let list = house.json(&format!("/api/v1/debates{query}")).await;
        let ids: Vec<&str> = list.as_array().unwrap().iter().map(|line| line["id"].as_str().unwrap()).collect();
        assert_eq!(ids, found, "{query}");
    }
    let debate = house.json("/api/v1/debates/d1").await;
    assert_eq!(debate["opened"]["motion"], "This house would rest on Sundays.");
    assert_eq!((&debate["closed"], &debate["driven"]), (&json!(true), &json!(false)));
    assert_eq!(debate["seats"][0]["answered"], json!(["outside:Ada"]));
    assert_eq!(debate["phase"], "Exchange 1");
    let length = debate["entries"].as_u64().unwrap();
    let mut seen = Vec::new();
    let mut from = 0;
    while from < length {
        let part = house.json(&format!("/api/v1/debates/d1/entries?from={from}&limit=7")).await;
        seen.extend(part["entries"].as_array().unwrap().iter().map(|entry| entry["seq"].as_u64().unwrap()));
        from = part["next"].as_u64().unwrap();
    }
    assert_eq!(seen, (0..length).collect::<Vec<_>>());
    let scores = house.json("/api/v1/debates/d1/scores").await;
    assert_eq!(scores["rulings"].as_array().unwrap().len(), 2);
    assert!(house.text("/api/v1/debates/d1/transcript").await.starts_with("# This house"));
    let files = house.json("/api/v1/debates/d1/files").await;
    for file in files.as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let text = house.text(&format!("/api/v1/debates/d1/files/{path}")).await;
        assert_eq!(text.len() as u64, file["bytes"].as_u64().unwrap(), "{path}");
    }
    let manifests = house.json("/api/v1/protocols").await;
    assert_eq!(manifests.as_array().unwrap().len(), agon_protocols::ALL.len());
}

#[tokio::test]
async fn no_path_leaves_the_debate() {
    let house = House::new().await;
    house.debate("d1", "This house would rest.").await;
    std::fs::write(house.home.path().join("secret.txt"), "secret").unwrap();
    for path in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "/etc/passwd",
        "....//secret.txt",
        "record.jsonl/",
        "journal.db",
        "..%5csecret.txt",
        "%00",
    ] {
        let answer = house.get(&format!("/api/v1/debates/d1/files/{path}")).await;
        assert_eq!(answer.status(), 404, "{path}");
        assert!(!answer.text().await.unwrap().contains("secret\n"));
    }
}

#[tokio::test]
async fn the_desk_says_over_http_what_it_says_everywhere() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let seat = |seat: &str, verb: &str| format!("/api/v1/debates/d1/seats/{seat}/{verb}");
    let token = house.claim(&id, "proposition").await;
    let judge = house.claim(&id, "judge").await;
    let held = json!({"holder": "Bob"});
    for (path, body, status, code) in [
        (seat("proposition", "claim"), held.clone(), 409, "held"),
        (seat("nobody", "claim"), held.clone(), 404, "no_such_seat"),
        (seat("opposition", "claim"), json!({"holder": " "}), 422, "unusable"),
        (seat("opposition", "claim"), json!({"holder": "Bob", "seconds": 0}), 422, "unusable"),
        ("/api/v1/debates/none/seats/judge/claim".into(), held.clone(), 404, "no_such_debate"),
        ("/api/v1/debates/..%2f..%2fx/seats/judge/claim".into(), held, 404, "no_such_debate"),
        (seat("judge", "answer"), json!({"token": judge, "text": "Too early."}), 409, "not_open"),
        (seat("proposition", "answer"), json!({"token": judge, "text": "Not mine."}), 403, "wrong_token"),
        (seat("proposition", "answer"), json!({"token": "", "text": "Not mine."}), 403, "wrong_token"),
        (seat("proposition", "answer"), json!({"token": token, "text": "  "}), 422, "unusable"),
        (seat("proposition", "refresh"), json!({"token": judge}), 403, "wrong_token"),
        (seat("proposition", "refresh"), json!({"token": token, "seconds": 60}), 200, ""),
        (seat("judge", "release"), json!({"token": judge}), 200, ""),
        (seat("judge", "refresh"), json!({"token": judge}), 410, "expired"),
    ] {
        let (got, answer) = house.post(&path, body.clone()).await;
        assert_eq!((got, answer["error"]["code"].as_str().unwrap_or("")), (status, code), "{path} {body}");
        if status != 200 {
            let error = answer["error"].as_object().unwrap();
            assert_eq!(error.keys().collect::<Vec<_>>(), ["code", "message", "remedy", "kept"]);
        }
    }
    assert_eq!(house.prompt(&id, "judge").await.0, 409);
    assert_eq!(house.prompt(&id, "nobody").await.0, 404);
    // Who reads without the token is not told what a seat is asked.
    assert_eq!(house.get(&seat("proposition", "prompt")).await.status(), 401);
    house.post(&seat("proposition", "release"), json!({"token": token})).await;
    house.play(&id).await;
    let late = json!({"token": token, "text": "My late words."});
    let (status, answer) = house.post(&seat("proposition", "answer"), late).await;
    assert_eq!((status, answer["error"]["code"].as_str()), (410, Some("closed")));
    assert_eq!(answer["error"]["kept"], Value::Null, "others had the seat since");
    let last = house.claim(&id, "proposition").await;
    let late = json!({"token": last, "text": "My late words."});
    let (_, answer) = house.post(&seat("proposition", "answer"), late).await;
    let kept = answer["error"]["kept"].as_str().unwrap();
    assert!(kept.starts_with("late/d1/"), "a path of the server is nobody's business: {kept}");
    assert_eq!(std::fs::read_to_string(house.home.path().join(kept)).unwrap(), "My late words.");
}

#[tokio::test]
async fn the_same_answer_sent_eight_times_is_one_answer() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let token = house.claim(&id, "proposition").await;
    let text = house.sample(&id, "proposition").await.to_string();
    let path = "/api/v1/debates/d1/seats/proposition/answer";
    let sent = (0..8).map(|_| house.post(path, json!({"token": token, "text": text})));
    let receipts = futures::future::join_all(sent).await;
    assert_eq!(receipts[0].0, 200, "{}", receipts[0].1);
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]), "{receipts:?}");
    assert_eq!(house.journal.read_record(&id).unwrap().answers().count(), 1);
}

#[tokio::test]
async fn what_was_redacted_is_served_nowhere() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let mut statement = house.sample(&id, "proposition").await;
    statement["arguments"][0]["warrant"] = "The unspeakable word is xylophonic, which carries the claim here.".into();
    house.answer(&id, "proposition", &statement).await;
    assert!(!house.text("/debates/d1").await.contains("xylophonic"), "the other side has not answered");
    let other = house.sample(&id, "opposition").await;
    house.answer(&id, "opposition", &other).await;
    assert!(house.text("/debates/d1").await.contains("xylophonic"));
    let key = house.journal.read_record(&id).unwrap().answers().next().unwrap().1.key.clone();
    house.redact(&id, &key).await;
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    for path in [
        "/debates/d1",
        "/api/v1/debates/d1",
        "/api/v1/debates/d1/entries",
        "/api/v1/debates/d1/transcript",
        "/api/v1/debates/d1/requests",
        "/?q=xylophonic",
    ] {
        let text = house.text(path).await;
        assert!(!text.replace("value=\"xylophonic\"", "").contains("xylophonic"), "{path}");
    }
    assert_eq!(house.json("/api/v1/debates?q=xylophonic").await, json!([]));
    assert!(house.text("/debates/d1").await.contains("This text was redacted."));
    // Without the words the record would not verify, so it is not served at all.
    let refused = house.get("/api/v1/debates/d1/files/record.jsonl").await;
    assert_eq!(refused.status(), 404);
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(refused["error"]["code"], "withheld");
    let files = house.json("/api/v1/debates/d1/files").await;
    assert!(!files.as_array().unwrap().iter().any(|file| file["path"] == "record.jsonl"), "{files}");
}

#[tokio::test]
async fn malformed_input_is_refused_with_a_documented_status() {
    let house = House::new().await;
    house.debate("d1", "This house would rest.").await;
    let document = house.json("/api/v1/openapi.json").await;
    let deep = "[".repeat(10_000);
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "1",
        "\"x\"",
        &deep,
        "{\"holder\":1}",
        "{\"protocol\":\"none\",\"motion\":\"x\"}",
        "{\"protocol\":\"exchange\",\"motion\":\"x\",\"rounds\":-1}",
        "{\"a\":1}",
        "\u{0}",
        "{\"token\":null,\"text\":[]}",
    ];
    for (path, item) in document["paths"].as_object().unwrap() {
        let here = path.replace("{id}", "d1").replace("{seat}", "judge").replace("{path}", "record.jsonl");
        for (method, operation) in item.as_object().unwrap() {
            let listed = operation["responses"].as_object().unwrap();
            if method == "post" {
                for body in bodies {
                    let request = house.client.post(house.url(&here)).bearer_auth(&house.token);
                    let (status, answer) =
                        read(request.header("content-type", "application/json").body(body.to_owned())).await;
                    assert!((400..500).contains(&status), "{here} {body:.40}: {status}");
                    assert!(listed.contains_key(&status.to_string()), "{here} {body:.40}: {status}");
                    assert!(answer["error"]["code"].is_string(), "{here} {body:.40}");
                }
                let flood = house.client.post(house.url(&here)).bearer_auth(&house.token);
                let flood = flood.header("content-type", "application/json").body("x".repeat(3_000_000));
                assert_eq!(read(flood).await.0, 413, "{here}");
            } else if !path.ends_with("/events") {
                let odd = path.replace("{id}", "%ff").replace("{seat}", "%00").replace("{path}", "%ff");
                for there in [odd, format!("{here}?limit=x&from=-1&after=1.5")] {
                    let status = house.get(&there).await.status().as_u16();
                    assert!(status == 200 || listed.contains_key(&status.to_string()), "{there}: {status}");
                }
            }
        }
        assert_eq!(
            house.client.delete(house.url(&here)).bearer_auth(&house.token).send().await.unwrap().status(),
            405,
            "{here}"
        );
    }
    for (path, status) in [
        ("/api/v1/debates?limit=0", 400),
        ("/api/v1/debates?limit=501", 400),
        ("/api/v1/debates?x=1", 400),
        ("/api/v1/debates/d1/entries?from=x", 400),
        ("/api/v1/debates/d1/events?after=x", 400),
        ("/api/v1/debates/none/events", 404),
    ] {
        assert_eq!(house.get(path).await.status(), status, "{path}");
    }
}

#[tokio::test]
async fn the_document_lists_every_route() {
    let house = House::new().await;
    let document = house.json("/api/v1/openapi.json").await;
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths.len(), 23, "{paths:?}");
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses.iter().filter(|(status, _)| !status.starts_with('2')) {
                let schema = &response["content"]["application/json"]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/Refused", "{path} {status}");
            }
            assert_eq!(operation["security"], json!([{"token": []}]), "{path}");
        }
    }
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
}
