//! Text as it is compared: typography, case, spaces and line breaks do not count, every letter and
//! digit does.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Symbols that mean something next to letters and digits.
const SYMBOLS: &str = "%‰$€£¥°";
/// Stands between two runs of digits, so that `3.5` is not `35`.
const APART: char = '·';

/// `text` in NFKC with quotes, dashes and spaces folded, soft hyphens, zero-width and direction
/// characters removed. Case, words and line breaks stay.
pub fn plain(text: &str) -> String {
    let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    normal.chars().filter_map(fold).collect()
}

/// One character as it is compared; `None` for what nobody sees.
fn fold(c: char) -> Option<char> {
    Some(match c {
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180b}'..='\u{180f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{e0fff}' => {
            return None;
        }
        '‘' | '’' | '‚' | '‛' | '′' | '`' | '´' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        '\n' => '\n',
        c if c.is_whitespace() || c.is_control() => ' ',
        c => c,
    })
}

/// `text` without what nobody sees: it could part a number or a word.
pub fn seen(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|c| fold(c).is_some()) {
        return text.into();
    }
    text.chars().filter(|c| fold(*c).is_some()).collect::<String>().into()
}

/// Letters, digits and symbols alone, with the way back to the text they come from.
#[derive(Debug, Clone, Default)]
pub struct Skeleton {
    /// What is compared, in lower case.
    text: String,
    /// For each byte of `text`: where its character stands in the original.
    at: Vec<u32>,
    /// For each byte of `text`: whether a word begins there.
    begins: Vec<bool>,
}

impl Skeleton {
    /// Of `text`, at most 4 GB of it.
    pub fn of(text: &str) -> Self {
        let mut made = Self::default();
        let normalizer = ComposingNormalizerBorrowed::new_nfkc();
        let all: Vec<(usize, char)> = text.char_indices().collect();
        let mut previous = ' ';
        let mut gap = true;
        let mut i = 0;
        while i < all.len() {
            let at = all[i].0;
            // A letter with the marks that follow it is normalised as one.
            let mut end = i + 1;
            while end < all.len() && is_mark(all[end].1) {
                end += 1;
            }
            let stop = all.get(end).map_or(text.len(), |(at, _)| *at);
            for c in normalizer.normalize(&text[at..stop]).chars().filter_map(fold) {
                let next = all.get(end).map_or(' ', |(_, c)| *c);
                if c.is_alphanumeric() || SYMBOLS.contains(c) {
                    let digits = c.is_ascii_digit() && previous.is_ascii_digit() && gap;
                    if digits {
                        made.push(APART, at, false);
                    }
                    for lower in c.to_lowercase() {
                        made.push(lower, at, gap);
                        gap = false;
                    }
                    previous = c;
                    gap = SYMBOLS.contains(c);
                } else if c == '-'
                    && (previous == ' '
                        || gap
                            && all.get(i.wrapping_sub(1)).is_none_or(|(_, c)| c.is_whitespace() || *c == '('))
                    && next.is_ascii_digit()
                {
                    // A sign belongs to its number.
                    made.push('-', at, true);
                    previous = '-';
                    gap = false;
                } else {
                    let grouped = c == ',' && previous.is_ascii_digit() && thousands(&all[end..], &all[..i]);
                    let narrow = matches!(all[i].1, '\u{a0}' | '\u{202f}' | '\u{2009}')
                        && previous.is_ascii_digit()
                        && thousands(&all[end..], &all[..i]);
                    if !grouped && !narrow && c != '\'' {
                        gap = true;
                    }
                }
            }
            i = end;
        }
        made
    }

    fn push(&mut self, c: char, at: usize, begins: bool) {
        for byte in 0..c.len_utf8() {
            self.at.push(at as u32);
            self.begins.push(begins && byte == 0);
        }
        self.text.push(c);
    }

    /// What is compared.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.begins.iter().filter(|begins| **begins).count()
    }

    /// Where `part` stands at or behind byte `from` of the skeleton, as whole words.
    pub fn find(&self, part: &Skeleton, from: usize) -> Option<std::ops::Range<usize>> {
        if part.text.is_empty() {
            return None;
        }
        let mut from = from;
        while let Some(found) = self.text.get(from..).and_then(|rest| rest.find(&part.text)) {
            let start = from + found;
            let end = start + part.text.len();
            let is_end = self.begins.get(end).is_none_or(|begins| *begins)
                || self.text[end..].starts_with(APART) && !part.text.ends_with(|c: char| c.is_ascii_digit());
            if self.begins[start] && is_end {
                return Some(start..end);
            }
            from = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    /// The bytes of the original that a range of the skeleton stands for.
    pub fn original(&self, range: &std::ops::Range<usize>, text: &str) -> std::ops::Range<usize> {
        let start = self.at.get(range.start).map_or(0, |at| *at as usize);
        let last = self.at.get(range.end.saturating_sub(1)).map_or(0, |at| *at as usize);
        let end = last + text.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        start..end
    }

    /// The words, as ranges of the skeleton.
    pub fn word_ranges(&self) -> Vec<std::ops::Range<usize>> {
        let starts: Vec<usize> =
            self.begins.iter().enumerate().filter(|(_, b)| **b).map(|(i, _)| i).collect();
        let ends = starts.iter().skip(1).copied().chain([self.text.len()]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Whether exactly three digits follow a separator, and one to three stand before it: `1,000`.
fn thousands(behind: &[(usize, char)], before: &[(usize, char)]) -> bool {
    let after = behind.iter().take_while(|(_, c)| c.is_ascii_digit()).count();
    let ahead = before.iter().rev().take_while(|(_, c)| c.is_ascii_digit()).count();
    after == 3 && (1..=3).contains(&ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(page: &str, quote: &str) -> bool {
        Skeleton::of(page).find(&Skeleton::of(quote), 0).is_some()
    }

    #[test]
    fn typography_does_not_count() {
        for (page, quote) in [
            ("He said \u{201c}it\u{2019}s fine\u{201d} \u{2014} twice.", "he said \"it's fine\" - twice"),
            ("a co\u{ad}operative e\u{fb00}ort, in\u{200b}deed", "cooperative effort indeed"),
            ("1\u{a0}000\u{202f}000 people", "1,000,000 people"),
            ("the exam-\nple of a broken line", "example of a broken line"),
            ("Do n't get me wrong", "Don't get me wrong"),
            ("caf\u{e9} au lait is good", "cafe\u{301} au lait is good"),
            ("between 2010–2020 it grew", "between 2010-2020 it grew"),
            ("ＦＵＬＬ width text", "full width text"),
        ] {
            assert!(holds(page, quote), "{page} {quote}");
        }
    }

    #[test]
    fn words_and_digits_do_count() {
        for (page, quote) in [
            ("it grew by 3.5 per cent", "it grew by 35 per cent"),
            ("it grew by 35 per cent", "it grew by 3.5 per cent"),
            ("a rise of -5 degrees", "a rise of 5 degrees"),
            ("a fall of 5 degrees", "a fall of 5% degrees"),
            ("in 12 345 days", "in 12 34"),
            ("restart the engine", "start the engine"),
            ("start the engines", "start the engine"),
            ("it costs 12.50 now", "it costs 12"),
        ] {
            assert!(!holds(page, quote), "{page} {quote}");
        }
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let page = "First. “It’s \u{ad}5 % of caf\u{e9}s”, they say.";
        let skeleton = Skeleton::of(page);
        let found = skeleton.find(&Skeleton::of("it's 5% of cafés"), 0).unwrap();
        assert_eq!(&page[skeleton.original(&found, page)], "It’s \u{ad}5 % of caf\u{e9}s");
    }
}
