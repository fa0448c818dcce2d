//! Reading debates: the list, one debate, its entries, events and scores; and the protocols.

use agon_core::{Record, RulingKind, View};
use agon_protocols::common::struck_text::Withheld;
use agon_report::participation;
use axum::{
    body::Body,
    extract::State as FromState,
    http::{HeaderMap, header},
    response::IntoResponse,
};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::json;

use super::{
    ApiResult,
    input::{At, PathParams, QueryParams},
    shape::{Debate, Entries, Listed, ScoreRuling, Scores, Seated},
};
use crate::{
    Refusal, State, redaction,
    visitor::{Called, Visitor},
};

/// Default number of debates in a list.
const LIST: u32 = 50;
/// Maximum number of debates in a list.
pub(crate) const LIST_MAX: u32 = 500;
/// Default number of entries in a response.
const ENTRIES: u64 = 200;
/// Maximum number of entries in a response.
const ENTRIES_MAX: u64 = 1000;

/// Filters of the list of debates.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Words that must all occur in the motion or the statements; the search uses the first eight.
    q: Option<String>,
    /// Maximum number of debates to list.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

#[utoipa::path(get, path = "/api/v1/debates", operation_id = "listDebates", tag = "debates", params(ListQuery),
    responses((status = 200, description = "The debates, newest first", body = Vec<Listed>)))]
pub async fn list_debates(
    Called(shared, visitor): Called<Visitor>,
    QueryParams(query): QueryParams<ListQuery>,
) -> ApiResult {
    let limit = query.limit.unwrap_or(LIST);
    check_limit(limit.into(), LIST_MAX.into())?;
    let listed = shared.run_blocking(move |shared| {
        let found = shared.search_for(visitor, query.q.as_deref().unwrap_or_default(), limit)?;
        Ok(found.debates.into_iter().map(Listed::from).collect::<Vec<_>>())
    });
    super::json_response(listed.await?)
}

fn check_limit(limit: u64, most: u64) -> Result<(), Refusal> {
    let why = || format!("limit={limit} is not between 1 and {most}");
    let fits = (1..=most).contains(&limit);
    fits.then_some(()).ok_or_else(|| Refusal::malformed(why(), "choose a limit in this range"))
}

#[utoipa::path(get, path = "/api/v1/protocols", operation_id = "listProtocols", tag = "debates",
    responses((status = 200, description = "The protocols: seats, rounds, prompts", body = Vec<Object>)))]
pub async fn list_protocols(FromState(shared): FromState<State>) -> ApiResult {
    super::json_response(shared.run_blocking(|shared| Ok(shared.list_protocols())).await?)
}

#[utoipa::path(get, path = "/api/v1/debates/{id}", operation_id = "showDebate", tag = "debates",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "The current state of the debate", body = Debate)))]
pub async fn show_debate(FromState(shared): FromState<State>, at: PathParams) -> ApiResult {
    let debate = shared.run_blocking(move |shared| {
        let record = shared.read_shown_record(&at.id)?;
        Ok(Debate {
            opened: record.opened().clone(),
            opened_at: record.entries().first().map(|entry| entry.at.0.clone()).unwrap_or_default(),
            seats: list_seats(&record),
            phase: current_phase(&record).map(str::to_owned),
            entries: record.len(),
            head: record.head_hash().clone(),
            closed: record.closing_outcome().is_some(),
            outcome: record.latest_outcome().cloned(),
            usage: shared.journal.sum_usage(&at.id)?.into(),
            driven: shared.events.is_driven(&at.id),
            stopped: shared.events.find_stop_reason(&at.id),
        })
    });
    super::json_response(debate.await?)
}

fn list_seats(record: &Record) -> Vec<Seated> {
    let seats = participation::list_seat_summaries(record).into_iter().map(|sat| Seated {
        name: sat.title().to_owned(),
        seat: sat.seat,
        asked: sat.asked,
        answered: sat.answered.into_iter().collect(),
    });
    seats.collect()
}

/// The current phase of a debate, as its protocol names it.
pub(crate) fn current_phase(record: &Record) -> Option<&str> {
    let phases = View::of_whole_record(record).rulings_of_kind(RulingKind::Phase).last();
    phases.map(|(_, ruling)| ruling.text.as_str())
}

/// A range of entries.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EntriesQuery {
    /// Number of the first entry; entries count from 0.
    #[serde(default, deserialize_with = "super::input::deserialize_whole_number")]
    #[param(minimum = 0)]
    from: u64,
    /// Maximum number of entries.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u64>,
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/entries", operation_id = "listEntries", tag = "debates",
    params(("id" = String, Path, description = "The debate"), EntriesQuery),
    responses((status = 200, description = "Entries of the record", body = Entries)))]
pub async fn list_entries(At(shared, _, at): At, QueryParams(query): QueryParams<EntriesQuery>) -> ApiResult {
    let limit = query.limit.unwrap_or(ENTRIES);
    check_limit(limit, ENTRIES_MAX)?;
    let entries = shared.run_blocking(move |shared| {
        let record = shared.read_readable_record(&at.id)?;
        let from = query.from.min(record.len());
        let next = from.saturating_add(limit).min(record.len());
        let part = &record.entries()[from as usize..next as usize];
        let withheld = Withheld::from_record(&record);
        let entries =
            part.iter().map(|entry| json!(redaction::render_served_entry(&record, &withheld, entry))).collect();
        Ok(Entries { entries, next, length: record.len() })
    });
    super::json_response(entries.await?)
}

/// Where an event stream starts.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// The last entry that you already have. The header `Last-Event-ID` has the same meaning and takes
    /// precedence.
    #[param(minimum = 0)]
    #[serde(default, deserialize_with = "super::input::maybe_whole")]
    after: Option<u64>,
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/events", operation_id = "watchDebate", tag = "debates",
    params(("id" = String, Path, description = "The debate"), EventsQuery,
        ("Last-Event-ID" = Option<u64>, Header, description = "The last entry that you already have")),
    responses((status = 200, description = "An unlimited stream of server-sent events: `entry` (its id is the entry's number), \
            `delta` (text of an answer in progress), `notice` and `stopped`", body = String, content_type = "text/event-stream")))]
pub async fn watch_debate(
    At(shared, _, at): At,
    QueryParams(query): QueryParams<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult {
    let after = match headers.get("last-event-id") {
        None => query.after,
        Some(id) => {
            let id = id.to_str().ok().and_then(|id| id.trim().parse().ok());
            Some(id.ok_or_else(|| Refusal::malformed("Last-Event-ID is not the number of an entry", "omit it"))?)
        }
    };
    let frames = shared.events.watch_debate(&at.id, after).await?;
    let body = Body::from_stream(frames.map(Ok::<_, std::convert::Infallible>));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, body).into_response())
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/scores", operation_id = "showScores", tag = "debates",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "Its scores; empty if its protocol gives none", body = Scores)))]
pub async fn show_scores(FromState(shared): FromState<State>, at: PathParams) -> ApiResult {
    let scores = shared.run_blocking(move |shared| {
        let record = shared.read_shown_record(&at.id)?;
        let scored = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored);
        let rulings = scored.map(|(seq, key, ruling)| ScoreRuling {
            seq,
            key: key.to_string(),
            text: ruling.text.clone(),
            data: json!(ruling.export_data()),
        });
        let figures = record.latest_outcome().map(|outcome| outcome.figures.clone()).unwrap_or_default();
        Ok(Scores { rulings: rulings.collect(), figures })
    });
    super::json_response(scores.await?)
}
