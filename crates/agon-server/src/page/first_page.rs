//! The first page of a debate, above its course: the answer, how it ended and how far that can be trusted, what the
//! answer rests on, what would change the outcome, and what was not settled.

use agon_core::{DebateId, Outcome, Record, Seat};
use agon_formats::first_page::{AnswerBasis, FirstPage, Sentence, StatedAnswer};
use maud::{Markup, html};

use super::{
    live_feed::Speaker,
    prose::{prose, visible},
};

/// All of it for a debate that has ended with `outcome`.
pub fn render_first_page(
    record: &Record,
    extraction: Option<&Record>,
    outcome: &Outcome,
    id: &DebateId,
) -> Markup {
    let FirstPage { answers, verdict, is_void, doubts, trust, cost, basis, flips, open, .. } =
        FirstPage::with(record, extraction);
    let side = outcome.winner.as_ref().and_then(|winner| {
        let seat = Seat::new(winner.to_lowercase()).ok()?;
        Some(Speaker::at(record, &seat).class())
    });
    html! {
        @for answer in &answers { (self::answer(answer, id)) }
        div .outcome.void[is_void] {
            p .verdict .(side.unwrap_or_default()) { (visible(&verdict)) }
            @if !doubts.is_empty() {
                p .doubts role="note" { strong { "Read with care." } @for one in &doubts { " " (sentence(one, id)) } }
            }
            p .trust { @for one in &trust { span { (sentence(one, id)) } " " } }
            div .told { (prose(&outcome.told())) }
            @if let Some(cost) = &cost { p .trust { (cost) } }
        }
        (self::basis(&basis, id))
        (list("change", "What would change the outcome", &flips, id))
        (list("open", "What was not settled", &open, id))
    }
}

fn list(name: &str, title: &str, sentences: &[Sentence], id: &DebateId) -> Markup {
    html! {
        @if !sentences.is_empty() {
            section .decision aria-labelledby=(format!("{name}-title")) {
                h2 id=(format!("{name}-title")) { (title) }
                ul { @for one in sentences { li { (sentence(one, id)) } } }
            }
        }
    }
}

/// An answer to the question, first and largest.
fn answer(answer: &StatedAnswer, id: &DebateId) -> Markup {
    let StatedAnswer { by, answer, seq } = answer;
    html! {
        div .answer dir="auto" {
            p .lead { (visible(&answer.action)) }
            @if !answer.unless.is_empty() { p .unless { strong { "Changes if" } " " (visible(&answer.unless)) } }
            p .by { (visible(by)) " " (entry_link(*seq, id)) }
        }
    }
}

/// What the answer rests on.
fn basis(basis: &AnswerBasis, id: &DebateId) -> Markup {
    html! {
        @if !basis.points.is_empty() {
            section .decision aria-labelledby="basis-title" {
                h2 #basis-title { (basis.title) }
                ol .basis {
                    @for point in &basis.points {
                        li .open[point.is_open] {
                            p .label { strong { (point.state) } @for part in [&point.id, &point.place] { @if !part.is_empty() { " " span .place { (visible(part)) } } } }
                            p dir="auto" { (visible(&point.text)) " " (entry_link(point.seq, id)) }
                            @if !point.notes.is_empty() {
                                dl { @for (label, text) in &point.notes { dt { (label) } dd dir="auto" { (visible(text)) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The number of an entry, as the way to it: the report shows each of them.
fn entry_link(seq: u64, id: &DebateId) -> Markup {
    html! { a .to href=(format!("/debates/{id}/report#entry-{seq}")) aria-label=(format!("entry {seq}")) { (seq) } }
}

/// A sentence with its quotation, and the way to the entry that it rests on.
fn sentence(sentence: &Sentence, id: &DebateId) -> Markup {
    let Sentence { text, quote, seq } = sentence;
    html! {
        (visible(text))
        @if let Some(quote) = quote { " " q { (visible(quote)) } }
        " " (entry_link(*seq, id))
    }
}
