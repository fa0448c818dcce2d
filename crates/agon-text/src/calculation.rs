//! Calculations as people write them, computed with exact decimals.

use rust_decimal::Decimal;
use thiserror::Error;

use crate::{figures::parse_decimal, script::digit_value};

/// Longest calculation, in characters, and how deep its brackets may be.
const CHARS_MAX: usize = 1_000;
const DEPTH_MAX: usize = 32;

/// A calculation that could be computed.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCalculation {
    /// What the left side gives, to 28 digits.
    pub value: Decimal,
    /// The result that is stated; of `12.5%` it is 0.125.
    pub stated: Decimal,
    /// The numbers of the left side as they are written, without signs: of `12.5%` it is 12.5.
    pub operands: Vec<Decimal>,
    /// Whether the value is the stated result, rounded to the digits that are written.
    pub is_right: bool,
}

/// Why a calculation cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CalculationFault {
    /// It is too long, or its brackets are too deep.
    #[error("a calculation has at most {CHARS_MAX} characters and {DEPTH_MAX} brackets within each other")]
    TooLong,
    /// There is not exactly one equals sign.
    #[error("a calculation has one `=`, with its result behind it")]
    Equals,
    /// A sign that is neither a number nor an operation.
    #[error("{0:?} does not belong in a calculation; write numbers, + - × ÷, brackets and %")]
    Sign(char),
    /// A number with separators that cannot be read.
    #[error("{0:?} is not a number; write decimals with a point")]
    Number(String),
    /// A number or an operation is missing.
    #[error("a number or an operation is missing {0}")]
    Missing(String),
    /// A bracket without its partner.
    #[error("a bracket is not closed, or not opened")]
    Bracket,
    /// A division by zero.
    #[error("it divides by zero")]
    Zero,
    /// A number that is too large to compute with.
    #[error("its numbers are too large")]
    TooLarge,
}

/// What `calculation` gives, as `(138 - 19) ÷ 138 = 86.2%`: digits of any script with a point, `+ − × ÷`, brackets and
/// per cent, an equals sign and the result. Where it does not hold with a point for decimals, it is read with a comma for
/// them, as much of the world writes: `830.000 - 177.750,5 = 652.249,5`.
pub fn check_calculation(calculation: &str) -> Result<CheckedCalculation, CalculationFault> {
    if calculation.chars().count() > CHARS_MAX {
        return Err(CalculationFault::TooLong);
    }
    let with_point = compute(calculation, POINTS);
    if with_point.as_ref().is_ok_and(|checked| checked.is_right) {
        return with_point;
    }
    match compute(calculation, COMMAS) {
        Ok(checked) if checked.is_right || with_point.is_err() => Ok(checked),
        _ => with_point,
    }
}

/// The two ways to part the decimals of a number.
const POINTS: &[char] = &['.', '．', '٫'];
const COMMAS: &[char] = &[',', '，', '٫'];

fn compute(calculation: &str, mark: &[char]) -> Result<CheckedCalculation, CalculationFault> {
    let tokens = tokenize_calculation(calculation, mark)?;
    let mut sides = tokens.split(|token| *token == CalculationToken::Equals);
    let (Some(left), Some(right), None) = (sides.next(), sides.next(), sides.next()) else {
        return Err(CalculationFault::Equals);
    };
    let value = evaluate_tokens(left)?;
    let stated = evaluate_tokens(right)?;
    let operands = left.iter().filter_map(|token| match token {
        CalculationToken::Number { value, .. } => Some(*value),
        _ => None,
    });
    let step = result_step(right)?;
    let difference = value.checked_sub(stated).ok_or(CalculationFault::TooLarge)?.abs();
    let twice = difference.checked_add(difference).ok_or(CalculationFault::TooLarge)?;
    Ok(CheckedCalculation { value, stated, operands: operands.collect(), is_right: twice <= step })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum CalculationToken {
    Number {
        value: Decimal,
        decimals: u32,
    },
    Plus,
    Minus,
    Times,
    Divided,
    Open,
    Close,
    /// Divides the number before it: by 100 or 1000.
    Per(u32),
    Equals,
}

fn tokenize_calculation(text: &str, mark: &[char]) -> Result<Vec<CalculationToken>, CalculationFault> {
    use CalculationToken::*;
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let token = match c {
            '+' | '＋' => Plus,
            '-' | '−' | '–' | '—' | '‐' | '‑' | '－' => Minus,
            '×' | '*' | '·' | '∙' | '⋅' | '∗' | '＊' | 'x' | 'X' => Times,
            '÷' | '/' | ':' | '∶' | '∕' | '／' => Divided,
            '(' | '[' | '（' => Open,
            ')' | ']' | '）' => Close,
            '%' | '٪' | '％' => Per(100),
            '‰' => Per(1000),
            '=' | '≈' | '＝' => Equals,
            c if c.is_whitespace() => {
                rest = &rest[length..];
                continue;
            }
            c if digit_value(c).is_some() => {
                length = number_length(rest);
                read_number(&rest[..length], mark)?
            }
            c => return Err(CalculationFault::Sign(c)),
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Whether `c` parts digits: decimals or groups of them.
fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',' | '．' | '，' | '٫' | '٬' | '\'' | '’' | '_' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

fn number_length(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_inside = is_separator(c) && chars.peek().is_some_and(|(_, next)| digit_value(*next).is_some());
        match digit_value(c).is_some() {
            true => end = at + c.len_utf8(),
            false if is_inside => {}
            false => break,
        }
    }
    end
}

/// A number with one of these marks for decimals; thousands may be parted by other separators.
fn read_number(text: &str, mark: &[char]) -> Result<CalculationToken, CalculationFault> {
    let (whole, decimals) = text.split_once(mark).unwrap_or((text, ""));
    let digits = |text: &str| -> String {
        text.chars().filter_map(digit_value).filter_map(|value| char::from_digit(value, 10)).collect()
    };
    let groups: Vec<String> = whole.split(is_separator).map(digits).collect();
    let is_grouped =
        groups.len() == 1 || (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3);
    if !is_grouped || decimals.contains(is_separator) {
        return Err(CalculationFault::Number(text.to_owned()));
    }
    let (whole, decimals) = (groups.concat(), digits(decimals));
    let value = parse_decimal(&whole, &decimals).ok_or(CalculationFault::TooLarge)?;
    Ok(CalculationToken::Number { value, decimals: decimals.len() as u32 })
}

/// The last digit of a result that is one number, as a value: of `12.5%` it is 0.001.
fn result_step(result: &[CalculationToken]) -> Result<Decimal, CalculationFault> {
    let ([CalculationToken::Minus | CalculationToken::Plus, number @ ..] | number) = result;
    let (decimals, per) = match number {
        [CalculationToken::Number { decimals, .. }] => (*decimals, 1),
        [CalculationToken::Number { decimals, .. }, CalculationToken::Per(per)] => (*decimals, *per),
        _ => return Err(CalculationFault::Missing("in the result, which is one number".into())),
    };
    let step = Decimal::new(1, decimals.min(28));
    step.checked_div(Decimal::from(per)).ok_or(CalculationFault::TooLarge)
}

fn evaluate_tokens(tokens: &[CalculationToken]) -> Result<Decimal, CalculationFault> {
    let mut parser = CalculationParser { tokens, at: 0 };
    let value = parser.parse_operations(&SIGNS, 0)?;
    match parser.peek() {
        None => Ok(value),
        Some(CalculationToken::Close) => Err(CalculationFault::Bracket),
        Some(_) => Err(CalculationFault::Missing("between two numbers".into())),
    }
}

/// The signs of sums, then those of products.
const SIGNS: [[CalculationToken; 2]; 2] =
    [[CalculationToken::Plus, CalculationToken::Minus], [CalculationToken::Times, CalculationToken::Divided]];

struct CalculationParser<'t> {
    tokens: &'t [CalculationToken],
    at: usize,
}

impl CalculationParser<'_> {
    fn peek(&self) -> Option<CalculationToken> {
        self.tokens.get(self.at).copied()
    }

    /// A sum, whose parts are products, whose parts are factors: `signs` are those of this level and the ones below it.
    fn parse_operations(&mut self, signs: &[[CalculationToken; 2]], depth: usize) -> Result<Decimal, CalculationFault> {
        let Some((own, below)) = signs.split_first() else { return self.parse_factor(depth) };
        let mut value = self.parse_operations(below, depth)?;
        while let Some(sign) = self.peek().filter(|sign| own.contains(sign)) {
            self.at += 1;
            let next = self.parse_operations(below, depth)?;
            let result = match sign {
                CalculationToken::Plus => value.checked_add(next),
                CalculationToken::Minus => value.checked_sub(next),
                CalculationToken::Times => value.checked_mul(next),
                _ if next.is_zero() => return Err(CalculationFault::Zero),
                _ => value.checked_div(next),
            };
            value = result.ok_or(CalculationFault::TooLarge)?;
        }
        Ok(value)
    }

    /// A number or a bracket, with its sign before it and per cent behind it.
    fn parse_factor(&mut self, depth: usize) -> Result<Decimal, CalculationFault> {
        if depth > DEPTH_MAX {
            return Err(CalculationFault::TooLong);
        }
        let token = self.peek();
        self.at += 1;
        let mut value = match token {
            Some(CalculationToken::Number { value, .. }) => value,
            Some(CalculationToken::Minus) => return Ok(-self.parse_factor(depth + 1)?),
            Some(CalculationToken::Plus) => return self.parse_factor(depth + 1),
            Some(CalculationToken::Open) => {
                let value = self.parse_operations(&SIGNS, depth + 1)?;
                if self.peek() != Some(CalculationToken::Close) {
                    return Err(CalculationFault::Bracket);
                }
                self.at += 1;
                value
            }
            Some(CalculationToken::Close) => return Err(CalculationFault::Bracket),
            Some(_) => return Err(CalculationFault::Missing("before an operation".into())),
            None => return Err(CalculationFault::Missing("at the end".into())),
        };
        while let Some(CalculationToken::Per(per)) = self.peek() {
            self.at += 1;
            value = value.checked_div(Decimal::from(per)).ok_or(CalculationFault::TooLarge)?;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_right_where_it_is_rounded_to_its_digits() {
        for (text, wanted) in [
            ("138 - 19 = 119", true),
            ("138 − 19 = 120", false),
            ("(138 - 19) ÷ 138 = 86.2%", true),
            ("(138 - 19) / 138 = 86.3%", false),
            ("119/138=0.862", true),
            ("1 ÷ 3 × 3 = 1", true),
            ("2 ÷ 3 = 0.67", true),
            ("2 ÷ 3 = 0.66", false),
            ("1 ÷ 8 = 0.12", true),
            ("1 ÷ 8 = 0.13", true),
            ("0.1 + 0.2 = 0.3", true),
            ("0.1 + 0.2 = 0.30000000000000004", false),
            ("3,200 x 12.5% ≈ 400", true),
            ("1,234,567 + 1 = 1 234 568", true),
            ("-5 - -3 = -2", true),
            ("2 + 3 × 4 = 14", true),
            ("(2 + 3) × 4 = 20", true),
            ("5‰ × 1000 = 5", true),
            ("（３２００－２８００）÷２８００＝１４．３％", true),
            ("٣٤٫٥ + ١ = ٣٥٫٥", true),
            ("१२ × २ = २४", true),
        ] {
            assert_eq!(check_calculation(text).map(|checked| checked.is_right), Ok(wanted), "{text}");
        }
        let checked = check_calculation("200 × 12.5% - 1,000 = -975").unwrap();
        let shown = |values: &[Decimal]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(shown(&checked.operands), "200 12.5 1000");
        assert_eq!((checked.value.normalize(), checked.stated), (Decimal::from(-975), Decimal::from(-975)));
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        use CalculationFault::*;
        let deep = format!("{}1{} = 1", "(".repeat(40), ")".repeat(40));
        let long = format!("{} = 1", "1 + ".repeat(300));
        for (text, wanted) in [
            ("138 - 19", Equals),
            ("1 = 1 = 1", Equals),
            ("138 km - 19 km = 119 km", Sign('k')),
            ("0,5 + 1 = 1.5", Number("0,5".into())),
            ("1.2.3 = 1", Number("1.2.3".into())),
            ("1 - = 1", Missing("at the end".into())),
            ("× 2 = 1", Missing("before an operation".into())),
            ("1 (2) = 2", Missing("between two numbers".into())),
            ("1 + 1 = 1 + 1", Missing("in the result, which is one number".into())),
            ("= 1", Missing("at the end".into())),
            ("(1 + 2 = 3", Bracket),
            ("1) = 1", Bracket),
            ("1 ÷ (2 - 2) = 0", Zero),
            ("99999999999999999999 × 99999999999999999999 = 1", TooLarge),
            ("123456789012345678901234567890 + 1 = 1", TooLarge),
            (&deep, TooLong),
            (&long, TooLong),
        ] {
            assert_eq!(check_calculation(text), Err(wanted), "{text}");
        }
    }
}
