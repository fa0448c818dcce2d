//! What people see on a terminal. Everything that comes from elsewhere passes [`escape_invisible`] first.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod entries;
mod first_page;
pub mod github_output;
mod glyphs;
pub mod live;
mod log;
mod print;
mod redaction;
mod speakers;
pub mod statement;
mod warnings;
mod wrap;

use std::{
    io::{self, IsTerminal},
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_app::Failure;
use anstyle::{AnsiColor, Color, Style};
use serde_json::json;

use crate::cli::Output;

pub use self::{
    entries::JsonLines,
    first_page::render_first_page,
    glyphs::displayable_sign,
    live::Live,
    log::start_logging,
    print::{
        Hold, ProgressKind, begin_stream, can_ask, clear_status, end_stream, hold_screen, lost_output, out_part,
        print_error_line, print_line, runner_command, show_progress, show_status, stream_part,
    },
    redaction::Veil,
    warnings::{print_warnings, without_marks, without_warnings},
};

/// Whether everything is wanted, what matters to few included.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Says once, at the beginning, whether everything is wanted.
pub fn be_verbose(verbose: bool) {
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// Whether everything is wanted.
pub fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

pub const RED: Style = coloured_style(AnsiColor::Red).bold();
pub const GREEN: Style = coloured_style(AnsiColor::Green);
pub const YELLOW: Style = coloured_style(AnsiColor::Yellow);
pub const BLUE: Style = coloured_style(AnsiColor::Cyan);
pub const MAGENTA: Style = coloured_style(AnsiColor::Magenta);
pub const INDIGO: Style = coloured_style(AnsiColor::Blue);
pub const DIM: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();

const fn coloured_style(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// Whether standard output is a terminal that may be written to as one.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard output is a terminal on which a line can be taken back.
fn can_erase() -> bool {
    is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether colours are wanted: a terminal, and no `NO_COLOR` (see no-color.org).
pub fn has_colour() -> bool {
    static COLOUR: LazyLock<bool> = LazyLock::new(|| {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        can_erase() && !set("NO_COLOR")
    });
    *COLOUR
}

/// `text` in a style, where colours are wanted.
pub fn paint_text(text: &str, style: Style) -> String {
    if has_colour() { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Columns of the terminal, 40 to 100.
pub fn terminal_columns() -> usize {
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    width.clamp(40, 100)
}

/// Whether a character does something to a terminal or to the order of reading, or shows nothing.
fn needs_escaping(c: char) -> bool {
    agon_text::is_invisible(c) || (c.is_control() && c != '\n' && c != '\t')
}

/// `text` without anything that would act on a terminal, reorder what is read or hide in it: control
/// characters but line breaks and tabs, and what nobody sees, are shown by their number.
pub fn escape_invisible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if needs_escaping(c) { shown.push_str(&format!("\\u{{{:x}}}", u32::from(c))) } else { shown.push(c) }
    }
    shown
}

/// `value` as one line of JSON in which nothing acts on a terminal: what [`escape_invisible`] would show by
/// its number is escaped, as JSON allows within texts.
pub fn render_safe_json(value: &impl serde::Serialize) -> String {
    // A runner of workflows takes these signs for a command wherever they stand; a program reads the same text.
    let line = serde_json::to_string(value).unwrap_or_default().replace("##[", "#\\u0023[");
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        if needs_escaping(c) {
            // JSON writes what is beyond four digits as two halves.
            c.encode_utf16(&mut [0; 2]).iter().for_each(|half| shown.push_str(&format!("\\u{half:04x}")));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Lines of at most [`terminal_columns`] columns, each after `indent`.
pub fn wrap_text(text: &str, indent: &str) -> String {
    let options = textwrap::Options::new(terminal_columns()).initial_indent(indent).subsequent_indent(indent);
    textwrap::fill(&escape_invisible(text), options)
}

/// A line on standard error that a person should not overlook.
pub fn print_warning(text: &str) {
    print_error_line(&paint_text(&escape_invisible(text), YELLOW));
}

/// `text` on one line after `indent`, cut where the terminal ends.
pub fn clip_line(text: &str, indent: &str) -> String {
    format!("{indent}{}", live::clip_to_width(&escape_invisible(text), terminal_columns() - indent.len()))
}

/// `text`, whose lines are broken between words where the terminal is narrow, the rest of a line indented;
/// as it is where nobody sees it.
pub fn fold_text(text: &str) -> String {
    folded_where(is_terminal(), text)
}

/// The same for standard error.
pub fn folded_error(text: &str) -> String {
    folded_where(io::stderr().is_terminal(), text)
}

fn folded_where(is_seen: bool, text: &str) -> String {
    if !is_seen {
        return text.to_owned();
    }
    let fold = |line: &str| {
        let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
        textwrap::fill(line, textwrap::Options::new(terminal_columns()).subsequent_indent(&indent))
    };
    text.lines().map(fold).collect::<Vec<_>>().join("\n")
}

/// `1.10 GB`, `98 MB`.
#[cfg(feature = "local")]
pub fn format_bytes(n: u64) -> String {
    if n >= 1_000_000_000 { format!("{:.2} GB", n as f64 / 1e9) } else { format!("{:.0} MB", n as f64 / 1e6) }
}

/// Writes what ended a command to standard error.
pub fn print_failure(failure: &Failure, output: Output) {
    end_stream();
    let error = json!({"error": failure});
    match output {
        Output::Json => print_error_line(&self::render_safe_json(&error)),
        Output::Text => {
            print_error_line(&format!("{} {}", paint_text("error:", RED), escape_invisible(&failure.message)));
            if !failure.remedy.is_empty() {
                print_error_line(&format!("       {}", escape_invisible(&failure.remedy)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_elsewhere_acts_on_a_terminal() {
        let hostile = "a\u{1b}[2J\u{7}b\u{9b}31mc\u{202e}d\r\n\te";
        assert_eq!(escape_invisible(hostile), "a\\u{1b}[2J\\u{7}b\\u{9b}31mc\\u{202e}d\\u{d}\n\te");
        let line = render_safe_json(&hostile);
        assert!(!line.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{line}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }

    #[test]
    fn a_clipped_line_fits_the_terminal_in_signs_of_two_columns_too() {
        for text in ["我们镇应不应该在周末禁止汽车进入主街".repeat(9), "no ".repeat(99)] {
            let width = unicode_width::UnicodeWidthStr::width(clip_line(&text, "    ").as_str());
            assert!((terminal_columns() - 3..=terminal_columns()).contains(&width), "{width}");
        }
    }
}
