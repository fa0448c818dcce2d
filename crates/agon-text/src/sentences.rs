//! Sentences, in order and without gaps.
//!
//! They follow the rules of Unicode (UAX 29), without lists of abbreviations: a wrong cut costs less than a wrong join,
//! since quotations are searched in whole texts.

use std::ops::Range;

use icu_segmenter::{SentenceSegmenter, options::SentenceBreakInvariantOptions};

use crate::{script::is_unspaced, span::Span, words::split_words};

/// Characters after which a sentence without a mark at its end is cut.
const CHARS_MAX: usize = 300;
/// Signs that end a sentence.
const END_MARKS: &str = ".!?…。！？．｡।॥؟۔։።፧།။។៕‽⁇⁈⁉\u{37e}";
/// Signs that may stand behind them.
const CLOSING_MARKS: &str = "\"'”’»›)]）」』】*_~`";

/// The sentences of `text`, each with the blanks after it. What has no letters joins its neighbour; one without a mark at
/// its end is cut at 300 characters, at a blank.
pub fn split_sentences(text: &str) -> Vec<Span<'_>> {
    let mut found = Vec::new();
    for range in join_fragments(text, &find_boundaries(text)) {
        cut_long(text, range, &mut found);
    }
    found
}

/// Whether `text` ends with a mark that ends a sentence, closing marks aside.
pub fn ends_sentence(text: &str) -> bool {
    let end = text.trim_end().trim_end_matches(|c| CLOSING_MARKS.contains(c));
    end.ends_with(is_end_mark)
}

/// `text` with a full stop, unless it ends as a sentence of its script does.
pub fn end_sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || ends_sentence(text) { text.to_owned() } else { format!("{text}.") }
}

/// Whether `c` ends a sentence.
pub(crate) fn is_end_mark(c: char) -> bool {
    END_MARKS.contains(c)
}

/// Where sentences can end, the end of `text` included.
fn find_boundaries(text: &str) -> Vec<usize> {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let ends = segmenter.segment_str(text).filter(|at| *at > 0 && !is_within_word(text, *at));
    let mut ends: Vec<usize> = ends.map(|at| at + closing_length(&text[at..])).collect();
    ends.extend(text.match_indices([';', '\u{37e}']).filter_map(|(at, _)| greek_question(text, at)));
    // Markup hides from the rules that a sentence begins.
    ends.extend(text.match_indices('<').map(|(at, _)| at).filter(|at| {
        let before = &text[..*at];
        before.ends_with(char::is_whitespace) && before.trim_end().ends_with(['.', '!', '?'])
    }));
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Whether the sign before `at` stands within an address, a name or a file: no blank follows it. In scripts without
/// spaces none is wanted.
fn is_within_word(text: &str, at: usize) -> bool {
    let (before, behind) = text.split_at(at);
    let mark = before.trim_end_matches(|c| CLOSING_MARKS.contains(c));
    !before.ends_with(char::is_whitespace)
        && mark.ends_with(|c: char| c.is_ascii())
        && behind.starts_with(|c: char| !is_unspaced(c))
}

/// How many bytes of `behind` close the quotation of the sentence before it: ` »` after a blank, as in French.
fn closing_length(behind: &str) -> usize {
    let rest = behind.strip_prefix(['»', '›']).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    if blanks > 0 { behind.len() - rest.len() + blanks } else { 0 }
}

/// The end of a question in Greek, which ends with a semicolon at `at`.
fn greek_question(text: &str, at: usize) -> Option<usize> {
    let is_greek = |c: char| matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}');
    let end = at + text[at..].chars().next()?.len_utf8();
    let rest = text[end..].trim_start();
    let asked = text[..at].trim_end_matches(|c| CLOSING_MARKS.contains(c));
    let ends = asked.ends_with(is_greek) && rest.len() < text[end..].len() && !rest.is_empty();
    ends.then_some(text.len() - rest.len())
}

/// The ranges between `ends`. One without letters and digits belongs to the one before it, and one of digits alone, as
/// the number of an item, to the one behind it.
fn join_fragments(text: &str, ends: &[usize]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in ends.iter().copied() {
        let piece = &text[start..end];
        if piece.contains(char::is_alphabetic) {
            found.push(start..end);
        } else if let Some(last) = found.last_mut().filter(|_| !piece.contains(char::is_numeric)) {
            last.end = end;
        } else {
            continue;
        }
        start = end;
    }
    match found.last_mut() {
        Some(last) => last.end = text.len(),
        None if !text.is_empty() => found.push(0..text.len()),
        None => {}
    }
    found
}

fn cut_long<'t>(text: &'t str, range: Range<usize>, found: &mut Vec<Span<'t>>) {
    let mut start = range.start;
    if !ends_sentence(&text[range.clone()]) {
        while let Some((most, _)) = text[start..range.end].char_indices().nth(CHARS_MAX) {
            let piece = &text[start..start + most];
            let blank = piece.char_indices().rev().find(|(at, c)| *at > 0 && c.is_whitespace());
            let blank = blank.map(|(at, c)| at + c.len_utf8());
            // Without a blank, between two words of the dictionary.
            let word = || split_words(piece).last().map(|word| word.range.start).filter(|start| *start > 0);
            let end = start + blank.or_else(word).unwrap_or(most);
            if text[end..range.end].trim().is_empty() {
                break;
            }
            found.push(Span::new(text, start..end));
            start = end;
        }
    }
    found.push(Span::new(text, start..range.end));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        split_sentences(text).into_iter().map(|sentence| sentence.text.trim()).collect()
    }

    #[test]
    fn what_only_looks_like_an_end_is_none() {
        for text in [
            "See https://a.b/c?x=1&y=v1.Beta for it.",
            "Open src/main.rs:3 now.",
            "It cost 3.5 euros.",
            "Wait. ...",
            "1. First",
            "So it was in 2019",
        ] {
            assert_eq!(cut(text), [text], "{text}");
        }
        assert_eq!(cut("One. 2. Two"), ["One.", "2. Two"]);
        assert_eq!(cut("- wait\n- test first\n\n# Plan"), ["- wait", "- test first", "# Plan"]);
        assert_eq!(cut("They hold back. <b>candour</b> counts."), ["They hold back.", "<b>candour</b> counts."]);
        assert_eq!((cut(""), cut("…"), cut("3")), (vec![], vec!["…"], vec!["3"]));
    }

    #[test]
    fn a_sentence_without_a_mark_is_cut_at_a_blank() {
        let long = "word ".repeat(100);
        let found = split_sentences(&long);
        assert_eq!(found.iter().map(|one| one.text.chars().count()).collect::<Vec<_>>(), [300, 200]);
        let ended = format!("{}.", long.trim_end());
        assert_eq!(split_sentences(&ended).len(), 1, "one that ends is whole");
        let thai = "เราควรย้ายไป".repeat(40);
        assert!(split_sentences(&thai).iter().all(|one| one.text.chars().count() <= 300));
        assert!(split_sentences(&thai).len() == 2);
    }

    #[test]
    fn the_end_of_a_sentence_is_known() {
        for (text, wanted) in [
            ("So.", true),
            ("“So?” ", true),
            ("**So!**", true),
            ("如此。」", true),
            ("لماذا؟", true),
            ("क्यों।", true),
            ("So,", false),
            ("so", false),
            ("", false),
        ] {
            assert_eq!(ends_sentence(text), wanted, "{text}");
        }
    }
}
