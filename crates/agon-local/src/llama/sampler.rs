//! llama.cpp's samplers, over a few candidates.

use std::{ffi::CStr, ptr::NonNull};

use super::{
    bindings::{llama_sampler, llama_token_data, llama_token_data_array},
    library::Library,
    vocabulary::{Token, Vocabulary},
};

/// A token that may come next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenCandidate {
    /// Which token.
    pub token: Token,
    /// How likely it is.
    pub logit: f32,
}

/// Tokens of which samplers choose one.
#[derive(Default)]
pub struct TokenCandidates {
    /// The tokens, likeliest first.
    pub sorted: Vec<TokenCandidate>,
    raw: Vec<llama_token_data>,
}

impl TokenCandidates {
    /// Lets `sampler` change how likely the candidates are, and remove some. Gives the one that it chose, if it chooses.
    pub fn apply_sampler(&mut self, sampler: &mut LlamaSampler) -> Option<Token> {
        self.raw.clear();
        let data = self.sorted.iter().map(|candidate| llama_token_data {
            id: candidate.token.0,
            logit: candidate.logit,
            p: 0.0,
        });
        self.raw.extend(data);
        let mut array =
            llama_token_data_array { data: self.raw.as_mut_ptr(), size: self.raw.len(), selected: -1, sorted: true };
        // SAFETY: the array holds `size` elements. A sampler may leave fewer, and may let `data` point to its own.
        let (left, selected) = unsafe {
            sampler.library.llama.llama_sampler_apply(sampler.raw.as_ptr(), &raw mut array);
            (std::slice::from_raw_parts(array.data, array.size), array.selected)
        };
        let selected = usize::try_from(selected).ok().and_then(|at| left.get(at)).map(|data| Token(data.id));
        self.sorted.clear();
        self.sorted.extend(left.iter().map(|data| TokenCandidate { token: Token(data.id), logit: data.logit }));
        if !array.sorted {
            self.sort_by_logit();
        }
        selected
    }

    /// Puts the likeliest first; of equally likely ones, the first of the vocabulary.
    pub fn sort_by_logit(&mut self) {
        self.sorted.sort_unstable_by(TokenCandidate::compare_likelihood);
    }
}

impl TokenCandidate {
    /// The order of candidates, likeliest first.
    pub fn compare_likelihood(&self, other: &Self) -> std::cmp::Ordering {
        other.logit.total_cmp(&self.logit).then(self.token.0.cmp(&other.token.0))
    }
}

/// A sampler, or a chain of them.
pub struct LlamaSampler {
    library: &'static Library,
    raw: NonNull<llama_sampler>,
}

// SAFETY: a sampler is memory of its own, and one owner holds it.
unsafe impl Send for LlamaSampler {}

/// What a chain is made of; in the words of `llama.h`, where each is described.
#[derive(Clone, Copy)]
pub enum SamplerStage<'a> {
    Greedy,
    TopP(f32),
    MinP(f32),
    Temperature(f32),
    /// Draws one, from this seed.
    Draw(u32),
    /// Makes tokens of the last `tokens` less likely.
    Penalties {
        tokens: i32,
        repeat: f32,
    },
    /// Makes the continuation of repeated runs of more than `longest` tokens less likely.
    Dry {
        vocabulary: Vocabulary<'a>,
        multiplier: f32,
        base: f32,
        longest: i32,
        tokens: i32,
        breakers: &'a [&'a CStr],
    },
}

impl LlamaSampler {
    /// The stages, one after the other; `None` without memory for them. `size` is that of the vocabulary.
    pub fn build_chain(library: &'static Library, size: i32, stages: &[SamplerStage<'_>]) -> Option<Self> {
        let llama = &library.llama;
        // SAFETY: each call gives a new sampler, or null; the chain owns those that are added.
        let chain =
            NonNull::new(unsafe { llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params()) })?;
        let chain = Self { library, raw: chain };
        for stage in stages {
            // SAFETY: as above; texts of breakers end with a zero byte and are copied.
            let sampler = unsafe {
                match *stage {
                    SamplerStage::Greedy => llama.llama_sampler_init_greedy(),
                    SamplerStage::TopP(p) => llama.llama_sampler_init_top_p(p, 1),
                    SamplerStage::MinP(p) => llama.llama_sampler_init_min_p(p, 1),
                    SamplerStage::Temperature(t) => llama.llama_sampler_init_temp(t),
                    SamplerStage::Draw(seed) => llama.llama_sampler_init_dist(seed),
                    SamplerStage::Penalties { tokens, repeat } => {
                        llama.llama_sampler_init_penalties(size, tokens, repeat, 0.0, 0.0)
                    }
                    SamplerStage::Dry { vocabulary, multiplier, base, longest, tokens, breakers } => {
                        let mut texts: Vec<_> = breakers.iter().map(|text| text.as_ptr()).collect();
                        let (first, count, raw) = (texts.as_mut_ptr(), texts.len(), std::ptr::from_ref(vocabulary.raw));
                        llama.llama_sampler_init_dry(raw, multiplier, base, longest, tokens, first, count)
                    }
                }
            };
            let sampler = NonNull::new(sampler)?;
            // SAFETY: as above.
            unsafe { llama.llama_sampler_chain_add(chain.raw.as_ptr(), sampler.as_ptr()) };
        }
        Some(chain)
    }

    /// Tells it that `token` was chosen.
    pub fn accept_token(&mut self, token: Token) {
        // SAFETY: the sampler is there until it is dropped.
        unsafe { self.library.llama.llama_sampler_accept(self.raw.as_ptr(), token.0) }
    }

    /// One in the same state; `None` without memory for it.
    pub fn duplicate(&self) -> Option<Self> {
        // SAFETY: see `accept`.
        let raw = unsafe { self.library.llama.llama_sampler_clone(self.raw.as_ptr()) };
        Some(Self { library: self.library, raw: NonNull::new(raw)? })
    }
}

impl Drop for LlamaSampler {
    fn drop(&mut self) {
        // SAFETY: nothing else keeps it.
        unsafe { self.library.llama.llama_sampler_free(self.raw.as_ptr()) }
    }
}
