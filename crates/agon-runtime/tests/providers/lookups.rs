//! Models that look something up before they answer, over every interface.

use std::sync::{Arc, Mutex};

use agon_core::{LookupRequest, Seat};
use agon_material::lookup::LookupAnswer;
use agon_runtime::{
    lookups::{LookupDesk, LookupSource, LookupTool, LookupTurn},
    participant::{
        CallFailure, CallLookups,
        provider::{Provider, ProviderKind, ProviderSpec},
    },
};
use axum::{Router, body::Bytes, extract::State, http::StatusCode, response::IntoResponse, routing::any};
use serde_json::{Value, json};

use super::setup::{Heard, KINDS, TIMEOUTS, call_with_schema};
use agon_runtime::participant::{Call, Participant};

/// Finds everything.
struct Library;

#[async_trait::async_trait]
impl LookupSource for Library {
    fn tools(&self) -> &[LookupTool] {
        &[LookupTool::Search, LookupTool::Read]
    }

    async fn look_up(&self, _: &Seat, asked: &LookupRequest, _: usize) -> LookupAnswer {
        LookupAnswer::Found(format!("found: {}", asked.describe_object()))
    }
}

/// The streams in which a server of `kind` calls two tools at once, the first in pieces.
fn calling(kind: ProviderKind) -> String {
    let frames = match kind {
        ProviderKind::Anthropic => vec![
            json!({"type": "message_start", "message": {"id": "m1", "model": "mock", "usage": {"input_tokens": 9}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s1"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "I look."}}),
            json!({"type": "content_block_start", "index": 2,
                "content_block": {"type": "tool_use", "id": "c1", "name": "search", "input": {}}}),
            json!({"type": "content_block_delta", "index": 2,
                "delta": {"type": "input_json_delta", "partial_json": "{\"words\": \"fn "}}),
            json!({"type": "content_block_delta", "index": 2,
                "delta": {"type": "input_json_delta", "partial_json": "main\"}"}}),
            json!({"type": "content_block_start", "index": 3,
                "content_block": {"type": "tool_use", "id": "c2", "name": "read", "input": {"path": "a.rs"}}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}}),
            json!({"type": "message_stop"}),
        ],
        ProviderKind::Gemini => vec![
            json!({"candidates": [{"content": {"parts": [{"text": "I look."},
                {"functionCall": {"name": "search", "args": {"words": "fn main"}}, "thoughtSignature": "s1"}]}}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "read", "args": {"path": "a.rs"}}}]},
                "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4}}),
        ],
        ProviderKind::Ollama => vec![
            json!({"model": "mock", "message": {"role": "assistant", "content": "I look.", "tool_calls": [
                {"function": {"name": "search", "arguments": {"words": "fn main"}}},
                {"function": {"name": "read", "arguments": {"path": "a.rs"}}}]}, "done": false}),
            json!({"model": "mock", "message": {"role": "assistant", "content": ""}, "done": true,
                "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 4}),
        ],
        ProviderKind::OpenAi | ProviderKind::Azure => vec![
            json!({"model": "mock", "choices": [{"delta": {"content": "I look."}}]}),
            json!({"choices": [{"delta": {"tool_calls": [
                {"index": 0, "id": "c1", "function": {"name": "search", "arguments": "{\"words\": "}}]}}]}),
            json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "\"fn main\"}"}},
                {"index": 1, "id": "c2", "function": {"name": "read", "arguments": "{\"path\": \"a.rs\"}"}}]}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 4}}),
        ],
    };
    let line = |frame: &Value| match kind {
        ProviderKind::Ollama => format!("{frame}\n"),
        _ => format!("data: {frame}\n\n"),
    };
    frames.iter().map(line).collect()
}

/// A server that answers every request with `body`, and what it was asked.
async fn server(status: StatusCode, body: String) -> (String, Arc<Mutex<Vec<Value>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let answer = move |State((asked, body)): State<(Arc<Mutex<Vec<Value>>>, String)>, sent: Bytes| async move {
        asked.lock().unwrap().push(serde_json::from_slice(&sent).unwrap_or_default());
        (status, [("content-type", "text/event-stream")], body).into_response()
    };
    let routes = Router::new().fallback(any(answer)).with_state((Arc::clone(&asked), body));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (address, asked)
}

fn provider(kind: ProviderKind, base: &str) -> Provider {
    let spec = ProviderSpec {
        base_url: Some(base.to_owned()),
        api_key: Some("k".into()),
        timeouts: TIMEOUTS,
        ..ProviderSpec::new(kind, "mock")
    };
    Provider::new(spec).unwrap()
}

fn call_with_lookups() -> Call {
    let tools = vec![LookupTool::Search, LookupTool::Read];
    let desk = Arc::new(LookupDesk::new(Arc::new(Library), Seat::new("critic").unwrap(), tools));
    Call { lookups: Some(CallLookups { desk, turns: Vec::new() }), ..call_with_schema("Why?") }
}

/// Makes the call, looks up what it asks for, and gives the call that shows it.
async fn look_up(provider: &Provider, mut call: Call) -> Call {
    let wanted = provider.answer(&call, &Heard::default()).await.unwrap_err();
    let CallFailure::LooksUp { requested, usage } = wanted else { panic!("{wanted:?}") };
    assert_eq!(usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens)), Some((9, 4)));
    let lookups = call.lookups.as_mut().unwrap();
    let mut results = Vec::new();
    for call in &requested.calls {
        results.push(lookups.desk.look_up(&call.name, &call.arguments).await);
    }
    lookups.turns.push(LookupTurn { requested: *requested, results });
    call
}

#[tokio::test]
async fn what_is_called_for_is_looked_up_and_shown_in_the_form_of_each_interface() {
    for kind in KINDS {
        let (base, asked) = server(StatusCode::OK, calling(kind)).await;
        let provider = provider(kind, &base);
        let call = look_up(&provider, call_with_lookups()).await;
        let turn = &call.lookups.as_ref().unwrap().turns[0];
        let calls: Vec<(&str, &str)> =
            turn.made_calls().map(|(call, text)| (call.name.as_str(), text.as_str())).collect();
        let shown = |of: &str| format!("<material>\nfound: {of}\n</material>");
        assert_eq!(calls, [("search", shown("fn main").as_str()), ("read", shown("a.rs").as_str())], "{kind:?}");
        assert_eq!(turn.requested.said, "I look.", "{kind:?}");
        look_up(&provider, call.clone()).await;
        call.lookups.as_ref().unwrap().desk.close();
        drop(provider.answer(&call, &Heard::default()).await);
        let asked = asked.lock().unwrap();
        let shown = json!({"shown": tail(&asked[1]), "closed": closed(&asked[2])});
        insta::assert_snapshot!(format!("lookups-{kind:?}"), serde_json::to_string_pretty(&shown).unwrap());
    }
}

/// The tools of a request, and its last two messages or turns.
fn tail(body: &Value) -> Value {
    let messages = body["messages"].as_array().or_else(|| body["contents"].as_array()).unwrap();
    let from = messages.iter().rposition(|message| message["role"] == "assistant" || message["role"] == "model");
    json!({"tools": body["tools"], "turn": messages[from.unwrap()..]})
}

/// What keeps a model from calling further tools.
fn closed(body: &Value) -> Value {
    json!({"tools": body["tools"].is_array(), "tool_choice": body["tool_choice"],
        "schema": body["response_format"].is_object() || body["format"].is_object()
            || body["output_config"].is_object() || body["generationConfig"]["responseJsonSchema"].is_object()})
}

#[tokio::test]
async fn a_model_that_takes_no_tools_is_asked_without_them() {
    for (kind, status, complaint) in [
        (ProviderKind::OpenAi, 400, "Cannot use custom grammar constraints with tools."),
        (ProviderKind::OpenAi, 404, "No endpoints found that support tool use."),
        (ProviderKind::Ollama, 400, "registry.ollama.ai/library/small does not support tools"),
        (ProviderKind::Gemini, 400, "Function calling is not enabled for this model"),
    ] {
        let refusal = json!({"error": {"message": complaint}}).to_string();
        let (base, asked) = server(StatusCode::from_u16(status).unwrap(), refusal).await;
        let provider = provider(kind, &base);
        assert!(provider.can_look_up());
        let call = call_with_lookups();
        let refused = provider.answer(&call, &Heard::default()).await;
        assert!(matches!(refused, Err(CallFailure::Narrowed { .. })), "{complaint}: {refused:?}");
        assert!(!provider.can_look_up());
        drop(provider.answer(&call, &Heard::default()).await);
        let asked = asked.lock().unwrap();
        assert!(asked[0]["tools"].is_array() && asked[1]["tools"].is_null(), "{complaint}");
    }
}

#[tokio::test]
async fn a_tool_that_was_not_offered_is_no_answer() {
    for kind in KINDS {
        let (base, _) = server(StatusCode::OK, calling(kind).replace("I look.", "")).await;
        let answer = provider(kind, &base).answer(&call_with_schema("Why?"), &Heard::default()).await;
        let Err(CallFailure::Answered { message, .. }) = answer else { panic!("{answer:?}") };
        assert!(message.contains("called a tool") || message.contains("characters of thinking"), "{message}");
    }
}
