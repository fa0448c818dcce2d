//! Step 7: the figures of a text, with unit, scale and date.

use std::ops::Range;

use super::amount::amount;
use super::asides::{add_up, share, share_units};
use super::dates::date;
use super::figure::{Sort, StatedFigure};
use super::inflection::is_ideograph;
use super::numerals::convention;

/// Maximum number of figures of one passage that are looked up.
pub const FIGURES_MAX: usize = 40;

/// What one counts in a text, which no page repeats.
const TOLD: [&str; 10] =
    ["reasons", "ways", "things", "points", "sides", "examples", "arguments", "facts", "factors", "parts"];

/// The figures that `text` states, in their order, and other ways to read them.
pub fn stated(text: &str) -> Vec<StatedFigure> {
    let words = words(text);
    let decimal = convention(text);
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        if let Some(aside) = share(text, &words, i) {
            found.push(aside);
        }
        match date(text, &words[i..]).or_else(|| amount(text, &words, i, decimal, true)) {
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
fn parts(text: &str, words: &[Range<usize>], decimal: Option<char>) -> Vec<StatedFigure> {
    let each =
        (0..words.len()).filter_map(|i| amount(text, words, i, decimal, false).map(|(figure, _)| figure));
    each.map(|figure| StatedFigure { is_aside: true, ..figure }).collect()
}

/// The figures of a claim that are worth looking up: none of those in `skipped` ranges.
pub fn claimed(text: &str, skipped: &[Range<usize>]) -> Vec<StatedFigure> {
    let outside = |figure: &StatedFigure| {
        !skipped.iter().any(|range| range.start <= figure.at.start && figure.at.end <= range.end)
    };
    let mut all: Vec<StatedFigure> = stated(text).into_iter().filter(outside).collect();
    all.retain(|figure| !figure.is_aside && is_looked_up(figure));
    all.truncate(FIGURES_MAX);
    all
}

/// Whether a claim says something by `figure`: "one" and "two reasons" do not.
fn is_looked_up(figure: &StatedFigure) -> bool {
    let is_small = figure.sort == Sort::Amount && !figure.is_strong;
    let is_spelled = figure.written.is_empty();
    let counts = figure.unit.words.first().is_some_and(|word| !TOLD.contains(&word.as_str()));
    let is_one = figure.values.first().is_some_and(|value| value.whole() == Some(1));
    !is_small || (counts && !is_one) || (!is_spelled && !is_one && figure.unit.words.is_empty())
}

/// Words as byte ranges, without the punctuation around them; an address is one word.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let splits = c.is_whitespace()
            || "()[]{}\"“”„«»;|—，。；：！？、…（）「」『』【】".contains(c)
                && !within_address(&text[start.unwrap_or(at)..at]);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |figure: &StatedFigure| {
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
