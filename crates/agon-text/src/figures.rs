//! Runs of digits of any script, with every value that their separators allow.

use std::ops::Range;

use rust_decimal::Decimal;

use crate::{different::collect_different, script::digit_value};

/// Most digits of a number that has a value; more are read as none.
const DIGITS_MAX: usize = 28;
/// Counts up to this are told in any text.
const COUNT_MAX: Decimal = Decimal::from_parts(12, 0, 0, false, 0);
/// Part groups of digits and nothing else.
const GROUPING: [char; 9] = ['\'', '’', 'ʼ', '_', '٬', '\u{a0}', '\u{2007}', '\u{2009}', '\u{202f}'];

/// A run of digits in a text, with its separators.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure<'t> {
    /// As it is written, without sign, unit and per cent.
    pub text: &'t str,
    /// Where it stands.
    pub range: Range<usize>,
    /// Every value that a reading of the separators allows: of `1,234` both 1234 and 1.234, of `9 120` also 9 and 120.
    pub values: Vec<Decimal>,
}

impl Figure<'_> {
    /// Whether it is a whole number up to twelve or four digits without a separator, as a count or a year is: not
    /// every one of those needs a source.
    pub fn is_common(&self) -> bool {
        let is_year = self.text.chars().count() == 4 && self.text.chars().all(|c| digit_value(c).is_some());
        let is_count = |value: &Decimal| value.is_integer() && *value <= COUNT_MAX;
        is_year || !self.values.is_empty() && self.values.iter().all(is_count) || self.is_date()
    }

    /// Whether it reads as a date: three groups of digits, one of them with four.
    fn is_date(&self) -> bool {
        let groups: Vec<usize> =
            self.text.split(|c| digit_value(c).is_none()).map(|group| group.chars().count()).collect();
        matches!(groups[..], [1 | 2, 1 | 2, 4] | [4, 1 | 2, 1 | 2])
    }

    /// Whether a reading of both gives one value.
    pub fn has_common_value(&self, other: &Figure<'_>) -> bool {
        self.values.iter().any(|value| other.values.contains(value))
    }
}

/// The figures of `text`, in their order.
pub fn find_figures(text: &str) -> Vec<Figure<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(|c| digit_value(c).is_some()).map(|at| from + at) {
        let run = DigitRun::read_at(text, start);
        let (range, values) = (start..run.end, run.possible_values());
        found.push(Figure { text: &text[range.clone()], range, values });
        from = run.end;
    }
    found
}

/// Groups of digits, with what stands between them.
struct DigitRun {
    groups: Vec<String>,
    separators: Vec<char>,
    end: usize,
}

impl DigitRun {
    /// The run that begins at `start` with a digit.
    fn read_at(text: &str, start: usize) -> Self {
        let mut run = Self { groups: vec![String::new()], separators: Vec::new(), end: start };
        let mut chars = text[start..].char_indices().map(|(at, c)| (start + at, c)).peekable();
        let mut is_wide = false;
        while let Some((at, c)) = chars.next() {
            if let Some(value) = digit_value(c) {
                run.end = at + c.len_utf8();
                is_wide = ('０'..='９').contains(&c);
                if let Some(group) = run.groups.last_mut() {
                    group.extend(char::from_digit(value, 10));
                }
                continue;
            }
            let is_before_digit = chars.peek().is_some_and(|(_, next)| digit_value(*next).is_some());
            match normalize_separator(c, is_wide).filter(|_| is_before_digit) {
                Some(' ') if !run.groups_thousands(&text[at + c.len_utf8()..]) => break,
                Some(separator) => {
                    run.separators.push(separator);
                    run.groups.push(String::new());
                }
                None => break,
            }
        }
        run
    }

    /// Whether the three digits that `behind` begins with can continue this run of thousands.
    fn groups_thousands(&self, behind: &str) -> bool {
        let digits = behind.chars().take_while(|c| digit_value(*c).is_some()).count();
        digits == 3 && self.separators.iter().all(|separator| *separator == ' ') && is_grouped(&self.groups)
    }

    fn possible_values(&self) -> Vec<Decimal> {
        let mut values: Vec<Option<Decimal>> = Vec::new();
        let count = self.groups.len();
        let (last, before) = match self.separators.split_last() {
            None => return parse_decimal(&self.groups.concat(), "").into_iter().collect(),
            Some((last, before)) => (*last, before),
        };
        let is_one_kind = before.iter().all(|separator| *separator == last);
        if is_one_kind && last != DECIMAL && is_grouped(&self.groups) {
            values.push(parse_decimal(&self.groups.concat(), ""));
        }
        let whole = &self.groups[..count - 1];
        let groups_alike = before.iter().all(|separator| *separator == before[0] && *separator != DECIMAL);
        let differs = before.first().is_none_or(|first| *first != last);
        if [DECIMAL, '.', ','].contains(&last) && groups_alike && differs && (count == 2 || is_grouped(whole)) {
            values.push(parse_decimal(&whole.concat(), &self.groups[count - 1]));
        }
        if let Some(blank) = self.separators.iter().rposition(|separator| *separator == ' ') {
            // Figures in a row.
            let (before, behind) = self.groups.split_at(blank + 1);
            values.extend(before.iter().map(|group| parse_decimal(group, "")));
            let (groups, separators) = (behind.to_vec(), self.separators[blank + 1..].to_vec());
            values.extend(Self { groups, separators, end: self.end }.possible_values().into_iter().map(Some));
        } else if values.is_empty() {
            // A day, a version: each group by itself.
            values.extend(self.groups.iter().map(|group| parse_decimal(group, "")));
        }
        collect_different(values.into_iter().flatten())
    }
}

/// A sign that parts decimals and nothing else.
const DECIMAL: char = '٫';

/// A separator in one form: [`DECIMAL`], `.`, `,`, a blank that may also part two figures, or an apostrophe for all that
/// part groups alone. Wide ones stand between wide digits.
fn normalize_separator(c: char, is_wide: bool) -> Option<char> {
    Some(match c {
        '.' | ',' | ' ' => c,
        '．' if is_wide => '.',
        '，' if is_wide => ',',
        '٫' | '·' => DECIMAL,
        c if GROUPING.contains(&c) => '\'',
        _ => return None,
    })
}

/// Whether groups are thousands, `1 234 567`, or lakhs, `12 34 567`.
fn is_grouped(groups: &[String]) -> bool {
    let Some((first, rest)) = groups.split_first() else { return false };
    let Some((last, middle)) = rest.split_last() else { return (1..=3).contains(&first.len()) };
    let is_led = |most: usize| (1..=most).contains(&first.len()) && !first.starts_with('0');
    let thousands = is_led(3) && rest.iter().all(|group| group.len() == 3);
    let lakhs = is_led(2) && !middle.is_empty() && middle.iter().all(|group| group.len() == 2) && last.len() == 3;
    thousands || lakhs
}

/// The number with these digits before and behind its point.
pub(crate) fn parse_decimal(whole: &str, decimals: &str) -> Option<Decimal> {
    if whole.len() + decimals.len() > DIGITS_MAX {
        return None;
    }
    let point = if decimals.is_empty() { "" } else { "." };
    Decimal::from_str_exact(&format!("{whole}{point}{decimals}")).ok().map(|value| value.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |figure: &Figure<'_>| {
            assert_eq!(&text[figure.range.clone()], figure.text);
            let values: Vec<String> = figure.values.iter().map(ToString::to_string).collect();
            format!("{}={}", figure.text, values.join("/"))
        };
        find_figures(text).iter().map(show).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn counts_and_years_are_common() {
        let common = |text: &str| find_figures(text).iter().all(Figure::is_common);
        for text in ["12 of them in 2019", "on 1.9.2018", "٢٠١٩", "1000"] {
            assert!(common(text), "{text}");
        }
        for text in ["13", "1,204", "0.5", "1.2%", "20180"] {
            assert!(!common(text), "{text}");
        }
        let [german, english] = ["12.480", "12,480"].map(find_figures);
        assert!(german[0].has_common_value(&english[0]));
    }

    #[test]
    fn a_figure_has_every_value_that_its_separators_allow() {
        for (text, wanted) in [
            ("In 2019 there were 73.", "2019=2019; 73=73"),
            ("1,234 or 1.234 or 0,125", "1,234=1234/1.234; 1.234=1234/1.234; 0,125=0.125"),
            ("1,234,567.89 and 1.234.567,89", "1,234,567.89=1234567.89; 1.234.567,89=1234567.89"),
            ("12,34,567 crore", "12,34,567=1234567"),
            ("7'350 and 1\u{202f}000\u{a0}000", "7'350=7350; 1\u{202f}000\u{a0}000=1000000"),
            ("9 120 ha, 12 480,5 t", "9 120=9120/9/120; 12 480,5=12480.5/12/480.5"),
            ("in 2019 120 died", "2019=2019; 120=120"),
            ("on 12.10.2020 at 10:30", "12.10.2020=12/10/2020; 10=10; 30=30"),
            ("v1.2.3, 12.50%", "1.2.3=1/2/3; 12.50=12.5"),
            ("下降了12.5%，共计3,200家", "12.5=12.5; 3,200=3200/3.2"),
            ("１２．５％と３，２００、第3，200", "１２．５=12.5; ３，２００=3200/3.2; 3=3; 200=200"),
            ("٣٤٫٥ و١٬٢٣٤", "٣٤٫٥=34.5; ١٬٢٣٤=1234"),
            ("१२,३४५ और ๔๒", "१२,३४५=12345/12.345; ๔๒=42"),
            ("12345678901234567890123456789", "12345678901234567890123456789="),
            ("none", ""),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }
}
