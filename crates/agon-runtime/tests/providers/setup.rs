//! A server, a provider that asks it, and a call.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agon_core::{Key, form::FormField};
use agon_mock::{MockConfig, MockFault, MockServer};
use agon_runtime::participant::{
    Answer, Call, CallFailure, ChatMessage, ChatRole, Deltas, Participant,
    provider::{Provider, ProviderKind, ProviderSpec, Timeouts},
};
use secrecy::SecretString;
use serde_json::{Value, json};

/// A key that must never be shown; no pattern of keys knows it.
pub const KEY: &str = "plain-secret-0123456789";
pub const KINDS: [ProviderKind; 4] =
    [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Ollama];
/// Never reached, however busy the machine is.
pub const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(10), silence: Duration::from_secs(10), total: Duration::from_secs(20) };
/// For the faults that only time ends.
pub const SHORT: Timeouts = Timeouts {
    connect: Duration::from_millis(500),
    silence: Duration::from_millis(300),
    total: Duration::from_secs(3),
};

pub fn spec(server: &MockServer, kind: ProviderKind) -> ProviderSpec {
    let path = match kind {
        ProviderKind::OpenAi | ProviderKind::Anthropic => "/v1",
        ProviderKind::Gemini => "/v1beta",
        ProviderKind::Ollama | ProviderKind::Azure => "",
    };
    ProviderSpec {
        base_url: Some(server.url(path)),
        api_key: Some(SecretString::from(KEY)),
        timeouts: TIMEOUTS,
        ..ProviderSpec::new(kind, "mock")
    }
}

pub async fn pair(config: MockConfig, kind: ProviderKind) -> (MockServer, Provider) {
    let server = MockServer::start(config).await.unwrap();
    let provider = Provider::new(spec(&server, kind)).unwrap();
    (server, provider)
}

pub fn schema() -> Value {
    json!({
        "type": "object",
        "title": "arguments",
        "properties": {
            "side": {"type": "string", "enum": ["pro", "con"]},
            "arguments": {
                "type": "array", "minItems": 2, "maxItems": 2,
                "items": {
                    "type": "object",
                    "properties": {"id": {"type": "string", "enum": ["a1", "a2"]}, "claim": {"type": "string"}},
                    "required": ["id", "claim"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["side", "arguments"],
        "additionalProperties": false,
    })
}

pub fn call(prompt: &str) -> Call {
    let message = |role, text: &str| ChatMessage::new(role, text);
    Call {
        key: Key::new("round-1/statement").unwrap(),
        attempt: 0,
        turn: 0,
        messages: vec![
            message(ChatRole::System, "You debate. Answer in JSON where a schema is given."),
            message(ChatRole::User, "What is the motion?"),
            message(ChatRole::Assistant, "That decisions be written down."),
            message(ChatRole::User, prompt),
        ],
        chain: [].into(),
        schema: None,
        schema_bytes: 0,
        tokens_max: 700,
        bytes_max: 100_000,
        temperature: 0.7,
        seed: 0xffff_ffff_0000_002a,
        earlier: Arc::new([]),
        lookups: None,
    }
}

pub fn call_with_schema(prompt: &str) -> Call {
    Call { schema: Some(Arc::new(FormField::from_schema(&schema()))), ..call(prompt) }
}

/// Keeps what is streamed.
#[derive(Default)]
pub struct Heard(Mutex<Vec<String>>);

impl Heard {
    pub fn pieces(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Deltas for Heard {
    fn push_delta(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// The answer to a call, which is made again without a field that the server turns down.
pub async fn answer(provider: &Provider, call: &Call) -> Result<Answer, CallFailure> {
    loop {
        match provider.answer(call, &Heard::default()).await {
            Err(CallFailure::Narrowed { .. }) => {}
            other => return other,
        }
    }
}

/// The failure of one call to a server that fails like this.
pub async fn failure(kind: ProviderKind, fault: MockFault) -> CallFailure {
    failure_within(TIMEOUTS, kind, fault).await
}

/// The same within other limits of time.
pub async fn failure_within(timeouts: Timeouts, kind: ProviderKind, fault: MockFault) -> CallFailure {
    let server = MockServer::start(MockConfig::with_constant_fault(fault.clone())).await.unwrap();
    let provider = Provider::new(ProviderSpec { timeouts, ..spec(&server, kind) }).unwrap();
    let failure = answer(&provider, &call_with_schema("Why?")).await.unwrap_err();
    let shown = format!("{failure} {failure:?}");
    assert!(!shown.contains(KEY), "{kind:?} {fault:?}: the key in {shown}");
    assert!(!failure.to_string().chars().any(char::is_control), "{kind:?} {fault:?}: {failure}");
    assert!(failure.to_string().chars().count() < 450, "{kind:?} {fault:?}: {failure}");
    assert_eq!(server.request_count(), 1, "{kind:?} {fault:?}: no call is repeated here");
    failure
}
