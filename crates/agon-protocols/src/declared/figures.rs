//! What is counted: medians of numbers and tallies of choices, by code and never by a model.

use serde_json::{Map, Value, json};

use super::{
    declaration::{Ask, DeclaredField, FieldKind},
    form::{CHOICES_MAX, extract_probabilities, format_value, number_value},
    state::{DeclaredState, PlacedStatement, Thing},
};
use crate::common::form::choice_letters;

/// The middle of some numbers, and how far they are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Middle {
    /// Half of the numbers are not above it, half not below.
    pub median: f64,
    /// A quarter of the numbers is not above it.
    pub low: f64,
    /// A quarter of the numbers is not below it.
    pub high: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// How many they are.
    pub count: usize,
}

impl Middle {
    /// Of some numbers; `None` where there are none. Quantiles between two numbers are interpolated.
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let (min, max) = (*numbers.first()?, *numbers.last()?);
        let quantile = |share: f64| {
            let at = share * (numbers.len() - 1) as f64;
            let (below, above) = (numbers[at.floor() as usize], numbers[at.ceil() as usize]);
            below + (above - below) * at.fract()
        };
        let (median, low, high) = (quantile(0.5), quantile(0.25), quantile(0.75));
        Some(Self { median, low, high, min, max, count: numbers.len() })
    }
}

/// How often something was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceCount {
    /// The word, or what the thing says.
    pub text: String,
    /// The number of the thing; 0 for a word.
    pub number: usize,
    /// How often.
    pub votes: usize,
}

/// The numbers in `field` of `statements`.
pub fn summarise_numbers(field: &DeclaredField, statements: &[&PlacedStatement]) -> Option<Middle> {
    // The number of a thing that a seat picked is not a quantity.
    if !matches!(field.kind, FieldKind::Number | FieldKind::Whole) {
        return None;
    }
    let numbers = statements.iter().filter_map(|said| said.statement.values.get(&field.name)?.as_f64());
    Middle::of(numbers.collect())
}

/// The mean of the probabilities in `field` of `statements`, by choice.
pub fn mean_probabilities(field: &DeclaredField, statements: &[&PlacedStatement]) -> Option<Vec<f64>> {
    let shares: Vec<Vec<f64>> =
        statements.iter().filter_map(|said| extract_probabilities(&said.statement, &field.name)).collect();
    let choices = shares.first()?.len();
    let sum = |choice: usize| shares.iter().filter_map(|of| of.get(choice)).sum::<f64>();
    Some((0..choices).map(|choice| sum(choice) / shares.len() as f64).collect())
}

/// The votes in `field` of `statements`, most first; equal ones in the order of the form.
pub fn count_votes(field: &DeclaredField, statements: &[&PlacedStatement], things: &[Thing]) -> Vec<ChoiceCount> {
    let cast: Vec<&Value> = statements.iter().filter_map(|said| said.statement.values.get(&field.name)).collect();
    let word = |text: String| {
        let votes = cast.iter().filter(|value| format_value(value) == text).count();
        ChoiceCount { text, number: 0, votes }
    };
    let mut votes: Vec<ChoiceCount> = match field.kind {
        FieldKind::Choice => field.of.iter().cloned().map(word).collect(),
        FieldKind::YesNo => ["yes", "no"].map(str::to_owned).map(word).into(),
        FieldKind::Pick | FieldKind::Picks => {
            let picks = |value: &Value, number: usize| {
                let one = |value: &Value| value.as_u64() == Some(number as u64);
                value.as_array().map_or_else(|| one(value), |all| all.iter().any(one))
            };
            let vote = |thing: &Thing| ChoiceCount {
                text: thing.text.clone(),
                number: thing.number,
                votes: cast.iter().filter(|value| picks(value, thing.number)).count(),
            };
            things.iter().map(vote).collect()
        }
        FieldKind::Answer => {
            let letters = choice_letters(CHOICES_MAX).map(word);
            letters.filter(|vote| vote.votes > 0).collect()
        }
        FieldKind::Text
        | FieldKind::Number
        | FieldKind::Whole
        | FieldKind::List
        | FieldKind::Probabilities
        | FieldKind::Quote
        | FieldKind::Quotes => Vec::new(),
    };
    votes.sort_by_key(|vote| std::cmp::Reverse(vote.votes));
    votes
}

/// The figures of what was last said to `ask`, by field; nothing where nothing is counted.
pub fn of(ask: &Ask, state: &DeclaredState) -> Map<String, Value> {
    let statements = state.last_statements(&ask.name);
    let figures = ask.fields.iter().filter_map(|field| {
        if field.kind == FieldKind::Probabilities {
            let mean = mean_probabilities(field, &statements)?;
            let mean = choice_letters(mean.len()).zip(mean).map(|(letter, share)| (letter, round_number(share)));
            let mean: Map<String, Value> = mean.collect();
            return Some((field.name.clone(), json!({"count": statements.len(), "mean": mean})));
        }
        let value = match summarise_numbers(field, &statements) {
            Some(middle) => json!({
                "count": middle.count, "median": round_number(middle.median), "low": round_number(middle.low),
                "high": round_number(middle.high), "min": round_number(middle.min), "max": round_number(middle.max),
            }),
            None => {
                let votes = count_votes(field, &statements, &state.things_then(field, &statements));
                if votes.is_empty() || statements.is_empty() {
                    return None;
                }
                let votes = votes.iter().map(|vote| match vote.number {
                    0 => json!({"text": vote.text, "votes": vote.votes}),
                    number => json!({"number": number, "text": vote.text, "votes": vote.votes}),
                });
                json!({"count": statements.len(), "votes": votes.collect::<Vec<_>>()})
            }
        };
        Some((field.name.clone(), value))
    });
    figures.collect()
}

/// Figures in one line for a reader.
pub fn format_figures(figures: &Map<String, Value>) -> String {
    let parts = figures.iter().map(|(name, of)| {
        let name = name.replace(['-', '_'], " ");
        if let Some(mean) = of["mean"].as_object() {
            let each = mean.iter().map(|(letter, share)| format!("{letter} {share}"));
            return format!("{name}: mean {}, {} answers", each.collect::<Vec<_>>().join(", "), of["count"]);
        }
        match of["votes"].as_array() {
            Some(votes) => {
                let cast = votes.iter().filter(|vote| vote["votes"] != 0);
                let cast = cast.map(|vote| format!("{} {}", format_value(&vote["text"]), vote["votes"]));
                format!("{name}: {}", cast.collect::<Vec<_>>().join(", "))
            }
            None => format!(
                "{name}: median {}, middle half {} to {}, {} answers",
                of["median"], of["low"], of["high"], of["count"]
            ),
        }
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Four significant digits: more than estimates are worth.
pub fn round_number(number: f64) -> Value {
    if number == 0.0 || !number.is_finite() {
        return number_value(0.0);
    }
    let digits = 3 - number.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits.clamp(-15, 15));
    number_value((number * scale).round() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_middle() {
        let of = |numbers: &[f64]| Middle::of(numbers.to_vec()).unwrap();
        assert_eq!(of(&[3.0, 1.0, 2.0]).median, 2.0);
        let four = of(&[40.0, 10.0, 20.0, 30.0]);
        assert_eq!((four.median, four.low, four.high, four.min, four.max), (25.0, 17.5, 32.5, 10.0, 40.0));
        assert_eq!((of(&[7.0]).low, of(&[7.0]).count), (7.0, 1));
        assert_eq!(Middle::of(Vec::new()), None);
    }

    #[test]
    fn numbers_are_rounded_to_four_digits() {
        for (number, wanted) in [
            (120.0, "120"),
            (0.012_345_6, "0.01235"),
            (123_456.0, "123500"),
            (-2.5, "-2.5"),
            (0.0, "0"),
            (1.0 / 3.0, "0.3333"),
        ] {
            assert_eq!(round_number(number).to_string(), wanted);
        }
    }
}
