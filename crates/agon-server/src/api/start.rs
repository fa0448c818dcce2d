//! Starting a debate.

use std::sync::Arc;

use agon_app::{
    OpeningRequest, Plan,
    access::named_debates,
    asker::{Asker, RemoteRights},
};
use agon_core::{DebateId, Digest, name::NAME_BYTES_MAX};
use agon_journal::accounts::PrincipalId;
use axum::{
    Json,
    http::{StatusCode, header},
    response::IntoResponse,
};

use super::{
    ApiResult,
    input::JsonBody,
    opening::OpeningBody,
    shape::{Refused, Started},
};
use crate::{
    Refusal, State,
    accounts::start_quota,
    authorization::Permission,
    visitor::{Called, Visitor},
};

/// Maximum number of debates that one server drives at a time.
const DRIVEN_MAX: usize = 16;
/// Characters at the end of an id that make it a person's own.
const OWN_BYTES: usize = 8;

/// Opens a debate, unless as many are driven as may be, or the visitor's quota is used up.
pub(crate) async fn open_debate(
    shared: &State,
    visitor: Visitor,
    opening: OpeningRequest,
) -> Result<DebateId, Refusal> {
    require_protocol(shared, &opening).await?;
    require_free_capacity(shared)?;
    // Nothing of it is done any more once the request was refused for its time.
    let _waited_for = opening.stop.stop_on_drop();
    let opening = asked_by(shared, visitor, opening).await?;
    if visitor.person.is_none() {
        return Ok(shared.launcher.open_debate(opening).await?);
    }
    // A client that goes away meanwhile leaves no debate without its owner.
    let shared = Arc::clone(shared);
    let opened = tokio::spawn(async move {
        let mut opening = opening;
        let start = start_quota::reserve_start(&shared, visitor, &mut opening).await?;
        let opened = shared.launcher.open_debate(opening).await.map_err(Refusal::from);
        start_quota::settle_start(&shared, start, opened.as_ref()).await?;
        opened
    });
    opened.await.unwrap_or_else(|_| {
        Err(Refusal::new(500, "internal", "the request was interrupted", "look at the list of debates"))
    })
}

/// What a debate would ask, cost and send away.
pub(crate) async fn plan_opening(shared: &State, visitor: Visitor, opening: OpeningRequest) -> Result<Plan, Refusal> {
    require_protocol(shared, &opening).await?;
    let _waited_for = opening.stop.stop_on_drop();
    let opening = asked_by(shared, visitor, opening).await?;
    Ok(shared.launcher.plan_debate(opening).await?)
}

/// The request as a visitor asks it: with what they may name, and with an id of their own.
async fn asked_by(shared: &State, visitor: Visitor, mut opening: OpeningRequest) -> Result<OpeningRequest, Refusal> {
    let asked = shared.run_blocking(move |shared| {
        let mut rights = RemoteRights::default();
        for debate in named_debates(&opening) {
            if shared.is_permitted(visitor, Permission::Read, &debate, None)? {
                rights.readable.insert(debate);
            }
        }
        opening.asker = Asker::Remote(rights);
        if let (Some(person), Some(id)) = (visitor.person, &opening.id)
            && !shared.reads_all(visitor)
        {
            opening.id = Some(own_id(person, id));
        }
        Ok(opening)
    });
    asked.await
}

/// The id of a debate that a person wants to call `id`, on a server where they may not read every debate: an id that is
/// taken would tell that such a debate exists. The same id of the same person is the same debate.
fn own_id(person: PrincipalId, id: &str) -> String {
    let digest = Digest::from_content(format!("{person}\n{id}"));
    let room = NAME_BYTES_MAX - OWN_BYTES - 1;
    match DebateId::new(id).is_ok() {
        true => format!("{}-{}", &id[..id.len().min(room)], &digest.as_str()[..OWN_BYTES]),
        // It is refused as it was written.
        false => id.to_owned(),
    }
}

/// Whether there is its protocol.
async fn require_protocol(shared: &State, opening: &OpeningRequest) -> Result<(), Refusal> {
    let name = opening.protocol.clone();
    let known = shared.run_blocking(move |shared| {
        let kinds = shared.list_protocols();
        let known = kinds.iter().any(|kind| kind.name == name);
        known.then_some(()).ok_or_else(|| crate::no_such_protocol(&name, &kinds))
    });
    known.await
}

/// Whether one more debate may be driven.
pub(super) fn require_free_capacity(shared: &State) -> Result<(), Refusal> {
    if shared.events.driven_count() >= DRIVEN_MAX {
        let why = format!("the server already drives {DRIVEN_MAX} debates, its maximum");
        return Err(Refusal::new(429, "busy", why, "wait until a debate ends"));
    }
    Ok(())
}

#[utoipa::path(post, path = "/api/v1/debates", operation_id = "startDebate", tag = "debates",
    request_body = OpeningBody,
    responses((status = 201, description = "It is open, and this server drives it", body = Started),
        (status = 409, description = "The id is already taken (exists), or another process drives the debate (held)", body = Refused),
        (status = 424, description = "A model of the line-up is not available; nothing was sent", body = Refused),
        (status = 429, description = "The server drives its maximum number of debates (busy)", body = Refused)))]
pub async fn start_debate(
    Called(shared, visitor): Called<Visitor>,
    JsonBody(OpeningBody(opening)): JsonBody<OpeningBody>,
) -> ApiResult {
    let id = open_debate(&shared, visitor, opening).await?;
    let started = Started { id: id.to_string(), url: format!("/api/v1/debates/{id}"), page: format!("/debates/{id}") };
    let location = [(header::LOCATION, started.url.clone())];
    Ok((StatusCode::CREATED, location, Json(started)).into_response())
}

#[utoipa::path(post, path = "/api/v1/plans", operation_id = "planDebate", tag = "debates",
    request_body = OpeningBody,
    responses((status = 200, description = "The calls and the cost of such a debate, and the data that would leave \
            the machine. Nothing is started or sent", body = Object),
        (status = 424, description = "A model of the line-up is not available; nothing was sent", body = Refused)))]
pub async fn plan_debate(
    Called(shared, visitor): Called<Visitor>,
    JsonBody(OpeningBody(opening)): JsonBody<OpeningBody>,
) -> ApiResult {
    super::json_response(plan_opening(&shared, visitor, opening).await?)
}
