//! Seats that are answered from outside: claim, refresh, release, answer, by the rules and with the
//! words of `agon_runtime::outside_seats`.

use agon_core::{Key, Seat};
use agon_journal::leases::{LEASE_SECONDS, Receipt};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ApiResult,
    input::{At, JsonBody},
    shape::{ClaimLine, LeaseLine, Message, OpenRequest, Prompt, ReceiptLine, Refused, SeatPath, SeatRefused},
};
use crate::{Refusal, authorization::Permission, guard, requests};

/// A claim of a seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimBody {
    /// Your name, as shown to readers.
    #[schema(min_length = 1, max_length = 80)]
    holder: String,
    /// Duration of the claim in seconds.
    #[serde(default = "lease_seconds")]
    #[schema(minimum = 1, maximum = 3600)]
    seconds: u32,
}

/// A request to extend a claim.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefreshBody {
    /// The token of the claim.
    token: String,
    /// New duration in seconds, from now.
    #[serde(default = "lease_seconds")]
    #[schema(minimum = 1, maximum = 3600)]
    seconds: u32,
}

/// A request to release a seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseBody {
    /// The token of the claim.
    token: String,
}

/// An answer for a seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerBody {
    /// The token of the claim.
    token: String,
    /// The key of the request that it answers. Without it, the newest open request of the seat; only with it can the
    /// same answer be sent again safely.
    #[schema(max_length = 200)]
    key: Option<String>,
    /// The answer: prose, or JSON by the schema of the prompt.
    #[schema(min_length = 1)]
    text: String,
}

/// A lookup for what a seat is asked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupBody {
    /// What to do: `search` or `read` the material, `open` a page, `find` pages.
    #[schema(pattern = "^(search|read|open|find)$")]
    tool: String,
    /// Words, a path, an address, or what to search for.
    #[schema(min_length = 1, max_length = 2000)]
    object: String,
    /// From this line of the file, or this character of the page.
    #[schema(minimum = 1)]
    first: Option<u32>,
    /// To this line of the file.
    #[schema(minimum = 1)]
    last: Option<u32>,
}

/// What a lookup showed.
#[derive(Serialize, ToSchema)]
pub struct LookupShown {
    /// What was found, or why there is nothing.
    shown: String,
}

fn lease_seconds() -> u32 {
    LEASE_SECONDS
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/requests", operation_id = "listRequests", tag = "seats",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "The open requests, and who holds the seats", body = Vec<OpenRequest>)))]
pub async fn list_requests(At(shared, visitor, at): At) -> ApiResult {
    let open = shared.run_blocking(move |shared| {
        let mut record = shared.read_whole_record(&at.id)?;
        let open = requests::list_open_requests(&shared.journal, &mut record)?;
        let open = open.into_iter().map(|open| {
            let of = open.request.redraft.as_ref().map(|redraft| &redraft.of);
            let is_redacted = of.is_some_and(|of| record.redaction_seq(of).is_some());
            // Faults quote what the seat said.
            let seat = Some(open.request.seat.as_str());
            let is_own = shared.is_permitted(visitor, Permission::Prompt, &at.id, seat)?;
            Ok(OpenRequest::new(open, is_redacted || !is_own))
        });
        open.collect::<Result<Vec<_>, Refusal>>()
    });
    super::json_response(open.await?)
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/seats/{seat}/prompt", operation_id = "showPrompt", tag = "seats",
    params(SeatPath),
    responses((status = 200, description = "The open request of the seat", body = Prompt),
        (status = 404, description = "No such debate or seat", body = Refused),
        (status = 409, description = "The seat has no open request (not_open)", body = Refused),
        (status = 410, description = "The debate is closed", body = Refused)))]
pub async fn show_prompt(At(shared, visitor, at): At) -> ApiResult {
    // Where there are accounts, the table has decided.
    if shared.accounts.is_none() && !visitor.may_write {
        return Err(guard::token_needed("reading what a seat is asked"));
    }
    let seats = shared.find_outside_seats(&at.id)?;
    let record = shared.read_whole_record(&at.id)?;
    let no_such_seat = || {
        let why = format!("{} has no seat {}", at.id, at.seat.chars().take(80).collect::<String>());
        Refusal::new(404, "no_such_seat", why, "the debate's line-up names its seats")
    };
    let sat = record.opened().lineup.iter().find(|sat| sat.seat.as_str() == at.seat);
    let seat: Seat = sat.map(|sat| sat.seat.clone()).ok_or_else(no_such_seat)?;
    let (open, messages, schema) = seats.find_prompt(&seat, None).await?;
    let messages = messages.into_iter().map(|message| Message { role: message.role.name().into(), text: message.text });
    super::json_response(Prompt { key: open.request.key.to_string(), messages: messages.collect(), schema })
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/seats/{seat}/claim", operation_id = "claimSeat", tag = "seats",
    params(SeatPath), request_body = ClaimBody,
    responses((status = 200, description = "The lease, with the token that proves it", body = ClaimLine), SeatRefused))]
pub async fn claim_seat(At(shared, visitor, at): At, JsonBody(body): JsonBody<ClaimBody>) -> ApiResult {
    let claim =
        shared.find_outside_seats(&at.id)?.claim_seat(&at.seat, visitor.claimant(&body.holder), body.seconds).await?;
    super::json_response(ClaimLine::from(claim))
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/seats/{seat}/refresh", operation_id = "refreshSeat", tag = "seats",
    params(SeatPath), request_body = RefreshBody,
    responses((status = 200, description = "The lease", body = LeaseLine), SeatRefused))]
pub async fn refresh_seat(At(shared, visitor, at): At, JsonBody(body): JsonBody<RefreshBody>) -> ApiResult {
    shared.check_claim_holder(visitor, &at.id, &at.seat)?;
    let lease = shared.find_outside_seats(&at.id)?.renew_lease(&at.seat, &body.token, body.seconds).await?;
    super::json_response(LeaseLine::from(lease))
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/seats/{seat}/release", operation_id = "releaseSeat", tag = "seats",
    params(SeatPath), request_body = ReleaseBody,
    responses((status = 200, description = "The lease, ended", body = LeaseLine), SeatRefused))]
pub async fn release_seat(At(shared, visitor, at): At, JsonBody(body): JsonBody<ReleaseBody>) -> ApiResult {
    shared.check_claim_holder(visitor, &at.id, &at.seat)?;
    let lease = shared.find_outside_seats(&at.id)?.release_seat(&at.seat, &body.token).await?;
    super::json_response(LeaseLine::from(lease))
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/seats/{seat}/answer", operation_id = "answerSeat", tag = "seats",
    params(SeatPath), request_body = AnswerBody,
    responses((status = 200, description = "The receipt; the same for the same text sent again with its key", body = ReceiptLine), SeatRefused))]
pub async fn answer_seat(At(shared, visitor, at): At, JsonBody(body): JsonBody<AnswerBody>) -> ApiResult {
    shared.check_claim_holder(visitor, &at.id, &at.seat)?;
    let seats = shared.find_outside_seats(&at.id)?;
    let asked = body.key.as_deref().map(Key::from_parts);
    let Receipt { key, seq, digest } = seats.answer(asked.as_ref(), &at.seat, &body.token, &body.text).await?;
    shared.events.refresh_debate(&at.id);
    super::json_response(ReceiptLine { key: key.to_string(), seq, digest: digest.to_string() })
}

#[utoipa::path(post, path = "/api/v1/debates/{id}/seats/{seat}/lookup", operation_id = "lookUp", tag = "seats",
    params(SeatPath), request_body = LookupBody,
    responses((status = 200, description = "What was found; it goes onto the record with the seat's answer", body = LookupShown), SeatRefused))]
pub async fn look_up(At(shared, visitor, at): At, JsonBody(body): JsonBody<LookupBody>) -> ApiResult {
    shared.check_claim_holder(visitor, &at.id, &at.seat)?;
    let LookupBody { tool, object, first, last } = body;
    let shown = shared.look_up_for_seat(&at.id, &at.seat, &tool, &object, (first, last)).await?;
    super::json_response(LookupShown { shown })
}
