//! The argument map of a debate, and its report.

use agon_core::{DebateId, Record};
use agon_report::{
    companion,
    graph::{
        Graph, map,
        opinion::{self, Opinion},
    },
    page::prose::escape_invisible,
};
use axum::{
    extract::State as FromState,
    http::{StatusCode, header},
    response::IntoResponse,
};
use maud::{Markup, html};

use super::{DebatePath, PageResult, no_such_debate};
use crate::State;

/// The map with what follows from it, and the way to the report; nothing before anyone has spoken.
pub fn render_map_section(record: &Record, graph: &Graph, id: &DebateId) -> Markup {
    let opinion = Opinion::from_graph(graph);
    html! {
        @if let Some(drawing) = map::draw_map(graph, &opinion) {
            section .part aria-labelledby="map-title" {
                div .head { h2 #map-title { "The argument map" } p { "Each box leads to its entry" } }
                div .content {
                    div .map-frame tabindex="0" role="group" aria-labelledby="map-title" { (drawing) }
                    (map::render_legend(graph, &opinion))
                    @if graph.has_sides() { p .quiet { (escape_invisible(&opinion::describe_agreement(&opinion::find_judgment(record, graph), &opinion))) " " (escape_invisible(&opinion.describe_tally())) } }
                    @if let Some(basis) = &opinion.basis { p .quiet { (escape_invisible(basis)) } }
                }
            }
        }
        p { a href=(format!("/debates/{id}/report")) { "The report on one page" } }
    }
}

/// The report as the file has it, under the policy that it carries.
pub async fn show_report(FromState(shared): FromState<State>, DebatePath(id): DebatePath) -> PageResult {
    let drawn = shared.run_blocking(move |shared| {
        let record = shared.read_shown_record(&id)?;
        let extraction = companion::find_extraction(&record, |id| shared.journal.find_record(id))?;
        let format = agon_report::find_format("report");
        let files = format.map(|format| format.render_in(&record, extraction.as_ref(), "")).unwrap_or_default();
        files.into_iter().find(|file| file.path.ends_with(".html")).map(|file| file.content).ok_or_else(no_such_debate)
    });
    let policy = format!("{}; frame-ancestors 'none'", agon_report::report::html::content_security_policy());
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()), (header::CONTENT_SECURITY_POLICY, policy)];
    Ok((StatusCode::OK, headers, drawn.await?).into_response())
}
