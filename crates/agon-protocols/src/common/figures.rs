//! Figures in prose: numbers by their value, however they are written. What is too common to be anyone's
//! claim is none: small counts, years, times, references to entries.

use std::ops::Range;

/// Counts up to this are told in any text.
const COUNT_MAX: u64 = 12;
/// Four digits that are a year unless a unit follows.
const YEARS: Range<u64> = 1_500..2_101;
const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// Powers of ten by their words.
const SCALES: [(&str, u32); 8] = [
    ("hundred", 2),
    ("thousand", 3),
    ("k", 3),
    ("million", 6),
    ("m", 6),
    ("billion", 9),
    ("bn", 9),
    ("trillion", 12),
];
/// What stands behind the digits of an ordinal number.
const ORDINALS: [&str; 4] = ["st", "nd", "rd", "th"];
/// After these a number says where something stands.
const PLACES: [&str; 9] = ["seq", "seqs", "entry", "entries", "round", "rounds", "phase", "chapter", "page"];
/// Before these a number counts what a debate is made of.
const PARTS: [&str; 14] = [
    "round",
    "entr",
    "seq",
    "word",
    "point",
    "turn",
    "debater",
    "source",
    "question",
    "minute",
    "argument",
    "statement",
    "rebuttal",
    "opening",
];

/// A number without sign: digits and the power of ten that they are multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value(u64, i32);

impl Value {
    fn new(mut digits: u64, mut power: i32) -> Self {
        while digits != 0 && digits.is_multiple_of(10) {
            (digits, power) = (digits / 10, power + 1);
        }
        if digits == 0 { Self(0, 0) } else { Self(digits, power) }
    }
}

/// A figure and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFigure {
    /// Where in the text.
    pub at: Range<usize>,
    /// What it may mean: one value, or two where its separator can be read in two ways.
    pub values: Vec<Value>,
    /// Whether it counts rounds, entries or other parts of a debate.
    pub counts_parts: bool,
}

/// A word or number of a text.
struct TextToken<'t> {
    at: Range<usize>,
    text: &'t str,
}

/// The figures of `text`, in order.
pub fn of(text: &str) -> Vec<PlacedFigure> {
    let tokens = tokens(text);
    let mut figures = Vec::new();
    // Whether a reference is being read, and whether it has named a number.
    let (mut at, mut is_place, mut is_listed) = (0, false, false);
    while let Some(token) = tokens.get(at) {
        let lower = token.text.to_lowercase();
        let digits = token.text.starts_with(|c: char| c.is_ascii_digit());
        let read =
            if digits { numeral(token.text).map(|values| (values, 1)) } else { spelled(&tokens[at..]) };
        let Some((values, used)) = read else {
            is_place = PLACES.contains(&lower.as_str())
                || (is_listed && ["and", "to", "or"].contains(&lower.as_str()));
            is_listed &= is_place;
            at += 1;
            continue;
        };
        let mut end = at + used;
        let mut values = values;
        while let Some(power) = tokens.get(end).and_then(|next| scale(next.text)).filter(|_| digits) {
            values.iter_mut().for_each(|value| *value = Value::new(value.0, value.1 + power as i32));
            end += 1;
        }
        let span = token.at.start..tokens[end - 1].at.end;
        let next = tokens.get(end).map(|next| next.text.to_lowercase()).unwrap_or_default();
        // The 19th of something counts nothing.
        let is_ordinal = digits
            && tokens.get(end).is_some_and(|next| next.at.start == span.end && ORDINALS.contains(&next.text));
        let has_unit = is_unit(text, &span, &next) || end > at + used;
        if !is_place && !is_ordinal && (has_unit || !is_common(token.text, &values, digits)) {
            let counts_parts = !has_unit && PARTS.iter().any(|part| next.starts_with(part));
            figures.push(PlacedFigure { at: span, values, counts_parts });
        }
        (at, is_listed) = (end, is_place);
    }
    figures
}

/// Whether a unit is next to the number at `span`: a per cent sign, per cent in words, a currency.
fn is_unit(text: &str, span: &Range<usize>, next: &str) -> bool {
    let after = text[span.end..].trim_start();
    let before = text[..span.start].trim_end();
    let money = |c: char| "$€£¥".contains(c);
    after.starts_with(|c: char| c == '%' || money(c))
        || before.ends_with(money)
        || ["percent", "percentage", "euros", "euro", "dollars", "pounds"].contains(&next)
        || after.to_lowercase().starts_with("per cent")
}

/// A small count, or a year.
fn is_common(written: &str, values: &[Value], digits: bool) -> bool {
    let whole = |value: &Value| 10_u64.checked_pow(u32::try_from(value.1).ok()?)?.checked_mul(value.0);
    let Some(number) = values.first().and_then(whole).filter(|_| values.len() == 1) else { return false };
    let is_year = digits && written.len() == 4 && YEARS.contains(&number);
    number <= COUNT_MAX || is_year
}

/// The words and numbers of `text`, addresses left out.
fn tokens(text: &str) -> Vec<TextToken<'_>> {
    let mut tokens = Vec::new();
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let end_of = |at: usize| chars.get(at).map_or(text.len(), |(byte, _)| *byte);
    let mut at = 0;
    while let Some((byte, c)) = chars.get(at).copied() {
        if text[byte..].starts_with("http://") || text[byte..].starts_with("https://") {
            at += chars[at..].iter().take_while(|(_, c)| !c.is_whitespace()).count();
            continue;
        }
        let is_digit = c.is_ascii_digit();
        if !is_digit && !c.is_alphabetic() {
            at += 1;
            continue;
        }
        while let Some((_, c)) = chars.get(at) {
            let digit_follows = chars.get(at + 1).is_some_and(|(_, next)| next.is_ascii_digit());
            let goes_on = match is_digit {
                true => c.is_ascii_digit() || (".,'\u{2019}\u{a0}\u{202f}:".contains(*c) && digit_follows),
                // A digit within a word belongs to its name.
                false => c.is_alphanumeric() || (*c == '-' && digit_follows),
            };
            if !goes_on {
                break;
            }
            at += 1;
        }
        tokens.push(TextToken { at: byte..end_of(at), text: &text[byte..end_of(at)] });
    }
    tokens
}

/// The readings of digits with separators; `None` for times and what is not a number.
fn numeral(text: &str) -> Option<Vec<Value>> {
    if text.contains(':') {
        return None;
    }
    let grouped = |text: &str, by: &[char]| {
        let mut groups = text.split(by);
        let first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
        let rest: Vec<&str> = groups.collect();
        first && !rest.is_empty() && rest.iter().all(|group| group.len() == 3)
    };
    let whole = |text: &str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok().map(|digits| Value::new(digits, 0))
    };
    let decimal = |text: &str, point: char| {
        let (before, after) = text.rsplit_once(point)?;
        let digits: String = before.chars().chain(after.chars()).filter(char::is_ascii_digit).collect();
        Some(Value::new(digits.parse().ok()?, -i32::try_from(after.len()).ok()?))
    };
    let separators = [',', '.', '\'', '\u{2019}', '\u{a0}', '\u{202f}'];
    let points = text.chars().filter(|c| ".,".contains(*c)).count();
    let mut values: Vec<Value> = Vec::new();
    if points == 0 || grouped(text, &separators) {
        values.extend(whole(text));
    }
    if let Some(point) = text.chars().rev().find(|c| ".,".contains(*c)) {
        let is_only = text.matches(point).count() == 1;
        // A comma before three digits groups them; a point may do so, too.
        let is_group = point == ',' && grouped(text, &separators);
        values.extend(decimal(text, point).filter(|_| is_only && !is_group));
    }
    (!values.is_empty()).then_some(values)
}

fn scale(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    SCALES.iter().find(|(name, _)| *name == lower).map(|(_, power)| *power)
}

/// A number in words at the beginning of `tokens`, and of how many of them it is made.
fn spelled(tokens: &[TextToken<'_>]) -> Option<(Vec<Value>, usize)> {
    let (mut total, mut part, mut used) = (0_u64, 0_u64, 0);
    for (at, token) in tokens.iter().enumerate() {
        let lower = token.text.to_lowercase();
        let small = SMALL.iter().position(|word| *word == lower).map(|number| number as u64);
        let tens = TENS.iter().position(|word| *word == lower).map(|at| (at as u64 + 2) * 10);
        if let Some(number) = small.or(tens) {
            // "five six" are two numbers.
            if part % 10 != 0 || (small.is_none() && part % 100 != 0) {
                break;
            }
            part += number;
        } else if let Some(power) = scale(&lower).filter(|_| used > 0 && lower.len() > 2) {
            match power {
                2 => part *= 100,
                power => (total, part) = (total + part * 10_u64.pow(power), 0),
            }
        } else if lower == "and" && used > 0 && at + 1 < tokens.len() && part % 100 == 0 {
            continue;
        } else {
            break;
        }
        used = at + 1;
    }
    (used > 0).then(|| (vec![Value::new(total + part, 0)], used))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        of(text).into_iter().map(|figure| &text[figure.at]).collect()
    }

    fn value(text: &str) -> Vec<Value> {
        of(text).into_iter().flat_map(|figure| figure.values).collect()
    }

    #[test]
    fn equal_figures_are_equal_however_they_are_written() {
        for (one, other) in [
            ("83 per cent", "83%"),
            ("eighty-three per cent", "83 percent"),
            ("4,711 streets", "4711 streets"),
            ("four thousand seven hundred and eleven", "4,711"),
            ("1.5 million", "1,500,000"),
            ("41.70 points", "41,7 points"),
            ("$3bn", "3 billion"),
        ] {
            assert!(!value(one).is_empty(), "{one}");
            assert_eq!(value(one), value(other), "{one} and {other}");
        }
        assert!(value("1.000 homes").contains(&value("1,000 homes")[0]));
        assert_ne!(value("91 %"), value("19 %"));
    }

    #[test]
    fn counts_years_times_and_references_are_no_figures() {
        for text in [
            "Two sides gave three reasons.",
            "In 2025 it was so.",
            "At 21:30 it ends.",
            "As seq 14 and 15 say, and round 16.",
            "juliet63 and covid-19",
            "The 19th century and the 21st.",
            "See https://a.b/83/4711.",
        ] {
            assert_eq!(shown(text), Vec::<&str>::new(), "{text}");
        }
        assert_eq!(shown("Five per cent of 18,400 in 2025 and 2,025 more"), ["Five", "18,400", "2,025"]);
    }

    #[test]
    fn parts_of_a_debate_are_counted() {
        let parts: Vec<bool> = of("It had 14 entries and 83 homes.").iter().map(|f| f.counts_parts).collect();
        assert_eq!(parts, [true, false]);
    }
}
