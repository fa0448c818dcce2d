//! Invitations: a link with which a person logs in once, to choose a password or a passkey.

use agon_journal::accounts::{AccountSecret, AuditEvent};
use agon_report::page::prose::escape_invisible;
use axum::{extract::State as FromState, http::StatusCode};
use maud::html;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{PageQuery, PageResult, SubmittedFields, account_forms::InvitationForm, layout};
use crate::{
    Refusal, State,
    accounts::{Accounts, Caller, attempts, audit_event, shown_name, start_session},
    visitor::Called,
};

/// Invitations that one address may try within 15 minutes.
const TRIES_MAX: u32 = 100;

/// The secret of an invitation.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InvitationQuery {
    /// The secret.
    #[serde(default)]
    code: String,
}

/// Where a browser follows an invitation; `host` is how it calls this server, where nothing is configured.
pub(super) fn invitation_address(accounts: &Accounts, host: Option<&str>, secret: &AccountSecret) -> String {
    accounts.page_address(host, &format!("/invitation?code={}", secret.text()))
}

fn invitation_ended() -> Refusal {
    let why = "this invitation has ended, was used already or never existed";
    Refusal::new(410, "invitation_ended", why, "ask the person who sent it for another one")
}

/// Programs that look at links before a person does must not use it up: the page asks.
#[utoipa::path(get, path = "/invitation", operation_id = "showInvitation", tag = "accounts",
    params(InvitationQuery),
    responses((status = 200, description = "Who is invited, and a button", body = String, content_type = "text/html")))]
pub(super) async fn show_invitation(
    FromState(shared): FromState<State>,
    PageQuery(InvitationQuery { code }): PageQuery<InvitationQuery>,
) -> PageResult {
    let person = shared.journal.find_invitee(&code)?.ok_or_else(invitation_ended)?;
    let body = html! {
        main #main .plain {
            h1 { "You are invited" }
            p { "This link logs you in once, as " strong { (escape_invisible(&shown_name(&shared.journal, person))) } ". Then choose a password or a passkey: without one, you cannot log in again." }
            form method="post" action="/invitation" {
                input type="hidden" name="code" value=(code);
                button type="submit" { "Log in" }
            }
        }
    };
    Ok(super::page_response(StatusCode::OK, layout::render_page("You are invited", false, body)))
}

#[utoipa::path(post, path = "/invitation", operation_id = "acceptInvitation", tag = "accounts",
    request_body(content = InvitationForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 303, description = "The cookie of a session, and the page of the account")))]
pub(super) async fn accept_invitation(Called(shared, caller): Called<Caller>, fields: SubmittedFields) -> PageResult {
    let accounts = shared.accounts.as_ref().ok_or_else(super::no_such_page)?;
    attempts::begin_other(&shared.journal, "invitation", &caller.address, TRIES_MAX).await?;
    let audit = AuditEvent { via: "invitation".into(), ..audit_event(&caller, "login") };
    let code = fields.trimmed_value("code").unwrap_or_default();
    let Some(person) = shared.journal.take_invitation(code).await? else {
        shared.journal.record_audit_event(AuditEvent { result: "invitation_ended".into(), ..audit }).await?;
        return Err(invitation_ended().into());
    };
    let cookie = start_session(&shared, accounts, person, audit).await?;
    Ok(crate::accounts::redirect_with_cookie(cookie, "/account"))
}
