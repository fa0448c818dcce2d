//! The first page: every debate, a search, and a form that starts another.

use std::collections::{BTreeMap, BTreeSet};

use agon_app::{
    evaluation::is_of_evaluation,
    participants::{page_verifier::FETCHED, quote_verifier::QUOTES},
};
use agon_core::{DebateId, Record};
use agon_journal::DebateSummary;
use agon_protocols::common::{parallel_answers, struck_text};
use agon_report::{
    graph::shorten_text,
    material_places::{MATERIAL, PinnedMaterial, is_usual_motion},
    page::prose::escape_invisible,
    views_of, views_of_protocol,
};
use agon_text::count_noun;
use axum::{
    http::StatusCode,
    response::{IntoResponse, Redirect},
};
use maud::{Markup, html};
use serde::Deserialize;
use url::form_urlencoded::byte_serialize;

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
    search::{FoundDebates, FoundPassage, find_passage, split_query},
    visitor::{Called, Visitor},
};

/// Debates on a page.
const SHOWN: usize = 50;
/// The list looks no further than at this many debates, the newest.
const READ_MAX: usize = 10_000;
/// Longest motion in the list, in characters.
const MOTION_CHARS: usize = 180;
/// Longest answer, and longest names of models, in the list, in characters.
const ANSWER_CHARS: usize = 160;
const MODELS_CHARS: usize = 60;

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
    /// A label.
    label: String,
    /// Who answered from outside or acted, as records call them.
    person: String,
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
        self.page > 0
            || [&self.q, &self.kind, &self.state, &self.label, &self.person].into_iter().any(|field| !field.is_empty())
    }
}

/// A line of the list.
struct ListedDebate {
    summary: DebateSummary,
    labels: Vec<String>,
    /// Where a word that was looked for stands.
    passage: Option<FoundPassage>,
    /// What it came to, where it is over.
    result: Option<ListedResult>,
}

/// What a debate came to, in the words of its first page.
struct ListedResult {
    answer: String,
    /// Points that the answer rests on, calls, and models.
    facts: Vec<String>,
    /// Who answered from outside or acted.
    people: BTreeSet<String>,
}

impl ListedResult {
    fn from_record(shown: &Record) -> Self {
        let views = views_of(shown);
        let answers = views.list_stated_answers(shown);
        let is_one = answers.len() == 1;
        let name_author = |by: &str, action: &str| if is_one { action.to_owned() } else { format!("{by}: {action}") };
        let answer: Vec<String> = answers.iter().map(|one| name_author(&one.by, &one.answer.action)).collect();
        let points = views.collect_answer_basis(shown).points;
        let told = match (points.len(), points.iter().filter(|point| point.is_open).count()) {
            (0, _) => None,
            (all, 0) => Some(count_noun(all as u64, "point", "points")),
            (all, open) => Some(format!("{}, {open} open", count_noun(all as u64, "point", "points"))),
        };
        let calls: u32 = shown.answers().map(|(_, answered)| answered.usage.requests).sum();
        let by_program = [FETCHED, QUOTES];
        let models = shown.opened().lineup.iter().map(|seat| seat.model.as_str());
        let models: BTreeSet<&str> = models.filter(|model| !by_program.contains(model)).collect();
        let models: Vec<&str> = models.into_iter().collect();
        let facts = [told, (calls > 0).then(|| count_noun(calls, "call", "calls"))];
        let facts = facts.into_iter().flatten().chain([shorten_text(&models.join(", "), MODELS_CHARS)]).collect();
        let outside = shown.answers().filter_map(|(_, answered)| answered.by.participant.strip_prefix("outside:"));
        let people = outside.chain(shown.acts().map(|(_, act)| act.by.as_str())).map(str::to_owned).collect();
        Self { answer: shorten_text(&answer.join(" "), ANSWER_CHARS), facts, people }
    }
}

/// One page of the list.
struct ListedDebates {
    debates: Vec<ListedDebate>,
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
            let mut admitted: Vec<_> = debates.into_iter().filter(|debate| filter.admits(debate)).collect();
            if !filter.label.is_empty() {
                let labels = read_labels(shared, &admitted)?;
                admitted.retain(|debate| labels.get(&debate.id).is_some_and(|all| all.contains(&filter.label)));
            }
            if !filter.person.is_empty() {
                let ids: Vec<&DebateId> = admitted.iter().map(|debate| &debate.id).collect();
                let found = shared.journal.debates_of_person(&ids, &filter.person)?;
                admitted.retain(|debate| found.contains(&debate.id));
            }
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
        let mut labels = read_labels(shared, &admitted)?;
        let debates = admitted.into_iter().map(|summary| {
            let is_read = summary.outcome.is_some() || !words.is_empty();
            // A debate that cannot be read says so on its own page.
            let whole = is_read.then(|| shared.journal.read_record(&summary.id).ok()).flatten();
            let readable = whole.as_ref().map(|whole| parallel_answers::readable_record(whole));
            let passage = readable.as_ref().filter(|_| !words.is_empty()).and_then(|read| find_passage(read, &words));
            let result = readable.as_ref().filter(|read| read.closing_outcome().is_some());
            let result = result.map(|read| ListedResult::from_record(&struck_text::publishable_record(read)));
            ListedDebate { labels: labels.remove(&summary.id).unwrap_or_default(), summary, passage, result }
        });
        Ok(Self { debates: debates.collect(), has_more, looked_at, filter })
    }
}

fn read_labels(shared: &RouteContext, debates: &[DebateSummary]) -> Result<BTreeMap<DebateId, Vec<String>>, Refusal> {
    let ids: Vec<&DebateId> = debates.iter().map(|debate| &debate.id).collect();
    Ok(shared.journal.labels_of_debates(&ids)?)
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
                @for debate in &listed.debates { (render_debate_line(shared, debate)) }
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
            @if !filter.label.is_empty() {
                label .choice { input type="checkbox" name="label" value=(filter.label) checked; " Labelled " (filter.label) }
            }
            @if !filter.person.is_empty() {
                label .choice { input type="checkbox" name="person" value=(filter.person) checked; " With " (escape_invisible(&filter.person)) }
            }
            label .choice { input type="checkbox" name="evaluations" value="1" checked[!filter.evaluations.is_empty()]; " With evaluations" }
            button type="submit" { "Search" }
        }
    }
}

fn render_debate_line(shared: &RouteContext, listed: &ListedDebate) -> Markup {
    let ListedDebate { summary: debate, labels, passage, result } = listed;
    html! {
        article {
            h2 dir="auto" lang="" { a href=(format!("/debates/{}", debate.id)) { (escape_invisible(&shorten_text(&debate.motion, MOTION_CHARS))) } }
            @if let Some(FoundPassage { seq, speaker, before, word, after }) = passage {
                p .passage dir="auto" lang="" {
                    a href=(format!("/debates/{}#entry-{seq}", debate.id)) { (escape_invisible(speaker)) }
                    ": " (escape_invisible(before)) mark { (escape_invisible(word)) } (escape_invisible(after))
                }
            } @else if let Some(result) = result.as_ref().filter(|result| !result.answer.is_empty()) {
                p .passage dir="auto" lang="" { (escape_invisible(&result.answer)) }
            }
            p .kicker {
                span { (escape_invisible(&debate.protocol)) }
                @match &debate.outcome {
                    Some(outcome) => span { (escape_invisible(&views_of_protocol(&debate.protocol).verdict_words(outcome))) },
                    None if shared.events.is_driven(&debate.id) => span .under-way { "under way" },
                    None => span { "open" },
                }
                (render_time(&debate.opened_at))
                @for fact in result.iter().flat_map(|result| &result.facts) { span { (escape_invisible(fact)) } }
                @for person in result.iter().flat_map(|result| &result.people) {
                    @let encoded: String = byte_serialize(person.as_bytes()).collect();
                    a href=(format!("/?person={encoded}")) { (escape_invisible(person)) }
                }
                @for label in labels { a href=(format!("/?label={label}")) { (label) } }
                span { (debate.id) }
            }
        }
    }
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
