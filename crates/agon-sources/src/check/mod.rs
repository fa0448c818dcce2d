//! What a page says of what is cited from it. No network, no clock: the same quotations and the same pages give the
//! same findings. Nothing here reads what a text means.

pub mod citations;
pub mod coverage;
pub mod figures;
pub mod quotes;
pub mod ruling;

use std::ops::Range;

use agon_text::{FoldedText, count_words, split_sentences};

pub use self::quotes::{QuoteFinding, QuoteStatus};
use crate::text::PageText;

/// A cited page, prepared for many searches.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it says.
    pub said: PageText,
    folded: FoldedText,
    sentences: Vec<Range<usize>>,
    /// How many words it has.
    pub word_count: usize,
}

/// How much of a page, in characters, is shown around a quotation, and a page that is shown whole.
const AROUND_CHARS: usize = 1_500;
const WHOLE_CHARS_MAX: usize = 6_000;

impl Page {
    /// Prepares `said` to be looked through.
    pub fn from_text(said: PageText) -> Self {
        let folded = FoldedText::new(&said.text);
        let sentences = split_sentences(&said.text).into_iter().map(|sentence| sentence.range).collect();
        let word_count = count_words(&said.text);
        Self { said, folded, sentences, word_count }
    }

    /// The sentence of the page in which byte `at` stands.
    pub(crate) fn sentence_at(&self, at: usize) -> Range<usize> {
        let after = self.sentences.partition_point(|range| range.end <= at);
        self.sentences.get(after).cloned().unwrap_or(0..self.said.text.len())
    }

    /// What the reader of a claim is shown: a short page whole, of a longer one the sentences around `found`,
    /// where a quotation stands. `None` where that is nowhere.
    pub fn reader_excerpt(&self, found: Option<&Range<usize>>) -> Option<&str> {
        let text = self.said.text.as_str();
        if text.chars().take(WHOLE_CHARS_MAX + 1).count() <= WHOLE_CHARS_MAX {
            return Some(text.trim()).filter(|text| !text.is_empty());
        }
        let found = found?;
        let start = self.sentence_at(text.floor_char_boundary(found.start.saturating_sub(AROUND_CHARS))).start;
        let last = text.floor_char_boundary((found.end + AROUND_CHARS).min(text.len().saturating_sub(1)));
        let end = self.sentence_at(last).end.max(found.end);
        text.get(start.min(found.start)..end).map(str::trim)
    }
}

/// `text` as one line of at most `chars_max` characters.
pub fn one_line(text: &str, chars_max: usize) -> String {
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = agon_text::to_single_line(&visible);
    if line.chars().count() <= chars_max {
        return line;
    }
    line.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_page_is_shown_around_the_quotation_and_a_short_one_whole() {
        let page = |text: &str| Page::from_text(PageText { text: text.into(), ..PageText::default() });
        let short = "The bridge was shut. We had lunch.";
        assert_eq!(page(short).reader_excerpt(None), Some(short));
        let filler = "Nothing is said here about it. ".repeat(300);
        let long = page(&format!("{filler}The bridge was shut in May. {filler}"));
        assert_eq!(long.reader_excerpt(None), None);
        let at = filler.len();
        let shown = long.reader_excerpt(Some(&(at..at + 27))).unwrap();
        assert!(shown.contains("The bridge was shut in May.") && shown.len() < 4_000, "{}", shown.len());
        assert!(shown.starts_with("Nothing") && shown.ends_with("about it."), "{shown}");
    }
}
