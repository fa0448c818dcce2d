//! Tables, lists and notes of Markdown that the files of several protocols have.

use std::fmt::Display;

use agon_core::Record;
use agon_text::markdown::escape_start;

use crate::{page::prose::escape_invisible, participation};

/// A table with these `columns`, whose `rows` are written out.
pub(crate) fn render_table(columns: &[&str], rows: impl IntoIterator<Item = String>) -> String {
    let head = [format!("| {} |", columns.join(" | ")), format!("|{}", "---|".repeat(columns.len()))];
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// Lines of a file, or what stands there without any.
pub(crate) fn join_lines(lines: impl IntoIterator<Item = String>, none: &str) -> String {
    let lines: Vec<String> = lines.into_iter().collect();
    if lines.is_empty() { none.to_owned() } else { lines.join("\n") }
}

/// A list with a bullet before each item.
pub(crate) fn render_bullets(items: impl IntoIterator<Item = impl Display>) -> String {
    join_lines(items.into_iter().map(|item| format!("- {item}")), "")
}

/// A list with a number before each item, or what stands there without any.
pub(crate) fn number_items(items: impl IntoIterator<Item = impl Display>, none: &str) -> String {
    join_lines(items.into_iter().zip(1..).map(|(item, number)| format!("{number}. {item}")), none)
}

/// What did not work in a debate, unless a reader `is_told` of it elsewhere, then `more`, and who answered; none where
/// there is nothing of it. `name` is what the seats are called.
pub(crate) fn render_reader_notes(
    record: &Record,
    is_told: impl Fn(&str) -> bool,
    more: Vec<String>,
    name: impl Fn(&participation::SeatSummary) -> String,
) -> Option<String> {
    let mut notes = participation::describe_absences(record);
    notes.retain(|text| !is_told(text));
    notes.extend(participation::describe_troubles(record));
    notes.extend(more);
    let seats = participation::list_seat_summaries(record);
    let answered = seats.iter().filter(|sat| !sat.answered.is_empty()).map(|sat| {
        let models: Vec<&str> = sat.answered.iter().map(String::as_str).collect();
        format!("{} {}", name(sat), models.join(" and "))
    });
    let answered = answered.collect::<Vec<_>>().join(", ");
    if !answered.is_empty() {
        notes.push(format!("Answered by: {answered}."));
    }
    (!notes.is_empty()).then(|| render_bullets(notes.iter().map(|note| escape_start(note))))
}

/// `text` as a quote: whatever structure it has stays within.
pub(crate) fn quote_text(text: &str) -> String {
    join_lines(text.trim_end().lines().map(|line| if line.is_empty() { ">".into() } else { format!("> {line}") }), "")
}

/// `text` letter by letter: within a line, or in a fence that it cannot close.
pub(crate) fn quote_code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if text.contains('\n') {
        return fence_code(text);
    }
    let (mark, gap) = ("`".repeat(longest + 1), if longest > 0 || text.is_empty() { " " } else { "" });
    format!("{mark}{gap}{}{gap}{mark}", escape_invisible(text))
}

/// Words as they stand, in a fence that they cannot close.
pub(crate) fn fence_code(text: &str) -> String {
    const FENCE_MIN: usize = 3;
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(FENCE_MIN.max(longest + 1));
    format!("{fence}\n{}\n{fence}", escape_invisible(text))
}

/// `line` with what cannot be seen escaped.
pub(crate) fn escape_unprintable(line: &str) -> String {
    escape_invisible(line).replace('\n', "\\u{a}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_cannot_close_its_fence() {
        assert_eq!(fence_code("a\n```\n# b"), "````\na\n```\n# b\n````");
        assert_eq!(fence_code("x\u{202e}y"), "```\nx\\u{202e}y\n```");
    }
}
