//! The first page: every debate, a search, and a form that starts another.

use std::collections::BTreeMap;

use agon_core::MotionKind;
use agon_runtime::journal::Summary;
use axum::{
    Extension,
    extract::{Query, State as FromState, rejection::QueryRejection},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{Fields, complaint, debate::day, layout, prose::visible, speech::title};
use crate::{Opening, Refusal, Shared, State, api, guard::Visitor};

/// Debates on the page.
const SHOWN: u32 = 100;
/// Longest motion in the list, in characters.
const MOTION_CHARS: usize = 180;

/// A form that was sent and that the page shows again: why it was refused, or what it would cost.
struct Attempt {
    fields: Fields,
    said: Result<String, Refusal>,
}

/// What the list is narrowed by.
#[derive(Default, Deserialize)]
pub struct ListQuery {
    #[serde(default)]
    q: String,
}

pub async fn page(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    respond(&shared, visitor, query, StatusCode::OK, None).await
}

async fn respond(
    shared: &State,
    visitor: Visitor,
    query: ListQuery,
    status: StatusCode,
    attempt: Option<Attempt>,
) -> Response {
    let drawn = shared.look(move |shared| {
        let debates = shared.search(&query.q, SHOWN)?;
        Ok(draw(shared, &debates, &query.q, visitor, attempt.as_ref()))
    });
    match drawn.await {
        Ok(page) => super::answer(status, page),
        Err(refusal) => super::refused(&refusal),
    }
}

fn draw(
    shared: &Shared,
    debates: &[Summary],
    q: &str,
    visitor: Visitor,
    attempt: Option<&Attempt>,
) -> Markup {
    let body = html! {
        main #main .home {
            h1 { "Debates" }
            @if visitor.may_write { p .jump { a href="#start-title" { "Start a debate" } } }
            form .search method="get" action="/" role="search" {
                label .unseen for="q" { "Words of a motion, or of what was said" }
                input type="search" id="q" name="q" value=(q) placeholder="Motions and statements";
                button type="submit" { "Search" }
            }
            section .list aria-label="Debates" {
                @if debates.is_empty() {
                    p .quiet { @if q.is_empty() { "No debates yet." } @else { "No debate has all of these words." } }
                }
                @for debate in debates { (line(shared, debate)) }
                @if debates.len() as u32 == SHOWN { p .more { "The newest " (SHOWN) ". A search finds the others." } }
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

fn line(shared: &Shared, debate: &Summary) -> Markup {
    let motion: String = debate.motion.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = motion.chars().take(MOTION_CHARS).collect();
    let more = if short.len() < motion.len() { "…" } else { "" };
    html! {
        article {
            h2 { a href=(format!("/debates/{}", debate.id)) { (visible(&short)) (more) } }
            p .kicker {
                span { (visible(&debate.protocol)) }
                @match &debate.outcome {
                    Some(outcome) => span { (visible(&title(&outcome.to_lowercase()))) },
                    None if shared.events.is_driven(&debate.id) => span .under-way { "under way" },
                    None => span { "open" },
                }
                (day(&debate.opened_at))
            }
        }
    }
}

fn start_form(shared: &Shared, attempt: Option<&Attempt>) -> Markup {
    let kept =
        |name: &str| attempt.and_then(|attempt| attempt.fields.get(name)).unwrap_or_default().to_owned();
    let text = |name: &str, label: &str, hint: &str| {
        html! {
            div .field {
                label for=(format!("start-{name}")) { (label) @if !hint.is_empty() { " " small { (hint) } } }
                input type="text" id=(format!("start-{name}")) name=(name) autocomplete="off" value=(kept(name));
            }
        }
    };
    let lines = |name: &str, label: &str, hint: &str| {
        html! {
            div .field {
                label for=(format!("start-{name}")) { (label) " " small { (hint) } }
                textarea id=(format!("start-{name}")) name=(name) rows="3" { "\n" (kept(name)) }
            }
        }
    };
    let choice = |name: &str, label: &str, hint: &str, words: &[(&str, &str)]| {
        html! {
            div .field {
                label for=(format!("start-{name}")) { (label) " " small { (hint) } }
                select id=(format!("start-{name}")) name=(name) {
                    option value="" { "as the protocol has it" }
                    @for (word, about) in words { option value=(word) selected[kept(name) == *word] { (about) } }
                }
            }
        }
    };
    let switch = |name: &str, label: &str| {
        html! {
            label .switch { input type="checkbox" name=(name) value="yes" checked[!kept(name).is_empty()]; " " (label) }
        }
    };
    let filled = |names: &[&str]| names.iter().any(|name| !kept(name).is_empty());
    html! {
        form method="post" action="/debates" {
            @match attempt.map(|attempt| &attempt.said) {
                Some(Err(refusal)) => (complaint(refusal)),
                Some(Ok(plan)) => div .plan role="status" {
                    h3 { "What it would ask and cost" }
                    @for line in plan.lines() { p .inner[line.starts_with(' ')] { (visible(line.trim())) } }
                },
                None => {},
            }
            div .field {
                label for="start-motion" { "Motion" }
                textarea id="start-motion" name="motion" rows="4" required placeholder="This house would …" { "\n" (kept("motion")) }
            }
            div .field {
                label for="start-protocol" { "Protocol" }
                select id="start-protocol" name="protocol" {
                    // A debate about a file is started where the file is.
                    @for kind in shared.kinds().iter().filter(|kind| kind.motion == MotionKind::Text) {
                        option value=(kind.name) selected[kept("protocol") == kind.name] { (visible(&kind.name)) ": " (visible(&kind.summary)) }
                    }
                }
            }
            div .field {
                label for="start-model" { "Model " small { "at every seat; empty for the configured one" } }
                input type="text" id="start-model" name="model" list="models" autocomplete="off" value=(kept("model"));
                datalist id="models" { @for model in &shared.models { option value=(model) {} } }
            }
            (text("rounds", "Rounds", "empty for the protocol's own"))
            details open[filled(&["seats", "definitions", "scope", "max_requests", "max_tokens", "max_cost", "max_time"])] {
                summary { "Seats and limits" }
                (lines("seats", "Seats", "one a line, as judge=MODEL"))
                (lines("definitions", "Definitions", "exchange; one a line, as TERM=MEANING"))
                (text("scope", "Scope", "exchange; what it is and is not about"))
                (text("max_requests", "Most calls", ""))
                (text("max_tokens", "Most tokens", ""))
                (text("max_cost", "Most money", "in US dollars"))
                (text("max_time", "Most time", "for example 30m"))
            }
            details open[filled(&["verify", "judges", "orders", "stop", "self_judging", "mirror", "baseline", "extract"])] {
                summary { "Judging and sources" }
                (choice("verify", "Cited pages", "exchange, duel, chaired", &[("on", "opened and looked through"), ("off", "not opened")]))
                (text("judges", "Judges", "exchange; an odd number, or MODEL,MODEL,MODEL"))
                (choice("orders", "Each judgment", "exchange", &[("both", "in both orders of the sides"), ("one", "in one order")]))
                (choice("stop", "Early end", "exchange", &[("stable", "where the margin is stable and decisive")]))
                (switch("self_judging", "A model may judge what it said itself (exchange)"))
                (switch("mirror", "Hold it again with the sides changed about, and compare"))
                (switch("baseline", "Ask the judge's model the same question alone, and compare (exchange)"))
                (text("extract", "Argument graph", "MODEL that reads what no field says, each statement twice"))
            }
            p .actions {
                button type="submit" { "Start" }
                " " button .plain-button type="submit" name="wants" value="plan" { "See the cost" }
            }
        }
    }
}

pub async fn start(
    FromState(shared): FromState<State>,
    Extension(visitor): Extension<Visitor>,
    fields: Fields,
) -> Response {
    let said = match opening(&fields) {
        Ok(opening) if fields.get("wants") == Some("plan") => {
            api::planned(&shared, opening).await.map(|planned| planned.text)
        }
        Ok(opening) => match api::check(&shared, opening).await {
            Ok(id) => return Redirect::to(&format!("/debates/{id}")).into_response(),
            Err(refusal) => Err(refusal),
        },
        Err(refusal) => Err(refusal),
    };
    let status = said.as_ref().map_or_else(|refusal| refusal.status, |_| StatusCode::OK);
    respond(&shared, visitor, ListQuery::default(), status, Some(Attempt { fields, said })).await
}

/// What a filled form wants.
fn opening(fields: &Fields) -> Result<Opening, Refusal> {
    let text = |name: &str| fields.get(name).map(str::to_owned);
    Ok(Opening {
        protocol: text("protocol").unwrap_or_default(),
        motion: text("motion").unwrap_or_default(),
        rounds: number(fields, "rounds")?,
        model: text("model"),
        seats: pairs(fields, "seats", "judge=MODEL")?,
        definitions: pairs(fields, "definitions", "TERM=MEANING")?,
        scope: text("scope"),
        verify: text("verify"),
        judges: text("judges"),
        orders: text("orders"),
        stop: text("stop"),
        self_judging: text("self_judging").is_some(),
        mirror: text("mirror").is_some(),
        baseline: text("baseline").is_some(),
        extract: text("extract"),
        max_requests: number(fields, "max_requests")?,
        max_tokens: number(fields, "max_tokens")?,
        max_cost: number(fields, "max_cost")?,
        max_time: text("max_time"),
        ..Opening::default()
    })
}

pub(super) fn number<T: std::str::FromStr>(fields: &Fields, name: &str) -> Result<Option<T>, Refusal> {
    let Some(text) = fields.get(name) else { return Ok(None) };
    let text: String = text.chars().take(40).collect();
    text.parse().map(Some).map_err(|_| {
        let why = format!("{}: {text:?} is no number that can be used", name.replace('_', " "));
        Refusal::new(422, "unusable", why, "write digits, or leave it empty")
    })
}

/// The lines of a field, each with a name and what it is.
fn pairs(fields: &Fields, name: &str, form: &str) -> Result<BTreeMap<String, String>, Refusal> {
    let lines = fields.get(name).unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
    let pairs = lines.map(|line| match line.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => {
            let line: String = line.chars().take(80).collect();
            Err(Refusal::new(422, "unusable", format!("{name}: {line:?} has no ="), format!("write {form}")))
        }
    });
    pairs.collect()
}
