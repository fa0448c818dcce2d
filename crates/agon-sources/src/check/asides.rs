//! Other ways to read what stands in a text: shares in words as per cent, one unit for both ends of a range,
//! two figures that are one.

use std::ops::Range;

use super::bounds::Bound;
use super::figure::{Sort, StatedFigure};
use super::numerals::{Number, word};
use super::units::{self, PERCENT, Unit};

/// `half`, `two thirds`, `nine in ten`, `doubled`, as a share of a hundred.
pub fn share(text: &str, words: &[Range<usize>], i: usize) -> Option<StatedFigure> {
    const PARTS: [(&str, i128); 16] = [
        ("sixth", 6),
        ("eighth", 8),
        ("tenth", 10),
        ("tenths", 10),
        ("half", 2),
        ("halves", 2),
        ("hälfte", 2),
        ("moitié", 2),
        ("mitad", 2),
        ("metà", 2),
        ("third", 3),
        ("thirds", 3),
        ("quarter", 4),
        ("quarters", 4),
        ("fifth", 5),
        ("fifths", 5),
    ];
    let lower = |i: usize| words.get(i).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default();
    // What does not begin like one is none.
    let begin = text[words.get(i)?.clone()].chars().next()?;
    if !begin.is_ascii_digit() && !"otfsenhmdqOTFSENHMDQ".contains(begin) {
        return None;
    }
    let number = |text: &str| text.parse::<i128>().ok().or_else(|| word(text));
    let (first, second, third) = (lower(i), lower(i + 1), lower(i + 2));
    let of = |parts: i128, whole: i128, end: usize, is_exact: bool| {
        let tenths = (parts.checked_mul(1_000)? + whole / 2) / whole;
        Some(StatedFigure {
            at: words[i].start..words.get(end)?.end,
            written: String::new(),
            values: vec![Number::new(tenths, 1)],
            unit: Unit::of(PERCENT),
            sort: Sort::Amount,
            bound: if is_exact { Bound::Exact } else { Bound::About },
            precision: 0,
            is_strong: true,
            is_aside: true,
        })
    };
    let part = |word: &str| PARTS.iter().find(|(name, _)| *name == word).map(|(_, whole)| *whole);
    let (numerator, denominator) = first.split_once('-').unwrap_or((&first, ""));
    if let (Some(parts), Some(whole)) = (number(numerator), part(denominator)) {
        return of(parts, whole, i, false);
    }
    if let Some(whole) = part(&first) {
        return of(1, whole, i, whole == 2);
    }
    if let (Some(parts), Some(whole)) = (number(&first), part(&second)) {
        return of(parts, whole, i + 1, false);
    }
    if first.starts_with("doubl") || first.starts_with("twofold") {
        return of(1, 1, i, true);
    }
    let (whole, end) = match (second.as_str(), third.as_str()) {
        ("out", "of") => (number(&lower(i + 3))?, i + 3),
        ("in" | "of" | "von" | "sur" | "de" | "su", _) => (number(&third)?, i + 2),
        _ => return None,
    };
    let parts = number(&first)?;
    if !(2..=1_000_000).contains(&whole) || parts > whole {
        return None;
    }
    of(parts, whole, end, (parts * 1_000) % whole == 0)
}

/// Both ends of a range have the unit that is written at one of them: `10-15%`, `$10 to 15`,
/// `from 1,850 to 2,310 crowns`.
pub fn share_units(text: &str, figures: &mut [StatedFigure]) {
    const BETWEEN: [&str; 16] = [
        "-", "–", "‑", "−", " - ", " – ", " to ", " and ", " or ", " bis ", " und ", " à ", " et ", " a ",
        " y ", " e ",
    ];
    for i in 1..figures.len() {
        let (before, behind) = figures.split_at_mut(i);
        let (Some(first), Some(second)) = (before.last_mut(), behind.first_mut()) else { continue };
        let between = text.get(first.at.end..second.at.start).unwrap_or("?");
        if !BETWEEN.contains(&between) || first.sort != Sort::Amount || second.sort != Sort::Amount {
            continue;
        }
        if first.unit.is_none() && !second.unit.is_none() {
            first.unit = second.unit.clone();
            first.is_strong |= first.unit.known.is_some();
        } else if second.unit.is_none() && between.trim().chars().count() == 1 {
            second.unit = first.unit.clone();
            second.is_strong |= second.unit.known.is_some();
        }
    }
}

/// `3 hours 20 minutes` is one length of time as well.
pub fn add_up(text: &str, figures: &mut Vec<StatedFigure>) {
    let mut sums = Vec::new();
    for pair in figures.windows(2) {
        let [first, second] = pair else { continue };
        let (Some(large), Some(small)) = (first.unit.known, second.unit.known) else { continue };
        let between = text.get(first.at.end..second.at.start).unwrap_or("?").trim();
        let is_one = large.base == small.base && ["", ",", "and", "und", "et"].contains(&between);
        let values = |figure: &StatedFigure| {
            figure.values.first().and_then(|value| units::in_base(*value, &figure.unit))
        };
        let (Some(a), Some(b)) = (values(first), values(second)) else { continue };
        if is_one
            && a.approximately() > b.approximately()
            && large != small
            && let Some(sum) = a.plus(b)
        {
            let base = units::UnitSpec { factor: 1, power: 0, ..small };
            sums.push(StatedFigure {
                at: first.at.start..second.at.end,
                values: vec![sum],
                unit: Unit::of(base),
                is_aside: true,
                precision: second.precision + small.power + small.factor.checked_ilog10().unwrap_or(0) as i32,
                ..second.clone()
            });
        }
    }
    figures.extend(sums);
}
