//! The usage of answers: calls, tokens and cost.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The tokens and the cost of one answer, over all its attempts; or a sum of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Calls made, those that failed and those after a crash included.
    pub requests: u32,
    /// Tokens read, cached ones included.
    pub prompt_tokens: u64,
    /// Tokens read from a cache; part of `prompt_tokens`.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Cost in millionths of a US dollar; zero where no price is known.
    #[serde(default)]
    pub cost_microusd: u64,
    /// True where the provider gave no usage and what was reserved is counted instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// Tokens read and written.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

// One estimate makes the sum an estimate.
#[allow(clippy::suspicious_op_assign_impl)]
impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.cost_microusd = self.cost_microusd.saturating_add(other.cost_microusd);
        self.estimated |= other.estimated;
    }
}
