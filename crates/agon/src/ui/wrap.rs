//! Wraps prose while it arrives.

use unicode_width::UnicodeWidthStr;

/// Wraps pieces of prose into indented lines.
#[derive(Debug)]
pub struct WrappedText {
    width: usize,
    indent: &'static str,
    /// Columns used in this line.
    column: usize,
    /// The word that is being written.
    word: String,
}

impl WrappedText {
    /// Lines of at most `width` columns, each after `indent`.
    pub fn new(width: usize, indent: &'static str) -> Self {
        Self { width, indent, column: 0, word: String::new() }
    }

    /// What can be shown once `text` has come.
    pub fn wrap_piece(&mut self, text: &str) -> String {
        let mut shown = String::new();
        for c in text.chars() {
            match c {
                '\n' => {
                    self.end_word(&mut shown);
                    shown.push('\n');
                    self.column = 0;
                }
                c if c.is_whitespace() => self.end_word(&mut shown),
                c => self.word.push(c),
            }
        }
        shown
    }

    /// The rest, when nothing more comes.
    pub fn flush_word(&mut self) -> String {
        let mut shown = String::new();
        self.end_word(&mut shown);
        shown
    }

    fn end_word(&mut self, shown: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let width = word.width();
        if self.column > 0 && self.column + 1 + width > self.width {
            shown.push('\n');
            self.column = 0;
        }
        if self.column == 0 {
            shown.push_str(self.indent);
            self.column = self.indent.len();
        } else {
            shown.push(' ');
            self.column += 1;
        }
        shown.push_str(&word);
        self.column += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_however_it_arrives() {
        let text = "one two three four\n\nfive  sixteenlettersandmore seven";
        let wanted = "  one two\n  three four\n\n  five\n  sixteenlettersandmore\n  seven";
        for at_once in [1, 3, 100] {
            let mut flow = WrappedText::new(14, "  ");
            let chars: Vec<char> = text.chars().collect();
            let mut shown: String =
                chars.chunks(at_once).map(|chunk| flow.wrap_piece(&chunk.iter().collect::<String>())).collect();
            shown += &flow.flush_word();
            assert_eq!(shown, wanted);
        }
    }
}
