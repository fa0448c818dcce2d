//! Days and months, as people write them.

use std::ops::Range;

use super::bounds::Bound;
use super::figure::{Sort, StatedFigure};
use super::units::Unit;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// `2024-05-06`
pub fn is_day(word: &str) -> bool {
    parse_day(word).is_some()
}

/// `2024-05-06` and `6.5.2024`; days with slashes are read in two ways, and so in none.
fn parse_day(word: &str) -> Option<Sort> {
    let dotted: Vec<&str> = word.split('.').collect();
    let (year, month, day) = match dotted[..] {
        [day, month, year] if year.len() == 4 && day.len() <= 2 && month.len() <= 2 => (year, month, day),
        _ => {
            let parts: Vec<&str> = word.get(..10).unwrap_or(word).split('-').collect();
            let [year, month, day] = parts[..] else { return None };
            (year, month, day)
        }
    };
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    (year > 1000 && (1..=12).contains(&month) && (1..=31).contains(&day))
        .then_some(Sort::Date(year, month, day))
}

/// A date at the beginning of `words`; how many of them it takes.
pub fn date(text: &str, words: &[Range<usize>]) -> Option<(StatedFigure, usize)> {
    // Most words begin no date, and a page has very many.
    let begin = text[words.first()?.clone()].chars().next()?;
    if !begin.is_ascii_digit() && !"jfmasondJFMASOND".contains(begin) {
        return None;
    }
    let lower = |i: usize| words.get(i).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default();
    let month = |word: &str| {
        let at =
            MONTHS.iter().position(|month| *month == word || (word.len() == 3 && month.starts_with(word)))?;
        Some(at as u8 + 1)
    };
    let day = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let day: u8 = digits.parse().ok()?;
        let ending = ["", "st", "nd", "rd", "th"].contains(&&word[digits.len()..]);
        ((1..=31).contains(&day) && ending).then_some(day)
    };
    let year = |word: &str| word.parse::<i32>().ok().filter(|year| (1000..=2199).contains(year));
    // A range ends in "2024,", and words are without their commas.
    let (first, second, third) = (lower(0), lower(1), lower(2));
    let (sort, used) = if let Some(day) = parse_day(&first) {
        (day, 1)
    } else if let (Some(day), Some(month)) = (day(&first), month(&second)) {
        match year(&third) {
            Some(year) => (Sort::Date(year, month, day), 3),
            None => (Sort::Date(0, month, day), 2),
        }
    } else if let (Some(month), Some(day)) = (month(&first), day(&second)) {
        match year(&third) {
            Some(year) => (Sort::Date(year, month, day), 3),
            None => (Sort::Date(0, month, day), 2),
        }
    } else if let (Some(month), Some(year)) = (month(&first), year(&second)) {
        (Sort::Date(year, month, 0), 2)
    } else {
        return None;
    };
    let at = words[0].start..words[used - 1].end;
    let figure = StatedFigure {
        at,
        written: String::new(),
        values: Vec::new(),
        unit: Unit::default(),
        sort,
        bound: Bound::Exact,
        precision: 0,
        is_strong: false,
        is_aside: false,
    };
    Some((figure, used))
}
