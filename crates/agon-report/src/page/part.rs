//! A part of a debate's page, and what parts of every kind of debate are drawn from.

use maud::{Markup, html};

use super::prose::escape_invisible;
use crate::first_page::{BasisPoint, Sentence};

/// What a protocol shows of its debates in a form of its own: findings, flaws, points, weaknesses, scores.
#[derive(Debug, Clone)]
pub struct PagePart {
    /// Names it in links; each part of a page has its own.
    pub id: &'static str,
    /// Heading.
    pub title: &'static str,
    /// What a reader should know of all of it, in a sentence; may be empty.
    pub about: String,
    /// What it shows.
    pub body: Markup,
}

impl PagePart {
    /// It, as a section with its heading.
    pub fn render(&self) -> Markup {
        let Self { id, title, about, body } = self;
        html! {
            section .part #(id) aria-labelledby=(format!("{id}-title")) {
                div .head { h2 #(format!("{id}-title")) { (title) } @if !about.is_empty() { p { (escape_invisible(about)) } } }
                div .content { (body) }
            }
        }
    }
}

/// The number of an entry, as the way to it.
pub fn entry_link(seq: u64) -> Markup {
    html! { a .to href=(format!("#entry-{seq}")) aria-label=(format!("entry {seq}")) { (seq) } }
}

/// Words of a participant, as text.
pub fn render_words(text: &str) -> Markup {
    html! { span dir="auto" lang="" { (escape_invisible(text)) } }
}

/// Words of a participant that stand elsewhere, as a quotation.
pub fn render_quotation(text: &str) -> Markup {
    html! { q dir="auto" lang="" { (escape_invisible(text)) } }
}

/// How a thing stands: a sign of the style sheet, and the word.
pub fn render_mark(class: &str, word: &str) -> Markup {
    html! { span .m .(class) { (escape_invisible(word)) } }
}

/// The head of a table with these columns.
pub fn render_table_head(columns: &[&str]) -> Markup {
    html! {
        thead role="rowgroup" { tr role="row" { @for column in columns { th scope="col" role="columnheader" { (column) } } } }
    }
}

/// A sentence, its quotation, and the way to the entry that it rests on.
pub fn render_sentence(sentence: &Sentence) -> Markup {
    let Sentence { text, quote, seq } = sentence;
    html! {
        (escape_invisible(text))
        @if let Some(quote) = quote { " " (render_quotation(quote)) }
        " " (entry_link(*seq))
    }
}

/// Sentences of equal weight.
pub fn render_sentences(all: &[Sentence]) -> Markup {
    html! { ul .points { @for one in all { li { (render_sentence(one)) } } } }
}

/// Points with their notes, each as a paragraph.
pub fn render_points(all: &[BasisPoint]) -> Markup {
    html! {
        ol .basis {
            @for point in all {
                li .open[point.is_open] {
                    p .label { strong { (point.state) } @for part in [&point.id, &point.place] { @if !part.is_empty() { " " span .place { (escape_invisible(part)) } } } }
                    p { (render_words(&point.text)) " " (entry_link(point.seq)) }
                    (render_notes(point))
                }
            }
        }
    }
}

/// What belongs to a point, each with its label.
pub fn render_notes(point: &BasisPoint) -> Markup {
    html! {
        @if !point.notes.is_empty() {
            dl .says { @for (label, text) in &point.notes { dt { (label) } dd { (render_words(text)) } } }
        }
    }
}
