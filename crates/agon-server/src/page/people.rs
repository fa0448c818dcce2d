//! All accounts, for administrators, and how a new one is added: with an invitation.

use std::sync::Arc;

use agon_formats::page::prose::escape_invisible;
use agon_journal::accounts::{AccountSecret, LoginWays, NewPrincipal, Principal, PrincipalState};
use axum::{
    Extension,
    extract::{Query, State as FromState, rejection::QueryRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use maud::{Markup, html};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{SubmittedFields, account_forms::PeopleForm, invitation, layout, render_complaint};
use crate::{
    Refusal, State,
    accounts::{RequestCaller, audit_event, check_name},
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

/// What is to be said at the top of a page about people.
pub(super) enum PeopleNotice {
    Nothing,
    Done(&'static str),
    Refused(Refusal),
    /// The link with which a person logs in once.
    Invitation {
        login: String,
        link: String,
    },
}

impl PeopleNotice {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Refused(refusal) => refusal.status,
            _ => StatusCode::OK,
        }
    }

    pub(super) fn render_notice(&self) -> Markup {
        html! {
            @match self {
                Self::Nothing => {},
                Self::Done(what) => p role="status" { (what) },
                Self::Refused(refusal) => (render_complaint(refusal)),
                Self::Invitation { login, link } => div .notice role="status" {
                    p { strong { "Send this link to " (escape_invisible(login)) ". It is shown this once:" } }
                    p { code { (link) } }
                    p { "The person logs in with it once, and chooses a password or a passkey." }
                },
            }
        }
    }
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

pub(super) fn describe_state(person: &Principal) -> String {
    let mut words = vec![person.state.name()];
    words.extend(person.administrator.then_some("administrator"));
    words.join(", ")
}

fn render_people(people: &[(Principal, LoginWays)], left: usize, q: &str, said: &PeopleNotice) -> Markup {
    let body = html! {
        main #main .plain {
            h1 { "People" }
            (said.render_notice())
            form .search method="get" action="/people" role="search" {
                label for="q" { "Name" }
                input type="search" id="q" name="q" value=(q);
                button type="submit" { "Show" }
            }
            @if people.is_empty() { p .quiet { "Nobody is called so." } }
            @else {
                div .wide {
                    table {
                        thead { tr { th scope="col" { "Person" } th scope="col" { "State" } th scope="col" { "Logs in with" } th scope="col" { "Since" } } }
                        tbody {
                            @for (person, how) in people {
                                tr {
                                    td {
                                        a href=(format!("/people/{}", person.id)) { (escape_invisible(&person.display)) }
                                        " " small { (escape_invisible(person.login.as_deref().unwrap_or_default())) }
                                    }
                                    td { (describe_state(person)) }
                                    td { (describe_login_ways(person, *how)) }
                                    td { (agon_journal::time::stamp_date(&person.created_at)) }
                                }
                            }
                        }
                    }
                }
            }
            @if left > 0 { p .quiet { (left) " more; search for a name." } }
            section aria-labelledby="add-title" {
                h2 #add-title { "Add a person" }
                form method="post" action="/people" {
                    div .field {
                        label for="login" { "Login name" }
                        input type="text" id="login" name="login" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" required;
                    }
                    div .field {
                        label for="display" { "Name that pages show " small { "optional" } }
                        input type="text" id="display" name="display" autocomplete="off" maxlength="80";
                    }
                    div .field {
                        label for="days" { "Days until the invitation ends " small { "1 to 30" } }
                        input type="text" inputmode="numeric" id="days" name="days" autocomplete="off" value=(INVITATION_DAYS);
                    }
                    p { label { input type="checkbox" name="administrator" value="yes"; " administers the server" } }
                    button type="submit" name="act" value="add" { "Add and invite" }
                }
            }
        }
    };
    layout::render_page("People", false, body)
}

async fn people_response(shared: &State, q: String, said: PeopleNotice) -> Response {
    let status = said.status();
    let drawn = shared.run_blocking(move |shared| {
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
        let people: Vec<(Principal, LoginWays)> = people
            .into_iter()
            .map(|person| {
                let how = ways.get(&person.id).copied().unwrap_or_default();
                (person, how)
            })
            .collect();
        Ok(render_people(&people, left, &q, &said))
    });
    match drawn.await {
        Ok(page) => super::page_response(status, page),
        Err(refusal) => super::refusal_page(&refusal),
    }
}

#[utoipa::path(get, path = "/people", operation_id = "listPeople", tag = "accounts", params(PeopleQuery),
    responses((status = 200, description = "All accounts", body = String, content_type = "text/html")))]
pub(super) async fn list_people(
    FromState(shared): FromState<State>,
    query: Result<Query<PeopleQuery>, QueryRejection>,
) -> Response {
    let PeopleQuery { q } = query.map(|Query(query)| query).unwrap_or_default();
    people_response(&shared, q, PeopleNotice::Nothing).await
}

#[utoipa::path(post, path = "/people", operation_id = "addPerson", tag = "accounts",
    request_body(content = PeopleForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "The account was added; its invitation is shown this once", body = String, content_type = "text/html")))]
pub(super) async fn add_person(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    headers: HeaderMap,
    fields: SubmittedFields,
) -> Response {
    let said = match add(&shared, &caller, &headers, &fields).await {
        Ok(said) => said,
        Err(refusal) => PeopleNotice::Refused(refusal),
    };
    people_response(&shared, String::new(), said).await
}

/// A number of days that a form has, or the usual one; 0, which nothing lasts, for what is not a number.
pub(super) fn parse_days(fields: &SubmittedFields, usual: u32) -> u32 {
    fields.trimmed_value("days").map_or(Some(usual), |days| days.parse().ok()).unwrap_or(0)
}

async fn add(
    shared: &State,
    caller: &RequestCaller,
    headers: &HeaderMap,
    fields: &SubmittedFields,
) -> Result<PeopleNotice, Refusal> {
    if fields.trimmed_value("act") != Some("add") {
        return Err(Refusal::no_action());
    }
    // Refused before the account is added.
    let days = parse_days(fields, INVITATION_DAYS);
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
) -> PeopleNotice {
    let host = crate::visitor::named_host(headers);
    let link = shared.accounts.as_ref().map(|accounts| invitation::invitation_address(accounts, host, secret));
    PeopleNotice::Invitation { login, link: link.unwrap_or_default() }
}
