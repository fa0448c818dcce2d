//! The first page: every debate, a search, and a form that starts another.

use agon_core::people::spoken;
use agon_formats::page::prose::visible;
use agon_journal::DebateSummary;
use axum::{
    Extension,
    extract::{Query, State as FromState, rejection::QueryRejection},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    SubmittedFields,
    debate::day,
    layout,
    start_form::{SubmittedForm, start_form, wanted},
};
use crate::{RouteContext, State, api, visitor::Visitor};

/// Debates on the page.
const SHOWN: u32 = 100;
/// Longest motion in the list, in characters.
const MOTION_CHARS: usize = 180;

/// What the list is narrowed by.
#[derive(Default, Deserialize)]
pub struct ListFilter {
    #[serde(default)]
    q: String,
}

pub async fn page(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    query: Result<Query<ListFilter>, QueryRejection>,
) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    respond(&shared, visitor, query, StatusCode::OK, None).await
}

async fn respond(
    shared: &State,
    visitor: Visitor,
    query: ListFilter,
    status: StatusCode,
    attempt: Option<SubmittedForm>,
) -> Response {
    let drawn = shared.look(move |shared| {
        let debates = shared.search_for(visitor, &query.q, SHOWN)?;
        Ok(draw(shared, &debates, &query.q, visitor, attempt.as_ref()))
    });
    match drawn.await {
        Ok(page) => super::answer(status, page),
        Err(refusal) => super::refused(&refusal),
    }
}

fn draw(
    shared: &RouteContext,
    debates: &[DebateSummary],
    q: &str,
    visitor: Visitor,
    attempt: Option<&SubmittedForm>,
) -> Markup {
    let body = html! {
        main #main .home {
            h1 { "Debates" }
            @if visitor.may_write { p .jump { a href="#start-title" { "Start a debate" } } }
            form .search method="get" action="/" role="search" {
                label .unseen for="q" { "Words of a motion or of a statement" }
                input type="search" id="q" name="q" value=(q) placeholder="Motions and statements";
                button type="submit" { "Search" }
            }
            section .list aria-label="Debates" {
                @if debates.is_empty() {
                    p .quiet { @if q.is_empty() { "No debates yet." } @else { "No debate contains all of these words." } }
                }
                @for debate in debates { (line(shared, debate)) }
                @if debates.len() as u32 == SHOWN { p .more { "The newest " (SHOWN) ". Search to find older ones." } }
            }
            section .start aria-labelledby="start-title" {
                h2 #start-title { "Start a debate" }
                @if visitor.may_write { (start_form(shared, attempt)) }
                @else { p .quiet { "To start one here, open the link that " code { "agon serve" } " printed." } }
            }
        }
    };
    layout::page("agon", false, body)
}

fn line(shared: &RouteContext, debate: &DebateSummary) -> Markup {
    let motion: String = debate.motion.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = motion.chars().take(MOTION_CHARS).collect();
    let more = if short.len() < motion.len() { "…" } else { "" };
    html! {
        article {
            h2 { a href=(format!("/debates/{}", debate.id)) { (visible(&short)) (more) } }
            p .kicker {
                span { (visible(&debate.protocol)) }
                @match &debate.outcome {
                    Some(outcome) => span { (visible(&spoken(&outcome.to_lowercase()))) },
                    None if shared.events.is_driven(&debate.id) => span .under-way { "under way" },
                    None => span { "open" },
                }
                (day(&debate.opened_at))
            }
        }
    }
}

pub async fn start(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    fields: SubmittedFields,
) -> Response {
    let said = match wanted(&fields) {
        Ok(request) if fields.get("wants") == Some("plan") => {
            api::planned(&shared, visitor, request).await.map(|planned| planned.text)
        }
        Ok(request) => match api::open(&shared, visitor, request).await {
            Ok(id) => return Redirect::to(&format!("/debates/{id}")).into_response(),
            Err(refusal) => Err(refusal),
        },
        Err(refusal) => Err(refusal),
    };
    let status = said.as_ref().map_or_else(|refusal| refusal.status, |_| StatusCode::OK);
    respond(&shared, visitor, ListFilter::default(), status, Some(SubmittedForm { fields, said })).await
}
