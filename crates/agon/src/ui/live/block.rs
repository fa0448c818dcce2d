//! What the reading pane shows: headings, statements and single lines, broken for any width.

use agon_core::{Key, Plain};
use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::fit;
use crate::ui::{
    BOLD, DIM, displayable_sign, escape_invisible,
    statement::{self, Line},
};

/// One thing to read.
#[derive(Debug)]
pub enum TextBlock {
    /// The heading of a part of the debate.
    Part(String),
    /// A statement.
    Statement(StatementBlock),
    /// A text of one style.
    Text { text: String, style: Style, indent: usize },
    /// The beginning of a text, on one line.
    Brief { text: String, style: Style, indent: usize },
    /// A drawing, as wide as it is.
    Drawn(Line),
    /// An empty line.
    Gap,
}

/// A statement.
#[derive(Debug)]
pub struct StatementBlock {
    pub name: String,
    pub style: Style,
    /// Whether it was asked for a second time.
    pub is_again: bool,
    pub text: String,
    pub plain: Option<&'static Plain>,
    /// Who really answered; empty while it is being written.
    pub by: String,
}

/// Whether a request asks again for what could not be used.
pub fn is_again(key: &Key) -> bool {
    key.as_str().contains("/redraft-")
}

impl TextBlock {
    /// A text on lines of its own.
    pub fn text(text: impl Into<String>, style: Style, indent: usize) -> Self {
        Self::Text { text: text.into(), style, indent }
    }

    /// Its lines, each of at most `width` columns but for drawings.
    pub fn render_lines(&self, width: usize) -> Vec<Line> {
        match self {
            TextBlock::Part(text) => {
                let text = fit::clip_to_width(&escape_invisible(text), width.saturating_sub(4));
                let rule = displayable_sign("─").repeat(width.saturating_sub(text.width() + 4));
                vec![vec![(format!("{} {text} {rule}", displayable_sign("──")), BOLD)], Line::new()]
            }
            TextBlock::Statement(statement) => statement.render_lines(width),
            TextBlock::Text { text, style, indent } => wrap_lines(text, *style, *indent, width),
            TextBlock::Brief { text, style, indent } => {
                let text = fit::clip_to_width(&escape_invisible(text), width.saturating_sub(*indent));
                vec![vec![(format!("{}{text}", " ".repeat(*indent)), *style)]]
            }
            TextBlock::Drawn(line) => vec![line.clone()],
            TextBlock::Gap => vec![Line::new()],
        }
    }
}

impl StatementBlock {
    fn render_lines(&self, width: usize) -> Vec<Line> {
        let name = format!("{}{}", displayable_sign("▌"), escape_invisible(&self.name.to_uppercase()));
        let mut lines = vec![vec![(fit::clip_to_width(&name, width), self.style)]];
        if self.is_again {
            let why = "asked again, since the first answer could not be used";
            lines.extend(wrap_lines(why, DIM, 2, width));
        }
        lines.extend(statement::render_statement_lines(&self.text, self.plain, width));
        if !self.by.is_empty() {
            lines.push(vec![(
                format!("  {}", fit::clip_to_width(&escape_invisible(&self.by), width.saturating_sub(2))),
                DIM,
            )]);
        }
        lines.push(Line::new());
        lines
    }
}

fn wrap_lines(text: &str, style: Style, indent: usize, width: usize) -> Vec<Line> {
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(width.max(1)).initial_indent(&indent).subsequent_indent(&indent);
    let lines = escape_invisible(text);
    let lines = textwrap::wrap(&lines, options);
    lines.into_iter().map(|line| vec![(line.into_owned(), style)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|(text, _)| text.as_str()).collect()).collect()
    }

    #[test]
    fn nothing_acts_on_the_terminal_and_every_line_fits() {
        let hostile = "one\u{1b}[2J two \u{202e}three four five six seven";
        let statement = StatementBlock {
            name: hostile.into(),
            style: BOLD,
            is_again: true,
            text: hostile.into(),
            plain: None,
            by: hostile.into(),
        };
        let brief = TextBlock::Brief { text: hostile.into(), style: DIM, indent: 2 };
        let blocks =
            [brief, TextBlock::Part(hostile.into()), TextBlock::Statement(statement), TextBlock::text(hostile, DIM, 2)];
        for line in blocks.iter().flat_map(|block| plain(&block.render_lines(20))) {
            assert!(line.width() <= 20, "{line:?}");
            assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line:?}");
        }
    }
}
