//! Numbers as people write them: with separators, as words, followed by a scale.

use std::{collections::HashSet, sync::LazyLock};

use super::scales::scale;

/// An exact decimal number: `digits` divided by ten to the power of `decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    digits: i128,
    decimals: u32,
}

impl Number {
    /// Without needless zeros behind the point, so that equal numbers are equal.
    pub fn new(mut digits: i128, mut decimals: u32) -> Self {
        while decimals > 0 && digits % 10 == 0 {
            digits /= 10;
            decimals -= 1;
        }
        Self { digits, decimals }
    }

    /// Multiplied by ten to the power of `power`, which may be negative.
    pub fn scaled(self, power: i32) -> Option<Self> {
        let decimals = self.decimals as i32 - power;
        if decimals >= 0 {
            return Some(Self::new(self.digits, decimals as u32));
        }
        let factor = 10_i128.checked_pow(decimals.unsigned_abs())?;
        Some(Self::new(self.digits.checked_mul(factor)?, 0))
    }

    /// Multiplied by `factor`, exactly.
    pub fn times(self, factor: i128) -> Option<Self> {
        Some(Self::new(self.digits.checked_mul(factor)?, self.decimals))
    }

    /// The sum of both.
    pub fn plus(self, other: Self) -> Option<Self> {
        let decimals = self.decimals.max(other.decimals);
        let digits =
            |number: Self| number.digits.checked_mul(10_i128.checked_pow(decimals - number.decimals)?);
        Some(Self::new(digits(self)?.checked_add(digits(other)?)?, decimals))
    }

    /// The other sign.
    pub fn negated(self) -> Self {
        Self { digits: -self.digits, ..self }
    }

    /// Whether it is a whole number, and which.
    pub fn whole(self) -> Option<i128> {
        (self.decimals == 0).then_some(self.digits)
    }

    /// Nearly, for rounding.
    pub fn approximately(self) -> f64 {
        self.digits as f64 / 10_f64.powi(self.decimals as i32)
    }
}

/// What stands between groups of three digits and nowhere else.
const GROUPING: [char; 5] = ['\'', '\u{2019}', '\u{2bc}', '\u{66c}', '_'];

/// Whether `c` may stand within a run of digits.
pub fn is_separator(c: char) -> bool {
    c == '.' || c == ',' || c == '\u{b7}' || c == '\u{66b}' || GROUPING.contains(&c)
}

/// How a run of digits can be read: the first way is the usual one where `decimal` is the mark of decimals
/// (a point where nothing is known), a second one another country's.
pub fn readings(text: &str, decimal: Option<char>) -> Vec<Number> {
    let text: String = text.chars().filter(|c| !GROUPING.contains(c)).collect();
    let text = text.replace(['\u{b7}', '\u{66b}'], ".");
    let text = text.trim_end_matches(['.', ',']);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let of = |whole: &str, behind: &str| {
        let all = format!("{}{}", digits(whole), digits(behind));
        (all.len() <= 30)
            .then(|| all.parse().ok().map(|all| Number::new(all, digits(behind).len() as u32)))
            .flatten()
    };
    let (points, commas) = (text.matches('.').count(), text.matches(',').count());
    let last = text.rfind(['.', ',']);
    let Some(last) = last else { return of(text, "").into_iter().collect() };
    let (whole, behind) = (&text[..last], &text[last + 1..]);
    let groups = |mark: char| {
        let parts: Vec<&str> = text.split(mark).collect();
        (1..=3).contains(&digits(parts[0]).len()) && parts[1..].iter().all(|part| part.len() == 3)
    };
    let mut read = match (points, commas) {
        // 1,234.5 and 1.234,5
        (1.., 1..) => vec![of(whole, behind)],
        (0, 1) if groups(',') && !whole.starts_with('0') => vec![of(text, ""), of(whole, behind)],
        (0, 2..) | (2.., 0) => vec![of(text, "")],
        // A comma of decimals, as most of Europe writes it.
        (0, _) => vec![of(whole, behind)],
        (1, 0) if groups('.') && !whole.starts_with('0') => vec![of(whole, behind), of(text, "")],
        _ => vec![of(whole, behind)],
    };
    if decimal == Some(',') {
        read.reverse();
    }
    read.into_iter().flatten().collect()
}

/// The mark of decimals in `text`, where its numbers leave no doubt: `12,5` or `1.204.551` show a comma,
/// `12.5` or `1,204,551` a point.
pub fn convention(text: &str) -> Option<char> {
    let (mut comma, mut point) = (0_usize, 0_usize);
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    for run in runs.map(|run| run.trim_matches(['.', ','])).filter(|run| run.contains(['.', ','])) {
        let parts: Vec<&str> = run.split(['.', ',']).collect();
        let (points, commas) = (run.matches('.').count(), run.matches(',').count());
        let short = parts.last().is_some_and(|part| part.len() < 3);
        let shown = match (points, commas) {
            (0, 1) if short || parts[0] == "0" => ',',
            (1, 0) if short || parts[0] == "0" => '.',
            (2.., 0) if parts[1..].iter().all(|part| part.len() == 3) => ',',
            (0, 2..) if parts[1..].iter().all(|part| part.len() == 3) => '.',
            (1.., 1) if run.rfind(',') > run.rfind('.') => ',',
            (1, 1..) if run.rfind('.') > run.rfind(',') => '.',
            _ => continue,
        };
        *(if shown == ',' { &mut comma } else { &mut point }) += 1;
    }
    match (comma, point) {
        (1.., 0) => Some(','),
        (0, 1..) => Some('.'),
        (0, 0) if writes_commas(text) => Some(','),
        _ => None,
    }
}

/// Whether `text` is in a language that mostly writes commas for decimals.
fn writes_commas(text: &str) -> bool {
    const WORDS: [&str; 26] = [
        " de ",
        " em ",
        " não ",
        " e ",
        " der ",
        " die ",
        " das ",
        " und ",
        " es wurden ",
        " le ",
        " les ",
        " et ",
        " el ",
        " los ",
        " las ",
        " y ",
        " il ",
        " di ",
        " het ",
        " een ",
        " och ",
        " og ",
        " w ",
        " os ",
        " dei ",
        " um ",
    ];
    let lower = format!(" {} ", text.to_lowercase());
    !lower.contains(" the ") && WORDS.iter().any(|word| lower.contains(word))
}

/// `text` with the digits of other scripts as those of this one.
pub fn ascii_digits(text: &str) -> String {
    const ZEROS: [u32; 4] = [0x660, 0x6f0, 0x966, 0xff10];
    let ascii = |c: char| {
        let zero = ZEROS.into_iter().find(|zero| (*zero..zero + 10).contains(&(c as u32)));
        zero.and_then(|zero| char::from_digit(c as u32 - zero, 10)).unwrap_or(c)
    };
    text.chars().map(ascii).collect()
}

const UNITS: [&str; 20] = [
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
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// Small numbers of other languages, but for words that mean something else in another one.
const FOREIGN: [(&str, i128); 46] = [
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("f\u{fc}nf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
    ("zw\u{f6}lf", 12),
    ("zwanzig", 20),
    ("drei\u{df}ig", 30),
    ("vierzig", 40),
    ("f\u{fc}nfzig", 50),
    ("sechzig", 60),
    ("siebzig", 70),
    ("achtzig", 80),
    ("neunzig", 90),
    ("deux", 2),
    ("trois", 3),
    ("quatre", 4),
    ("cinq", 5),
    ("sept", 7),
    ("huit", 8),
    ("neuf", 9),
    ("dix", 10),
    ("douze", 12),
    ("vingt", 20),
    ("trente", 30),
    ("quarante", 40),
    ("cinquante", 50),
    ("soixante", 60),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("doce", 12),
    ("veinte", 20),
    ("quattro", 4),
    ("cinque", 5),
    ("sette", 7),
    ("dieci", 10),
    ("venti", 20),
];

/// A number below a hundred as a word: `twelve`, `forty-two`.
pub fn word(text: &str) -> Option<i128> {
    let text = text.to_lowercase();
    let unit = |text: &str| UNITS.iter().position(|word| *word == text).map(|at| at as i128);
    let ten =
        |text: &str| TENS.iter().position(|word| *word == text && !word.is_empty()).map(|at| at as i128 * 10);
    if let Some((first, second)) = text.split_once('-') {
        return Some(ten(first)? + unit(second).filter(|unit| (1..10).contains(unit))?);
    }
    unit(&text).or_else(|| ten(&text))
}

/// Whether a number in words may begin with `word`, in lower case: asked of every word of a page.
pub fn may_begin(word: &str) -> bool {
    static BEGIN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        let foreign = FOREIGN.iter().map(|(word, _)| *word);
        UNITS.into_iter().chain(TENS).chain(foreign).filter(|word| !word.is_empty()).collect()
    });
    let first = word.split('-').next().unwrap_or_default();
    BEGIN.contains(first) || word.contains("und") && foreign_word(word).is_some()
}

/// A small number as a word of another language: `zwölf`, `zweiundvierzig`.
pub fn foreign_word(text: &str) -> Option<i128> {
    let of = |text: &str| FOREIGN.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    if let Some((first, second)) = text.split_once("und") {
        let first = if first == "ein" { 1 } else { of(first).filter(|one| *one < 10)? };
        return Some(of(second).filter(|ten| ten % 10 == 0)? + first);
    }
    of(text)
}

/// A number written in words at the beginning of `words`, and how many of them it takes:
/// `forty-two thousand`, `two and a half million`, `three dozen`, `a hundred and five`.
pub fn spelled(words: &[String]) -> Option<(Number, usize)> {
    let at = |i: usize| words.get(i).map(String::as_str).unwrap_or_default();
    let (mut total, mut current, mut half, mut used) = (0_i128, None::<i128>, false, 0);
    let mut scales = 0;
    if ["a", "an"].contains(&at(0)) && (scale(at(1)).is_some_and(|_| at(1).len() > 2) || at(1) == "dozen") {
        (current, used) = (Some(1), 1);
    }
    if at(0) == "half" && ["a", "an"].contains(&at(1)) && scale(at(2)).is_some() {
        (half, used) = (true, 2);
    }
    loop {
        let joined = usize::from(at(used) == "and" && (current.is_some() || total > 0));
        let here = at(used + joined);
        if joined == 1 && here == "a" && at(used + 2) == "half" {
            half = true;
            used += 3;
        } else if let Some(small) = word(here).filter(|_| joined == 0 || scales > 0) {
            current = match current {
                None => Some(small),
                Some(many) if many % 100 == 0 || many % 10 == 0 && many < 100 && small < 10 => {
                    Some(many + small)
                }
                Some(_) => break,
            };
            used += 1 + joined;
        } else if joined == 0
            && let Some(power) = scale(here).filter(|_| here.len() > 2)
        {
            let many = current.or((half && total == 0).then_some(0))?;
            let factor = 10_i128.checked_pow(power.unsigned_abs())?;
            scales += 1;
            used += 1;
            if power == 2 && !half {
                current = Some(many.checked_mul(100)?);
            } else {
                let parts = many.checked_mul(factor)?.checked_add(if half { factor / 2 } else { 0 })?;
                total = total.checked_add(parts)?;
                (current, half) = (None, false);
            }
        } else if here == "dozen" && joined == 0 {
            (current, scales, used) = (Some(current?.checked_mul(12)?), scales + 1, used + 1);
        } else {
            break;
        }
    }
    if used == 0 {
        return None;
    }
    let whole = total.checked_add(current.unwrap_or(0))?;
    if half {
        Some((Number::new(whole.checked_mul(10)? + 5, 1), used))
    } else {
        Some((Number::new(whole, 0), used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_read_as_they_are_meant() {
        let n = Number::new;
        for (text, wanted) in [
            ("12", vec![n(12, 0)]),
            ("3.5", vec![n(35, 1)]),
            ("3.50", vec![n(35, 1)]),
            ("3,5", vec![n(35, 1)]),
            ("1,234", vec![n(1234, 0), n(1234, 3)]),
            ("1.234", vec![n(1234, 3), n(1234, 0)]),
            ("0.125", vec![n(125, 3)]),
            ("1,234.5", vec![n(12345, 1)]),
            ("1.234,5", vec![n(12345, 1)]),
            ("1,234,567", vec![n(1_234_567, 0)]),
            ("1.234.567", vec![n(1_234_567, 0)]),
            ("12.", vec![n(12, 0)]),
            ("7'350", vec![n(7350, 0)]),
            ("1\u{2019}234.50", vec![n(12345, 1)]),
            ("12,34,567", vec![n(1_234_567, 0)]),
            ("3\u{b7}5", vec![n(35, 1)]),
        ] {
            assert_eq!(readings(text, None), wanted, "{text}");
        }
        assert!(readings(&"9".repeat(60), None).is_empty());
        assert_eq!(n(15, 1).scaled(6), Some(n(1_500_000, 0)));
        assert_eq!(n(15, 0).scaled(-3), Some(n(15, 3)));
    }

    #[test]
    fn words_are_numbers() {
        for (text, wanted) in [
            ("twelve", Some(12)),
            ("Forty-two", Some(42)),
            ("forty", Some(40)),
            ("forty-eleven", None),
            ("none", None),
        ] {
            assert_eq!(word(text), wanted, "{text}");
        }
    }

    #[test]
    fn the_mark_of_decimals_follows_from_the_other_numbers_of_a_text() {
        for (text, wanted) in [
            ("12,5 Prozent von 1.204", Some(',')),
            ("12.5 percent of 1,204", Some('.')),
            ("1.204.551 or 1.204", Some(',')),
            ("1,204 of 3.500", None),
            ("die 1.204 Bäume", Some(',')),
            ("12.5 and 12,5", None),
        ] {
            assert_eq!(convention(text), wanted, "{text}");
        }
        assert_eq!(readings("1.204", Some(','))[0], Number::new(1204, 0));
    }

    #[test]
    fn longer_numbers_are_read_in_words_too() {
        for (text, wanted) in [
            ("forty-two thousand tonnes", Some((Number::new(42_000, 0), 2))),
            ("two and a half million barrels", Some((Number::new(2_500_000, 0), 5))),
            ("three dozen eggs", Some((Number::new(36, 0), 2))),
            ("a hundred and five", Some((Number::new(105, 0), 4))),
            ("two hundred thousand", Some((Number::new(200_000, 0), 3))),
            ("one million two hundred thousand", Some((Number::new(1_200_000, 0), 5))),
            ("twelve and three", Some((Number::new(12, 0), 1))),
            ("half a million trees", Some((Number::new(500_000, 0), 3))),
            ("a house", None),
            ("and", None),
        ] {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(spelled(&words), wanted, "{text}");
        }
        assert_eq!(foreign_word("zweiundvierzig"), Some(42));
    }
}
