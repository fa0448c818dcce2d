//! What tokens cost, and what a call cost by it.

use agon_core::{Basis, Usage};
use serde::{Deserialize, Serialize};

/// Millionths in one.
const MILLION: u128 = 1_000_000;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens read from a cache; as `input` where not given.
    pub cached: Option<f64>,
    /// Tokens written into a cache; as `input` where not given.
    pub cache_write: Option<f64>,
    /// Tokens written.
    pub output: f64,
    /// What all tokens of a call cost whose prompt is long, where that is more.
    pub long: Option<LongPromptPrice>,
}

/// US dollars per million tokens of a call with a long prompt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPromptPrice {
    /// A prompt of more tokens than this is long.
    pub above: u64,
    /// Tokens read.
    pub input: f64,
    /// Tokens read from a cache; as `input` where not given.
    pub cached: Option<f64>,
    /// Tokens written into a cache; as `input` where not given.
    pub cache_write: Option<f64>,
    /// Tokens written.
    pub output: f64,
}

impl Price {
    /// The price of a call with a prompt of so many tokens.
    fn of_prompt(&self, prompt_tokens: u64) -> Self {
        match self.long {
            Some(LongPromptPrice { above, input, cached, cache_write, output }) if prompt_tokens > above => {
                Self { input, cached, cache_write, output, long: None }
            }
            _ => Self { long: None, ..*self },
        }
    }

    /// The cost of `usage`, that of one call, in millionths of a dollar, rounded up.
    pub fn cost_microusd(&self, usage: &Usage) -> u64 {
        let price = self.of_prompt(usage.prompt_tokens);
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let cache_write = usage.cache_write_tokens.min(usage.prompt_tokens - cached);
        let fresh = usage.prompt_tokens - cached - cache_write;
        let parts = [
            (fresh, price.input),
            (cached, price.cached.unwrap_or(price.input)),
            (cache_write, price.cache_write.unwrap_or(price.input)),
            (usage.completion_tokens, price.output),
        ];
        // In whole numbers, so that a bill has no crumbs of binary fractions.
        let sum = parts.into_iter().fold(0_u128, |sum, (tokens, price)| {
            let microusd_per_million = (price * 1e6).round().max(0.0) as u128;
            sum.saturating_add(u128::from(tokens).saturating_mul(microusd_per_million))
        });
        u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }

    /// The most that `usage` can cost, whatever part of it a cache holds or takes.
    pub fn microusd_at_most(&self, usage: &Usage) -> u64 {
        let price = self.of_prompt(usage.prompt_tokens);
        let dearest = price.cached.into_iter().chain(price.cache_write).fold(price.input, f64::max);
        Self { input: dearest, cached: None, cache_write: None, ..price }.cost_microusd(usage)
    }
}

/// `usage` with its cost, and how far that is known. `paid` says whether a provider charges for it.
pub fn price_usage(usage: Usage, price: Option<Price>, paid: bool) -> Usage {
    let by_tokens = usage.tokens_basis();
    let (cost_microusd, cost_basis) = match price {
        Some(price) => (price.cost_microusd(&usage), by_tokens),
        // An agent may say what it cost.
        None if usage.cost_microusd > 0 => (usage.cost_microusd, by_tokens),
        None if paid && usage.total_tokens() > 0 => (0, Basis::Unknown),
        None => (0, Basis::Reported),
    };
    Usage { cost_microusd, cost_basis, ..usage }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 3.0, cached: Some(0.3), cache_write: Some(3.75), output: 15.0, long: None };

    fn used(prompt_tokens: u64, cached_tokens: u64, cache_write_tokens: u64, completion_tokens: u64) -> Usage {
        Usage { prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, ..Usage::default() }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        for (usage, wanted) in [
            (used(1_000_000, 0, 0, 0), 3_000_000),
            (used(1_000_000, 1_000_000, 0, 0), 300_000),
            (used(1_000_000, 0, 1_000_000, 0), 3_750_000),
            (used(1_000, 400, 100, 10), 500 * 3 + 120 + 375 + 150),
            (used(1, 0, 0, 0), 3),
            (used(1, 1, 0, 0), 1),
            (used(10, 20, 30, 0), 3),
            (used(u64::MAX, 0, 0, u64::MAX), u64::MAX),
        ] {
            assert_eq!(PRICE.cost_microusd(&usage), wanted, "{usage:?}");
            assert!(PRICE.microusd_at_most(&usage) >= wanted, "{usage:?}");
        }
        // 0.1 is no binary fraction: in floating point this is one millionth too much.
        let tenth = Price { input: 0.1, cached: None, cache_write: None, output: 0.2, long: None };
        assert_eq!(tenth.cost_microusd(&used(10, 0, 0, 10)), 3);
    }

    #[test]
    fn a_long_prompt_makes_the_whole_call_dearer() {
        let long = LongPromptPrice { above: 1_000, input: 6.0, cached: Some(0.6), cache_write: None, output: 22.5 };
        let price = Price { long: Some(long), ..PRICE };
        for (usage, wanted) in [
            (used(1_000, 0, 0, 10), 3_000 + 150),
            (used(1_001, 0, 0, 10), 6_006 + 225),
            (used(2_000, 1_000, 500, 0), 500 * 6 + 600 + 500 * 6),
        ] {
            assert_eq!(price.cost_microusd(&usage), wanted, "{usage:?}");
            assert!(price.microusd_at_most(&usage) >= wanted, "{usage:?}");
        }
    }

    #[test]
    fn an_unknown_price_is_no_zero() {
        let (tokens, none) = (used(5, 0, 0, 1), Usage::default());
        let said = Usage { cost_microusd: 7, ..tokens };
        let estimated = Usage { estimated: true, ..tokens };
        for (usage, price, paid, wanted) in [
            (tokens, None, true, (0, Basis::Unknown)),
            (tokens, None, false, (0, Basis::Reported)),
            (none, None, true, (0, Basis::Reported)),
            (said, None, true, (7, Basis::Reported)),
            (tokens, Some(PRICE), true, (30, Basis::Reported)),
            (estimated, Some(PRICE), true, (30, Basis::Estimated)),
            (estimated, None, true, (0, Basis::Unknown)),
        ] {
            let usage = price_usage(usage, price, paid);
            assert_eq!((usage.cost_microusd, usage.cost_basis), wanted);
        }
    }
}
