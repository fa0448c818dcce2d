//! The findings of a review on its page: in groups by what became of them, each with the lines that were quoted, what
//! critic and judge said, and what would refute it.

use std::collections::BTreeMap;

use agon_core::{Record, View};
use agon_protocols::review::{
    answers::PlaceCode,
    finding::FindingSeverity,
    list_reviewers,
    state::{FindingCase, FindingStatus, ReviewState},
};
use agon_text::{count_noun, parse_place};
use maud::{Markup, html};

use super::{
    answers::{FindingAnswer, list_answers},
    by_severity,
};
use crate::{
    graph::answer_seq,
    page::{
        part::{PagePart, entry_link, render_mark, render_words},
        prose::escape_invisible,
    },
    participation::display_name,
};

/// Groups of findings in the order of readers: heading, status, and whether only grave or only lighter ones belong.
const GROUPS: [(&str, FindingStatus, Option<bool>); 7] = [
    ("Blocks", FindingStatus::Held, Some(true)),
    ("Holds, and does not block", FindingStatus::Held, Some(false)),
    ("Undecided", FindingStatus::Undecided, None),
    ("A concern: the material shows neither", FindingStatus::Concern, None),
    ("Refuted", FindingStatus::Refuted, None),
    ("Dropped: it cites nothing that is there", FindingStatus::Demoted, None),
    ("Merged: another reviewer found the same", FindingStatus::Merged, None),
];

/// The findings; nothing before there are some.
pub(super) fn build_page_parts(record: &Record) -> Vec<PagePart> {
    let state = ReviewState::from_view(&View::of_whole_record(record));
    if state.heard.is_empty() {
        return Vec::new();
    }
    let groups = GROUPS.map(|(title, status, is_grave)| {
        let is_high = |case: &FindingCase| case.severity() == FindingSeverity::High;
        let cases = by_severity(&state, [status]).into_iter();
        let cases = cases.filter(|case| is_grave.is_none_or(|is_grave| is_grave == is_high(case)));
        (title, cases.collect::<Vec<_>>())
    });
    let silent = list_reviewers(record.opened())
        .into_iter()
        .filter(|seat| state.heard.contains(seat) && !state.cases.iter().any(|case| case.by == *seat));
    let silent: Vec<String> = silent.map(|seat| display_name(record, &seat)).collect();
    let body = html! {
        @for (at, (title, cases)) in groups.iter().enumerate() {
            @if !cases.is_empty() {
                h3 .group { (title) " " span .n { (cases.len()) } }
                @for case in cases { (render_finding(record, &state, case, at == 0)) }
            }
        }
        @for name in &silent { p .quiet { (escape_invisible(name)) " found nothing." } }
    };
    let about = count_noun(state.cases.len(), "finding", "findings");
    vec![PagePart { id: "findings", title: "Findings", about, body }]
}

fn render_finding(record: &Record, state: &ReviewState, case: &FindingCase, is_open: bool) -> Markup {
    let said_by = &case.finding;
    let severity = case.severity();
    html! {
        details .finding open[is_open] {
            summary {
                span .id { (case.id) } " " span .sev .(severity.name()) { (severity.name()) } " "
                span .claim dir="auto" lang="" { (escape_invisible(&said_by.claim)) } " " span .place { (escape_invisible(case.place())) }
            }
            div .body #(case.id) {
                figure { (render_quoted_lines(case)) figcaption { (render_origin(record, case)) " " (entry_link(answer_seq(record, &case.key))) } }
                dl .says {
                    dt { "Why" } dd { (render_words(&said_by.why)) }
                    @if !said_by.refuted_by.is_empty() { dt { "Would be refuted by" } dd { (render_words(&said_by.refuted_by)) } }
                    @if severity != case.given_severity { dt { "Severity" } dd { "Its author said " (case.given_severity.name()) "." } }
                    @if let Some(into) = case.merged_into { dt { "The same as" } dd { a href=(format!("#{}", state.cases[into].id)) { (state.cases[into].id) } } }
                    @for answer in list_answers(case) {
                        dt { @if answer.is_critic { "Critic" } @else { "Judge" } }
                        dd { (render_answer(&answer)) " " (entry_link(answer_seq(record, answer.key))) }
                    }
                }
            }
        }
    }
}

/// What critic or judge said; that it does not count, and why.
fn render_answer(answer: &FindingAnswer<'_>) -> Markup {
    let class = match answer.holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "may",
    };
    let why = answer.check.map_or("the quote could not be looked up", |check| check.note.as_str());
    html! {
        span .v .(class) { (answer.verdict) } " "
        @if let Some(lowered) = answer.lowered { "as " (lowered.name()) ". " }
        (render_words(answer.text))
        @if !answer.is_counted { " " (render_mark("bad", "does not count")) " " (render_words(why)) }
    }
}

/// Who found it, and whether the words stand there.
fn render_origin(record: &Record, case: &FindingCase) -> Markup {
    let note = case.check.as_ref().map(|check| check.note.as_str()).unwrap_or_default();
    let stands = case.check.as_ref().is_some_and(|check| {
        matches!(check.code, PlaceCode::QuoteThere | PlaceCode::QuoteMoved | PlaceCode::QuoteRemoved)
    });
    html! {
        "Quoted by " (escape_invisible(&display_name(record, &case.by)))
        @if stands { "; the words stand there." } @else { "." }
        @if !note.is_empty() { " " (escape_invisible(note)) }
    }
}

/// The quoted lines around the finding, with their numbers: those of the reviewer, and those that critic
/// or judge hold against it or for it in the same file.
fn render_quoted_lines(case: &FindingCase) -> Markup {
    let own = parse_place(case.place()).ok();
    let is_removed = case.check.as_ref().is_some_and(|check| check.code == PlaceCode::QuoteRemoved);
    let Some(own) = own.filter(|_| !is_removed) else {
        let class = if is_removed { "del" } else { "q" };
        return html! { pre .lines { @for line in case.finding.quote.lines() { span .(class) { (escape_invisible(line)) } } } };
    };
    let mut shown: BTreeMap<u32, (&str, &str)> = BTreeMap::new();
    for answer in list_answers(case).into_iter().filter(|answer| answer.is_counted) {
        let place = answer.check.and_then(|check| parse_place(&check.place).ok());
        if let Some(place) = place.filter(|place| place.path == own.path) {
            shown.extend((place.first..).zip(answer.quote.lines()).map(|(number, line)| (number, ("x", line))));
        }
    }
    let quoted = (own.first..).zip(case.finding.quote.lines());
    shown.extend(quoted.map(|(number, line)| (number, ("q", line))));
    let mut before = None;
    html! {
        pre .lines {
            @for (number, (class, line)) in &shown {
                @let gap = before.replace(*number).map_or(0, |before: u32| number - before - 1);
                @if gap > 0 { span .gap { (count_noun(gap, "line", "lines")) } }
                span .(class) data-n=(number) { (escape_invisible(line)) }
            }
        }
    }
}
