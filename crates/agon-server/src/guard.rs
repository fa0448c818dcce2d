//! Access control: who may call the server, who may write, and the headers of every response.

use std::time::Instant;

use axum::{
    extract::{Request, State as FromState},
    http::{HeaderName, HeaderValue, StatusCode, header, uri::Uri},
    middleware::Next,
    response::Response,
};

use crate::{
    Refusal, State,
    accounts::admission,
    deadline,
    visitor::{ClientAddress, Visitor, list_cookies, read_bearer},
};

/// Nothing is loaded, sent or framed but by the server itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// How long a browser keeps the cookie, in seconds: 30 days.
const COOKIE_SECONDS: u32 = 30 * 24 * 3600;
/// When to try again, in seconds, where too many people log in: most of the passwords that wait are checked by then.
const BUSY_SECONDS: &str = "2";

/// Lets a request in, or refuses it.
pub async fn guard_request(FromState(shared): FromState<State>, mut request: Request, next: Next) -> Response {
    // The path alone: what stands behind it may hold the token.
    let (method, path, since) = (request.method().clone(), request.uri().path().to_owned(), Instant::now());
    let for_program = deadline::is_for_programs(request.uri());
    let response = match &shared.accounts {
        Some(accounts) => match find_allowed_host(&shared, &request) {
            Err(refusal) => deadline::refusal_response(refusal, for_program),
            Ok(host) => {
                let origin = request.headers().get(header::ORIGIN);
                let is_own = origin.map(|origin| accounts.is_public(origin).unwrap_or_else(|| is_same(origin, host)));
                let admitted = admission::admit_request(&shared, accounts, request, is_own, next);
                deadline::in_time(admitted, for_program).await
            }
        },
        None => match check_entrance(&shared, &request) {
            Err(refusal) => deadline::refusal_response(refusal, for_program),
            Ok(Entrance::Token(uri)) => redirect_with_token_cookie(&shared, uri),
            Ok(Entrance::Visitor(visitor)) => {
                request.extensions_mut().insert(visitor);
                deadline::in_time(next.run(request), for_program).await
            }
        },
    };
    let (status, took_ms) = (response.status().as_u16(), since.elapsed().as_millis() as u64);
    tracing::debug!(%method, path, status, took_ms, "request");
    with_headers(response)
}

enum Entrance {
    Visitor(Visitor),
    /// The link with the token was followed.
    Token(Uri),
}

/// The host that a request names, where the server is called so.
fn find_allowed_host<'r>(shared: &State, request: &'r Request) -> Result<&'r str, Refusal> {
    find_request_host(request).filter(|host| shared.hosts.is_allowed(host)).ok_or_else(|| {
        let remedy = "use the address that agon serve printed, or allow the name with --host";
        Refusal::new(421, "wrong_host", "unknown host name", remedy)
    })
}

fn check_entrance(shared: &State, request: &Request) -> Result<Entrance, Refusal> {
    let headers = request.headers();
    let host = find_allowed_host(shared, request)?;
    let origin = headers.get(header::ORIGIN).map(|origin| is_same(origin, host));
    let bearer = read_bearer(headers).is_some_and(|token| shared.token.is_same_token(token));
    let cookie = list_cookies(headers).any(|(name, value)| name == COOKIE && shared.token.is_cookie(value));
    let may_write = bearer || cookie;
    if request.method().is_safe() {
        if let Some(token) = find_link_token(request.uri()) {
            if !shared.token.is_same_token(&token) {
                let remedy = "use the link that agon serve printed";
                return Err(Refusal::new(403, "wrong_token", "wrong token", remedy));
            }
            return Ok(Entrance::Token(request.uri().clone()));
        }
        // Who asks from this machine may be another user of it, or a program that is locked in.
        let client = request.extensions().get::<ClientAddress>();
        let near = client.is_some_and(|ClientAddress(client)| client.to_canonical().is_loopback());
        let trusted = may_write || (near && shared.read_without_token);
        if !trusted && !request.uri().path().starts_with("/assets/") {
            return Err(token_needed("reading"));
        }
        return Ok(Entrance::Visitor(Visitor::without_account(may_write)));
    }
    // A browser says on every write where it comes from; other programs need not.
    if origin == Some(false) || (origin.is_none() && cookie && !bearer) {
        return Err(Refusal::foreign_origin());
    }
    if !may_write {
        return Err(token_needed("writing"));
    }
    Ok(Entrance::Visitor(Visitor::without_account(may_write)))
}

pub(crate) fn token_needed(what: &str) -> Refusal {
    let remedy = "open the link that agon serve printed, or send Authorization: Bearer with the token";
    Refusal::new(401, "token_needed", format!("{what} needs the server's token"), remedy)
}

/// The one host that a request names; none where it names several, or none.
fn find_request_host(request: &Request) -> Option<&str> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let host = named.next()?.to_str().ok()?;
    let alone = named.next().is_none();
    let authority = request.uri().authority().is_none_or(|authority| authority.as_str() == host);
    (alone && authority).then_some(host)
}

fn is_same(origin: &HeaderValue, host: &str) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    name.is_some_and(|name| name.eq_ignore_ascii_case(host))
}

/// The cookie's name, so that nobody else's is taken for it.
const COOKIE: &str = "agon";

/// The token in the link that is printed at the start.
fn find_link_token(uri: &Uri) -> Option<String> {
    let query = uri.query().filter(|_| uri.path() == "/")?;
    query.split('&').find_map(|pair| pair.strip_prefix("token=")).map(str::to_owned)
}

/// Keeps the token in a cookie, and shows an address without it.
fn redirect_with_token_cookie(shared: &State, uri: Uri) -> Response {
    let value = shared.token.cookie_value();
    let cookie = format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_SECONDS}");
    crate::accounts::redirect_with_cookie(cookie, uri.path())
}

/// A refusal before access control, with the headers of every answer.
pub(crate) fn turned_away(refusal: Refusal, for_program: bool) -> Response {
    with_headers(deadline::refusal_response(refusal, for_program))
}

fn with_headers(mut response: Response) -> Response {
    let (wants_token, is_busy) =
        (response.status() == StatusCode::UNAUTHORIZED, response.status() == StatusCode::SERVICE_UNAVAILABLE);
    let headers = response.headers_mut();
    if wants_token {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if is_busy {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(BUSY_SECONDS));
    }
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // A browser names no origin for a form of a page that tells nobody where it is.
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        // A page that is stricter says so itself.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
