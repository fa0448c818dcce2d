//! Choosing the next token.
//!
//! A vocabulary has some 150,000 entries, so the few likeliest that the grammar allows are picked
//! in one pass first, and llama.cpp's samplers see only those. This takes well under a millisecond.

use std::sync::Arc;

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use llguidance::Matcher;

use crate::error::EngineError;
use crate::prompt::LocalPrompt;

/// Tokens considered at each step.
const CANDIDATES: usize = 64;

/// Share of the likeliest token's probability that a token needs to replace it where it would repeat.
const POSSIBLE_MIN: f32 = 0.02;

/// Tokens of earlier statements that repetition is looked for in.
const HISTORY: i32 = 4096;

/// Makes samplers for one model.
#[derive(Debug)]
pub struct SamplerFactory {
    /// Setting up its sequence breakers walks the whole vocabulary: made once, then cloned.
    dry: LlamaSampler,
    /// The same for JSON, where a statement repeats its own terms under several keys: only longer
    /// runs are penalised, or words are run together to escape the penalty.
    dry_json: LlamaSampler,
    vocabulary: i32,
    /// By token: whether its text begins with a letter or a digit, so that it continues a word.
    continues: Arc<[bool]>,
}

impl SamplerFactory {
    /// Walks the vocabulary of `model` once.
    pub fn new(model: &LlamaModel) -> Self {
        let dry = |longest| LlamaSampler::dry(model, 0.8, 1.75, longest, HISTORY, ["\n", ":", "\"", "*"]);
        let vocabulary = model.vocab();
        let all = (0..model.n_vocab())
            .map(|id| continues_word(&vocabulary.token_to_piece(LlamaToken(id), false, None)));
        Self { dry: dry(3), dry_json: dry(6), vocabulary: model.n_vocab(), continues: all.collect() }
    }

    /// A sampler for `prompt`, as if the tokens of `earlier` statements had been generated before:
    /// without them small models copy most of what was said already.
    pub fn sampler(
        &self,
        prompt: &LocalPrompt,
        earlier: &[LlamaToken],
        grammar: Option<Matcher>,
    ) -> TokenSampler {
        let mut dry = if grammar.is_some() { self.dry_json.clone() } else { self.dry.clone() };
        dry.accept_many(earlier);
        let mut penalties = vec![dry];
        // Quotes and commas must recur in JSON: a penalty on them would only lengthen its strings.
        if grammar.is_none() {
            penalties.push(LlamaSampler::penalties(self.vocabulary, 64, 1.05, 0.0, 0.0));
        }
        let penalties = LlamaSampler::chain(penalties, true);
        let mut chain = Vec::new();
        if prompt.temperature > 0.0 {
            chain.push(LlamaSampler::top_p(0.95, 1));
            chain.push(LlamaSampler::min_p(0.05, 1));
            chain.push(LlamaSampler::temp(prompt.temperature));
            chain.push(LlamaSampler::dist(seed(prompt.seed)));
        } else {
            chain.push(LlamaSampler::greedy());
        }
        let candidates = LlamaTokenDataArray::new(Vec::with_capacity(4 * CANDIDATES), true);
        let continues = Arc::clone(&self.continues);
        TokenSampler { penalties, chain: LlamaSampler::chain(chain, true), continues, grammar, candidates }
    }
}

/// llama.cpp takes 32 bits, and all of them set mean "random".
fn seed(seed: u64) -> u32 {
    let folded = (seed ^ (seed >> 32)) as u32;
    if folded == u32::MAX { 0 } else { folded }
}

/// The state of sampling within one generation.
pub struct TokenSampler {
    /// What makes repetition unlikely. It decides between words, never within one: a word whose second half is
    /// penalised would be mangled, and one whose leading blank is penalised would be joined to the last.
    penalties: LlamaSampler,
    chain: LlamaSampler,
    continues: Arc<[bool]>,
    grammar: Option<Matcher>,
    candidates: LlamaTokenDataArray,
}

impl TokenSampler {
    /// Chooses the token that follows, given a logit for each token of the vocabulary.
    ///
    /// # Errors
    /// [`EngineError::Runtime`] if the grammar fails or the logits are not numbers.
    pub fn next(&mut self, logits: &[f32]) -> Result<LlamaToken, EngineError> {
        let candidates = &mut self.candidates;
        match &mut self.grammar {
            None => likeliest(logits.iter().copied().enumerate(), &mut candidates.data),
            Some(grammar) => {
                let allowed = grammar.compute_mask_or_eos().map_err(EngineError::runtime)?;
                let allowed = allowed.iter().map(|id| id as usize);
                let pairs = allowed.filter_map(|id| Some((id, *logits.get(id)?)));
                likeliest(pairs, &mut candidates.data);
            }
        }
        candidates.sorted = true;
        candidates.selected = None;
        if keep_other_words(&mut candidates.data, &self.continues) {
            candidates.apply_sampler(&mut self.penalties);
            candidates.data.sort_unstable_by(likelier);
            candidates.sorted = true;
        }
        candidates.apply_sampler(&mut self.chain);
        let token = candidates.selected_token();
        let token = token.ok_or_else(|| EngineError::runtime("no token has a usable probability"))?;
        self.penalties.accept(token);
        self.chain.accept(token);
        if let Some(grammar) = self.grammar.as_mut().filter(|grammar| !grammar.is_stopped()) {
            grammar.consume_token(token.0.cast_unsigned()).map_err(EngineError::runtime)?;
        }
        Ok(token)
    }

    /// Whether the grammar allows nothing more.
    pub fn complete(&self) -> bool {
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
fn keep_other_words(sorted: &mut Vec<LlamaTokenData>, continues: &[bool]) -> bool {
    let continues =
        |token: &LlamaTokenData| continues.get(token.id().0 as usize).copied().unwrap_or_default();
    let Some(best) = sorted.first().filter(|best| !continues(best)) else { return false };
    let possible = best.logit() + POSSIBLE_MIN.ln();
    sorted.retain(|token| token.logit() >= possible && !continues(token));
    true
}

fn likelier(a: &LlamaTokenData, b: &LlamaTokenData) -> std::cmp::Ordering {
    b.logit().total_cmp(&a.logit()).then(a.id().0.cmp(&b.id().0))
}

/// Puts the likeliest of `logits` into `best`, likeliest first.
fn likeliest(logits: impl Iterator<Item = (usize, f32)>, best: &mut Vec<LlamaTokenData>) {
    best.clear();
    let mut floor = f32::NEG_INFINITY;
    for (id, logit) in logits {
        if logit > floor {
            best.push(LlamaTokenData::new(LlamaToken(id as i32), logit, 0.0));
            if best.len() == 4 * CANDIDATES {
                best.select_nth_unstable_by(CANDIDATES - 1, likelier);
                best.truncate(CANDIDATES);
                floor = best[CANDIDATES - 1].logit();
            }
        }
    }
    best.sort_unstable_by(likelier);
    best.truncate(CANDIDATES);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_come_first_whatever_their_order() {
        let logits: Vec<f32> = (0..10_000).map(|i| ((i * 7919) % 10_007) as f32).collect();
        let mut best = Vec::new();
        likeliest(logits.iter().copied().enumerate(), &mut best);
        let mut sorted: Vec<f32> = logits.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let found: Vec<f32> = best.iter().map(LlamaTokenData::logit).collect();
        assert_eq!(found, sorted[..CANDIDATES]);
        assert!(best.iter().all(|token| logits[token.id().0 as usize] == token.logit()));
    }

    #[test]
    fn impossible_tokens_are_no_candidates() {
        let mut best = Vec::new();
        let logits = [f32::NEG_INFINITY, 1.0, f32::NAN, 2.0];
        likeliest(logits.into_iter().enumerate(), &mut best);
        assert_eq!(best.iter().map(|token| token.id().0).collect::<Vec<_>>(), [3, 1]);
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
        let tokens = |logits: &[(i32, f32)]| -> Vec<LlamaTokenData> {
            logits.iter().map(|(id, logit)| LlamaTokenData::new(LlamaToken(*id), *logit, 0.0)).collect()
        };
        let ids = |tokens: &[LlamaTokenData]| tokens.iter().map(|token| token.id().0).collect::<Vec<_>>();
        let mut within = tokens(&[(1, 5.0), (0, 4.9), (2, 4.8)]);
        assert!(!keep_other_words(&mut within, &continues), "the word is not finished");
        assert_eq!(ids(&within), [1, 0, 2]);
        let mut between = tokens(&[(0, 5.0), (1, 4.9), (2, 4.0), (3, 3.9), (4, 0.5)]);
        assert!(keep_other_words(&mut between, &continues));
        assert_eq!(ids(&between), [0, 2], "no half of a word, and nothing that is hardly possible");
    }

    #[test]
    fn the_seed_that_means_random_is_avoided() {
        assert_eq!(seed(7), 7);
        assert_ne!(seed(u64::from(u32::MAX)), u32::MAX);
        assert_ne!(seed(1 << 40), seed(1 << 41));
    }
}
