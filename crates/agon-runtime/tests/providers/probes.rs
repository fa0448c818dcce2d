//! Probes: whether a model can be asked, found out without generating anything.

use agon_mock::{MockConfig, MockServer};
use agon_runtime::participant::{
    CallFailure, Participant, Probe,
    provider::{Provider, ProviderKind, ProviderSpec},
};
use axum::http::StatusCode;

use crate::providers::setup::*;

#[tokio::test]
async fn a_listed_model_is_ready_and_one_that_is_not_listed_is_looked_for_again() {
    for kind in KINDS {
        let (server, provider) = pair(MockConfig { key: Some(KEY.into()), ..MockConfig::default() }, kind).await;
        for _ in 0..2 {
            assert_eq!(provider.probe().await, Ok(Probe::Ready), "{kind:?}");
        }
        assert_eq!(server.logged_requests().len(), 1, "{kind:?}: the list is kept");
        let Ok(Probe::Doubtful(why)) = provider.with_model("other", None).probe().await else { panic!("{kind:?}") };
        assert!(why.contains("lists 1 models") && why.contains("other"), "{why}");
        // It may have come since the list was made.
        assert_eq!((server.logged_requests().len(), server.request_count()), (2, 0), "{kind:?}");
    }
}

#[tokio::test]
async fn a_key_that_is_not_accepted_is_told_before_anything_is_asked() {
    for kind in KINDS {
        let (server, provider) = pair(MockConfig { key: Some("another".into()), ..MockConfig::default() }, kind).await;
        let failure = provider.probe().await.unwrap_err();
        let CallFailure::Unavailable { message, remedy } = &failure else { panic!("{failure:?}") };
        assert!(message.contains("401") && !message.contains(KEY), "{message}");
        assert!(remedy.contains("_API_KEY"), "{remedy}");
        assert_eq!(server.request_count(), 0);
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_had_is_a_doubt() {
    for status in [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED, StatusCode::INTERNAL_SERVER_ERROR] {
        for kind in KINDS {
            let (_server, provider) =
                pair(MockConfig { models_status: Some(status), ..MockConfig::default() }, kind).await;
            let probe = provider.probe().await;
            assert!(matches!(probe, Ok(Probe::Doubtful(_))), "{kind:?} {status}: {probe:?}");
        }
    }
}

#[tokio::test]
async fn no_server_is_told_with_its_address() {
    let (server, provider) = pair(MockConfig::default(), ProviderKind::OpenAi).await;
    let address = server.addr.to_string();
    drop(server);
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let failure = provider.probe().await.unwrap_err();
    let CallFailure::Unavailable { message, remedy } = &failure else { panic!("{failure:?}") };
    assert!(message.contains(&address) && remedy.contains(&address), "{message} {remedy}");
}

#[tokio::test]
async fn a_hosted_provider_without_key_names_the_variable_and_sends_nothing() {
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini] {
        let provider = Provider::new(ProviderSpec::new(kind, "m")).unwrap();
        for failure in [provider.probe().await.unwrap_err(), answer(&provider, &call("Why?")).await.unwrap_err()] {
            let CallFailure::Unavailable { remedy, .. } = &failure else { panic!("{failure:?}") };
            assert!(remedy.starts_with("set ") && remedy.ends_with("_API_KEY"), "{remedy}");
        }
    }
    // A server of one's own may need none.
    let server = MockServer::start(MockConfig::default()).await.unwrap();
    for kind in KINDS {
        let provider = Provider::new(ProviderSpec { api_key: None, ..spec(&server, kind) }).unwrap();
        assert_eq!(provider.probe().await, Ok(Probe::Ready), "{kind:?}");
        assert!(answer(&provider, &call("Why?")).await.is_ok(), "{kind:?}");
        assert_eq!(server.logged_requests().last().unwrap().key_in, None);
    }
    // One that wants a key all the same, of a provider for which no variable is named.
    let server = MockServer::start(MockConfig { key: Some(KEY.into()), ..MockConfig::default() }).await.unwrap();
    let unnamed = ProviderSpec { api_key: None, key_hint: String::new(), ..spec(&server, ProviderKind::OpenAi) };
    let failed = answer(&Provider::new(unnamed).unwrap(), &call("Why?")).await.unwrap_err();
    let CallFailure::Unavailable { remedy, .. } = &failed else { panic!("{failed:?}") };
    assert!(remedy.contains("api_key_env under [providers."), "{remedy}");
}
