//! Which of the debate's choices the asks of an outcome decide for.

use serde_json::json;

use super::{
    declaration::{Ask, Declaration, FieldKind},
    figures,
    form::{self, FieldValues},
    state::{DeclaredState, PlacedStatement},
};
use crate::common::form::choice_letters;

/// Probabilities that differ by less than this are equal.
const EQUAL: f64 = 1e-9;

/// What the statements of some asks decide for.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceDecision {
    /// The place of the choice, from 0; `None` where several are first.
    pub choice: Option<usize>,
    /// How many answers name each choice.
    pub votes: Vec<usize>,
    /// The mean of the probabilities by choice, where some were given.
    pub probabilities: Option<Vec<f64>>,
}

/// The asks that decide, in the order of the file's outcome.
pub fn list_deciding_asks(declaration: &Declaration) -> impl Iterator<Item = &Ask> {
    let rule = &declaration.outcome;
    rule.ask.iter().chain(&rule.also).filter_map(|name| declaration.find_ask(name))
}

/// The name of the field of `ask` that is of this kind.
pub fn field_of(ask: &Ask, kind: FieldKind) -> Option<&str> {
    ask.fields.iter().find(|field| field.kind == kind).map(|field| field.name.as_str())
}

/// The choice that a statement to `ask` names, from 0.
pub fn answered_choice(ask: &Ask, said: &PlacedStatement) -> Option<usize> {
    form::chosen_letter(said.given.values.get(field_of(ask, FieldKind::Answer)?)?.as_str()?)
}

/// The probabilities that a statement to `ask` gives.
pub fn stated_probabilities(ask: &Ask, said: &PlacedStatement) -> Option<Vec<f64>> {
    form::extract_probabilities(&said.given, field_of(ask, FieldKind::Probabilities)?)
}

/// What was last said to `asks`, counted: the choice that most answers name; among equal ones that with the
/// greatest mean probability. `None` where nobody answered.
pub fn count_decision<'a>(
    asks: impl IntoIterator<Item = &'a Ask>,
    state: &DeclaredState,
    choices: usize,
) -> Option<ChoiceDecision> {
    let said =
        asks.into_iter().flat_map(|ask| state.last_statements(&ask.name).into_iter().map(move |said| (ask, said)));
    let said: Vec<(&Ask, &PlacedStatement)> = said.collect();
    let mut votes = vec![0; choices];
    for choice in said.iter().filter_map(|(ask, said)| answered_choice(ask, said)) {
        *votes.get_mut(choice)? += 1;
    }
    let most = *votes.iter().max().filter(|most| **most > 0)?;
    let shares: Vec<Vec<f64>> = said.iter().filter_map(|(ask, said)| stated_probabilities(ask, said)).collect();
    let mean = |choice: usize| shares.iter().filter_map(|of| of.get(choice)).sum::<f64>() / shares.len().max(1) as f64;
    let probabilities: Option<Vec<f64>> = (!shares.is_empty()).then(|| (0..choices).map(mean).collect());
    let first: Vec<usize> = (0..choices).filter(|choice| votes[*choice] == most).collect();
    let greatest = first.iter().map(|choice| mean(*choice)).fold(f64::MIN, f64::max);
    let first: Vec<usize> = first.iter().copied().filter(|choice| greatest - mean(*choice) < EQUAL).collect();
    let choice = (first.len() == 1).then(|| first[0]);
    Some(ChoiceDecision { choice, votes, probabilities })
}

impl ChoiceDecision {
    /// As figures of an outcome.
    pub(super) fn render_figures(&self, texts: &[String]) -> FieldValues {
        let letter = self.choice.and_then(|choice| choice_letters(texts.len()).nth(choice));
        let votes = choice_letters(texts.len()).zip(self.votes.iter().map(|votes| json!(votes)));
        let shares = self.probabilities.as_deref().map(figures::round_shares);
        let figures = [
            ("letter", json!(letter)),
            ("text", json!(self.choice.and_then(|choice| texts.get(choice)))),
            ("votes", votes.collect::<FieldValues>().into()),
        ];
        let figures = figures.into_iter().chain(shares.map(|shares| ("probabilities", shares.into())));
        figures.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
