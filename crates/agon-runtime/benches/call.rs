//! What one call costs the client alone, without record, rules, prompts and files: what remains of a
//! debate's processor time is agon's own. `cargo bench --package agon-runtime --bench call`
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::disallowed_types)] // A bench needs a clock.

use std::{sync::Arc, thread, time::Duration};

use agon_core::{Key, form::FormField};
use agon_mock::{MockConfig, MockServer};
use agon_runtime::participant::{
    Call, ChatMessage, ChatRole, Deltas, Participant,
    provider::{Provider, ProviderKind, ProviderSpec},
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

const CALLS: u32 = 200;
/// The mean prompt of the debate that `scripts/bench/program` measures.
const PROMPT_BYTES: usize = 24_000;

struct Nobody;

impl Deltas for Nobody {
    fn push_delta(&self, _: &str) {}
}

fn main() {
    let (tell, told) = std::sync::mpsc::channel();
    // A thread of its own, so that its time is not counted.
    thread::spawn(move || {
        runtime().block_on(async {
            let server = MockServer::start(MockConfig::default()).await.unwrap();
            tell.send(server.url("/v1")).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let mut spec = ProviderSpec::new(ProviderKind::OpenAi, "mock");
    spec.base_url = Some(told.recv().unwrap());
    let provider = Provider::new(spec).unwrap();
    runtime().block_on(async {
        let mut bytes = 0;
        let mut before = None;
        // The first call opens the connection.
        for number in 0..=CALLS {
            let answer = provider.answer(&call(number), &Nobody).await.unwrap();
            bytes += answer.text.len();
            before.get_or_insert_with(processor_time);
        }
        let each = (processor_time() - before.unwrap()) / CALLS;
        let answer = bytes / (CALLS as usize + 1);
        println!(
            "a call of {PROMPT_BYTES} bytes answered with {answer}: {:.3} ms of processor time",
            each.as_secs_f64() * 1e3
        );
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn call(number: u32) -> Call {
    let text = "What is written down can be found again by those who join later. ".repeat(PROMPT_BYTES / 65);
    let part = json!({"type": "string"});
    let names = ["title", "claim", "warrant", "backing", "qualifier", "ground", "source", "relevance"];
    let properties: serde_json::Map<_, _> = names.iter().map(|name| ((*name).into(), part.clone())).collect();
    Call {
        key: Key::from_parts("call"),
        attempt: 0,
        turn: 0,
        messages: vec![ChatMessage::new(ChatRole::User, format!("{number}. {text}"))],
        chain: [].into(),
        schema: Some(Arc::new(FormField::from_schema(
            &json!({"type": "object", "required": names, "properties": properties}),
        ))),
        schema_bytes: 200,
        tokens_max: 2_000,
        bytes_max: 1 << 20,
        temperature: 0.7,
        seed: 1,
        earlier: Arc::new([]),
        lookups: None,
    }
}
