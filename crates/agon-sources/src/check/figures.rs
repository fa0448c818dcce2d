//! Step 7: the figures of a text, with unit, scale and date.

use std::ops::Range;

use super::numerals::{Number, readings, scale, word};
use super::units::{SIGNS, merged, symbol};
pub use super::{
    match_figures::{FigureFinding, FigureStatus, look_up},
    units::Unit,
};

/// Most figures of one passage that are looked up.
pub const FIGURES_MAX: usize = 40;

/// What kind of number it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// An amount.
    Amount,
    /// A year.
    Year,
    /// A day, or a month of a year: year, month, day; 0 where not said.
    Date(i32, u8, u8),
}

/// A figure in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Where it stands, in bytes, unit included.
    pub at: Range<usize>,
    /// Its value; further ones where its separators can be read otherwise.
    pub values: Vec<Number>,
    /// What it measures.
    pub unit: Unit,
    /// What kind it is.
    pub sort: Sort,
    /// Whether the text says that it is rounded: "about".
    pub hedged: bool,
    /// The power of ten of its last written digit, for rounding.
    pub precision: i32,
    /// Whether it is more than a small count: with unit, scale, decimals or two digits at least.
    pub is_strong: bool,
}

const HEDGES: [&str; 16] = [
    "about",
    "around",
    "roughly",
    "nearly",
    "almost",
    "approximately",
    "approx",
    "some",
    "over",
    "under",
    "circa",
    "ca",
    "than",
    "least",
    "most",
    "close",
];
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
/// Words whose number is a name: `section 4`, `turn 3`.
const NAMED: [&str; 25] = [
    "seq", "turn", "turns", "rule", "section", "page", "pages", "p", "pp", "chapter", "figure", "fig",
    "table", "no", "nr", "version", "article", "line", "lines", "step", "round", "exchange", "phase",
    "volume", "appendix",
];

/// The figures that `text` states, in their order.
pub fn stated(text: &str) -> Vec<Figure> {
    let words = words(text);
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        match date(text, &words[i..]).or_else(|| amount(text, &words, i)) {
            Some((figure, used)) => {
                found.push(figure);
                i += used.max(1);
            }
            None => i += 1,
        }
    }
    share_units(text, &mut found);
    found
}

/// Both ends of a range have the unit that is written at one of them: `10-15%`, `$10 to 15`.
fn share_units(text: &str, figures: &mut [Figure]) {
    for i in 1..figures.len() {
        let (before, behind) = figures.split_at_mut(i);
        let (Some(first), Some(second)) = (before.last_mut(), behind.first_mut()) else { continue };
        let between = text.get(first.at.end..second.at.start).unwrap_or("?");
        if !["-", "–", "‑", "−", " to "].contains(&between) || first.sort != second.sort {
            continue;
        }
        let (from, to) = if first.unit == Unit::None { (second, first) } else { (first, second) };
        // "From 12% to 3 million" is no range of one unit.
        if between == " to " && to.at.start > from.at.start {
            continue;
        }
        if to.unit == Unit::None && matches!(from.unit, Unit::Percent | Unit::Money(_)) {
            to.unit = from.unit;
            to.is_strong = true;
        }
    }
}

/// The figures of a claim that are worth looking up: none of those in `skipped` ranges.
pub fn claimed(text: &str, skipped: &[Range<usize>]) -> Vec<Figure> {
    let outside = |figure: &Figure| {
        !skipped.iter().any(|range| range.start <= figure.at.start && figure.at.end <= range.end)
    };
    let mut all: Vec<Figure> = stated(text).into_iter().filter(outside).collect();
    all.retain(|figure| figure.is_strong || figure.sort != Sort::Amount);
    all.truncate(FIGURES_MAX);
    all
}

/// Words as byte ranges, without the punctuation around them; an address is one word.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let splits = c.is_whitespace()
            || "()[]{}\"“”„«»;|—".contains(c) && !within_address(&text[start.unwrap_or(at)..at]);
        match (splits, start) {
            (false, None) => start = Some(at),
            (true, Some(begun)) => {
                push(text, begun..at, &mut found);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn within_address(word: &str) -> bool {
    word.contains("://")
}

/// Takes punctuation off, and takes ranges of numbers and hyphened units apart: `3-5`, `5-km`.
fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let word = &text[range.clone()];
    let front = word.len()
        - word.trim_start_matches(['\'', '‘', '*', '_', ',', '.', ':', '~', '<', '>', '≈', '=']).len();
    let back = word.trim_end_matches(['\'', '’', '*', '_', ',', '.', ':', '!', '?', '…']).len();
    if front >= back {
        return;
    }
    let (start, word) = (range.start + front, &word[front..back]);
    let is_dash = |c: char| matches!(c, '-' | '–' | '‑' | '−');
    let cut = word.char_indices().skip(1).find(|(at, c)| {
        is_dash(*c)
            && word[..*at].ends_with(|c: char| c.is_ascii_digit() || c == '%')
            && !within_address(word)
            && !is_day(word)
    });
    match cut {
        Some((at, c)) => {
            found.push(start..start + at);
            let rest = at + c.len_utf8();
            if rest < word.len() {
                push(text, start + rest..start + word.len(), found);
            }
        }
        None => found.push(start..start + word.len()),
    }
}

/// `2024-05-06`
fn is_day(word: &str) -> bool {
    parse_day(word).is_some()
}

fn parse_day(word: &str) -> Option<Sort> {
    let parts: Vec<&str> = word.get(..10).unwrap_or(word).split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    (year > 1000 && (1..=12).contains(&month) && (1..=31).contains(&day))
        .then_some(Sort::Date(year, month, day))
}

fn plain<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    &text[range.clone()]
}

/// A date at the beginning of `words`; how many of them it takes.
fn date(text: &str, words: &[Range<usize>]) -> Option<(Figure, usize)> {
    let lower = |i: usize| words.get(i).map(|range| plain(text, range).to_lowercase()).unwrap_or_default();
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
    let (values, unit) = (Vec::new(), Unit::None);
    Some((Figure { at, values, unit, sort, hedged: false, precision: 0, is_strong: false }, used))
}

/// An amount or a year at word `i`; how many words it takes.
fn amount(text: &str, words: &[Range<usize>], i: usize) -> Option<(Figure, usize)> {
    let range = words[i].clone();
    let full = plain(text, &range);
    let before = i.checked_sub(1).map(|i| plain(text, &words[i]).to_lowercase()).unwrap_or_default();
    // Only a number that begins a line with a point behind it counts its items.
    if full.contains("://") || is_item(text, &range) {
        return None;
    }
    let lower = full.to_lowercase();
    let (sign, rest) = SIGNS
        .iter()
        .find_map(|(sign, code)| Some((Some(*code), lower.strip_prefix(sign)?)))
        .filter(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or((None, lower.as_str()));
    let (negative, rest) = match rest.strip_prefix(['-', '−', '+']) {
        Some(behind) => (!rest.starts_with('+'), behind),
        None => (false, rest),
    };
    let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
    let (digits, ending) = rest.split_at(length);
    let digits = digits.trim_end_matches(['.', ',']);
    let mut values;
    let mut decimals = 0;
    let mut used = 1;
    let spelled = digits.is_empty();
    if spelled {
        if sign.is_some() || negative {
            return None;
        }
        values = vec![Number::new(word(rest)?, 0)];
        // "one" and "no one" count nothing unless a scale or unit follows.
    } else {
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (digits, more) = grouped(text, words, i, digits, ending);
        used += more;
        values = readings(&digits);
        decimals = digits.rfind(['.', ',']).map_or(0, |at| digits.len() - at - 1);
        if values.first().is_some_and(|value| value.whole().is_some()) {
            decimals = 0;
        }
    }
    if values.is_empty() {
        return None;
    }
    // A number in words has nothing behind its digits.
    let mut ending = if spelled { String::new() } else { ending.to_owned() };
    let mut unit = sign.map_or(Unit::None, Unit::Money);
    let mut power = 0;
    let mut scaled = false;
    let next =
        |used: usize| words.get(i + used).map(|range| plain(text, range).to_lowercase()).unwrap_or_default();
    // `5k`, `3.2bn`, `40%`, `5km`; anything else behind digits is a name: `4x`, `3rd`, `2b`.
    let mut own_end = range.end;
    if !ending.is_empty() && used == 1 {
        let bare = ending.trim_start_matches('-').to_owned();
        if let Some(known) = symbol(&bare) {
            (unit, power) = merged(unit, known, power)?;
        } else if let Some(found) = scale(&bare).filter(|_| sign.is_some() || bare.len() > 1) {
            power += found;
            scaled = true;
        } else {
            return None;
        }
        ending.clear();
    }
    loop {
        let word = next(used);
        if let Some(found) =
            scale(&word).filter(|_| word.len() > 2 || sign.is_some() || word == "bn" || word == "mn")
        {
            power += found;
            scaled = true;
        } else if (word == "percentage" && next(used + 1).starts_with("point"))
            || (word == "per" && next(used + 1) == "cent")
        {
            (unit, power) = merged(unit, (Unit::Percent, 0), power)?;
            used += 1;
        } else if let Some(known) =
            symbol(&word).filter(|_| unit == Unit::None && !spelled_article(&lower, &word))
        {
            (unit, power) = merged(unit, known, power)?;
            own_end = words[i + used].end;
            used += 1;
            break;
        } else {
            break;
        }
        own_end = words.get(i + used).map_or(own_end, |range| range.end);
        used += 1;
    }
    own_end = own_end.max(words.get(i + used - 1).map_or(own_end, |range| range.end));
    for value in &mut values {
        *value = value.scaled(power)?;
        if negative {
            *value = value.negated();
        }
    }
    let whole = values[0].whole();
    let is_year = unit == Unit::None
        && !scaled
        && !negative
        && digits.len() == 4
        && used == 1
        && whole.is_some_and(|year| (1500..=2199).contains(&year));
    if unit == Unit::None && !scaled && NAMED.contains(&before.as_str()) {
        return None;
    }
    let counted = next(used).chars().next().is_some_and(char::is_alphabetic);
    let is_strong = !is_year
        && (unit != Unit::None
            || scaled
            || decimals > 0
            || whole.is_some_and(|whole| whole.abs() >= 100 || (whole.abs() >= 10 && counted && !spelled)));
    let hedged = full.starts_with(['~', '≈'])
        || text[..range.start].ends_with(['~', '≈'])
        || (0..3).any(|back| {
            let at = i.checked_sub(back + 1).map(|at| plain(text, &words[at]).to_lowercase());
            at.is_some_and(|word| HEDGES.contains(&word.as_str()))
        });
    let figure = Figure {
        at: range.start..own_end,
        unit,
        sort: if is_year { Sort::Year } else { Sort::Amount },
        hedged,
        precision: precision(values[0], power - decimals as i32, digits),
        values,
        is_strong,
    };
    Some((figure, used))
}

/// "One in", "a million": no unit of a word that is an article too.
fn spelled_article(number: &str, unit: &str) -> bool {
    number == "one" && unit.len() < 3
}

/// The power of ten of the last digit that means something: 3,000 has one.
fn precision(value: Number, power: i32, digits: &str) -> i32 {
    let zeros = if digits.contains(['.', ',']) && value.whole().is_none() {
        0
    } else {
        let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
        plain.len() - plain.trim_end_matches('0').len()
    };
    power + zeros as i32
}

/// `12 345 678` with blanks between groups of three.
fn grouped(text: &str, words: &[Range<usize>], i: usize, digits: &str, ending: &str) -> (String, usize) {
    let mut all = digits.to_owned();
    let mut used = 0;
    if !ending.is_empty() || digits.contains(['.', ',']) || digits.len() > 3 {
        return (all, 0);
    }
    while let (Some(this), Some(next)) = (words.get(i + used), words.get(i + used + 1)) {
        let between = &text[this.end..next.start];
        let word = plain(text, next);
        let narrow = matches!(between, "\u{a0}" | "\u{202f}" | "\u{2009}" | "'" | "’");
        if !narrow || word.len() != 3 || !word.chars().all(|c| c.is_ascii_digit()) {
            break;
        }
        all.push_str(word);
        used += 1;
    }
    (all, used)
}

/// Whether a number counts the items of a list or a reference: `1. First`, `[3]`.
fn is_item(text: &str, range: &Range<usize>) -> bool {
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let starts_line = before.trim_end_matches([' ', '#', '*', '-']).is_empty()
        || before.trim_end_matches([' ', '#', '*', '-']).ends_with('\n');
    let point = behind.starts_with(". ") || behind.starts_with(") ");
    (starts_line && point && range.len() <= 3) || (before.ends_with('[') && behind.starts_with(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let strong = claimed(text, &[]);
        let show = |figure: &Figure| {
            let value = figure.values.first().map(|value| value.approximately());
            match figure.sort {
                Sort::Amount => format!("{} {:?}", value.unwrap_or_default(), figure.unit),
                Sort::Year => format!("year {}", value.unwrap_or_default()),
                Sort::Date(y, m, d) => format!("{y}-{m}-{d}"),
            }
        };
        strong.iter().map(show).collect()
    }

    #[test]
    fn figures_are_read_with_unit_and_scale() {
        for (text, wanted) in [
            ("It rose by 12.5% to 3.2 million people.", vec!["12.5 Percent", "3200000 None"]),
            (
                "It cost $1.5bn, or €40, or 300 dollars.",
                vec!["1500000000 Money(\"USD\")", "40 Money(\"EUR\")", "300 Money(\"USD\")"],
            ),
            (
                "Twelve per cent of 5 km is 600 metres.",
                vec!["12 Percent", "5000 Quantity(\"m\")", "600 Quantity(\"m\")"],
            ),
            ("On 12 March 2020 and May 6, 2021, and 2024-01-02", vec!["2020-3-12", "2021-5-6", "2024-1-2"]),
            ("In 2019 there were 73 deaths and 3 births.", vec!["year 2019", "73 None"]),
            ("From 10-15% of 12\u{202f}345 homes", vec!["10 Percent", "15 Percent", "12345 None"]),
            ("A fall of -4.5 percentage points", vec!["-4.5 Percent"]),
            ("1. First\n2. Second, see [3] and section 4.2 and seq 700.", vec![]),
            ("COVID-19, GPT-4, the 3rd of 21st, 24/7, H2O and https://a.b/12345?x=99.9%", vec![]),
            ("two million trees", vec!["2000000 None"]),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_quoted_is_not_looked_up_twice() {
        let text = "They said \"we lost 40% of it\" and 50% more.";
        assert_eq!(claimed(text, std::slice::from_ref(&(10..29))).len(), 1);
    }
}
