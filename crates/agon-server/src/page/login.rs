//! Logging in and out: a password, or another server's word; and forms that were sent after a login had expired.

use std::sync::Arc;

use agon_core::Digest;
use agon_formats::page::prose::escape_invisible;
use agon_journal::accounts::{
    AuditEvent, ExternalIdentity, LoginFlow, NewPrincipal, Principal, PrincipalId, PrincipalState,
};
use axum::{
    Extension,
    extract::{Path, Query, State as FromState, rejection::QueryRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{SubmittedFields, account_forms::LoginForm, layout, render_complaint};
use crate::{
    Refusal, State,
    accounts::{
        Accounts, LINK_COOKIE, LoginProvider, ProvedPerson, RequestCaller, attempts, audit_event, check_name,
        cookie_header, find_cookie, safe_next, session_cookie, shown_name, start_session,
    },
};

/// How long a login by another server may take, in seconds.
const FLOW_SECONDS: u32 = 600;
/// Logins by another server that are begun from one address within 15 minutes.
const FLOWS_MAX: u32 = 100;
/// Forms that are shown again after the login: maximum number of fields.
const FIELDS_MAX: usize = 200;

/// Where the login leads afterwards.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginQuery {
    /// A path of this server.
    #[serde(default)]
    next: String,
}

/// What the provider sends a browser back with.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallbackQuery {
    /// What the provider gives for the login.
    #[serde(default)]
    code: String,
    /// What was sent to the provider.
    #[serde(default)]
    state: String,
}

/// The secret of a link to a debate.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SharedQuery {
    /// The secret.
    #[serde(default)]
    link: String,
}

/// The page for logging in that leads to `next` afterwards.
pub(crate) fn login_address(next: &str) -> String {
    let next = safe_next(next);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let next: String = next
        .bytes()
        .map(|byte| match plain(byte) {
            true => (byte as char).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect();
    if next == "/" { "/login".into() } else { format!("/login?next={next}") }
}

fn no_accounts() -> Response {
    super::refusal_page(&Refusal::new(404, "no_such_page", "This server has no accounts", ""))
}

fn render_login_form(accounts: &Accounts, next: &str, login: &str, notice: Markup) -> Markup {
    let body = html! {
        main #main .plain {
            h1 { "Log in" }
            (notice)
            form method="post" action="/login" {
                input type="hidden" name="next" value=(next);
                div .field {
                    label for="login" { "Login name" }
                    input type="text" id="login" name="login" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" required value=(login);
                }
                div .field {
                    label for="password" { "Password" }
                    input type="password" id="password" name="password" autocomplete="current-password" maxlength="1024" required;
                }
                button type="submit" { "Log in" }
            }
            @if accounts.relying_party.is_some() {
                form data-passkey="login" hidden {
                    input type="hidden" name="next" value=(next);
                    button type="submit" { "Log in with a passkey" }
                    p role="alert" {}
                }
            }
            @if let Some(provider) = &accounts.oidc {
                p { a href=(login_address(next).replacen("/login", "/login/provider", 1)) { "Log in with " (escape_invisible(provider.name())) } }
            }
        }
    };
    match accounts.relying_party {
        Some(_) => layout::page_with_passkeys("Log in", body),
        None => layout::render_page("Log in", false, body),
    }
}

#[utoipa::path(get, path = "/login", operation_id = "showLogin", tag = "accounts",
    params(LoginQuery),
    responses((status = 200, description = "The page for logging in", body = String, content_type = "text/html")))]
pub(super) async fn show_login(
    FromState(shared): FromState<State>,
    query: Result<Query<LoginQuery>, QueryRejection>,
) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    let next = safe_next(&query.map(|Query(query)| query.next).unwrap_or_default());
    super::page_response(StatusCode::OK, render_login_form(accounts, &next, "", html! {}))
}

/// What a browser sees whose login has expired; with the address where its form is kept.
pub(crate) fn login_again(shared: &State, kept: Option<String>) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    let notice = html! {
        div .complaint role="alert" {
            @match &kept {
                Some(_) => p { strong { "Your login has expired." } " What you sent is kept. It is shown again after you log in." },
                None => p { strong { "This needs a login." } " Nothing was sent." },
            }
        }
    };
    let next = kept.unwrap_or_else(|| "/".into());
    super::page_response(StatusCode::UNAUTHORIZED, render_login_form(accounts, &next, "", notice))
}

/// Begins a session, and leads to `next`.
async fn redirect_with_session(
    shared: &State,
    accounts: &Accounts,
    person: PrincipalId,
    next: &str,
    audit: AuditEvent,
) -> Response {
    match start_session(shared, accounts, person, audit).await {
        Err(refusal) => super::refusal_page(&refusal),
        Ok(cookie) => crate::accounts::redirect_with_cookie(cookie, &safe_next(next)),
    }
}

#[utoipa::path(post, path = "/login", operation_id = "logIn", tag = "accounts",
    request_body(content = LoginForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 303, description = "The cookie of a session, and where the login leads")))]
pub(super) async fn log_in(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    fields: SubmittedFields,
) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    let login = fields.trimmed_value("login").unwrap_or_default();
    let next = safe_next(fields.trimmed_value("next").unwrap_or_default());
    let refuse = |refusal: &Refusal| {
        super::page_response(refusal.status, render_login_form(accounts, &next, login, render_complaint(refusal)))
    };
    let place = match accounts.take_password_place() {
        Ok(place) => place,
        Err(refusal) => return refuse(&refusal),
    };
    if let Err(refusal) = attempts::begin_login(&shared.journal, &caller.address, login).await {
        return refuse(&refusal);
    }
    let checked = accounts.check_password(place, &shared.journal, login, fields.exact_value("password")).await;
    let audit = audit_event(&caller, "login");
    match checked {
        Err(refusal) => super::refusal_page(&refusal),
        Ok(Some(person)) => {
            if let Err(refusal) = attempts::uncount_login(&shared.journal, &caller.address, login).await {
                return super::refusal_page(&refusal);
            }
            let audit = AuditEvent { via: "password".into(), ..audit };
            redirect_with_session(&shared, accounts, person.id, &next, audit).await
        }
        Ok(None) => {
            // Never what was typed: it may be a password in the wrong field, or the name of a person who is deleted later.
            let known = shared.journal.principal_named(login).ok().flatten();
            let target = known.map_or_else(|| "unknown account".to_owned(), |known| known.id.to_string());
            let audit = AuditEvent { result: "refused".into(), target: Some(target), ..audit };
            if let Err(error) = shared.journal.record_audit_event(audit).await {
                return super::refusal_page(&error.into());
            }
            // The same words whether there is such a person or not.
            let refusal = Refusal::new(401, "wrong_login", "the login name or the password is wrong", "");
            refuse(&refusal)
        }
    }
}

#[utoipa::path(post, path = "/logout", operation_id = "logOut", tag = "accounts",
    responses((status = 303, description = "The session has ended")))]
pub(super) async fn log_out(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    if let Some(secret) = &caller.session
        && let Err(error) = shared.journal.end_session(secret, audit_event(&caller, "logout")).await
    {
        return super::refusal_page(&error.into());
    }
    let is_https = accounts.config.is_https();
    let cookie = cookie_header(session_cookie(is_https), "", 0, is_https);
    crate::accounts::redirect_with_cookie(cookie, "/login")
}

fn flow_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-agon_login" } else { "agon_login" }
}

/// Sends the browser to the provider.
#[utoipa::path(get, path = "/login/provider", operation_id = "startProviderLogin", tag = "accounts",
    params(LoginQuery),
    responses((status = 303, description = "The page of the OpenID Connect provider"),
        (status = 502, description = "The provider cannot be reached", body = String, content_type = "text/html")))]
pub(super) async fn to_provider(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    query: Result<Query<LoginQuery>, QueryRejection>,
) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    let Some(provider) = &accounts.oidc else {
        return super::refusal_page(&Refusal::new(
            404,
            "no_such_page",
            "This server has no such login",
            "Log in with a password.",
        ));
    };
    let next = safe_next(&query.map(|Query(query)| query.next).unwrap_or_default());
    let may = attempts::begin_other(&shared.journal, "provider", &caller.address, FLOWS_MAX).await;
    if let Err(refusal) = may {
        return super::refusal_page(&refusal);
    }
    let begun = match provider.begin_login(next).await {
        Ok((url, flow)) => {
            shared.journal.start_login_flow(flow).await.map(|secret| (url, secret)).map_err(Refusal::from)
        }
        Err(refusal) => Err(refusal),
    };
    match begun {
        Err(refusal) => super::refusal_page(&refusal),
        Ok((url, secret)) => {
            let is_https = accounts.config.is_https();
            let cookie = cookie_header(flow_cookie(is_https), secret.text(), FLOW_SECONDS, is_https);
            (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, url)]).into_response()
        }
    }
}

/// Takes the browser back from the provider.
#[utoipa::path(get, path = "/login/callback", operation_id = "finishProviderLogin", tag = "accounts",
    params(CallbackQuery),
    responses((status = 303, description = "The cookie of a session, and where the login leads"),
        (status = 502, description = "The provider cannot be reached", body = String, content_type = "text/html")))]
pub(super) async fn from_provider(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    headers: HeaderMap,
    query: Result<Query<CallbackQuery>, QueryRejection>,
) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    let Some(provider) = &accounts.oidc else { return no_accounts() };
    let query = query.map(|Query(query)| query).unwrap_or_default();
    let secret = find_cookie(&headers, flow_cookie(accounts.config.is_https()));
    // Taken before anything is checked: a login is used once, whatever comes of it.
    let flow = match secret {
        None => Ok(None),
        Some(secret) => shared.journal.take_login_flow(secret).await,
    };
    let flow = match flow {
        Ok(Some(flow)) => flow,
        // Anyone can call this at any time: what nobody began is not written down.
        Ok(None) => return super::refusal_page(&stale_login()),
        Err(error) => return super::refusal_page(&error.into()),
    };
    let audit = AuditEvent { via: "provider".into(), ..audit_event(&caller, "login") };
    match find_returned_person(&shared, provider, flow, query, audit.clone()).await {
        Ok((person, next)) => redirect_with_session(&shared, accounts, person, &next, audit).await,
        Err((refusal, subject)) => {
            let audit = AuditEvent { result: refusal.code.clone().into_owned(), target: subject, ..audit };
            if let Err(error) = shared.journal.record_audit_event(audit).await {
                return super::refusal_page(&error.into());
            }
            super::refusal_page(&refusal)
        }
    }
}

fn stale_login() -> Refusal {
    let why = "this login was not begun here, or was used already";
    Refusal::new(403, "login_refused", why, "log in again")
}

/// The person who comes back from the provider in this login, and where they go; or why not, and what the provider called
/// them.
async fn find_returned_person(
    shared: &State,
    provider: &LoginProvider,
    flow: LoginFlow,
    query: CallbackQuery,
    audit: AuditEvent,
) -> Result<(PrincipalId, String), (Refusal, Option<String>)> {
    let plain = |refusal: Refusal| (refusal, None);
    if Digest::of(&query.state) != Digest::of(&flow.state) || query.code.is_empty() {
        return Err(plain(stale_login()));
    }
    let next = flow.next.clone();
    let proved = provider.finish_login(flow, query.code).await.map_err(plain)?;
    let subject = Some(proved.identity.subject.clone());
    let known = shared.journal.principal_of(&proved.identity).map_err(|error| plain(error.into()))?;
    match known {
        Some(Principal { id, state: PrincipalState::Active, .. }) => Ok((id, next)),
        None if provider.can_create_account(&proved) => {
            let added = add(shared, proved, AuditEvent { action: "add_account", ..audit }).await;
            added.map(|id| (id, next)).map_err(|refusal| (refusal, subject))
        }
        _ => {
            let remedy = "ask an administrator for an account";
            let why = "no account here belongs to this login";
            Err((Refusal::new(403, "no_account", why, remedy), subject))
        }
    }
}

/// Adds the account of a person whom the provider vouches for. A login name that is taken gets a number.
async fn add(shared: &State, proved: ProvedPerson, audit: AuditEvent) -> Result<PrincipalId, Refusal> {
    use agon_journal::accounts::{AccountError, display_name, login_name};
    let ProvedPerson { identity, login, display, .. } = proved;
    let digest = Digest::of(format!("{} {}", identity.issuer, identity.subject));
    let login = login_name(&login).unwrap_or_else(|| format!("person-{}", &digest.as_str()[..8]));
    let display = display_name(&display).filter(|name| check_name(shared, name).is_ok());
    let display = display.unwrap_or_else(|| login.clone());
    let identity: ExternalIdentity = identity;
    for login in [login.clone(), format!("{}-{}", login.chars().take(50).collect::<String>(), &digest.as_str()[..8])] {
        let (display, identity) = (display.clone(), Some(identity.clone()));
        let new = NewPrincipal { login: login.clone(), display, identity, ..NewPrincipal::default() };
        match shared.journal.add_principal(new, audit.clone()).await {
            Err(AccountError::Taken(name)) if name == login => {}
            added => return Ok(added?),
        }
    }
    Err(Refusal::new(409, "exists", "the login name is taken", "ask an administrator for an account"))
}

/// Follows a link to one debate: the browser keeps it, and reads.
#[utoipa::path(get, path = "/shared", operation_id = "followShareLink", tag = "accounts",
    params(SharedQuery),
    responses((status = 303, description = "The cookie of the link, and the page of its debate")))]
pub(super) async fn shared_link(
    FromState(shared): FromState<State>,
    query: Result<Query<SharedQuery>, QueryRejection>,
) -> Response {
    let Some(accounts) = &shared.accounts else { return no_accounts() };
    let SharedQuery { link: secret } = query.map(|Query(query)| query).unwrap_or_default();
    let now = agon_journal::time::current_stamp();
    let link = match shared.journal.share_link(&secret) {
        Ok(link) => link.filter(|link| link.is_valid_at(&now)),
        Err(error) => return super::refusal_page(&error.into()),
    };
    let Some(link) = link else {
        // The same words for a link that ended and for one that never was.
        let why = "this link has ended or never existed";
        return super::refusal_page(&Refusal::new(
            410,
            "link_ended",
            why,
            "ask the person who sent it for another one",
        ));
    };
    let until = u32::try_from(agon_journal::time::seconds_until(&link.expires_at)).unwrap_or(u32::MAX);
    let name = format!("{LINK_COOKIE}{}", link.id);
    let cookie = cookie_header(&name, &secret, until, accounts.config.is_https());
    crate::accounts::redirect_with_cookie(cookie, &format!("/debates/{}", link.debate))
}

/// A form that was sent after the login had expired, to be looked at and sent again.
#[utoipa::path(get, path = "/drafts/{draft}", operation_id = "showDraft", tag = "accounts",
    params(("draft" = String, Path, description = "The id of the form")),
    responses((status = 200, description = "A form that was sent with an expired login, to be sent again", body = String, content_type = "text/html")))]
pub(super) async fn show_draft(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    path: Option<Path<String>>,
) -> Response {
    let (Some(person), Some(Path(id))) = (caller.visitor.person, path) else { return no_accounts() };
    let kept = match shared.journal.kept_form(person, &id) {
        Ok(Some(kept)) => kept,
        Ok(None) => {
            let why = "Nothing is kept here";
            return super::refusal_page(&Refusal::new(404, "no_such_page", why, "Go to the list of debates."));
        }
        Err(error) => return super::refusal_page(&error.into()),
    };
    let fields: Vec<(String, String)> =
        url::form_urlencoded::parse(kept.body.as_bytes()).into_owned().take(FIELDS_MAX).collect();
    let body = html! {
        main #main .plain {
            h1 { "What you sent before you logged in" }
            p { "It was not sent on. Look at it, and send it as " (escape_invisible(&shown_name(&shared.journal, person))) "." }
            form method="post" action=(kept.path) {
                @for (at, (name, value)) in fields.iter().enumerate() {
                    div .field {
                        label for=(format!("f{at}")) { (escape_invisible(name)) }
                        @if value.contains('\n') || value.chars().count() > 60 {
                            textarea id=(format!("f{at}")) name=(name) rows="8" { "\n" (value) }
                        } @else {
                            input type="text" id=(format!("f{at}")) name=(name) value=(value);
                        }
                    }
                }
                button type="submit" { "Send" }
            }
        }
    };
    super::page_response(StatusCode::OK, layout::render_page("What you sent", false, body))
}
