//! The bounds that a reader enforces, and what a fault says of a value beyond them.

use agon_core::Faults;
use serde_json::Value;

use super::{Kind, choice_letters, number_value};
use crate::common::fields::one_line;

/// Name and path of what is read.
type Place<'p> = (&'p str, &'p str);

pub(super) fn too_long(most: Option<u32>, text: &str, at: &str, rule: &str, faults: &mut Faults) {
    let chars = text.chars().count();
    if let Some(most) = most.filter(|most| chars > *most as usize) {
        faults.add(rule, at, format!("it has {chars} characters; say it in at most {most}"));
    }
}

/// A number within its bounds.
pub(super) fn parse_number(
    value: Option<&Value>,
    (name, at): Place<'_>,
    rule: &str,
    is_whole: bool,
    (min, max): (Option<f64>, Option<f64>),
    faults: &mut Faults,
) -> Value {
    let Some(number) = value.and_then(Value::as_f64).filter(|number| number.is_finite()) else {
        faults.add(rule, at, format!("{name} must be a number, without words or units"));
        return Value::Null;
    };
    if is_whole && number.fract() != 0.0 {
        faults.add(rule, at, format!("{name} must be a whole number"));
    }
    if !(min.unwrap_or(f64::MIN)..=max.unwrap_or(f64::MAX)).contains(&number) {
        let wanted = match (min, max) {
            (Some(min), Some(max)) => format!("{} to {}", number_value(min), number_value(max)),
            (Some(min), None) => format!("{} or more", number_value(min)),
            (_, max) => format!("{} or less", number_value(max.unwrap_or(f64::MAX))),
        };
        faults.add(rule, at, format!("{name} must be {wanted}"));
    }
    number_value(number)
}

/// The number of one of `things`.
pub(super) fn parse_pick(
    value: Option<&Value>,
    (name, at): Place<'_>,
    rule: &str,
    things: usize,
    faults: &mut Faults,
) -> Value {
    let number = value.and_then(Value::as_f64).filter(|number| number.fract() == 0.0);
    match number.filter(|number| (1.0..=things as f64).contains(number)) {
        Some(number) => number_value(number),
        None => {
            faults.add(rule, at, format!("{name} must be a number of the list, 1 to {things}"));
            Value::Null
        }
    }
}

/// The letter of one of `choices`: alone, in brackets, or before the words of the choice, as in `B) Paris`.
pub(super) fn parse_letter(
    value: Option<&Value>,
    (name, at): Place<'_>,
    rule: &str,
    choices: usize,
    faults: &mut Faults,
) -> Value {
    let said = value.and_then(Value::as_str).unwrap_or_default().trim();
    let said = said.trim_start_matches(['(', '[', '"', '\'', '*', '`']);
    let mut rest = said.chars();
    let first = rest.next().map(|letter| letter.to_ascii_uppercase().to_string()).unwrap_or_default();
    let ends = rest.next().is_none_or(|next| !next.is_alphanumeric() && !next.is_whitespace());
    match choice_letters(choices).find(|letter| ends && *letter == first) {
        Some(letter) => letter.into(),
        None => {
            let all = choice_letters(choices).collect::<Vec<_>>().join(", ");
            faults.add(rule, at, format!("{name} must be one of the letters {all}, and nothing else"));
            Value::Null
        }
    }
}

/// As many items as are wanted.
pub(super) fn check_count(
    count: usize,
    kind: &Kind,
    (least, most): (usize, usize),
    at: &str,
    rule: &str,
    faults: &mut Faults,
) {
    let most = kind.limit_count(most);
    let least = least.min(most);
    if !(least..=most).contains(&count) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        faults.add(rule, at, format!("{wanted} entries are wanted, found {count}"));
    }
}

/// The texts of a list.
pub(super) fn parse_texts(list: &[Value], most: Option<u32>, at: &str, rule: &str, faults: &mut Faults) -> Value {
    let texts = list.iter().enumerate().map(|(i, item)| {
        let at = format!("{at}[{i}]");
        let text = item.as_str().map(one_line).unwrap_or_default();
        if !text.chars().any(char::is_alphanumeric) {
            faults.add(rule, &at, "a text is wanted here");
        }
        too_long(most, &text, &at, rule, faults);
        Value::from(text)
    });
    texts.collect::<Vec<_>>().into()
}

/// The numbers of different things.
pub(super) fn parse_picks(
    list: &[Value],
    things: usize,
    (name, at): Place<'_>,
    rule: &str,
    faults: &mut Faults,
) -> Value {
    let mut numbers: Vec<Value> = Vec::new();
    for (i, item) in list.iter().enumerate() {
        let at = format!("{at}[{i}]");
        let number = parse_pick(Some(item), (name, &at), rule, things, faults);
        if numbers.contains(&number) {
            faults.add(rule, at, format!("{number} is there twice; pick different ones"));
        }
        numbers.push(number);
    }
    numbers.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_letter_is_read_within_marks_and_before_its_words() {
        for (said, wanted) in [
            ("b", Some("B")),
            ("**B**", Some("B")),
            ("`B`", Some("B")),
            ("(B) Париж", Some("B")),
            ("Berlin", None),
            ("B or A", None),
            ("**", None),
        ] {
            let mut faults = Faults::default();
            let read = parse_letter(Some(&json!(said)), ("choice", "choice"), "rule", 2, &mut faults);
            assert_eq!((read.as_str(), faults.0.is_empty()), (wanted, wanted.is_some()), "{said}");
        }
    }
}
