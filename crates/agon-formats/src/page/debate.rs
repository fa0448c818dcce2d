//! The debate itself: folded by phase, with contents, a filter by speaker, and a permalink at every entry.

use std::collections::BTreeMap;

use agon_core::{ActKind, People, Record, RulingKind};
use agon_protocols::exchange::side_labels::SideLabels;
use agon_text::count_noun;
use maud::{Markup, html};

use super::{
    argument_labels::ArgumentLabels,
    course::{CourseItem, CoursePhase, LiveRequests, SpeechBody, SpeechView, phases},
    prose::{prose, visible},
    statement::statement,
};
use crate::conduct;

/// Speakers that can be shown alone: each needs a rule of the style sheet.
pub(super) const SPEAKERS_MAX: usize = 16;
/// Speeches from which on the contents name phases alone.
const LISTED_MAX: usize = 60;

/// What a statement is drawn with.
struct SpeechContext<'r> {
    people: Option<&'r People>,
    labels: ArgumentLabels,
    is_document: bool,
}

/// The whole debate; while it is not over, with what is asked now.
pub fn draw(record: &Record, live: &LiveRequests) -> Markup {
    let all = phases(record, live);
    let context = SpeechContext {
        people: agon_protocols::of(record).ok().map(|protocol| protocol.people()),
        labels: ArgumentLabels::of(record),
        is_document: crate::views_of(record).are_documents(),
    };
    let is_over = record.closed().is_some();
    let count = all.iter().map(|phase| speeches(phase).count()).sum::<usize>();
    html! {
        section .part .course #debate aria-labelledby="debate-title" {
            div .head {
                h2 #debate-title { "The debate" }
                p { (count_noun(count, "statement", "statements")) }
                (filter(record, &all))
                (contents(&all, count))
            }
            div .content #course {
                @for (at, phase) in all.iter().enumerate() { (fold(phase, at, !is_over && at + 1 == all.len(), &context)) }
                @if all.is_empty() { p .quiet { "No statements yet." } }
            }
        }
    }
}

fn speeches<'p, 'r>(phase: &'p CoursePhase<'r>) -> impl Iterator<Item = &'p SpeechView<'r>> {
    phase.items.iter().filter_map(|item| match item {
        CourseItem::Speech(speech) => Some(speech),
        _ => None,
    })
}

/// Radio buttons that show one speaker alone; the style sheet does the rest.
fn filter(record: &Record, all: &[CoursePhase<'_>]) -> Markup {
    let mut speakers: BTreeMap<usize, (&str, String)> = BTreeMap::new();
    for speech in all.iter().flat_map(speeches).filter(|speech| speech.speaker < SPEAKERS_MAX) {
        speakers.entry(speech.speaker).or_insert((&speech.who.name, speech.who.class()));
    }
    let is_useful = speakers.len() > 1 && record.opened().lineup.len() <= SPEAKERS_MAX;
    html! {
        fieldset .only #only hidden[!is_useful] {
            legend { "Show" }
            label { input type="radio" name="only" id="only-all" checked; " everybody" }
            @for (at, (name, class)) in &speakers {
                label .(class) { input type="radio" name="only" id=(format!("only-{at}")); " " span dir="auto" { (visible(name)) } }
            }
        }
    }
}

fn title<'p>(phase: &'p CoursePhase<'_>) -> &'p str {
    phase.began.map_or("Beginning", |(_, title)| title)
}

fn contents(all: &[CoursePhase<'_>], count: usize) -> Markup {
    html! {
        nav #contents aria-label="Contents of the debate" hidden[count == 0] {
            ol .index {
                @for (at, phase) in all.iter().enumerate() {
                    li {
                        a href=(format!("#phase-{at}")) { (visible(title(phase))) }
                        @if count <= LISTED_MAX {
                            ol {
                                @for speech in speeches(phase) {
                                    li .(speech.who.class()) data-by=(speech.speaker) { a href=(format!("#entry-{}", speech.seq)) dir="auto" { (visible(&speech.who.name)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A phase behind one line. What links lead to stands within, so that browsers open it.
fn fold(phase: &CoursePhase<'_>, at: usize, is_open: bool, context: &SpeechContext<'_>) -> Markup {
    let is_note = |item: &&CourseItem<'_>| matches!(item, CourseItem::Ruling(_, RulingKind::Noted, _));
    let notes = phase.items.iter().filter(is_note).count();
    html! {
        details .phase #(format!("fold-{at}")) open[is_open] {
            summary { h3 { (visible(title(phase))) } " " span { (count_noun(speeches(phase).count(), "statement", "statements")) } }
            div #(format!("phase-{at}")) {
                @if let Some((seq, _)) = phase.began { span #(format!("entry-{seq}")) {} }
                @for item in phase.items.iter().filter(|item| !is_note(item)) { (self::item(item, context)) }
                @if notes > 0 {
                    details .notes #(format!("notes-{at}")) {
                        summary { (count_noun(notes, "note of the program", "notes of the program")) }
                        div { @for item in phase.items.iter().filter(is_note) { (self::item(item, context)) } }
                    }
                }
            }
        }
    }
}

fn item(item: &CourseItem<'_>, context: &SpeechContext<'_>) -> Markup {
    match item {
        CourseItem::Speech(view) => speech(view, context),
        // What was wrong may quote the draft, which nobody published.
        CourseItem::Redraft { seq, of } => html! {
            p .ruling #(format!("entry-{seq}")) {
                @if let Some(of) = of { span #(format!("entry-{of}")) {} }
                "Asked again. " (permalink(*seq))
            }
        },
        CourseItem::Ruling(seq, kind, text) => {
            let class = match kind {
                RulingKind::Warned => "ruling note",
                RulingKind::Absent
                | RulingKind::Invalidated
                | RulingKind::Redacted
                | RulingKind::Deadlocked => "ruling grave",
                _ => "ruling",
            };
            html! { p class=(class) #(format!("entry-{seq}")) dir="auto" { (visible(text)) " " (permalink(*seq)) } }
        }
        CourseItem::Act(seq, act) => match &act.deed {
            ActKind::Interjected { text } => html! {
                article .speech .side-none #(format!("entry-{seq}")) data-state="said" aria-labelledby=(format!("who-{seq}")) {
                    header { h4 #(format!("who-{seq}")) { (visible(&act.by)) } span { "interjects" } (permalink(*seq)) }
                    div .words dir="auto" lang="" { (prose(text)) }
                }
            },
            ActKind::Cancelled { .. } => {
                html! { p .ruling .grave #(format!("entry-{seq}")) { (visible(&ended(&act.line()))) " " (permalink(*seq)) } }
            }
            _ => {
                html! { p .ruling #(format!("entry-{seq}")) { (visible(&ended(&act.line()))) " " (permalink(*seq)) } }
            }
        },
        CourseItem::Extended(seq) => {
            html! { p .ruling #(format!("entry-{seq}")) { "The debate was extended. " (permalink(*seq)) } }
        }
        CourseItem::Closed(seq, told) => {
            html! { p .ruling #(format!("entry-{seq}")) dir="auto" { (visible(told)) " " (permalink(*seq)) } }
        }
    }
}

/// `text` with its full stop, where it has no end of its own.
pub fn ended(text: &str) -> String {
    let end = if text.ends_with(['.', '?', '!', '…']) { "" } else { "." };
    format!("{text}{end}")
}

/// The address of an entry within the page.
fn permalink(seq: u64) -> Markup {
    html! { a .permalink href=(format!("#entry-{seq}")) { "entry " (seq) } }
}

fn speech(speech: &SpeechView<'_>, context: &SpeechContext<'_>) -> Markup {
    let SpeechView { seq, answered, key, who, speaker, by, redrafts, said, labels, prompt } = speech;
    let plain = context.people.and_then(|people| people.get(*prompt));
    let labels_of = &context.labels;
    // The script says them in what is still being written.
    let called = labels.map(|SideLabels { first }| {
        let second = first.other();
        format!("{} {} {} {}", first.prefix(), second.prefix(), first.name(), second.name())
    });
    html! {
        article .speech .(who.class()) #(format!("entry-{seq}")) data-by=(speaker) data-key=(key) data-state=(word(said)) data-called=[called] aria-labelledby=(format!("who-{seq}")) {
            header {
                h4 #(format!("who-{seq}")) dir="auto" { (visible(&who.name)) }
                @if let Some(by) = by { span { (visible(by)) } }
                @if *redrafts > 0 { span { "asked " (redrafts + 1) " times" } }
                @if let Some(answered) = answered { a .permalink #(format!("entry-{answered}")) href=(format!("#entry-{answered}")) { "entry " (answered) } }
            }
            div .words dir="auto" lang="" {
                @match said {
                    SpeechBody::Text(text) => { (statement(text, plain, labels_of.at(key), labels_of, context.is_document)) }
                    SpeechBody::Redacted => { p .quiet { "This text was redacted." } }
                    SpeechBody::Nothing(why) => { p .quiet { "No answer: " (visible(why)) } }
                    SpeechBody::Awaited => { p .quiet .awaited { "is answering" } }
                    SpeechBody::Held => { p .quiet { "has answered; it is shown when all have answered who are asked now" } }
                }
            }
        }
    }
}

fn word(said: &SpeechBody<'_>) -> &'static str {
    match said {
        SpeechBody::Awaited => "awaited",
        SpeechBody::Text(_) | SpeechBody::Redacted | SpeechBody::Nothing(_) | SpeechBody::Held => "said",
    }
}

/// What did not work, one line each: it comes before anything else that a reader relies on.
pub fn troubles(record: &Record) -> Vec<String> {
    let mut troubles = conduct::absences(record);
    troubles.extend(conduct::troubles(record));
    troubles
}
