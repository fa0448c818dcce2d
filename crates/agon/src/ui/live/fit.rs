//! Texts that fit a width.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::ui::drawn;

/// Between the parts of a line.
pub const SEPARATOR: &str = " · ";

/// `text` on one line of at most `width` columns; what is cut is marked.
pub fn clipped(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= width {
        return line;
    }
    let mark = drawn("…");
    let mut kept = start(&line, width.saturating_sub(mark.width())).trim_end().to_owned();
    kept.push_str(mark);
    start(&kept, width).to_owned()
}

/// As many whole characters of the beginning of `text` as `width` columns hold.
pub fn start(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            return &text[..at];
        }
    }
    text
}

/// As many whole characters of the end of `text` as `width` columns hold.
pub fn end(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > width {
            return &text[at + c.len_utf8()..];
        }
    }
    text
}

/// The first of `parts`, and those after it that fit as a whole, on a line of at most `width` columns.
pub fn joined<'p>(parts: impl IntoIterator<Item = &'p str>, width: usize) -> String {
    let separator = drawn(SEPARATOR);
    let mut line = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if line.is_empty() {
            line = clipped(part, width);
        } else if line.width() + separator.width() + part.width() <= width {
            line.push_str(separator);
            line.push_str(part);
        }
    }
    line
}

/// A time as minutes and seconds, `1:02`, or with hours, `2:01:02`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_by_columns_and_not_by_characters() {
        assert_eq!(clipped("one  two", 20), "one two");
        assert_eq!(clipped("one two three", 8), "one two…");
        assert_eq!(clipped("日本語日本語", 7), "日本語…");
        assert_eq!((start("日本", 3), end("日本", 3), end("abc", 2)), ("日", "本", "bc"));
        assert_eq!(clipped("abc", 0), "");
    }

    #[test]
    fn parts_that_do_not_fit_are_left_out() {
        let parts = ["Round 1", "a part that is long", "2 calls"];
        assert_eq!(joined(parts, 60), "Round 1 · a part that is long · 2 calls");
        assert_eq!(joined(parts, 20), "Round 1 · 2 calls");
        assert_eq!(joined(parts, 5), "Roun…");
    }

    #[test]
    fn times_are_read_as_clocks_show_them() {
        assert_eq!(clock(Duration::from_secs(62)), "1:02");
        assert_eq!(clock(Duration::from_secs(7262)), "2:01:02");
    }
}
