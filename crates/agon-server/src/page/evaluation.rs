//! An evaluation: arms side by side, item by item, each cell with its debate. It follows the run while it grows.

use std::collections::BTreeMap;

use axum::{
    body::Body,
    extract::{
        Path, Query, State as FromState,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use maud::{Markup, html};
use serde::Deserialize;

use super::{layout, prose::visible};
use crate::{
    Refusal, RouteContext, State,
    evaluations::{
        self, CellMark, EvaluationCell, EvaluationError, EvaluationHead, EvaluationIndex, EvaluationRow,
    },
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

pub(super) fn no_such_evaluation() -> Refusal {
    Refusal::new(404, "no_such_evaluation", "Unknown evaluation", "The list shows all evaluations.")
}

impl From<EvaluationError> for Refusal {
    fn from(error: EvaluationError) -> Self {
        match error {
            EvaluationError::Unknown(_) => no_such_evaluation(),
            EvaluationError::Unreadable { .. } => {
                Refusal::new(500, "damaged", error.to_string(), "agon eval says what is wrong with it")
            }
        }
    }
}

pub async fn page(
    FromState(shared): FromState<State>,
    path: Result<Path<String>, PathRejection>,
    query: Result<Query<EvaluationQuery>, QueryRejection>,
) -> Response {
    let Ok(Path(name)) = path else { return super::refused(&no_such_evaluation()) };
    let page = query.map(|Query(query)| query.page).unwrap_or_default().max(1);
    match shared.look(move |shared| draw(shared, &name, page)).await {
        Ok(page) => super::answer(StatusCode::OK, page),
        Err(refusal) => super::refused(&refusal),
    }
}

/// Events for those who watch: the run has grown.
pub async fn events(
    FromState(shared): FromState<State>,
    path: Result<Path<String>, PathRejection>,
    query: Result<Query<WatchQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let name = path.ok().map(|Path(name)| name);
    let Some(name) = name.filter(|name| shared.evaluations.path(name).is_some()) else {
        return super::refused(&no_such_evaluation());
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let known = last.or(query.ok().and_then(|Query(query)| query.after));
    let (runs, hub) = (shared.evaluations.clone(), shared.events.clone());
    let frames = evaluations::follow(runs, name, known, move || hub.has_ended());
    let body = Body::from_stream(frames.map(Ok::<_, std::convert::Infallible>));
    ([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}

/// What is shown of a run, taken out of its index.
struct EvaluationView {
    head: EvaluationHead,
    /// Arms in the order of the report, each with its number in the rows and its counts.
    arms: Vec<(String, Option<usize>, BTreeMap<CellMark, usize>)>,
    rows: Vec<EvaluationRow>,
    items: usize,
    count: usize,
    read: u64,
    fault: Option<String>,
    is_full: bool,
}

impl EvaluationView {
    fn of(head: EvaluationHead, index: &EvaluationIndex, page: usize) -> Self {
        let known = |name: &str| index.arms.iter().position(|arm| arm == name);
        let mut names: Vec<String> = head.arms.iter().map(|arm| arm.name.clone()).collect();
        names.extend(index.arms.iter().filter(|arm| !head.arms.iter().any(|of| of.name == **arm)).cloned());
        names.truncate(ARMS_MAX);
        let arms = names.into_iter().map(|name| {
            let number = known(&name);
            let marks = number.map(|number| index.marks(number)).unwrap_or_default();
            (name, number, marks)
        });
        let from = (page - 1).saturating_mul(ITEMS_A_PAGE);
        Self {
            arms: arms.collect(),
            rows: index.rows.iter().skip(from).take(ITEMS_A_PAGE).cloned().collect(),
            items: index.rows.len(),
            count: index.count(),
            read: index.read,
            fault: index.fault.clone(),
            is_full: index.is_full,
            head,
        }
    }
}

fn draw(shared: &RouteContext, name: &str, page: usize) -> Result<Markup, Refusal> {
    let head = shared.evaluations.head(name)?;
    let view = shared.evaluations.look(name, |index| EvaluationView::of(head, index, page))?;
    let wanted: Vec<&str> = view.rows.iter().map(|row| row.item.as_str()).collect();
    let questions = shared.evaluations.questions(name, &wanted);
    let address = format!("/evaluations/{}", escaped(name));
    let has_report =
        shared.evaluations.path(name).is_some_and(|path| path.join(evaluations::REPORT).is_file());
    let body = html! {
        main #main .evaluation data-live=(format!("{address}/events?after={}", view.read)) {
            header {
                div #state { (state(&view)) }
                h1 { (visible(name)) }
                @if has_report { p { a href=(format!("{address}/report")) { "The report" } } }
            }
            section #result aria-label="Arms" { (arms(&view)) }
            section #items aria-label="Items" { (items(&view, &questions)) (pages(&address, &view, page)) }
            p #announce .unseen role="status" aria-live="polite" {}
        }
    };
    Ok(layout::page(name, true, body))
}

fn state(view: &EvaluationView) -> Markup {
    let selected = view.head.items.as_ref().map(|items| items.selected as usize);
    let wanted = selected.map(|items| items * view.head.arms.len() * view.head.repeat.max(1) as usize);
    html! {
        p .kicker {
            @match wanted {
                Some(wanted) => span { (view.count) " of " (wanted) " observations" },
                None => span { (view.count) " observations" },
            }
            @if let Some(items) = &view.head.items { span { (items.selected) " items of " (visible(&items.file)) } }
            @if wanted.is_some_and(|wanted| view.count < wanted) { span .under-way { "not complete" } }
        }
        @if let Some(fault) = &view.fault { p .doubts { (visible(&super::sentence(fault))) } }
        @if view.is_full { p .doubts { "There are more observations than this page shows." } }
    }
}

/// The arms with the counts of their observations.
fn arms(view: &EvaluationView) -> Markup {
    html! {
        div .wide {
            table {
                thead { tr {
                    th scope="col" { "Arm" }
                    @for mark in CellMark::ALL { th scope="col" { (mark.word()) } }
                    th scope="col" { "share right" }
                } }
                tbody {
                    @for (name, _, marks) in &view.arms {
                        @let count = |mark: CellMark| marks.get(&mark).copied().unwrap_or_default();
                        @let graded = count(CellMark::Right) + count(CellMark::Wrong);
                        tr {
                            th scope="row" { (visible(name)) }
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
fn items(view: &EvaluationView, questions: &BTreeMap<String, String>) -> Markup {
    html! {
        h2 { "Item by item" }
        @if view.rows.is_empty() { p .quiet { "Nothing here yet." } }
        @else {
            div .wide {
                table .cells {
                    thead { tr {
                        th scope="col" { "Item" }
                        th scope="col" { "Right answer" }
                        @for (name, ..) in &view.arms { th scope="col" { (visible(name)) } }
                    } }
                    tbody {
                        @for row in &view.rows {
                            tr {
                                th scope="row" {
                                    (visible(&row.item))
                                    @if let Some(question) = questions.get(&row.item) { small { (visible(&short(question, QUESTION_CHARS))) } }
                                }
                                td { @if let Some(gold) = &row.gold { (visible(&short(gold, ANSWER_CHARS))) } }
                                @for (_, number, _) in &view.arms { td { (cells(row, *number)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What an arm made of an item, once for each repetition.
fn cells(row: &EvaluationRow, arm: Option<usize>) -> Markup {
    let cells = arm.map(|arm| row.cells.range((arm, 0)..=(arm, u32::MAX)).map(|(_, cell)| cell));
    html! { @for cell in cells.into_iter().flatten() { (one(cell)) } }
}

fn one(cell: &EvaluationCell) -> Markup {
    let mark = cell.mark.word();
    // The mark has a word of its own, so that nobody needs to tell colours apart.
    let said = html! { strong { (mark) } " " span .given { (visible(&short(&cell.text, ANSWER_CHARS))) } };
    html! {
        p class=(format!("found {mark}")) title=(visible(&cell.text)) {
            @match cell.debate.as_deref().and_then(|id| agon_core::DebateId::new(id).ok()) {
                Some(id) => a href=(format!("/debates/{id}")) { (said) },
                None => (said),
            }
        }
    }
}

/// The way to the other pages.
fn pages(address: &str, view: &EvaluationView, page: usize) -> Markup {
    let last = view.items.div_ceil(ITEMS_A_PAGE).max(1);
    let to = |number: usize| format!("{address}?page={number}");
    html! {
        @if last > 1 {
            nav .pages aria-label="Pages" {
                @if page > 1 { a rel="prev" href=(to(page.min(last + 1) - 1)) { "Earlier items" } }
                span { "Page " (page) " of " (last) " (" (view.items) " items)" }
                @if page < last { a rel="next" href=(to(page + 1)) { "Later items" } }
            }
        }
    }
}

fn short(text: &str, chars: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= chars {
        return text;
    }
    let kept: String = text.chars().take(chars - 1).collect();
    format!("{kept}…")
}

/// A name as a part of an address.
pub(super) fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
