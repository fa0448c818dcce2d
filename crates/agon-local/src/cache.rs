//! Which evaluated beginning of a conversation to reuse for the next prompt.
//!
//! The engine keeps a few token sequences evaluated: typically one a speaker, for each has an own
//! system prompt. This module only decides; the worker carries the decision out.

use crate::llama::Token;

/// The token sequences whose evaluation is kept.
#[derive(Debug)]
pub struct Slots {
    slots: Vec<Slot>,
    clock: u64,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    tokens: Vec<Token>,
    /// When it was last chosen; 0 means never.
    used: u64,
    /// Whether an answer is being written in it.
    busy: bool,
}

/// How to start on a prompt.
#[derive(Debug, PartialEq, Eq)]
pub struct PrefixPlan {
    /// The slot to continue in.
    pub slot: usize,
    /// The slot whose first `keep` tokens are to be copied there; `None`: they are in place.
    pub copy_from: Option<usize>,
    /// Number of the prompt's tokens that need no evaluation; always less than all of them.
    pub keep: usize,
}

impl Slots {
    /// `count` empty slots, at least one.
    pub fn new(count: usize) -> Self {
        Self { slots: vec![Slot::default(); count.max(1)], clock: 0 }
    }

    /// Chooses a slot for `prompt`, and records that it now holds the kept tokens and is busy until
    /// [`Slots::release_slot`]. At least one slot must not be busy.
    ///
    /// The sequence with the longest common beginning is continued in place if that discards no
    /// more than half of it: then it is the same conversation. Otherwise, or if it is busy, it belongs to
    /// someone else, and the beginning is copied to the slot that was unused for longest.
    pub fn reserve_slot(&mut self, prompt: &[Token]) -> PrefixPlan {
        // The last token is always evaluated: its logits are needed.
        let reusable = &prompt[..prompt.len().saturating_sub(1)];
        let common = |slot: &Slot| slot.tokens.iter().zip(reusable).take_while(|(a, b)| a == b).count();
        let kept = (0..self.slots.len()).map(|i| (i, common(&self.slots[i])));
        let (best, keep) = kept.max_by_key(|&(i, n)| (n, self.slots[i].used)).unwrap_or((0, 0));
        let Slot { tokens, busy, .. } = &self.slots[best];
        let same_conversation = keep > 0 && !busy && keep * 2 >= tokens.len();
        let (slot, copy_from) = match self.oldest_except((keep > 0).then_some(best)) {
            Some(other) if !same_conversation => (other, (keep > 0).then_some(best)),
            _ => (best, None),
        };
        self.clock += 1;
        self.slots[slot] = Slot { tokens: prompt[..keep].to_vec(), used: self.clock, busy: true };
        PrefixPlan { slot, copy_from, keep }
    }

    /// Records that the answer in `slot` has ended.
    pub fn release_slot(&mut self, slot: usize) {
        self.slots[slot].busy = false;
    }

    /// Records that `tokens` were evaluated at the end of `slot`.
    pub fn append_tokens(&mut self, slot: usize, tokens: &[Token]) {
        self.slots[slot].tokens.extend_from_slice(tokens);
    }

    /// Number of tokens evaluated in `slot`.
    pub fn token_count(&self, slot: usize) -> usize {
        self.slots[slot].tokens.len()
    }

    /// Forgets what `slot` holds.
    pub fn clear_slot(&mut self, slot: usize) {
        self.slots[slot].tokens.clear();
    }

    /// Forgets the slot unused for longest that is not busy, and returns it; `None` if those are empty.
    pub fn evict_oldest(&mut self) -> Option<usize> {
        let occupied = (0..self.slots.len()).filter(|&i| !self.slots[i].busy && !self.slots[i].tokens.is_empty());
        let oldest = occupied.min_by_key(|&i| self.slots[i].used)?;
        self.slots[oldest] = Slot::default();
        Some(oldest)
    }

    fn oldest_except(&self, except: Option<usize>) -> Option<usize> {
        let free = (0..self.slots.len()).filter(|&i| Some(i) != except && !self.slots[i].busy);
        free.min_by_key(|&i| self.slots[i].used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: impl IntoIterator<Item = i32>) -> Vec<Token> {
        ids.into_iter().map(Token).collect()
    }

    /// Plans `ids` and pretends to evaluate the rest of them.
    fn run(slots: &mut Slots, ids: impl IntoIterator<Item = i32>) -> PrefixPlan {
        let prompt = tokens(ids);
        let plan = slots.reserve_slot(&prompt);
        slots.append_tokens(plan.slot, &prompt[plan.keep..]);
        slots.release_slot(plan.slot);
        plan
    }

    #[test]
    fn a_longer_prompt_continues_in_place() {
        let mut slots = Slots::new(2);
        assert_eq!(run(&mut slots, 0..10), PrefixPlan { slot: 0, copy_from: None, keep: 0 });
        assert_eq!(run(&mut slots, 0..20), PrefixPlan { slot: 0, copy_from: None, keep: 10 });
        assert_eq!(slots.token_count(0), 20);
    }

    #[test]
    fn the_last_token_is_evaluated_again() {
        let mut slots = Slots::new(2);
        run(&mut slots, 0..10);
        assert_eq!(run(&mut slots, 0..10), PrefixPlan { slot: 0, copy_from: None, keep: 9 });
        assert_eq!(run(&mut slots, 0..1).keep, 0);
    }

    #[test]
    fn another_speaker_gets_a_copy_of_the_shared_beginning() {
        let mut slots = Slots::new(3);
        run(&mut slots, 0..100);
        let other = (0..10).chain(500..600);
        assert_eq!(run(&mut slots, other.clone()), PrefixPlan { slot: 1, copy_from: Some(0), keep: 10 });
        assert_eq!(slots.token_count(0), 100);
        assert_eq!(run(&mut slots, 0..120).keep, 100);
        assert_eq!(run(&mut slots, other.chain(700..710)), PrefixPlan { slot: 1, copy_from: None, keep: 110 });
    }

    #[test]
    fn the_slot_unused_for_longest_gives_way() {
        let mut slots = Slots::new(2);
        run(&mut slots, 0..10);
        run(&mut slots, 100..110);
        assert_eq!(run(&mut slots, 0..11).slot, 0);
        assert_eq!(run(&mut slots, 200..210), PrefixPlan { slot: 1, copy_from: None, keep: 0 });
    }

    #[test]
    fn one_slot_is_always_reused_in_place() {
        let mut slots = Slots::new(0);
        run(&mut slots, 0..100);
        assert_eq!(run(&mut slots, (0..10).chain(300..310)), PrefixPlan { slot: 0, copy_from: None, keep: 10 });
        assert_eq!(run(&mut slots, 50..60), PrefixPlan { slot: 0, copy_from: None, keep: 0 });
    }

    #[test]
    fn a_busy_slot_is_copied_from_and_never_continued() {
        let mut slots = Slots::new(2);
        let first = tokens(0..10);
        let plan = slots.reserve_slot(&first);
        slots.append_tokens(plan.slot, &first);
        assert_eq!(run(&mut slots, 0..12), PrefixPlan { slot: 1, copy_from: Some(0), keep: 10 });
        slots.release_slot(plan.slot);
        assert_eq!(slots.reserve_slot(&tokens(0..13)).slot, 1);
    }

    #[test]
    fn eviction_spares_the_slots_in_use() {
        let mut slots = Slots::new(3);
        run(&mut slots, 0..10);
        let second = tokens(100..110);
        let busy = slots.reserve_slot(&second);
        slots.append_tokens(busy.slot, &second);
        assert_eq!(slots.evict_oldest(), Some(0));
        assert_eq!(slots.evict_oldest(), None);
        assert_eq!((slots.token_count(0), slots.token_count(1)), (0, 10));
    }
}
