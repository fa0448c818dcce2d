//! The debate itself: folded by phase, with contents, a filter by speaker, and a permalink at every entry.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Act, ActKind, Event, People, Record, Request, RulingKind};
use agon_text::count_noun;
use maud::{Markup, html};

use super::{
    course::{CourseItem, CoursePhase, LiveRequests, SpeechBody, SpeechView, collect_phases},
    prose::{escape_invisible, render_prose},
    statement::{ArgumentLabels, render_statement},
};
use crate::{ruling_view::tell_ruling, views::Views};

/// Speakers that can be shown alone: each needs a rule of the style sheet.
pub(super) const SPEAKERS_MAX: usize = 16;
/// Speeches from which on the contents name phases alone.
const LISTED_MAX: usize = 60;

/// What a statement is drawn with.
struct SpeechContext<'r> {
    record: &'r Record,
    views: &'static dyn Views,
    people: Option<&'r People>,
    labels: ArgumentLabels,
    /// Entries of the answers that are told as what was said.
    said: BTreeSet<u64>,
    /// For each statement, that of its speaker which comes next.
    next: BTreeMap<u64, u64>,
}

/// The whole debate; while it is not over, with what is asked now.
pub fn render_debate(record: &Record, live: &LiveRequests) -> Markup {
    let all = collect_phases(record, live);
    let views = crate::views_of(record);
    let context = SpeechContext {
        record,
        views,
        people: agon_protocols::find_rules(record).ok().map(|protocol| protocol.human_prompts()),
        labels: views.collect_argument_marks(record),
        said: all.iter().flat_map(phase_speeches).filter_map(|speech| speech.answered).collect(),
        next: find_next_statements(&all),
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

fn find_next_statements(all: &[CoursePhase<'_>]) -> BTreeMap<u64, u64> {
    let mut last = BTreeMap::new();
    let speeches = all.iter().flat_map(phase_speeches);
    speeches.filter_map(|speech| Some((last.insert(speech.speaker, speech.seq)?, speech.seq))).collect()
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
    let is_note = |item: &&CourseItem<'_>| matches!(item, CourseItem::Entry(_, Event::Ruled { ruling, .. }) if ruling.kind == RulingKind::Noted);
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
        CourseItem::Entry(seq, what) => render_entry(*seq, what, context),
    }
}

fn render_entry(seq: u64, what: &Event, context: &SpeechContext<'_>) -> Markup {
    let id = format!("entry-{seq}");
    match what {
        // What was wrong may quote the draft, which nobody published.
        Event::Asked(Request { redraft, .. }) => {
            let of = redraft.as_ref().and_then(|redraft| context.record.find_answer(&redraft.of)).map(|(of, _)| of);
            // An answer that went back and stands all the same is told once, as what was said.
            let of = of.filter(|of| !context.said.contains(of));
            html! {
                p .ruling #(id) {
                    @if let Some(of) = of { span #(format!("entry-{of}")) {} }
                    "Asked again. " (render_permalink(seq))
                }
            }
        }
        Event::Ruled { ruling, .. } => {
            let class = match ruling.kind {
                RulingKind::Warned => "ruling note",
                RulingKind::Absent | RulingKind::Invalidated | RulingKind::Redacted | RulingKind::Deadlocked => {
                    "ruling grave"
                }
                _ => "ruling",
            };
            let text = tell_ruling(ruling);
            html! { p class=(class) #(id) dir="auto" { (escape_invisible(&text)) " " (render_permalink(seq)) } }
        }
        Event::Acted(Act { by, deed: ActKind::Interjected { text } }) => html! {
            article .speech .side-none #(id) data-state="said" aria-labelledby=(format!("who-{seq}")) {
                header { h4 #(format!("who-{seq}")) { (escape_invisible(by)) } span { "interjects" } (render_permalink(seq)) }
                div .words dir="auto" lang="" { (render_prose(text)) }
            }
        },
        Event::Acted(act) => {
            let is_grave = matches!(act.deed, ActKind::Cancelled { .. });
            html! { p .ruling .grave[is_grave] #(id) { (escape_invisible(&add_full_stop(&act.describe_act()))) " " (render_permalink(seq)) } }
        }
        Event::Extended { .. } => html! { p .ruling #(id) { "The debate was extended. " (render_permalink(seq)) } },
        Event::Closed { outcome } => html! {
            p .ruling #(id) dir="auto" { (escape_invisible(&outcome.render_summary())) " " (render_permalink(seq)) }
        },
        Event::Opened(_) | Event::Answered(_) => html! {},
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
    let SpeechView { seq, answered, request, who, speaker, by, redrafts, said, called } = speech;
    let plain = context.people.and_then(|people| people.get(&request.prompt));
    let labels = &context.labels;
    let marks = labels.get(&request.key).map(Vec::as_slice).unwrap_or_default();
    let state = if matches!(said, SpeechBody::Awaited) { "awaited" } else { "said" };
    html! {
        article .speech .(who.css_class()) #(format!("entry-{seq}")) data-by=(speaker) data-key=(request.key) data-state=(state) data-called=[called.as_ref()] aria-labelledby=(format!("who-{seq}")) {
            header {
                h4 #(format!("who-{seq}")) dir="auto" { (escape_invisible(&who.name)) }
                @if let Some(by) = by { span { (escape_invisible(by)) } }
                @if *redrafts > 0 { span { "asked " (redrafts + 1) " times" } }
                @if let Some(answered) = answered { a .permalink #(format!("entry-{answered}")) href=(format!("#entry-{answered}")) { "entry " (answered) } }
            }
            div .words dir="auto" lang="" {
                @match said {
                    SpeechBody::Text(text) => { (render_statement(text, plain, marks, labels, context.views.are_documents())) }
                    SpeechBody::Redacted => { p .quiet { "This text was redacted." } }
                    SpeechBody::Nothing(why) => { p .quiet { "No answer: " (escape_invisible(why)) } }
                    SpeechBody::Awaited => { p .quiet .awaited { "is answering" } }
                    SpeechBody::Held => { p .quiet { "has answered; it is shown when all have answered who are asked now" } }
                }
            }
            @if let Some(next) = context.next.get(seq) { p .next dir="auto" { a href=(format!("#entry-{next}")) { "Next of " (escape_invisible(&who.name)) } } }
        }
    }
}
