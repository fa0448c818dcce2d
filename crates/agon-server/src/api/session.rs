//! Who sends a request, on a server with accounts.

use agon_journal::accounts::Quotas;
use serde::Serialize;
use utoipa::ToSchema;

use super::ApiResult;
use crate::{
    accounts::{Caller, not_permitted},
    visitor::{Called, Credential},
};

/// The person who sends the request.
#[derive(Serialize, ToSchema)]
pub struct SessionLine {
    /// The id of the account.
    #[schema(example = "p-0123456789abcdef")]
    person: String,
    /// What records call the person.
    #[schema(example = "person:p-0123456789abcdef")]
    on_record: String,
    /// The login name.
    login: Option<String>,
    /// The name that pages show.
    display: String,
    /// Whether the person administers the server.
    administrator: bool,
    /// What proves the person: `session`, `proxy` or `token`.
    proof: String,
    /// What the token may be used for; null for a session.
    scopes: Option<Vec<String>>,
    /// The first moment at which the token does not count; null for a session.
    expires_at: Option<String>,
    /// What the person may start.
    quotas: QuotaLine,
}

/// What a person may start; null where nothing limits it.
#[derive(Serialize, ToSchema)]
struct QuotaLine {
    /// Debates that are started within 24 hours.
    debates_per_day: Option<u32>,
    /// Debates that are open at a time.
    open_debates: Option<u32>,
    /// What the debates of 30 days may cost, in millionths of a US dollar.
    cost_microusd: Option<u64>,
}

#[utoipa::path(get, path = "/api/v1/session", operation_id = "showSession", tag = "accounts",
    responses((status = 200, description = "Who sends this request", body = SessionLine)))]
pub async fn show_session(Called(shared, caller): Called<Caller>) -> ApiResult {
    let proof = match caller.visitor.credential {
        Credential::Session => "session",
        Credential::Proxy => "proxy",
        Credential::Token(_) => "token",
        Credential::Nothing | Credential::Link => return Err(not_permitted()),
    };
    let person = caller.visitor.person.ok_or_else(not_permitted)?;
    let line = shared.run_blocking(move |shared| {
        let accounts = shared.accounts.as_ref().ok_or_else(not_permitted)?;
        let known = shared.journal.find_principal(person)?.ok_or_else(not_permitted)?;
        let Quotas { debates_per_day, open_debates, cost_microusd } = accounts.person_quotas(&known);
        let token = caller.token.as_ref();
        Ok(SessionLine {
            person: person.to_string(),
            on_record: person.on_record(),
            login: known.login,
            display: known.display,
            administrator: known.administrator,
            proof: proof.to_owned(),
            scopes: token.map(|token| token.scopes.to_string().split(',').map(str::to_owned).collect::<Vec<_>>()),
            expires_at: token.map(|token| token.expires_at.0.clone()),
            quotas: QuotaLine { debates_per_day, open_debates, cost_microusd },
        })
    });
    super::json_response(line.await?)
}
