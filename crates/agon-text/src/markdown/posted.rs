//! Other people's words in Markdown that a bot posts on a pull request: they notify nobody, link nowhere and command
//! nothing.
//!
//! Forges look for names, addresses, numbers and commits in the text that Markdown gives, after its escapes, and all of
//! them leave code alone. So a word that could be one is shown as code.
//! Sources: GitHub Docs, "Basic writing and formatting syntax" and "Autolinked references and URLs"; GitLab Docs,
//! "GitLab Flavored Markdown" and "GitLab quick actions"; Forgejo Docs, "Automatically Linked References".

use super::{escape_bars, escape_inline, guard_start};
use crate::{invisible::is_unprintable, words::to_single_line};

/// Letters and digits of a commit's name, shortened or whole.
const COMMIT_CHARS: std::ops::RangeInclusive<usize> = 7..=64;
/// What a sentence can end with behind a word.
const STOPS: [char; 6] = ['.', ',', ';', ':', '!', '?'];

/// `text` on one line behind other text.
pub fn escape_posted(text: &str) -> String {
    let line = to_single_line(text);
    let (mut out, mut rest) = (String::with_capacity(line.len()), line.as_str());
    while !rest.is_empty() {
        let (plain, after) = rest.split_at(rest.find('`').unwrap_or(rest.len()));
        for (at, word) in plain.split(' ').enumerate() {
            if at > 0 {
                out.push(' ');
            }
            push_word(&mut out, word);
        }
        let fence = after.len() - after.trim_start_matches('`').len();
        let inside = &after[fence..];
        rest = inside;
        match (fence, code_end(inside, fence)) {
            (0, _) => {}
            (_, Some(end)) => {
                push_code(&mut out, &inside[..end], fence);
                rest = &inside[end + fence..];
            }
            // An open end would pair with the code that follows.
            (_, None) => {
                close_escape(&mut out);
                out.push_str(&"\\`".repeat(fence));
            }
        }
    }
    out
}

/// `text` on one line that begins a paragraph.
pub fn escape_posted_start(text: &str) -> String {
    let line = escape_posted(text);
    // Code at the start is a fence only if it ends there, and then it is not code.
    if line.starts_with('`') { line } else { guard_start(&line) }
}

/// `text` in a cell of a table.
pub fn escape_posted_cell(text: &str) -> String {
    escape_bars(&escape_posted(text))
}

/// Where the code ends that begins `text` behind so many backticks: before the next run of as many.
fn code_end(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|offset| at + offset) {
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == fence {
            return Some(start);
        }
        at = start + run;
    }
    None
}

fn push_word(out: &mut String, word: &str) {
    if !is_active(word) {
        out.push_str(&escape_inline(word));
        return;
    }
    let core = word.trim_end_matches(STOPS);
    push_code(out, core, 1);
    out.push_str(&escape_inline(&word[core.len()..]));
}

fn push_code(out: &mut String, code: &str, fence: usize) {
    close_escape(out);
    if out.ends_with('`') {
        // Two runs would become one.
        out.push(' ');
    }
    let fence = "`".repeat(fence);
    out.push_str(&fence);
    for c in code.chars() {
        match is_unprintable(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out.push_str(&fence);
}

/// Makes a backslash at the end one that escapes nothing behind it.
fn close_escape(out: &mut String) {
    let slashes = out.len() - out.trim_end_matches('\\').len();
    if slashes % 2 == 1 {
        out.push('\\');
    }
}

/// Whether a forge could take a word, or a part of it, for a person, an address, a number of its own, a commit or a
/// command.
fn is_active(word: &str) -> bool {
    let plain: Vec<char> = word.chars().filter(|c| *c != '\\').map(|c| c.to_ascii_lowercase()).collect();
    let text: String = plain.iter().collect();
    let pairs = || plain.windows(2).map(|pair| (pair[0], pair[1]));
    let is_number = pairs().any(|(sign, next)| "#!$%&~".contains(sign) && next.is_ascii_digit());
    // Labels and milestones of GitLab have names, too.
    let is_named = ["~", "%", "/"].iter().any(|sign| {
        text.strip_prefix(sign).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '"'))
    });
    let is_issue = ["gh-", "gl-"]
        .iter()
        .any(|start| text.split(start).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
    let is_commit = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|run| COMMIT_CHARS.contains(&run.len()) && run.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_address = text.contains("://") || text.contains("www.");
    let is_person = plain.len() > 1 && text.contains('@');
    is_person || is_address || is_number || is_named || is_issue || is_commit
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_forge_would_act_on_is_code() {
        for (written, shown) in [
            ("ask @octocat, or @org/team!", "ask `@octocat`, or `@org/team`!"),
            ("write to a.b@example.org.", "write to `a.b@example.org`."),
            ("see https://evil.example/x.", "see `https://evil.example/x`."),
            ("(see WWW.evil.example)", "(see `WWW.evil.example)`"),
            ("[click here](http://evil.example)", "[click `here](http://evil.example)`"),
            ("![](http://evil.example/p.png)", "`![](http://evil.example/p.png)`"),
            ("<https://evil.example>", "`<https://evil.example>`"),
            ("fixes #12 and a/b#3, GH-4, !5", "fixes `#12` and `a/b#3`, `GH-4`, `!5`"),
            ("as of 0a1b2c3 and DEADBEEF00..1234567", "as of `0a1b2c3` and `DEADBEEF00..1234567`"),
            ("/approve", "`/approve`"),
            ("~bug %\"next one\" &7", "`~bug` `%\"next` one\" `&7`"),
            // Escapes and entities give the same text.
            ("\\@octocat https\\://evil.example", "`\\@octocat` `https\\://evil.example`"),
            ("&#64;octocat &commat;octocat", "`&#64;octocat` &amp;commat;octocat"),
            // Code of others stays; an open end does not pair with ours.
            ("call `f(@x)` of ``a ` #1``", "call `f(@x)` of ``a ` #1``"),
            ("` @octocat", "\\` `@octocat`"),
            ("``` @a ` @b ``", "\\`\\`\\` `@a` \\` `@b` \\`\\`"),
            ("`a`@b`c`", "`a` `@b` `c`"),
            ("x\\`@octocat`", "x\\\\`@octocat`"),
            ("x\\` @octocat", "x\\\\\\` `@octocat`"),
            ("hidden\u{202e} `\u{200b}`", "hidden\\u{202e} `\\u{200b}`"),
        ] {
            assert_eq!(escape_posted(written), shown, "{written:?}");
        }
    }

    #[test]
    fn ordinary_text_is_left_as_it_is() {
        for text in [
            "The mean of an empty list fails: `sum / list.len()` divides by zero.",
            "Costs fell by 5 % (p < 0.05), R&D included; C# too, in 2024 and/or 2025.",
            "a [sic] and f(x), ~ and %, @ and /",
        ] {
            assert_eq!(escape_posted(text), text);
        }
    }

    #[test]
    fn a_start_opens_nothing_and_a_cell_stays_one() {
        assert_eq!(escape_posted_start("# @a said"), "\\# `@a` said");
        assert_eq!(escape_posted_start("```@a``` said"), "```@a``` said");
        assert_eq!(escape_posted_cell("a | b \\| c `x\\|y` @d"), "a \\| b \\| c `x\\|y` `@d`");
    }

    /// What a forge searches of a line: its text without code, escapes undone; code is a gap.
    fn searched(line: &str) -> String {
        let (mut text, mut rest) = (String::new(), line);
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            if c == '\\' && rest.starts_with(|next: char| next.is_ascii_punctuation()) {
                text.push_str(&rest[..1]);
                rest = &rest[1..];
            } else if c == '`' {
                let fence = 1 + rest.len() - rest.trim_start_matches('`').len();
                rest = &rest[fence - 1..];
                match code_end(rest, fence) {
                    Some(end) => {
                        text.push('\u{0}');
                        rest = &rest[end + fence..];
                    }
                    None => text.push_str(&"`".repeat(fence)),
                }
            } else {
                text.push(c);
            }
        }
        text
    }

    proptest! {
        #[test]
        fn nothing_of_others_acts(text in "([-`@\\\\#!~|()<&;]|[ ab19]|https://|www\\.|`+|\\[x\\]|&#64;){0,24}") {
            for line in [escape_posted(&text), escape_posted_start(&text), escape_posted_cell(&text)] {
                let searched = searched(&line);
                prop_assert!(!searched.contains("://") && !searched.contains("www."), "{line:?}");
                let acts = |(sign, next): (char, char)| match sign {
                    '@' => next.is_ascii_alphanumeric(),
                    '#' | '!' => next.is_ascii_digit(),
                    _ => false,
                };
                let pairs = searched.chars().zip(searched.chars().skip(1));
                let entities = searched.contains("&amp;");
                prop_assert!(entities || !pairs.into_iter().any(acts), "{line:?}");
            }
        }
    }
}
