//! The report as one HTML page: plots as SVG, no script, nothing loaded. All foreign text is escaped, and characters
//! that hide or reorder text are removed.

mod drawings;

use agon_text::count_noun;
use drawings::draw_section;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    ArmReport, EvaluationReport,
    figure_text::{NONE, sanitize_text},
    methods::describe_methods,
    tables::{FigureSection, FigureTable, Medium, build_sections},
    text::{pilot_lines, truncate_text},
};
use crate::figures::availability::NamedCount;

/// The whole style of the page.
const STYLE: &str = include_str!("../page.css");
/// What the page may do: show itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Names, prompts or reasons of an arm that the page lists.
const LISTED_MAX: usize = 12;
/// Longest of them: the observations hold the whole of an error.
const NAMED_COLUMNS_MAX: usize = 100;

/// The whole page. Equal reports give equal pages.
pub fn render_page(report: &EvaluationReport) -> String {
    let title = sanitize_text(&report.title);
    let content = html! {
        (render_head(report, &title))
        @if !report.warnings.is_empty() {
            section #warnings { h2 { "Read first" }
                ul .read-first { @for warning in &report.warnings { li { (sanitize_text(warning)) } } }
            }
        }
        @if !report.pilots.is_empty() {
            section #pilot { h2 { "Will a debate help here?" }
                @for pilot in &report.pilots {
                    h3 { (sanitize_text(&pilot.arm)) }
                    @for (at, line) in pilot_lines(pilot).iter().enumerate() { p .lead[at == 0] { (line) } }
                }
            }
        }
        @for of in build_sections(report) { (render_section(&of, report)) }
        (render_origin(report))
        section #methods { h2 { "Methods" }
            dl .methods { @for (term, text) in describe_methods(report) { dt { (term) } dd { (text) } } }
        }
    };
    render_document(&title, POLICY, STYLE, &content)
}

/// A whole page, with the `policy` that it carries, its `style` and its `content`.
pub fn render_document(title: &str, policy: &str, style: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content="agon";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { main { (content) } }
        }
    };
    page.into_string() + "\n"
}

fn render_head(report: &EvaluationReport, title: &str) -> Markup {
    html! {
        header .head {
            p .kicker {
                span { (count_noun(report.items, "item", "items")) ", " (report.items_with_gold) " with a gold answer" }
                @if report.clusters < report.items { span { (count_noun(report.clusters, "cluster", "clusters")) } }
                span { (count_noun(report.arms.len(), "arm", "arms")) }
                span { (count_noun(report.observations, "observation", "observations")) }
                span { "seed " (report.seed) ", " (report.resamples) " resamples" }
            }
            h1 { (title) }
        }
    }
}

fn render_origin(report: &EvaluationReport) -> Markup {
    let list = |names: &[NamedCount]| {
        let shown = names.iter().take(LISTED_MAX);
        let shown = shown.map(|named| format!("{} ({})", truncate_text(&named.name, NAMED_COLUMNS_MAX), named.count));
        let more = (names.len() > LISTED_MAX).then(|| format!("and {} more", names.len() - LISTED_MAX));
        let all: Vec<String> = shown.chain(more).collect();
        if all.is_empty() { NONE.to_owned() } else { sanitize_text(&all.join(", ")) }
    };
    let seeds = |arm: &ArmReport| match arm.seeds {
        Some((low, high)) if low == high => low.to_string(),
        Some((low, high)) => format!("{low} to {high}"),
        None => NONE.to_owned(),
    };
    html! {
        section #origin { h2 { "What really ran" }
            div .frame tabindex="0" role="region" aria-label="Arms, and what ran for each" {
                table {
                    thead { tr { th { "arm" } th { "models that answered" } th { "prompts, by digest" } th { "seeds" } th { "records" } th { "why not" } } }
                    tbody {
                        @for arm in &report.arms {
                            tr {
                                th scope="row" { (sanitize_text(&arm.name)) }
                                td .words { (list(&arm.models)) }
                                td .digest { (list(&arm.prompts)) }
                                td { (seeds(arm)) }
                                td { (arm.records) "/" (arm.observations) }
                                td .words { (list(&arm.availability.reasons)) }
                            }
                        }
                    }
                }
            }
            p .note { "Digest of each item, and id and hash of each record, are in the observations." }
        }
    }
}

fn render_section(section: &FigureSection, report: &EvaluationReport) -> Markup {
    html! {
        section #(section.id) { h2 { (section.heading) }
            (draw_section(section, report))
            @for of in &section.tables { (render_table(of, section.tables.len() > 1)) }
        }
    }
}

/// A table whose first column names the rows; with its title where it is one of several.
fn render_table(table: &FigureTable, is_titled: bool) -> Markup {
    html! {
        div .frame tabindex="0" role="region" aria-label=(table.title) {
            table {
                @if is_titled { caption { (table.title) } }
                thead { tr { @for head in table.column_heads(Medium::Page) { th scope="col" { (head) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            th scope="row" { (sanitize_text(&row.row_title())) }
                            @for cell in table.format_cells(row, Medium::Page) { td { (bind_cell_parts(&cell)) } }
                        }
                    }
                }
            }
        }
        @for note in &table.notes { p .note { (sanitize_text(note)) } }
    }
}

/// A cell that breaks between a value, its interval and its count, and not within them.
fn bind_cell_parts(cell: &str) -> String {
    sanitize_text(cell).replace(", ", ",\u{a0}").replace(" %", "\u{a0}%")
}
