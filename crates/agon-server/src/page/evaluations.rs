//! The list of evaluations, and the report of one.

use agon_report::page::prose::escape_invisible;
use axum::{
    extract::{Path, State as FromState, rejection::PathRejection},
    http::{StatusCode, header},
    response::IntoResponse,
};
use maud::{Markup, html};

use super::{PageResult, evaluation::escape_path_segment, layout};
use crate::{
    Refusal, State,
    evaluations::{LISTED_MAX, ListedEvaluation, no_such_evaluation},
};

/// What the report may load: nothing but what stands in it, and no script.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

pub async fn show_evaluations(FromState(shared): FromState<State>) -> PageResult {
    let drawn = super::blocking_page(&shared, StatusCode::OK, |shared| {
        let runs = shared.evaluations.list_runs().map_err(|error| {
            let why = format!("the folder of evaluations cannot be read: {error}");
            Refusal::new(500, "io", why, "grant permission, or choose another folder with --evaluations")
        })?;
        Ok(render_evaluations(&runs))
    });
    drawn.await
}

fn render_evaluations(runs: &[ListedEvaluation]) -> Markup {
    let body = html! {
        main #main .home {
            h1 { "Evaluations" }
            section .list aria-label="Evaluations" {
                @if runs.is_empty() {
                    p .quiet { "No evaluations here. " code { "agon eval" } " makes them." }
                }
                @for run in runs { (render_run_line(run)) }
                @if runs.len() == LISTED_MAX { p .more { "The newest " (LISTED_MAX) "." } }
            }
        }
    };
    layout::render_page("Evaluations", false, body)
}

fn render_run_line(run: &ListedEvaluation) -> Markup {
    html! {
        article {
            h2 { a href=(format!("/evaluations/{}", escape_path_segment(&run.name))) { (escape_invisible(&run.name)) } }
            p .kicker {
                @match &run.manifest {
                    None => span { "run.json cannot be read" },
                    Some(head) => {
                        @if let Some(items) = &head.items { span { (items.selected) " items of " (escape_invisible(&items.file)) } }
                        @else { span { "imported" } }
                        @if !head.arms.is_empty() { span { (head.arms.len()) " arms" } }
                    }
                }
            }
        }
    }
}

/// The report as its file has it.
pub async fn show_evaluation_report(
    FromState(shared): FromState<State>,
    path: Result<Path<String>, PathRejection>,
) -> PageResult {
    let Path(name) = path.map_err(|_| no_such_evaluation())?;
    let read = shared.run_blocking(move |shared| {
        shared.evaluations.load_report(&name).ok_or_else(|| {
            let remedy = "agon eval report draws it";
            Refusal::new(404, "no_report", "This evaluation has no report yet", remedy)
        })
    });
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((StatusCode::OK, headers, read.await?).into_response())
}
