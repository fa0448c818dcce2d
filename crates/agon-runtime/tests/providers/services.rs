//! Services that offer a known interface in a way of their own: OpenRouter, Azure and Bedrock; and what a seat
//! wants of a model beside its prompt.

use std::collections::BTreeMap;

use agon_mock::{MockConfig, MockFault, MockServer};
use agon_runtime::participant::{
    CallFailure, Effort, Participant, Probe, Settings,
    provider::{Provider, ProviderKind, ProviderSpec},
};
use serde_json::{Value, json};

use crate::providers::setup::*;

#[tokio::test]
async fn azure_is_asked_by_deployment_and_version_with_its_own_header() {
    let (server, provider) =
        pair(MockConfig { key: Some(KEY.into()), ..MockConfig::default() }, ProviderKind::Azure).await;
    assert_eq!(provider.probe().await, Ok(Probe::Ready));
    assert!(answer(&provider, &call_with_schema("Why?")).await.is_ok());
    let log = server.logged_requests();
    assert_eq!(log[0].endpoint, "/openai/models");
    let asked = &log[1];
    assert_eq!(asked.endpoint, "/openai/deployments/mock/chat/completions");
    assert_eq!(asked.key_in.as_deref(), Some("api-key"));
    assert!(!asked.body["response_format"].is_null());
    let failure = failure(ProviderKind::Azure, MockFault::Unauthorized).await;
    assert!(matches!(failure, CallFailure::Unavailable { .. }), "{failure:?}");
}

#[tokio::test]
async fn openrouter_and_bedrock_are_servers_of_chat_completions_with_bearer_keys() {
    let server = MockServer::start(MockConfig::default()).await.unwrap();
    let headers = BTreeMap::from([("HTTP-Referer".to_owned(), "https://agon.test".to_owned())]);
    for (path, model, headers) in [
        ("/api/v1", "anthropic/claude-sonnet-4.5", headers),
        ("/openai/v1", "openai.gpt-oss-120b-1:0", BTreeMap::new()),
    ] {
        let referer = headers.get("HTTP-Referer").cloned();
        let base_url = Some(server.url(path));
        let spec = ProviderSpec { base_url, headers, ..spec(&server, ProviderKind::OpenAi) };
        let provider = Provider::new(ProviderSpec { model: model.into(), ..spec }).unwrap();
        assert!(answer(&provider, &call("Why?")).await.is_ok(), "{path}");
        let log = server.logged_requests();
        let asked = log.last().unwrap();
        assert_eq!(asked.endpoint, format!("{path}/chat/completions"));
        assert_eq!((asked.key_in.as_deref(), &asked.referer), (Some("authorization"), &referer));
        assert_eq!(asked.body["model"], model);
    }
}

#[tokio::test]
async fn an_effort_is_sent_as_each_interface_takes_it_and_left_out_where_it_is_refused() {
    let wants = Settings { effort: Some(Effort::High), ..Settings::default() };
    for (kind, place, wanted) in [
        (ProviderKind::OpenAi, "/reasoning_effort", json!("high")),
        (ProviderKind::Azure, "/reasoning_effort", json!("high")),
        (ProviderKind::Ollama, "/think", json!("high")),
        (ProviderKind::Anthropic, "/output_config/effort", json!("high")),
        (ProviderKind::Gemini, "/generationConfig/thinkingConfig/thinkingLevel", json!("HIGH")),
    ] {
        let server = MockServer::start(MockConfig::default()).await.unwrap();
        let spec = ProviderSpec { settings: wants, ..spec(&server, kind) };
        let provider = Provider::new(spec).unwrap();
        assert!(answer(&provider, &call("Why?")).await.is_ok(), "{kind:?}");
        let body = server.logged_requests()[0].body.clone();
        assert_eq!(body.pointer(place), Some(&wanted), "{kind:?}: {body}");
        assert_eq!(body["temperature"].is_null(), kind != ProviderKind::OpenAi && kind != ProviderKind::Azure);
    }
    let refuses = MockConfig::with_constant_fault(MockFault::RefusesField("reasoning_effort".into()));
    let server = MockServer::start(refuses).await.unwrap();
    let spec = ProviderSpec { settings: wants, ..spec(&server, ProviderKind::OpenAi) };
    assert!(answer(&Provider::new(spec).unwrap(), &call("Why?")).await.is_ok());
    assert_eq!(server.logged_requests()[1].body["reasoning_effort"], Value::Null);
}
