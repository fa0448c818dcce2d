//! The symbols of the screen, and their replacements for terminals without Unicode.

use std::{borrow::Cow, sync::LazyLock};

/// Signs that are drawn with, and the plain ones for them.
const PLAIN: [(&str, &str); 10] = [
    ("▌", "| "),
    ("─", "-"),
    ("━", "="),
    ("┃", "|"),
    ("█", "#"),
    ("░", "."),
    ("…", "..."),
    ("… ", "... "),
    (" · ", " - "),
    ("──", "--"),
];

/// Signs of a text, and the plain ones for them. Quotation marks become such as end no text of JSON.
const PLAIN_SIGNS: [(char, &str); 9] =
    [('“', "'"), ('”', "'"), ('‘', "'"), ('’', "'"), ('−', "-"), ('→', "->"), ('…', "..."), ('✓', "*"), ('·', "-")];

static UNICODE: LazyLock<bool> = LazyLock::new(|| {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    is_unicode(["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).as_deref())
});

/// `sign` as this terminal can show it.
pub fn displayable_sign(sign: &'static str) -> &'static str {
    if *UNICODE { sign } else { find_plain_sign(sign) }
}

/// `text` with the signs that this terminal can show.
pub fn displayable_text(text: &str) -> Cow<'_, str> {
    if *UNICODE { text.into() } else { replace_with_plain_signs(text) }
}

fn replace_with_plain_signs(text: &str) -> Cow<'_, str> {
    let sign = |c: char| PLAIN_SIGNS.iter().find(|(sign, _)| *sign == c).map(|(_, plain)| *plain);
    if !text.contains(|c| sign(c).is_some()) {
        return text.into();
    }
    let mut spelled = String::with_capacity(text.len());
    for c in text.chars() {
        match sign(c) {
            Some(plain) => spelled.push_str(plain),
            None => spelled.push(c),
        }
    }
    spelled.into()
}

/// Whether a terminal of this locale shows Unicode; one without a locale does nowadays.
fn is_unicode(locale: Option<&str>) -> bool {
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

fn find_plain_sign(sign: &'static str) -> &'static str {
    PLAIN.iter().find(|(drawn, _)| *drawn == sign).map_or(sign, |(_, plain)| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_unicode_gets_plain_signs() {
        assert!(is_unicode(None) && is_unicode(Some("de_DE.UTF-8")) && is_unicode(Some("C.utf8")));
        assert!(!is_unicode(Some("C")) && !is_unicode(Some("de_DE.ISO-8859-1")));
        assert!(PLAIN.iter().all(|(sign, _)| find_plain_sign(sign).is_ascii()));
        assert_eq!(find_plain_sign("x"), "x");
        assert_eq!(replace_with_plain_signs("✓ “−1” → é…"), "* '-1' -> é...");
        assert_eq!(replace_with_plain_signs("as it is"), "as it is");
    }
}
