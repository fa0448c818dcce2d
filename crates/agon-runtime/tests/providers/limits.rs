//! Limits of time and size, and what happens to a call that nobody waits for any more.

use std::time::{Duration, Instant};

use agon_core::FailureKind;
use agon_mock::{MockConfig, MockFault, MockServer};
use agon_runtime::participant::{
    Call, CallFailure, Participant,
    provider::{Provider, ProviderKind, ProviderSpec, Timeouts},
};

use futures::future::join_all;

use crate::providers::setup::*;

/// How much later than its limit a call may end.
const SLACK: Duration = Duration::from_secs(2);

async fn waits(kind: ProviderKind, fault: MockFault) -> (String, Duration) {
    let started = Instant::now();
    match failure_within(SHORT, kind, fault).await {
        CallFailure::Silent { message, usage: Some(usage) } => {
            assert!(usage.estimated && usage.prompt_tokens > 0, "what may have been paid is counted: {usage:?}");
            (message, started.elapsed())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn p4_silence_ends_at_its_limit() {
    for (fault, says) in [
        (MockFault::Hang, "no answer for 0.3 s"),
        (MockFault::HeadersOnly, "no answer for 0.3 s"),
        (MockFault::PingsOnly, "no text for 0.3 s"),
        (MockFault::Stall(2), "the answer broke off after 48 characters: no more text for 0.3 s"),
    ] {
        join_all(KINDS.map(async |kind| {
            let (message, waited) = waits(kind, fault.clone()).await;
            assert!(message.ends_with(says), "{kind:?} {fault:?}: {message}");
            assert!(waited < SHORT.silence * 2 + SLACK, "{kind:?} {fault:?}: {waited:?}");
        }))
        .await;
    }
}

#[tokio::test]
async fn p4_a_slow_drip_ends_at_the_total_limit() {
    join_all(KINDS.map(async |kind| {
        let server = MockServer::start(MockConfig::with_constant_fault(MockFault::Drip(Duration::from_millis(100))))
            .await
            .unwrap();
        let timeouts = Timeouts { total: Duration::from_millis(600), ..SHORT };
        let provider = Provider::new(ProviderSpec { timeouts, ..spec(&server, kind) }).unwrap();
        let started = Instant::now();
        let failure = answer(&provider, &call("Why?")).await.unwrap_err();
        assert!(failure.to_string().ends_with("longer than 0.6 s in all"), "{kind:?}: {failure}");
        assert!(started.elapsed() < timeouts.total + SLACK);
    }))
    .await;
}

#[tokio::test]
async fn p3_no_server_is_a_failure_that_may_pass() {
    for kind in KINDS {
        let (server, provider) = pair(MockConfig::default(), kind).await;
        let port = server.addr.port().to_string();
        drop(server);
        tokio::time::sleep(Duration::from_millis(20)).await;
        let failure = answer(&provider, &call("Why?")).await.unwrap_err();
        let CallFailure::Transient { message, usage, .. } = failure else { panic!("{failure:?}") };
        assert!(message.contains("cannot connect to 127.0.0.1") && message.contains(&port), "{message}");
        assert!(usage.is_some(), "nothing was sent, so nothing is owed");
    }
}

#[tokio::test]
async fn p9_what_is_too_large_is_not_read_on() {
    for kind in KINDS {
        for fault in [MockFault::Large(10_000_000), MockFault::OnePiece(10_000_000), MockFault::Endless] {
            let server = MockServer::start(MockConfig::with_constant_fault(fault.clone())).await.unwrap();
            let provider = Provider::new(spec(&server, kind)).unwrap();
            let started = Instant::now();
            let call = Call { bytes_max: 50_000, tokens_max: u32::MAX, ..call("Why?") };
            let heard = Heard::default();
            let failure = provider.answer(&call, &heard).await.unwrap_err();
            let CallFailure::Answered { kind: FailureKind::TooLarge, message, .. } = &failure else {
                panic!("{kind:?} {fault:?}: {failure:?}")
            };
            assert!(message.starts_with("the answer exceeds 50 kB, stopped reading"), "{message}");
            assert!(heard.pieces().concat().len() <= 50_000, "{kind:?} {fault:?}");
            assert!(started.elapsed() < Duration::from_secs(8), "{kind:?} {fault:?} {:?}", started.elapsed());
        }
    }
}

#[tokio::test]
async fn a_server_that_ignores_the_limit_of_tokens_is_held_to_its_reservation() {
    for kind in KINDS {
        for fault in [MockFault::Large(400_000), MockFault::OnePiece(400_000), MockFault::Endless] {
            let server = MockServer::start(MockConfig::with_constant_fault(fault.clone())).await.unwrap();
            let provider = Provider::new(spec(&server, kind)).unwrap();
            let call = Call { bytes_max: 1 << 20, ..call("Why?") };
            let failure = provider.answer(&call, &Heard::default()).await.unwrap_err();
            let CallFailure::Answered { kind: FailureKind::TooLarge, message, usage: Some(usage) } = &failure else {
                panic!("{kind:?} {fault:?}: {failure:?}")
            };
            assert!(message.starts_with("the answer ignores the limit of 700 tokens"), "{message}");
            assert!(usage.completion_tokens <= call.completion_tokens_worst(), "{kind:?} {fault:?}: {usage:?}");
        }
    }
}

#[tokio::test]
async fn p9_frames_without_content_and_bombs_end_too() {
    for kind in KINDS {
        let started = Instant::now();
        failure_within(SHORT, kind, MockFault::EndlessPings).await;
        assert!(started.elapsed() < SHORT.silence * 2 + SLACK, "{kind:?}");
        let call = Call { bytes_max: 1_000, ..call("Why?") };
        // Nothing is decompressed: the bytes are no text.
        let (_server, provider) = pair(MockConfig::with_constant_fault(MockFault::GzipBomb), kind).await;
        let failure = answer(&provider, &call).await.unwrap_err();
        assert!(matches!(failure, CallFailure::Transient { .. }), "{kind:?} {failure:?}");
        let (_server, provider) = pair(MockConfig::with_constant_fault(MockFault::HugeError), kind).await;
        let failure = answer(&provider, &call).await.unwrap_err();
        assert!(failure.to_string().chars().count() < 350, "{kind:?}");
    }
}

#[tokio::test]
async fn p9_bodies_without_end_are_left() {
    for kind in KINDS {
        let started = Instant::now();
        let failure = failure(kind, MockFault::EndlessError).await;
        assert!(failure.to_string().contains("500: "), "the status is known all the same: {failure}");
        assert!(started.elapsed() < SLACK, "{kind:?}");
        let started = Instant::now();
        let failure = failure_within(SHORT, kind, MockFault::EndlessLine).await;
        assert!(started.elapsed() < SHORT.silence + SLACK, "{kind:?} {failure}");
    }
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    for kind in KINDS {
        for fault in [MockFault::Hang, MockFault::Stall(2), MockFault::Drip(Duration::from_millis(100))] {
            let (server, provider) = pair(MockConfig::with_constant_fault(fault.clone()), kind).await;
            let call = call("Why?");
            let dropped = tokio::time::timeout(Duration::from_millis(150), answer(&provider, &call)).await;
            assert!(dropped.is_err(), "{kind:?} {fault:?}");
            let started = Instant::now();
            while server.abandoned_count() == 0 {
                assert!(started.elapsed() < Duration::from_secs(2), "{kind:?} {fault:?}: still connected");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}
