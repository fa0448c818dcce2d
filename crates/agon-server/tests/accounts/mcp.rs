//! The Model Context Protocol obeys the same table.

use agon_core::form::FormField;
use agon_journal::accounts::{AuditEvent, DebateRole};
use reqwest::Method;
use serde_json::{Value, json};

use crate::accounts::house::{House, call_tool as call, read, rpc};

fn code(result: &Value) -> &str {
    result["error"]["code"].as_str().unwrap_or("ok")
}

#[tokio::test]
async fn tools_follow_the_roles_and_the_scopes() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    house.debate("d2").await;
    let judge = house.with_role("judge", &id, DebateRole::Judge).await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let stranger = house.person("stranger").await;
    let (judging, reading) = (house.token(judge, "answer").await, house.token(judge, "read").await);
    let (owning, strange) = (house.token(owner, "run").await, house.token(stranger, "answer,run").await);
    for (token, tool, arguments, wanted) in [
        (&judging, "status", json!({"debate": "d1"}), "ok"),
        (&judging, "status", json!({"debate": "d2"}), "no_such_debate"),
        (&strange, "status", json!({"debate": "d1"}), "no_such_debate"),
        (&strange, "transcript", json!({"debate": "none"}), "no_such_debate"),
        (&strange, "pause_debate", json!({"debate": "d1"}), "no_such_debate"),
        (&judging, "pause_debate", json!({"debate": "d1"}), "not_permitted"),
        (&judging, "claim_seat", json!({"debate": "d1", "seat": "proposition", "name": "x"}), "not_permitted"),
        (&reading, "claim_seat", json!({"debate": "d1", "seat": "judge", "name": "x"}), "not_permitted"),
        (&reading, "start_debate", json!({"protocol": "exchange", "motion": "m"}), "not_permitted"),
        (&judging, "claim_seat", json!({"debate": "d1", "seat": "judge", "name": "Eve"}), "ok"),
        (&owning, "pause_debate", json!({"debate": "d1", "name": "Eve"}), "ok"),
        (&owning, "resume_debate", json!({"debate": "d1", "name": "Eve"}), "ok"),
        (&owning, "claim_seat", json!({"debate": "d1", "seat": "proposition", "name": "x"}), "not_permitted"),
    ] {
        let result = call(&house, token, tool, arguments.clone()).await;
        assert_eq!(code(&result), wanted, "{tool} {arguments}: {result}");
    }
    let names = house.names(&id);
    assert_eq!(names, [owner.on_record(), owner.on_record()], "the person, not the argument");
    assert_eq!(house.journal.list_leases(&id).unwrap()[0].holder, judge.on_record());
    let listed = call(&house, &judging, "list_debates", json!({})).await;
    assert_eq!(listed["debates"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(call(&house, &strange, "list_debates", json!({})).await["debates"], json!([]));
    // Who reads everything reads the newest of all.
    let administrator = house.person("administrator").await;
    let all = house.token(administrator, "read").await;
    let listed = call(&house, &all, "list_debates", json!({})).await;
    assert_eq!(listed["debates"].as_array().unwrap().len(), 2, "{listed}");
    let newest = call(&house, &all, "list_debates", json!({"limit": 1})).await;
    assert_eq!((newest["debates"].as_array().unwrap().len(), &newest["debates"][0]["id"]), (1, &json!("d2")));
    let resource = rpc(&house, &strange, "resources/read", json!({"uri": "agon://debates/d1/transcript"})).await;
    assert!(resource["error"].is_object(), "{resource}");
    assert_eq!(rpc(&house, &strange, "resources/list", json!({})).await["result"]["resources"], json!([]));
    let started =
        call(&house, &strange, "start_debate", json!({"protocol": "exchange", "motion": "m", "id": "d3"})).await;
    let own = started["debate"].as_str().unwrap();
    assert!(own.starts_with("d3-"), "{started}");
    let d3 = agon_core::DebateId::new(own).unwrap();
    assert_eq!(house.journal.grants_of(&d3, stranger).unwrap()[0].role, DebateRole::Owner);
    let lines = house.audited("claim_seat");
    assert!(lines.iter().any(|line| line.result == "not_permitted") && lines.iter().any(|line| line.result == "ok"));
}

#[tokio::test]
async fn a_claim_that_was_passed_on_proves_nobody() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let ada = house.with_role("ada", &id, DebateRole::Debater).await;
    let bob = house.with_role("bob", &id, DebateRole::Debater).await;
    let (first, second) = (house.token(ada, "answer").await, house.token(bob, "answer").await);
    let seat = "/api/v1/debates/d1/seats/proposition";
    let (_, claim) = house.post(&format!("{seat}/claim"), &first, json!({"holder": "Somebody"})).await;
    assert_eq!(claim["holder"], ada.on_record());
    let token = claim["token"].clone();
    for (verb, body) in [
        ("answer", json!({"token": token, "text": "Bob's words"})),
        ("refresh", json!({"token": token})),
        ("release", json!({"token": token})),
    ] {
        let (status, refused) = house.post(&format!("{seat}/{verb}"), &second, body).await;
        assert_eq!((status, &refused["error"]["code"]), (403, &json!("wrong_token")), "{verb}: {refused}");
    }
    let answer = json!({"debate": "d1", "seat": "proposition", "token": token, "text": "Bob's words"});
    assert_eq!(code(&call(&house, &second, "answer", answer).await), "wrong_token");
    let prompt = house.request(Method::GET, &format!("{seat}/prompt")).bearer_auth(&first);
    let (_, prompt) = read(prompt).await;
    let text = agon_core::sample::sample_value(&FormField::from_schema(&prompt["schema"]), 1).to_string();
    let (status, receipt) = house.post(&format!("{seat}/answer"), &first, json!({"token": token, "text": text})).await;
    assert_eq!(status, 200, "{receipt}");
    assert_eq!(house.names(&id), [format!("outside:{}", ada.on_record())]);
    house.journal.record_audit_event(AuditEvent::on_command_line("x")).await.unwrap();
}

#[tokio::test]
async fn where_a_late_text_is_kept_does_not_tell_where_the_server_is() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let judge = house.with_role("judge", &id, DebateRole::Judge).await;
    let token = house.token(judge, "answer").await;
    let seat = "/api/v1/debates/d1/seats/judge";
    let (_, claim) = house.post(&format!("{seat}/claim"), &token, json!({"holder": "x"})).await;
    let answer = json!({"token": claim["token"], "text": "Too early."});
    let (status, refused) = house.post(&format!("{seat}/answer"), &token, answer).await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("not_open")), "{refused}");
    let kept = refused["error"]["kept"].as_str().unwrap();
    assert!(kept.starts_with("late/d1/judge-"), "{kept}");
    assert_eq!(std::fs::read_to_string(house.home.path().join(kept)).unwrap(), "Too early.");
    let answer = json!({"debate": "d1", "seat": "judge", "token": claim["token"], "text": "Too early."});
    let refused = call(&house, &token, "answer", answer).await;
    assert_eq!(refused["error"]["more"]["kept"], kept);
    let (_, refused) =
        house.post(&format!("{seat}/answer"), &token, json!({"token": "never", "text": "Anything."})).await;
    assert_eq!(refused["error"]["kept"], Value::Null, "{refused}");
    assert_eq!(std::fs::read_dir(house.home.path().join("late/d1")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_tool_whose_client_went_away_is_written_down() {
    let house = House::new().await;
    let ada = house.person("ada").await;
    let token = house.token(ada, "run").await;
    let arguments = json!({"protocol": "exchange", "motion": "Go slowly.", "id": "d1"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "start_debate", "arguments": arguments}});
    let request = house.request(Method::POST, "/mcp").bearer_auth(&token).json(&call);
    let request = request.header("accept", "application/json, text/event-stream");
    let gone = async { request.send().await?.text().await };
    assert!(tokio::time::timeout(std::time::Duration::from_millis(200), gone).await.is_err());
    for _ in 0..50 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        if !house.audited("start_debate").is_empty() {
            break;
        }
    }
    assert_eq!(house.audited("start_debate").first().map(|line| line.result.clone()).as_deref(), Some("ok"));
}
