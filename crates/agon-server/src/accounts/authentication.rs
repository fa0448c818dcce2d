//! From the head of a request to a person: a proxy's header, a bearer token, a session's cookie, or links.

use agon_core::DebateId;
use agon_journal::{
    accounts::{
        AuditEvent, ExternalIdentity, NewPrincipal, PersonalToken, PrincipalId, PrincipalState, display_name,
        login_name,
    },
    time::current_stamp,
};
use axum::http::HeaderMap;

use super::{Accounts, new_audit_event};
use crate::{
    Refusal, RouteContext,
    visitor::{Credential, RequestOrigin, Visitor, forwarded_address, list_cookies, read_bearer},
};

/// What the cookie of a link is called, with the link's id behind it.
pub(crate) const LINK_COOKIE: &str = "agon_link_";
/// Links of one browser that are looked at.
const LINKS_MAX: usize = 8;
/// Longest name in a proxy's header, in bytes.
const SUBJECT_BYTES_MAX: usize = 200;
/// The issuer of names in a proxy's header.
const PROXY: &str = "proxy";

/// The same for every part of a request.
pub(crate) type Caller = std::sync::Arc<RequestCaller>;

/// What is known of the client of a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestCaller {
    pub visitor: Visitor,
    /// What proves the person, in words for the audit.
    pub via: String,
    /// Where the client is.
    pub address: String,
    /// The secret of the session, if that proves the person.
    pub session: Option<String>,
    /// How that session was begun, as the audit calls it.
    pub login: Option<String>,
    /// The token, if that proves the person.
    pub token: Option<PersonalToken>,
    /// Debates to which the client has links that count.
    pub links: Vec<DebateId>,
    /// Whether it has a link that does not count any more.
    pub has_ended_link: bool,
    /// The person whose session has expired.
    pub expired: Option<PrincipalId>,
}

/// The name of the cookie of a session. Over HTTPS, browsers refuse to let another host set it.
pub(crate) fn session_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-agon_session" } else { "agon_session" }
}

/// The value of a cookie.
pub(crate) fn find_cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    list_cookies(headers).find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Where the client is: behind the proxy of the accounts, the last address that the proxy names.
fn client_address(accounts: &Accounts, headers: &HeaderMap, origin: RequestOrigin) -> String {
    let is_proxied = accounts.config.proxy.as_ref().is_some_and(|proxy| proxy.is_trusted_peer(origin.peer));
    let named = forwarded_address(headers).filter(|_| is_proxied);
    named.unwrap_or(origin.client).to_canonical().to_string()
}

/// Why a proxy's header is not believed.
pub(crate) enum Forged {
    /// It comes from an address that is not the proxy's.
    Peer,
    /// It names nobody, or several.
    Name,
}

/// The name in a proxy's header, where there is such a header and it may be believed.
fn read_proxied_name(
    accounts: &Accounts,
    headers: &HeaderMap,
    origin: RequestOrigin,
) -> Result<Option<String>, Forged> {
    let Some(proxy) = &accounts.config.proxy else { return Ok(None) };
    let mut values = headers.get_all(proxy.header.as_str()).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if !proxy.is_trusted_peer(origin.peer) {
        return Err(Forged::Peer);
    }
    let name = value.to_str().map_err(|_| Forged::Name)?.trim();
    let fits = !name.is_empty() && name.len() <= SUBJECT_BYTES_MAX && values.next().is_none();
    if fits { Ok(Some(name.to_owned())) } else { Err(Forged::Name) }
}

/// A refusal of a proof that does not count, or was never one.
fn wrong_token() -> Refusal {
    let remedy = "make a token on the page /account, or log in again";
    Refusal::new(401, "wrong_token", "this token does not count", remedy)
}

pub(crate) fn link_ended() -> Refusal {
    let remedy = "ask the person who sent it for another one";
    Refusal::new(410, "link_ended", "this link has ended or never existed", remedy)
}

/// Why nobody is let in, and the line of the audit about it where there is one.
pub(crate) struct RejectedProof {
    pub refusal: Refusal,
    pub event: Option<Box<AuditEvent>>,
}

impl<E: Into<Refusal>> From<E> for RejectedProof {
    fn from(error: E) -> Self {
        Self { refusal: error.into(), event: None }
    }
}

/// Who sends a request with these headers. A person whom the proxy names and nobody added is refused here; see
/// [`add_by_proxy`].
pub(crate) fn authenticate_caller(
    shared: &RouteContext,
    accounts: &Accounts,
    headers: &HeaderMap,
    origin: RequestOrigin,
) -> Result<RequestCaller, RejectedProof> {
    let mut caller = RequestCaller {
        via: "nothing".into(),
        address: client_address(accounts, headers, origin),
        ..RequestCaller::default()
    };
    let address = Some(caller.address.clone());
    let doubt = |action: &'static str, target: Option<String>, code: &'static str, why: &str| {
        let event = AuditEvent { target, result: code.into(), address, ..new_audit_event("proxy", action) };
        let refusal = Refusal::new(403, code, why, "ask the administrator of the server");
        RejectedProof { refusal, event: Some(Box::new(event)) }
    };
    match read_proxied_name(accounts, headers, origin) {
        Ok(None) => {}
        Err(Forged::Peer) => {
            return Err(doubt("forged_header", None, "forged_header", "this address may not say who you are"));
        }
        Err(Forged::Name) => {
            return Err(doubt("forged_header", None, "unusable_header", "the proxy does not name one person"));
        }
        Ok(Some(subject)) => {
            let identity = ExternalIdentity { issuer: PROXY.into(), subject };
            let person = shared.journal.principal_of(&identity)?;
            let Some(person) = person.filter(|person| person.state == PrincipalState::Active) else {
                let why = "no account here belongs to this login";
                return Err(doubt("refused_login", Some(identity.subject), "no_account", why));
            };
            caller.visitor = Visitor::of_person(person.id, person.administrator, Credential::Proxy);
            caller.via = "proxy".into();
            return Ok(with_links(shared, caller, headers)?);
        }
    }
    if let Some(given) = read_bearer(headers) {
        return Ok(with_bearer(shared, caller, given)?);
    }
    if let Some(secret) = find_cookie(headers, session_cookie(accounts.config.is_https()))
        && let Some(session) = shared.journal.find_session(secret)?
        && session.state == PrincipalState::Active
    {
        if session.expires_at > current_stamp() {
            caller.visitor = Visitor::of_person(session.principal, session.administrator, Credential::Session);
            caller.via = "session".into();
            caller.session = Some(secret.to_owned());
            caller.login = Some(session.via);
        } else {
            caller.expired = Some(session.principal);
        }
    }
    Ok(with_links(shared, caller, headers)?)
}

/// The caller with the links that the browser keeps.
fn with_links(shared: &RouteContext, mut caller: RequestCaller, headers: &HeaderMap) -> Result<RequestCaller, Refusal> {
    let links = list_cookies(headers).filter(|(name, _)| name.starts_with(LINK_COOKIE)).take(LINKS_MAX);
    for (_, secret) in links {
        take_link(shared, &mut caller, secret)?;
    }
    Ok(caller)
}

/// Adds the account of the person whom the trusted proxy names, where the configuration says so; whether it did.
pub(crate) async fn add_by_proxy(
    shared: &RouteContext,
    accounts: &Accounts,
    headers: &HeaderMap,
    origin: RequestOrigin,
) -> Result<bool, Refusal> {
    let creates = accounts.config.proxy.as_ref().is_some_and(|proxy| proxy.create);
    let Ok(Some(subject)) = read_proxied_name(accounts, headers, origin) else { return Ok(false) };
    let identity = ExternalIdentity { issuer: PROXY.into(), subject };
    if !creates || shared.journal.principal_of(&identity)?.is_some() {
        return Ok(false);
    }
    let Some(login) = login_name(&identity.subject) else { return Ok(false) };
    let display = display_name(&identity.subject).filter(|name| super::check_name(shared, name).is_ok());
    let display = display.unwrap_or_else(|| login.clone());
    let address = Some(client_address(accounts, headers, origin));
    let audit = AuditEvent { address, ..new_audit_event("proxy", "add_account") };
    let new = NewPrincipal { login, display, identity: Some(identity), ..NewPrincipal::default() };
    // Two first requests at once add one account.
    Ok(shared.journal.add_principal(new, audit).await.is_ok())
}

/// The caller with the token or the link that it sends.
fn with_bearer(shared: &RouteContext, mut caller: RequestCaller, given: &str) -> Result<RequestCaller, Refusal> {
    if let Some((token, administrator)) = shared.journal.find_token(given)? {
        caller.visitor = Visitor::of_person(token.principal, administrator, Credential::Token(token.scopes));
        caller.via = format!("token {}", token.id);
        caller.token = Some(token);
        return Ok(caller);
    }
    take_link(shared, &mut caller, given)?;
    if caller.links.is_empty() && !caller.has_ended_link {
        return Err(wrong_token());
    }
    Ok(caller)
}

fn take_link(shared: &RouteContext, caller: &mut RequestCaller, secret: &str) -> Result<(), Refusal> {
    match shared.journal.share_link(secret)? {
        Some(link) if link.is_valid_at(&current_stamp()) => {
            // A person acts as the person, and reads one debate more.
            if caller.visitor.person.is_none() {
                caller.visitor.credential = Credential::Link;
                caller.via = format!("link {}", link.id);
            }
            caller.links.push(link.debate);
        }
        Some(_) => caller.has_ended_link = true,
        None => {}
    }
    Ok(())
}
