//! What must hold of the text of every page: its title stands on one line, and its rows are paragraphs of it, one after the
//! other.

use agon_sources::text::{Media, PageText, html, read_page_text};

/// Characters of a title and a date at most.
const LINE_CHARS_MAX: usize = 300;

/// Reads `bytes` as a page and as what they seem to be, and panics where that does not hold.
pub fn check(bytes: &[u8]) {
    let page = html::read_html(&String::from_utf8_lossy(bytes));
    for line in [&page.title, &page.date] {
        assert!(line.lines().count() <= 1 && line.chars().count() <= LINE_CHARS_MAX, "{line:?}");
    }
    for row in check_rows(&page) {
        assert!(!row.contains("\n\n"), "a row is one paragraph: {row:?}");
    }
    if let Some(page) = read_page_text(Media::of("", bytes), "", bytes) {
        check_rows(&page);
    }
}

/// The rows of a page, which stand in its text, one after the other.
fn check_rows(page: &PageText) -> Vec<&str> {
    assert!(page.rows.windows(2).all(|pair| pair[0].end <= pair[1].start), "{page:?}");
    page.rows.iter().map(|row| page.text.get(row.clone()).expect("a row stands in the text")).collect()
}
