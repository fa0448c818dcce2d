//! Numbers as people write them: with separators, as words, with a scale behind them.

/// A number, exactly: `digits` divided by ten to the power of `decimals`.
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

/// How a run of digits can be read: the first way is the usual one, a second one another country's.
pub fn readings(text: &str) -> Vec<Number> {
    let text = text.trim_end_matches(['.', ',', '\'']);
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
    let read = match (points, commas) {
        // 1,234.5 and 1.234,5
        (1.., 1..) => vec![of(whole, behind)],
        (0, 1) if groups(',') => vec![of(text, ""), of(whole, behind)],
        (0, 2..) | (2.., 0) => vec![of(text, "")],
        // A comma of decimals, as most of Europe writes it.
        (0, _) => vec![of(whole, behind)],
        (1, 0) if groups('.') && !whole.starts_with('0') => vec![of(whole, behind), of(text, "")],
        _ => vec![of(whole, behind)],
    };
    read.into_iter().flatten().collect()
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

/// The power of ten of a word of scale.
pub fn scale(word: &str) -> Option<i32> {
    Some(match word.to_lowercase().as_str() {
        "hundred" => 2,
        "thousand" | "thousands" | "k" => 3,
        "million" | "millions" | "mn" | "mio" | "m" => 6,
        "billion" | "billions" | "bn" | "b" => 9,
        "trillion" | "trillions" | "tn" => 12,
        _ => return None,
    })
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
        ] {
            assert_eq!(readings(text), wanted, "{text}");
        }
        assert!(readings(&"9".repeat(60)).is_empty());
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
}
