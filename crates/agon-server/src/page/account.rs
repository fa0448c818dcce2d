//! A person's own page: name, password, tokens for programs, and the end of the account.

use agon_journal::accounts::{AccountError, Passkey, PersonalToken, Principal, PrincipalId, Scopes, TokenRequest};
use agon_report::page::prose::escape_invisible;
use axum::{
    extract::Path,
    response::{IntoResponse, Redirect},
};
use maud::{Markup, html};

use super::{
    ACTION, PageResult, SubmittedFields,
    account_forms::{AccountForm, TokenForm},
    format_day, layout,
    login::redirect_logged_out,
    notice::PageNotice,
    person_names::id_on_record,
    render_row_button, render_table,
    text_field::{TextKind, render_text_field},
};
use crate::{
    Refusal, State,
    accounts::{Accounts, Caller, PASSWORD_CHARS_MIN, RequestCaller, attempts, audit_event, check_name},
    visitor::Called,
};

/// Days of a token where nobody says.
const TOKEN_DAYS: u32 = 90;

fn render_tokens(tokens: &[PersonalToken]) -> Markup {
    let now = agon_journal::time::current_stamp();
    let rows = html! {
        @for token in tokens {
            tr {
                td { (escape_invisible(&token.name)) " " small { (token.id) } }
                td { (token.scopes) }
                td { (format_day(&token.expires_at)) }
                td { (token.used_at.as_ref().map_or("never", format_day)) }
                td {
                    @if token.revoked_at.is_some() { "revoked" }
                    @else if token.expires_at <= now { "expired" }
                    @else {
                        (render_row_button(&format!("/account/tokens/{}", token.id), &[], None, &format!("Revoke {}", token.name), "Revoke"))
                    }
                }
            }
        }
    };
    html! {
        section aria-labelledby="tokens-title" {
            h2 #tokens-title { "Tokens for programs" }
            (render_table("Tokens", &["Name", "May", "Until", "Last used", ACTION], &rows, "None yet."))
            form method="post" action="/account/tokens" {
                (render_text_field("token-name", "Name", "what it is for", TextKind::Words("off", 80, true), None))
                fieldset {
                    legend { "May" }
                    label { input type="checkbox" name="scope" value="read" checked disabled; " read" }
                    " " label { input type="checkbox" name="scope" value="answer"; " answer and interject" }
                    " " label { input type="checkbox" name="scope" value="run"; " start and steer debates" }
                }
                (render_text_field("token-days", "Days", "1 to 366", TextKind::Number, Some(&TOKEN_DAYS.to_string())))
                button type="submit" { "Make a token" }
            }
        }
    }
}

/// Passkeys of a person, and a form for one more; that one needs a script.
fn render_passkeys(keys: &[Passkey]) -> Markup {
    let rows = html! {
        @for key in keys {
            tr {
                td { (escape_invisible(&key.name)) }
                td { (format_day(&key.created_at)) }
                td { (key.used_at.as_ref().map_or("never", format_day)) }
                td { (render_row_button(&format!("/account/passkeys/{}", key.id), &[], None, &format!("Remove {}", key.name), "Remove")) }
            }
        }
    };
    html! {
        section aria-labelledby="passkeys-title" {
            h2 #passkeys-title { "Passkeys" }
            p .quiet { "A passkey logs you in without a password. Your device, your browser or a security key keeps it." }
            (render_table("Passkeys", &["Name", "Since", "Last used", ACTION], &rows, ""))
            form data-passkey="register" hidden {
                (render_text_field("passkey-name", "Name", "which device or key it is", TextKind::Words("off", 80, true), None))
                button type="submit" { "Add a passkey" }
                p role="alert" {}
            }
            noscript { p .quiet { "To add a passkey, allow JavaScript on this page." } }
        }
    }
}

/// Whether a new password needs the one before: not where an administrator's invitation has just let the person in, or
/// where there is none.
fn needs_old_password(person: &Principal, caller: &RequestCaller) -> bool {
    person.has_password && caller.login.as_deref() != Some("invitation")
}

/// Whether a person may choose a password: who has one, and who was let in here without one.
fn may_choose_password(person: &Principal, caller: &RequestCaller) -> bool {
    person.has_password || matches!(caller.login.as_deref(), Some("invitation" | "passkey"))
}

fn render_account(
    person: &Principal,
    accounts: &Accounts,
    caller: &RequestCaller,
    (held, keys): (&[PersonalToken], &[Passkey]),
    said: &PageNotice,
) -> Markup {
    let login = person.login.as_deref().unwrap_or_default();
    let quotas = accounts.person_quotas(person);
    let body = html! {
        main #main .plain {
            h1 { (escape_invisible(&person.display)) }
            p { "You are logged in as " code { (escape_invisible(login)) } ". Records name you as " (id_on_record(person.id)) "." }
            (said.render_notice())
            form method="post" action="/logout" { button .plain-button type="submit" { "Log out" } }
            p {
                a href="/" { "Debates" }
                @if person.administrator { " · " a href="/people" { "People" } " · " a href="/audit" { "Audit" } }
            }
            @if quotas != agon_journal::accounts::Quotas::default() {
                p .quiet {
                    "You may start"
                    @if let Some(most) = quotas.debates_per_day { " " (most) " debates a day" }
                    @if let Some(most) = quotas.open_debates { ", with " (most) " open at a time" }
                    @if let Some(most) = quotas.cost_microusd { ", for " (format!("{:.2}", most as f64 / 1e6)) " USD in 30 days" }
                    "."
                }
            }
            section aria-labelledby="name-title" {
                h2 #name-title { "Name" }
                form method="post" action="/account" {
                    (render_text_field("display", "The name that pages show", "", TextKind::Words("name", 80, true), Some(&person.display)))
                    button type="submit" name="act" value="name" { "Change" }
                }
            }
            @if may_choose_password(person, caller) {
                section aria-labelledby="password-title" {
                    h2 #password-title { "Password" }
                    form method="post" action="/account" {
                        @if needs_old_password(person, caller) {
                            (render_text_field("old", "Current password", "", TextKind::Password("current-password"), None))
                        }
                        (render_text_field("new", "New password", &format!("at least {PASSWORD_CHARS_MIN} characters"), TextKind::Password("new-password"), None))
                        button type="submit" name="act" value="password" { @if person.has_password { "Change" } @else { "Set" } }
                    }
                }
            }
            @if accounts.relying_party.is_some() || !keys.is_empty() { (render_passkeys(keys)) }
            (render_tokens(held))
            section aria-labelledby="delete-title" {
                h2 #delete-title { "Delete the account" }
                p { "Your name, login, roles, tokens and links are deleted. What you said stays on the records of debates, under " (id_on_record(person.id)) "; pages then show a deleted account." }
                form method="post" action="/account" {
                    (render_text_field("confirm", "Write your login name to confirm", "", TextKind::Words("off", 64, true), None))
                    button .plain-button .grave type="submit" name="act" value="delete" { "Delete" }
                }
            }
        }
    };
    match accounts.relying_party {
        Some(_) => layout::page_with_passkeys("Account", body),
        None => layout::render_page("Account", false, body),
    }
}

fn account_response(shared: &State, caller: &RequestCaller, said: &PageNotice) -> PageResult {
    let (accounts, person) = shared.accounts.as_ref().zip(caller.visitor.person).ok_or_else(super::no_such_page)?;
    let journal = &shared.journal;
    let known = journal.find_principal(person)?.ok_or_else(super::no_such_page)?;
    let (held, keys) = (journal.tokens_of(person)?, journal.passkeys_of(person)?);
    Ok(super::page_response(said.status(), render_account(&known, accounts, caller, (&held, &keys), said)))
}

#[utoipa::path(get, path = "/account", operation_id = "showAccount", tag = "accounts",
    responses((status = 200, description = "The account of the person: name, password, tokens", body = String, content_type = "text/html")))]
pub(super) async fn show_account(Called(shared, caller): Called<Caller>) -> PageResult {
    account_response(&shared, &caller, &PageNotice::Nothing)
}

#[utoipa::path(post, path = "/account", operation_id = "changeAccount", tag = "accounts",
    request_body(content = AccountForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "It was changed", body = String, content_type = "text/html"),
        (status = 303, description = "The account was deleted")))]
pub(super) async fn change_account(Called(shared, caller): Called<Caller>, fields: SubmittedFields) -> PageResult {
    let (accounts, person) = shared.accounts.as_ref().zip(caller.visitor.person).ok_or_else(super::no_such_page)?;
    let said = match apply_change(&shared, accounts, &caller, person, &fields).await {
        Ok(None) => return Ok(redirect_logged_out(accounts)),
        Ok(Some(done)) => PageNotice::Done(done),
        Err(refusal) => PageNotice::Refused(refusal),
    };
    account_response(&shared, &caller, &said)
}

/// Does what a form asks for; gives what the page then says, or `None` where the account was deleted.
async fn apply_change(
    shared: &State,
    accounts: &Accounts,
    caller: &RequestCaller,
    person: PrincipalId,
    fields: &SubmittedFields,
) -> Result<Option<&'static str>, Refusal> {
    match fields.trimmed_value("act") {
        Some("name") => {
            let display = fields.trimmed_value("display").unwrap_or_default().to_owned();
            check_name(shared, &display)?;
            shared.journal.set_display(person, display, audit_event(caller, "rename_account")).await?;
            Ok(Some("Your name was changed."))
        }
        Some("password") => {
            set_password(shared, accounts, caller, person, fields).await?;
            Ok(Some("Your password was changed. All other logins have ended."))
        }
        Some("delete") => {
            let known = shared.journal.find_principal(person)?.and_then(|known| known.login);
            if known.is_none() || fields.trimmed_value("confirm").map(str::to_ascii_lowercase) != known {
                let why = "the login name does not match";
                return Err(Refusal::unusable(why, "write it as it is shown at the top"));
            }
            shared.journal.delete_principal(person, audit_event(caller, "delete_account")).await?;
            Ok(None)
        }
        _ => Err(Refusal::no_action()),
    }
}

async fn set_password(
    shared: &State,
    accounts: &Accounts,
    caller: &RequestCaller,
    person: PrincipalId,
    fields: &SubmittedFields,
) -> Result<(), Refusal> {
    let known = shared.journal.find_principal(person)?.ok_or_else(super::no_such_page)?;
    if !may_choose_password(&known, caller) {
        let why = "another server decides how you log in";
        return Err(Refusal::new(403, "not_local", why, "ask an administrator for an invitation"));
    }
    if needs_old_password(&known, caller) {
        let (login, place) = (known.login.unwrap_or_default(), accounts.take_password_place()?);
        attempts::begin_login(&shared.journal, &caller.address, &login).await?;
        let checked = accounts.check_password(place, &shared.journal, &login, fields.exact_value("old")).await?;
        if checked.is_none_or(|checked| checked.id != person) {
            return Err(Refusal::new(403, "wrong_login", "the current password is wrong", ""));
        }
        attempts::uncount_login(&shared.journal, &caller.address, &login).await?;
    }
    let hash = accounts.hash(fields.exact_value("new")).await?;
    let keep = caller.session.as_deref().map(|secret| agon_core::Digest::from_content(secret).to_string());
    Ok(shared.journal.set_password(person, hash, keep, audit_event(caller, "change_password")).await?)
}

#[utoipa::path(post, path = "/account/tokens", operation_id = "makeToken", tag = "accounts",
    request_body(content = TokenForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "The token, shown this once", body = String, content_type = "text/html")))]
pub(super) async fn make_token(Called(shared, caller): Called<Caller>, fields: SubmittedFields) -> PageResult {
    let person = caller.visitor.person.ok_or_else(super::no_such_page)?;
    let scopes = Scopes {
        answer: fields.all_values("scope").any(|scope| scope == "answer"),
        run: fields.all_values("scope").any(|scope| scope == "run"),
    };
    let (name, days) = (fields.trimmed_value("name").unwrap_or_default().to_owned(), fields.parse_days(TOKEN_DAYS));
    let wanted = TokenRequest { name, scopes, days };
    let made = shared.journal.add_token(person, wanted, audit_event(&caller, "add_token")).await;
    let said = match made {
        Ok((secret, token)) => {
            let before = html! { "The token " (escape_invisible(&token.name)) " is shown this once:" };
            let until = format_day(&token.expires_at);
            let behind = html! { p { "Programs send " code { "Authorization: Bearer TOKEN" } ". It counts until " (until) "." } };
            PageNotice::of_secret(before, secret.text(), behind)
        }
        Err(error) => PageNotice::Refused(error.into()),
    };
    account_response(&shared, &caller, &said)
}

#[utoipa::path(post, path = "/account/tokens/{token}", operation_id = "revokeToken", tag = "accounts",
    params(("token" = String, Path, description = "The id of the token")),
    responses((status = 303, description = "The token was revoked")))]
pub(super) async fn revoke_token(Called(shared, caller): Called<Caller>, path: Option<Path<String>>) -> PageResult {
    let (person, Path(id)) = caller.visitor.person.zip(path).ok_or_else(super::no_such_page)?;
    let revoked = shared.journal.revoke_token(person, &id, audit_event(&caller, "revoke_token")).await;
    changed_response(&shared, &caller, revoked)
}

/// The page of the account again, or why something of it could not be removed.
fn changed_response(shared: &State, caller: &RequestCaller, done: Result<(), AccountError>) -> PageResult {
    match done {
        Ok(()) => Ok(Redirect::to("/account").into_response()),
        Err(error) => account_response(shared, caller, &PageNotice::Refused(error.into())),
    }
}

#[utoipa::path(post, path = "/account/passkeys/{passkey}", operation_id = "removePasskey", tag = "accounts",
    params(("passkey" = String, Path, description = "The id of the passkey")),
    responses((status = 303, description = "The passkey was removed")))]
pub(super) async fn remove_passkey(Called(shared, caller): Called<Caller>, path: Option<Path<String>>) -> PageResult {
    let (person, Path(id)) = caller.visitor.person.zip(path).ok_or_else(super::no_such_page)?;
    let removed = shared.journal.remove_passkey(person, &id, audit_event(&caller, "remove_passkey")).await;
    changed_response(&shared, &caller, removed)
}
