//! The findings of a review on its page: in groups by what became of them, each with the lines that were quoted, what
//! critic and judge said, and what would refute it.

use std::collections::BTreeMap;

use agon_core::{Record, View};
use agon_protocols::review::{
    answers::{CriticStance, HoldRuling, PlaceCheck, PlaceCode},
    finding::FindingSeverity,
    heard::{Heard, QuotingAnswer},
    reviewers,
    state::{FindingCase, FindingStatus, ReviewState},
};
use agon_text::{count_noun, parse_place};
use maud::{Markup, html};

use super::by_severity;
use crate::{
    conduct::called,
    graph::entry,
    page::{
        part::{PagePart, entry_link, mark, said},
        prose::visible,
    },
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
pub(super) fn parts(record: &Record) -> Vec<PagePart> {
    let state = ReviewState::of(&View::whole(record));
    if state.heard.is_empty() {
        return Vec::new();
    }
    let groups = GROUPS.map(|(title, status, is_grave)| {
        let is_high = |case: &FindingCase| case.severity() == FindingSeverity::High;
        let cases = by_severity(&state, status).into_iter();
        let cases = cases.filter(|case| is_grave.is_none_or(|is_grave| is_grave == is_high(case)));
        (title, cases.collect::<Vec<_>>())
    });
    let silent = reviewers(record.opened())
        .into_iter()
        .filter(|seat| state.heard.contains(seat) && !state.cases.iter().any(|case| case.by == *seat));
    let silent: Vec<String> = silent.map(|seat| called(record, &seat)).collect();
    let body = html! {
        @for (at, (title, cases)) in groups.iter().enumerate() {
            @if !cases.is_empty() {
                h3 .group { (title) " " span .n { (cases.len()) } }
                @for case in cases { (finding(record, &state, case, at == 0)) }
            }
        }
        @for name in &silent { p .quiet { (visible(name)) " found nothing." } }
    };
    let about = count_noun(state.cases.len(), "finding", "findings");
    vec![PagePart { id: "findings", title: "Findings", about, body }]
}

fn finding(record: &Record, state: &ReviewState, case: &FindingCase, is_open: bool) -> Markup {
    let said_by = &case.finding;
    let severity = case.severity();
    html! {
        details .finding open[is_open] {
            summary {
                span .id { (case.id) } " " span .sev .(severity.name()) { (severity.name()) } " "
                span .claim dir="auto" lang="" { (visible(&said_by.claim)) } " " span .place { (visible(case.place())) }
            }
            div .body #(case.id) {
                figure { (lines(case)) figcaption { (found(record, case)) " " (entry_link(entry(record, &case.key))) } }
                dl .says {
                    dt { "Why" } dd { (said(&said_by.why)) }
                    @if !said_by.refuted_by.is_empty() { dt { "Would be refuted by" } dd { (said(&said_by.refuted_by)) } }
                    @if severity != case.given_severity { dt { "Severity" } dd { "Its author said " (case.given_severity.name()) "." } }
                    @if let Some(into) = case.merged_into { dt { "The same as" } dd { a href=(format!("#{}", state.cases[into].id)) { (state.cases[into].id) } } }
                    @for look in &case.looks {
                        dt { "Critic" }
                        dd { (verdict(stance(look.said.stance))) @if let Some(lowered) = look.said.lowered { "as " (lowered.name()) ". " } (said(&look.said.checked)) (uncounted(look)) " " (entry_link(entry(record, &look.key))) }
                    }
                    @for ruling in &case.rulings {
                        dt { "Judge" }
                        dd { (verdict(held(ruling.said.ruling))) (said(&ruling.said.reasoning)) (uncounted(ruling)) " " (entry_link(entry(record, &ruling.key))) }
                    }
                }
            }
        }
    }
}

fn stance(stance: CriticStance) -> (&'static str, &'static str) {
    match stance {
        CriticStance::Agree => ("yes", "agrees"),
        CriticStance::Refuted => ("no", "refutes it"),
        CriticStance::Concern => ("may", "has no evidence"),
    }
}

fn held(ruling: HoldRuling) -> (&'static str, &'static str) {
    match ruling {
        HoldRuling::Holds => ("yes", "holds"),
        HoldRuling::DoesNotHold => ("no", "does not hold"),
        HoldRuling::CannotTell => ("may", "cannot tell"),
    }
}

fn verdict((class, word): (&str, &str)) -> Markup {
    html! { span .v .(class) { (word) } " " }
}

/// That an answer does not count, and why.
fn uncounted<T: QuotingAnswer>(heard: &Heard<T>) -> Markup {
    let why = heard.check.as_ref().map_or("the quote could not be looked up", |check| check.note.as_str());
    html! { @if !heard.counts() { " " (mark("bad", "does not count")) " " (said(why)) } }
}

/// Who found it, and whether the words stand there.
fn found(record: &Record, case: &FindingCase) -> Markup {
    let note = case.check.as_ref().map(|check| check.note.as_str()).unwrap_or_default();
    let stands = case.check.as_ref().is_some_and(|check| {
        matches!(check.code, PlaceCode::QuoteThere | PlaceCode::QuoteMoved | PlaceCode::QuoteRemoved)
    });
    html! {
        "Quoted by " (visible(&called(record, &case.by)))
        @if stands { "; the words stand there." } @else { "." }
        @if !note.is_empty() { " " (visible(note)) }
    }
}

/// The quoted lines around the finding, with their numbers: those of the reviewer, and those that critic
/// or judge hold against it or for it in the same file.
fn lines(case: &FindingCase) -> Markup {
    let own = parse_place(case.place()).ok();
    let is_removed = case.check.as_ref().is_some_and(|check| check.code == PlaceCode::QuoteRemoved);
    let Some(own) = own.filter(|_| !is_removed) else {
        let class = if is_removed { "del" } else { "q" };
        return html! { pre .lines { @for line in case.finding.quote.lines() { span .(class) { (visible(line)) } } } };
    };
    let mut shown: BTreeMap<u32, (&str, &str)> = BTreeMap::new();
    let looks = case.counted_looks().map(|look| (look.check.as_ref(), look.said.quote.as_str()));
    let rulings = case.rulings.iter().filter(|ruling| ruling.counts());
    let rulings = rulings.map(|ruling| (ruling.check.as_ref(), ruling.said.quote.as_str()));
    for (check, quote) in looks.chain(rulings) {
        let place = check.and_then(|check: &PlaceCheck| parse_place(&check.place).ok());
        if let Some(place) = place.filter(|place| place.path == own.path) {
            shown.extend((place.first..).zip(quote.lines()).map(|(number, line)| (number, ("x", line))));
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
                span .(class) data-n=(number) { (visible(line)) }
            }
        }
    }
}
