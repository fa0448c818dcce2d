//! A report as one HTML page: no script, nothing loaded, and a policy that forbids both.

use std::sync::LazyLock;

use agon_core::{Digest, Record};
use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Block, Illustration, ReportDocument, Table, Voice};
use crate::{
    graph::map::SIDES,
    page::{self, LiveRequests, STYLE, part::sentences, prose::visible},
};

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

pub(super) fn render(sheet: &ReportDocument, record: &Record) -> String {
    let parts = page::parts(record, &sheet.first_page);
    let more: Vec<_> = sheet.sections.iter().filter(|section| !section.is_on_page).collect();
    let ways: Vec<(&str, &str)> = more.iter().map(|section| (section.id, section.title)).collect();
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
                    header .opening {
                        p .kicker { @for part in &sheet.kicker { span { (visible(part)) } " " } }
                        (page::question(&sheet.first_page, &record.opened().motion))
                    }
                    (page::result(record, &sheet.first_page))
                    (page::ways(&parts, &ways))
                    @for part in &parts { (part.draw()) }
                    (page::debate(record, &LiveRequests::default()))
                    @for section in more {
                        section .part #(section.id) aria-labelledby=(format!("{}-title", section.id)) {
                            div .head { h2 #(format!("{}-title", section.id)) { (section.title) } }
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
        Block::Prose(text) => page::paragraphs(text),
        Block::Note(text) => html! { p .note { (visible(text)) } },
        Block::Points { points, grave } => html! {
            ul .points.grave[*grave] {
                @for (at, text) in points {
                    li { @if !at.is_empty() { span .at { (visible(at)) } " " } (visible(text)) }
                }
            }
        },
        Block::Voice(voice) => self::voice(voice),
        Block::Table(table) => {
            html! { div .frame tabindex="0" role="group" aria-label=(visible(&table.caption)) { (self::table(table)) } }
        }
        Block::Figure(figure) => self::figure(figure),
        Block::Commands(lines) => {
            html! { pre .commands { @for line in lines { code { (visible(line)) } "\n" } } }
        }
        Block::Sentences(all) => sentences(all),
        Block::Details { summary, blocks } => html! {
            details { summary { (visible(summary)) } @for block in blocks { (self::block(block)) } }
        },
        // The page itself draws what a reader decides by, and every entry.
        Block::Lead(_)
        | Block::Doubts(_)
        | Block::Trust(_)
        | Block::Answer(_)
        | Block::Basis(_)
        | Block::Entry(_) => html! {},
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

/// A drawing with its words, for any page.
pub fn figure(figure: &Illustration) -> Markup {
    html! {
        figure .wide[figure.wide] {
            div .map-frame[figure.wide] tabindex=[figure.wide.then_some("0")] { (figure.drawing) }
            @if let Some(legend) = &figure.legend { (legend) }
            figcaption { (visible(&figure.caption)) }
            @if let Some(table) = &figure.table {
                details { summary { "As a table" } div .frame { (self::table(table)) } }
            }
        }
    }
}
