//! An evaluation: arms side by side, item by item, each cell with its debate. It follows the run while it grows.

use std::collections::BTreeMap;

use agon_app::evaluation::run_folder::RunManifest;
use agon_report::{graph::shorten_text, page::prose::escape_invisible};
use axum::{
    body::Body,
    extract::{Path, State as FromState, rejection::PathRejection},
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
};
use futures::StreamExt;
use maud::{Markup, html};
use serde::Deserialize;

use super::{PageQuery, PageResult, layout};
use crate::{
    Refusal, RouteContext, State,
    evaluations::{self, CellMark, EvaluationCell, EvaluationIndex, EvaluationRow, no_such_evaluation},
};

/// Items on a page.
const ITEMS_A_PAGE: usize = 100;
/// Longest question, and longest answer of a cell, in characters.
const QUESTION_CHARS: usize = 160;
const ANSWER_CHARS: usize = 40;
/// Most arms side by side; a run has fewer.
const ARMS_MAX: usize = 40;

/// Which items are shown.
#[derive(Default, Deserialize)]
pub struct EvaluationQuery {
    /// From 1.
    #[serde(default)]
    page: usize,
}

/// How much a watcher has seen.
#[derive(Default, Deserialize)]
pub struct WatchQuery {
    /// Bytes of the observations.
    after: Option<u64>,
}

pub async fn show_evaluation(
    FromState(shared): FromState<State>,
    path: Result<Path<String>, PathRejection>,
    PageQuery(query): PageQuery<EvaluationQuery>,
) -> PageResult {
    let Path(name) = path.map_err(|_| no_such_evaluation())?;
    super::blocking_page(&shared, StatusCode::OK, move |shared| render_evaluation(shared, &name, query.page.max(1)))
        .await
}

/// Events for those who watch: the run has grown.
pub async fn watch_evaluation(
    FromState(shared): FromState<State>,
    path: Result<Path<String>, PathRejection>,
    PageQuery(query): PageQuery<WatchQuery>,
    headers: HeaderMap,
) -> PageResult {
    let name = path.ok().map(|Path(name)| name);
    let name = name.filter(|name| shared.evaluations.find_run_folder(name).is_some());
    let name = name.ok_or_else(no_such_evaluation)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let known = last.or(query.after);
    let (runs, hub) = (shared.evaluations.clone(), shared.events.clone());
    let frames = evaluations::follow_run(runs, name, known, move || hub.has_ended());
    let body = Body::from_stream(frames.map(Ok::<_, std::convert::Infallible>));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, body).into_response())
}

/// What is shown of a run.
struct EvaluationView<'v> {
    manifest: &'v RunManifest,
    index: &'v EvaluationIndex,
    /// Arms in the order of the report, each with its number in the rows.
    arms: Vec<(&'v str, Option<usize>)>,
    rows: &'v [EvaluationRow],
    /// By item.
    questions: &'v BTreeMap<String, String>,
}

/// The rows of a page.
fn rows_of(index: &EvaluationIndex, page: usize) -> &[EvaluationRow] {
    let from = (page - 1).saturating_mul(ITEMS_A_PAGE).min(index.rows.len());
    &index.rows[from..index.rows.len().min(from + ITEMS_A_PAGE)]
}

/// Those of the report, then others that were observed.
fn arms_of<'v>(manifest: &'v RunManifest, index: &'v EvaluationIndex) -> Vec<(&'v str, Option<usize>)> {
    let planned: Vec<&str> = manifest.arms.iter().map(|arm| arm.name.as_str()).collect();
    let others = index.arms.iter().map(String::as_str).filter(|arm| !planned.contains(arm));
    let number = |name: &str| index.arms.iter().position(|arm| arm == name);
    planned.iter().copied().chain(others).take(ARMS_MAX).map(|name| (name, number(name))).collect()
}

fn render_evaluation(shared: &RouteContext, name: &str, page: usize) -> Result<Markup, Refusal> {
    let runs = &shared.evaluations;
    let manifest = runs.load_manifest(name)?;
    let items_of = |index: &EvaluationIndex| rows_of(index, page).iter().map(|row| row.item.clone()).collect();
    let wanted: Vec<String> = runs.with_index(name, items_of)?;
    let questions = &runs.find_questions(name, &wanted);
    let address = format!("/evaluations/{}", escape_path_segment(name));
    let has_report = runs.find_run_folder(name).is_some_and(|path| path.join(evaluations::REPORT).is_file());
    let body = runs.with_index(name, |index| {
        let (arms, rows) = (arms_of(&manifest, index), rows_of(index, page));
        let view = EvaluationView { manifest: &manifest, index, arms, rows, questions };
        html! {
            main #main .evaluation data-live=(format!("{address}/events?after={}", index.read)) {
                header {
                    div #state { (render_state(&view)) }
                    h1 { (escape_invisible(name)) }
                    @if has_report { p { a href=(format!("{address}/report")) { "The report" } } }
                }
                section #result aria-label="Arms" { (arms_table(&view)) }
                section #items aria-label="Items" { (render_items(&view)) (render_page_links(&address, index.rows.len(), page)) }
                p #announce .unseen role="status" aria-live="polite" {}
            }
        }
    })?;
    Ok(layout::render_page(name, true, body))
}

fn render_state(view: &EvaluationView) -> Markup {
    let EvaluationView { manifest, index, .. } = view;
    let selected = manifest.items.as_ref().map(|items| items.selected as usize);
    let wanted = selected.map(|items| items * manifest.arms.len() * manifest.repeat.max(1) as usize);
    let count = index.count_observations();
    html! {
        p .kicker {
            @match wanted {
                Some(wanted) => span { (count) " of " (wanted) " observations" },
                None => span { (count) " observations" },
            }
            @if let Some(items) = &manifest.items { span { (items.selected) " items of " (escape_invisible(&items.file)) } }
            @if wanted.is_some_and(|wanted| count < wanted) { span .under-way { "not complete" } }
        }
        @if let Some(fault) = &index.fault { p .doubts { (escape_invisible(&super::to_sentence(fault))) } }
        @if index.is_full { p .doubts { "There are more observations than this page shows." } }
    }
}

/// The arms with the counts of their observations.
fn arms_table(view: &EvaluationView) -> Markup {
    html! {
        div .wide tabindex="0" role="region" aria-label="Table of the arms" {
            table {
                thead { tr {
                    th scope="col" { "Arm" }
                    @for mark in CellMark::ALL { th scope="col" { (mark.word()) } }
                    th scope="col" { "share right" }
                } }
                tbody {
                    @for (name, number) in &view.arms {
                        @let marks = number.map(|number| view.index.count_marks(number)).unwrap_or_default();
                        @let count = |mark: CellMark| marks.get(&mark).copied().unwrap_or_default();
                        @let graded = count(CellMark::Right) + count(CellMark::Wrong);
                        tr {
                            th scope="row" { (escape_invisible(name)) }
                            @for mark in CellMark::ALL { td { (count(mark)) } }
                            td { @if graded > 0 { (format!("{:.1} %", 100.0 * count(CellMark::Right) as f64 / graded as f64)) } @else { "–" } }
                        }
                    }
                }
            }
        }
    }
}

/// A row for each item, with a cell for each arm.
fn render_items(view: &EvaluationView) -> Markup {
    html! {
        h2 { "Item by item" }
        @if view.rows.is_empty() { p .quiet { "Nothing here yet." } }
        @else {
            div .wide tabindex="0" role="region" aria-label="Table of the items" {
                table .cells {
                    thead { tr {
                        th scope="col" { "Item" }
                        th scope="col" { "Right answer" }
                        @for (name, _) in &view.arms { th scope="col" { (escape_invisible(name)) } }
                    } }
                    tbody {
                        @for row in view.rows {
                            tr {
                                th scope="row" {
                                    (escape_invisible(&row.item))
                                    @if let Some(question) = view.questions.get(&row.item) { small { (escape_invisible(&shorten_text(question, QUESTION_CHARS))) } }
                                }
                                td { @if let Some(gold) = &row.gold { (escape_invisible(&shorten_text(gold, ANSWER_CHARS))) } }
                                @for (_, number) in &view.arms { td { (render_cells(row, *number)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What an arm made of an item, once for each repetition.
fn render_cells(row: &EvaluationRow, arm: Option<usize>) -> Markup {
    let cells = arm.map(|arm| row.cells.range((arm, 0)..=(arm, u32::MAX)).map(|(_, cell)| cell));
    html! { @for cell in cells.into_iter().flatten() { (render_cell(cell)) } }
}

fn render_cell(cell: &EvaluationCell) -> Markup {
    let mark = cell.mark.word();
    // The mark has a word of its own, so that nobody needs to tell colours apart.
    let said =
        html! { strong { (mark) } " " span .given { (escape_invisible(&shorten_text(&cell.text, ANSWER_CHARS))) } };
    html! {
        p class=(format!("found {mark}")) title=(escape_invisible(&cell.text)) {
            @match cell.debate.as_deref().and_then(|id| agon_core::DebateId::new(id).ok()) {
                Some(id) => a href=(format!("/debates/{id}")) { (said) },
                None => (said),
            }
        }
    }
}

/// The way to the other pages.
fn render_page_links(address: &str, items: usize, page: usize) -> Markup {
    let last = items.div_ceil(ITEMS_A_PAGE).max(1);
    let to = |number: usize| format!("{address}?page={number}");
    html! {
        @if last > 1 {
            nav .pages aria-label="Pages" {
                @if page > 1 { a rel="prev" href=(to(page.min(last + 1) - 1)) { "Earlier items" } }
                span { "Page " (page) " of " (last) " (" (items) " items)" }
                @if page < last { a rel="next" href=(to(page + 1)) { "Later items" } }
            }
        }
    }
}

/// A name as a part of an address.
pub(super) fn escape_path_segment(name: &str) -> String {
    escape_bytes(name, b"-._~")
}

/// `text` as a part of an address, in which letters, digits and the `plain` bytes stay as they are.
pub(super) fn escape_bytes(text: &str, plain: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
