//! The report for a terminal: tables of at most 100 columns, the warnings first.

use std::fmt::Write;

use agon_text::count_noun;
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{
    EvaluationReport,
    figure_text::{FigureForm, sanitize_text},
    list::FigureGroup,
    tables::{FigureTable, Medium, build_sections},
};
use crate::figures::pilot::{PilotReport, PilotVerdict, RulingBasis};

/// Columns of the terminal that a table may take.
pub const COLUMNS_MAX: usize = 100;
/// Columns of an arm's name, and of each of two.
const NAME_COLUMNS: usize = 22;
const PAIRED_NAME_COLUMNS: usize = 15;
/// The sections in the order of the terminal: what was found, how it came about, and what it cost.
const ORDER: [&str; 8] =
    ["accuracy", "change", "probabilities", "differences", "ratings", "debaters", "judges", "cost"];

/// The whole report. It holds no colours, and no character of a foreign text that a terminal would obey.
pub fn render_text(report: &EvaluationReport) -> String {
    let mut text = String::new();
    let (title, with_gold) = (sanitize_text(&report.title), report.items_with_gold);
    let (items, arms) = (count_noun(report.items, "item", "items"), count_noun(report.arms.len(), "arm", "arms"));
    let observations = count_noun(report.observations, "observation", "observations");
    let said = format!("{title}: {items} ({with_gold} with a gold answer), {arms}, {observations}");
    write_paragraph(&mut text, &said, "");
    if !report.warnings.is_empty() {
        text.push('\n');
        report.warnings.iter().for_each(|warning| write_paragraph(&mut text, &sanitize_text(warning), "! "));
    }
    let mut sections = build_sections(report);
    sections.sort_by_key(|section| ORDER.iter().position(|id| *id == section.id));
    sections.iter().flat_map(|section| &section.tables).for_each(|of| write_table(of, &mut text));
    for pilot in &report.pilots {
        let _ = write!(text, "\nPilot: {}\n", sanitize_text(&pilot.arm));
        pilot_lines(pilot).iter().for_each(|line| write_paragraph(&mut text, line, "  "));
    }
    text
}

/// A pilot in sentences; the prediction comes first.
pub(super) fn pilot_lines(pilot: &PilotReport) -> Vec<String> {
    let chance = pilot.chance_of_gain.map(|chance| format!(", probability of a gain {chance:.2}")).unwrap_or_default();
    let arm = sanitize_text(&pilot.arm);
    let verdict = match pilot.verdict {
        PilotVerdict::Helps => format!("{arm} will probably help here"),
        PilotVerdict::Harms => format!("{arm} will probably harm here"),
        PilotVerdict::Unclear => format!("The pilot does not say whether {arm} will help here"),
    };
    let gain = match pilot.gain.value {
        Some(_) => format!(": predicted gain {} points{chance}.", FigureForm::Points.format_figure(&pilot.gain)),
        None => format!(": {}.", pilot.gain.note.as_deref().unwrap_or("no prediction")),
    };
    let basis = match pilot.basis {
        RulingBasis::Observed => {
            format!("Rulings where they differ were right: {}.", FigureForm::Share.format_figure(&pilot.rulings))
        }
        RulingBasis::Assumed => format!(
            "Rulings with a checked quote: {}. The prediction takes these as right and the others as a coin.",
            FigureForm::Share.format_figure(&pilot.verified)
        ),
        RulingBasis::Unknown => "How the judge rules where they differ is not known.".to_owned(),
    };
    let even = pilot.break_even.map(|even| match even < 1.0 {
        true => {
            format!("It helps only if the judge decides more than {:.0} % of their differences rightly.", even * 100.0)
        }
        false => "It cannot help: wherever they differ, the judge alone is right.".to_owned(),
    });
    let shares = [&pilot.judge, &pilot.critic, &pilot.gainable, &pilot.losable];
    let [judge, critic, gainable, losable] = shares.map(|share| FigureForm::Share.format_figure(share));
    let lead = FigureForm::Points.format_figure(&pilot.critic_lead);
    let lines = [
        format!("{verdict}{gain}"),
        format!("Judge alone {judge}; critic alone {critic}; critic minus judge {lead} points."),
        format!("To gain at most {gainable}; to lose at most {losable}."),
        basis,
    ];
    lines.into_iter().chain(even).collect()
}

/// A table under its title.
fn write_table(table: &FigureTable, text: &mut String) {
    let row = |row: &FigureGroup| {
        let cells = table.format_cells(row, Medium::Terminal);
        std::iter::once(row_name(row)).chain(cells.iter().map(|cell| sanitize_text(cell))).collect::<Vec<String>>()
    };
    let heads = table.column_heads(Medium::Terminal).into_iter().map(str::to_owned).collect();
    let lines: Vec<Vec<String>> = std::iter::once(heads).chain(table.rows.iter().map(row)).collect();
    let width = |at: usize| lines.iter().map(|cells| cells[at].width()).max().unwrap_or_default();
    let mut widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    // The name gives way, for at least a few letters of it.
    let others: usize = widths[1..].iter().map(|width| width + 2).sum();
    widths[0] = widths[0].min(COLUMNS_MAX.saturating_sub(others).max(8));
    let _ = write!(text, "\n{}\n", table.title);
    for cells in lines {
        let padded = widths.iter().zip(cells).map(|(width, cell)| {
            let cell = truncate_text(&cell, *width);
            let room = width.saturating_sub(cell.width());
            format!("{cell}{}", " ".repeat(room))
        });
        let line = padded.collect::<Vec<_>>().join("  ");
        text.push_str(&truncate_text(line.trim_end(), COLUMNS_MAX));
        text.push('\n');
    }
    table.notes.iter().for_each(|note| write_paragraph(text, &sanitize_text(note), ""));
}

fn row_name(row: &FigureGroup) -> String {
    if row.with.is_empty() {
        return truncate_text(&sanitize_text(&row.name), NAME_COLUMNS);
    }
    let [name, with] = [&row.name, &row.with].map(|name| truncate_text(&sanitize_text(name), PAIRED_NAME_COLUMNS));
    format!("{name} − {with}")
}

/// A text in at most `columns`, with an ellipsis where it was longer.
pub(super) fn truncate_text(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let shown = text.chars().scan(1, |used, letter| {
        *used += letter.width().unwrap_or(0);
        (*used <= columns).then_some(letter)
    });
    shown.chain(['…']).collect()
}

/// A sentence, broken into lines between its words.
fn write_paragraph(text: &mut String, said: &str, mark: &str) {
    let indent = " ".repeat(mark.width());
    let options = Options::new(COLUMNS_MAX).initial_indent(mark).subsequent_indent(&indent);
    let options = options.word_separator(WordSeparator::AsciiSpace).word_splitter(WordSplitter::NoHyphenation);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(text, "{}", textwrap::fill(&words, options));
}
