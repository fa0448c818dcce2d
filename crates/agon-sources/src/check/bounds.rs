//! Whether a figure is said to be exact, rounded, or a bound.

use std::ops::Range;

use super::small_words::{ABOUT, ABOVE, BELOW, FEWER, MORE, THAN};

/// The precision of a figure: exact, approximate, or a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// As it stands.
    Exact,
    /// "About".
    About,
    /// "More than", "at least".
    Above,
    /// "Less than", "up to".
    Below,
}

/// How the figure of `used` words at word `i` is said.
pub fn bound(text: &str, words: &[Range<usize>], i: usize, used: usize) -> Bound {
    let start = words[i].start;
    match text[..start].chars().next_back() {
        Some('~' | '≈') => return Bound::About,
        Some('>' | '≥') => return Bound::Above,
        Some('<' | '≤') => return Bound::Below,
        _ => {}
    }
    if text[start..].starts_with(['~', '≈']) {
        return Bound::About;
    }
    let has = |list: &str, word: &str| !word.is_empty() && list.contains(&format!(" {word} "));
    let before: Vec<String> = (1..=4)
        .map_while(|back| {
            let at = i.checked_sub(back)?;
            let gap = text.get(words[at].end..words.get(at + 1)?.start)?;
            gap.trim_matches(|c: char| c.is_whitespace() || "~≈<>$€£(".contains(c))
                .is_empty()
                .then(|| text[words[at].clone()].to_lowercase())
        })
        .filter(|word| !["a", "an", "the", "just", "only", "total", "of", "us"].contains(&word.as_str()))
        .collect();
    let word = |at: usize| before.get(at).map(String::as_str).unwrap_or_default();
    let turned = |at: usize| ["no", "not", "nicht", "pas", "non", "niet", "inte"].contains(&word(at));
    if has(THAN, word(0)) && has(MORE, word(1)) {
        return if turned(2) { Bound::Below } else { Bound::Above };
    }
    if has(THAN, word(0)) && has(FEWER, word(1)) {
        return if turned(2) { Bound::Above } else { Bound::Below };
    }
    if [("to", "up"), ("zu", "bis"), ("à", "jusqu")].contains(&(word(0), word(1))) || word(0) == "jusqu'à" {
        return Bound::Below;
    }
    if has(ABOVE, word(0)) {
        return Bound::Above;
    }
    if has(BELOW, word(0)) {
        return Bound::Below;
    }
    if has(ABOUT, word(0)) || has(ABOUT, word(1)) && ["to", "à", "de", "a", "på"].contains(&word(0)) {
        return Bound::About;
    }
    let behind = |at: usize| {
        words.get(i + used + at).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default()
    };
    match (behind(0).as_str(), behind(1).as_str()) {
        ("or" | "and", "more" | "over" | "above")
        | ("oder" | "und", "mehr")
        | ("ou", "plus")
        | ("o", "más") => Bound::Above,
        ("or", "less" | "fewer" | "under") | ("oder", "weniger") | ("ou", "moins") | ("o", "menos") => {
            Bound::Below
        }
        _ => Bound::Exact,
    }
}
