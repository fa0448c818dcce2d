//! Logging in and out: a password, or another server's word; and forms that were sent after a login had expired.

use agon_core::Digest;
use agon_journal::accounts::{AuditEvent, LoginFlow, NewPrincipal, Principal, PrincipalId, PrincipalState};
use agon_report::page::prose::escape_invisible;
use axum::{
    extract::{Path, State as FromState},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use maud::{Markup, html};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    PageQuery, PageResult, SubmittedFields,
    account_forms::LoginForm,
    layout, render_complaint,
    text_field::{TextKind, render_text_field},
};
use crate::{
    Refusal, State,
    accounts::{
        Accounts, Caller, LINK_COOKIE, LoginProvider, ProvedPerson, attempts, audit_event, check_name, cookie_header,
        find_cookie, link_ended, no_accounts, redirect_with_cookie, safe_next, session_cookie, shown_name,
        start_session,
    },
    visitor::Called,
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
    let next = super::evaluation::escape_bytes(&next, b"/-._~");
    if next == "/" { "/login".into() } else { format!("/login?next={next}") }
}

fn render_login_form(accounts: &Accounts, next: &str, login: &str, notice: Markup) -> Markup {
    let body = html! {
        main #main .plain {
            h1 { "Log in" }
            (notice)
            form method="post" action="/login" {
                input type="hidden" name="next" value=(next);
                (render_text_field("login", "Login name", "", TextKind::Login("username"), Some(login)))
                (render_text_field("password", "Password", "", TextKind::Password("current-password"), None))
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
    PageQuery(query): PageQuery<LoginQuery>,
) -> PageResult {
    let page = render_login_form(shared.require_accounts()?, &safe_next(&query.next), "", html! {});
    Ok(super::page_response(StatusCode::OK, page))
}

/// What a browser sees whose login has expired; with the address where its form is kept.
pub(crate) fn login_again(shared: &State, kept: Option<String>) -> PageResult {
    let accounts = shared.require_accounts()?;
    let notice = html! {
        div .complaint role="alert" {
            @match &kept {
                Some(_) => p { strong { "Your login has expired." } " What you sent is kept. It is shown again after you log in." },
                None => p { strong { "This needs a login." } " Nothing was sent." },
            }
        }
    };
    let next = kept.unwrap_or_else(|| "/".into());
    Ok(super::page_response(StatusCode::UNAUTHORIZED, render_login_form(accounts, &next, "", notice)))
}

/// Begins a session, and leads to `next`.
async fn redirect_with_session(
    shared: &State,
    accounts: &Accounts,
    person: PrincipalId,
    next: &str,
    audit: AuditEvent,
) -> PageResult {
    let cookie = start_session(shared, accounts, person, audit).await?;
    Ok(redirect_with_cookie(cookie, &safe_next(next)))
}

#[utoipa::path(post, path = "/login", operation_id = "logIn", tag = "accounts",
    request_body(content = LoginForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 303, description = "The cookie of a session, and where the login leads")))]
pub(super) async fn log_in(Called(shared, caller): Called<Caller>, fields: SubmittedFields) -> PageResult {
    let accounts = shared.require_accounts()?;
    let login = fields.trimmed_value("login").unwrap_or_default();
    let next = safe_next(fields.trimmed_value("next").unwrap_or_default());
    let refuse = |refusal: &Refusal| {
        let page = render_login_form(accounts, &next, login, render_complaint(refusal));
        Ok(super::page_response(refusal.status, page))
    };
    let begun = async {
        let place = accounts.take_password_place()?;
        attempts::begin_login(&shared.journal, &caller.address, login).await.map(|()| place)
    };
    let place = match begun.await {
        Ok(place) => place,
        Err(refusal) => return refuse(&refusal),
    };
    let checked = accounts.check_password(place, &shared.journal, login, fields.exact_value("password")).await?;
    let audit = audit_event(&caller, "login");
    let Some(person) = checked else {
        // Never what was typed: it may be a password in the wrong field, or the name of a person who is deleted later.
        let known = shared.journal.principal_named(login).ok().flatten();
        let target = known.map_or_else(|| "unknown account".to_owned(), |known| known.id.to_string());
        let audit = AuditEvent { result: "refused".into(), target: Some(target), ..audit };
        shared.journal.record_audit_event(audit).await?;
        // The same words whether there is such a person or not.
        return refuse(&Refusal::new(401, "wrong_login", "the login name or the password is wrong", ""));
    };
    attempts::uncount_login(&shared.journal, &caller.address, login).await?;
    let audit = AuditEvent { via: "password".into(), ..audit };
    redirect_with_session(&shared, accounts, person.id, &next, audit).await
}

#[utoipa::path(post, path = "/logout", operation_id = "logOut", tag = "accounts",
    responses((status = 303, description = "The session has ended")))]
pub(super) async fn log_out(Called(shared, caller): Called<Caller>) -> PageResult {
    let accounts = shared.require_accounts()?;
    if let Some(secret) = &caller.session {
        shared.journal.end_session(secret, audit_event(&caller, "logout")).await?;
    }
    Ok(redirect_logged_out(accounts))
}

/// Takes the cookie of the session from a browser, and leads to the page for logging in.
pub(super) fn redirect_logged_out(accounts: &Accounts) -> Response {
    let is_https = accounts.config.is_https();
    redirect_with_cookie(cookie_header(session_cookie(is_https), "", 0, is_https), "/login")
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
    Called(shared, caller): Called<Caller>,
    PageQuery(query): PageQuery<LoginQuery>,
) -> PageResult {
    let accounts = shared.require_accounts()?;
    let no_provider = || Refusal::new(404, "no_such_page", "This server has no such login", "Log in with a password.");
    let provider = accounts.oidc.as_ref().ok_or_else(no_provider)?;
    attempts::begin_other(&shared.journal, "provider", &caller.address, FLOWS_MAX).await?;
    let (url, flow) = provider.begin_login(safe_next(&query.next)).await?;
    let secret = shared.journal.start_login_flow(flow).await?;
    let is_https = accounts.config.is_https();
    let cookie = cookie_header(flow_cookie(is_https), secret.text(), FLOW_SECONDS, is_https);
    Ok(redirect_with_cookie(cookie, &url))
}

/// Takes the browser back from the provider.
#[utoipa::path(get, path = "/login/callback", operation_id = "finishProviderLogin", tag = "accounts",
    params(CallbackQuery),
    responses((status = 303, description = "The cookie of a session, and where the login leads"),
        (status = 502, description = "The provider cannot be reached", body = String, content_type = "text/html")))]
pub(super) async fn from_provider(
    Called(shared, caller): Called<Caller>,
    headers: HeaderMap,
    PageQuery(query): PageQuery<CallbackQuery>,
) -> PageResult {
    let accounts = shared.require_accounts()?;
    let provider = accounts.oidc.as_ref().ok_or_else(no_accounts)?;
    let secret = find_cookie(&headers, flow_cookie(accounts.config.is_https()));
    // Taken before anything is checked: a login is used once, whatever comes of it.
    let flow = match secret {
        None => None,
        Some(secret) => shared.journal.take_login_flow(secret).await?,
    };
    // Anyone can call this at any time: what nobody began is not written down.
    let flow = flow.ok_or_else(stale_login)?;
    let audit = AuditEvent { via: "provider".into(), ..audit_event(&caller, "login") };
    match find_returned_person(&shared, provider, flow, query, audit.clone()).await {
        Ok((person, next)) => redirect_with_session(&shared, accounts, person, &next, audit).await,
        Err((refusal, subject)) => {
            let audit = AuditEvent { result: refusal.code.clone().into_owned(), target: subject, ..audit };
            shared.journal.record_audit_event(audit).await?;
            Err(refusal.into())
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
    if Digest::from_content(&query.state) != Digest::from_content(&flow.state) || query.code.is_empty() {
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
    let digest = Digest::from_content(format!("{} {}", identity.issuer, identity.subject));
    let login = login_name(&login).unwrap_or_else(|| format!("person-{}", &digest.as_str()[..8]));
    let display = display_name(&display).filter(|name| check_name(shared, name).is_ok());
    let display = display.unwrap_or_else(|| login.clone());
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
    PageQuery(SharedQuery { link: secret }): PageQuery<SharedQuery>,
) -> PageResult {
    let accounts = shared.require_accounts()?;
    let now = agon_journal::time::current_stamp();
    let link = shared.journal.share_link(&secret)?.filter(|link| link.is_valid_at(&now));
    // The same words for a link that ended and for one that never was.
    let link = link.ok_or_else(link_ended)?;
    let until = u32::try_from(agon_journal::time::seconds_until(&link.expires_at)).unwrap_or(u32::MAX);
    let name = format!("{LINK_COOKIE}{}", link.id);
    let cookie = cookie_header(&name, &secret, until, accounts.config.is_https());
    Ok(redirect_with_cookie(cookie, &format!("/debates/{}", link.debate)))
}

/// A form that was sent after the login had expired, to be looked at and sent again.
#[utoipa::path(get, path = "/drafts/{draft}", operation_id = "showDraft", tag = "accounts",
    params(("draft" = String, Path, description = "The id of the form")),
    responses((status = 200, description = "A form that was sent with an expired login, to be sent again", body = String, content_type = "text/html")))]
pub(super) async fn show_draft(Called(shared, caller): Called<Caller>, path: Option<Path<String>>) -> PageResult {
    let (person, Path(id)) = caller.visitor.person.zip(path).ok_or_else(no_accounts)?;
    let nothing = || Refusal::new(404, "no_such_page", "Nothing is kept here", "Go to the list of debates.");
    let kept = shared.journal.kept_form(person, &id)?.ok_or_else(nothing)?;
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
    Ok(super::page_response(StatusCode::OK, layout::render_page("What you sent", false, body)))
}
