//! The page of one debate: how it stands, who sits where, what is asked, and its course so far.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use agon_app::companion::{find_parent, is_companion};
use agon_core::{DebateId, Key, Record};
use agon_protocols::common::{
    parallel_answers,
    struck_text::{self, Withheld},
};
use agon_report::{
    companion::{self, BASELINE, EXTRACTION, MIRROR},
    first_page::FirstPage,
    graph::{Graph, shorten_text},
    page::{self as shared_page, LiveRequests, prose::escape_invisible},
    report::html::render_figure,
};
use axum::{
    body::Bytes,
    http::{StatusCode, header},
    response::IntoResponse,
};
use maud::{Markup, html};

use super::{DebatePath, PageResult, acts, costs, layout, map, no_such_debate, seats, shown_form::ShownForm, submit};
use crate::{
    Refusal, RouteContext, State,
    api::{self, RECORD},
    requests,
    visitor::{Called, Visitor},
};

/// How long a drawn page serves everyone who asks for it.
const FRESH: Duration = Duration::from_millis(500);
/// Maximum number of pages that are kept.
const KEPT_MAX: usize = 64;

/// What a page shows of a debate's state: where any of it differs, the page is another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    entries: u64,
    driven: bool,
    stopped: bool,
}

impl Seen {
    fn from_debate(shared: &RouteContext, id: &DebateId) -> Result<Self, Refusal> {
        let summary = shared.journal.find_summary(id)?.ok_or_else(no_such_debate)?;
        let (driven, stopped) = (shared.events.is_driven(id), shared.events.find_stop_reason(id).is_some());
        Ok(Self { entries: summary.entries, driven, stopped })
    }
}

/// A page, what it shows, and when it was drawn.
type Page = (Instant, Seen, Bytes);

/// Pages that were drawn a moment ago: when something happens, all who watch ask for the same.
#[derive(Default)]
pub(crate) struct PageCache {
    /// By debate, and whether the visitor may write.
    pages: Mutex<BTreeMap<(DebateId, bool), Page>>,
}

impl PageCache {
    fn find_page(&self, id: &DebateId, visitor: Visitor, seen: Seen) -> Option<Bytes> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, of, page) = pages.get(&(id.clone(), visitor.may_write))?;
        (at.elapsed() < FRESH && *of == seen).then(|| page.clone())
    }

    fn keep_page(&self, id: DebateId, visitor: Visitor, seen: Seen, page: Bytes) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|_, (at, ..)| at.elapsed() < FRESH);
        if pages.len() < KEPT_MAX {
            pages.insert((id, visitor.may_write), (Instant::now(), seen, page));
        }
    }
}

pub async fn show_debate(Called(shared, visitor): Called<Visitor>, DebatePath(id): DebatePath) -> PageResult {
    let drawn = shared.run_blocking(move |shared| {
        let seen = Seen::from_debate(shared, &id)?;
        // With accounts, each person sees another page.
        let is_shared = shared.accounts.is_none();
        if let Some(page) = shared.pages.find_page(&id, visitor, seen).filter(|_| is_shared) {
            return Ok(page);
        }
        let page: Bytes = render_debate(shared, &id, visitor, None)?.into_string().into();
        if is_shared {
            shared.pages.keep_page(id, visitor, seen, page.clone());
        }
        Ok(page)
    });
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], drawn.await?).into_response())
}

/// The page with what someone tried, and why that was refused.
pub(super) async fn show_rejected_form(
    shared: &State,
    id: DebateId,
    visitor: Visitor,
    attempt: ShownForm,
) -> PageResult {
    let status = attempt.refusal().map_or(StatusCode::OK, |refusal| refusal.status);
    super::blocking_page(shared, status, move |shared| render_debate(shared, &id, visitor, Some(&attempt))).await
}

/// The whole page; with what someone tried to answer, and why that was refused.
fn render_debate(
    shared: &RouteContext,
    id: &DebateId,
    visitor: Visitor,
    attempt: Option<&ShownForm>,
) -> Result<Markup, Refusal> {
    let mut whole = shared.read_whole_record(id)?;
    let usage = shared.journal.sum_usage(id)?;
    let stored = whole.len();
    let open = requests::list_open_requests(&shared.journal, &mut whole)?;
    // What is asked, and what may be done now, is of the whole record; of what was said, what may be read is shown.
    let readable = parallel_answers::readable_record(&whole);
    let stored = stored.min(readable.len());
    let held = whole.answers().filter(|(seq, _)| *seq >= readable.len());
    let held: BTreeSet<Key> = held.map(|(_, answered)| answered.key.clone()).collect();
    let stopped = shared.events.find_stop_reason(id).filter(|_| whole.closing_outcome().is_none());
    // Nobody answers in a debate that stopped, but people.
    let answering = open.iter().filter(|open| open.outside || stopped.is_none());
    let live = LiveRequests { open: answering.map(|open| open.request.key.clone()).collect(), held };
    let is_whole = !Withheld::from_record(&readable).withholds_record();
    let (record, whole) = (struck_text::publishable_record(&readable), struck_text::publishable_record(&whole));
    let mut paths: Vec<String> =
        agon_report::render_debate_files(&record, None).into_iter().map(|file| file.path).collect();
    // A record is served whole or not at all.
    paths.extend(is_whole.then(|| RECORD.to_owned()));
    let extraction = companion::find_extraction(&record, |id| shared.journal.find_record(id))?;
    let graph = Graph::with_extraction(&record, extraction.as_ref());
    let first_page = FirstPage::from_record(&record, &graph);
    let troubles = shared_page::list_untold_troubles(&record, &first_page);
    let error = if attempt.is_some_and(|attempt| attempt.refusal().is_some()) { "Error: " } else { "" };
    let title = format!("{error}{} · agon", shorten_text(&first_page.question, 80));
    let views = agon_report::views_of(&record);
    let course = views.draw_course(&record, &graph);
    let parts = shared_page::build_first_parts(&record, &first_page);
    let more = [("map", "The argument map"), ("files", "Files")];
    let body = html! {
        main #main .debate data-live=(format!("/api/v1/debates/{id}/events?after={}", stored - 1)) {
            header .opening {
                (render_state(shared, &whole, id, stopped))
                (shared_page::render_question(&first_page, &record.opened().motion))
            }
            div #result {
                @if record.closing_outcome().is_some() {
                    (shared_page::render_result(&record, &first_page))
                    (shared_page::render_part_links(&parts, &more))
                }
            }
            div #troubles { @if !troubles.is_empty() { (render_troubles(&troubles)) } }
            div #asked { @for open in open.iter().filter(|open| open.outside) { (submit::render_seat_panel(shared, &whole, open, visitor, attempt)) } }
            div #acts { (acts::render_controls(shared, &whole, visitor, attempt)) }
            div #parts { @if record.closing_outcome().is_some() { @for part in &parts { (part.render()) } } }
            div #pull {
                @if let Some(course) = &course {
                    section .part aria-labelledby="pull-title" {
                        div .head { h2 #pull-title { (views.course_title()) } }
                        div .content { (render_figure(course)) }
                    }
                }
            }
            (shared_page::debate(&record, &live))
            div #map { (map::render_map_section(&record, &graph, id)) }
            footer .ledger {
                section #seats aria-labelledby="seats-title" { h2 #seats-title { "Who takes part" } (seats::render_seats(&record)) }
                section #costs aria-labelledby="costs-title" { h2 #costs-title { "Usage" } (costs::render_costs(&usage, stored)) }
                section #files aria-labelledby="files-title" { h2 #files-title { "Files" } (costs::render_file_links(id, &paths)) }
            }
            p #announce .unseen role="status" aria-live="polite" {}
        }
    };
    Ok(layout::render_page(&title, true, body))
}

/// Protocol, phase, and whether it continues.
fn render_state(shared: &RouteContext, record: &Record, id: &DebateId, stopped: Option<Refusal>) -> Markup {
    html! {
        div #state {
            p .kicker {
                span { (escape_invisible(&record.opened().protocol)) }
                @if record.closing_outcome().is_some() { span { "closed" } }
                @else {
                    @if let Some(phase) = api::current_phase(record) { span { (escape_invisible(phase)) } }
                    @if record.find_pause().is_some() { span { "paused" } }
                    @else if shared.events.is_driven(id) { span .under-way { "under way" } } @else { span { "open" } }
                }
                @if let Some(opened) = record.entries().first() { (layout::render_time(&opened.at.0)) }
                @for (what, id) in list_companions(shared, record) { span { a href=(format!("/debates/{id}")) { (what) } } }
            }
            @if let Some(why) = stopped {
                div .complaint role="status" {
                    p { strong { "This debate stopped: " (escape_invisible(&why.message)) } }
                    (super::render_remedy(&why))
                }
            }
        }
    }
}

/// The companions of this debate that have begun, or the debate that it is a companion
/// of.
fn list_companions(shared: &RouteContext, record: &Record) -> Vec<(&'static str, DebateId)> {
    let options = &record.opened().options;
    let own = [("its mirror", MIRROR), ("its baseline", BASELINE)];
    let own = own.map(|(what, kind)| (what, kind, options.get(kind).and_then(|id| id.as_str())));
    let own = own.into_iter().filter_map(|(what, kind, id)| Some((what, kind, DebateId::new(id?).ok()?)));
    let of =
        [("mirror of a debate", MIRROR), ("baseline of a debate", BASELINE), ("extraction of a debate", EXTRACTION)];
    let of = of.into_iter().filter_map(|(what, kind)| Some((what, find_parent(record.opened(), kind)?)));
    let of = of.filter_map(|(what, id)| Some((what, DebateId::new(id).ok()?)));
    let of = of.filter(|(_, id)| matches!(shared.journal.find_summary(id), Ok(Some(_))));
    // Anyone may have a debate read, whatever it was opened with.
    let debate = &record.opened().debate;
    let read = companion::extraction_ids(debate).map(|id| ("extracted relations", EXTRACTION, id));
    let read = read.take_while(|(.., id)| matches!(shared.journal.find_summary(id), Ok(Some(_))));
    // Another debate can have such an id.
    let is_own = |kind: &str, id: &DebateId| {
        let found = shared.journal.find_record(id).ok().flatten();
        found.is_some_and(|found| is_companion(found.opened(), kind, debate))
    };
    let own = own.chain(read).filter(|(_, kind, id)| is_own(kind, id)).map(|(what, _, id)| (what, id));
    own.chain(of).collect()
}

fn render_troubles(troubles: &[String]) -> Markup {
    html! {
        @let shown = troubles.len() <= 3;
        details .troubles open[shown] {
            summary { "What did not work" @if !shown { ": " (troubles.len()) " things" } }
            ul { @for trouble in troubles { li { (escape_invisible(trouble)) } } }
        }
    }
}
