//! All accounts, for administrators, and how a new one is added: with an invitation.

use agon_journal::accounts::{AccountSecret, LoginWays, NewPrincipal, Principal, PrincipalState};
use agon_report::page::prose::escape_invisible;
use axum::{extract::State as FromState, http::HeaderMap};
use maud::{Markup, html};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    PageQuery, PageResult, SubmittedFields,
    account_forms::PeopleForm,
    invitation, layout,
    notice::PageNotice,
    text_field::{TextKind, render_text_field},
};
use crate::{
    Refusal, State,
    accounts::{Caller, RequestCaller, audit_event, check_name},
    visitor::Called,
};

/// Accounts on the page.
const LINES: usize = 200;
/// Days of an invitation where nobody says.
pub(super) const INVITATION_DAYS: u32 = 7;

/// What the list is narrowed by.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PeopleQuery {
    /// A part of the name or the login name.
    #[serde(default)]
    q: String,
}

/// How a person can log in, in words.
pub(super) fn describe_login_ways(person: &Principal, ways: LoginWays) -> String {
    let mut words = Vec::new();
    words.extend(person.has_password.then(|| "password".to_owned()));
    words.extend((ways.passkeys > 0).then(|| match ways.passkeys {
        1 => "1 passkey".to_owned(),
        count => format!("{count} passkeys"),
    }));
    words.extend((ways.identities > 0).then(|| "another server".to_owned()));
    words.extend(ways.invited.then(|| "invitation".to_owned()));
    if words.is_empty() { "no way yet".into() } else { words.join(", ") }
}

fn render_people(people: &[(Principal, LoginWays)], left: usize, q: &str, said: &PageNotice) -> Markup {
    let rows = html! {
        @for (person, how) in people {
            tr {
                td {
                    a href=(format!("/people/{}", person.id)) { (escape_invisible(&person.display)) }
                    " " small { (escape_invisible(person.login.as_deref().unwrap_or_default())) }
                }
                td { (person.describe_state()) }
                td { (describe_login_ways(person, *how)) }
                td { (super::format_day(&person.created_at)) }
            }
        }
    };
    let body = html! {
        main #main .plain {
            h1 { "People" }
            (said.render_notice())
            form .search method="get" action="/people" role="search" {
                label for="q" { "Name" }
                input type="search" id="q" name="q" value=(q);
                button type="submit" { "Show" }
            }
            (super::render_table("Accounts", &["Person", "State", "Logs in with", "Since"], &rows, "Nobody is called so."))
            @if left > 0 { p .quiet { (left) " more; search for a name." } }
            section aria-labelledby="add-title" {
                h2 #add-title { "Add a person" }
                form method="post" action="/people" {
                    (render_text_field("login", "Login name", "", TextKind::Login("off"), None))
                    (render_text_field("display", "Name that pages show", "optional", TextKind::Words("off", 80, false), None))
                    (render_text_field("days", "Days until the invitation ends", "1 to 30", TextKind::Number, Some(&INVITATION_DAYS.to_string())))
                    p { label { input type="checkbox" name="administrator" value="yes"; " administers the server" } }
                    button type="submit" name="act" value="add" { "Add and invite" }
                }
            }
        }
    };
    layout::render_page("People", false, body)
}

async fn people_response(shared: &State, q: String, said: PageNotice) -> PageResult {
    let drawn = super::blocking_page(shared, said.status(), move |shared| {
        let wanted = q.trim().to_lowercase();
        let ways = shared.journal.login_ways()?;
        let mut people = shared.journal.list_principals()?;
        people.retain(|person| {
            let names = [Some(person.display.as_str()), person.login.as_deref()];
            person.state != PrincipalState::Deleted
                && names.into_iter().flatten().any(|name| name.to_lowercase().contains(&wanted))
        });
        let left = people.len().saturating_sub(LINES);
        people.truncate(LINES);
        let people = people.into_iter().map(|person| {
            let how = ways.get(&person.id).copied().unwrap_or_default();
            (person, how)
        });
        Ok(render_people(&people.collect::<Vec<_>>(), left, &q, &said))
    });
    drawn.await
}

#[utoipa::path(get, path = "/people", operation_id = "listPeople", tag = "accounts", params(PeopleQuery),
    responses((status = 200, description = "All accounts", body = String, content_type = "text/html")))]
pub(super) async fn list_people(
    FromState(shared): FromState<State>,
    PageQuery(PeopleQuery { q }): PageQuery<PeopleQuery>,
) -> PageResult {
    people_response(&shared, q, PageNotice::Nothing).await
}

#[utoipa::path(post, path = "/people", operation_id = "addPerson", tag = "accounts",
    request_body(content = PeopleForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "The account was added; its invitation is shown this once", body = String, content_type = "text/html")))]
pub(super) async fn add_person(
    Called(shared, caller): Called<Caller>,
    headers: HeaderMap,
    fields: SubmittedFields,
) -> PageResult {
    let said = add(&shared, &caller, &headers, &fields).await.unwrap_or_else(PageNotice::Refused);
    people_response(&shared, String::new(), said).await
}

async fn add(
    shared: &State,
    caller: &RequestCaller,
    headers: &HeaderMap,
    fields: &SubmittedFields,
) -> Result<PageNotice, Refusal> {
    if fields.trimmed_value("act") != Some("add") {
        return Err(Refusal::no_action());
    }
    // Refused before the account is added.
    let days = fields.parse_days(INVITATION_DAYS);
    if !(1..=30).contains(&days) {
        let why = "an invitation lasts 1 to 30 days";
        return Err(Refusal::unusable(why, "correct it, and send it again"));
    }
    let login = fields.trimmed_value("login").unwrap_or_default().to_owned();
    check_name(shared, fields.trimmed_value("display").unwrap_or(&login))?;
    let new = NewPrincipal {
        login: login.clone(),
        display: fields.trimmed_value("display").unwrap_or_default().to_owned(),
        administrator: fields.trimmed_value("administrator") == Some("yes"),
        ..NewPrincipal::default()
    };
    let id = shared.journal.add_principal(new, audit_event(caller, "add_account")).await?;
    let secret = shared.journal.create_invitation(id, days, audit_event(caller, "invite")).await?;
    Ok(invitation_notice(shared, headers, login, &secret))
}

/// What is said of a new invitation.
pub(super) fn invitation_notice(
    shared: &State,
    headers: &HeaderMap,
    login: String,
    secret: &AccountSecret,
) -> PageNotice {
    let host = crate::visitor::named_host(headers);
    let link = shared.accounts.as_ref().map(|accounts| invitation::invitation_address(accounts, host, secret));
    let before = html! { "Send this link to " (escape_invisible(&login)) ". It is shown this once:" };
    let behind = html! { p { "The person logs in with it once, and chooses a password or a passkey." } };
    PageNotice::of_secret(before, &link.unwrap_or_default(), behind)
}
