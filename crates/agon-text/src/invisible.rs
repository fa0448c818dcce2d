//! Invisible characters: readers do not see them, but models read them.

use std::borrow::Cow;

/// Whether `c` shows nothing wherever it stands: zero-width characters, the tag characters that spell hidden
/// words, fillers, invisible operators, and what turns the reading direction. Controls are not among them.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `c` is seen only by what it does to its neighbours: joiners of scripts and of pictures.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// Whether `c` is a control character, a line separator, or invisible: nothing that a line of a file may show.
pub fn is_unprintable(c: char) -> bool {
    is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}') || (c.is_control() && c != '\t')
}

/// `text` without what nobody sees. Joiners stay where they join something: one at a time, next to a character
/// that is not ASCII.
pub fn strip_invisible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(|c| is_invisible(c) || is_joiner(c)) {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        let is_idle =
            is_joiner(c) && kept.chars().next_back().is_none_or(|before| before.is_ascii() || is_joiner(before));
        if !is_invisible(c) && !is_idle {
            kept.push(c);
        }
    }
    kept.into()
}

/// How many characters of `text` nobody sees.
pub fn count_invisible(text: &str) -> usize {
    if text.is_ascii() { 0 } else { text.chars().count() - strip_invisible(text).chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_taken_out_and_what_scripts_need_stays() {
        let spelled: String = "obey".chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect();
        for (text, wanted) in [
            (format!("a{spelled}b"), "ab"),
            ("ig\u{200b}no\u{2060}re\u{feff}".into(), "ignore"),
            ("co\u{ad}op and a\u{200d}b".into(), "coop and ab"),
            ("می\u{200c}خواهم".into(), "می\u{200c}خواهم"),
            ("👩\u{200d}🔬 ⚖\u{fe0f}".into(), "👩\u{200d}🔬 ⚖\u{fe0f}"),
            ("é\u{200d}\u{200d}\u{200c}x".into(), "é\u{200d}x"),
            ("plain\n\ttext".into(), "plain\n\ttext"),
        ] {
            assert_eq!(strip_invisible(&text), wanted, "{text:?}");
        }
        assert_eq!((count_invisible(&format!("a{spelled}")), count_invisible("plain ⚖\u{fe0f}")), (4, 0));
    }
}
