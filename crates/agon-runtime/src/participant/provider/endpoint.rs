//! Where a provider is, how it is reached, and with which key.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use agon_core::Digest;
use reqwest::{
    Client, ClientBuilder, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::OnceCell;

use super::{
    ProviderKind, ProviderSpec, Timeouts, rate::AccountRates, redact, request_fields::RequestFields, wire::Wire,
};
use crate::participant::{CallFailure, Settings};

/// The version of Azure's interface that is spoken where none is configured.
const AZURE_VERSION: &str = "2024-10-21";
/// Connections that are kept for further calls.
const IDLE_CONNECTIONS_MAX: usize = 1_024;

/// A provider that cannot be: a fault of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(String);

/// One provider, shared by its models.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub kind: ProviderKind,
    pub name: String,
    pub timeouts: Timeouts,
    pub key_hint: String,
    pub client: Client,
    /// How much the account may ask, shared with all that reach the same address with the same key.
    pub rates: Arc<AccountRates>,
    /// The models that it lists, fetched once.
    pub models: OnceCell<BTreeSet<String>>,
    /// Its path ends in a slash.
    base: Url,
    hosted: bool,
    headers: BTreeMap<String, String>,
    key: Option<SecretString>,
}

impl Endpoint {
    pub fn new(spec: ProviderSpec) -> Result<Self, SpecError> {
        let base = build_base_url(&spec)?;
        let key = spec.api_key.as_ref().map(|key| plain_key(key.expose_secret()));
        let key = key.filter(|key| !key.is_empty()).map(SecretString::from);
        if key.as_ref().is_some_and(|key| HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).is_err()) {
            let (name, from) = (spec.name, spec.key_hint);
            return Err(SpecError(format!(
                "the key of provider {name} (from {from}) holds characters that cannot be sent"
            )));
        }
        let builder = client_builder(&base).connect_timeout(spec.timeouts.connect);
        let client = builder.pool_max_idle_per_host(IDLE_CONNECTIONS_MAX).build().map_err(|error| {
            let why = redact::redact_line(&redact::root_cause(&error), key.as_ref());
            SpecError(format!("cannot set up the HTTP client of provider {}: {why}", spec.name))
        })?;
        let rates = AccountRates::from_address(
            base.as_str(),
            key.as_ref().map(|key| Digest::from_content(key.expose_secret())),
            spec.rate_limits,
        );
        Ok(Self {
            rates,
            kind: spec.kind,
            name: spec.name,
            timeouts: spec.timeouts,
            key_hint: spec.key_hint,
            client,
            models: OnceCell::new(),
            base,
            headers: spec.headers,
            hosted: spec.base_url.is_none() && spec.kind != ProviderKind::Ollama,
            key,
        })
    }

    /// How it is spoken to.
    pub fn wire(&self) -> &'static dyn Wire {
        self.kind.wire()
    }

    /// What `model` is expected to take there.
    pub fn expected_fields(&self, model: &str, settings: Settings) -> RequestFields {
        let mut fields = RequestFields::new(self.kind, model, settings);
        // Servers that speak the same interface may refuse fields that they do not know.
        fields.cache_key = self.hosted && self.kind == ProviderKind::OpenAi;
        fields
    }

    /// Where `model` is asked.
    pub fn generation_url(&self, model: &str) -> Url {
        self.wire().generation_url(&self.base, model)
    }

    /// Where the models are listed.
    pub fn models_url(&self) -> Url {
        self.wire().models_url(&self.base)
    }

    /// What every request carries; what is secret is marked so that no debug output shows it.
    pub fn build_headers(&self) -> HeaderMap {
        let profile = self.wire().profile();
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let pairs = own.chain(profile.headers.iter().copied()).filter_map(|(name, value)| {
            Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?))
        });
        let mut headers: HeaderMap = pairs.collect();
        if let Some(key) = &self.key {
            let bearer = if profile.key_header == "authorization" { "Bearer " } else { "" };
            if let Ok(mut value) = HeaderValue::from_str(&format!("{bearer}{}", key.expose_secret())) {
                value.set_sensitive(true);
                headers.insert(profile.key_header, value);
            }
        }
        headers
    }

    /// The host, with its port where it is not the usual one.
    pub fn host_and_port(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback_url(&self.base)
    }

    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// `text` of the provider, fit to be shown.
    pub fn redact_secrets(&self, text: &str) -> String {
        redact::redact_line(text, self.key.as_ref())
    }

    /// Fails where the provider's own address is asked without a key.
    pub fn needs_key(&self) -> Result<(), CallFailure> {
        if self.hosted && !self.has_key() {
            let message = format!("{}: no key", self.name);
            return Err(CallFailure::Unavailable { message, remedy: self.key_remedy() });
        }
        Ok(())
    }

    /// How it gets a key, where it has none.
    pub fn key_remedy(&self) -> String {
        match self.key_hint.as_str() {
            "" => {
                format!("name the variable that holds the key: api_key_env under [providers.{}]", self.name)
            }
            hint => format!("set {hint}"),
        }
    }
}

/// A key without what is copied along with it: blanks, characters that nobody sees, the name of its scheme.
fn plain_key(key: &str) -> String {
    let seen: String = key.chars().filter(|c| !agon_text::is_invisible(*c)).collect();
    let seen = seen.trim();
    let bearer = seen.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
    if bearer { seen[7..].trim().to_owned() } else { seen.to_owned() }
}

/// The base URL, its path ending in a slash and complete for the kind.
fn build_base_url(spec: &ProviderSpec) -> Result<Url, SpecError> {
    let profile = spec.kind.wire().profile();
    let wrong = |why: String| {
        SpecError(format!("the base URL of provider {} is not an http or https address: {why}", spec.name))
    };
    let given = spec.base_url.as_deref().unwrap_or(profile.address).trim();
    let mut url = Url::parse(given).map_err(|error| wrong(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong(format!("scheme {:?}", url.scheme())));
    }
    // It would be sent as a header of its own, which no filter for keys knows.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it holds a user name or password; a key belongs into api_key_env".to_owned()));
    }
    // People paste the address of a whole request, or of another interface of the same server.
    let path = url.path().trim_end_matches('/').to_owned();
    let trimmed =
        profile.surplus.iter().fold(path.as_str(), |path, surplus| path.strip_suffix(surplus).unwrap_or(path));
    match trimmed {
        "" => url.set_path(profile.path),
        trimmed => url.set_path(&format!("{trimmed}/")),
    }
    url.set_fragment(None);
    if spec.kind == ProviderKind::Azure && !url.query_pairs().any(|(name, _)| name == "api-version") {
        let version = spec.api_version.as_deref().unwrap_or(AZURE_VERSION);
        url.query_pairs_mut().append_pair("api-version", version);
    }
    Ok(url)
}

/// A client that asks `url`, and follows no redirect.
pub(crate) fn client_builder(url: &Url) -> ClientBuilder {
    // What is not decompressed cannot be a bomb.
    let builder = Client::builder().user_agent(concat!("agon/", env!("CARGO_PKG_VERSION"))).no_gzip();
    let builder = if is_loopback_url(url) { builder.no_proxy() } else { builder };
    // Without certificates to load: there are none on some machines, and none are needed.
    let builder = if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
    builder.redirect(Policy::none())
}

/// Whether an address is this machine's own.
pub(crate) fn is_loopback_url(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(kind: ProviderKind, base: Option<&str>) -> Endpoint {
        let base_url = base.map(str::to_owned);
        Endpoint::new(ProviderSpec { base_url, ..ProviderSpec::new(kind, "m") }).unwrap()
    }

    #[test]
    fn every_spelling_of_a_base_leads_to_one_address() {
        use ProviderKind::*;
        let table = [
            (OpenAi, None, "https://api.openai.com/v1/chat/completions"),
            (OpenAi, Some("http://h:9000/v1"), "http://h:9000/v1/chat/completions"),
            (OpenAi, Some("http://h:9000/v1/"), "http://h:9000/v1/chat/completions"),
            (OpenAi, Some("http://h:9000"), "http://h:9000/v1/chat/completions"),
            (OpenAi, Some("https://h/a/b?api-version=2"), "https://h/a/b/chat/completions?api-version=2"),
            (OpenAi, Some("http://h:9000/v1/chat/completions"), "http://h:9000/v1/chat/completions"),
            (OpenAi, Some("http://h:9000/v1/completions"), "http://h:9000/v1/chat/completions"),
            (OpenAi, Some("http://h:9000/v1/responses/"), "http://h:9000/v1/chat/completions"),
            (OpenAi, Some("https://h/models"), "https://h/models/chat/completions"),
            (Anthropic, Some("https://h"), "https://h/v1/messages"),
            (Anthropic, Some("https://h/v1/messages"), "https://h/v1/messages"),
            (
                Gemini,
                None,
                "https://generativelanguage.googleapis.com/v1beta/models/a%2Fb:streamGenerateContent?alt=sse",
            ),
            (Ollama, Some("http://h:1/v1"), "http://h:1/api/chat"),
            (Ollama, Some("http://h:1/api/"), "http://h:1/api/chat"),
            (Ollama, Some("http://h:1/v1/chat/completions"), "http://h:1/api/chat"),
            (Azure, Some("https://h"), "https://h/openai/deployments/a%2Fb/chat/completions?api-version=2024-10-21"),
            (
                Azure,
                Some("https://h/openai/?api-version=2025-01-01"),
                "https://h/openai/deployments/a%2Fb/chat/completions?api-version=2025-01-01",
            ),
        ];
        for (kind, base, wanted) in table {
            assert_eq!(endpoint(kind, base).generation_url("a/b").as_str(), wanted);
        }
    }

    #[test]
    fn what_is_no_address_or_no_key_is_refused_without_quoting_it() {
        for base in ["ftp://h/", "h:9000/v1", "http://", "secret words", "http://u:secret@h/v1", "http://u@h/"] {
            let spec = ProviderSpec { base_url: Some(base.into()), ..ProviderSpec::new(ProviderKind::OpenAi, "m") };
            assert!(Endpoint::new(spec).unwrap_err().to_string().contains("base URL"), "{base}");
        }
        let api_key = Some(SecretString::from("two\nlines"));
        let error =
            Endpoint::new(ProviderSpec { api_key, ..ProviderSpec::new(ProviderKind::OpenAi, "m") }).unwrap_err();
        assert!(!error.to_string().contains("two"));
        assert_eq!(plain_key("Bearer \u{200b}key\u{feff}"), "key");
        let api_key = Some(SecretString::from(" key \n"));
        let trimmed = Endpoint::new(ProviderSpec { api_key, ..ProviderSpec::new(ProviderKind::OpenAi, "m") }).unwrap();
        assert_eq!(trimmed.build_headers()["authorization"], "Bearer key");
        assert!(!format!("{trimmed:?}{:?}", trimmed.build_headers()).contains("Bearer key"));
    }
}
