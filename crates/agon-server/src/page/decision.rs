//! What a reader decides by, above the course of a debate: the outcome, what makes it untrustworthy and how far it can
//! be trusted, the strongest case of each side, what would change the outcome, and what was not settled.

use agon_core::{DebateId, Outcome, Record, Seat};
use agon_formats::report::decision::{Case, Decision, Sentence};
use maud::{Markup, html};

use super::{
    prose::{prose, visible},
    speech::{SIDES, Speaker},
};

/// All of it for a debate that has ended with `outcome`.
pub fn decision(record: &Record, extraction: Option<&Record>, outcome: &Outcome, id: &DebateId) -> Markup {
    let Decision { verdict, is_void, doubts, trust, cases, flips, open, .. } =
        Decision::with(record, extraction);
    let side = outcome.winner.as_ref().and_then(|winner| {
        let seat = Seat::new(winner.to_lowercase()).ok()?;
        Some(Speaker::at(record, &seat).class())
    });
    html! {
        div .outcome.void[is_void] {
            p .verdict .(side.unwrap_or_default()) { (visible(&verdict)) }
            @if !doubts.is_empty() {
                p .doubts role="note" { strong { "Read with care." } @for one in &doubts { " " (sentence(one, id)) } }
            }
            p .trust { @for one in &trust { span { (sentence(one, id)) } " " } }
            div .told { (prose(&outcome.told())) }
        }
        @if !cases.is_empty() {
            section .decision aria-labelledby="cases-title" {
                h2 #cases-title { "The strongest case of each side" }
                @for case in &cases { (self::case(case, id)) }
            }
        }
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

fn case(case: &Case, id: &DebateId) -> Markup {
    let class = case.side.map_or("side-none".to_owned(), |side| format!("side-{}", side % SIDES));
    html! {
        div .case .(class) {
            h3 { (visible(&case.name)) @if !case.tag.is_empty() { " " small { (visible(&case.tag)) } } }
            @for one in &case.sentences { p { (sentence(one, id)) } }
        }
    }
}

/// A sentence with its quotation, and the way to the entry that it rests on: the report shows each of them.
fn sentence(sentence: &Sentence, id: &DebateId) -> Markup {
    let Sentence { text, quote, seq } = sentence;
    html! {
        (visible(text))
        @if let Some(quote) = quote { " " q { (visible(quote)) } }
        " " a .to href=(format!("/debates/{id}/report#entry-{seq}")) aria-label=(format!("entry {seq}")) { (seq) }
    }
}
