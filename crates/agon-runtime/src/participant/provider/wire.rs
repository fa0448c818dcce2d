//! OpenAI, Anthropic and Gemini by way of `genai`: it shapes the request and reads the stream, and
//! is told where to send what, never left to guess from the model's name.

use std::sync::Arc;

use futures::StreamExt;
use genai::{
    Headers, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{
        CacheControl, ChatMessage as GenaiMessage, ChatOptions, ChatRequest, ChatStreamEvent, JsonSpec,
        ReasoningEffort,
    },
    resolver::{AuthData, Endpoint as GenaiEndpoint},
};
use serde_json::{Value, json};

use super::{
    ProviderKind,
    endpoint::Endpoint,
    failure::{BrokenCall, ErrorStatus},
    fields::RequestFields,
    listen::{Source, StreamItem},
    notes::StreamMetadata,
};
use crate::participant::{Call, ChatRole, Effort, written};

/// The name that a schema without a title goes by.
const SCHEMA_NAME: &str = "statement";
/// Seeds are signed 32-bit numbers in some of the interfaces.
const SEED_MASK: u64 = 0x7fff_ffff;
/// Anthropic's highest temperature.
const ANTHROPIC_TEMPERATURE_MAX: f64 = 1.0;

/// The stream of the answer to `call`. Nothing is sent before it is listened to.
pub(super) async fn source(
    endpoint: &Arc<Endpoint>,
    model: &str,
    call: &Call,
    fields: &RequestFields,
    notes: &Arc<StreamMetadata>,
) -> Result<Source, BrokenCall> {
    let client = genai::Client::builder()
        .with_reqwest(endpoint.client.clone())
        .build()
        .map_err(|error| BrokenCall::Unsent(error.to_string()))?;
    let target = target(endpoint, model);
    let options = options(endpoint.kind, model, call, fields).with_raw_frame_sink_arc(notes.clone());
    let stream = client
        .exec_chat_stream(target, request(call), Some(&options))
        .await
        .map_err(|error| broken(error, endpoint))?;
    let endpoint = endpoint.clone();
    let heard = stream.stream.map(move |event| match event {
        Ok(ChatStreamEvent::Chunk(chunk)) => Ok(StreamItem::Text(chunk.content)),
        Ok(ChatStreamEvent::ReasoningChunk(chunk)) => Ok(StreamItem::Thought(written(&chunk.content))),
        Ok(ChatStreamEvent::End(_)) => Ok(StreamItem::End),
        Ok(_) => Ok(StreamItem::Nothing),
        Err(error) => Err(broken(error, &endpoint)),
    });
    Ok(heard.boxed())
}

/// Where the request goes. Address and headers are ours, so that genai neither rewrites the model's
/// name in a path nor insists on a key where none is needed.
fn target(endpoint: &Endpoint, model: &str) -> ServiceTarget {
    let kind = match endpoint.kind {
        ProviderKind::Anthropic => AdapterKind::Anthropic,
        ProviderKind::Gemini => AdapterKind::Gemini,
        ProviderKind::OpenAi | ProviderKind::Azure | ProviderKind::Ollama => AdapterKind::OpenAI,
    };
    let mut headers = Headers::default();
    for header in endpoint.secret_headers() {
        headers.merge(header);
    }
    for (name, value) in endpoint.own_headers() {
        headers.merge((name.clone(), value.clone()));
    }
    ServiceTarget {
        endpoint: GenaiEndpoint::from_owned(endpoint.base()),
        auth: AuthData::RequestOverride { url: endpoint.generation_url(model).into(), headers },
        model: ModelIden::new(kind, model),
    }
}

fn request(call: &Call) -> ChatRequest {
    let messages = call.messages.iter().map(|message| match message.role {
        ChatRole::System => GenaiMessage::system(message.text.as_str()),
        ChatRole::User => GenaiMessage::user(message.text.as_str()),
        ChatRole::Assistant => GenaiMessage::assistant(message.text.as_str()),
    });
    ChatRequest::from_messages(messages.collect())
}

fn options(kind: ProviderKind, model: &str, call: &Call, fields: &RequestFields) -> ChatOptions {
    let mut options = ChatOptions::default();
    // Of the decimal that was meant, not of the nearest binary fraction.
    let temperature = (f64::from(call.temperature) * 1_000.0).round() / 1_000.0;
    if fields.temperature {
        let most = if kind == ProviderKind::Anthropic { ANTHROPIC_TEMPERATURE_MAX } else { f64::MAX };
        options = options.with_temperature(temperature.min(most));
    }
    if fields.seed {
        options = options.with_seed(call.seed & SEED_MASK);
    }
    if let Some(schema) = call.schema.as_deref().filter(|_| fields.schema) {
        options = options.with_response_format(JsonSpec::new(schema_name(schema), schema.clone()));
    }
    match kind {
        ProviderKind::OpenAi | ProviderKind::Azure | ProviderKind::Ollama => {
            let limit = if fields.completion_limit { "max_completion_tokens" } else { "max_tokens" };
            // genai shortens names that hold "::"; what is merged last stands.
            let mut extra = json!({"model": model, limit: call.tokens_max});
            if fields.stream_options {
                extra["stream_options"] = json!({"include_usage": true});
            }
            // An effort that OpenAI's adapter does not send, but that keeps it from taking a model's
            // name that ends in "-max" or "-high" for a model and an effort.
            let effort = fields.effort.map_or(ReasoningEffort::Budget(0), genai_effort);
            options.with_extra_body(extra).with_reasoning_effort(effort)
        }
        ProviderKind::Anthropic => {
            let options =
                options.with_max_tokens(call.tokens_max).with_cache_control(CacheControl::Ephemeral);
            let options = options.with_extra_body(json!({"model": model}));
            // Setting an effort may turn thinking off, so it is set only where the name needs it.
            match (fields.effort, ReasoningEffort::from_model_name(model)) {
                (Some(effort), _) => options.with_reasoning_effort(genai_effort(effort)),
                (None, (Some(_), _)) => options.with_reasoning_effort(ReasoningEffort::Zero),
                (None, (None, _)) => options,
            }
        }
        // For Gemini this effort sends nothing.
        ProviderKind::Gemini => {
            let effort = match fields.effort {
                None => ReasoningEffort::Zero,
                Some(Effort::None) => ReasoningEffort::Budget(0),
                Some(effort) => genai_effort(effort),
            };
            options.with_max_tokens(call.tokens_max).with_reasoning_effort(effort)
        }
    }
}

fn genai_effort(effort: Effort) -> ReasoningEffort {
    match effort {
        Effort::None => ReasoningEffort::Zero,
        Effort::Minimal => ReasoningEffort::Minimal,
        Effort::Low => ReasoningEffort::Low,
        Effort::Medium => ReasoningEffort::Medium,
        Effort::High => ReasoningEffort::High,
    }
}

fn schema_name(schema: &Value) -> String {
    let title = schema["title"].as_str().unwrap_or_default();
    let name: String =
        title.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
    if name.is_empty() { SCHEMA_NAME.to_owned() } else { name }
}

/// What an error of genai stands for.
fn broken(error: genai::Error, endpoint: &Endpoint) -> BrokenCall {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => {
            BrokenCall::Status(Box::new(ErrorStatus { code: status.as_u16(), headers: *headers, body }))
        }
        genai::Error::ChatResponse { body, .. } => BrokenCall::Reported(body),
        genai::Error::StreamParse { serde_error, .. } => {
            BrokenCall::Garbled(format!("a frame is not JSON: {serde_error}"))
        }
        genai::Error::WebStream { error, .. } => match error.downcast::<genai::Error>() {
            Ok(within) => broken(*within, endpoint),
            Err(error) => match error.downcast_ref::<reqwest::Error>() {
                Some(http) => BrokenCall::from_http(http, endpoint),
                None if is_utf8(error.as_ref()) => {
                    BrokenCall::Garbled("the answer is not valid UTF-8".to_owned())
                }
                None => BrokenCall::Connection(error.to_string()),
            },
        },
        genai::Error::JsonValueExt(error) => BrokenCall::Garbled(format!("a frame lacks a field: {error}")),
        other => BrokenCall::Unsent(other.to_string()),
    }
}

fn is_utf8(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    error.is::<std::str::Utf8Error>()
        || error.is::<std::string::FromUtf8Error>()
        || error.source().is_some_and(|source| source.is::<std::str::Utf8Error>())
}
