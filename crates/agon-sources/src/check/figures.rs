//! Step 7: the figures of a text, with unit, scale and date.

use std::ops::Range;

use super::asides::{add_up, share, share_units};
use super::bounds::{Bound, bound};
use super::dates::date;
use super::inflection::is_ideograph;
pub use super::match_figures::{FigureFinding, FigureStatus, look_up};
use super::measures::{self, Measured};
use super::numerals::{
    Number, ascii_digits, convention, foreign_word, is_separator, may_begin, readings, spelled,
};
use super::scales::{other_scale, scale};
use super::units::{self, Unit};

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
    /// Its digits as they are written.
    pub written: String,
    /// Its value, scale included and unit not; further ones where its separators can be read otherwise.
    pub values: Vec<Number>,
    /// What it measures.
    pub unit: Unit,
    /// What kind it is.
    pub sort: Sort,
    /// Whether the text says that it is rounded, or a bound.
    pub bound: Bound,
    /// The power of ten of its last written digit, for rounding.
    pub precision: i32,
    /// Whether it is more than a small count: with unit, scale, decimals or two digits at least.
    pub is_strong: bool,
    /// Whether it is only another way to read what stands there: `9 120` as two numbers, a third as 33 %.
    pub is_aside: bool,
}

/// Words whose number is a name: `section 4`, `turn 3`.
const NAMED: [&str; 25] = [
    "seq", "turn", "turns", "rule", "section", "page", "pages", "p", "pp", "chapter", "figure", "fig",
    "table", "no", "nr", "version", "article", "line", "lines", "step", "round", "exchange", "phase",
    "volume", "appendix",
];
/// What one counts in a text, which no page repeats.
const TOLD: [&str; 10] =
    ["reasons", "ways", "things", "points", "sides", "examples", "arguments", "facts", "factors", "parts"];

/// The figures that `text` states, in their order, and other ways to read them.
pub fn stated(text: &str) -> Vec<Figure> {
    let words = words(text);
    let decimal = convention(text);
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        if let Some(aside) = share(text, &words, i) {
            found.push(aside);
        }
        match date(text, &words[i..]).or_else(|| amount(text, &words, i, decimal)) {
            Some((figure, used)) => {
                if figure.written.contains(' ') {
                    found.extend(parts(text, &words[i..i + used.min(words.len() - i)], decimal));
                }
                found.push(figure);
                i += used.max(1);
            }
            None => i += 1,
        }
    }
    share_units(text, &mut found);
    add_up(text, &mut found);
    found
}

/// Numbers with a blank between them, each by itself.
fn parts(text: &str, words: &[Range<usize>], decimal: Option<char>) -> Vec<Figure> {
    let each =
        (0..words.len()).filter_map(|i| read(text, words, i, decimal, false).map(|(figure, _)| figure));
    each.map(|figure| Figure { is_aside: true, ..figure }).collect()
}

/// The figures of a claim that are worth looking up: none of those in `skipped` ranges.
pub fn claimed(text: &str, skipped: &[Range<usize>]) -> Vec<Figure> {
    let outside = |figure: &Figure| {
        !skipped.iter().any(|range| range.start <= figure.at.start && figure.at.end <= range.end)
    };
    let mut all: Vec<Figure> = stated(text).into_iter().filter(outside).collect();
    all.retain(|figure| !figure.is_aside && is_looked_up(figure));
    all.truncate(FIGURES_MAX);
    all
}

/// Whether a claim says something by `figure`: "one" and "two reasons" do not.
fn is_looked_up(figure: &Figure) -> bool {
    let is_small = figure.sort == Sort::Amount && !figure.is_strong;
    let is_spelled = figure.written.is_empty();
    let counts = figure.unit.words.first().is_some_and(|word| !TOLD.contains(&word.as_str()));
    let is_one = figure.values.first().is_some_and(|value| value.whole() == Some(1));
    !is_small || (counts && !is_one) || (!is_spelled && !is_one && figure.unit.words.is_empty())
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

/// Words as byte ranges, without the punctuation around them; an address is one word.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
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
        - word
            .trim_start_matches([
                '\'', '‘', '*', '_', ',', '.', ':', '~', '<', '>', '≈', '=', '≥', '≤', '¿', '¡',
            ])
            .len();
    let back =
        word.trim_end_matches(['\'', '’', '*', '_', ',', '.', ':', '!', '?', '…', '、', '。', '，']).len();
    if front >= back {
        return;
    }
    let (start, word) = (range.start + front, &word[front..back]);
    let is_dash = |c: char| matches!(c, '-' | '–' | '‑' | '−');
    let digit = |c: char| c.is_ascii_digit() || c == '%';
    let mut last = ' ';
    let cut = word.char_indices().find(|(at, c)| {
        let before = std::mem::replace(&mut last, *c);
        let dash = *at > 0 && is_dash(*c) && digit(before) && !super::dates::is_day(word);
        // Where no blanks are written, numbers end all the same.
        let script = is_ideograph(*c) != is_ideograph(before) && (digit(before) || c.is_ascii_digit());
        (dash || script && *at > 0) && !within_address(word)
    });
    match cut {
        Some((at, c)) => {
            found.push(start..start + at);
            let rest = at + if is_dash(c) { c.len_utf8() } else { 0 };
            if rest < word.len() {
                push(text, start + rest..start + word.len(), found);
            }
        }
        None => found.push(start..start + word.len()),
    }
}

/// An amount or a year at word `i`; how many words it takes.
fn amount(text: &str, words: &[Range<usize>], i: usize, decimal: Option<char>) -> Option<(Figure, usize)> {
    read(text, words, i, decimal, true)
}

/// A figure at word `i`, with what stands around it; `is_whole` joins digits with blanks between them.
fn read(
    text: &str,
    words: &[Range<usize>],
    i: usize,
    decimal: Option<char>,
    is_whole: bool,
) -> Option<(Figure, usize)> {
    let range = words.get(i)?.clone();
    // Most words are no numbers, and a page has very many.
    if !text[range.clone()].contains(char::is_numeric) && !may_be_spelled(&text[range.clone()]) {
        return None;
    }
    let full = ascii_digits(&text[range.clone()]);
    let lower = |i: usize| words.get(i).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default();
    let before = i.checked_sub(1).map(lower).unwrap_or_default();
    // Only a number that begins a line with a point behind it counts its items.
    if full.contains("://") || is_item(text, &range) {
        return None;
    }
    let (sign, rest) = match units::sign(&full) {
        Some((known, length)) if full[length..].starts_with(|c: char| c.is_ascii_digit()) => {
            (Some(known), &full[length..])
        }
        _ => (
            units::sign(&before).filter(|(_, length)| *length == before.len()).map(|found| found.0),
            &full[..],
        ),
    };
    let (negative, rest) = match rest.strip_prefix(['-', '−', '+']) {
        Some(behind) => (!rest.starts_with('+'), behind),
        None => (before == "minus", rest),
    };
    let length = rest.find(|c: char| !c.is_ascii_digit() && !is_separator(c)).unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(length);
    let digits = digits.trim_end_matches(is_separator);
    let mut scaled = false;
    let mut power = 0;
    let mut used = 1;
    let (mut values, written, mut ending);
    if digits.is_empty() {
        let ahead: Vec<String> = (i..words.len().min(i + 8)).map(lower).collect();
        // Words with commas or points between them are no one number.
        let joined = (1..ahead.len())
            .take_while(|k| text[words[i + k - 1].end..words[i + k].start].trim().is_empty())
            .count();
        let (value, taken) = spelled(&ahead[..joined + 1])
            .or_else(|| foreign_word(&ahead[0]).map(|value| (Number::new(value, 0), 1)))?;
        scaled = (0..taken).any(|k| scale(&ahead[k]).is_some());
        (values, written, ending, used) = (vec![value], String::new(), String::new(), taken);
    } else {
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (all, more, rest) = grouped(text, words, i, digits, behind, is_whole);
        used += more;
        values = readings(&all.replace(|c: char| c.is_whitespace(), ""), decimal);
        (written, ending) = (all, rest);
    }
    let mut decimals = match written.rfind(['.', ',']) {
        Some(at) if values.first().is_some_and(|value| value.whole().is_none()) => written.len() - at - 1,
        _ => 0,
    };
    // `3½`
    if let Some((sign, half)) =
        ["½", "¼", "¾"].into_iter().zip([50, 25, 75]).find(|(sign, _)| ending.starts_with(sign))
    {
        let more = Number::new(half, 2);
        values = values.into_iter().filter_map(|value| value.plus(more)).collect();
        decimals = 1;
        ending = ending[sign.len()..].to_owned();
    }
    // `5k`, `3.2bn`, `40%`, `5km`; anything else behind digits is a name: `4x`, `3rd`, `2b`.
    let is_more = ending == "+";
    ending = ending.trim_start_matches(['-', '+']).to_owned();
    let mut own = None;
    let mut other_power = None;
    // A sign of scale that is written with what is counted: `3万人`.
    let mut glued = None;
    if !ending.is_empty() {
        if let Some(found) =
            scale(&ending).filter(|_| sign.is_some() || !matches!(&*ending, "m" | "b" | "M" | "B"))
        {
            power += found;
            scaled = true;
        } else {
            own = Some(measures::attached(&ending)?);
            if ending == "m" || ending == "M" {
                other_power = Some(6);
            }
        }
    }
    let mut next = i + used;
    while own.is_none() {
        let word = lower(next);
        let joined = words.get(next).is_some_and(|range| measures::is_joined(text, &words[next - 1], range));
        let allowed =
            word.chars().count() > 2 || sign.is_some() || ["bn", "mn", "md", "tn"].contains(&&*word);
        let ideograph = word.chars().next().filter(|c| is_ideograph(*c) && scale(&c.to_string()).is_some());
        match (scale(&word).filter(|_| joined && allowed), ideograph) {
            (Some(found), _) => {
                power += found;
                other_power = other_scale(&word).map(|more| power + more).or(other_power);
                scaled = true;
                next += 1;
            }
            (None, Some(c)) if joined => {
                power += scale(&c.to_string()).unwrap_or(0);
                scaled = true;
                glued = Some(c);
                break;
            }
            _ => break,
        }
    }
    used = next - i;
    let Measured { unit, used: taken, end } = match own {
        Some(unit) => Measured { unit, used: 0, end: words[next - 1].end },
        None => measures::behind(text, words, next),
    };
    let mut unit = unit;
    if let (Some(glued), Some(first)) = (glued, unit.words.first_mut()) {
        *first = first.trim_start_matches(glued).to_owned();
        unit.words.retain(|word| !word.is_empty());
    }
    if let Some(sign) = sign {
        // `$40 a head`, but never dollars and another unit: then the word says what is paid for.
        unit.known = Some(sign);
        unit.words.clear();
        unit.before = 0;
    }
    used += if unit.known.is_some() || unit.per.is_some() { taken } else { 0 };
    let plain: Vec<Number> = values.clone();
    values = plain.iter().filter_map(|value| value.scaled(power)).collect();
    if let Some(other) = other_power {
        values.extend(plain.first().and_then(|value| value.scaled(other)));
    }
    if negative {
        values.iter_mut().for_each(|value| *value = value.negated());
    }
    let whole = values.first()?.whole();
    let is_year = unit.known.is_none()
        && unit.per.is_none()
        && !scaled
        && !negative
        && written.len() == 4
        && written.chars().all(|c| c.is_ascii_digit())
        && whole.is_some_and(|year| (1500..=2199).contains(&year));
    let is_listed = || unit.words.is_empty() && in_named_list(text, &words[..i]);
    if unit.known.is_none() && !scaled && (NAMED.contains(&before.as_str()) || is_listed()) {
        return None;
    }
    if is_year && measures::is_temporal(&before) {
        unit = Unit::default();
    }
    let counted = !unit.words.is_empty();
    let is_strong = !is_year
        && (unit.known.is_some()
            || scaled
            || decimals > 0
            || whole.is_some_and(|whole| {
                whole.abs() >= 100 || (whole.abs() >= 10 && counted && !written.is_empty())
            }));
    let bound = if is_more { Bound::Above } else { bound(text, words, i, used) };
    let figure = Figure {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |figure: &Figure| {
            let value = figure.values.first().map(|value| value.approximately()).unwrap_or_default();
            let unit =
                figure.unit.known.map(|known| known.base.to_owned()).unwrap_or(figure.unit.words.join(" "));
            let per = figure.unit.per.as_ref().map(|per| format!(" per {per}")).unwrap_or_default();
            match figure.sort {
                Sort::Amount => format!("{value} {unit}{per}").replace("  ", " ").trim_end().to_owned(),
                Sort::Year => format!("year {value}"),
                Sort::Date(y, m, d) => format!("{y}-{m}-{d}"),
            }
        };
        claimed(text, &[]).iter().map(show).collect()
    }

    #[test]
    fn figures_are_read_with_unit_and_scale() {
        for (text, wanted) in [
            ("It rose by 12.5% to 3.2 million people.", vec!["12.5 percent", "3200000 people"]),
            ("It cost $1.5bn, or €40, or 300 dollars.", vec!["1500000000 USD", "40 EUR", "300 USD"]),
            ("Twelve per cent of 5 km is 600 metres.", vec!["12 percent", "5 m", "600 m"]),
            ("On 12 March 2020 and May 6, 2021, and 2024-01-02", vec!["2020-3-12", "2021-5-6", "2024-1-2"]),
            ("In 2019 there were 73 deaths and 3 births.", vec!["year 2019", "73 deaths", "3 births"]),
            ("From 10-15% of 12\u{202f}345 homes", vec!["10 percent", "15 percent", "12345 homes"]),
            ("A fall of -4.5 percentage points", vec!["-4.5 point"]),
            ("1. First\n2. Second, see [3] and section 4.2 and seq 700.", vec![]),
            ("as said (seq 24, 32, 44) and in turns 2, 3 and 5; 12 died", vec!["12 died"]),
            ("COVID-19, GPT-4, the 3rd of 21st, 24/7, H2O and https://a.b/12345?x=99.9%", vec![]),
            ("two million trees", vec!["2000000 trees"]),
            ("9 120 ha, 7'350 bushels", vec!["9120 m²", "7350 bushels"]),
            ("12 480,5 tonnes", vec!["12480.5 g"]),
            ("4,000 of the old trees", vec!["4000 old trees"]),
            (
                "70 km/h and 3 deaths per 100,000 people",
                vec!["70 m per s 36 2", "3 deaths per 100000 people"],
            ),
            ("1.2 billion a year", vec!["1200000000 per s 315576 2"]),
            ("人口は3万人", vec!["30000 人"]),
            ("٣٤٠ km", vec!["340 m"]),
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
