//! What is sent, what comes back, and what it is counted at.

use std::sync::Arc;

use agon_core::{Usage, form::FormField};
use agon_mock::{MockConfig, MockFault, log::Tokens};
use agon_runtime::participant::{Call, CallFailure, Participant, Price, provider::ProviderKind};
use serde_json::{Value, json};

use crate::providers::setup::*;

fn counted(tokens: Tokens) -> Usage {
    Usage {
        requests: 1,
        prompt_tokens: tokens.prompt,
        cached_tokens: tokens.cached,
        completion_tokens: tokens.completion,
        ..Usage::default()
    }
}

#[tokio::test]
async fn an_answer_streams_is_whole_and_is_counted_as_the_server_counts_it() {
    for kind in KINDS {
        let config = MockConfig { answers_as: Some("mock-2026-11-01".into()), ..MockConfig::default() };
        let (server, provider) = pair(config, kind).await;
        let heard = Heard::default();
        let answer = provider.answer(&call("Why?"), &heard).await.unwrap();
        let pieces = heard.pieces();
        assert!(pieces.len() > 3, "{kind:?}: {pieces:?}");
        assert_eq!(pieces.concat(), answer.text, "{kind:?}");
        assert_eq!(answer.model.as_deref(), Some("mock-2026-11-01"), "{kind:?}");
        assert_eq!(answer.usage, server.logged_requests()[0].usage.map(counted), "{kind:?}");
    }
}

#[tokio::test]
async fn cached_tokens_are_counted_as_part_of_the_prompt() {
    for kind in KINDS {
        let (server, provider) = pair(MockConfig::default(), kind).await;
        let long = "A long opening that two prompts share. ".repeat(120);
        for tail in ["First?", "Second?"] {
            let answer = answer(&provider, &call(&format!("{long}{tail}"))).await.unwrap();
            assert_eq!(answer.usage, server.logged_requests().last().unwrap().usage.map(counted), "{kind:?}");
        }
        let cached: Vec<u64> = server.logged_requests().iter().filter_map(|one| Some(one.usage?.cached)).collect();
        assert!(cached[0] == 0 && cached[1] >= 1_024, "{kind:?}: {cached:?}");
    }
}

#[tokio::test]
async fn a_schema_is_sent_natively_and_its_instance_comes_back() {
    for kind in KINDS {
        let (server, provider) = pair(MockConfig::default(), kind).await;
        let answer = answer(&provider, &call_with_schema("Why?")).await.unwrap();
        let body = server.logged_requests()[0].body.clone();
        let sent = match kind {
            ProviderKind::OpenAi | ProviderKind::Azure => {
                assert_eq!(body["response_format"]["type"], "json_schema");
                assert_eq!(body["response_format"]["json_schema"]["strict"], true);
                assert_eq!(body["response_format"]["json_schema"]["name"], "statement");
                &body["response_format"]["json_schema"]["schema"]
            }
            ProviderKind::Anthropic => &body["output_config"]["format"]["schema"],
            ProviderKind::Gemini => {
                assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
                &body["generationConfig"]["responseJsonSchema"]
            }
            ProviderKind::Ollama => &body["format"],
        };
        assert_eq!(sent, &schema(), "{kind:?}");
        let value: Value = serde_json::from_str(&answer.text).unwrap();
        assert_eq!(value["arguments"][1]["id"], "a2", "{kind:?}: {value}");
        assert_ne!(value["arguments"][0]["claim"], value["arguments"][1]["claim"], "{kind:?}");
    }
}

#[tokio::test]
async fn no_request_carries_the_examples_of_its_schema() {
    let mut schema = schema();
    schema["properties"]["side"]["examples"] = json!(["pro"]);
    schema["properties"]["arguments"]["items"]["properties"]["claim"]["examples"] = json!(["A passage of the prompt."]);
    let call = Call { schema: Some(Arc::new(FormField::from_schema(&schema))), ..call("Why?") };
    for kind in KINDS {
        let (server, provider) = pair(MockConfig::default(), kind).await;
        answer(&provider, &call).await.unwrap();
        let body = server.logged_requests()[0].body.to_string();
        assert!(
            body.contains("claim") && !body.contains("examples") && !body.contains("A passage"),
            "{kind:?}: {body}"
        );
    }
}

#[tokio::test]
async fn each_interface_gets_its_own_request() {
    let wanted = [
        json!({
            "model": "mock", "stream": true, "max_tokens": 700, "temperature": 0.7, "seed": 42,
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "You debate. Answer in JSON where a schema is given."},
                {"role": "user", "content": "What is the motion?"},
                {"role": "assistant", "content": "That decisions be written down."},
                {"role": "user", "content": "Why?"},
            ],
        }),
        json!({
            "model": "mock", "stream": true, "max_tokens": 700, "temperature": 0.7,
            "system": [{
                "type": "text", "text": "You debate. Answer in JSON where a schema is given.",
                "cache_control": {"type": "ephemeral"},
            }],
            "messages": [
                {"role": "user", "content": "What is the motion?"},
                {"role": "assistant", "content": "That decisions be written down."},
                {"role": "user", "content": "Why?"},
            ],
        }),
        json!({
            "systemInstruction": {"parts": [{"text": "You debate. Answer in JSON where a schema is given."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "What is the motion?"}]},
                {"role": "model", "parts": [{"text": "That decisions be written down."}]},
                {"role": "user", "parts": [{"text": "Why?"}]},
            ],
            "generationConfig": {"temperature": 0.7, "maxOutputTokens": 700, "seed": 42},
        }),
        json!({
            "model": "mock", "stream": true,
            "options": {"num_predict": 700, "temperature": 0.7, "seed": 42},
            "messages": [
                {"role": "system", "content": "You debate. Answer in JSON where a schema is given."},
                {"role": "user", "content": "What is the motion?"},
                {"role": "assistant", "content": "That decisions be written down."},
                {"role": "user", "content": "Why?"},
            ],
        }),
    ];
    let keys = ["authorization", "x-api-key", "x-goog-api-key", "authorization"];
    for ((kind, wanted), key) in KINDS.into_iter().zip(wanted).zip(keys) {
        let (server, provider) = pair(MockConfig { key: Some(KEY.into()), ..MockConfig::default() }, kind).await;
        answer(&provider, &call("Why?")).await.unwrap();
        let logged = &server.logged_requests()[0];
        assert_eq!(logged.body, wanted, "{kind:?}");
        assert_eq!(logged.key_in.as_deref(), Some(key), "{kind:?}");
    }
}

#[tokio::test]
async fn a_models_name_is_sent_as_it_is() {
    for name in ["qwen3-max", "mistral-medium", "org/model-high", "a::b", "gpt-oss-none", "claude-9-low"] {
        for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Ollama] {
            let (server, provider) = pair(MockConfig::default(), kind).await;
            answer(&provider.with_model(name, None), &call("Why?")).await.unwrap();
            let body = &server.logged_requests()[0].body;
            assert_eq!(body["model"], name, "{kind:?}");
            for field in ["reasoning_effort", "thinking", "output_config"] {
                assert_eq!(body[field], Value::Null, "{kind:?} {name} {field}");
            }
        }
    }
    let (server, provider) = pair(MockConfig::default(), ProviderKind::Gemini).await;
    answer(&provider.with_model("gemini-9-max", None), &call("Why?")).await.unwrap();
    assert_eq!(server.logged_requests()[0].endpoint, "/v1beta/models/gemini-9-max:streamGenerateContent");
}

#[tokio::test]
async fn reasoning_models_get_the_fields_that_they_take() {
    let (server, provider) = pair(MockConfig::default(), ProviderKind::OpenAi).await;
    answer(&provider.with_model("gpt-5-mini", None), &call("Why?")).await.unwrap();
    let body = &server.logged_requests()[0].body;
    assert_eq!(body["max_completion_tokens"], 700);
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn a_server_that_refuses_the_schema_is_asked_without_it_from_then_on() {
    for kind in KINDS {
        let (server, provider) = pair(MockConfig::with_constant_fault(MockFault::RefusesSchema), kind).await;
        for prompt in ["Why?", "Why not?"] {
            answer(&provider, &call_with_schema(prompt)).await.unwrap();
        }
        let log = server.logged_requests();
        let statuses: Vec<u16> = log.iter().map(|one| one.status).collect();
        assert_eq!(statuses, [400, 200, 200], "{kind:?}");
        let same = |mut body: Value| {
            for field in ["response_format", "output_config", "format"] {
                body.as_object_mut().unwrap().remove(field);
            }
            if let Some(config) = body.get_mut("generationConfig").and_then(Value::as_object_mut) {
                config.retain(|name, _| !name.starts_with("response"));
            }
            body
        };
        assert_ne!(log[0].body, log[1].body, "{kind:?}");
        assert_eq!(same(log[0].body.clone()), log[1].body, "{kind:?}");
    }
}

#[tokio::test]
async fn fields_that_a_server_does_not_know_are_left_out_one_by_one() {
    let fields = ["temperature", "seed", "stream_options", "max_tokens"];
    for field in fields {
        let (server, provider) =
            pair(MockConfig::with_constant_fault(MockFault::RefusesField(field.into())), ProviderKind::OpenAi).await;
        let call = call_with_schema("Why?");
        answer(&provider, &call).await.unwrap();
        answer(&provider, &call).await.unwrap();
        assert_eq!(server.request_count(), 3, "{field}");
        let body = &server.logged_requests()[2].body;
        assert_eq!(body[field], Value::Null);
        assert!(body["response_format"].is_object() && body["model"] == "mock");
    }
    // Each of these is a request of its own, which whoever counts them can refuse.
    let (server, provider) =
        pair(MockConfig::with_constant_fault(MockFault::RefusesSchema), ProviderKind::OpenAi).await;
    let first = provider.answer(&call_with_schema("Why?"), &Heard::default()).await;
    assert!(matches!(first, Err(CallFailure::Narrowed { .. })), "{first:?}");
    assert_eq!(server.request_count(), 1);
    // What it complains about was not sent: one request, and the complaint stands.
    let (server, provider) =
        pair(MockConfig::with_constant_fault(MockFault::RefusesField("model".into())), ProviderKind::OpenAi).await;
    answer(&provider, &call("Why?")).await.unwrap_err();
    assert_eq!(server.request_count(), 1);
}

#[tokio::test]
async fn long_prompts_ask_ollama_for_a_context_that_holds_them() {
    let (server, provider) = pair(MockConfig::default(), ProviderKind::Ollama).await;
    answer(&provider, &call(&"word ".repeat(6_000))).await.unwrap();
    assert_eq!(server.logged_requests()[0].body["options"]["num_ctx"], 16_384);
}

#[tokio::test]
async fn a_provider_says_what_it_costs() {
    let (_server, provider) = pair(MockConfig::default(), ProviderKind::OpenAi).await;
    assert_eq!(provider.price(), None);
    let price = Price { input: 1.0, cached: Some(0.5), cache_write: None, output: 2.0, long: None };
    assert_eq!(provider.with_model("m", Some(price)).price(), Some(price));
    let _: Arc<dyn Participant> = Arc::new(provider);
}
