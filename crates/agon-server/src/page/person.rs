//! One account, for administrators: invitation, state, quotas, roles in debates, tokens, passkeys, and its end.

use agon_core::DebateId;
use agon_journal::accounts::{
    AuditFilter, AuditLine, DebateRole, Grant, LoginWays, Passkey, PersonalToken, Principal, PrincipalId,
    PrincipalState, Quotas,
};
use agon_report::page::prose::escape_invisible;
use axum::{
    extract::{Path, State as FromState, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Redirect},
};
use maud::{Markup, html};

use super::{
    ACTION, PageResult, SubmittedFields,
    account_forms::PersonForm,
    audit, format_day, layout,
    notice::PageNotice,
    people::{INVITATION_DAYS, describe_login_ways, invitation_notice},
    person_names::id_on_record,
    render_row_button, render_table,
    text_field::{TextKind, render_text_field},
};
use crate::{
    Refusal, RouteContext, State,
    accounts::{Caller, RequestCaller, audit_event},
    visitor::Called,
};

/// Debates whose roles are shown, and lines of the audit.
const DEBATES: u32 = 50;
const AUDIT_LINES: u32 = 30;
/// Most amounts of money that a quota can be, in US dollars.
const COST_MAX: f64 = 1e9;

/// What the page shows.
struct PersonView {
    person: Principal,
    ways: LoginWays,
    grants: Vec<Grant>,
    tokens: Vec<PersonalToken>,
    passkeys: Vec<Passkey>,
    lines: Vec<AuditLine>,
}

fn no_such_person() -> Refusal {
    Refusal::new(404, "unknown", "there is not such an account", "the page of all people lists them")
}

fn unusable_input(why: &str) -> Refusal {
    Refusal::unusable(why, "correct it, and send it again")
}

/// A button that needs no field.
fn render_button(to: &str, act: &str, words: &str, is_grave: bool) -> Markup {
    let class = if is_grave { "plain-button grave" } else { "plain-button" };
    html! {
        form method="post" action=(to) { button class=(class) type="submit" name="act" value=(act) { (words) } }
    }
}

fn render_access(view: &PersonView, to: &str) -> Markup {
    let PersonView { person, .. } = view;
    let is_active = person.state == PrincipalState::Active;
    html! {
        section aria-labelledby="access-title" {
            h2 #access-title { "Access" }
            p { "Logs in with " (describe_login_ways(person, view.ways)) "." }
            @if is_active {
                form method="post" action=(to) {
                    (render_text_field("days", "Days until the invitation ends", "1 to 30", TextKind::Number, Some(&INVITATION_DAYS.to_string())))
                    button type="submit" name="act" value="invite" { "Invite" }
                }
                p .quiet { "An invitation also helps a person who has lost password and passkeys. A new one ends the one before." }
            }
            div .buttons {
                (render_button(to, "end_logins", "End all logins", false))
                @if is_active { (render_button(to, "disable", "Disable", true)) } @else { (render_button(to, "enable", "Enable", false)) }
                @if person.administrator { (render_button(to, "dismiss", "End administration", true)) }
                @else { (render_button(to, "appoint", "Appoint administrator", false)) }
            }
        }
    }
}

fn render_quotas(person: &Principal, to: &str) -> Markup {
    let Quotas { debates_per_day, open_debates, cost_microusd } = person.quotas;
    let cost = cost_microusd.map(|cost| format!("{:.2}", cost as f64 / 1e6)).unwrap_or_default();
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    html! {
        section aria-labelledby="quotas-title" {
            h2 #quotas-title { "Quotas" }
            p .quiet { "Where a field is empty, the quota of the configuration applies." }
            form method="post" action=(to) {
                (render_text_field("debates_per_day", "Debates within 24 hours", "", TextKind::Number, Some(&number(debates_per_day))))
                (render_text_field("open_debates", "Open debates", "", TextKind::Number, Some(&number(open_debates))))
                (render_text_field("max_cost", "Cost of 30 days", "US dollars", TextKind::Amount, Some(&cost)))
                button type="submit" name="act" value="quotas" { "Set" }
            }
        }
    }
}

fn render_roles(grants: &[Grant], to: &str) -> Markup {
    let rows = html! {
        @for grant in grants {
            tr {
                td { a href=(format!("/debates/{}", grant.debate)) { (grant.debate) } }
                td { (grant.role.name()) @if let Some(seat) = &grant.seat { ", at " (escape_invisible(seat)) } }
                td { (format_day(&grant.granted_at)) }
                @let sent = [("debate", grant.debate.as_str()), ("role", grant.role.name()), ("seat", grant.seat.as_deref().unwrap_or_default())];
                td { (render_row_button(to, &sent, Some("ungrant"), &format!("Take back {} in {}", grant.describe_role(), grant.debate), "Take back")) }
            }
        }
    };
    html! {
        section aria-labelledby="roles-title" {
            h2 #roles-title { "Roles in debates" }
            (render_table("Roles", &["Debate", "Role", "Since", ACTION], &rows, "None."))
            form method="post" action=(to) {
                (render_text_field("debate", "Debate", "its id", TextKind::Login("off"), None))
                div .field {
                    label for="role" { "Role" }
                    select id="role" name="role" { @for role in DebateRole::ALL { option value=(role.name()) { (role.name()) } } }
                }
                button type="submit" name="act" value="grant" { "Give the role" }
            }
        }
    }
}

/// Tokens and passkeys: what still counts, with a button that ends it.
fn render_proofs(view: &PersonView, to: &str) -> Markup {
    let now = agon_journal::time::current_stamp();
    let counts = |token: &&PersonalToken| token.revoked_at.is_none() && token.expires_at > now;
    let tokens = view.tokens.iter().filter(counts).map(|token| {
        let what = format!("token, {}, until {}", token.scopes, format_day(&token.expires_at));
        (&token.name, what, token.used_at.as_ref(), "revoke_token", &token.id)
    });
    let passkeys = view.passkeys.iter().map(|key| {
        let what = format!("passkey, since {}", format_day(&key.created_at));
        (&key.name, what, key.used_at.as_ref(), "remove_passkey", &key.id)
    });
    let all: Vec<_> = passkeys.chain(tokens).collect();
    let rows = html! {
        @for (name, what, used, act, id) in &all {
            tr {
                td { (escape_invisible(name)) }
                td { (what) }
                td { (used.map_or("never", format_day)) }
                td { (render_row_button(to, &[("id", id.as_str())], Some(*act), &format!("Remove {name}"), "Remove")) }
            }
        }
    };
    html! {
        section aria-labelledby="proofs-title" {
            h2 #proofs-title { "Passkeys and tokens" }
            (render_table("Passkeys and tokens", &["Name", "What", "Last used", ACTION], &rows, "None."))
        }
    }
}

fn render_person(shared: &RouteContext, view: &PersonView, said: &PageNotice) -> Markup {
    let PersonView { person, .. } = view;
    let to = format!("/people/{}", person.id);
    let body = html! {
        main #main .plain {
            h1 { (escape_invisible(&person.display)) }
            p {
                code { (escape_invisible(person.login.as_deref().unwrap_or_default())) } ", " (person.describe_state())
                ", since " (format_day(&person.created_at)) ". Records name this person as " (id_on_record(person.id)) "."
            }
            p { a href="/people" { "All people" } }
            (said.render_notice())
            (render_access(view, &to))
            (render_quotas(person, &to))
            (render_roles(&view.grants, &to))
            (render_proofs(view, &to))
            section aria-labelledby="done-title" {
                h2 #done-title { "What was done" }
                (audit::render_audit_table(shared, &view.lines))
            }
            section aria-labelledby="delete-title" {
                h2 #delete-title { "Delete the account" }
                p { "Names, logins, roles, tokens and links are deleted. What the person said stays on the records of debates." }
                form method="post" action=(to) {
                    (render_text_field("confirm", "Write the login name to confirm", "", TextKind::Login("off"), None))
                    button .plain-button .grave type="submit" name="act" value="delete" { "Delete" }
                }
            }
        }
    };
    layout::render_page(&person.display, false, body)
}

async fn person_response(shared: &State, id: PrincipalId, said: PageNotice) -> PageResult {
    let drawn = super::blocking_page(shared, said.status(), move |shared| {
        let journal = &shared.journal;
        let person = journal.find_principal(id)?.filter(|person| person.state != PrincipalState::Deleted);
        let person = person.ok_or_else(no_such_person)?;
        let mut grants = Vec::new();
        for debate in journal.list_for(id, DEBATES)? {
            grants.extend(journal.grants_of(&debate.id, id)?);
        }
        let filter = AuditFilter { principal: Some(id), ..AuditFilter::default() };
        let view = PersonView {
            ways: journal.login_ways()?.get(&id).copied().unwrap_or_default(),
            tokens: journal.tokens_of(id)?,
            passkeys: journal.passkeys_of(id)?,
            lines: journal.list_audit_lines(&filter, AUDIT_LINES)?,
            person,
            grants,
        };
        Ok(render_person(shared, &view, &said))
    });
    drawn.await
}

/// The person whom a path names; deleted ones have no page.
fn find_named_person(shared: &State, path: Result<Path<String>, PathRejection>) -> Result<Principal, Refusal> {
    let Path(name) = path.map_err(|_| no_such_person())?;
    let person = shared.journal.principal_named(&name)?;
    person.filter(|person| person.state != PrincipalState::Deleted).ok_or_else(no_such_person)
}

#[utoipa::path(get, path = "/people/{person}", operation_id = "showPerson", tag = "accounts",
    params(("person" = String, Path, description = "The id of the account, or its login name")),
    responses((status = 200, description = "The account", body = String, content_type = "text/html")))]
pub(super) async fn show_person(
    FromState(shared): FromState<State>,
    path: Result<Path<String>, PathRejection>,
) -> PageResult {
    let person = find_named_person(&shared, path)?;
    person_response(&shared, person.id, PageNotice::Nothing).await
}

#[utoipa::path(post, path = "/people/{person}", operation_id = "changePerson", tag = "accounts",
    params(("person" = String, Path, description = "The id of the account, or its login name")),
    request_body(content = PersonForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "It was changed; an invitation is shown this once", body = String, content_type = "text/html"),
        (status = 303, description = "The account was deleted")))]
pub(super) async fn change_person(
    Called(shared, caller): Called<Caller>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
    fields: SubmittedFields,
) -> PageResult {
    let person = find_named_person(&shared, path)?;
    let said = match apply_change(&shared, &caller, &headers, &person, &fields).await {
        Ok(None) => return Ok(Redirect::to("/people").into_response()),
        Ok(Some(said)) => said,
        Err(refusal) => PageNotice::Refused(refusal),
    };
    person_response(&shared, person.id, said).await
}

/// Does what a form asks for; gives what the page then says, or `None` where the account was deleted.
async fn apply_change(
    shared: &State,
    caller: &RequestCaller,
    headers: &HeaderMap,
    person: &Principal,
    fields: &SubmittedFields,
) -> Result<Option<PageNotice>, Refusal> {
    let (journal, id) = (&shared.journal, person.id);
    let event = |action: &'static str| audit_event(caller, action);
    let given = fields.trimmed_value("id").unwrap_or_default();
    let done = match fields.trimmed_value("act").unwrap_or_default() {
        "invite" => {
            let secret = journal.create_invitation(id, fields.parse_days(INVITATION_DAYS), event("invite")).await?;
            let login = person.login.clone().unwrap_or_default();
            return Ok(Some(invitation_notice(shared, headers, login, &secret)));
        }
        "delete" => {
            if fields.trimmed_value("confirm").map(str::to_ascii_lowercase) != person.login {
                return Err(unusable_input("the login name does not match"));
            }
            journal.delete_principal(id, event("delete_account")).await?;
            return Ok(None);
        }
        "disable" => {
            journal.set_disabled(id, true, event("disable_account")).await?;
            "The account was disabled, and its logins have ended."
        }
        "enable" => {
            journal.set_disabled(id, false, event("enable_account")).await?;
            "The account was enabled."
        }
        act @ ("appoint" | "dismiss") => {
            journal.set_administrator(id, act == "appoint", event("set_administrator")).await?;
            if act == "appoint" {
                "The person administers the server."
            } else {
                "The person does not administer the server."
            }
        }
        "end_logins" => {
            journal.end_sessions_of(id, event("end_logins")).await?;
            "All logins of the person have ended."
        }
        "quotas" => {
            journal.set_quotas(id, quotas_of(fields)?, event("set_quotas")).await?;
            "The quotas were set."
        }
        "grant" => {
            let debate = parse_debate(shared, fields)?;
            journal.grant_role(&debate, id, super::parse_role(fields)?, None, event("grant_role")).await?;
            "The role was given."
        }
        "ungrant" => {
            let debate = parse_debate(shared, fields)?;
            journal.revoke_roles(&debate, id, super::grants_taken(fields)?, event("revoke_role")).await?;
            "The role was taken back."
        }
        "revoke_token" => {
            journal.revoke_token(id, given, event("revoke_token")).await?;
            "The token was revoked."
        }
        "remove_passkey" => {
            journal.remove_passkey(id, given, event("remove_passkey")).await?;
            "The passkey was removed."
        }
        _ => return Err(Refusal::no_action()),
    };
    Ok(Some(PageNotice::Done(done)))
}

fn parse_debate(shared: &State, fields: &SubmittedFields) -> Result<DebateId, Refusal> {
    let id = fields.trimmed_value("debate").and_then(|id| DebateId::new(id).ok());
    let known = id.map(|id| Ok::<_, Refusal>(shared.journal.find_summary(&id)?.map(|_| id))).transpose()?.flatten();
    known.ok_or_else(|| unusable_input("there is not such a debate"))
}

fn quotas_of(fields: &SubmittedFields) -> Result<Quotas, Refusal> {
    let number = |name: &str| {
        let read = fields.trimmed_value(name).map(str::parse::<u32>).transpose();
        read.map_err(|_| unusable_input("a quota of debates is a whole number"))
    };
    let cost = fields.trimmed_value("max_cost").map(str::parse::<f64>).transpose();
    let cost = cost.ok().filter(|cost| cost.is_none_or(|cost| (0.0..=COST_MAX).contains(&cost)));
    let cost = cost.ok_or_else(|| unusable_input("the cost is an amount of US dollars"))?;
    Ok(Quotas {
        debates_per_day: number("debates_per_day")?,
        open_debates: number("open_debates")?,
        cost_microusd: cost.map(|cost| (cost * 1e6).round() as u64),
    })
}
