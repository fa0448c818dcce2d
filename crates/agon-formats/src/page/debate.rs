//! The debate itself: folded by phase, with contents, a filter by speaker, and a permalink at every entry.

use std::collections::BTreeMap;

use agon_core::{ActKind, People, Record, RulingKind};
use agon_protocols::exchange::side_labels::SideLabels;
use agon_text::count_noun;
use maud::{Markup, html};

use super::{
    argument_labels::ArgumentLabels,
    course::{CourseItem, CoursePhase, LiveRequests, SpeechBody, SpeechView, collect_phases},
    prose::{escape_invisible, render_prose},
    statement::render_statement,
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
pub fn render_debate(record: &Record, live: &LiveRequests) -> Markup {
    let all = collect_phases(record, live);
    let context = SpeechContext {
        people: agon_protocols::of(record).ok().map(|protocol| protocol.human_prompts()),
        labels: ArgumentLabels::of(record),
        is_document: crate::views_of(record).are_documents(),
    };
    let is_over = record.closing_outcome().is_some();
    let count = all.iter().map(|phase| phase_speeches(phase).count()).sum::<usize>();
    html! {
        section .part .course #debate aria-labelledby="debate-title" {
            div .head {
                h2 #debate-title { "The debate" }
                p { (count_noun(count, "statement", "statements")) }
                (render_speaker_filter(record, &all))
                (render_contents(&all, count))
            }
            div .content #course {
                @for (at, phase) in all.iter().enumerate() { (render_phase(phase, at, !is_over && at + 1 == all.len(), &context)) }
                @if all.is_empty() { p .quiet { "No statements yet." } }
            }
        }
    }
}

fn phase_speeches<'p, 'r>(phase: &'p CoursePhase<'r>) -> impl Iterator<Item = &'p SpeechView<'r>> {
    phase.items.iter().filter_map(|item| match item {
        CourseItem::Speech(speech) => Some(speech),
        _ => None,
    })
}

/// Radio buttons that show one speaker alone; the style sheet does the rest.
fn render_speaker_filter(record: &Record, all: &[CoursePhase<'_>]) -> Markup {
    let mut speakers: BTreeMap<usize, (&str, String)> = BTreeMap::new();
    for speech in all.iter().flat_map(phase_speeches).filter(|speech| speech.speaker < SPEAKERS_MAX) {
        speakers.entry(speech.speaker).or_insert((&speech.who.name, speech.who.css_class()));
    }
    let is_useful = speakers.len() > 1 && record.opened().lineup.len() <= SPEAKERS_MAX;
    html! {
        fieldset .only #only hidden[!is_useful] {
            legend { "Show" }
            label { input type="radio" name="only" id="only-all" checked; " everybody" }
            @for (at, (name, class)) in &speakers {
                label .(class) { input type="radio" name="only" id=(format!("only-{at}")); " " span dir="auto" { (escape_invisible(name)) } }
            }
        }
    }
}

fn phase_title<'p>(phase: &'p CoursePhase<'_>) -> &'p str {
    phase.began.map_or("Beginning", |(_, title)| title)
}

fn render_contents(all: &[CoursePhase<'_>], count: usize) -> Markup {
    html! {
        nav #contents aria-label="Contents of the debate" hidden[count == 0] {
            ol .index {
                @for (at, phase) in all.iter().enumerate() {
                    li {
                        a href=(format!("#phase-{at}")) { (escape_invisible(phase_title(phase))) }
                        @if count <= LISTED_MAX {
                            ol {
                                @for speech in phase_speeches(phase) {
                                    li .(speech.who.css_class()) data-by=(speech.speaker) { a href=(format!("#entry-{}", speech.seq)) dir="auto" { (escape_invisible(&speech.who.name)) } }
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
fn render_phase(phase: &CoursePhase<'_>, at: usize, is_open: bool, context: &SpeechContext<'_>) -> Markup {
    let is_note = |item: &&CourseItem<'_>| matches!(item, CourseItem::Ruling(_, RulingKind::Noted, _));
    let notes = phase.items.iter().filter(is_note).count();
    html! {
        details .phase #(format!("fold-{at}")) open[is_open] {
            summary { h3 { (escape_invisible(phase_title(phase))) } " " span { (count_noun(phase_speeches(phase).count(), "statement", "statements")) } }
            div #(format!("phase-{at}")) {
                @if let Some((seq, _)) = phase.began { span #(format!("entry-{seq}")) {} }
                @for item in phase.items.iter().filter(|item| !is_note(item)) { (self::render_item(item, context)) }
                @if notes > 0 {
                    details .notes #(format!("notes-{at}")) {
                        summary { (count_noun(notes, "note of the program", "notes of the program")) }
                        div { @for item in phase.items.iter().filter(is_note) { (self::render_item(item, context)) } }
                    }
                }
            }
        }
    }
}

fn render_item(item: &CourseItem<'_>, context: &SpeechContext<'_>) -> Markup {
    match item {
        CourseItem::Speech(view) => render_speech(view, context),
        // What was wrong may quote the draft, which nobody published.
        CourseItem::Redraft { seq, of } => html! {
            p .ruling #(format!("entry-{seq}")) {
                @if let Some(of) = of { span #(format!("entry-{of}")) {} }
                "Asked again. " (render_permalink(*seq))
            }
        },
        CourseItem::Ruling(seq, kind, text) => {
            let class = match kind {
                RulingKind::Warned => "ruling note",
                RulingKind::Absent | RulingKind::Invalidated | RulingKind::Redacted | RulingKind::Deadlocked => {
                    "ruling grave"
                }
                _ => "ruling",
            };
            html! { p class=(class) #(format!("entry-{seq}")) dir="auto" { (escape_invisible(text)) " " (render_permalink(*seq)) } }
        }
        CourseItem::Act(seq, act) => match &act.deed {
            ActKind::Interjected { text } => html! {
                article .speech .side-none #(format!("entry-{seq}")) data-state="said" aria-labelledby=(format!("who-{seq}")) {
                    header { h4 #(format!("who-{seq}")) { (escape_invisible(&act.by)) } span { "interjects" } (render_permalink(*seq)) }
                    div .words dir="auto" lang="" { (render_prose(text)) }
                }
            },
            ActKind::Cancelled { .. } => {
                html! { p .ruling .grave #(format!("entry-{seq}")) { (escape_invisible(&add_full_stop(&act.describe_act()))) " " (render_permalink(*seq)) } }
            }
            _ => {
                html! { p .ruling #(format!("entry-{seq}")) { (escape_invisible(&add_full_stop(&act.describe_act()))) " " (render_permalink(*seq)) } }
            }
        },
        CourseItem::Extended(seq) => {
            html! { p .ruling #(format!("entry-{seq}")) { "The debate was extended. " (render_permalink(*seq)) } }
        }
        CourseItem::Closed(seq, told) => {
            html! { p .ruling #(format!("entry-{seq}")) dir="auto" { (escape_invisible(told)) " " (render_permalink(*seq)) } }
        }
    }
}

/// `text` with its full stop, where it has no end of its own.
pub fn add_full_stop(text: &str) -> String {
    let end = if text.ends_with(['.', '?', '!', '…']) { "" } else { "." };
    format!("{text}{end}")
}

/// The address of an entry within the page.
fn render_permalink(seq: u64) -> Markup {
    html! { a .permalink href=(format!("#entry-{seq}")) { "entry " (seq) } }
}

fn render_speech(speech: &SpeechView<'_>, context: &SpeechContext<'_>) -> Markup {
    let SpeechView { seq, answered, key, who, speaker, by, redrafts, said, labels, prompt } = speech;
    let plain = context.people.and_then(|people| people.get(*prompt));
    let labels_of = &context.labels;
    // The script says them in what is still being written.
    let called = labels.map(|SideLabels { first }| {
        let second = first.opposite();
        format!("{} {} {} {}", first.prefix(), second.prefix(), first.name(), second.name())
    });
    html! {
        article .speech .(who.css_class()) #(format!("entry-{seq}")) data-by=(speaker) data-key=(key) data-state=(speech_state(said)) data-called=[called] aria-labelledby=(format!("who-{seq}")) {
            header {
                h4 #(format!("who-{seq}")) dir="auto" { (escape_invisible(&who.name)) }
                @if let Some(by) = by { span { (escape_invisible(by)) } }
                @if *redrafts > 0 { span { "asked " (redrafts + 1) " times" } }
                @if let Some(answered) = answered { a .permalink #(format!("entry-{answered}")) href=(format!("#entry-{answered}")) { "entry " (answered) } }
            }
            div .words dir="auto" lang="" {
                @match said {
                    SpeechBody::Text(text) => { (render_statement(text, plain, labels_of.marks_at(key), labels_of, context.is_document)) }
                    SpeechBody::Redacted => { p .quiet { "This text was redacted." } }
                    SpeechBody::Nothing(why) => { p .quiet { "No answer: " (escape_invisible(why)) } }
                    SpeechBody::Awaited => { p .quiet .awaited { "is answering" } }
                    SpeechBody::Held => { p .quiet { "has answered; it is shown when all have answered who are asked now" } }
                }
            }
        }
    }
}

fn speech_state(said: &SpeechBody<'_>) -> &'static str {
    match said {
        SpeechBody::Awaited => "awaited",
        SpeechBody::Text(_) | SpeechBody::Redacted | SpeechBody::Nothing(_) | SpeechBody::Held => "said",
    }
}

/// What did not work, one line each: it comes before anything else that a reader relies on.
pub fn list_troubles(record: &Record) -> Vec<String> {
    let mut troubles = conduct::describe_absences(record);
    troubles.extend(conduct::describe_troubles(record));
    troubles
}
