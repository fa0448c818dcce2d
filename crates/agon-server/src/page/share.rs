//! Who takes part in a debate: roles, links for readers, and what was done. For the owners of the debate.

use agon_core::DebateId;
use agon_journal::accounts::{AccountError, AuditFilter, DebateRole, Grant, PrincipalState, ShareLink};
use agon_report::page::prose::escape_invisible;
use axum::http::HeaderMap;
use maud::{Markup, html};

use super::{
    ACTION, DebatePath, PageResult, SubmittedFields,
    account_forms::ShareForm,
    audit, format_day, layout, no_such_debate,
    notice::PageNotice,
    render_row_button, render_table,
    text_field::{TextKind, render_text_field},
};
use crate::{
    Refusal, RouteContext, State,
    accounts::{Caller, RequestCaller, audit_event, shown_name},
    visitor::{Called, Visitor, named_host},
};

/// Days of a link where nobody says.
const LINK_DAYS: u32 = 14;
/// Lines of the audit on the page.
const AUDIT_LINES: u32 = 50;

fn render_roles(shared: &RouteContext, id: &DebateId, grants: &[Grant], visitor: Visitor) -> Markup {
    let rows = html! {
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
    };
    html! {
        section aria-labelledby="roles-title" {
            h2 #roles-title { "Roles" }
            (render_table("Roles", &["Person", "Role", "Since", ACTION], &rows, "Nobody has a role yet."))
            form method="post" action=(format!("/debates/{id}/share")) {
                (render_text_field("person", "Login name", "", TextKind::Login("off"), None))
                div .field {
                    label for="role" { "Role" }
                    select id="role" name="role" {
                        @for role in DebateRole::ALL { option value=(role.name()) { (role.name()) } }
                    }
                }
                (render_text_field("seat", "Seat", "for a judge or debater of one seat alone; optional", TextKind::Words("off", 64, false), None))
                button type="submit" name="act" value="grant" { "Give the role" }
            }
        }
    }
}

fn render_links(id: &DebateId, links: &[ShareLink]) -> Markup {
    let now = agon_journal::time::current_stamp();
    let rows = html! {
        @for link in links {
            tr {
                td { (link.id) }
                td { (format_day(&link.created_at)) }
                td { (format_day(&link.expires_at)) }
                td {
                    @if link.revoked_at.is_some() { "revoked" }
                    @else if !link.is_valid_at(&now) { "expired" }
                    @else {
                        (render_row_button(&format!("/debates/{id}/share"), &[("link", link.id.as_str())], Some("revoke"), &format!("Revoke the link {}", link.id), "Revoke"))
                    }
                }
            }
        }
    };
    html! {
        section aria-labelledby="links-title" {
            h2 #links-title { "Links for readers" }
            p .quiet { "Everyone with a link can read this debate, and nothing else, until the link ends." }
            (render_table("Links", &["Link", "Made", "Until", ACTION], &rows, ""))
            form method="post" action=(format!("/debates/{id}/share")) {
                (render_text_field("days", "Days", "1 to 366", TextKind::Number, Some(&LINK_DAYS.to_string())))
                button type="submit" name="act" value="link" { "Make a link" }
            }
        }
    }
}

async fn roles_response(shared: &State, id: DebateId, visitor: Visitor, said: PageNotice) -> PageResult {
    let drawn = super::blocking_page(shared, said.status(), move |shared| {
        let summary = shared.journal.find_summary(&id)?.ok_or_else(no_such_debate)?;
        let filter = AuditFilter { debate: Some(id.to_string()), ..AuditFilter::default() };
        let lines = shared.journal.list_audit_lines(&filter, AUDIT_LINES)?;
        let (grants, known) = (shared.journal.grants_in(&id)?, shared.journal.share_links_of(&id)?);
        let body = html! {
            main #main .plain {
                h1 { "Who takes part" }
                p { a href=(format!("/debates/{id}")) { (escape_invisible(&summary.motion)) } }
                (said.render_notice())
                (render_roles(shared, &id, &grants, visitor))
                (render_links(&id, &known))
                section aria-labelledby="done-title" {
                    h2 #done-title { "What was done" }
                    (audit::render_audit_table(shared, &lines))
                }
            }
        };
        Ok(layout::render_page("Who takes part", false, body))
    });
    drawn.await
}

#[utoipa::path(get, path = "/debates/{id}/share", operation_id = "showRoles", tag = "accounts",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "Roles, share links and audit of the debate", body = String, content_type = "text/html")))]
pub(super) async fn show_roles(Called(shared, visitor): Called<Visitor>, DebatePath(id): DebatePath) -> PageResult {
    roles_response(&shared, id, visitor, PageNotice::Nothing).await
}

#[utoipa::path(post, path = "/debates/{id}/share", operation_id = "changeRoles", tag = "accounts",
    params(("id" = String, Path, description = "The debate")),
    request_body(content = ShareForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "It was changed; a new link is shown this once", body = String, content_type = "text/html")))]
pub(super) async fn change_roles(
    Called(shared, caller): Called<Caller>,
    DebatePath(id): DebatePath,
    headers: HeaderMap,
    fields: SubmittedFields,
) -> PageResult {
    let said = apply_change(&shared, &caller, &headers, &id, &fields).await.unwrap_or_else(PageNotice::Refused);
    roles_response(&shared, id, caller.visitor, said).await
}

async fn apply_change(
    shared: &State,
    caller: &RequestCaller,
    headers: &HeaderMap,
    id: &DebateId,
    fields: &SubmittedFields,
) -> Result<PageNotice, Refusal> {
    let journal = &shared.journal;
    let text = |name: &str| fields.trimmed_value(name).unwrap_or_default();
    if journal.find_summary(id)?.is_none() {
        return Err(no_such_debate());
    }
    match text("act") {
        "grant" => {
            let person = journal.principal_named(text("person"))?;
            let person = person.filter(|person| person.state == PrincipalState::Active);
            let unknown = || AccountError::Unknown { what: "account", name: text("person").into() };
            let person = person.ok_or_else(unknown)?;
            let seat = fields.trimmed_value("seat").map(|seat| seat_of(shared, id, seat)).transpose()?;
            let audit = audit_event(caller, "grant_role");
            journal.grant_role(id, person.id, super::parse_role(fields)?, seat, audit).await?;
        }
        "ungrant" => {
            let unknown = |_| Refusal::unusable("there is not such a person", "choose one of the list");
            let person = text("person").parse().map_err(unknown)?;
            let audit = audit_event(caller, "revoke_role");
            journal.revoke_roles(id, person, super::grants_taken(fields)?, audit).await?;
        }
        "link" => {
            let person = caller.visitor.person.ok_or_else(super::no_such_page)?;
            let audit = audit_event(caller, "add_link");
            let (secret, _) = journal.add_share_link(id, person, fields.parse_days(LINK_DAYS), audit).await?;
            let accounts = shared.accounts.as_ref().ok_or_else(super::no_such_page)?;
            let address = accounts.page_address(named_host(headers), &format!("/shared?link={}", secret.text()));
            return Ok(PageNotice::of_secret(html! { "The link is shown this once:" }, &address, html! {}));
        }
        "revoke" => {
            journal.revoke_share_link(id, text("link"), audit_event(caller, "revoke_link")).await?;
        }
        _ => return Err(Refusal::no_action()),
    }
    Ok(PageNotice::Nothing)
}

/// The own name of the seat that a debate calls `name`, or the refusal of one that it has not.
fn seat_of(shared: &State, id: &DebateId, name: &str) -> Result<String, Refusal> {
    shared.seat_kind(id, name).map(|(name, _)| name).ok_or_else(|| {
        let why = "the debate has no such seat that is answered from outside";
        Refusal::new(422, "no_such_seat", why, "the page of the debate shows its seats")
    })
}
