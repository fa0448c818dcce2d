//! The limits of a debate: rounds, calls, tokens, cost and time.

use serde::{Deserialize, Serialize};

/// The limits of a debate: as it was opened, or after its extensions.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Rounds in the protocol's own sense (exchange: rebuttal exchanges after the opening).
    pub rounds: u32,
    /// Fewest rounds, where a protocol may end early.
    pub rounds_min: Option<u32>,
    /// Calls to participants, retries and restarts included.
    pub requests_max: Option<u64>,
    /// Tokens read and written.
    pub tokens_max: Option<u64>,
    /// Cost in millionths of a US dollar.
    pub cost_microusd_max: Option<u64>,
    /// Driven time in seconds.
    pub time_seconds_max: Option<u64>,
}

/// The additions of `agon extend`: more rounds, and new totals for the budgets.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// Rounds more.
    #[serde(default)]
    pub rounds: u32,
    /// New total of calls.
    pub requests_max: Option<u64>,
    /// New total of tokens.
    pub tokens_max: Option<u64>,
    /// New total cost, in millionths of a US dollar.
    pub cost_microusd_max: Option<u64>,
    /// New total of driven seconds.
    pub time_seconds_max: Option<u64>,
}

impl Limits {
    /// These limits with an extension added.
    pub fn apply_extension(&mut self, more: &Extension) {
        self.rounds = self.rounds.saturating_add(more.rounds);
        self.requests_max = more.requests_max.or(self.requests_max);
        self.tokens_max = more.tokens_max.or(self.tokens_max);
        self.cost_microusd_max = more.cost_microusd_max.or(self.cost_microusd_max);
        self.time_seconds_max = more.time_seconds_max.or(self.time_seconds_max);
    }
}
