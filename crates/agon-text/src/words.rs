//! Words as people count them, and words as they are compared.

use std::ops::Range;

use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};

use crate::{
    fold::fold_word,
    invisible::{is_invisible, is_joiner},
    script::{has_unspaced, is_mark, is_unspaced},
    span::Span,
};

/// Stand within a word, which is the same without them.
const APOSTROPHES: [char; 5] = ['\'', '’', 'ʼ', '׳', '״'];

/// The words of `text`: what stands between white space; within a run of Han, kana, Thai, Lao, Khmer or Burmese, a segment
/// of the dictionary.
pub fn split_words(text: &str) -> Vec<Span<'_>> {
    let mut found = Vec::new();
    for token in text.split_whitespace() {
        let start = token.as_ptr() as usize - text.as_ptr() as usize;
        each_word(token, |range| {
            found.push(Span::new(text, start + range.start..start + range.end));
        });
    }
    found
}

/// How many words `text` has; as many as [`split_words`] finds.
pub fn count_words(text: &str) -> usize {
    if !has_unspaced(text) {
        return text.split_whitespace().count();
    }
    let mut count = 0;
    text.split_whitespace().for_each(|token| each_word(token, |_| count += 1));
    count
}

/// The first `count` words of `text`, with what stands between them; all of it where it has no more.
pub fn take_words(text: &str, count: usize) -> &str {
    if count_words(text) <= count {
        return text;
    }
    let words = split_words(text);
    count.checked_sub(1).and_then(|last| words.get(last)).map_or("", |last| &text[..last.range.end])
}

/// `text` on one line: what stands between white space, with one space between.
pub fn to_single_line(text: &str) -> String {
    join_words(text.split_whitespace())
}

/// `words` with a space between them.
pub(crate) fn join_words<W: AsRef<str>>(words: impl Iterator<Item = W>) -> String {
    words.fold(String::new(), |mut line, word| {
        line.push_str(if line.is_empty() { "" } else { " " });
        line + word.as_ref()
    })
}

/// Whether `text` says `word`, whole and in any case of letters.
pub fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_whole =
        |at: usize, end: usize| is_bound(text[..at].chars().next_back()) && is_bound(text[end..].chars().next());
    !word.is_empty() && text.match_indices(&word).any(|(at, found)| is_whole(at, at + found.len()))
}

/// Calls `each` with the range of every word of `token`, which has no white space.
fn each_word(token: &str, mut each: impl FnMut(Range<usize>)) {
    if !has_unspaced(token) {
        return each(0..token.len());
    }
    let ends: Vec<usize> =
        WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()).segment_str(token).collect();
    // Letters and digits of other scripts in between stay together, as in "GPT-4".
    let mut other = 0..0;
    let says = |range: &Range<usize>| token[range.clone()].contains(char::is_alphanumeric);
    for pair in ends.windows(2) {
        let segment = pair[0]..pair[1];
        if !token[segment.clone()].contains(is_unspaced) {
            other = if other.is_empty() { segment } else { other.start..segment.end };
            continue;
        }
        for word in [std::mem::replace(&mut other, 0..0), segment] {
            if says(&word) {
                each(word);
            }
        }
    }
    if says(&other) {
        each(other);
    }
}

/// The words of `text` as they are compared: case and typography folded, without punctuation; what a hyphen or another
/// sign parts is several.
pub fn folded_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_folded_word(text, |_, word| words.push(word.to_owned()));
    words
}

/// Calls `each` with every word of `text` as it is compared, and with where it stands.
pub(crate) fn each_folded_word(text: &str, mut each: impl FnMut(Range<usize>, &str)) {
    if text.is_ascii() {
        return each_ascii_word(text, each);
    }
    let mut folded = String::new();
    for word in split_words(text) {
        for range in split_pieces(word.text) {
            fold_word(&word.text[range.clone()], &mut folded);
            if !folded.is_empty() {
                each(word.range.start + range.start..word.range.start + range.end, &folded);
            }
        }
    }
}

/// The same for ASCII alone: most texts are, and are compared often.
fn each_ascii_word(text: &str, mut each: impl FnMut(Range<usize>, &str)) {
    let folded = text.to_ascii_lowercase();
    let bytes = folded.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let joins = |at: usize| bytes[at] == b'\'' && is_letter(at + 1);
    let mut at = 0;
    while let Some(start) = (at..bytes.len()).find(|at| is_letter(*at)) {
        at = (start..bytes.len()).find(|at| !is_letter(*at) && !joins(*at)).unwrap_or(bytes.len());
        match &folded[start..at] {
            word if word.contains('\'') => each(start..at, &word.replace('\'', "")),
            word => each(start..at, word),
        }
    }
}

/// The runs of letters, digits and marks of `word`, with what joins them.
fn split_pieces(word: &str) -> Vec<Range<usize>> {
    let is_hidden = |c: char| is_invisible(c) || is_joiner(c);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut before = ' ';
    for (at, c) in word.char_indices() {
        let end = at + c.len_utf8();
        let next = || word[end..].chars().find(|c| !is_hidden(*c)).is_some_and(char::is_alphanumeric);
        let joins = is_hidden(c) || is_mark(c) || APOSTROPHES.contains(&c) && before.is_alphanumeric() && next();
        match &mut open {
            Some(run) if joins || c.is_alphanumeric() => run.end = end,
            None if c.is_alphanumeric() => open = Some(at..end),
            _ => found.extend(open.take()),
        }
        if !is_hidden(c) {
            before = c;
        }
    }
    found.extend(open);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_spaced_script_is_what_stands_between_white_space() {
        for text in ["", "  ", "It's 3.5 % — or so?", "a\u{a0}b\nc\td", "한국어 문장 입니다", "דו״ח מס' 4", "- - -"]
        {
            let found: Vec<&str> = split_words(text).into_iter().map(|word| word.text).collect();
            assert_eq!(found, text.split_whitespace().collect::<Vec<_>>(), "{text}");
            assert_eq!(count_words(text), found.len());
        }
    }

    #[test]
    fn a_run_without_spaces_is_cut_by_the_dictionary() {
        for (text, wanted) in [
            ("每周一天的休息，可以减少工伤事故。", "每周|一天|的|休息|可以|减少|工伤|事故"),
            ("全市有3,200所学校", "全市|有|3,200|所|学校"),
            ("用GPT-4的成本", "用|GPT-4|的|成本"),
            ("เราควรย้ายไป", "เรา|ควร|ย้าย|ไป"),
            ("the 世界 and", "the|世界|and"),
        ] {
            let found: Vec<&str> = split_words(text).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join("|"), wanted, "{text}");
            assert_eq!(count_words(text), found.len());
        }
    }

    #[test]
    fn the_first_words_keep_what_stands_between_them() {
        for (text, count, wanted) in [
            ("one,  two three", 2, "one,  two"),
            ("one two ", 2, "one two "),
            ("one two", 0, ""),
            ("", 3, ""),
            ("全市有3,200家商店。", 3, "全市有3,200"),
        ] {
            assert_eq!(take_words(text, count), wanted, "{text}");
        }
    }

    #[test]
    fn words_are_compared_without_case_and_punctuation() {
        for (text, wanted) in [
            ("Don’t — WRITE-down: Straße", "dont write down strasse"),
            ("don't", "dont"),
            ("'quoted' dogs'", "quoted dogs"),
            ("ig\u{200b}nore co\u{ad}op cafe\u{301}", "ignore coop café"),
            ("नदी के पास", "नदी के पास"),
            ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
            ("“全市”有商店", "全市 有 商店"),
            ("… — !", ""),
        ] {
            assert_eq!(folded_words(text).join(" "), wanted, "{text}");
        }
    }
}
