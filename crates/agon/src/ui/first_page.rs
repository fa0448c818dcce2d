//! The first page of a debate on a terminal: labels in a gutter, and next to them the question, the answer, how it ended,
//! what it cost, what the answer rests on, and what would change it. At most a screen.

use agon_core::Record;
use agon_protocols::common::struck_text;
use agon_report::first_page::{BasisPoint, FirstPage, Sentence};
use anstyle::Style;
use textwrap::Options;

use super::{BOLD, DIM, YELLOW, clip_line, displayable_sign, escape_invisible, paint_text, terminal_columns};

/// Width of the gutter, in columns.
const GUTTER: usize = 10;
/// Sentences of one part, and points of what the answer rests on.
const EACH_MAX: usize = 3;
const POINTS_MAX: usize = 8;
/// Longest account of how it ended, in characters.
const ENDING_CHARS_MAX: usize = 360;

/// The first page of `record` as it may be shown. `is_told` says that its outcome stands above already.
pub fn render_first_page(record: &Record, extraction: Option<&Record>, is_told: bool) -> String {
    let record = struck_text::publishable_record(record);
    let page = FirstPage::with_extraction(&record, extraction);
    let mut lines = vec![format_part("Question", &page.question, Style::new())];
    for (at, answer) in page.answers.iter().enumerate() {
        let label = if at == 0 { "Answer" } else { "" };
        let by = if page.answers.len() > 1 { format!("{}: ", answer.by) } else { String::new() };
        lines.push(format_part(label, &format!("{by}{}", answer.answer.action), BOLD));
        let more = [("Why:", &answer.answer.because), ("Changes if", &answer.answer.unless)].into_iter();
        let more = more.filter(|(_, text)| !text.is_empty());
        lines.extend(more.map(|(label, text)| format_part("", &format!("{label} {text}"), Style::new())));
    }
    lines.push(String::new());
    let ending = if is_told { format!("{}.", page.verdict.trim_end_matches('.')) } else { page.describe_ending() };
    lines.push(format_part("Ended", &agon_report::graph::shorten_text(&ending, ENDING_CHARS_MAX), Style::new()));
    lines.extend(page.positions.iter().map(|one| format_part("", &one.full_text(), Style::new())));
    if !page.doubts.is_empty() {
        lines.push(format_part("", &format!("Read with care. {}", join_sentences(&page.doubts, " ")), YELLOW));
    }
    lines.push(format_part("", &join_sentences(&page.trust, displayable_sign(" · ")), DIM));
    lines.extend(page.cost.iter().map(|cost| format_part("Cost", cost, DIM)));
    if !page.basis.points.is_empty() {
        lines.push(String::new());
        lines.extend(render_basis(page.basis.title, &page.basis.points));
    }
    lines.extend(render_sentences("Open", &page.open));
    lines.extend(render_sentences("Change", &page.flips));
    lines.join("\n")
}

fn join_sentences(all: &[Sentence], mark: &str) -> String {
    all.iter().map(Sentence::full_text).collect::<Vec<_>>().join(mark)
}

/// A label in the gutter, and next to it a text.
fn format_part(label: &str, text: &str, style: Style) -> String {
    let indent = " ".repeat(GUTTER);
    let text = textwrap::fill(
        &escape_invisible(text),
        Options::new(terminal_columns()).initial_indent(&indent).subsequent_indent(&indent),
    );
    let text = text.get(GUTTER.min(text.len())..).unwrap_or_default();
    format!("{}{}", format_label(label), paint_text(text, style))
}

/// A label, painted, as wide as the gutter; cut where it is longer.
fn format_label(label: &str) -> String {
    let label: String = label.chars().take(GUTTER - 1).collect();
    format!("{}{}", paint_text(&label, BOLD), " ".repeat(GUTTER - label.chars().count()))
}

/// What the answer rests on: a line each, the rest counted.
fn render_basis(title: &str, points: &[BasisPoint]) -> Vec<String> {
    let indent = " ".repeat(GUTTER);
    let label = title.split_whitespace().next().unwrap_or_default();
    let mut lines: Vec<String> = points
        .iter()
        .take(POINTS_MAX)
        .enumerate()
        .map(|(at, point)| {
            // The file alone, so that the point itself has room; report and page have the whole place.
            let place = point.place.rsplit('/').next().unwrap_or_default().to_owned();
            let line = clip_line(&BasisPoint { place, ..point.clone() }.full_text(), &indent);
            let text = line.get(GUTTER..).unwrap_or_default();
            let style = if point.is_open { YELLOW } else { Style::new() };
            format!("{}{}", format_label(if at == 0 { label } else { "" }), paint_text(text, style))
        })
        .collect();
    if points.len() > POINTS_MAX {
        lines.push(format_part("", &format!("{} {} more", displayable_sign("…"), points.len() - POINTS_MAX), DIM));
    }
    lines
}

fn render_sentences(label: &str, all: &[Sentence]) -> Vec<String> {
    let each = all.iter().take(EACH_MAX).enumerate();
    let line = |(at, one): (usize, &Sentence)| {
        let label = if at == 0 { label } else { "" };
        format_part(label, &format!("{} [entry {}]", one.full_text(), one.seq), Style::new())
    };
    each.map(line).collect()
}
