//! What people do to a debate: interject, pause, let it go on, allow more, cancel. By the rules of outside seats,
//! and all of it on the record.

use agon_app::ContinueRequest;
use agon_core::Outcome;
use agon_runtime::outside_seats::Acted;
use axum::{extract::State as FromState, response::Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    input::{JsonBody, PathParams},
    shape::Refused,
};
use crate::{Refusal, State, api::start::room};

/// Who acts, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActBody {
    /// Their name, as readers will see it.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// The reason, as readers will see it.
    #[serde(default)]
    #[schema(max_length = 400)]
    why: String,
}

/// What somebody says to all who take part.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InterjectBody {
    /// Their name, as readers and participants will see it.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// The words.
    #[schema(min_length = 1, max_length = 4000)]
    text: String,
}

/// Who lets a debate go on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeBody {
    /// Their name, as readers will see it.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
}

/// What a debate is allowed more; the limits are new totals.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendBody {
    /// Rounds more.
    #[serde(default)]
    rounds: u32,
    /// Most calls.
    #[serde(default, deserialize_with = "super::input::maybe_whole")]
    #[schema(minimum = 1)]
    max_requests: Option<u64>,
    /// Most tokens.
    #[serde(default, deserialize_with = "super::input::maybe_whole")]
    #[schema(minimum = 1)]
    max_tokens: Option<u64>,
    /// Most money, in US dollars.
    #[serde(default)]
    #[schema(exclusive_minimum = 0)]
    max_cost: Option<f64>,
    /// Most driven time, for example `30m`.
    #[serde(default)]
    #[schema(example = "30m")]
    max_time: Option<String>,
}

/// An act that stands on the record.
#[derive(Serialize, ToSchema)]
pub struct ActedLine {
    /// The entry that holds it.
    seq: u64,
    /// How the debate ended by it, where it did.
    #[schema(value_type = Option<Object>)]
    closed: Option<Outcome>,
}

/// A debate that goes on.
#[derive(Serialize, ToSchema)]
pub struct GoesOn {
    /// Its id.
    id: String,
    /// Number of entries now.
    entries: u64,
    /// Whether this server drives it now; if not, another process does.
    driven: bool,
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/interject", operation_id = "interject", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = InterjectBody,
    responses((status = 200, description = "It is on the record, and every prompt asked for afterwards shows it", body = ActedLine),
        (status = 404, description = "No such debate", body = Refused),
        (status = 409, description = "Its protocol takes no interjections, or no more (not_allowed)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn interject(
    FromState(shared): FromState<State>,
    at: PathParams,
    JsonBody(body): JsonBody<InterjectBody>,
) -> Result<Response, Refusal> {
    let acted = shared.seats(&at.id)?.interject(&body.name, &body.text).await?;
    Ok(said(&shared, &at, acted))
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/pause", operation_id = "pauseDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ActBody,
    responses((status = 200, description = "Nothing more is asked or answered; what is under way is awaited", body = ActedLine),
        (status = 404, description = "No such debate", body = Refused),
        (status = 409, description = "It is paused already (paused)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn pause(
    FromState(shared): FromState<State>,
    at: PathParams,
    JsonBody(body): JsonBody<ActBody>,
) -> Result<Response, Refusal> {
    let acted = shared.seats(&at.id)?.pause(&body.name, &body.why).await?;
    Ok(said(&shared, &at, acted))
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/cancel", operation_id = "cancelDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ActBody,
    responses((status = 200, description = "It is closed as CANCELLED, without a result", body = ActedLine),
        (status = 404, description = "No such debate", body = Refused),
        (status = 409, description = "Its record was made by other rules", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn cancel(
    FromState(shared): FromState<State>,
    at: PathParams,
    JsonBody(body): JsonBody<ActBody>,
) -> Result<Response, Refusal> {
    let acted = shared.seats(&at.id)?.cancel(&body.name, &body.why).await?;
    Ok(said(&shared, &at, acted))
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/resume", operation_id = "resumeDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ResumeBody,
    responses((status = 200, description = "It goes on", body = GoesOn),
        (status = 404, description = "No such debate", body = Refused),
        (status = 409, description = "Somebody drives it already (held)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused),
        (status = 424, description = "A model of the line-up cannot be used; nothing was asked", body = Refused),
        (status = 429, description = "As many debates are driven as may be (busy)", body = Refused)))]
pub async fn resume(
    FromState(shared): FromState<State>,
    at: PathParams,
    JsonBody(body): JsonBody<ResumeBody>,
) -> Result<Response, Refusal> {
    go_on(&shared, ContinueRequest { name: Some(body.name), ..ContinueRequest::new(at.id) }).await
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/extend", operation_id = "extendDebate", tag = "acts",
    params(("id" = String, Path, description = "The debate")),
    request_body = ExtendBody,
    responses((status = 200, description = "It is allowed more, and goes on", body = GoesOn),
        (status = 404, description = "No such debate", body = Refused),
        (status = 409, description = "It cannot be extended now", body = Refused),
        (status = 424, description = "A model of the line-up cannot be used; nothing was asked", body = Refused),
        (status = 429, description = "As many debates are driven as may be (busy)", body = Refused)))]
pub async fn extend(
    FromState(shared): FromState<State>,
    at: PathParams,
    JsonBody(body): JsonBody<ExtendBody>,
) -> Result<Response, Refusal> {
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
    go_on(&shared, more).await
}

async fn go_on(shared: &State, wanted: ContinueRequest) -> Result<Response, Refusal> {
    let id = proceed(shared, wanted).await?;
    let entries = shared.journal.summary(&id)?.map(|summary| summary.entries).unwrap_or_default();
    Ok(super::json(GoesOn { driven: shared.events.is_driven(&id), id: id.to_string(), entries }))
}

/// Lets a debate go on, unless as many are driven as may be.
pub(crate) async fn proceed(shared: &State, wanted: ContinueRequest) -> Result<agon_core::DebateId, Refusal> {
    let id = wanted.debate.clone();
    if shared.journal.summary(&id)?.is_none() {
        return Err(Refusal::no_such_debate(id.as_str()));
    }
    room(shared)?;
    shared.launcher.go_on(wanted).await?;
    shared.events.look(&id);
    Ok(id)
}

fn said(shared: &State, at: &PathParams, acted: Acted) -> Response {
    shared.events.look(&at.id);
    super::json(ActedLine { seq: acted.seq, closed: acted.closed })
}
