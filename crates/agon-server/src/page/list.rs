//! The first page: every debate, a search, and a form that starts another.

use agon_app::evaluation::is_of_evaluation;
use agon_core::DebateId;
use agon_formats::{
    graph::shorten_text,
    page::prose::escape_invisible,
    places::{MATERIAL, PinnedMaterial, is_usual_motion},
    views_of_protocol,
};
use agon_journal::DebateSummary;
use axum::{
    http::StatusCode,
    response::{IntoResponse, Redirect},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    PageQuery, PageResult, SubmittedFields,
    layout::{self, render_time},
    shown_form::ShownForm,
    start_fields::parse_opening,
    start_form::{find_other_kind, start_form},
};
use crate::{
    RouteContext, State, api,
    refusal::Refusal,
    search::{FoundDebates, FoundPassage, split_query},
    visitor::{Called, Visitor},
};

/// Debates on a page.
const SHOWN: usize = 50;
/// The list looks no further than at this many debates, the newest.
const READ_MAX: usize = 10_000;
/// Longest motion in the list, in characters.
const MOTION_CHARS: usize = 180;

/// What the list is narrowed by; empty where by nothing.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ListFilter {
    /// Words of motions and statements.
    q: String,
    /// A protocol.
    kind: String,
    /// `open` or `ended`.
    state: String,
    /// Filled where debates of evaluations are listed too.
    evaluations: String,
    /// From 0.
    page: usize,
}

impl ListFilter {
    fn admits(&self, debate: &DebateSummary) -> bool {
        let in_state = match self.state.as_str() {
            "open" => debate.outcome.is_none(),
            "ended" => debate.outcome.is_some(),
            _ => true,
        };
        let of_kind = self.kind.is_empty() || self.kind == debate.protocol;
        in_state && of_kind && (!self.evaluations.is_empty() || !is_of_evaluation(&debate.id))
    }

    /// Whether an empty page says nothing about the journal.
    fn narrows(&self) -> bool {
        self.page > 0 || [&self.q, &self.kind, &self.state].into_iter().any(|field| !field.is_empty())
    }
}

/// One page of the list.
struct ListedDebates {
    debates: Vec<(DebateSummary, Option<FoundPassage>)>,
    /// Whether there are older ones.
    has_more: bool,
    /// How many were looked at, where that is not all.
    looked_at: Option<usize>,
    filter: ListFilter,
}

impl ListedDebates {
    fn read(shared: &RouteContext, visitor: Visitor, filter: ListFilter) -> Result<Self, Refusal> {
        let words = split_query(&filter.q);
        let skipped = filter.page.saturating_mul(SHOWN);
        let wanted = skipped.saturating_add(SHOWN + 1);
        let mut read = wanted.min(READ_MAX);
        let (mut admitted, is_all) = loop {
            let FoundDebates { debates, is_all } = shared.search_for(visitor, &filter.q, read as u32)?;
            let admitted: Vec<_> = debates.into_iter().filter(|debate| filter.admits(debate)).collect();
            if is_all || admitted.len() >= wanted || read == READ_MAX {
                break (admitted, is_all);
            }
            read = (read * 8).min(READ_MAX);
        };
        let looked_at = (!is_all && admitted.len() < wanted).then_some(read);
        admitted.drain(..skipped.min(admitted.len()));
        let has_more = admitted.len() > SHOWN;
        admitted.truncate(SHOWN);
        name_material(shared, &mut admitted);
        let passage = |debate: &DebateSummary| {
            // A debate that cannot be read says so on its own page.
            if words.is_empty() { None } else { shared.find_passage(&debate.id, &words).ok().flatten() }
        };
        let debates = admitted.into_iter().map(|debate| {
            let passage = passage(&debate);
            (debate, passage)
        });
        Ok(Self { debates: debates.collect(), has_more, looked_at, filter })
    }
}

/// Adds the first files of their material to the motions that debates have in common.
fn name_material(shared: &RouteContext, debates: &mut [DebateSummary]) {
    let usual = debates.iter().filter(|debate| is_usual_motion(&debate.protocol, &debate.motion));
    let usual: Vec<&DebateId> = usual.map(|debate| &debate.id).collect();
    // A debate that cannot be read says so on its own page.
    let lists = shared.journal.read_documents(&usual, MATERIAL).unwrap_or_default();
    for debate in debates {
        let list = lists.get(&debate.id).and_then(|list| serde_json::from_str::<PinnedMaterial>(list).ok());
        if let Some(material) = list {
            debate.motion = material.complete_title(&debate.motion);
        }
    }
}

pub async fn show_debates(
    Called(shared, visitor): Called<Visitor>,
    PageQuery(filter): PageQuery<ListFilter>,
) -> PageResult {
    list_response(&shared, visitor, filter, StatusCode::OK, None).await
}

async fn list_response(
    shared: &State,
    visitor: Visitor,
    filter: ListFilter,
    status: StatusCode,
    attempt: Option<ShownForm>,
) -> PageResult {
    let drawn = super::blocking_page(shared, status, move |shared| {
        let listed = ListedDebates::read(shared, visitor, filter)?;
        Ok(render_debate_list(shared, &listed, visitor, attempt.as_ref()))
    });
    drawn.await
}

fn render_debate_list(
    shared: &RouteContext,
    listed: &ListedDebates,
    visitor: Visitor,
    attempt: Option<&ShownForm>,
) -> Markup {
    let filter = &listed.filter;
    let body = html! {
        main #main .home {
            h1 { "Debates" }
            @if visitor.may_write { p .jump { a href="#start-heading" { "Start a debate" } } }
            (render_filter(shared, filter))
            section .list aria-label="Debates" {
                @if listed.debates.is_empty() {
                    p .quiet { @if filter.narrows() { "No debate fits." } @else { "No debates here yet." } }
                }
                @if let Some(number) = listed.looked_at { p .quiet { "The newest " (number) " debates were looked at." } }
                @for (debate, passage) in &listed.debates { (render_debate_line(shared, debate, passage.as_ref())) }
                @if filter.page > 0 || listed.has_more {
                    p .more {
                        @if filter.page > 0 { button type="submit" form="filter" name="page" value=(filter.page - 1) { "Newer" } }
                        @if listed.has_more { button type="submit" form="filter" name="page" value=(filter.page + 1) { "Older" } }
                    }
                }
            }
            section .start aria-labelledby="start-heading" {
                h2 #start-heading { "Start a debate" }
                @if visitor.may_write { (start_form(shared, attempt)) }
                @else { p .quiet { "To start one here, open the link that " code { "agon serve" } " printed." } }
            }
        }
    };
    let is_refused = attempt.is_some_and(|attempt| attempt.refusal().is_some());
    layout::render_page(if is_refused { "Error: agon" } else { "agon" }, true, body)
}

fn render_filter(shared: &RouteContext, filter: &ListFilter) -> Markup {
    html! {
        form .search #filter method="get" action="/" role="search" {
            label .unseen for="q" { "Words of a motion or of a statement" }
            input type="search" id="q" name="q" value=(filter.q) placeholder="Motions and statements";
            label .unseen for="kind-filter" { "Kind" }
            select id="kind-filter" name="kind" {
                option value="" { "Every kind" }
                @for protocol in shared.list_protocols() {
                    option value=(protocol.name) selected[protocol.name == filter.kind] { (protocol.name) }
                }
            }
            label .unseen for="state-filter" { "State" }
            select id="state-filter" name="state" {
                @for (value, shown) in [("", "Open and ended"), ("open", "Open"), ("ended", "Ended")] {
                    option value=(value) selected[value == filter.state] { (shown) }
                }
            }
            label .choice { input type="checkbox" name="evaluations" value="1" checked[!filter.evaluations.is_empty()]; " With evaluations" }
            button type="submit" { "Search" }
        }
    }
}

fn render_debate_line(shared: &RouteContext, debate: &DebateSummary, passage: Option<&FoundPassage>) -> Markup {
    html! {
        article {
            h2 dir="auto" lang="" { a href=(format!("/debates/{}", debate.id)) { (escape_invisible(&shorten_text(&debate.motion, MOTION_CHARS))) } }
            @if let Some(FoundPassage { seq, speaker, before, word, after }) = passage {
                p .passage dir="auto" lang="" {
                    a href=(format!("/debates/{}#entry-{seq}", debate.id)) { (escape_invisible(speaker)) }
                    ": " (escape_invisible(before)) mark { (escape_invisible(word)) } (escape_invisible(after))
                }
            }
            p .kicker {
                span { (escape_invisible(&debate.protocol)) }
                @match &debate.outcome {
                    Some(outcome) => span { (escape_invisible(&describe_outcome(&debate.protocol, outcome))) },
                    None if shared.events.is_driven(&debate.id) => span .under-way { "under way" },
                    None => span { "open" },
                }
                (render_time(&debate.opened_at))
                span { (debate.id) }
            }
        }
    }
}

/// How a debate ended, in the words of its own page.
fn describe_outcome(protocol: &str, outcome: &str) -> String {
    views_of_protocol(protocol).verdict_words(outcome)
}

pub async fn start_debate(Called(shared, visitor): Called<Visitor>, fields: SubmittedFields) -> PageResult {
    if find_other_kind(&fields).is_some() {
        let form = ShownForm { seat: None, fields, said: None };
        return list_response(&shared, visitor, ListFilter::default(), StatusCode::OK, Some(form)).await;
    }
    let said = match parse_opening(&shared.list_protocols(), &fields) {
        Ok(request) if fields.trimmed_value("wants") == Some("plan") => {
            api::plan_opening(&shared, visitor, request).await.map(|planned| planned.text)
        }
        Ok(request) => match api::open_debate(&shared, visitor, request).await {
            Ok(id) => return Ok(Redirect::to(&format!("/debates/{id}")).into_response()),
            Err(refusal) => Err(refusal),
        },
        Err(refusal) => Err(refusal),
    };
    let status = said.as_ref().map_or_else(|refusal| refusal.status, |_| StatusCode::OK);
    let form = ShownForm { seat: None, fields, said: Some(said) };
    list_response(&shared, visitor, ListFilter::default(), status, Some(form)).await
}
