//! The beginning of a session.

use agon_journal::accounts::{AuditEvent, PrincipalId};

use super::{Accounts, cookie_header, session_cookie};
use crate::{Refusal, RouteContext};

/// How long the cookie of an expired session is kept, so that a form sent with it is not lost, in seconds.
const REMEMBERED_SECONDS: u32 = 30 * 24 * 3600;

/// Begins a session of a person; gives the `Set-Cookie` header for its browser.
pub(crate) async fn start_session(
    shared: &RouteContext,
    accounts: &Accounts,
    person: PrincipalId,
    audit: AuditEvent,
) -> Result<String, Refusal> {
    let seconds = accounts.config.session_seconds();
    let audit = AuditEvent { principal: Some(person), ..audit };
    let secret = shared.journal.start_session(person, seconds, audit).await?;
    let is_https = accounts.config.is_https();
    let kept = seconds.saturating_add(REMEMBERED_SECONDS);
    Ok(cookie_header(session_cookie(is_https), secret.text(), kept, is_https))
}
