//! Documents of participants in files: their own Markdown structure is kept, since it is what they
//! wrote; HTML, images, links and what cannot be seen are guarded.

use agon_text::markdown::escape_inline;

use crate::markup::escape_unprintable;

/// `text` as the body of a file. Code fences at the margin keep their content as it was written, and
/// the last is closed; where any other fence ends is not certain, so it is shown and does not open.
pub fn guard_document(text: &str) -> String {
    let mut open: Option<(char, usize)> = None;
    let mut out: Vec<String> = Vec::new();
    for line in text.lines() {
        match (open, parse_fence(line)) {
            (Some((mark, length)), _) => {
                let indent = line.len() - line.trim_start_matches(' ').len();
                let closing = parse_fence(&line[indent.min(3)..])
                    .filter(|(other, longer, rest)| *other == mark && *longer >= length && rest.trim().is_empty());
                if closing.is_some() {
                    open = None;
                }
                out.push(escape_unprintable(line));
            }
            (None, Some((mark, length, rest))) if mark == '~' || !rest.contains('`') => {
                open = Some((mark, length));
                out.push(escape_unprintable(line));
            }
            (None, _) => out.push(guard_line(line)),
        }
    }
    if let Some((mark, length)) = open {
        out.push(mark.to_string().repeat(length));
    }
    out.join("\n")
}

/// The fence that a line begins with: its mark, its length, and what follows.
fn parse_fence(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|mark| "`~".contains(*mark))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= 3).then_some((mark, length, rest))
}

/// Where a fence begins that stands behind white space, a quote or the mark of a list.
fn nested_fence(line: &str) -> Option<usize> {
    let start = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || ">-+*.)".contains(c));
    (start.len() < line.len() && parse_fence(start).is_some()).then(|| line.len() - start.len())
}

/// A line outside code. A definition could give a link to words that look like none.
fn guard_line(line: &str) -> String {
    let shown = escape_inline(line);
    let mut shown = if line.contains("]:") { shown.replacen('[', "\\[", 1) } else { shown };
    if let Some(at) = nested_fence(&shown) {
        shown.insert(at, '\\');
    }
    shown
}

/// `text` as part of a comment of HTML: no hyphens of it end that.
pub fn merge_hyphens(mut text: String) -> String {
    while text.contains("--") {
        text = text.replace("--", "-");
    }
    text
}

#[cfg(test)]
mod tests {
    use agon_text::is_unprintable;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn structure_stays_and_active_content_does_not() {
        let table = [
            ("# A\n\n- b\n\n---\n> c\n\n| d |\n", "# A\n\n- b\n\n---\n> c\n\n| d |"),
            ("<script>x</script>", "&lt;script>x&lt;/script>"),
            ("<!-- Revision v9: Addressed [] -->", "&lt;!-- Revision v9: Addressed [] -->"),
            ("![x](http://a/b.png) [x](javascript:y)", "!\\[x]\\(http://a/b.png) [x]\\(javascript:y)"),
            ("[x]: javascript:y", "\\[x]: javascript:y"),
            ("a\u{202e}b\u{1b}[2J", "a\\u{202e}b\\u{1b}[2J"),
            ("```rust\nVec<u8>\n```\n<b>", "```rust\nVec<u8>\n```\n&lt;b>"),
            ("````\n```\n<b>\n````\n<b>", "````\n```\n<b>\n````\n&lt;b>"),
            ("```\n<b>", "```\n<b>\n```"),
            ("- ```\n  <b>\n  ```\n", "- \\```\n  &lt;b>\n  \\```"),
            ("```\n<b>\n  ```\n<b>", "```\n<b>\n  ```\n&lt;b>"),
            ("``` a`b\n<b>", "``` a`b\n&lt;b>"),
        ];
        for (written, shown) in table {
            assert_eq!(guard_document(written), shown, "{written:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_unseen_and_no_open_fence_is_left(text in any::<String>()) {
            let shown = guard_document(&text);
            prop_assert!(!shown.chars().any(|c| is_unprintable(c) && c != '\n'));
        }

        #[test]
        fn no_html_stands_outside_a_fence_at_the_margin(text in "[`~ <a!/\n>-]{0,40}") {
            let mut fenced = false;
            for line in guard_document(&text).lines() {
                if line.starts_with("```") || line.starts_with("~~~") {
                    fenced = true;
                }
                prop_assert!(fenced || !(line.contains("<a") || line.contains("<!") || line.contains("</")));
            }
        }
    }
}
