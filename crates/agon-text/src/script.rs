//! What Unicode says of a character: marks, digits, and scripts that put no space between words.

use icu_properties::{
    CodePointMapData,
    props::{GeneralCategory, GeneralCategoryGroup, Script},
};

/// The first character of the scripts without spaces: none before it is looked up.
const UNSPACED_FROM: char = '\u{e00}';
/// The first combining mark.
const MARKS_FROM: char = '\u{300}';
/// Marks of length, which Unicode gives to no script.
const KANA_LENGTH: [char; 2] = ['\u{30fc}', '\u{ff70}'];

/// Whether `c` is a letter, mark or digit of a script that puts no space between words: Han, kana, Bopomofo, Thai, Lao,
/// Khmer or Burmese.
pub fn is_unspaced(c: char) -> bool {
    if c < UNSPACED_FROM {
        return false;
    }
    let script = CodePointMapData::<Script>::new().get(c);
    let has_no_spaces = matches!(
        script,
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Bopomofo
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
    );
    has_no_spaces && (c.is_alphanumeric() || is_mark(c)) || KANA_LENGTH.contains(&c)
}

/// Whether `text` has a character of such a script.
pub(crate) fn has_unspaced(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_unspaced)
}

/// Whether `c` is a mark that belongs to the letter before it.
pub fn is_mark(c: char) -> bool {
    c >= MARKS_FROM && GeneralCategoryGroup::Mark.contains(general_category(c))
}

/// The value of a decimal digit of any script.
pub(crate) fn digit_value(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let is_digit = |c: char| general_category(c) == GeneralCategory::DecimalNumber;
    if !is_digit(c) {
        return None;
    }
    // The ten digits of a script follow each other, and so do some sets of them.
    let before = (1..u32::from(c)).map_while(|step| char::from_u32(u32::from(c) - step));
    Some(before.take_while(|c| is_digit(*c)).count() as u32 % 10)
}

fn general_category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_spaces_are_known_by_their_letters() {
        for c in "国のカー々บ່ຂ្ខကㄅｶ".chars() {
            assert!(is_unspaced(c), "{c}");
        }
        for c in "aé한שفनΩ。、，។။1·".chars() {
            assert!(!is_unspaced(c), "{c}");
        }
        assert!(has_unspaced("a 国") && !has_unspaced("한국어 abc"));
    }

    #[test]
    fn digits_of_every_script_have_their_value() {
        for (digits, wanted) in
            [("0189", [0, 1, 8, 9]), ("٠١٨٩", [0, 1, 8, 9]), ("०१८९", [0, 1, 8, 9]), ("๐๑๘๙", [0, 1, 8, 9])]
        {
            let values: Vec<u32> = digits.chars().filter_map(digit_value).collect();
            assert_eq!(values, wanted, "{digits}");
        }
        assert_eq!(['𝟘', '𝟡', '９', '½', '三'].map(digit_value), [Some(0), Some(9), Some(9), None, None]);
    }

    #[test]
    fn marks_are_those_that_belong_to_a_letter() {
        assert!(['\u{301}', '\u{94d}', '\u{e49}', '\u{5b0}'].into_iter().all(is_mark));
        assert!(!['a', 'न', '-', '\u{200d}'].into_iter().any(is_mark));
    }
}
