//! What is counted: medians of numbers and tallies of choices, by code and never by a model.

use serde::Serialize;
use serde_json::{Number, Value, json};

use super::{
    declaration::{Ask, Declaration, DeclaredField, FieldKind},
    form::{CHOICES_MAX, FieldValues, extract_probabilities, format_value, to_json_number},
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
    pub fn from_numbers(mut numbers: Vec<f64>) -> Option<Self> {
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceCount {
    /// The number of the thing; none for a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The word, or what the thing says.
    pub text: String,
    /// How often.
    pub votes: usize,
}

/// The numbers in `field` of `statements`.
pub fn summarise_numbers(field: &DeclaredField, statements: &[&PlacedStatement]) -> Option<Middle> {
    let statements = statements.iter().filter(|_| field.kind.is_number());
    Middle::from_numbers(statements.filter_map(|said| said.statement.values.get(&field.name)?.as_f64()).collect())
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
        ChoiceCount { number: None, text, votes }
    };
    let mut votes: Vec<ChoiceCount> = match field.kind {
        FieldKind::Choice => field.of.iter().cloned().map(word).collect(),
        FieldKind::YesNo => ["yes", "no"].map(str::to_owned).map(word).into(),
        FieldKind::Pick | FieldKind::Picks => {
            let picks = |value: &Value, number: usize| {
                let one = |value: &Value| value.as_u64() == Some(number as u64);
                value.as_array().map_or_else(|| one(value), |all| all.iter().any(one))
            };
            let vote = |thing: &Thing| {
                let votes = cast.iter().filter(|value| picks(value, thing.number)).count();
                ChoiceCount { number: Some(thing.number), text: thing.text.clone(), votes }
            };
            things.iter().map(vote).collect()
        }
        FieldKind::Answer => choice_letters(CHOICES_MAX).map(word).filter(|vote| vote.votes > 0).collect(),
        _ => Vec::new(),
    };
    votes.sort_by_key(|vote| std::cmp::Reverse(vote.votes));
    votes
}

/// The figures of what was last said to `ask`, by field; nothing where nothing is counted.
pub fn count_fields(ask: &Ask, state: &DeclaredState) -> FieldValues {
    let statements = state.last_statements(&ask.name);
    let count = statements.len();
    let figures = ask.fields.iter().filter_map(|field| {
        let counted = if field.kind == FieldKind::Probabilities {
            json!({"count": count, "mean": round_shares(&mean_probabilities(field, &statements)?)})
        } else if let Some(middle) = summarise_numbers(field, &statements) {
            let Middle { median, low, high, min, max, count } = middle;
            let [median, low, high, min, max] = [median, low, high, min, max].map(round_number);
            json!({"count": count, "median": median, "low": low, "high": high, "min": min, "max": max})
        } else {
            let votes = count_votes(field, &statements, &state.things_then(field, &statements));
            (count > 0 && !votes.is_empty()).then(|| json!({"count": count, "votes": votes}))?
        };
        Some((field.name.clone(), counted))
    });
    figures.collect()
}

/// Rounded shares by the letters of their choices.
pub(super) fn round_shares(shares: &[f64]) -> FieldValues {
    choice_letters(shares.len()).zip(shares.iter().map(|share| round_number(*share).into())).collect()
}

/// The figures of every ask that has some.
pub(super) fn collect_figures(declaration: &Declaration, state: &DeclaredState) -> FieldValues {
    let all = declaration.asks_with_phases().map(|(_, ask)| (ask.name.clone(), count_fields(ask, state)));
    all.filter(|(_, figures)| !figures.is_empty()).map(|(name, figures)| (name, figures.into())).collect()
}

/// Figures in one line for a reader.
pub fn format_figures(figures: &FieldValues) -> String {
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
pub fn round_number(number: f64) -> Number {
    let rounded = match number == 0.0 || !number.is_finite() {
        true => 0.0,
        false => {
            let digits = 3 - number.abs().log10().floor() as i32;
            let scale = 10_f64.powi(digits.clamp(-15, 15));
            (number * scale).round() / scale
        }
    };
    to_json_number(rounded).unwrap_or_else(|| 0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_middle() {
        let middle = |numbers: &[f64]| Middle::from_numbers(numbers.to_vec()).unwrap();
        assert_eq!(middle(&[3.0, 1.0, 2.0]).median, 2.0);
        let four = middle(&[40.0, 10.0, 20.0, 30.0]);
        assert_eq!((four.median, four.low, four.high, four.min, four.max), (25.0, 17.5, 32.5, 10.0, 40.0));
        assert_eq!((middle(&[7.0]).low, middle(&[7.0]).count), (7.0, 1));
        assert_eq!(Middle::from_numbers(Vec::new()), None);
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
