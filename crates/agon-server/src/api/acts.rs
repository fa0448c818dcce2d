//! What people do to a debate: interject, pause, let it continue, allow more, cancel. By the rules of outside seats,
//! and all of it on the record.

use agon_app::{ContinueRequest, Failure, access::recorded_debate};
use agon_core::Outcome;
use agon_journal::JournalError;
use agon_runtime::outside_seats::Acted;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ApiResult,
    input::{At, JsonBody, PathParams},
    shape::Refused,
};
use crate::{
    Refusal, State, accounts::start_quota, api::start::require_free_capacity, authorization::Permission,
    visitor::Visitor,
};

/// The name of the client, and its reason.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActBody {
    /// Your name, as shown to readers.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// The reason, as shown to readers.
    #[serde(default)]
    #[schema(max_length = 400)]
    why: String,
}

/// An interjection: a remark to all participants.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InterjectBody {
    /// Your name, as shown to readers and participants.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// The text of the remark.
    #[schema(min_length = 1, max_length = 4000)]
    text: String,
}

/// A request to resume a debate.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeBody {
    /// Your name, as shown to readers.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
}

/// Additions to a debate; the limits are new totals.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendBody {
    /// Number of rounds to add.
    #[serde(default)]
    rounds: u32,
    /// Maximum number of model calls.
    #[serde(default, deserialize_with = "super::input::maybe_whole")]
    #[schema(minimum = 1)]
    max_requests: Option<u64>,
    /// Maximum number of tokens.
    #[serde(default, deserialize_with = "super::input::maybe_whole")]
    #[schema(minimum = 1)]
    max_tokens: Option<u64>,
    /// Maximum cost, in US dollars.
    #[schema(exclusive_minimum = 0)]
    max_cost: Option<f64>,
    /// Maximum driven time, for example `30m`.
    #[schema(example = "30m")]
    max_time: Option<String>,
}

/// A recorded act.
#[derive(Serialize, ToSchema)]
pub struct ActedLine {
    /// Number of its entry.
    seq: u64,
    /// The outcome, if the act ended the debate.
    #[schema(value_type = Option<Object>)]
    closed: Option<Outcome>,
}

/// A debate that was resumed or extended.
#[derive(Serialize, ToSchema)]
pub struct GoesOn {
    /// Its id.
    id: String,
    /// Current number of entries.
    entries: u64,
    /// Whether this server drives it; otherwise another process does.
    driven: bool,
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/interject", operation_id = "interject", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = InterjectBody,
    responses((status = 200, description = "It is on the record; every later prompt shows it", body = ActedLine),
        (status = 409, description = "The protocol takes no interjections, or the debate has too many (not_allowed)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn interject(At(shared, visitor, at): At, JsonBody(body): JsonBody<InterjectBody>) -> ApiResult {
    let acted = shared.find_outside_seats(&at.id)?.interject(visitor.claimant(&body.name), &body.text).await?;
    respond_with_act(&shared, &at, acted)
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/pause", operation_id = "pauseDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ActBody,
    responses((status = 200, description = "Open calls finish, and no new ones start", body = ActedLine),
        (status = 409, description = "It is already paused (paused)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn pause_debate(At(shared, visitor, at): At, JsonBody(body): JsonBody<ActBody>) -> ApiResult {
    let acted = shared.find_outside_seats(&at.id)?.pause_debate(visitor.claimant(&body.name), &body.why).await?;
    respond_with_act(&shared, &at, acted)
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/cancel", operation_id = "cancelDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ActBody,
    responses((status = 200, description = "It is closed as CANCELLED, without a result", body = ActedLine),
        (status = 409, description = "Other rules produced its record", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn cancel_debate(At(shared, visitor, at): At, JsonBody(body): JsonBody<ActBody>) -> ApiResult {
    let acted = shared.find_outside_seats(&at.id)?.cancel_debate(visitor.claimant(&body.name), &body.why).await?;
    respond_with_act(&shared, &at, acted)
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/resume", operation_id = "resumeDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ResumeBody,
    responses((status = 200, description = "It continues", body = GoesOn),
        (status = 409, description = "Another process drives it (held)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused),
        (status = 424, description = "A model of the line-up is not available; nothing was sent", body = Refused),
        (status = 429, description = "The server drives its maximum number of debates (busy)", body = Refused)))]
pub async fn resume_debate(At(shared, visitor, at): At, JsonBody(body): JsonBody<ResumeBody>) -> ApiResult {
    continue_and_report(&shared, visitor, ContinueRequest { name: Some(body.name), ..ContinueRequest::new(at.id) })
        .await
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/extend", operation_id = "extendDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ExtendBody,
    responses((status = 200, description = "It is extended and continues", body = GoesOn),
        (status = 409, description = "It cannot be extended now", body = Refused),
        (status = 424, description = "A model of the line-up is not available; nothing was sent", body = Refused),
        (status = 429, description = "The server drives its maximum number of debates (busy)", body = Refused)))]
pub async fn extend_debate(At(shared, visitor, at): At, JsonBody(body): JsonBody<ExtendBody>) -> ApiResult {
    let ExtendBody { rounds, max_requests, max_tokens, max_cost, max_time } = body;
    let more = ContinueRequest {
        extends: true,
        rounds: Some(rounds),
        max_requests,
        max_tokens,
        max_cost,
        max_time,
        ..ContinueRequest::new(at.id)
    };
    continue_and_report(&shared, visitor, more).await
}

async fn continue_and_report(shared: &State, visitor: Visitor, wanted: ContinueRequest) -> ApiResult {
    let id = continue_debate(shared, visitor, wanted).await?;
    let entries = shared.journal.find_summary(&id)?.map(|summary| summary.entries).unwrap_or_default();
    super::json_response(GoesOn { driven: shared.events.is_driven(&id), id: id.to_string(), entries })
}

/// Resumes or extends a debate, unless the server drives its maximum number of debates, or the quota of the person
/// who started it is used up.
pub(crate) async fn continue_debate(
    shared: &State,
    visitor: Visitor,
    mut wanted: ContinueRequest,
) -> Result<agon_core::DebateId, Refusal> {
    let id = wanted.debate.clone();
    if shared.journal.find_summary(&id)?.is_none() {
        return Err(Refusal::no_such_debate(id.as_str()));
    }
    require_free_capacity(shared)?;
    // What the debate was opened with may be someone else's by now.
    for sat in &shared.read_whole_record(&id)?.opened().lineup {
        if let Some(named) = recorded_debate(&sat.model)
            && !shared.is_permitted(visitor, Permission::Read, &named, None)?
        {
            return Err(Failure::from(JournalError::NoSuchDebate(named)).into());
        }
    }
    wanted.principal = visitor.person;
    let raised = match wanted.extends {
        true => start_quota::raise_start_limit(shared, visitor, &id, &mut wanted.max_cost).await?,
        false => None,
    };
    if let Err(failure) = shared.launcher.continue_debate(wanted).await {
        // It may cost what it could before.
        if let Some(raised) = raised
            && let Err(error) = shared.journal.lower_start(raised).await
        {
            tracing::error!(%error, debate = %id, "counts as extended although it was not");
        }
        return Err(failure.into());
    }
    shared.events.refresh_debate(&id);
    Ok(id)
}

fn respond_with_act(shared: &State, at: &PathParams, acted: Acted) -> ApiResult {
    shared.events.refresh_debate(&at.id);
    super::json_response(ActedLine { seq: acted.seq, closed: acted.closed })
}
