//! What the reading pane shows: headings, statements and single lines, broken for any width.

use agon_core::{Key, Plain};
use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::fit;
use crate::ui::{
    BOLD, DIM, drawn,
    statement::{self, Line},
    visible,
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
    pub fn lines(&self, width: usize) -> Vec<Line> {
        match self {
            TextBlock::Part(text) => {
                let text = fit::clipped(&visible(text), width.saturating_sub(4));
                let rule = drawn("─").repeat(width.saturating_sub(text.width() + 4));
                vec![vec![(format!("{} {text} {rule}", drawn("──")), BOLD)], Line::new()]
            }
            TextBlock::Statement(statement) => statement.lines(width),
            TextBlock::Text { text, style, indent } => wrapped(text, *style, *indent, width),
            TextBlock::Brief { text, style, indent } => {
                let text = fit::clipped(&visible(text), width.saturating_sub(*indent));
                vec![vec![(format!("{}{text}", " ".repeat(*indent)), *style)]]
            }
            TextBlock::Drawn(line) => vec![line.clone()],
            TextBlock::Gap => vec![Line::new()],
        }
    }
}

impl StatementBlock {
    fn lines(&self, width: usize) -> Vec<Line> {
        let name = format!("{}{}", drawn("▌"), visible(&self.name.to_uppercase()));
        let mut lines = vec![vec![(fit::clipped(&name, width), self.style)]];
        if self.is_again {
            let why = "asked again, since the first answer could not be used";
            lines.extend(wrapped(why, DIM, 2, width));
        }
        lines.extend(statement::styled(&self.text, self.plain, width));
        if !self.by.is_empty() {
            lines.push(vec![(
                format!("  {}", fit::clipped(&visible(&self.by), width.saturating_sub(2))),
                DIM,
            )]);
        }
        lines.push(Line::new());
        lines
    }
}

fn wrapped(text: &str, style: Style, indent: usize, width: usize) -> Vec<Line> {
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(width.max(1)).initial_indent(&indent).subsequent_indent(&indent);
    let lines = visible(text);
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
        let blocks = [
            brief,
            TextBlock::Part(hostile.into()),
            TextBlock::Statement(statement),
            TextBlock::text(hostile, DIM, 2),
        ];
        for line in blocks.iter().flat_map(|block| plain(&block.lines(20))) {
            assert!(line.width() <= 20, "{line:?}");
            assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line:?}");
        }
    }
}
