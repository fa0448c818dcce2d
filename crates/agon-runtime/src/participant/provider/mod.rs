//! Models behind an interface of a provider: OpenAI (and every server that speaks like it),
//! Anthropic, Gemini, Ollama, and OpenAI's models at Azure.
//!
//! A call streams, is bounded in time and size, and ends as an [`Answer`] or as one of the kinds of
//! [`CallFailure`]; no text of a failed call and no error text ever becomes an answer. Each family of servers has a
//! wire of its own (`wire`), which writes requests and decodes frames; connections, limits and failures are the same for
//! all. How much an account may be asked is shared by all debates of the process (`rate`).

mod content;
mod endpoint;
mod failure;
pub(crate) mod frames;
mod probe;
mod rate;
pub(crate) mod redact;
pub(crate) mod request_fields;
mod status;
mod stream;
pub(crate) mod wire;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agon_core::{FailureKind, Usage};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use self::{
    content::{AnswerContent, LESS_THINKING, MORE_TOKENS},
    endpoint::Endpoint,
    request_fields::RequestFields,
    stream::{StreamStop, StreamedAnswer, read_answer},
    wire::{AnswerEnd, Wire},
};
use super::{Answer, Call, CallFailure, Deltas, Participant, Price, Probe, Settings};

pub use endpoint::SpecError;
pub(crate) use endpoint::{client_builder, is_loopback_url};
pub use rate::{RateLimits, count_waiting_calls, share_rates};
pub use request_fields::thinking_room;

/// Whose interface is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// Chat completions, of OpenAI or of any server that offers them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
    /// Ollama's own interface.
    Ollama,
    /// Chat completions as Azure offers them: by deployment, with a version in the address.
    Azure,
}

/// The status of a request that came too early.
const TOO_MANY_REQUESTS: u16 = 429;
/// Bytes of text for one token, as a rule.
const BYTES_PER_TOKEN_USUAL: u64 = 4;

/// Limits of one call in time. Every one of them ends in a failure that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// From the request to the first byte of the answer, and from there without text or visible reasoning. Keep-alives
    /// do not count.
    pub silence: Duration,
    /// In all.
    pub total: Duration,
}

impl ProviderKind {
    /// Those whose providers need no configuration, and go by the names of their profiles.
    pub(crate) const KNOWN: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The names of the providers that need no configuration.
    pub fn known_names() -> impl Iterator<Item = &'static str> {
        Self::KNOWN.into_iter().map(|kind| kind.wire().profile().name)
    }

    /// The one of these that is called `name`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|kind| kind.wire().profile().name == name)
    }

    /// The variable from which the key is taken without being configured; a server of one's own needs none.
    pub(crate) fn key_variable(self) -> Option<&'static str> {
        (self != Self::Ollama).then(|| self.wire().profile().key_variable)
    }

    /// How it is spoken to.
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Self::OpenAi => &wire::OpenAiWire,
            Self::Anthropic => &wire::AnthropicWire,
            Self::Gemini => &wire::GeminiWire,
            Self::Ollama => &wire::OllamaWire,
            Self::Azure => &wire::AzureWire,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), silence: Duration::from_secs(120), total: Duration::from_secs(900) }
    }
}

impl Timeouts {
    /// The limits that one configured number stands for: `silence` until the first byte and between
    /// pieces of text, and at least the default in all.
    pub fn from_silence(silence: Duration) -> Self {
        let default = Self::default();
        let connect = default.connect.min(silence);
        let total = default.total.max(silence.saturating_mul(2));
        Self { connect, silence, total }
    }
}

/// What a provider is made of.
#[derive(Debug, Clone)]
pub struct ProviderSpec {
    /// Whose interface is spoken; never guessed from the model's name.
    pub kind: ProviderKind,
    /// The name in the configuration, shown in messages.
    pub name: String,
    /// The model, exactly as the provider names it.
    pub model: String,
    /// Where, for example `http://127.0.0.1:9000/v1`; `None` is the provider's own address. A base
    /// without a path gets the path that is usual for its kind.
    pub base_url: Option<String>,
    /// The key, where one is needed.
    pub api_key: Option<SecretString>,
    /// Where the key comes from, for remedies: the name of the environment variable.
    pub key_hint: String,
    /// Limits in time.
    pub timeouts: Timeouts,
    /// What a token costs.
    pub price: Option<Price>,
    /// Requests and tokens a minute that the account may use.
    pub rate_limits: RateLimits,
    /// Headers that every request carries in addition to the key.
    pub headers: BTreeMap<String, String>,
    /// The version of Azure's interface; the newest that is known where not given.
    pub api_version: Option<String>,
    /// What the model is asked with.
    pub settings: Settings,
}

impl ProviderSpec {
    /// A provider at its own address, without key and price, with the default limits.
    pub fn new(kind: ProviderKind, model: impl Into<String>) -> Self {
        let profile = kind.wire().profile();
        Self {
            kind,
            name: profile.name.to_owned(),
            model: model.into(),
            base_url: None,
            api_key: None,
            key_hint: profile.key_variable.to_owned(),
            timeouts: Timeouts::default(),
            price: None,
            rate_limits: RateLimits::default(),
            headers: BTreeMap::new(),
            api_version: None,
            settings: Settings::default(),
        }
    }
}

/// One model of one provider.
///
/// Models of one provider should share it ([`Provider::with_model`]): they then share connections and the model list.
#[derive(Debug, Clone)]
pub struct Provider {
    endpoint: Arc<Endpoint>,
    model: String,
    price: Option<Price>,
    settings: Settings,
    /// What this model's server was found to accept, for the rest of the process.
    fields: Arc<Mutex<RequestFields>>,
}

impl Provider {
    /// Checks what it is made of; sends nothing.
    pub fn new(spec: ProviderSpec) -> Result<Self, SpecError> {
        let (model, price, settings) = (spec.model.clone(), spec.price, spec.settings);
        Ok(Self::at_endpoint(Arc::new(Endpoint::new(spec)?), model, price, settings))
    }

    /// Another model of the same provider.
    pub fn with_model(&self, model: impl Into<String>, price: Option<Price>) -> Self {
        Self::at_endpoint(Arc::clone(&self.endpoint), model.into(), price, Settings::default())
    }

    /// The same model, asked with `settings`.
    pub fn with_settings(self, settings: Settings) -> Self {
        Self::at_endpoint(self.endpoint, self.model, self.price, settings)
    }

    fn at_endpoint(endpoint: Arc<Endpoint>, model: String, price: Option<Price>, settings: Settings) -> Self {
        let fields = Arc::new(Mutex::new(endpoint.expected_fields(&model, settings)));
        Self { endpoint, model, price, settings, fields }
    }

    /// The models that the server has, with their sizes in bytes where it tells them (0 elsewhere), the largest
    /// first; `None` where it does not answer within `wait`.
    pub async fn list_served_models(&self, wait: Duration) -> Option<Vec<(String, u64)>> {
        probe::list_served_models(&self.endpoint, wait).await
    }

    /// The host that is asked, with its port where it is not the usual one.
    pub fn host_and_port(&self) -> String {
        self.endpoint.host_and_port()
    }

    /// One request, up to the end of its stream.
    async fn send_request(&self, call: &Call, fields: &RequestFields, deltas: &dyn Deltas) -> StreamedAnswer {
        let endpoint = &*self.endpoint;
        let request = endpoint
            .client
            .post(endpoint.generation_url(&self.model))
            .headers(endpoint.build_headers())
            .header(CONTENT_TYPE, "application/json")
            .body(endpoint.wire().build_body(&self.model, call, fields));
        read_answer(request, endpoint, call, deltas).await
    }

    /// What the end of a stream means.
    fn conclude_stream(
        &self,
        call: &Call,
        stop: StreamStop,
        mut content: AnswerContent,
    ) -> Result<Answer, CallFailure> {
        let endpoint = &*self.endpoint;
        let too_large = |message| {
            let usage = Some(content.at_least(call));
            Err(self.answered_failure(FailureKind::TooLarge, message, &content, usage))
        };
        match stop {
            StreamStop::Ended if content.frames == 0 && content.bytes > 0 => return Err(endpoint.no_stream()),
            StreamStop::Ended => {}
            StreamStop::TooLarge => {
                return too_large(format!("the answer exceeds {}, stopped reading", format_bytes(call.bytes_max)));
            }
            StreamStop::TooLong => {
                let after = content.text.chars().count();
                return too_large(format!(
                    "the answer ignores the limit of {} tokens, stopped reading after {after} characters",
                    call.tokens_max
                ));
            }
            StreamStop::Elapsed(why) => {
                let (message, usage) = (endpoint.cut_off(&content.text, &why), Some(content.at_least(call)));
                return Err(CallFailure::Silent { message, usage });
            }
            StreamStop::Broken(broken) => {
                // What breaks before anything came was hardly generated.
                let usage = if content.frames > 0 { content.at_least(call) } else { unpaid_usage() };
                return Err(endpoint.broken_failure(broken, &content.text, usage));
            }
        }
        let cut = |why: &str| Err(endpoint.cut_failure(&content.text, why, content.at_least(call)));
        let (kind, message) = match content.find_end(call.schema.as_deref()) {
            None => return cut("the stream ended without an end"),
            Some(AnswerEnd::Broken(why)) => return cut(&format!("it ended with {why:?}")),
            Some(AnswerEnd::Refused(why)) => {
                (FailureKind::Refused, format!("the model declined: {}", endpoint.redact_secrets(&why)))
            }
            Some(AnswerEnd::Filtered(why)) => {
                (FailureKind::Filtered, format!("a content filter cut the answer: {}", endpoint.redact_secrets(&why)))
            }
            Some(AnswerEnd::Truncated) => {
                let after = content.text.chars().count();
                let effort = if self.can_think_less(&content) { LESS_THINKING } else { "" };
                let message = format!("cut at the token limit after {after} characters; {MORE_TOKENS}{effort}");
                (FailureKind::Truncated, message)
            }
            Some(AnswerEnd::Complete) if call.may_look_up() && !content.calls.is_empty() => {
                let usage = content.reported_usage().or_else(|| Some(content.at_least(call)));
                let requested = Box::new(content.take_requested_lookups());
                return Err(CallFailure::LooksUp { requested, usage });
            }
            Some(AnswerEnd::Complete) if content.text.contains('\0') => {
                let message = format!("{}: the answer holds NUL characters", endpoint.name);
                let usage = content.reported_usage().or_else(|| Some(content.at_least(call)));
                return Err(CallFailure::Transient { message, retry_after: None, usage });
            }
            Some(AnswerEnd::Complete) => {
                let usage = content.reported_usage();
                let text = match content.text.trim().is_empty() {
                    true => content.thought_statement(call.schema.as_deref()),
                    false => Some(std::mem::take(&mut content.text)),
                };
                if let Some(text) = text {
                    let model = content.model.as_deref().map(|model| endpoint.redact_secrets(model));
                    return Ok(Answer { text, usage, model, engine: None });
                }
                (FailureKind::Empty, content.why_empty())
            }
        };
        Err(self.answered_failure(kind, message, &content, content.reported_usage()))
    }

    /// Whether the model thinks, and its server has not refused to be told how long.
    fn can_think_less(&self, content: &AnswerContent) -> bool {
        let settings = Settings { tokens_max: None, ..self.settings };
        let thinks = thinking_room(self.endpoint.kind, &self.model, settings) > Some(0);
        let refused = self.settings.effort.is_some() && self.current_fields().effort.is_none();
        (thinks || !content.reasoning.is_empty()) && !refused
    }

    /// An answer that is not a statement, with the provider's name for it.
    fn answered_failure(
        &self,
        kind: FailureKind,
        message: String,
        content: &AnswerContent,
        usage: Option<Usage>,
    ) -> CallFailure {
        let message = match &content.id {
            Some(id) => format!("{message} (request {})", self.endpoint.redact_secrets(id)),
            None => message,
        };
        CallFailure::Answered { kind, message, usage }
    }

    /// Tokens that a call counts for before it is made: about four bytes of text each, and what it may write.
    fn estimate_tokens(call: &Call) -> u64 {
        ((call.prompt_bytes() + call.schema_bytes) as u64).div_ceil(BYTES_PER_TOKEN_USUAL) + u64::from(call.tokens_max)
    }

    /// Tells the limits of rate how a call ended; `refusal` holds the headers of one that came too early.
    fn report_to_rates(&self, call: &Call, concluded: &Result<Answer, CallFailure>, refusal: Option<&HeaderMap>) {
        let rates = &self.endpoint.rates;
        let usage = match (concluded, refusal) {
            (Err(CallFailure::Transient { retry_after, .. }), Some(headers)) => {
                return rates.record_refusal(&self.model, headers, *retry_after);
            }
            (Ok(answer), _) => answer.usage,
            (Err(failure @ (CallFailure::Answered { .. } | CallFailure::LooksUp { .. })), _) => failure.usage(),
            _ => return,
        };
        let unspent = usage.map_or(0, |usage| Self::estimate_tokens(call).saturating_sub(usage.total_tokens()));
        rates.record_answer(&self.model, unspent, self.endpoint.wire().profile().counts_ahead);
    }

    fn current_fields(&self) -> RequestFields {
        self.fields.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait::async_trait]
impl Participant for Provider {
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> Result<Answer, CallFailure> {
        let call = &*call.without_examples();
        self.endpoint.needs_key()?;
        let fields = self.current_fields();
        let (host, since) = (self.endpoint.host_and_port(), tokio::time::Instant::now());
        tracing::debug!(host, model = self.model, "request");
        let StreamedAnswer { content, stop, rates } = self.send_request(call, &fields, deltas).await;
        self.endpoint.rates.record_report(&self.model, rates);
        let took_ms = since.elapsed().as_millis() as u64;
        tracing::debug!(
            host,
            took_ms,
            status = stop.status().map(|status| status.code),
            ended = stop.kind(),
            "response"
        );
        if let Some(status) = stop.status()
            && let Some(fewer) = fields.without_refused(status, call, self.endpoint.wire().profile().schema_fields)
        {
            let message = format!(
                "{}: {}",
                self.endpoint.name,
                self.endpoint.redact_secrets(&redact::error_reason(&status.body))
            );
            let mut known = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
            // Where a call at the same time found out something else, that is tried first.
            if *known == fields {
                *known = fewer;
            }
            return Err(CallFailure::Narrowed { message });
        }
        let refusal = stop.status().filter(|status| status.code == TOO_MANY_REQUESTS);
        let refusal = refusal.map(|status| status.headers.clone());
        let concluded = self.conclude_stream(call, stop, content);
        self.report_to_rates(call, &concluded, refusal.as_ref());
        concluded
    }

    async fn admit_call(&self, call: &Call) -> Result<(), CallFailure> {
        let rates = &self.endpoint.rates;
        rates.admit_call(&self.model, Self::estimate_tokens(call)).await.map_err(|wait| CallFailure::Transient {
            message: format!("{}: it takes no further requests for {} s", self.endpoint.name, wait.as_secs()),
            retry_after: Some(wait),
            usage: None,
        })
    }

    fn is_model(&self) -> bool {
        true
    }

    fn can_look_up(&self) -> bool {
        self.current_fields().tools
    }

    async fn probe(&self) -> Result<Probe, CallFailure> {
        probe::probe_model(&self.endpoint, &self.model).await
    }

    fn price(&self) -> Option<Price> {
        self.price
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn thinking_room(&self) -> Option<u32> {
        thinking_room(self.endpoint.kind, &self.model, self.settings)
    }

    fn is_paid(&self) -> bool {
        is_paid(self.endpoint.kind, self.endpoint.is_loopback(), &self.model)
    }
}

/// Whether calls are charged: only Ollama on this machine is known to charge nothing, and it
/// passes models whose names end in `cloud` on to its service. Any other server of this machine may be the
/// way to one that does.
pub fn is_paid(kind: ProviderKind, loopback: bool, model: &str) -> bool {
    !(kind == ProviderKind::Ollama && loopback && !model.ends_with("cloud"))
}

/// `bytes` for a reader.
fn format_bytes(bytes: usize) -> String {
    match bytes {
        1_000_000.. => format!("{} MB", bytes / 1_000_000),
        1_000.. => format!("{} kB", bytes / 1_000),
        _ => format!("{bytes} bytes"),
    }
}

/// Zero tokens: nothing was generated, so nothing is owed.
fn unpaid_usage() -> Usage {
    Usage { requests: 1, ..Usage::default() }
}
