//! Which of a few short texts comes next, and how likely each of them is.
//!
//! A small model that is asked for a grade nearly always writes the same one. How likely it finds each grade says
//! more (probability-weighted scores: Liu et al. 2023, G-Eval).

use crate::{error::EngineError, llama::Vocabulary};

/// The tokens that begin each of `choices`: those that are the text itself, with or without a blank before it.
///
/// # Errors
/// [`EngineError::Runtime`] if the vocabulary has no token for one of them.
pub fn list_choice_tokens(vocabulary: Vocabulary<'_>, choices: &[String]) -> Result<Vec<Vec<usize>>, EngineError> {
    let mut found = vec![Vec::new(); choices.len()];
    for token in vocabulary.tokens() {
        let piece = vocabulary.token_bytes(token, false);
        let text = piece.trim_ascii_start();
        if let Some(at) = choices.iter().position(|choice| choice.as_bytes() == text) {
            found[at].push(token.index());
        }
    }
    match found.iter().position(Vec::is_empty) {
        Some(at) => Err(EngineError::runtime(format!("the model has no token for {:?}", choices[at]))),
        None => Ok(found),
    }
}

/// How likely each choice is among all choices, given a logit for each token of the vocabulary. A choice whose
/// tokens have no usable logit is impossible.
///
/// # Errors
/// [`EngineError::Runtime`] if none is possible.
pub fn compute_choice_weights(logits: &[f32], choices: &[Vec<usize>]) -> Result<Vec<f32>, EngineError> {
    let logit = |id: &usize| logits.get(*id).copied().filter(|logit| logit.is_finite());
    let most = choices.iter().flatten().filter_map(logit).fold(f32::NEG_INFINITY, f32::max);
    let sums: Vec<f32> =
        choices.iter().map(|tokens| tokens.iter().filter_map(logit).map(|logit| (logit - most).exp()).sum()).collect();
    let all: f32 = sums.iter().sum();
    if all > 0.0 {
        Ok(sums.into_iter().map(|sum| sum / all).collect())
    } else {
        Err(EngineError::runtime("no choice has a usable probability"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_shares_of_all_choices() {
        let logits = [0.0, 2.0, 2.0, f32::NEG_INFINITY, 100.0];
        let shares = compute_choice_weights(&logits, &[vec![0], vec![1, 2], vec![3]]).unwrap();
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((shares[1] / shares[0] - 2.0 * 2.0_f32.exp()).abs() < 1e-3, "{shares:?}");
        assert_eq!(shares[2], 0.0);
    }

    #[test]
    fn without_a_possible_choice_there_is_no_answer() {
        assert!(compute_choice_weights(&[f32::NAN, f32::NEG_INFINITY], &[vec![0], vec![1]]).is_err());
        assert!(compute_choice_weights(&[1.0], &[vec![7]]).is_err());
    }
}
