//! What stands in quotation marks, of any script.

use std::ops::Range;

use crate::{
    invisible::is_invisible,
    script::{is_mark, is_unspaced},
    span::Span,
};

/// An opening mark, with the marks that a reader expects at its end.
struct MarkPair {
    open: &'static str,
    close: &'static [&'static str],
    /// What the marks need around them.
    kind: MarkKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkKind {
    /// It opens wherever it stands.
    Plain,
    /// It opens only where no letter or digit stands before it: else it is a sign of inches, or closes something.
    Outside,
    /// It is an apostrophe, too: it opens before a letter and outside of words, and closes at the end of a word.
    Apostrophe,
}

/// A longer mark stands before those that it begins with.
const MARKS: [MarkPair; 20] = [
    MarkPair { open: "<quote>", close: &["</quote>"], kind: MarkKind::Plain },
    MarkPair { open: "``", close: &["''"], kind: MarkKind::Plain },
    MarkPair { open: "\"", close: &["\""], kind: MarkKind::Outside },
    MarkPair { open: "＂", close: &["＂"], kind: MarkKind::Outside },
    MarkPair { open: "“", close: &["”", "“", "\""], kind: MarkKind::Plain },
    MarkPair { open: "„", close: &["“", "”", "\""], kind: MarkKind::Plain },
    MarkPair { open: "”", close: &["”"], kind: MarkKind::Outside },
    MarkPair { open: "«", close: &["»"], kind: MarkKind::Plain },
    MarkPair { open: "»", close: &["«", "»"], kind: MarkKind::Outside },
    MarkPair { open: "‹", close: &["›"], kind: MarkKind::Plain },
    MarkPair { open: "「", close: &["」"], kind: MarkKind::Plain },
    MarkPair { open: "『", close: &["』"], kind: MarkKind::Plain },
    MarkPair { open: "｢", close: &["｣"], kind: MarkKind::Plain },
    MarkPair { open: "﹁", close: &["﹂"], kind: MarkKind::Plain },
    MarkPair { open: "﹃", close: &["﹄"], kind: MarkKind::Plain },
    MarkPair { open: "❝", close: &["❞"], kind: MarkKind::Plain },
    MarkPair { open: "〝", close: &["〟", "〞"], kind: MarkKind::Plain },
    MarkPair { open: "״", close: &["״"], kind: MarkKind::Outside },
    MarkPair { open: "‘", close: &["’"], kind: MarkKind::Apostrophe },
    MarkPair { open: "‚", close: &["‘", "’"], kind: MarkKind::Apostrophe },
];

/// What stands in quotation marks in `text`, without the marks, and lines that begin with `>`. What is quoted within a
/// quotation is a part of it; no quotation goes over the end of its paragraph.
pub fn find_quotations(text: &str) -> Vec<Span<'_>> {
    let mut found = Vec::new();
    for paragraph in split_paragraphs(text) {
        let end = paragraph.end;
        if let Some(rest) = text[paragraph.clone()].trim_start().strip_prefix('>') {
            found.push(Span::new(text, end - rest.len()..end));
            continue;
        }
        let mut from = paragraph.start;
        // Marks that close nothing in the rest of the paragraph.
        let mut unclosed = [false; MARKS.len()];
        while from < end {
            let opened =
                MARKS.iter().enumerate().find(|(at, mark)| !unclosed[*at] && opens_quotation(mark, &text[..end], from));
            let Some((at, mark)) = opened else {
                from += text[from..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let start = from + mark.open.len();
            match find_close(mark, &text[..end], start) {
                Some((close, length)) => {
                    if text[start..close].contains(char::is_alphanumeric) {
                        found.push(Span::new(text, start..close));
                    }
                    from = close + length;
                }
                None => {
                    unclosed[at] = true;
                    from = start;
                }
            }
        }
    }
    found
}

/// Whether `range` of `text` stands wholly within quotation marks.
pub fn is_quoted(text: &str, range: Range<usize>) -> bool {
    find_quotations(text).iter().any(|quoted| quoted.range.start <= range.start && range.end <= quoted.range.end)
}

/// Whether `mark` opens a quotation at byte `at` of `text`.
fn opens_quotation(mark: &MarkPair, text: &str, at: usize) -> bool {
    if !text[at..].starts_with(mark.open) {
        return false;
    }
    let before = text[..at].chars().next_back();
    let behind = text[at + mark.open.len()..].chars().next();
    match mark.kind {
        MarkKind::Plain => true,
        MarkKind::Outside => {
            !before.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c)) && !behind.is_none_or(char::is_whitespace)
        }
        MarkKind::Apostrophe => !before.is_some_and(is_in_word) && behind.is_some_and(char::is_alphabetic),
    }
}

/// Where the quotation ends that begins at `start`, and how long its closing mark is.
fn find_close(mark: &MarkPair, text: &str, start: usize) -> Option<(usize, usize)> {
    let is_end = |at: usize, close: &str| {
        let behind = text[at + close.len()..].chars().next();
        mark.kind != MarkKind::Apostrophe || !behind.is_some_and(is_in_word)
    };
    text[start..].char_indices().map(|(at, _)| start + at).find_map(|at| {
        let close = mark.close.iter().find(|close| text[at..].starts_with(**close) && is_end(at, close))?;
        Some((at, close.len()))
    })
}

/// Whether `c` can stand next to an apostrophe within a word: a digit, or a letter of a script with capitals.
fn is_in_word(c: char) -> bool {
    c.is_numeric() || c.is_lowercase() || c.is_uppercase()
}

/// The paragraphs of `text`; a line that begins with `>` is one by itself.
fn split_paragraphs(text: &str) -> Vec<Range<usize>> {
    let is_quote = |line: &str| line.trim_start_matches(' ').starts_with('>');
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut is_open = false;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        let joins = !line.trim().is_empty() && !is_quote(line);
        match found.last_mut().filter(|_| is_open && joins) {
            Some(last) => last.end = end,
            None => found.push(start..end),
        }
        is_open = joins;
        start += line.len();
    }
    found
}

/// `message` with the marks of letters that Rust's `{:?}` wrote as `\u{64b}`: a reader copies the words that it quotes.
pub fn restore_marks(message: String) -> String {
    const ESCAPE: &str = "\\u{";
    if !message.contains(ESCAPE) {
        return message;
    }
    let mut shown = String::with_capacity(message.len());
    let mut rest = message.as_str();
    while let Some(at) = rest.find(ESCAPE) {
        let (before, escape) = rest.split_at(at);
        shown.push_str(before);
        let digits = escape[ESCAPE.len()..].split_once('}');
        let escaped = digits.and_then(|(digits, _)| char::from_u32(u32::from_str_radix(digits, 16).ok()?));
        // A backslash that the text itself has is escaped, too.
        let is_own = before.ends_with('\\');
        match escaped.filter(|c| is_mark(*c) && !is_invisible(*c) && !is_own) {
            Some(mark) => {
                shown.push(mark);
                rest = digits.map_or("", |(_, behind)| behind);
            }
            None => {
                shown.push_str(ESCAPE);
                rest = &escape[ESCAPE.len()..];
            }
        }
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> Vec<&str> {
        find_quotations(text).into_iter().map(|quotation| quotation.text).collect()
    }

    #[test]
    fn quotations_end_with_the_mark_that_their_reader_expects() {
        for (text, wanted) in [
            ("He said \"one two\" and \"three\".", vec!["one two", "three"]),
            ("“So”, she “said”.", vec!["So", "said"]),
            ("„Eins zwei“ und «un deux» und »drei«", vec!["Eins zwei", "un deux", "drei"]),
            ("„Raz dwa” i «trzy»", vec!["Raz dwa", "trzy"]),
            ("Hän sanoi ”yksi kaksi” ja »kolme».", vec!["yksi kaksi", "kolme"]),
            ("Elle dit « un deux » ici", vec![" un deux "]),
            ("报告指出“每周一天的休息”，又说“很好”。", vec!["每周一天的休息", "很好"]),
            ("他说\"每周一天\"。", vec!["每周一天"]),
            ("彼は「本当の『話』だ」と言った", vec!["本当の『話』だ"]),
            ("他说﹁是的﹂，又说❝不是❞", vec!["是的", "不是"]),
            ("그는 “일주일에 하루”라고 ‘정말’이라 말했다", vec!["일주일에 하루", "정말"]),
            ("قال «نعم» و“لا”.", vec!["نعم", "لا"]),
            ("הוא אמר ״כן ולא״ וצה״ל שתק", vec!["כן ולא"]),
            ("उसने “हाँ” कहा", vec!["हाँ"]),
            ("Είπε «ναι» και “όχι”", vec!["ναι", "όχι"]),
            ("เขาพูดว่า “ใช่” แล้ว", vec!["ใช่"]),
            ("A 5\" pipe and a 6\" pipe of one make", vec![]),
            ("It’s the dogs’ dinner, isn’t it", vec![]),
            ("‘It’s so’, she said, the ’90s", vec!["It’s so"]),
            ("“over two\nlines it goes”\n\n\"not over\n\nparagraphs\"", vec!["over two\nlines it goes"]),
            ("> a line that is quoted\nand one that is not", vec![" a line that is quoted"]),
            ("said <quote>these words</quote> so, ``and these''", vec!["these words", "and these"]),
            ("\"open and “closed” here", vec!["closed"]),
            ("“”, \"—\"", vec![]),
        ] {
            assert_eq!(quoted(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_range_is_quoted_where_marks_enclose_all_of_it() {
        let text = "She said “so it is, truly” and left.";
        let at = |part: &str| text.find(part).map(|at| at..at + part.len()).unwrap();
        for (part, wanted) in [
            ("so it is", true),
            ("so it is, truly", true),
            ("said", false),
            ("said “so it is", false),
            ("truly” and", false),
            ("“so it is, truly”", false),
        ] {
            assert_eq!(is_quoted(text, at(part)), wanted, "{part}");
        }
        assert!(is_quoted("> so it is", 2..5));
    }

    #[test]
    fn quoted_words_are_shown_as_they_can_be_copied() {
        for text in ["وقتًا", "हिन्दी", "cafe\u{301}", "a \\u{64b} b", "bell \u{7}, hidden \u{200b}", "plain"]
        {
            let shown = restore_marks(format!("nobody said {text:?}; copy it"));
            assert_eq!(shown.contains(text), !text.contains(['\\', '\u{7}', '\u{200b}']), "{shown}");
            assert!(!shown.contains(['\u{7}', '\u{200b}']), "{shown}");
        }
        assert_eq!(restore_marks("a \\\\u{64b}".into()), "a \\\\u{64b}");
    }

    #[test]
    fn many_marks_that_close_nothing_hold_no_more_than_stands_between_them() {
        assert_eq!(quoted(&"„ x ".repeat(20_000)), [""; 0]);
        // The same mark can open one and close one.
        assert!(quoted(&"“ x ".repeat(20_000)).iter().all(|inside| *inside == " x "));
    }
}
