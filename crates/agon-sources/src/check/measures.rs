//! The unit after a number: a known one, or the words that say what is counted.

use std::ops::Range;

use super::inflection::is_ideograph;
use super::scales::is_shortened;
use super::small_words::STOPS;
use super::units::{PERCENT, POINTS, Unit, UnitSpec, named, per};

/// Words behind a number that may name its unit.
const WORDS_MAX: usize = 4;
/// Words between a number and what it counts that say nothing of it.
const BETWEEN: [&str; 14] = [
    "of",
    "the",
    "more",
    "fewer",
    "less",
    "additional",
    "other",
    "these",
    "those",
    "its",
    "their",
    "de",
    "der",
    "des",
];
/// Words of two that are one: the second of them, in lower case, and what both name.
const JOINED: [(&str, &str, UnitSpec); 18] = [
    ("per", "cent", PERCENT),
    ("per", "cento", PERCENT),
    ("pour", "cent", PERCENT),
    ("por", "ciento", PERCENT),
    ("por", "cento", PERCENT),
    ("percentage", "point", POINTS),
    ("percentage", "points", POINTS),
    ("percentage-point", "", POINTS),
    ("%", "points", POINTS),
    ("puntos", "porcentuales", POINTS),
    ("punti", "percentuali", POINTS),
    ("points", "de", POINTS),
    ("basis", "points", UnitSpec { base: "point", factor: 1, power: -2, is_sure: true }),
    ("basis", "point", UnitSpec { base: "point", factor: 1, power: -2, is_sure: true }),
    ("metric", "tons", UnitSpec { base: "g", factor: 1, power: 6, is_sure: true }),
    ("metric", "tonnes", UnitSpec { base: "g", factor: 1, power: 6, is_sure: true }),
    ("nautical", "miles", UnitSpec { base: "m", factor: 1852, power: 0, is_sure: true }),
    ("nautical", "mile", UnitSpec { base: "m", factor: 1852, power: 0, is_sure: true }),
];

/// What is written behind a number.
pub struct Measured {
    /// The unit.
    pub unit: Unit,
    /// Words that it takes.
    pub used: usize,
    /// Where it ends, in bytes.
    pub end: usize,
}

/// The unit in what is written right behind the digits: `km/h` of `70km/h`; `None` where it is none.
pub fn attached(ending: &str) -> Option<Unit> {
    let (unit, per_word) = ending.split_once('/').map_or((ending, None), |(unit, per)| (unit, Some(per)));
    Some(Unit { per: per_word.map(per), ..Unit::of(named(unit)?) })
}

/// Whether `before` shows that the number behind it is a year.
pub fn is_temporal(before: &str) -> bool {
    const WORDS: &str = " in since by until till during from to and before after of year im jahr jahre seit bis vor nach \
en depuis avant après année desde año hasta dal nel del anno sedan år i w roku od do ";
    !before.is_empty() && WORDS.contains(&format!(" {before} "))
}

/// The unit behind the number whose last word is `words[next - 1]`.
pub fn behind(text: &str, words: &[Range<usize>], next: usize) -> Measured {
    let nothing = Measured { unit: Unit::default(), used: 0, end: words[next - 1].end };
    let written = |i: usize| words.get(i).map(|range| &text[range.clone()]).unwrap_or_default();
    let lower = |i: usize| written(i).to_lowercase();
    let joined = |i: usize| words.get(i).is_some_and(|range| is_joined(text, &words[i - 1], range));
    if let Some((.., known)) = JOINED.iter().find(|(first, second, _)| {
        joined(next) && lower(next) == *first && (second.is_empty() || lower(next + 1) == *second)
    }) {
        let used = if lower(next) == "percentage-point" { 1 } else { 2 };
        return finish(text, words, next, used, Unit::of(*known));
    }
    let mut i = next;
    while joined(i) && i < next + 2 && BETWEEN.contains(&lower(i).as_str()) {
        i += 1;
    }
    let mut unit = Unit::default();
    let first = i;
    while unit.words.len() < WORDS_MAX && joined(i) {
        let word = written(i);
        // `14 milliards d’euros`
        let word = ["d'", "d’", "D’"].into_iter().find_map(|start| word.strip_prefix(start)).unwrap_or(word);
        let is_word = word.starts_with(|c: char| c.is_alphabetic());
        let (main, denominator) = word.split_once('/').map_or((word, None), |(main, per)| (main, Some(per)));
        let found = named(main).filter(|_| unit.words.is_empty() || main.chars().count() > 2);
        // `W` is a unit where `w` is a word.
        let small = if word.chars().count() == 1 { word.to_owned() } else { word.to_lowercase() };
        // A small word at the end of what is said is none: `14 200 par`.
        let is_small = STOPS.contains(&format!(" {small} "));
        if is_small && (joined(i + 1) || BETWEEN.contains(&small.as_str())) || (!is_word && found.is_none()) {
            break;
        }
        if let Some(known) = found {
            unit.before = unit.words.len();
            unit.known = Some(known);
            unit.words.push(main.to_lowercase());
            unit.per = denominator.map(per);
            return finish(text, words, next, i + 1 - next, unit);
        }
        let main = main.to_lowercase();
        // A word that continues without a blank ends somewhere.
        let ideographs = main.chars().take_while(|c| is_ideograph(*c)).count();
        unit.words.push(if ideographs > 0 { main.chars().take(2).collect() } else { main });
        unit.per = denominator.map(per);
        i += 1;
    }
    if unit.words.is_empty() {
        let found = per_behind(text, words, next);
        let per = found.clone().map(|(per, _)| per).or_else(|| per_later(text, words, next));
        let unit = Unit { per, ..Unit::default() };
        return Measured { unit, used: found.map_or(0, |(_, used)| used), ..nothing };
    }
    if unit.per.is_none()
        && let Some((per, taken)) = per_behind(text, words, i)
    {
        unit.per = Some(per);
        i += taken;
    }
    unit.per = unit.per.or_else(|| per_later(text, words, i));
    Measured { end: words[first].end, used: i - next, unit }
}

/// A known unit of `used` words behind `next`, with what changes it: `square`, `celsius`, `per year`.
fn finish(text: &str, words: &[Range<usize>], next: usize, used: usize, mut unit: Unit) -> Measured {
    let lower = |i: usize| words.get(i).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default();
    let mut used = used;
    let Some(mut known) = unit.known else {
        return Measured { unit, used, end: words[next - 1].end };
    };
    let ahead = |word: &str, unit: &Unit| unit.before > 0 && unit.words[unit.before - 1].starts_with(word);
    let follows = lower(next + used);
    let is_square = ahead("square", &unit)
        || ahead("sq", &unit)
        || ["carré", "cuadrad", "quadrat", "kvadrat"].iter().any(|word| follows.starts_with(word));
    let is_cubic = ahead("cubic", &unit)
        || ["cube", "cúbico", "cubi", "cubo"].iter().any(|word| follows.starts_with(word));
    if known.base == "m" && (is_square || is_cubic) {
        let grown = if is_square { 2 } else { 3 };
        known.factor = known.factor.checked_pow(grown).unwrap_or(known.factor);
        known.power = known.power * grown as i32 + if is_cubic { 3 } else { 0 };
        known.base = if is_square { "m²" } else { "l" };
        match unit.before {
            0 => used += 1,
            before => {
                unit.words.remove(before - 1);
                unit.before -= 1;
            }
        }
    }
    if known.base == "degree" {
        match named(&follows).filter(|scale| ["°C", "°F", "K"].contains(&scale.base) && follows.len() > 1) {
            Some(scale) => (known, used) = (scale, used + 1),
            None if follows == "c" => (known.base, used) = ("°C", used + 1),
            None if follows == "f" => (known.base, used) = ("°F", used + 1),
            // Of what it is a degree is said elsewhere.
            None => known.is_sure = false,
        }
    }
    if known.base == "W" && ["hour", "hours"].contains(&follows.as_str()) {
        (known.base, known.factor, known.power, used) = ("J", known.factor * 36, known.power + 2, used + 1);
    }
    if known.base == "point" && ["percentage", "pourcentage"].contains(&follows.as_str()) {
        used += 1;
    }
    // A light-year is not a year, a Canadian dollar perhaps no dollar.
    known.is_sure &= unit.before == 0;
    unit.known = Some(known);
    if unit.per.is_none()
        && let Some((per, taken)) = per_behind(text, words, next + used)
    {
        unit.per = Some(per);
        used += taken;
    }
    unit.per = unit.per.or_else(|| per_later(text, words, next + used));
    Measured { end: words[next + used - 1].end, used, unit }
}

/// Words behind a unit in which its rate may stand: `12 bushels of barley per household`.
const LATER_MAX: usize = 5;

/// A rate that stands a few words behind the unit, before another number.
fn per_later(text: &str, words: &[Range<usize>], from: usize) -> Option<String> {
    for i in from..from + LATER_MAX {
        let (before, this) = (words.get(i.checked_sub(1)?)?, words.get(i)?);
        let word = text[this.clone()].to_lowercase();
        if !is_joined(text, before, this) || word.starts_with(|c: char| c.is_numeric()) {
            return None;
        }
        if ["per", "pro", "je", "every", "each"].contains(&word.as_str()) {
            let (per, _) = per_behind(text, words, i)?;
            return (!["cent", "cento"].contains(&per.as_str())).then_some(per);
        }
    }
    None
}

/// Whether nothing but blanks or a hyphen stands between two words of one paragraph.
pub fn is_joined(text: &str, before: &Range<usize>, word: &Range<usize>) -> bool {
    let gap = text.get(before.end..word.start).unwrap_or("?");
    let is_short = text.get(before.clone()).is_some_and(|word| is_shortened(&word.to_lowercase()));
    let gap = if is_short { gap.trim_start_matches('.') } else { gap };
    gap.matches('\n').count() < 2 && gap.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '‑' | '–'))
}

/// `per year`, `a head`, `annually`, `per 100,000 people` at word `i`, and how many words that is.
fn per_behind(text: &str, words: &[Range<usize>], i: usize) -> Option<(String, usize)> {
    let lower = |i: usize| words.get(i).map(|range| text[range.clone()].to_lowercase()).unwrap_or_default();
    let gap = text.get(words.get(i.checked_sub(1)?)?.end..words.get(i)?.start)?;
    if !gap.trim_matches([' ', '\u{a0}', '-', '/', '\n']).is_empty() || gap.contains("\n\n") {
        return None;
    }
    let first = lower(i);
    if ["annually", "yearly", "monthly", "weekly", "daily", "hourly"].contains(&first.as_str()) {
        return Some((per(&first), 1));
    }
    let is_time = |word: &str| named(word).is_some_and(|known| known.base == "s");
    let article = ["a", "an", "the", "le", "la", "l", "el", "die", "den"];
    match first.as_str() {
        "per" | "pro" | "je" | "par" | "por" | "each" | "every" | "al" => {}
        "a" | "an" | "à" | "all'anno" | "im"
            if is_time(&lower(i + 1)) || ["head", "person"].contains(&&*lower(i + 1)) => {}
        _ if gap.contains('/') => return Some((per(&first), 1)),
        _ => return None,
    }
    let mut at = i + 1;
    if article.contains(&lower(at).as_str()) && words.len() > at + 1 && first != "par" {
        at += 1;
    }
    let mut count = String::new();
    while lower(at).starts_with(|c: char| c.is_ascii_digit()) {
        count.extend(lower(at).chars().filter(char::is_ascii_digit));
        at += 1;
    }
    let word = lower(at);
    if word.is_empty() && count.is_empty() {
        return None;
    }
    if !count.is_empty() {
        return Some((format!("{count} {word}").trim().to_owned(), at + 1 - i));
    }
    // "Per square metre": two words.
    if ["square", "cubic", "metric"].contains(&word.as_str()) {
        return Some((format!("{word} {}", per(&lower(at + 1))), at + 2 - i));
    }
    Some((per(&word), at + 1 - i))
}
