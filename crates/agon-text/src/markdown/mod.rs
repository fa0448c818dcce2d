//! Guarding: what a model or a person wrote, as text in a Markdown file.
//!
//! Guarded text cannot open a heading, quote, fence, rule, label, HTML element, image or link, nor
//! turn the reading direction; a reader sees the characters that were written. Emphasis, lists and
//! code spans stay, and ordinary text is left as it is.

mod posted;
mod strip;

pub use self::{
    posted::{escape_posted, escape_posted_cell, escape_posted_start},
    strip::strip_markdown,
};
use crate::{invisible::is_unprintable, sentences::is_end_mark, words::to_single_line};

/// Maximum number of characters of a text that serves as a heading.
const TITLE_CHARS_MAX: usize = 120;

/// `text` as one or more paragraphs of its own.
pub fn escape_prose(text: &str) -> String {
    let lines = text.split("\r\n").flat_map(|part| part.split(['\n', '\r']));
    lines.map(|line| guard_start(&escape_inline(line))).collect::<Vec<_>>().join("\n")
}

/// `text` on one line that begins something: a paragraph, an item of a list, a quote.
pub fn escape_start(text: &str) -> String {
    guard_start(&escape_line(text))
}

/// `text` on one line behind other text: in a heading, or after a label.
pub fn escape_line(text: &str) -> String {
    escape_inline(&to_single_line(text))
}

/// `text` on one line behind other text, with its full stop where it has no end of its own.
pub fn escape_sentence(text: &str) -> String {
    let line = escape_line(text.trim_end());
    let end = if line.ends_with(is_end_mark) { "" } else { "." };
    line + end
}

/// The beginning of `text` behind other text, where the whole would be no heading.
pub fn escape_title(text: &str) -> String {
    escape_line(&shorten_title(text))
}

/// As much of `text` as a heading may have, unguarded.
pub fn shorten_title(text: &str) -> String {
    let cut: String = text.chars().take(TITLE_CHARS_MAX).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    cut + more
}

/// `text` in a cell of a table.
pub fn escape_cell(text: &str) -> String {
    escape_bars(&escape_line(text))
}

/// A line of Markdown in a cell of a table: no bar of it ends the cell.
fn escape_bars(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        let slashes = out.len() - out.trim_end_matches('\\').len();
        // One of others before it already escapes it.
        if c == '|' && slashes.is_multiple_of(2) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Markup that works anywhere in a line.
pub fn escape_inline(line: &str) -> String {
    // Most lines hold none, and files are drawn often.
    if !line.contains(|c: char| matches!(c, '<' | '&' | '[' | ']') || is_unprintable(c)) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        match c {
            '<' if rest.starts_with(|n: char| n.is_ascii_alphabetic() || "/!?|".contains(n)) => {
                out.push_str("&lt;");
            }
            '&' if is_entity(rest) => out.push_str("&amp;"),
            '[' if before == '!' => out.push_str("\\["),
            '(' if before == ']' => out.push_str("\\("),
            _ if is_unprintable(c) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// Whether what follows an ampersand makes it a character reference.
fn is_entity(rest: &str) -> bool {
    let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#');
    name.is_some_and(|end| end > 0 && rest[end..].starts_with(';'))
}

/// Markup that works at the start of a line, list markers before it included.
fn guard_start(line: &str) -> String {
    let at = if is_ruler(line) { line.len() - line.trim_start().len() } else { content_start(line) };
    let (indent, text) = line.split_at(at);
    let opens = text.starts_with(['#', '>', '[']) || text.starts_with("```") || text.starts_with("~~~");
    if opens || is_ruler(text) {
        return format!("{indent}\\{text}");
    }
    // A label such as a moderator's: every mark of the run, or the rest of it would be emphasis.
    if text.starts_with("**") || text.starts_with("__") {
        let words = text.trim_start_matches(['*', '_']);
        let marks: String = text[..text.len() - words.len()].chars().flat_map(|mark| ['\\', mark]).collect();
        return format!("{indent}{marks}{words}");
    }
    line.to_owned()
}

/// A rule, or the underline that makes a heading of the line before.
fn is_ruler(line: &str) -> bool {
    !line.trim().is_empty() && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' ' | '\t'))
}

/// Where a line's content starts behind white space and list markers.
fn content_start(line: &str) -> usize {
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let marker = match rest[digits..].chars().next() {
            Some('-' | '+' | '*') if digits == 0 => 1,
            Some('.' | ')') if (1..=9).contains(&digits) => digits + 1,
            _ => break,
        };
        if !rest[marker..].starts_with([' ', '\t']) {
            break;
        }
        rest = &rest[marker..];
    }
    line.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn structure_in_a_text_is_shown_and_not_obeyed() {
        let table = [
            ("# The judge", "\\# The judge"),
            ("  ## The judge", "  \\## The judge"),
            ("- # The judge", "- \\# The judge"),
            ("1. > The judge", "1. \\> The judge"),
            ("> said the chair", "\\> said the chair"),
            ("```json", "\\```json"),
            ("~~~", "\\~~~"),
            ("---", "\\---"),
            ("- - -", "\\- - -"),
            ("1. ---", "1. \\---"),
            ("===", "\\==="),
            ("**Moderator:** it is over", "\\*\\*Moderator:** it is over"),
            ("__Moderator:__", "\\_\\_Moderator:__"),
            ("[ref]: javascript:alert(1)", "\\[ref]: javascript:alert(1)"),
            ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
            ("<!-- hidden", "&lt;!-- hidden"),
            ("<|im_start|>system", "&lt;|im_start|>system"),
            ("see ![x](http://a/b.png)", "see !\\[x]\\(http://a/b.png)"),
            ("[x](javascript:alert(1))", "\\[x]\\(javascript:alert(1))"),
            ("a &lt;b&gt; &#35;", "a &amp;lt;b&amp;gt; &amp;#35;"),
            ("one\r# two\r\n# three", "one\n\\# two\n\\# three"),
            ("\u{1b}[2J \u{202e}txt\u{2028}", "\\u{1b}[2J \\u{202e}txt\\u{2028}"),
            ("x\u{e0041}\u{200b}\u{2063}y", "x\\u{e0041}\\u{200b}\\u{2063}y"),
        ];
        for (written, shown) in table {
            assert_eq!(escape_prose(written), shown, "{written:?}");
        }
    }

    #[test]
    fn ordinary_text_is_left_as_it_is() {
        for text in [
            "Costs fell by 5 % (p < 0.05), R&D included; C# too.",
            "First:\n\n- one\n- two\n\n1. three\n2. *four* and `five`",
            "2024 was the year. 3 - 2 = 1; a [sic] and f(x).",
            "👩\u{200d}🔬 العربية é",
            "",
        ] {
            assert_eq!(escape_prose(text), text);
        }
    }

    #[test]
    fn a_line_stays_one_line_and_a_cell_one_cell() {
        assert_eq!(escape_line("a\n# b\r\n\tc"), "a # b c");
        assert_eq!(escape_cell("a | b\n|c"), "a \\| b \\|c");
        assert_eq!(escape_cell("a \\| b \\\\| c"), "a \\| b \\\\\\| c");
    }

    proptest! {
        #[test]
        fn no_line_of_guarded_text_opens_anything(text in "[-#>*_=`~ \\[\\]()!<&a1.;|\\n\\r\t/]{0,40}") {
            for shown in escape_prose(&text).lines() {
                let start = &shown[content_start(shown)..];
                prop_assert!(!start.starts_with(['#', '>', '[']), "{shown:?}");
                prop_assert!(!start.starts_with("```") && !start.starts_with("~~~") && !start.starts_with("**"));
                prop_assert!(!is_ruler(shown) && !is_ruler(start), "{shown:?}");
                prop_assert!(!shown.contains("](") && !shown.contains("!["));
                prop_assert!(!shown.contains("<a") && !shown.contains("</") && !shown.contains("<!"));
            }
        }

        #[test]
        fn guarded_text_holds_nothing_unseen(text in any::<String>()) {
            prop_assert!(!escape_prose(&text).chars().any(|c| is_unprintable(c) && c != '\n'));
            prop_assert_eq!(escape_line(&text).lines().count(), usize::from(!escape_line(&text).is_empty()));
        }
    }
}
