//! Who takes part in a debate: roles, links for readers, and what was done. For the owners of the debate.

use std::sync::Arc;

use agon_core::DebateId;
use agon_formats::page::prose::escape_invisible;
use agon_journal::accounts::{AccountError, AccountSecret, AuditFilter, DebateRole, Grant, PrincipalState, ShareLink};
use axum::{
    Extension,
    extract::{Path, State as FromState, rejection::PathRejection},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};

use super::{SubmittedFields, account_forms::ShareForm, audit, layout, no_such_debate, render_complaint};
use crate::{
    Refusal, State,
    accounts::{Accounts, RequestCaller, audit_event, shown_name},
    visitor::Visitor,
};

/// Days of a link where nobody says.
const LINK_DAYS: u32 = 14;
/// Lines of the audit on the page.
const AUDIT_LINES: u32 = 50;

enum ShareNotice {
    Nothing,
    Refused(Refusal),
    Link(AccountSecret),
}

fn format_day(stamp: &agon_core::Stamp) -> &str {
    agon_journal::time::stamp_date(stamp)
}

fn share_link_address(accounts: &Accounts, host: Option<&str>, secret: &AccountSecret) -> String {
    accounts.page_address(host, &format!("/shared?link={}", secret.text()))
}

fn render_roles(shared: &State, id: &DebateId, grants: &[Grant], visitor: Visitor) -> Markup {
    html! {
        section aria-labelledby="roles-title" {
            h2 #roles-title { "Roles" }
            table {
                thead { tr { th scope="col" { "Person" } th scope="col" { "Role" } th scope="col" { "Since" } th scope="col" { span .unseen { "Action" } } } }
                tbody {
                    @for grant in grants {
                        @let name = shown_name(&shared.journal, grant.principal);
                        @let is_own = visitor.person == Some(grant.principal);
                        tr {
                            td { (escape_invisible(&name)) @if is_own { " " small { "you" } } }
                            td { (grant.role.name()) @if let Some(seat) = &grant.seat { ", at " (escape_invisible(seat)) } }
                            td { (format_day(&grant.granted_at)) }
                            td {
                                form method="post" action=(format!("/debates/{id}/share")) {
                                    input type="hidden" name="person" value=(grant.principal);
                                    input type="hidden" name="role" value=(grant.role.name());
                                    input type="hidden" name="seat" value=(grant.seat.as_deref().unwrap_or_default());
                                    button .plain-button type="submit" name="act" value="ungrant" aria-label=(format!("Take back {} from {name}", grant.describe_role())) { "Take back" }
                                    @if is_own && grant.role == DebateRole::Owner { " " small { "Only another owner or an administrator can give it to you again." } }
                                }
                            }
                        }
                    }
                }
            }
            form method="post" action=(format!("/debates/{id}/share")) {
                div .field {
                    label for="person" { "Login name" }
                    input type="text" id="person" name="person" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" required;
                }
                div .field {
                    label for="role" { "Role" }
                    select id="role" name="role" {
                        @for role in DebateRole::ALL { option value=(role.name()) { (role.name()) } }
                    }
                }
                div .field {
                    label for="seat" { "Seat " small { "for a judge or debater of one seat alone; optional" } }
                    input type="text" id="seat" name="seat" autocomplete="off" maxlength="64";
                }
                button type="submit" name="act" value="grant" { "Give the role" }
            }
        }
    }
}

fn render_links(id: &DebateId, links: &[ShareLink]) -> Markup {
    let now = agon_journal::time::current_stamp();
    html! {
        section aria-labelledby="links-title" {
            h2 #links-title { "Links for readers" }
            p .quiet { "Everyone with a link can read this debate, and nothing else, until the link ends." }
            @if !links.is_empty() {
                table {
                    thead { tr { th scope="col" { "Link" } th scope="col" { "Made" } th scope="col" { "Until" } th scope="col" { span .unseen { "Action" } } } }
                    tbody {
                        @for link in links {
                            tr {
                                td { (link.id) }
                                td { (format_day(&link.created_at)) }
                                td { (format_day(&link.expires_at)) }
                                td {
                                    @if link.revoked_at.is_some() { "revoked" }
                                    @else if !link.is_valid_at(&now) { "expired" }
                                    @else {
                                        form method="post" action=(format!("/debates/{id}/share")) {
                                            input type="hidden" name="link" value=(link.id);
                                            button .plain-button type="submit" name="act" value="revoke" aria-label=(format!("Revoke the link {}", link.id)) { "Revoke" }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            form method="post" action=(format!("/debates/{id}/share")) {
                div .field {
                    label for="days" { "Days " small { "1 to 366" } }
                    input type="text" inputmode="numeric" id="days" name="days" autocomplete="off" value=(LINK_DAYS);
                }
                button type="submit" name="act" value="link" { "Make a link" }
            }
        }
    }
}

async fn roles_response(
    shared: &State,
    id: DebateId,
    visitor: Visitor,
    host: Option<String>,
    said: ShareNotice,
) -> Response {
    let status = match &said {
        ShareNotice::Refused(refusal) => refusal.status,
        _ => StatusCode::OK,
    };
    let of = Arc::clone(shared);
    let drawn = shared.run_blocking(move |shared| {
        let Some(accounts) = &shared.accounts else { return Err(super::no_such_page()) };
        let summary = shared.journal.find_summary(&id)?.ok_or_else(no_such_debate)?;
        let filter = AuditFilter { debate: Some(id.to_string()), ..AuditFilter::default() };
        let lines = shared.journal.list_audit_lines(&filter, AUDIT_LINES)?;
        let (grants, known) = (shared.journal.grants_in(&id)?, shared.journal.share_links_of(&id)?);
        let body = html! {
            main #main .plain {
                h1 { "Who takes part" }
                p { a href=(format!("/debates/{id}")) { (escape_invisible(&summary.motion)) } }
                @match &said {
                    ShareNotice::Nothing => {},
                    ShareNotice::Refused(refusal) => (render_complaint(refusal)),
                    ShareNotice::Link(secret) => div .notice role="status" {
                        p { strong { "The link is shown this once:" } }
                        p { code { (share_link_address(accounts, host.as_deref(), secret)) } }
                    },
                }
                (render_roles(&of, &id, &grants, visitor))
                (render_links(&id, &known))
                section aria-labelledby="done-title" {
                    h2 #done-title { "What was done" }
                    (audit::render_audit_table(&of, &lines))
                }
            }
        };
        Ok(layout::render_page("Who takes part", false, body))
    });
    match drawn.await {
        Ok(page) => super::page_response(status, page),
        Err(refusal) => super::refusal_page(&refusal),
    }
}

#[utoipa::path(get, path = "/debates/{id}/share", operation_id = "showRoles", tag = "accounts",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "Roles, share links and audit of the debate", body = String, content_type = "text/html")))]
pub(super) async fn show_roles(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = path.ok().and_then(|Path(id)| DebateId::new(id).ok());
    let Some(id) = id else { return super::refusal_page(&no_such_debate()) };
    roles_response(&shared, id, visitor, None, ShareNotice::Nothing).await
}

#[utoipa::path(post, path = "/debates/{id}/share", operation_id = "changeRoles", tag = "accounts",
    params(("id" = String, Path, description = "The debate")),
    request_body(content = ShareForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "It was changed; a new link is shown this once", body = String, content_type = "text/html")))]
pub(super) async fn change_roles(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    path: Result<Path<String>, PathRejection>,
    headers: axum::http::HeaderMap,
    fields: SubmittedFields,
) -> Response {
    let id = path.ok().and_then(|Path(id)| DebateId::new(id).ok());
    let Some(id) = id else { return super::refusal_page(&no_such_debate()) };
    let said = match apply_change(&shared, &caller, &id, &fields).await {
        Ok(Some(secret)) => ShareNotice::Link(secret),
        Ok(None) => ShareNotice::Nothing,
        Err(refusal) => ShareNotice::Refused(refusal),
    };
    let host = crate::visitor::named_host(&headers).map(str::to_owned);
    roles_response(&shared, id, caller.visitor, host, said).await
}

async fn apply_change(
    shared: &State,
    caller: &RequestCaller,
    id: &DebateId,
    fields: &SubmittedFields,
) -> Result<Option<AccountSecret>, Refusal> {
    let journal = &shared.journal;
    let text = |name: &str| fields.trimmed_value(name).unwrap_or_default();
    if journal.find_summary(id)?.is_none() {
        return Err(no_such_debate());
    }
    let role = || {
        DebateRole::of(text("role"))
            .ok_or_else(|| Refusal::unusable("there is not such a role", "choose one of the list"))
    };
    match text("act") {
        "grant" => {
            let person = journal.principal_named(text("person"))?;
            let person = person.filter(|person| person.state == PrincipalState::Active);
            let unknown = || AccountError::Unknown { what: "account", name: text("person").into() };
            let person = person.ok_or_else(unknown)?;
            let seat = match fields.trimmed_value("seat") {
                None => None,
                Some(seat) => Some(seat_of(shared, id, seat)?),
            };
            let audit = audit_event(caller, "grant_role");
            journal.grant_role(id, person.id, role()?, seat, audit).await?;
        }
        "ungrant" => {
            let person = text("person")
                .parse()
                .map_err(|_| Refusal::unusable("there is not such a person", "choose one of the list"))?;
            let audit = audit_event(caller, "revoke_role");
            journal.revoke_roles(id, person, super::grants_taken(fields, role()?), audit).await?;
        }
        "link" => {
            let person = caller.visitor.person.ok_or_else(super::no_such_page)?;
            let days = fields.trimmed_value("days").map_or(Some(LINK_DAYS), |days| days.parse().ok()).unwrap_or(0);
            let audit = audit_event(caller, "add_link");
            let (secret, _) = journal.add_share_link(id, person, days, audit).await?;
            return Ok(Some(secret));
        }
        "revoke" => {
            journal.revoke_share_link(id, text("link"), audit_event(caller, "revoke_link")).await?;
        }
        _ => {
            return Err(Refusal::no_action());
        }
    }
    Ok(None)
}

/// The own name of the seat that a debate calls `name`, or the refusal of one that it has not.
fn seat_of(shared: &State, id: &DebateId, name: &str) -> Result<String, Refusal> {
    shared.seat_kind(id, name).map(|(name, _)| name).ok_or_else(|| {
        let why = "the debate has no such seat that is answered from outside";
        Refusal::new(422, "no_such_seat", why, "the page of the debate shows its seats")
    })
}
