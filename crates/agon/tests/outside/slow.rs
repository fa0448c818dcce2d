//! How long calls over MCP take while the models of a debate are slow.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::outside::{
    client::{Client, Era},
    workspace::Workspace,
};

#[test]
fn every_call_ends_in_time_while_a_debate_is_slow() {
    let workspace = Workspace::new();
    let mut client = Client::begun(&workspace, Era::Initialize);
    let script = workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 60000}]}"#);
    let model = format!("scripted:{}", script.display());
    // Waits are scaled down to a second; the others do not wait for the debate at all.
    let (wait, slack) = (1, Duration::from_secs(12));
    let mut longest = (Duration::ZERO, String::new());
    let mut timed = |client: &mut Client, tool: &str, arguments: Value| {
        let started = Instant::now();
        let done = client.call(tool, arguments);
        let took = started.elapsed();
        assert!(took < Duration::from_secs(wait) + slack, "{tool}: {took:?}");
        if took > longest.0 {
            longest = (took, tool.to_owned());
        }
        done
    };
    let wish = json!({"motion": "This house would rest.", "model": model, "rounds": 0, "seconds": wait});
    let held = timed(&mut client, "debate", wish).unwrap();
    assert_eq!(held["status"], "running", "{held}");
    let debate = held["debate"].clone();
    let of = |more: Value| {
        let mut arguments = json!({"debate": debate});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for (tool, arguments) in [
        ("debate_result", of(json!({"seconds": wait}))),
        ("wait_for_turn", of(json!({"seconds": wait}))),
        ("status", of(json!({}))),
        ("transcript", of(json!({}))),
        ("scores", of(json!({}))),
        ("list_debates", json!({})),
        ("plan_debate", json!({"protocol": "exchange", "motion": "x", "model": model})),
        ("interject", of(json!({"name": "Ada", "text": "x"}))),
        ("pause_debate", of(json!({"name": "Ada"}))),
        ("resume_debate", of(json!({"name": "Ada"}))),
        ("extend_debate", of(json!({"max_requests": 90}))),
        ("export", of(json!({"format": "transcript"}))),
        ("start_debate", json!({"protocol": "exchange", "motion": "y", "model": model, "id": "d2"})),
        ("cancel_debate", json!({"debate": "d2"})),
        ("cancel_debate", of(json!({}))),
    ] {
        let _ = timed(&mut client, tool, arguments);
    }
    println!("longest call: {} in {:?}", longest.1, longest.0);
}
