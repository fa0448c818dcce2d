//! A report as one HTML page: no script, nothing loaded, and a policy that forbids both.

use std::sync::LazyLock;

use agon_core::{Digest, Record};
use agon_eval::report::html::render_document;
use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{Markup, html};

use super::{Block, Illustration, ReportDocument, Table};
use crate::page::{self, LiveRequests, STYLE, part::render_sentences, prose::escape_invisible};

/// What the page may do: show itself, in exactly this style.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = Digest::from_content(STYLE.as_str());
    let hex = digest.as_str();
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).filter_map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect();
    format!("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'", STANDARD.encode(bytes))
});

/// The policy that the page carries; a server that sends it must send the same.
pub fn content_security_policy() -> &'static str {
    &POLICY
}

pub(super) fn render_html(sheet: &ReportDocument, record: &Record) -> String {
    let parts = page::build_first_parts(record, &sheet.first_page);
    let more: Vec<_> = sheet.sections.iter().filter(|section| !section.is_on_page).collect();
    let ways: Vec<(&str, &str)> = more.iter().map(|section| (section.id, section.title)).collect();
    let content = html! {
        header .opening {
            p .kicker { @for part in &sheet.kicker { span { (escape_invisible(part)) } " " } }
            (page::render_question(&sheet.first_page, &record.opened().motion))
        }
        (page::render_result(record, &sheet.first_page))
        (page::render_part_links(&parts, &ways))
        @for part in &parts { (part.render()) }
        (page::debate(record, &LiveRequests::default()))
        @for section in more {
            section .part #(section.id) aria-labelledby=(format!("{}-title", section.id)) {
                div .head { h2 #(format!("{}-title", section.id)) { (section.title) } }
                div .content { @for block in &section.blocks { (self::render_block(block)) } }
            }
        }
    };
    let title = format!("{} · report", escape_invisible(&sheet.title));
    render_document(&title, content_security_policy(), &STYLE, &content)
}

fn render_block(block: &Block) -> Markup {
    match block {
        Block::Prose(text) => page::render_paragraphs(text),
        Block::Note(text) => html! { p .note { (escape_invisible(text)) } },
        Block::Points { points, grave } => html! {
            ul .points.grave[*grave] {
                @for (at, text) in points {
                    li { @if !at.is_empty() { span .at { (escape_invisible(at)) } " " } (escape_invisible(text)) }
                }
            }
        },
        Block::Table(table) => render_frame("frame", &table.caption, &self::render_table(table)),
        Block::Figure(figure) => self::render_figure(figure),
        Block::Commands(lines) => {
            html! { pre .commands { @for line in lines { code { (escape_invisible(line)) } "\n" } } }
        }
        Block::Sentences(all) => render_sentences(all),
        Block::Details { summary, blocks } => html! {
            details { summary { (escape_invisible(summary)) } @for block in blocks { (self::render_block(block)) } }
        },
        // The page itself draws what was said.
        Block::Voice(_) | Block::Entry(_) => html! {},
    }
}

/// What may be wider than its column: it is moved by hand or by key, and says what it is.
fn render_frame(class: &str, label: &str, content: &Markup) -> Markup {
    html! { div .(class) tabindex="0" role="group" aria-label=(escape_invisible(label)) { (content) } }
}

fn render_table(table: &Table) -> Markup {
    let class = |column: usize| table.head.get(column).filter(|(_, figures)| *figures).map(|_| "figures");
    html! {
        table {
            @if !table.caption.is_empty() { caption { (escape_invisible(&table.caption)) } }
            thead { tr { @for (at, (head, _)) in table.head.iter().enumerate() { th scope="col" class=[class(at)] { (head) } } } }
            tbody {
                @for row in &table.rows {
                    tr {
                        @for (at, cell) in row.iter().enumerate() {
                            @if at == 0 { th scope="row" dir="auto" { (escape_invisible(cell)) } } @else { td class=[class(at)] dir="auto" { (escape_invisible(cell)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A drawing with its words, for any page.
pub fn render_figure(figure: &Illustration) -> Markup {
    html! {
        figure .wide[figure.wide] {
            @if figure.wide { (render_frame("map-frame", &figure.caption, &figure.drawing)) } @else { div { (figure.drawing) } }
            @if let Some(legend) = &figure.legend { (legend) }
            figcaption { (escape_invisible(&figure.caption)) }
            @if let Some(table) = &figure.table {
                details { summary { "As a table" } (render_frame("frame", &figure.caption, &self::render_table(table))) }
            }
        }
    }
}
