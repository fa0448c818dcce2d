//! Searches a page for quotations, word for word.

use std::ops::Range;

use agon_text::{QuoteMatch, find_quotations, find_quote, is_searchable, show_difference, split_words};
use serde::Serialize;

use super::{Page, one_line};

/// Fewest words of a quotation that is looked up.
pub const WORDS_MIN: usize = 4;
/// Maximum number of quotations of one passage that are looked up.
pub const QUOTES_MAX: usize = 40;

/// The result of looking for a quotation on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteStatus {
    /// It stands there word for word.
    Verified,
    /// It does but for marked omissions and insertions.
    VerifiedEdited,
    /// Something nearly like it stands there.
    Near,
    /// Nothing like it stands there.
    Absent,
}

/// A quotation, with the result of searching a page for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuoteFinding {
    /// The quotation, as one line.
    pub quote: String,
    /// The result.
    pub status: QuoteStatus,
    /// Where it stands on the page, in bytes of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Range<usize>>,
    /// What the page says there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_says: Option<String>,
    /// Where they differ: `[-said-] {+on the page+}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// Whether `quote` has enough words to be looked up.
pub fn is_long_enough(quote: &str) -> bool {
    let count = split_words(quote).into_iter().filter(|word| word.text.contains(char::is_alphanumeric)).count();
    count >= WORDS_MIN && is_searchable(quote)
}

/// The quotations in `text` that are long enough to be looked up, without their marks.
pub fn find_long_quotations(text: &str) -> Vec<&str> {
    let long = find_quotations(text).into_iter().map(|quotation| quotation.text);
    long.filter(|quote| is_long_enough(quote)).take(QUOTES_MAX).collect()
}

/// Looks `quote` up on `page`.
pub fn look_up(quote: &str, page: &Page) -> QuoteFinding {
    let (status, found) = match find_quote(&page.folded, quote) {
        QuoteMatch::Verbatim(places) => (QuoteStatus::Verified, places.into_iter().next()),
        QuoteMatch::Edited { parts, .. } => {
            let (start, end) = (parts.first().map_or(0, |part| part.start), parts.last().map_or(0, |part| part.end));
            (QuoteStatus::VerifiedEdited, Some(start..end))
        }
        QuoteMatch::Near { range, .. } => (QuoteStatus::Near, Some(range)),
        QuoteMatch::Absent => (QuoteStatus::Absent, None),
    };
    let says = found.clone().map(|range| page.said.text.get(range).unwrap_or_default());
    let difference = says.filter(|_| status == QuoteStatus::Near).map(|says| show_difference(quote, says));
    QuoteFinding {
        quote: one_line(quote, 300),
        status,
        found,
        page_says: says.map(|says| one_line(says, 300)),
        difference: difference.map(|difference| one_line(&difference, 400)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::PageText;

    const PAGE: &str = "The city’s council met on Monday. It approved a plan to plant 4,000 trees along the river \
        by 2030, which the mayor called “a modest start”. Critics said that the plan costs too much and comes too \
        late for the neighbourhoods that need shade the most.";

    fn page() -> Page {
        Page::from_text(PageText { text: PAGE.into(), ..PageText::default() })
    }

    fn status(quote: &str) -> QuoteStatus {
        look_up(quote, &page()).status
    }

    #[test]
    fn a_quotation_has_the_status_of_its_match() {
        for (quote, wanted) in [
            ("approved a plan to plant 4,000 trees along the river", QuoteStatus::Verified),
            ("approved a plan … by 2030, which the mayor called", QuoteStatus::VerifiedEdited),
            ("approved a plan to plant 4,001 trees along the river", QuoteStatus::Near),
            ("the council rejected the proposal after a long debate", QuoteStatus::Absent),
        ] {
            assert_eq!(status(quote), wanted, "{quote}");
        }
    }

    #[test]
    fn the_difference_and_the_place_are_kept() {
        let text = "They wrote \"approved a plan to plant 5,000 trees along the river\" there.";
        let quote = find_long_quotations(text).remove(0);
        let finding = look_up(quote, &page());
        assert_eq!(
            finding.difference.as_deref(),
            Some("approved a plan to plant [-5,000-] {+4,000+} trees along the river")
        );
        assert!(PAGE[finding.found.unwrap()].starts_with("approved a plan"));
    }

    #[test]
    fn quotations_of_four_words_or_more_are_found() {
        for (text, wanted) in [
            ("He said \"one two three\" and \"one two three four\".", vec!["one two three four"]),
            ("报告指出“每周一天的休息可以减少工伤事故”，又说“很好”。", vec!["每周一天的休息可以减少工伤事故"]),
            ("\"the ... of ... and ... is\"", vec![]),
        ] {
            assert_eq!(find_long_quotations(text), wanted, "{text}");
        }
    }
}
