//! Addresses of pages in a text. One ends where a reader of that script ends it.

use crate::{
    invisible::is_joiner,
    script::{digit_value, is_mark},
    span::Span,
};

/// ASCII that no address holds as it is.
const ENDS: &str = "<>\"`{}|\\^";
/// Signs at the end of an address that belong to the sentence around it.
const TRAILING: [char; 11] = ['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '\u{ad}'];

/// The addresses of pages in `text` that begin with `http://` or `https://`, in their order.
pub fn find_links(text: &str) -> Vec<Span<'_>> {
    let mut found: Vec<Span<'_>> = Vec::new();
    let mut from = 0;
    for (at, separator) in text.match_indices("://") {
        let Some(start) = scheme_start(text, at).filter(|start| *start >= from) else { continue };
        let end = start + link_length(&text[start..]);
        let host = at + separator.len();
        if host < end && text[host..end].contains(char::is_alphanumeric) {
            found.push(Span::new(text, start..end));
            from = end;
        }
    }
    found
}

/// Where the scheme begins that ends at `end`.
fn scheme_start(text: &str, end: usize) -> Option<usize> {
    ["https", "http"].iter().find_map(|scheme| {
        let start = end.checked_sub(scheme.len())?;
        text.get(start..end)?.eq_ignore_ascii_case(scheme).then_some(start)
    })
}

/// How many bytes at the beginning of `text` belong to the address that it begins with.
pub fn link_length(text: &str) -> usize {
    let text = &text[..find_end(text).unwrap_or(text.len())];
    let link = text.trim_end_matches(TRAILING);
    // A possessive is not a part of it.
    let link = ["'s", "'S"].iter().find_map(|own| link.strip_suffix(own)).unwrap_or(link);
    link.trim_end_matches(TRAILING).len()
}

/// Where the first character stands that is not a part of the address.
fn find_end(text: &str) -> Option<usize> {
    // Open brackets: one that was not opened within the address closes what is around it.
    let (mut round, mut square) = (0_i32, 0_i32);
    // Whether the run of letters and digits that is read began with ASCII.
    let mut is_ascii_run = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        round += i32::from(c == '(') - i32::from(c == ')');
        square += i32::from(c == '[') - i32::from(c == ']');
        let next = || text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        let is_part = match c {
            _ if round < 0 || square < 0 => false,
            c if c.is_ascii() => !c.is_ascii_whitespace() && !c.is_ascii_control() && !ENDS.contains(c),
            // Names of pages hold these between letters.
            '·' | '–' => before.is_alphabetic() && next().is_alphabetic(),
            // A raised or circled number is a note of the sentence.
            c => c.is_alphabetic() || digit_value(c).is_some() || is_mark(c) || is_joiner(c),
        };
        // Scripts without capitals put no space behind `https://a.b/c`, or write a particle there; `/wiki/中国` is an
        // address.
        if !is_part || is_uncased(c) && is_ascii_run == Some(true) {
            return Some(at);
        }
        match c.is_ascii() && !c.is_ascii_alphanumeric() {
            true => is_ascii_run = None,
            false => is_ascii_run = is_ascii_run.or(Some(c.is_ascii())),
        }
        before = c;
    }
    None
}

/// Whether `c` is a letter of a script that has no capitals.
fn is_uncased(c: char) -> bool {
    c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Vec<&str> {
        find_links(text).into_iter().map(|link| link.text).collect()
    }

    #[test]
    fn an_address_ends_where_its_reader_ends_it() {
        for (text, wanted) in [
            ("See https://a.b/c.", "https://a.b/c"),
            ("https://a.b/c?x=1&y=2, https…", "https://a.b/c?x=1&y=2"),
            ("([link](https://a.b/c_(d)))", "https://a.b/c_(d)"),
            ("<http://x.y>", "http://x.y"),
            ("**https://a.b/c**", "https://a.b/c"),
            ("HTTPS://A.B/ü und", "HTTPS://A.B/ü"),
            ("“https://c.d/e”", "https://c.d/e"),
            ("https://a.b/en's and more", "https://a.b/en"),
            ("https://a.b/en’s", "https://a.b/en"),
            ("https://a.b/Hobson's_choice", "https://a.b/Hobson's_choice"),
            ("https://a.b/en—3,200 shops", "https://a.b/en"),
            ("https://a.b/Bose–Einstein", "https://a.b/Bose–Einstein"),
            ("https://a.b/en… so", "https://a.b/en"),
            ("https://a.b/en→next", "https://a.b/en"),
            ("（https://a.b/zh）。", "https://a.b/zh"),
            ("见https://a.b/zh，去年有3200家", "https://a.b/zh"),
            ("见https://a.b/zh。次年", "https://a.b/zh"),
            ("见https://a.b/zh有3200家", "https://a.b/zh"),
            ("「https://a.b/ja」によると", "https://a.b/ja"),
            ("https://zh.a.b/wiki/中国的历史#经济，其", "https://zh.a.b/wiki/中国的历史#经济"),
            ("https://例え.jp/", "https://例え.jp/"),
            ("https://a.b/hi। 3,200", "https://a.b/hi"),
            ("https://a.b/नदी।", "https://a.b/नदी"),
            ("https://a.b/ar، و", "https://a.b/ar"),
            ("https://a.b/ar؟", "https://a.b/ar"),
            ("ดู https://a.b/th ครับ", "https://a.b/th"),
            ("ดูhttps://a.b/thครับ", "https://a.b/th"),
            ("https://a.b/ko에 따르면", "https://a.b/ko"),
            ("https://ko.a.b/wiki/한국어", "https://ko.a.b/wiki/한국어"),
            ("https://a.b/café", "https://a.b/café"),
            ("https://a.b/en¹ and", "https://a.b/en"),
            ("https://a.b/en②", "https://a.b/en"),
            ("https://a.b/en\u{ad} and", "https://a.b/en"),
            ("https://ar.a.b/wiki/١٩٤٨", "https://ar.a.b/wiki/١٩٤٨"),
            ("https://a.b/c]", "https://a.b/c"),
            ("https://a.b/c#:~:text=x,y!", "https://a.b/c#:~:text=x,y"),
        ] {
            assert_eq!(links(text), [wanted], "{text}");
        }
    }

    #[test]
    fn what_names_no_page_is_not_an_address() {
        for text in ["", "://", "https://", "ftp://a.b", "http:// a", "a:b//c", "https://…"] {
            assert_eq!(links(text), [""; 0], "{text}");
        }
        assert_eq!(links("http://a.b, http://a.b and https://c.d"), ["http://a.b", "http://a.b", "https://c.d"]);
    }
}
