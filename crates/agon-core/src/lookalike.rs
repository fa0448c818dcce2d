//! Names with different letters that a reader cannot tell apart.

use std::sync::LazyLock;

/// Letters of other alphabets with the Latin ones that they look like, in pairs.
const TWINS: &str = "АAВBЕEЅSІIЈJКKМMНHОOРPСCТTУYХXЁËаaеeіiїïјjкkоoрpсcѕsтtуyхxёëһhԁdԛqԝwӏlвbмmнh\
    ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaβbιiκkνvοoρpτtυuχxγyηn";

/// Whether two names look the same to a reader: other alphabets, full width, `I` for `l`, `0` for `O`,
/// and one mark between words for another.
pub fn is_lookalike(one: &str, other: &str) -> bool {
    visual_shape(one) == visual_shape(other)
}

/// A name by how it looks.
pub fn visual_shape(name: &str) -> String {
    static PAIRS: LazyLock<Vec<char>> = LazyLock::new(|| TWINS.chars().filter(|c| !c.is_whitespace()).collect());
    let twins = &*PAIRS;
    let mut shape = String::new();
    for c in name.trim().chars() {
        let narrow = match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            c => c,
        };
        let latin = twins.chunks(2).find(|pair| pair[0] == narrow).map_or(narrow, |pair| pair[1]);
        match latin {
            'I' | 'l' | '1' => shape.push('l'),
            'O' | '0' => shape.push('o'),
            c if c.is_alphanumeric() => shape.extend(c.to_lowercase()),
            _ if shape.ends_with('-') => {}
            _ => shape.push('-'),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_its_twin() {
        let letters: Vec<char> = TWINS.chars().filter(|c| !c.is_whitespace()).collect();
        for pair in letters.chunks(2) {
            let [other, latin] = pair else { panic!("{pair:?}") };
            assert!(!other.is_ascii() && (latin.is_ascii() || "Ëëï".contains(*latin)), "{pair:?}");
        }
    }

    #[test]
    fn names_that_look_the_same_are_known() {
        for (one, other) in [
            ("Anna", "Аnnа"),
            ("Eve", "Εve"),
            ("Chair", "Сhair"),
            ("Ann B", "Ann-B"),
            ("Al", "AI"),
            ("Bob", "Ｂｏｂ"),
            ("Tom", "Τоm"),
        ] {
            assert!(is_lookalike(one, other), "{one} {other}");
        }
        for (one, other) in [("Ann", "Anne"), ("Вера", "Vera"), ("Ian", "Jan"), ("Ann B", "AnnB"), ("José", "Jose")]
        {
            assert!(!is_lookalike(one, other), "{one} {other}");
        }
    }
}
