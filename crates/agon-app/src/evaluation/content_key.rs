//! What makes two debates of evaluations the same: item, arm, models, seed and repetition. Ids, seeds and the order
//! of choices follow from it.

use std::collections::BTreeMap;

use agon_core::{DebateId, Digest};
use agon_eval::item::Item;
use serde_json::json;

use crate::failure::{Failure, Result};

/// Characters of a key in the id of a debate: 96 bits.
const KEY_CHARS: usize = 24;
/// What such an id begins with.
const ID_START: &str = "eval-";

/// Whether a debate has an id that evaluations give.
pub fn is_of_evaluation(debate: &DebateId) -> bool {
    let key = debate.as_str().strip_prefix(ID_START);
    key.is_some_and(|key| key.len() == KEY_CHARS && key.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The digest of an item: of all that its line says.
pub fn item_digest(item: &Item) -> Digest {
    Digest::from_content(json!(item).to_string())
}

/// What one debate of an evaluation is made of.
#[derive(Debug, Clone, Copy)]
pub struct ContentKey<'k> {
    /// Of the item.
    pub item: &'k Digest,
    /// Of the arm.
    pub arm: &'k Digest,
    /// Models by seat.
    pub models: &'k BTreeMap<String, String>,
    /// Of the evaluation.
    pub seed: u64,
    /// From 0.
    pub repetition: u32,
}

impl ContentKey<'_> {
    /// The digest of all of it.
    pub fn digest(&self) -> Digest {
        let Self { item, arm, models, seed, repetition } = self;
        Digest::from_content(json!([item.as_str(), arm.as_str(), models, seed, repetition]).to_string())
    }

    /// The id of the debate.
    pub fn debate_id(&self) -> Result<DebateId> {
        let id = format!("{ID_START}{}", &self.digest().as_str()[..KEY_CHARS]);
        DebateId::new(id).map_err(|error| Failure::usage(error.to_string(), ""))
    }

    /// The seed of the debate.
    pub fn debate_seed(&self) -> u64 {
        number_from_digest(&self.digest())
    }

    /// The order in which the choices are shown: the same for all arms, so that their answers are comparable, and
    /// another one in each repetition.
    pub fn choice_order(&self, choices: &[String]) -> Vec<usize> {
        let lot = |at: usize| {
            let Self { item, seed, repetition, .. } = self;
            Digest::from_content(json!(["order", item.as_str(), seed, repetition, choices[at]]).to_string())
        };
        let mut order: Vec<usize> = (0..choices.len()).collect();
        order.sort_by_cached_key(|at| lot(*at).as_str().to_owned());
        order
    }
}

/// A number out of a digest: 48 bits, so that it stays exact in every reader of JSON.
pub fn number_from_digest(digest: &Digest) -> u64 {
    u64::from_str_radix(&digest.as_str()[..12], 16).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_changes_with_each_part_and_the_order_with_item_seed_and_repetition_alone() {
        let (a, b) = (Digest::from_content("a"), Digest::from_content("b"));
        let models = BTreeMap::from([("judge".to_owned(), "x:y".to_owned())]);
        let others = BTreeMap::from([("judge".to_owned(), "x:z".to_owned())]);
        let key = ContentKey { item: &a, arm: &a, models: &models, seed: 1, repetition: 0 };
        let changed = [
            ContentKey { item: &b, ..key },
            ContentKey { arm: &b, ..key },
            ContentKey { models: &others, ..key },
            ContentKey { seed: 2, ..key },
            ContentKey { repetition: 1, ..key },
        ];
        assert!(is_of_evaluation(&key.debate_id().unwrap()));
        assert!(!is_of_evaluation(&DebateId::new("eval-of-harbours").unwrap()));
        for other in changed {
            assert_ne!(key.debate_id().unwrap(), other.debate_id().unwrap());
        }
        let choices: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert_eq!(key.choice_order(&choices), changed[1].choice_order(&choices));
        assert_eq!(key.choice_order(&choices), changed[2].choice_order(&choices));
        assert_ne!(key.choice_order(&choices), changed[3].choice_order(&choices));
        assert_ne!(key.choice_order(&choices), changed[4].choice_order(&choices));
        let mut sorted = key.choice_order(&choices);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
