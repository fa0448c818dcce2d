//! In or out: who sends a request, whether its route is for them, what is written down about it, and the end of
//! streams whose reader may not read any more.

use std::{sync::Arc, time::Duration};

use agon_journal::accounts::{AuditEvent, PrincipalId};
use axum::{
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use futures::StreamExt;
use tokio::time::Instant;
use tracing::Instrument;

use super::{
    Accounts, RequestCaller,
    authentication::{RejectedProof, add_by_proxy, authenticate_caller},
    is_urlencoded, link_ended, not_permitted, write_audit,
};
use crate::{
    Refusal, State,
    authorization::{AccessDecision, Permission, Rows, find_route_row},
    deadline, page,
    visitor::{ClientAddress, Credential, Peer, RequestOrigin},
};

/// How often a stream's reader is asked again whether it may read.
const RECHECK: Duration = Duration::from_secs(2);
/// Maximum number of bytes of a form that is kept.
const FORM_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Longest wait for the body of such a form.
const FORM_WAIT: Duration = Duration::from_secs(30);

/// What is asked for.
#[derive(Clone)]
struct RouteRequest {
    method: Method,
    /// As it was sent.
    path: String,
    permission: Permission,
    action: &'static str,
    debate: Option<String>,
    seat: Option<String>,
    is_for_program: bool,
}

/// The values of `{id}` and `{seat}` in a path, where its pattern has them.
fn read_path_part(pattern: &str, path: &str, name: &str) -> Option<String> {
    let at = pattern.split('/').position(|part| part == name)?;
    let value = path.split('/').nth(at)?;
    let value = value.replace('+', "%2B").replace('&', "%26");
    let pair = format!("v={value}");
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned())
}

fn describe_request(shared: &State, request: &Request) -> Option<RouteRequest> {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let is_for_program = deadline::is_for_programs(request.uri());
    let pattern = request.extensions().get::<MatchedPath>().map(|matched| matched.as_str().to_owned());
    // The router's own pattern for paths that nothing is at.
    let pattern = pattern.filter(|pattern| !pattern.contains("{*__private"));
    // Where nothing is, people are told so and nobody else.
    let (permission, action) = match pattern.as_deref().map(|pattern| find_route_row(&shared.routes, &method, pattern))
    {
        Some(Rows::Row(row)) => (row.permission, row.action),
        Some(Rows::OtherMethods) | None => (Permission::Member, ""),
        Some(Rows::None) => return None,
    };
    let name = |name: &str| pattern.as_deref().and_then(|pattern| read_path_part(pattern, &path, name));
    let (debate, seat) = (name("{id}"), name("{seat}"));
    Some(RouteRequest { method, permission, action, debate, seat, is_for_program, path })
}

/// Who sends the request, and what follows for them.
async fn identify_caller(
    shared: &State,
    headers: HeaderMap,
    origin: RequestOrigin,
    wanted: RouteRequest,
) -> Result<(RequestCaller, AccessDecision), RejectedProof> {
    let shared = Arc::clone(shared);
    let looked = tokio::task::spawn_blocking(move || {
        let caller = authenticate_caller(&shared, shared.require_accounts()?, &headers, origin)?;
        let RouteRequest { permission, debate, seat, .. } = &wanted;
        let decision = shared.decide_access(&caller, *permission, debate.as_deref(), seat.as_deref())?;
        Ok((caller, decision))
    });
    looked.await.unwrap_or_else(|_| Err(Refusal::interrupted().into()))
}

/// Lets a request in, or refuses it. `is_own_page` says whether a browser sends it from a page of this server; `None`
/// where it does not say.
pub(crate) async fn admit_request(
    shared: &State,
    accounts: &Accounts,
    mut request: Request,
    is_own_page: Option<bool>,
    next: Next,
) -> Response {
    let is_for_program = request.uri().path().starts_with("/api/");
    let peer = request.extensions().get::<Peer>().copied();
    let Some((wanted, Peer(peer))) = describe_request(shared, &request).zip(peer) else {
        return deadline::refusal_response(not_permitted(), is_for_program);
    };
    let client = request.extensions().get::<ClientAddress>().map_or(peer.ip(), |ClientAddress(client)| *client);
    let origin = RequestOrigin { peer: peer.ip(), client };
    let headers = request.headers().clone();
    let mut identified = identify_caller(shared, headers.clone(), origin, wanted.clone()).await;
    if identified.is_err() && add_by_proxy(shared, accounts, &headers, origin).await.unwrap_or(false) {
        identified = identify_caller(shared, headers.clone(), origin, wanted.clone()).await;
    }
    let (caller, decision) = match identified {
        Ok(identified) => identified,
        Err(RejectedProof { refusal, event }) => {
            if let Some(event) = event {
                note_doubt(shared, accounts, *event).await;
            }
            return deadline::refusal_response(refusal, wanted.is_for_program);
        }
    };
    let is_foreign = match caller.visitor.credential {
        credential if credential.is_ambient() => is_own_page != Some(true),
        _ => is_own_page == Some(false),
    };
    // A program without a token is told that it needs one.
    let is_browser =
        caller.visitor.credential != Credential::Nothing || is_own_page.is_some() || !wanted.is_for_program;
    if !wanted.method.is_safe() && is_foreign && is_browser {
        return deadline::refusal_response(Refusal::foreign_origin(), wanted.is_for_program);
    }
    match decision {
        AccessDecision::Allowed => {}
        AccessDecision::LogIn => return ask_for_login(shared, &caller, &wanted, request).await,
        AccessDecision::Forbidden => {
            audit_request(shared, &caller, &wanted, "not_permitted").await;
            return deadline::refusal_response(not_permitted(), wanted.is_for_program);
        }
        AccessDecision::Unknown => {
            let refusal = match wanted.is_for_program {
                true => Refusal::no_such_debate(wanted.debate.as_deref().unwrap_or_default()),
                false => page::no_such_debate(),
            };
            return deadline::refusal_response(refusal, wanted.is_for_program);
        }
    }
    if let Some(token) = &caller.token {
        // That a token was used is a help for its person, not a condition.
        let _ = shared.journal.token_used(token).await;
    }
    request.extensions_mut().insert(caller.visitor);
    request.extensions_mut().insert(Arc::new(caller.clone()));
    let response = match wanted.is_noted() {
        true => run_noted(shared, &caller, &wanted, request, next).await,
        false => next.run(request).await,
    };
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    match kind.map(|kind| kind.split(';').next().unwrap_or(kind).trim()) {
        Some("text/event-stream") => while_allowed(shared, headers, origin, wanted, response),
        Some("text/html") => page::show_names(shared, caller.visitor, response).await,
        _ => response,
    }
}

impl RouteRequest {
    /// Whether it is written down; reading is not.
    fn is_noted(&self) -> bool {
        !self.action.is_empty() && self.method != Method::GET
    }
}

/// Does what is asked for and writes it down. The client may go away: what was begun is done all the same, and must not
/// miss its line. What takes too long is given up.
async fn run_noted(
    shared: &State,
    caller: &RequestCaller,
    wanted: &RouteRequest,
    request: Request,
    next: Next,
) -> Response {
    let (shared, caller, wanted) = (Arc::clone(shared), caller.clone(), wanted.clone());
    let done = async move {
        let response = deadline::in_time(next.run(request), wanted.is_for_program).await;
        let is_refused = response.status().is_client_error() || response.status().is_server_error();
        audit_request(&shared, &caller, &wanted, if is_refused { "refused" } else { "ok" }).await;
        response
    };
    match tokio::spawn(done.in_current_span()).await {
        Ok(response) => response,
        Err(fault) => std::panic::resume_unwind(fault.into_panic()),
    }
}

/// Writes down what someone did.
async fn audit_request(shared: &State, caller: &RequestCaller, wanted: &RouteRequest, result: &str) {
    if !wanted.is_noted() {
        return;
    }
    let event = AuditEvent {
        debate: wanted.debate.clone(),
        target: wanted.seat.clone(),
        result: result.to_owned(),
        ..super::audit_event(caller, wanted.action)
    };
    write_audit(&shared.journal, event).await;
}

/// Writes down that someone was not believed; so often from one address that the journal does not grow by it.
async fn note_doubt(shared: &State, accounts: &Accounts, event: AuditEvent) {
    let address = event.address.clone().unwrap_or_default();
    tracing::warn!(address, action = event.action, "refused");
    if accounts.audit_allowance.take_audit_line(event.action, &address) {
        write_audit(&shared.journal, event).await;
    }
}

/// What someone without an account, or whose login has expired, is told.
async fn ask_for_login(shared: &State, caller: &RequestCaller, wanted: &RouteRequest, request: Request) -> Response {
    if caller.has_ended_link && caller.links.is_empty() {
        // Programs get a status that the document of the interface has for every route.
        let status = if wanted.is_for_program { StatusCode::FORBIDDEN } else { StatusCode::GONE };
        return deadline::refusal_response(Refusal { status, ..link_ended() }, wanted.is_for_program);
    }
    if wanted.is_for_program {
        let remedy = "send Authorization: Bearer with a token of the page /account";
        return Refusal::new(401, "login_needed", "this needs an account", remedy).into_response();
    }
    if matches!(wanted.method, Method::GET | Method::HEAD) {
        let place = request.uri().path_and_query().map_or("/", |place| place.as_str());
        return Redirect::to(&page::login_address(place)).into_response();
    }
    let kept = match caller.expired {
        Some(person) => keep_form(shared, person, wanted, request).await,
        None => None,
    };
    page::login_again(shared, kept).into_response()
}

/// Keeps a form that was sent with an expired login; gives the address where it is shown again.
async fn keep_form(shared: &State, person: PrincipalId, wanted: &RouteRequest, request: Request) -> Option<String> {
    // Forms about accounts hold passwords.
    if !is_urlencoded(request.headers()) || !wanted.path.starts_with("/debates") {
        return None;
    }
    let body = axum::body::to_bytes(request.into_body(), FORM_BYTES_MAX);
    let body = tokio::time::timeout(FORM_WAIT, body).await.ok()?.ok()?;
    let body = String::from_utf8(body.to_vec()).ok()?;
    let id = shared.journal.keep_form(person, wanted.path.clone(), body).await.ok()?;
    Some(format!("/drafts/{id}"))
}

/// The same response, whose stream ends soon after its reader may not read any more: a session that ended, a token or
/// link that was revoked, a role that was taken back.
fn while_allowed(
    shared: &State,
    headers: HeaderMap,
    origin: RequestOrigin,
    wanted: RouteRequest,
    response: Response,
) -> Response {
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let shared = Arc::clone(shared);
    let state = (body.into_data_stream(), Instant::now() + RECHECK);
    let frames = futures::stream::unfold(state, move |(mut frames, mut at)| {
        let (shared, headers, wanted) = (Arc::clone(&shared), headers.clone(), wanted.clone());
        async move {
            loop {
                // Also where the stream is never quiet.
                if Instant::now() >= at {
                    let again = identify_caller(&shared, headers.clone(), origin, wanted.clone()).await;
                    if !matches!(again, Ok((_, AccessDecision::Allowed))) {
                        return None;
                    }
                    at = Instant::now() + RECHECK;
                }
                if let Ok(frame) = tokio::time::timeout_at(at, frames.next()).await {
                    return frame.map(|frame| (frame, (frames, at)));
                }
            }
        }
    });
    Response::from_parts(parts, Body::from_stream(frames))
}
