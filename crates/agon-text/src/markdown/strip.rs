//! Markdown as plain words, for readers whom emphasis must not sway.

use std::borrow::Cow;

use crate::words::join_words;

/// `text` on one line without marks of emphasis, headings, quotes, lists and code; of a link, its words with its address
/// in brackets. Marks between letters or digits are the word's own.
pub fn strip_markdown(text: &str) -> String {
    let unlinked = match text.contains(['[', ']']) {
        true => Cow::Owned(text.replace("](", " (").replace(['[', ']'], "")),
        false => Cow::Borrowed(text),
    };
    let says = |word: &&str| !word.chars().all(|c| "#>*•~_`".contains(c));
    join_words(unlinked.split_whitespace().filter(says).map(strip_emphasis))
}

/// A word without marks of emphasis; those between letters or digits are the word's own.
fn strip_emphasis(word: &str) -> Cow<'_, str> {
    if !word.contains(['`', '*', '_', '~']) {
        return word.into();
    }
    let chars: Vec<char> = word.chars().filter(|c| *c != '`').collect();
    let inside = |at: usize| {
        let joins = |at: Option<&char>| at.is_some_and(|c| c.is_alphanumeric());
        joins(at.checked_sub(1).and_then(|at| chars.get(at))) && joins(chars.get(at + 1))
    };
    let kept = chars.iter().enumerate().filter(|(at, c)| !"*_~".contains(**c) || inside(*at));
    kept.map(|(_, c)| *c).collect()
}

#[cfg(test)]
mod tests {
    use super::strip_markdown;

    #[test]
    fn only_words_are_left() {
        for (text, wanted) in [
            ("# A **bold** _claim_, `code`", "A bold claim, code"),
            ("- see [this](https://a.b) ~~not~~", "- see this (https://a.b) not"),
            ("> snake_case and 2*3\n* item", "snake_case and 2*3 item"),
            ("**每周一天**的休息", "每周一天的休息"),
            ("", ""),
        ] {
            assert_eq!(strip_markdown(text), wanted, "{text}");
        }
    }
}
