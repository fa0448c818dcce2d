//! Passkeys: the two steps of registering one, and the two of logging in with one. A cookie ties the steps together.

use agon_journal::accounts::{AuditEvent, Passkey, PasskeyChallenge, PrincipalId};
use axum::{
    Json,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
};
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use utoipa::ToSchema;

use super::{ApiResult, input::JsonBody};
use crate::{
    Refusal, State,
    accounts::{
        Accounts, Caller, RelyingParty, RequestCaller, attempts, audit_event, cookie_header, find_cookie,
        not_permitted, safe_next, start_session,
    },
    visitor::Called,
};

/// How long a browser keeps the cookie of a challenge, in seconds.
const CHALLENGE_SECONDS: u32 = 300;
/// Challenges for logins that one address gets within 15 minutes.
const CHALLENGES_MAX: u32 = 100;
/// Logins after which a person may register a passkey: those that this server itself has checked. Another server, or a
/// proxy, that vouches for a person also decides when that ends.
const LOCAL: [&str; 3] = ["password", "passkey", "invitation"];

/// A passkey to be registered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyBody {
    /// What you call it.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// What `navigator.credentials.create()` gave, as its `toJSON()` writes it.
    #[schema(value_type = Object)]
    credential: Box<RawValue>,
}

/// A login with a passkey.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyLoginBody {
    /// What `navigator.credentials.get()` gave, as its `toJSON()` writes it.
    #[schema(value_type = Object)]
    credential: Box<RawValue>,
    /// Where the login leads: a path of this server.
    #[serde(default)]
    next: String,
}

/// What a browser is asked for.
#[derive(Serialize, ToSchema)]
struct PasskeyOptions {
    /// The argument of `navigator.credentials`, with bytes in base64url.
    #[serde(rename = "publicKey")]
    #[schema(value_type = Object)]
    public_key: Box<RawValue>,
}

/// A passkey that was registered.
#[derive(Serialize, ToSchema)]
struct PasskeyLine {
    /// Its id.
    id: String,
    /// What its person calls it.
    name: String,
}

/// Where a login leads.
#[derive(Serialize, ToSchema)]
struct LoginLine {
    /// A path of this server.
    next: String,
}

fn challenge_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-agon_passkey" } else { "agon_passkey" }
}

fn require_relying_party(shared: &State) -> Result<(&Accounts, &RelyingParty), Refusal> {
    let accounts = shared.accounts.as_ref().ok_or_else(not_permitted)?;
    let remedy = "the administrator sets accounts.public_url to an address that begins with https";
    let none = || Refusal::new(404, "no_passkeys", "this server has no passkeys", remedy);
    Ok((accounts, accounts.relying_party.as_ref().ok_or_else(none)?))
}

/// The person, where the login allows to register a passkey.
fn local_person(caller: &RequestCaller) -> Result<PrincipalId, Refusal> {
    let is_local = caller.login.as_deref().is_some_and(|via| LOCAL.contains(&via));
    let why = "this login is another server's, which decides how you log in";
    let not_local = || Refusal::new(403, "not_local", why, "log in with a password or an invitation");
    caller.visitor.person.filter(|_| is_local).ok_or_else(not_local)
}

/// Sends a challenge, and the cookie that its answer must come with.
async fn send_challenge(
    shared: &State,
    accounts: &Accounts,
    principal: Option<PrincipalId>,
    (public_key, state): (Box<RawValue>, String),
) -> ApiResult {
    let secret = shared.journal.start_passkey_challenge(PasskeyChallenge { principal, state }).await?;
    let is_https = accounts.config.is_https();
    let cookie = cookie_header(challenge_cookie(is_https), secret.text(), CHALLENGE_SECONDS, is_https);
    Ok(([(header::SET_COOKIE, cookie)], Json(PasskeyOptions { public_key })).into_response())
}

/// The state of the challenge that this browser was sent for `principal`. Taken before anything is checked: it is used
/// once, whatever comes of it.
async fn take_challenge_state(
    shared: &State,
    accounts: &Accounts,
    headers: &HeaderMap,
    principal: Option<PrincipalId>,
) -> Result<String, Refusal> {
    let stale = || {
        let why = "this challenge was not sent here, has expired or was used already";
        Refusal::new(403, "passkey_refused", why, "try again")
    };
    let secret = find_cookie(headers, challenge_cookie(accounts.config.is_https())).ok_or_else(stale)?;
    let challenge = shared.journal.take_passkey_challenge(secret).await?.ok_or_else(stale)?;
    if challenge.principal == principal { Ok(challenge.state) } else { Err(stale()) }
}

#[utoipa::path(post, path = "/api/v1/passkeys/options", operation_id = "startPasskey", tag = "accounts",
    responses((status = 200, description = "What the browser makes a passkey with, and a cookie", body = PasskeyOptions),
        (status = 404, description = "The server has no passkeys (no_passkeys)", body = super::shape::Refused)))]
pub async fn registration_options(Called(shared, caller): Called<Caller>) -> ApiResult {
    let (accounts, relying_party) = require_relying_party(&shared)?;
    let id = local_person(&caller)?;
    let person = shared.journal.find_principal(id)?.ok_or_else(not_permitted)?;
    let begun = relying_party.begin_registration(&person, &shared.journal.passkeys_of(id)?)?;
    send_challenge(&shared, accounts, Some(id), begun).await
}

#[utoipa::path(post, path = "/api/v1/passkeys", operation_id = "registerPasskey", tag = "accounts",
    request_body = PasskeyBody,
    responses((status = 201, description = "The passkey was registered", body = PasskeyLine),
        (status = 404, description = "The server has no passkeys (no_passkeys)", body = super::shape::Refused),
        (status = 409, description = "Another person has this passkey already (exists)", body = super::shape::Refused)))]
pub async fn register_passkey(
    Called(shared, caller): Called<Caller>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<PasskeyBody>,
) -> ApiResult {
    let (accounts, relying_party) = require_relying_party(&shared)?;
    let person = local_person(&caller)?;
    let state = take_challenge_state(&shared, accounts, &headers, Some(person)).await?;
    let new = relying_party.finish_registration(&state, person, body.name, &body.credential)?;
    let Passkey { id, name, .. } = shared.journal.add_passkey(new, audit_event(&caller, "add_passkey")).await?;
    Ok((StatusCode::CREATED, Json(PasskeyLine { id, name })).into_response())
}

#[utoipa::path(post, path = "/api/v1/login/options", operation_id = "startPasskeyLogin", tag = "accounts",
    responses((status = 200, description = "What the browser signs, and a cookie", body = PasskeyOptions),
        (status = 404, description = "The server has no passkeys (no_passkeys)", body = super::shape::Refused)))]
pub async fn login_options(Called(shared, caller): Called<Caller>) -> ApiResult {
    let (accounts, relying_party) = require_relying_party(&shared)?;
    attempts::begin_other(&shared.journal, "passkey", &caller.address, CHALLENGES_MAX).await?;
    send_challenge(&shared, accounts, None, relying_party.begin_login()?).await
}

#[utoipa::path(post, path = "/api/v1/login", operation_id = "logInWithPasskey", tag = "accounts",
    request_body = PasskeyLoginBody,
    responses((status = 200, description = "The cookie of a session, and where the login leads", body = LoginLine),
        (status = 404, description = "The server has no passkeys (no_passkeys)", body = super::shape::Refused)))]
pub async fn log_in(
    Called(shared, caller): Called<Caller>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<PasskeyLoginBody>,
) -> ApiResult {
    let (accounts, relying_party) = require_relying_party(&shared)?;
    let state = take_challenge_state(&shared, accounts, &headers, None).await?;
    let audit = AuditEvent { via: "passkey".into(), ..audit_event(&caller, "login") };
    let known = RelyingParty::credential_of(&body.credential);
    let known = known.map(|credential| shared.journal.find_passkey(&credential)).transpose()?.flatten();
    let signed = verify_signer(&shared, relying_party, &state, &body.credential, known.as_ref()).await;
    match signed {
        Ok(person) => {
            let set = start_session(&shared, accounts, person, audit).await?;
            Ok(([(header::SET_COOKIE, set)], Json(json!(LoginLine { next: safe_next(&body.next) }))).into_response())
        }
        Err(refusal) => {
            let target = known.map_or_else(|| "unknown passkey".into(), |known| known.principal.to_string());
            let audit = AuditEvent { result: refusal.code.clone().into_owned(), target: Some(target), ..audit };
            shared.journal.record_audit_event(audit).await?;
            Err(refusal)
        }
    }
}

/// The person whose passkey has signed.
async fn verify_signer(
    shared: &State,
    relying_party: &RelyingParty,
    state: &str,
    credential: &RawValue,
    known: Option<&Passkey>,
) -> Result<PrincipalId, Refusal> {
    let refused = |why: &str| Refusal::new(403, "passkey_refused", why, "log in another way");
    let known = known.ok_or_else(|| refused("no account here has this passkey"))?;
    let counter = relying_party.finish_login(state, credential, known)?;
    match shared.journal.passkey_used(known, counter).await? {
        true => Ok(known.principal),
        false => Err(refused("this passkey was used twice at once")),
    }
}
