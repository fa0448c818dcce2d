//! Logins by OpenID Connect: the authorization code flow with PKCE. The library checks signature, issuer, audience,
//! expiry and nonce of the proof; the state and the one use of a login are checked here.

use std::time::{Duration, Instant};

use agon_journal::accounts::{ExternalIdentity, LoginFlow};
use agon_runtime::config::OidcConfig;
use futures::{FutureExt, future::BoxFuture};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, IssuerUrl, Nonce, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse,
    core::{CoreAuthenticationFlow, CoreClient, CoreJwsSigningAlgorithm, CoreProviderMetadata},
};
use tokio::sync::Mutex;

use super::ProvedPerson;
use crate::Refusal;

/// Where the provider sends people back.
pub(crate) const CALLBACK: &str = "/login/callback";
/// How long the provider's description is used.
const FRESH: Duration = Duration::from_secs(60);
/// Longest wait for an answer of the provider.
const WAIT: Duration = Duration::from_secs(10);
/// Maximum number of bytes of an answer of the provider.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Longest subject, in bytes; OpenID Connect allows 255.
const SUBJECT_BYTES_MAX: usize = 255;
/// Algorithms with which the provider may sign. A signature with the client's own secret would prove less.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 7] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

type ProviderClient =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

/// A provider, as the configuration names it.
pub(crate) struct OpenIdProvider {
    pub config: OidcConfig,
    redirect: String,
    secret: Option<String>,
    client: reqwest::Client,
    known: Mutex<Option<(Instant, CoreProviderMetadata)>>,
}

/// Why the provider could not be asked, or its answer proves nothing.
#[derive(Debug, thiserror::Error)]
enum ProviderFault {
    #[error("{0}")]
    Http(#[from] reqwest::Error),
    #[error("{0}")]
    Answer(#[from] axum::http::Error),
    #[error("an answer has more than {ANSWER_BYTES_MAX} bytes")]
    TooLarge,
}

fn provider_refusal(status: u16, code: &'static str, message: &str) -> Refusal {
    Refusal::new(status, code, message, "try again; if it persists, ask the administrator of the server")
}

/// The provider's faults are for the log: a person can do nothing about them.
fn provider_unavailable(error: impl std::fmt::Display) -> Refusal {
    tracing::warn!(%error, "the login provider cannot be used");
    provider_refusal(502, "login_provider", "the login provider cannot be reached or does not answer as it should")
}

fn login_unproved(error: impl std::fmt::Display) -> Refusal {
    tracing::warn!(%error, "a login by the provider was refused");
    provider_refusal(403, "login_refused", "this login proves nothing")
}

async fn send_provider_request(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, ProviderFault> {
    let (parts, body) = request.into_parts();
    let request = client.request(parts.method, parts.uri.to_string()).headers(parts.headers);
    let mut response = request.body(body).send().await?;
    let mut answer = axum::http::Response::builder().status(response.status());
    if let Some(headers) = answer.headers_mut() {
        *headers = response.headers().clone();
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ANSWER_BYTES_MAX {
            return Err(ProviderFault::TooLarge);
        }
    }
    Ok(answer.body(bytes)?)
}

/// The provider that the configuration names.
pub(crate) fn build_login_provider(
    config: OidcConfig,
    public_url: &str,
    secret: Option<String>,
) -> Option<OpenIdProvider> {
    Some(OpenIdProvider::new(config, public_url, secret))
}

impl OpenIdProvider {
    fn new(config: OidcConfig, public_url: &str, secret: Option<String>) -> Self {
        let redirect = format!("{}{CALLBACK}", public_url.trim_end_matches('/'));
        // Redirects would lead requests to places that nobody configured.
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(WAIT);
        let client = client.build().unwrap_or_default();
        Self { config, redirect, secret, client, known: Mutex::default() }
    }

    /// What the page for logging in calls the provider.
    pub fn name(&self) -> &str {
        self.config.name.as_deref().unwrap_or("single sign-on")
    }

    /// What sends a request to the provider.
    fn request_sender(
        &self,
    ) -> impl Fn(HttpRequest) -> BoxFuture<'static, Result<HttpResponse, ProviderFault>> + use<> {
        let client = self.client.clone();
        move |request| send_provider_request(client.clone(), request).boxed()
    }

    /// How the provider describes itself. It must name the issuer that was configured.
    async fn load_provider_metadata(&self) -> Result<CoreProviderMetadata, Refusal> {
        let mut known = self.known.lock().await;
        if let Some((at, metadata)) = &*known
            && at.elapsed() < FRESH
        {
            return Ok(metadata.clone());
        }
        let issuer = IssuerUrl::new(self.config.issuer.clone()).map_err(provider_unavailable)?;
        let ask = self.request_sender();
        let metadata = CoreProviderMetadata::discover_async(issuer, &ask).await.map_err(provider_unavailable)?;
        *known = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    /// This server as a client of the provider.
    async fn provider_client(&self) -> Result<ProviderClient, Refusal> {
        let metadata = self.load_provider_metadata().await?;
        let id = ClientId::new(self.config.client_id.clone());
        let secret = self.secret.clone().map(ClientSecret::new);
        let redirect = RedirectUrl::new(self.redirect.clone()).map_err(provider_unavailable)?;
        Ok(CoreClient::from_provider_metadata(metadata, id, secret).set_redirect_uri(redirect))
    }

    /// Where the browser goes to log in, and what must come back.
    pub async fn begin_login(&self, next: String) -> Result<(String, LoginFlow), Refusal> {
        let client = self.provider_client().await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let scopes = self.config.scopes.iter().cloned().map(Scope::new);
        let (url, state, nonce) = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
            .add_scopes(scopes)
            .set_pkce_challenge(challenge)
            .url();
        let flow = LoginFlow {
            state: state.into_secret(),
            nonce: nonce.secret().clone(),
            verifier: verifier.into_secret(),
            next,
        };
        Ok((url.to_string(), flow))
    }

    /// The person for whom the provider gave `code` in this login.
    pub async fn finish_login(&self, flow: LoginFlow, code: String) -> Result<ProvedPerson, Refusal> {
        let client = self.provider_client().await?;
        let exchange = client.exchange_code(AuthorizationCode::new(code)).map_err(provider_unavailable)?;
        let ask = self.request_sender();
        let exchange = exchange.set_pkce_verifier(PkceCodeVerifier::new(flow.verifier));
        let tokens = exchange.request_async(&ask).await.map_err(login_unproved)?;
        let proof = tokens.id_token().ok_or_else(|| login_unproved("the provider sent no ID token"))?;
        let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
        let claims = proof.claims(&verifier, &Nonce::new(flow.nonce)).map_err(login_unproved)?;
        let subject = claims.subject().as_str();
        if subject.is_empty() || subject.len() > SUBJECT_BYTES_MAX {
            return Err(login_unproved("the subject is empty or too long"));
        }
        let email = claims.email().filter(|_| claims.email_verified() == Some(true));
        let email = email.map(|email| email.as_str().to_owned());
        let preferred = claims.preferred_username().map(|name| name.as_str().to_owned());
        let name = claims.name().and_then(|name| name.get(None)).map(|name| name.as_str().to_owned());
        let login = preferred.or_else(|| email.clone()).unwrap_or_default();
        let identity = ExternalIdentity { issuer: self.config.issuer.clone(), subject: subject.to_owned() };
        Ok(ProvedPerson { display: name.unwrap_or_else(|| login.clone()), identity, login, email })
    }

    /// Whether a person whom nobody added gets an account.
    pub fn can_create_account(&self, person: &ProvedPerson) -> bool {
        let domain = person.email.as_deref().and_then(domain_of);
        let domains = &self.config.email_domains;
        let is_known = domain.is_some_and(|domain| domains.iter().any(|known| known.eq_ignore_ascii_case(domain)));
        self.config.create && (domains.is_empty() || is_known)
    }
}

/// The domain of an address; `None` where a provider verified something that is not one address.
fn domain_of(email: &str) -> Option<&str> {
    let (local, domain) = email.split_once('@')?;
    let is_plain = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let fits = !local.is_empty() && local.chars().all(is_plain);
    let is_host = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    (fits && !domain.is_empty() && domain.chars().all(is_host)).then_some(domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_whole_address_has_a_domain() {
        assert_eq!(domain_of("ada.l+x@example.org"), Some("example.org"));
        for wrong in [
            "a@evil.com,b@example.org",
            "a@evil.com\n@example.org",
            "@example.org",
            "example.org",
            "\"a@evil.com\"@example.org",
            "a@",
            "a b@example.org",
            "a@example.org ",
            "a\u{200b}@example.org",
        ] {
            assert_eq!(domain_of(wrong), None, "{wrong:?}");
        }
    }
}
