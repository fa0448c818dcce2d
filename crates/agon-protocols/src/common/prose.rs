//! Prose taken apart: sentences, which are what people quote, and whether a quotation stands in it.

use std::ops::Range;

use super::fields::one_line;

/// Sentences of a text on one line, in their order; what stands behind the last mark is one too.
pub fn sentences(plain: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in plain.char_indices() {
        let after = &plain[at + c.len_utf8()..];
        if ".!?".contains(c) && (after.is_empty() || after.starts_with([' ', '"'])) {
            let end = at + c.len_utf8();
            sentences.push(plain[start..end].trim().trim_start_matches('"').trim_start());
            start = end;
        }
    }
    sentences.push(plain[start..].trim().trim_start_matches('"').trim_start());
    sentences
}

/// The beginning of a text, as faults quote it.
pub fn start(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}

/// Where the sentences of `text` stand, without the space between them.
pub fn sentence_spans(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut push = |from: usize, to: usize| {
        let words = &text[from..to];
        let start = from + (words.len() - words.trim_start().len());
        let end = from + words.trim_end().len();
        if start < end {
            found.push(start..end);
        }
    };
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let rest = text[end..].trim_start_matches(['"', '\'', ')', '\u{201d}', '\u{2019}']);
        if c == '\n' || (".!?".contains(c) && rest.starts_with(char::is_whitespace)) {
            let to = text.len() - rest.len();
            push(from, to.max(end));
            from = to.max(end);
        }
    }
    push(from, text.len());
    found
}

/// Words alone, in small letters: typography decides nothing.
pub fn folded(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect::<String>();
    one_line(&letters.to_lowercase())
}

/// Whether the words of `quote` stand in `text`, one after the other and whole.
pub fn holds(text: &str, quote: &str) -> bool {
    let quote = folded(quote);
    !quote.is_empty() && format!(" {} ", folded(text)).contains(&format!(" {quote} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_within_a_word_ends_no_sentence() {
        assert_eq!(sentences("It cost 3.5 euros. \"Why?\" Yes"), ["It cost 3.5 euros.", "Why?", "Yes"]);
    }
}
