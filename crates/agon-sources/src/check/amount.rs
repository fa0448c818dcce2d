//! An amount or a year: sign, digits, scale and unit, one behind the other.

use std::ops::Range;

use super::bounds::{Bound, bound};
use super::figure::{Sort, StatedFigure};
use super::inflection::is_ideograph;
use super::measures::{self, Measured};
use super::numerals::{Number, ascii_digits, foreign_word, is_separator, may_begin, readings, spelled};
use super::scales::{other_scale, scale};
use super::units::{self, Unit, UnitSpec};

/// Words whose number is a name: `section 4`, `turn 3`.
const NAMED: [&str; 25] = [
    "seq", "turn", "turns", "rule", "section", "page", "pages", "p", "pp", "chapter", "figure", "fig",
    "table", "no", "nr", "version", "article", "line", "lines", "step", "round", "exchange", "phase",
    "volume", "appendix",
];
/// What stands before the digits, and the rest of the word.
struct Signed<'t> {
    /// A sign of a unit: `$`.
    sign: Option<UnitSpec>,
    is_negative: bool,
    rest: &'t str,
}

/// A number in digits or in words.
struct Digits {
    values: Vec<Number>,
    /// Empty where it is in words.
    written: String,
    decimals: usize,
    /// What stands in the same word behind the digits.
    ending: String,
    /// How many words it takes.
    used: usize,
    /// Whether a word of scale is part of it: `two million`.
    is_scaled: bool,
}

/// What multiplies a number.
#[derive(Default)]
struct Scale {
    power: i32,
    /// Another power by which it may be meant: `m` is metres or millions.
    other_power: Option<i32>,
    is_scaled: bool,
    /// The unit that is written in the same word.
    own: Option<Unit>,
    /// A sign of scale that is written with what is counted: `3万人`.
    glued: Option<char>,
    /// The first word behind it.
    next: usize,
}

/// Word `i` in lower case; empty where there is none.
fn lower(text: &str, words: &[Range<usize>], i: usize) -> String {
    words.get(i).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default()
}

/// A figure at word `i`, with what stands around it, and how many words it takes; `is_whole` joins digits with
/// blanks between them.
pub fn amount(
    text: &str,
    words: &[Range<usize>],
    i: usize,
    decimal: Option<char>,
    is_whole: bool,
) -> Option<(StatedFigure, usize)> {
    let range = words.get(i)?.clone();
    // Most words are not numbers, and a page has very many.
    if !text[range.clone()].contains(char::is_numeric) && !may_be_spelled(&text[range.clone()]) {
        return None;
    }
    let full = ascii_digits(&text[range.clone()]);
    let before = i.checked_sub(1).map(|i| lower(text, words, i)).unwrap_or_default();
    // Only a number that begins a line with a point behind it counts its items.
    if full.contains("://") || is_item(text, &range) {
        return None;
    }
    let Signed { sign, is_negative, rest } = signed(&full, &before);
    let Digits { values, written, decimals, ending, used, is_scaled } =
        digits(text, words, i, rest, decimal, is_whole)?;
    let is_more = ending == "+";
    let scale = scaled(text, words, i + used, ending.trim_start_matches(['-', '+']), sign.is_some())?;
    let is_scaled = is_scaled || scale.is_scaled;
    let power = scale.power;
    let mut values = multiplied(&values, power, scale.other_power);
    let Measured { mut unit, used, end } = measured(text, words, i, scale, sign);
    if is_negative {
        values.iter_mut().for_each(|value| *value = value.negated());
    }
    let whole = values.first()?.whole();
    let is_year = unit.known.is_none()
        && unit.per.is_none()
        && !is_scaled
        && !is_negative
        && written.len() == 4
        && written.chars().all(|c| c.is_ascii_digit())
        && whole.is_some_and(|year| (1500..=2199).contains(&year));
    let is_listed = || unit.words.is_empty() && in_named_list(text, &words[..i]);
    if unit.known.is_none() && !is_scaled && (NAMED.contains(&before.as_str()) || is_listed()) {
        return None;
    }
    if is_year && measures::is_temporal(&before) {
        unit = Unit::default();
    }
    let counted = !unit.words.is_empty();
    let is_strong = !is_year
        && (unit.known.is_some()
            || is_scaled
            || decimals > 0
            || whole.is_some_and(|whole| {
                whole.abs() >= 100 || (whole.abs() >= 10 && counted && !written.is_empty())
            }));
    let bound = if is_more { Bound::Above } else { bound(text, words, i, used) };
    let figure = StatedFigure {
        at: range.start..end.max(words[(i + used).saturating_sub(1).min(words.len() - 1)].end),
        unit,
        sort: if is_year { Sort::Year } else { Sort::Amount },
        bound,
        precision: precision(values[0], power - decimals as i32, &written),
        written,
        values,
        is_strong,
        is_aside: false,
    };
    Some((figure, used))
}

/// The sign of a unit and of a negative number, in the word `full` or the one `before` it.
fn signed<'t>(full: &'t str, before: &str) -> Signed<'t> {
    let (sign, rest) = match units::sign(full) {
        Some((known, length)) if full[length..].starts_with(|c: char| c.is_ascii_digit()) => {
            (Some(known), &full[length..])
        }
        _ => (units::sign(before).filter(|(_, length)| *length == before.len()).map(|found| found.0), full),
    };
    let (is_negative, rest) = match rest.strip_prefix(['-', '−', '+']) {
        Some(behind) => (!rest.starts_with('+'), behind),
        None => (before == "minus", rest),
    };
    Signed { sign, is_negative, rest }
}

/// The number that begins with `rest`, the word `i` without its signs.
fn digits(
    text: &str,
    words: &[Range<usize>],
    i: usize,
    rest: &str,
    decimal: Option<char>,
    is_whole: bool,
) -> Option<Digits> {
    let length = rest.find(|c: char| !c.is_ascii_digit() && !is_separator(c)).unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(length);
    let digits = digits.trim_end_matches(is_separator);
    let mut number = if digits.is_empty() {
        let ahead: Vec<String> = (i..words.len().min(i + 8)).map(|i| lower(text, words, i)).collect();
        // Words with commas or points between them are not one number.
        let joined = (1..ahead.len())
            .take_while(|k| text[words[i + k - 1].end..words[i + k].start].trim().is_empty())
            .count();
        let (value, used) = spelled(&ahead[..joined + 1])
            .or_else(|| foreign_word(&ahead[0]).map(|value| (Number::new(value, 0), 1)))?;
        let is_scaled = (0..used).any(|k| scale(&ahead[k]).is_some());
        let (values, written, ending) = (vec![value], String::new(), String::new());
        Digits { values, written, decimals: 0, ending, used, is_scaled }
    } else {
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (written, more, ending) = grouped(text, words, i, digits, behind, is_whole);
        let values = readings(&written.replace(|c: char| c.is_whitespace(), ""), decimal);
        let decimals = match written.rfind(['.', ',']) {
            Some(at) if values.first().is_some_and(|value| value.whole().is_none()) => written.len() - at - 1,
            _ => 0,
        };
        Digits { values, written, decimals, ending, used: 1 + more, is_scaled: false }
    };
    // `3½`
    if let Some((sign, half)) =
        ["½", "¼", "¾"].into_iter().zip([50, 25, 75]).find(|(sign, _)| number.ending.starts_with(sign))
    {
        let more = Number::new(half, 2);
        number.values = number.values.into_iter().filter_map(|value| value.plus(more)).collect();
        number.decimals = 1;
        number.ending = number.ending[sign.len()..].to_owned();
    }
    Some(number)
}

/// What multiplies a number with `ending` in its last word, in that word and in those from `next` on.
/// `5k`, `3.2bn`, `40%`, `5km`; anything else behind digits is a name: `4x`, `3rd`, `2b`.
fn scaled(text: &str, words: &[Range<usize>], next: usize, ending: &str, has_sign: bool) -> Option<Scale> {
    let mut found = Scale { next, ..Scale::default() };
    if !ending.is_empty() {
        if let Some(power) = scale(ending).filter(|_| has_sign || !matches!(ending, "m" | "b" | "M" | "B")) {
            found.power = power;
            found.is_scaled = true;
        } else {
            found.own = Some(measures::attached(ending)?);
            if ending == "m" || ending == "M" {
                found.other_power = Some(6);
            }
        }
    }
    while found.own.is_none() {
        let word = lower(text, words, found.next);
        let joined = words
            .get(found.next)
            .is_some_and(|range| measures::is_joined(text, &words[found.next - 1], range));
        let allowed = word.chars().count() > 2 || has_sign || ["bn", "mn", "md", "tn"].contains(&&*word);
        let ideograph = word.chars().next().filter(|c| is_ideograph(*c) && scale(&c.to_string()).is_some());
        match (scale(&word).filter(|_| joined && allowed), ideograph) {
            (Some(power), _) => {
                found.power += power;
                found.other_power = other_scale(&word).map(|more| found.power + more).or(found.other_power);
                found.is_scaled = true;
                found.next += 1;
            }
            (None, Some(c)) if joined => {
                found.power += scale(&c.to_string()).unwrap_or(0);
                found.is_scaled = true;
                found.glued = Some(c);
                break;
            }
            _ => break,
        }
    }
    Some(found)
}

/// `values` times ten to the power of `power`, and the first one also by the other power.
fn multiplied(values: &[Number], power: i32, other_power: Option<i32>) -> Vec<Number> {
    let other = other_power.and_then(|other| values.first()?.scaled(other));
    values.iter().filter_map(|value| value.scaled(power)).chain(other).collect()
}

/// The unit behind the number that begins at word `i`, and how many words both take.
fn measured(text: &str, words: &[Range<usize>], i: usize, scale: Scale, sign: Option<UnitSpec>) -> Measured {
    let next = scale.next;
    let Measured { mut unit, used, end } = match scale.own {
        Some(unit) => Measured { unit, used: 0, end: words[next - 1].end },
        None => measures::behind(text, words, next),
    };
    if let (Some(glued), Some(first)) = (scale.glued, unit.words.first_mut()) {
        *first = first.trim_start_matches(glued).to_owned();
        unit.words.retain(|word| !word.is_empty());
    }
    if let Some(sign) = sign {
        // `$40 a head`, but never dollars and another unit: then the word says what is paid for.
        unit.known = Some(sign);
        unit.words.clear();
        unit.before = 0;
    }
    let taken = if unit.known.is_some() || unit.per.is_some() { used } else { 0 };
    Measured { unit, used: next - i + taken, end }
}

/// Whether the words end in a list of whole numbers that are names: `seq 24, 32 and`.
fn in_named_list(text: &str, words: &[Range<usize>]) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let links = |word: &str| matches!(word, "and" | "or" | "to" | "und" | "oder" | "bis" | "et" | "y" | "e");
    let before = words.iter().rev().map(|range| text[range.clone()].to_lowercase());
    let mut before = before.skip_while(|word| is_number(word) || links(word));
    let numbered = words.last().is_some_and(|range| {
        let word = text[range.clone()].to_lowercase();
        is_number(&word) || links(&word)
    });
    numbered && before.next().is_some_and(|word| NAMED.contains(&word.as_str()))
}

/// Whether a number in words may begin with `first`.
fn may_be_spelled(first: &str) -> bool {
    let first = first.to_lowercase();
    ["a", "an", "half"].contains(&first.as_str()) || may_begin(&first)
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

/// `12 345 678` with blanks between groups of three: the digits with their blanks, the words taken beyond the
/// first, and what stands behind the last digit.
fn grouped(
    text: &str,
    words: &[Range<usize>],
    i: usize,
    digits: &str,
    ending: &str,
    is_whole: bool,
) -> (String, usize, String) {
    let (mut all, mut used, mut ending) = (digits.to_owned(), 0, ending.to_owned());
    if !digits.chars().all(|c| c.is_ascii_digit()) || digits.len() > 3 || digits.starts_with('0') {
        return (all, 0, ending);
    }
    while ending.is_empty()
        && let (Some(this), Some(next)) = (words.get(i + used), words.get(i + used + 1))
    {
        let between = &text[this.end..next.start];
        let is_plain = between == " ";
        if !matches!(between, "\u{a0}" | "\u{202f}" | "\u{2009}" | "\u{2007}" | "\u{2008}")
            && (!is_plain || !is_whole)
        {
            break;
        }
        let word = ascii_digits(&text[next.clone()]);
        let group = word.chars().take_while(char::is_ascii_digit).count();
        let behind = &word[group..];
        let decimals = behind.len()
            - behind
                .strip_prefix([',', '.'])
                .map_or(behind.len(), |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).len());
        if group != 3 || behind.starts_with([',', '.']) && decimals < 2 {
            break;
        }
        if is_plain {
            all.push(' ');
        }
        all.push_str(&word[..group + decimals]);
        ending = behind[decimals..].to_owned();
        used += 1;
        if decimals > 0 {
            break;
        }
    }
    (all, used, ending)
}

/// Whether a number counts the items of a list or a reference: `1. First`, `[3]`.
fn is_item(text: &str, range: &Range<usize>) -> bool {
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let starts_line = before.trim_end_matches([' ', '#', '*', '-']).is_empty()
        || before.trim_end_matches([' ', '#', '*', '-']).ends_with('\n');
    let point = behind.starts_with(". ") || behind.starts_with(") ");
    (starts_line && point && range.len() <= 3) || (before.ends_with('[') && behind.starts_with(']'))
}
