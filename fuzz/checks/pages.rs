//! What must hold of the text of every page: its title stands on one line, and so does each of its paragraphs.

use agon_sources::text::{Media, html, read_page_text};

/// Characters of a title and a date at most.
const LINE_CHARS_MAX: usize = 300;

/// Reads `bytes` as a page and as what they seem to be, and panics where that does not hold.
pub fn check(bytes: &[u8]) {
    let page = html::read_html(&String::from_utf8_lossy(bytes));
    for line in [&page.title, &page.date] {
        assert!(line.lines().count() <= 1 && line.chars().count() <= LINE_CHARS_MAX, "{line:?}");
    }
    for paragraph in page.text.split("\n\n").filter(|_| !page.text.is_empty()) {
        assert_eq!(paragraph.lines().count(), 1, "a paragraph, or row, is one line: {paragraph:?}");
    }
    read_page_text(Media::from_declared("", bytes), "", bytes);
}
