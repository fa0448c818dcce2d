//! Choosing the next token.
//!
//! A vocabulary has some 150,000 entries, so the few likeliest that the grammar allows are picked
//! in one pass first, and llama.cpp's samplers see only those. This takes well under a millisecond.

use std::{ffi::CStr, sync::Arc};

use llguidance::Matcher;

use crate::error::EngineError;
use crate::llama::{Library, LlamaSampler, SamplerStage, Token, TokenCandidate, TokenCandidates, Vocabulary};
use crate::prompt::LocalPrompt;

/// Tokens considered at each step.
const CANDIDATES: usize = 64;

/// Share of the likeliest token's probability that a token needs to replace it where it would repeat.
const POSSIBLE_MIN: f32 = 0.02;

/// Texts that end a run: what follows one does not repeat what came before it.
const BREAKERS: &[&CStr] = &[c"\n", c":", c"\"", c"*"];

/// Tokens of earlier statements that repetition is looked for in.
const HISTORY: i32 = 4096;

/// Makes samplers for one model.
pub struct SamplerFactory {
    /// Setting up its sequence breakers walks the whole vocabulary: made once, then cloned.
    dry: LlamaSampler,
    /// The same for JSON, where a statement repeats its own terms under several keys: only longer
    /// runs are penalised, or words are run together to escape the penalty.
    dry_json: LlamaSampler,
    library: &'static Library,
    /// Size of the vocabulary.
    size: i32,
    /// By token: whether its text begins with a letter or a digit, so that it continues a word.
    continues: Arc<[bool]>,
}

impl SamplerFactory {
    /// Walks `vocabulary` once.
    ///
    /// # Errors
    /// [`EngineError::Runtime`] without memory for it.
    pub fn new(vocabulary: Vocabulary<'_>) -> Result<Self, EngineError> {
        let (library, size) = (vocabulary.library(), vocabulary.len());
        let dry = |longest| {
            let (multiplier, base, tokens) = (0.8, 1.75, HISTORY);
            let stage = SamplerStage::Dry { vocabulary, multiplier, base, longest, tokens, breakers: BREAKERS };
            LlamaSampler::build_chain(library, size, &[stage]).ok_or_else(no_memory)
        };
        let continues = vocabulary.tokens().map(|token| continues_word(&vocabulary.token_bytes(token, false)));
        Ok(Self { dry: dry(3)?, dry_json: dry(6)?, library, size, continues: continues.collect() })
    }

    /// A sampler for `prompt`, as if the tokens of `earlier` statements had been generated before:
    /// without them small models copy most of what was said already.
    pub fn build_sampler(
        &self,
        prompt: &LocalPrompt,
        earlier: &[Token],
        grammar: Option<Matcher>,
    ) -> Result<TokenSampler, EngineError> {
        let mut dry = if grammar.is_some() { &self.dry_json } else { &self.dry }.duplicate().ok_or_else(no_memory)?;
        for token in earlier {
            dry.accept_token(*token);
        }
        let chain = |stages: &[SamplerStage<'_>]| {
            LlamaSampler::build_chain(self.library, self.size, stages).ok_or_else(no_memory)
        };
        // Quotes and commas must recur in JSON: a penalty on them would only lengthen its strings.
        let repeated = if grammar.is_some() {
            None
        } else {
            Some(chain(&[SamplerStage::Penalties { tokens: 64, repeat: 1.05 }])?)
        };
        let drawn = [
            SamplerStage::TopP(0.95),
            SamplerStage::MinP(0.05),
            SamplerStage::Temperature(prompt.temperature),
            SamplerStage::Draw(fold_seed(prompt.seed)),
        ];
        let choice = if prompt.temperature > 0.0 { chain(&drawn) } else { chain(&[SamplerStage::Greedy]) }?;
        let (candidates, continues) = (TokenCandidates::default(), Arc::clone(&self.continues));
        let penalties = std::iter::once(dry).chain(repeated).collect();
        Ok(TokenSampler { penalties, choice, continues, grammar, candidates })
    }
}

fn no_memory() -> EngineError {
    EngineError::runtime("there is no memory for its samplers")
}

/// llama.cpp takes 32 bits, and all of them set mean "random".
fn fold_seed(seed: u64) -> u32 {
    let folded = (seed ^ (seed >> 32)) as u32;
    if folded == u32::MAX { 0 } else { folded }
}

/// The state of sampling within one generation.
pub struct TokenSampler {
    /// What makes repetition unlikely. It decides between words, never within one: a word whose second half is
    /// penalised would be mangled, and one whose leading blank is penalised would be joined to the last.
    penalties: Vec<LlamaSampler>,
    choice: LlamaSampler,
    continues: Arc<[bool]>,
    grammar: Option<Matcher>,
    candidates: TokenCandidates,
}

impl TokenSampler {
    /// Chooses the token that follows, given a logit for each token of the vocabulary.
    ///
    /// # Errors
    /// [`EngineError::Runtime`] if the grammar fails or the logits are not numbers.
    pub fn next(&mut self, logits: &[f32]) -> Result<Token, EngineError> {
        let candidates = &mut self.candidates;
        match &mut self.grammar {
            None => select_likeliest(logits.iter().copied().enumerate(), &mut candidates.sorted),
            Some(grammar) => {
                let allowed = grammar.compute_mask_or_eos().map_err(EngineError::runtime)?;
                let allowed = allowed.iter().map(|id| id as usize);
                let pairs = allowed.filter_map(|id| Some((id, *logits.get(id)?)));
                select_likeliest(pairs, &mut candidates.sorted);
            }
        }
        if keep_other_words(&mut candidates.sorted, &self.continues) {
            for penalty in &mut self.penalties {
                candidates.apply_sampler(penalty);
            }
            candidates.sort_by_logit();
        }
        let token = candidates.apply_sampler(&mut self.choice);
        let token = token.ok_or_else(|| EngineError::runtime("no token has a usable probability"))?;
        for sampler in self.penalties.iter_mut().chain([&mut self.choice]) {
            sampler.accept_token(token);
        }
        if let Some(grammar) = self.grammar.as_mut().filter(|grammar| !grammar.is_stopped()) {
            grammar.consume_token(token.0.cast_unsigned()).map_err(EngineError::runtime)?;
        }
        Ok(token)
    }

    /// Whether the grammar allows nothing more.
    pub fn is_complete(&self) -> bool {
        self.grammar.as_ref().is_some_and(Matcher::is_stopped)
    }
}

/// Whether a token of this text continues the word before it. Part of a character does as well, and so does the
/// apostrophe of "today's".
fn continues_word(piece: &[u8]) -> bool {
    piece.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'\'' || *byte >= 0x80)
}

/// Leaves the tokens that can replace the likeliest one, if it begins a word: others that begin a word and are
/// nearly as likely. A word that is hardly possible here does not help against a repetition: half a word often
/// is one. `false`, and nothing changed, if the likeliest token continues a word.
fn keep_other_words(sorted: &mut Vec<TokenCandidate>, continues: &[bool]) -> bool {
    let continues = |candidate: &TokenCandidate| continues.get(candidate.token.index()).copied().unwrap_or_default();
    let Some(best) = sorted.first().filter(|best| !continues(best)) else { return false };
    let possible = best.logit + POSSIBLE_MIN.ln();
    sorted.retain(|token| token.logit >= possible && !continues(token));
    true
}

/// Puts the likeliest of `logits` into `best`, likeliest first.
fn select_likeliest(logits: impl Iterator<Item = (usize, f32)>, best: &mut Vec<TokenCandidate>) {
    best.clear();
    let mut floor = f32::NEG_INFINITY;
    for (id, logit) in logits {
        if logit > floor {
            best.push(TokenCandidate { token: Token(id as i32), logit });
            if best.len() == 4 * CANDIDATES {
                best.select_nth_unstable_by(CANDIDATES - 1, TokenCandidate::compare_likelihood);
                best.truncate(CANDIDATES);
                floor = best[CANDIDATES - 1].logit;
            }
        }
    }
    best.sort_unstable_by(TokenCandidate::compare_likelihood);
    best.truncate(CANDIDATES);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_come_first_whatever_their_order() {
        let logits: Vec<f32> = (0..10_000).map(|i| ((i * 7919) % 10_007) as f32).collect();
        let mut best = Vec::new();
        select_likeliest(logits.iter().copied().enumerate(), &mut best);
        let mut sorted: Vec<f32> = logits.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let found: Vec<f32> = best.iter().map(|candidate| candidate.logit).collect();
        assert_eq!(found, sorted[..CANDIDATES]);
        assert!(best.iter().all(|candidate| logits[candidate.token.index()] == candidate.logit));
    }

    #[test]
    fn impossible_tokens_are_no_candidates() {
        let mut best = Vec::new();
        let logits = [f32::NEG_INFINITY, 1.0, f32::NAN, 2.0];
        select_likeliest(logits.into_iter().enumerate(), &mut best);
        assert_eq!(best.iter().map(|candidate| candidate.token.0).collect::<Vec<_>>(), [3, 1]);
    }

    #[test]
    fn a_token_that_continues_a_word_is_told_by_its_first_byte() {
        for inside in ["s", "ing", "'s", "7", "é", "Öl"] {
            assert!(continues_word(inside.as_bytes()), "{inside}");
        }
        assert!(continues_word(&[0xa9]), "the second byte of a character");
        for outside in [" the", ".", "\"", "\n", "", "(", "-"] {
            assert!(!continues_word(outside.as_bytes()), "{outside:?}");
        }
    }

    #[test]
    fn repetition_is_penalised_between_words_and_never_within_one() {
        // Tokens 1 and 3 continue a word.
        let continues = [false, true, false, true, false];
        let tokens = |logits: &[(i32, f32)]| -> Vec<TokenCandidate> {
            logits.iter().map(|(id, logit)| TokenCandidate { token: Token(*id), logit: *logit }).collect()
        };
        let ids =
            |candidates: &[TokenCandidate]| candidates.iter().map(|candidate| candidate.token.0).collect::<Vec<_>>();
        let mut within = tokens(&[(1, 5.0), (0, 4.9), (2, 4.8)]);
        assert!(!keep_other_words(&mut within, &continues), "the word is not finished");
        assert_eq!(ids(&within), [1, 0, 2]);
        let mut between = tokens(&[(0, 5.0), (1, 4.9), (2, 4.0), (3, 3.9), (4, 0.5)]);
        assert!(keep_other_words(&mut between, &continues));
        assert_eq!(ids(&between), [0, 2], "no half of a word, and nothing that is hardly possible");
    }

    #[test]
    fn the_seed_that_means_random_is_avoided() {
        assert_eq!(fold_seed(7), 7);
        assert_ne!(fold_seed(u64::from(u32::MAX)), u32::MAX);
        assert_ne!(fold_seed(1 << 40), fold_seed(1 << 41));
    }
}
