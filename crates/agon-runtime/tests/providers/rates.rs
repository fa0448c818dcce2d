//! Calls of one account wait for each other instead of being refused.

use std::time::{Duration, Instant};

use agon_mock::{MockConfig, MockRate, MockServer};
use agon_runtime::participant::{
    CallFailure, Participant,
    provider::{Provider, ProviderKind, ProviderSpec, RateLimits},
};
use futures::future::join_all;

use crate::providers::setup::*;

/// Half a minute's worth of ten requests, scaled down: ten at once, and ten more each half second.
const RATE: MockRate = MockRate { requests: 10, window: Duration::from_millis(500) };

async fn limited() -> MockServer {
    MockServer::start(MockConfig { rate: Some(RATE), ..MockConfig::default() }).await.unwrap()
}

/// Makes `count` calls at the same time, each until it is answered; gives the number of refusals.
async fn all(providers: &[Provider], count: usize) -> usize {
    let calls = (0..count).map(async |number| {
        let provider = &providers[number % providers.len()];
        let mut refused = 0;
        loop {
            provider.admit_call(&call("Why?")).await.unwrap();
            match answer(provider, &call("Why?")).await {
                Ok(_) => return refused,
                Err(CallFailure::Transient { retry_after: Some(pause), .. }) => {
                    refused += 1;
                    tokio::time::sleep(pause).await;
                }
                Err(other) => panic!("{other:?}"),
            }
        }
    });
    join_all(calls).await.into_iter().sum()
}

#[tokio::test]
async fn what_refusals_tell_is_learnt_once_for_all() {
    let kinds = [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Ollama];
    join_all(kinds.map(async |kind| {
        let server = limited().await;
        // Two providers of the configuration reach the same account.
        let one = Provider::new(spec(&server, kind)).unwrap();
        let other = Provider::new(ProviderSpec { name: "other".into(), ..spec(&server, kind) }).unwrap();
        let began = Instant::now();
        let refused = all(&[one, other], 60).await;
        let took = began.elapsed();
        println!("{kind:?}: 60 calls, {refused} refused, {took:?}");
        assert_eq!(server.request_count(), 60 + refused);
        // Those that came before the first refusal.
        assert!(refused <= 32, "{kind:?}: {refused} of 60 calls were refused");
        // Ten at once and fifty at twenty a second.
        assert!(took > Duration::from_millis(2_300) && took < Duration::from_secs(8), "{kind:?}: {took:?}");
    }))
    .await;
}

#[tokio::test]
async fn a_configured_limit_is_never_passed() {
    let server = limited().await;
    let rate_limits = RateLimits { requests_per_minute: Some(60 * 15), tokens_per_minute: None };
    let provider = Provider::new(ProviderSpec { rate_limits, ..spec(&server, ProviderKind::OpenAi) }).unwrap();
    let server_of_others = limited().await;
    let free = Provider::new(spec(&server_of_others, ProviderKind::OpenAi)).unwrap();
    let began = Instant::now();
    // Ninety at once, the tenth of a minute, is more than this server takes; thirty are not.
    let first = all(std::slice::from_ref(&provider), 10).await;
    assert_eq!(first, 0);
    let refused = all(std::slice::from_ref(&free), 10).await;
    assert_eq!(refused, 0, "another account does not wait");
    assert!(began.elapsed() < Duration::from_secs(2));
    let rate_limits = RateLimits { requests_per_minute: Some(10), tokens_per_minute: None };
    let slow = Provider::new(ProviderSpec {
        rate_limits,
        api_key: Some("another".to_owned().into()),
        ..spec(&server, ProviderKind::OpenAi)
    })
    .unwrap();
    slow.admit_call(&call("Why?")).await.unwrap();
    let second = tokio::time::timeout(Duration::from_millis(500), slow.admit_call(&call("Why?"))).await;
    assert!(second.is_err(), "the second of ten a minute waits for six seconds");
}
