//! Step 8: title and date of a page against those that were cited. They decide nothing; a difference
//! is said.

use super::one_line;
use crate::text::sentences::content_words;

/// Says that the page has another title than `cited`: no word in common, and enough words to tell.
pub fn other_title(cited: &str, page: &str) -> Option<String> {
    let (cited_words, words) = (content_words(cited), content_words(page));
    let differs = cited_words.len() >= 2 && words.len() >= 2 && cited_words.is_disjoint(&words);
    differs.then(|| format!("the page calls itself {:?}", one_line(page, 100)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_title_is_said_and_a_like_one_not() {
        assert!(
            other_title("Unemployment statistics for Norway", "Chocolate cake recipes - Kitchen").is_some()
        );
        assert_eq!(other_title("Unemployment statistics", "Statistics Norway: unemployment in May"), None);
        assert_eq!(other_title("", "Chocolate cake recipes"), None);
        assert_eq!(other_title("Home", "Chocolate cake recipes"), None);
    }
}
