//! The first page: every debate, a search, and a form that starts another.

use agon_core::people::humanize_name;
use agon_formats::page::prose::escape_invisible;
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
    debate::render_day,
    layout,
    start_form::{SubmittedForm, parse_opening, start_form},
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

pub async fn show_debates(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    query: Result<Query<ListFilter>, QueryRejection>,
) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    list_response(&shared, visitor, query, StatusCode::OK, None).await
}

async fn list_response(
    shared: &State,
    visitor: Visitor,
    query: ListFilter,
    status: StatusCode,
    attempt: Option<SubmittedForm>,
) -> Response {
    let drawn = shared.run_blocking(move |shared| {
        let debates = shared.search_for(visitor, &query.q, SHOWN)?;
        Ok(render_debate_list(shared, &debates, &query.q, visitor, attempt.as_ref()))
    });
    match drawn.await {
        Ok(page) => super::page_response(status, page),
        Err(refusal) => super::refusal_page(&refusal),
    }
}

fn render_debate_list(
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
                @for debate in debates { (render_debate_line(shared, debate)) }
                @if debates.len() as u32 == SHOWN { p .more { "The newest " (SHOWN) ". Search to find older ones." } }
            }
            section .start aria-labelledby="start-title" {
                h2 #start-title { "Start a debate" }
                @if visitor.may_write { (start_form(shared, attempt)) }
                @else { p .quiet { "To start one here, open the link that " code { "agon serve" } " printed." } }
            }
        }
    };
    layout::render_page("agon", false, body)
}

fn render_debate_line(shared: &RouteContext, debate: &DebateSummary) -> Markup {
    let motion: String = debate.motion.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = motion.chars().take(MOTION_CHARS).collect();
    let more = if short.len() < motion.len() { "…" } else { "" };
    html! {
        article {
            h2 { a href=(format!("/debates/{}", debate.id)) { (escape_invisible(&short)) (more) } }
            p .kicker {
                span { (escape_invisible(&debate.protocol)) }
                @match &debate.outcome {
                    Some(outcome) => span { (escape_invisible(&humanize_name(&outcome.to_lowercase()))) },
                    None if shared.events.is_driven(&debate.id) => span .under-way { "under way" },
                    None => span { "open" },
                }
                (render_day(&debate.opened_at))
            }
        }
    }
}

pub async fn start_debate(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    fields: SubmittedFields,
) -> Response {
    let said = match parse_opening(&fields) {
        Ok(request) if fields.trimmed_value("wants") == Some("plan") => {
            api::plan_opening(&shared, visitor, request).await.map(|planned| planned.text)
        }
        Ok(request) => match api::open_debate(&shared, visitor, request).await {
            Ok(id) => return Redirect::to(&format!("/debates/{id}")).into_response(),
            Err(refusal) => Err(refusal),
        },
        Err(refusal) => Err(refusal),
    };
    let status = said.as_ref().map_or_else(|refusal| refusal.status, |_| StatusCode::OK);
    list_response(&shared, visitor, ListFilter::default(), status, Some(SubmittedForm { fields, said })).await
}
