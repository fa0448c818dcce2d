//! Texts that fit a width.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::ui::displayable_sign;

/// Between the parts of a line.
pub const SEPARATOR: &str = " · ";

/// `text` on one line of at most `width` columns; what is cut is marked.
pub fn clip_to_width(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= width {
        return line;
    }
    let mark = displayable_sign("…");
    let mut kept = fitting_start(&line, width.saturating_sub(mark.width())).trim_end().to_owned();
    kept.push_str(mark);
    fitting_start(&kept, width).to_owned()
}

/// As many whole characters of the beginning of `text` as `width` columns hold.
pub fn fitting_start(text: &str, width: usize) -> &str {
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
pub fn fitting_end(text: &str, width: usize) -> &str {
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
pub fn join_fitting_parts<'p>(parts: impl IntoIterator<Item = &'p str>, width: usize) -> String {
    let separator = displayable_sign(SEPARATOR);
    let mut line = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if line.is_empty() {
            line = clip_to_width(part, width);
        } else if line.width() + separator.width() + part.width() <= width {
            line.push_str(separator);
            line.push_str(part);
        }
    }
    line
}

/// A time as minutes and seconds, `1:02`, or with hours, `2:01:02`.
pub fn format_clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_by_columns_and_not_by_characters() {
        assert_eq!(clip_to_width("one  two", 20), "one two");
        assert_eq!(clip_to_width("one two three", 8), "one two…");
        assert_eq!(clip_to_width("日本語日本語", 7), "日本語…");
        assert_eq!((fitting_start("日本", 3), fitting_end("日本", 3), fitting_end("abc", 2)), ("日", "本", "bc"));
        assert_eq!(clip_to_width("abc", 0), "");
    }

    #[test]
    fn parts_that_do_not_fit_are_left_out() {
        let parts = ["Round 1", "a part that is long", "2 calls"];
        assert_eq!(join_fitting_parts(parts, 60), "Round 1 · a part that is long · 2 calls");
        assert_eq!(join_fitting_parts(parts, 20), "Round 1 · 2 calls");
        assert_eq!(join_fitting_parts(parts, 5), "Roun…");
    }

    #[test]
    fn times_are_read_as_clocks_show_them() {
        assert_eq!(format_clock(Duration::from_secs(62)), "1:02");
        assert_eq!(format_clock(Duration::from_secs(7262)), "2:01:02");
    }
}
