//! A report as one HTML page: no script, nothing loaded, and a policy that forbids both.

use std::sync::LazyLock;

use agon_core::Digest;
use agon_text::is_unprintable;
use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Block, Cited, Illustration, ReportDocument, Table, Voice};
use crate::{
    first_page::{BasisPoint, Sentence, StatedAnswer, TRUST_HINT},
    graph::map::{self, SIDES},
};

/// The whole style of the page.
static STYLE: LazyLock<String> = LazyLock::new(|| format!("{}{}", include_str!("report.css"), map::CSS));

/// What the page may do: show itself, in exactly this style.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = Digest::of(STYLE.as_str());
    let hex = digest.as_str();
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).filter_map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect();
    format!(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        STANDARD.encode(bytes)
    )
});

/// The policy that the page carries; a server that sends it must send the same.
pub fn policy() -> &'static str {
    &POLICY
}

pub(super) fn render(sheet: &ReportDocument) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content="agon";
                title { (visible(&sheet.title)) " · report" }
                style { (PreEscaped(STYLE.as_str())) }
            }
            body {
                main {
                    header .head {
                        p .kicker { @for part in &sheet.kicker { span { (visible(part)) } } }
                        h1 { (visible(&sheet.title)) }
                        @if let Some(motion) = &sheet.motion {
                            details .motion { summary { "The whole motion" } (paragraphs(motion)) }
                        }
                    }
                    @for section in &sheet.sections {
                        section #(section.id) aria-labelledby=(format!("{}-title", section.id)) {
                            h2 #(format!("{}-title", section.id)) { (section.title) }
                            div .content { @for block in &section.blocks { (self::block(block)) } }
                        }
                    }
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Lead(text) => html! { p .lead { (visible(text)) } },
        Block::Prose(text) => paragraphs(text),
        Block::Note(text) => html! { p .note { (visible(text)) } },
        Block::Points { points, grave } => html! {
            ul .points.grave[*grave] {
                @for (at, text) in points {
                    li { @if !at.is_empty() { span .at { (visible(at)) } " " } (visible(text)) }
                }
            }
        },
        Block::Voice(voice) => self::voice(voice),
        Block::Table(table) => html! { div .frame { (self::table(table)) } },
        Block::Figure(figure) => self::figure(figure),
        Block::Commands(lines) => {
            html! { pre .commands { @for line in lines { code { (visible(line)) } "\n" } } }
        }
        Block::Doubts(all) => html! {
            p .doubts role="note" { strong { "Read with care." } @for sentence in all { " " (self::sentence(sentence)) } }
        },
        Block::Trust(all) => html! {
            p .trust { @for sentence in all { span { (self::sentence(sentence)) } " " } small { (TRUST_HINT) } }
        },
        Block::Sentences(all) => html! {
            ul .points { @for sentence in all { li { (self::sentence(sentence)) } } }
        },
        Block::Answer(answer) => self::answer(answer),
        Block::Basis(points) => self::basis(points),
        Block::Details { summary, blocks } => html! {
            details { summary { (visible(summary)) } @for block in blocks { (self::block(block)) } }
        },
        Block::Entry(cited) => self::entry(cited),
    }
}

fn voice(voice: &Voice) -> Markup {
    let Voice { side, name, tag, items } = voice;
    html! {
        div .(voice_class(*side)) {
            h3 { (visible(name)) @if !tag.is_empty() { " " span .tag { (visible(tag)) } } }
            dl { @for (at, text) in items { dt { (visible(at)) } dd { (visible(text)) } } }
        }
    }
}

/// A sentence, its quotation, and the way to the entry that it rests on.
fn sentence(sentence: &Sentence) -> Markup {
    let Sentence { text, quote, seq } = sentence;
    html! {
        (visible(text))
        @if let Some(quote) = quote { " " q { (visible(quote)) } }
        " " a .to href=(format!("#entry-{seq}")) aria-label=(format!("entry {seq}")) { (seq) }
    }
}

/// The number of an entry, as the way to it.
fn entry_link(seq: u64) -> Markup {
    html! { a .to href=(format!("#entry-{seq}")) aria-label=(format!("entry {seq}")) { (seq) } }
}

fn answer(answer: &StatedAnswer) -> Markup {
    let StatedAnswer { by, answer, seq } = answer;
    html! {
        div .answer dir="auto" {
            p .lead { (visible(&answer.action)) }
            @if !answer.unless.is_empty() { p .unless { strong { "Changes if" } " " (visible(&answer.unless)) } }
            p .note { (visible(by)) " " (entry_link(*seq)) }
        }
    }
}

fn basis(points: &[BasisPoint]) -> Markup {
    html! {
        ol .basis {
            @for point in points {
                li .open[point.is_open] {
                    p .label { strong { (point.state) } @for part in [&point.id, &point.place] { @if !part.is_empty() { " " span .place { (visible(part)) } } } }
                    p dir="auto" { (visible(&point.text)) " " (entry_link(point.seq)) }
                    @if !point.notes.is_empty() {
                        dl { @for (label, text) in &point.notes { dt { (label) } dd dir="auto" { (visible(text)) } } }
                    }
                }
            }
        }
    }
}

fn entry(cited: &Cited) -> Markup {
    let Cited { seq, by, paragraphs, rest } = cited;
    html! {
        div .cited id=(format!("entry-{seq}")) {
            h3 { "Entry " (seq) " " span .tag { (visible(by)) } }
            @for text in paragraphs { p { (visible(text)) } }
            @if !rest.is_empty() {
                details { summary { "More of it" } @for text in rest { p { (visible(text)) } } }
            }
        }
    }
}

fn voice_class(side: Option<usize>) -> String {
    format!("voice {}", side.map_or("side-none".into(), |side| format!("side-{}", side % SIDES)))
}

fn table(table: &Table) -> Markup {
    let class = |column: usize| table.head.get(column).filter(|(_, figures)| *figures).map(|_| "figures");
    html! {
        table {
            @if !table.caption.is_empty() { caption { (visible(&table.caption)) } }
            thead { tr { @for (at, (head, _)) in table.head.iter().enumerate() { th scope="col" class=[class(at)] { (head) } } } }
            tbody {
                @for row in &table.rows {
                    tr {
                        @for (at, cell) in row.iter().enumerate() {
                            @if at == 0 { th scope="row" { (visible(cell)) } } @else { td class=[class(at)] { (visible(cell)) } }
                        }
                    }
                }
            }
        }
    }
}

fn figure(figure: &Illustration) -> Markup {
    html! {
        figure .wide[figure.wide] {
            div .map-frame[figure.wide] { (figure.drawing) }
            @if let Some(legend) = &figure.legend { (legend) }
            figcaption { (visible(&figure.caption)) }
            @if let Some(table) = &figure.table {
                details { summary { "As a table" } div .frame { (self::table(table)) } }
            }
        }
    }
}

fn paragraphs(text: &str) -> Markup {
    let whole = text.replace("\r\n", "\n");
    html! { @for part in whole.split("\n\n").map(str::trim).filter(|part| !part.is_empty()) { p { (visible(part)) } } }
}

/// `text` with what cannot be seen made visible.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            c if is_unprintable(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
