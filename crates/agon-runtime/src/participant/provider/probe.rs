//! Whether a model can be asked, from the provider's model list: at no cost, once a process.

use std::{collections::BTreeSet, time::Duration};

use serde::Deserialize;
use tokio::time::{Instant, timeout};

use super::{endpoint::Endpoint, failure::BrokenCall, status::ErrorStatus, stream::read_head};
use crate::participant::{
    CallFailure, Probe,
    json::{FrameCount, FrameField, FrameText},
};

/// Bytes of a model list that are read.
const LIST_BYTES_MAX: usize = 16 << 20;
/// Longest wait for a model list; a probe holds up the debate.
const LIST_WAIT_MAX: Duration = Duration::from_secs(20);

/// A list that could not be had.
enum NoList {
    /// Nor can anything else.
    Unusable(CallFailure),
    /// But calls may work.
    Unknown(String),
}

/// Looks up `model`.
pub(super) async fn probe_model(endpoint: &Endpoint, model: &str) -> Result<Probe, CallFailure> {
    endpoint.needs_key()?;
    let doubtful = |models: &BTreeSet<String>| {
        Probe::Doubtful(format!(
            "{} lists {} models, {} is none of them",
            endpoint.name,
            models.len(),
            endpoint.redact_secrets(model),
        ))
    };
    if let Some(known) = endpoint.models.get().filter(|known| !endpoint.wire().is_listed(known, model)) {
        // It may have come since they were listed.
        return Ok(match fetch_model_names(endpoint).await {
            Ok(models) if endpoint.wire().is_listed(&models, model) => Probe::Ready,
            Ok(models) => doubtful(&models),
            Err(_) => doubtful(known),
        });
    }
    match endpoint.models.get_or_try_init(|| fetch_model_names(endpoint)).await {
        Ok(models) if endpoint.wire().is_listed(models, model) => Ok(Probe::Ready),
        Ok(models) => Ok(doubtful(models)),
        Err(NoList::Unusable(failure)) => Err(failure),
        Err(NoList::Unknown(why)) => Ok(Probe::Doubtful(format!("{} does not list its models: {why}", endpoint.name))),
    }
}

/// The models that a server has, with their sizes in bytes where it tells them, the largest first; `None` where
/// it does not answer within `wait`.
pub(super) async fn list_served_models(endpoint: &Endpoint, wait: Duration) -> Option<Vec<(String, u64)>> {
    let body = timeout(wait, fetch_model_list(endpoint)).await.ok()?.ok()?;
    let listed = parse_model_list(&body)?.into_iter();
    let mut models: Vec<_> = listed.map(|(name, bytes)| (endpoint.redact_secrets(&name), bytes)).collect();
    models.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Some(models)
}

async fn fetch_model_names(endpoint: &Endpoint) -> Result<BTreeSet<String>, NoList> {
    let wait = endpoint.timeouts.silence.min(LIST_WAIT_MAX);
    let (name, host) = (&endpoint.name, endpoint.host_and_port());
    let unreachable = |why: String| {
        let remedy = format!("check the network and the base URL of provider {name}; is the server at {host} running?");
        NoList::Unusable(CallFailure::Unavailable {
            message: format!("{name}: {}", endpoint.redact_secrets(&why)),
            remedy,
        })
    };
    match timeout(wait, fetch_model_list(endpoint)).await {
        Err(_) => Err(unreachable(format!("no answer from {host} within {} s", wait.as_secs_f64()))),
        Ok(Ok(body)) => parse_model_names(&body).ok_or_else(|| NoList::Unknown("its answer is not a list".to_owned())),
        Ok(Err(BrokenCall::Status(status))) => Err(match endpoint.status_failure(&status) {
            failure @ CallFailure::Unavailable { .. } if matches!(status.code, 401..=403) => NoList::Unusable(failure),
            failure => NoList::Unknown(failure.to_string()),
        }),
        Ok(Err(BrokenCall::Unreached(why) | BrokenCall::Connection(why) | BrokenCall::Unsent(why))) => {
            Err(unreachable(why))
        }
        Ok(Err(BrokenCall::Page)) => Err(NoList::Unknown("what it sends is a page".to_owned())),
        Ok(Err(BrokenCall::Garbled(why))) => Err(NoList::Unknown(why)),
        Ok(Err(BrokenCall::Reported(error))) => Err(NoList::Unknown(endpoint.redact_secrets(&error.to_string()))),
    }
}

async fn fetch_model_list(endpoint: &Endpoint) -> Result<Vec<u8>, BrokenCall> {
    let http = |error: reqwest::Error| BrokenCall::from_http(&error, endpoint);
    let request = endpoint.client.get(endpoint.models_url()).headers(endpoint.build_headers());
    let mut response = request.send().await.map_err(http)?;
    let body = read_head(&mut response, LIST_BYTES_MAX, Instant::now() + LIST_WAIT_MAX).await;
    if response.status().is_success() {
        return Ok(body);
    }
    Err(BrokenCall::Status(ErrorStatus::from_response(&response, &body)))
}

/// A list of models, under one of two names or both.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'l"))]
struct ServedModels<'l> {
    data: FrameField<Vec<FrameField<ServedModel<'l>>>>,
    models: FrameField<Vec<FrameField<ServedModel<'l>>>>,
}

/// A model in it, which has its name in one of three fields.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'l"))]
struct ServedModel<'l> {
    id: FrameText<'l>,
    name: FrameText<'l>,
    model: FrameText<'l>,
    size: FrameCount,
}

/// The models of a list of any of the four shapes, with their sizes in bytes where it tells them.
fn parse_model_list(body: &[u8]) -> Option<Vec<(String, u64)>> {
    let list: ServedModels<'_> = serde_json::from_slice(body).unwrap_or_default();
    let models = list.data.0.or(list.models.0).or_else(|| serde_json::from_slice(body).ok())?;
    let named = models.into_iter().filter_map(|model| model.0).filter_map(|ServedModel { id, name, model, size }| {
        let name = [&id, &name, &model].into_iter().find_map(FrameText::as_text)?;
        Some((name.strip_prefix("models/").unwrap_or(name).to_owned(), size.0.unwrap_or(0)))
    });
    Some(named.collect())
}

fn parse_model_names(body: &[u8]) -> Option<BTreeSet<String>> {
    Some(parse_model_list(body)?.into_iter().map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::participant::provider::ProviderKind;

    #[test]
    fn lists_of_every_shape_are_read() {
        let table = [
            (ProviderKind::OpenAi, r#"{"data":[{"id":"m"},{"id":"n"}]}"#, "m", true),
            (ProviderKind::OpenAi, r#"[{"id":"m"}]"#, "m", true),
            (ProviderKind::OpenAi, r#"{"data":[]}"#, "m", false),
            (ProviderKind::Anthropic, r#"{"data":[{"id":"claude-x-4-20250514"}]}"#, "claude-x-4", true),
            (ProviderKind::Anthropic, r#"{"data":[{"id":"claude-x-4-5"}]}"#, "claude-x-4", false),
            (ProviderKind::Gemini, r#"{"models":[{"name":"models/m"}]}"#, "m", true),
            (ProviderKind::Ollama, r#"{"models":[{"name":"m:latest","model":"m:latest"}]}"#, "m", true),
            (ProviderKind::Ollama, r#"{"models":[{"name":"m:8b"}]}"#, "m", false),
        ];
        for (kind, body, model, wanted) in table {
            assert_eq!(kind.wire().is_listed(&parse_model_names(body.as_bytes()).unwrap(), model), wanted, "{body}");
        }
        for body in ["", "<html>", "{}", r#"{"data":3}"#] {
            assert_eq!(parse_model_names(body.as_bytes()), None, "{body}");
        }
    }
}
