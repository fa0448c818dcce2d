//! What an answer cost, and how far that is known.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use strum::IntoStaticStr;

/// How far a number is known. The later ones are worth less.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Basis {
    /// From the tokens, or the amount, that the provider reported; or nothing is charged.
    #[default]
    Reported,
    /// Counted here, because the provider reported nothing.
    Estimated,
    /// Not known. The number is a lower bound, and a zero is not a price.
    Unknown,
}

impl Basis {
    /// Its word.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

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
    /// Tokens written into a cache, where that has a price of its own; part of `prompt_tokens`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Cost in millionths of a US dollar, where it is known: see `cost_basis`.
    #[serde(default)]
    pub cost_microusd: u64,
    /// True where the provider gave no usage and what was reserved is counted instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// How far the cost is known; absent where it is [`Basis::Reported`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost_basis: Basis,
}

/// What was used, as programs read it: made of a [`Usage`] where a result is told. Every field is always there.
#[derive(Debug)]
pub struct UsageReceipt(Usage);

impl Serialize for UsageReceipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(of) = self;
        let unknown = of.cost_basis == Basis::Unknown && of.cost_microusd == 0;
        let receipt = json!({
            "requests": of.requests, "prompt_tokens": of.prompt_tokens, "cached_tokens": of.cached_tokens,
            "cache_write_tokens": of.cache_write_tokens, "completion_tokens": of.completion_tokens,
            "tokens_basis": of.tokens_basis(), "cost_microusd": (!unknown).then_some(of.cost_microusd),
            "cost_basis": of.cost_basis, "estimated": of.estimated,
        });
        receipt.serialize(serializer)
    }
}

/// Whether a field says nothing, so that it is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Usage {
    /// How far the tokens are known.
    pub fn tokens_basis(&self) -> Basis {
        if self.estimated { Basis::Estimated } else { Basis::Reported }
    }

    /// As programs read it: with both bases, and no cost where none is known.
    pub fn render_receipt(&self) -> UsageReceipt {
        UsageReceipt(*self)
    }

    /// Tokens read and written.
    pub fn total_tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

// One estimate, or one cost that is unknown, makes the sum one.
#[allow(clippy::suspicious_op_assign_impl)]
impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.cost_microusd = self.cost_microusd.saturating_add(other.cost_microusd);
        self.estimated |= other.estimated;
        self.cost_basis = self.cost_basis.max(other.cost_basis);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_known_as_far_as_its_least_known_part() {
        let part = |cost_microusd, cost_basis| Usage { cost_microusd, cost_basis, ..Usage::default() };
        let mut sum = part(5, Basis::Reported);
        sum += part(2, Basis::Estimated);
        assert_eq!((sum.cost_microusd, sum.cost_basis), (7, Basis::Estimated));
        sum += part(0, Basis::Unknown);
        sum += part(1, Basis::Reported);
        assert_eq!((sum.cost_microusd, sum.cost_basis), (8, Basis::Unknown));
        assert_eq!(json!(sum.render_receipt())["cost_microusd"], 8, "what is known of it");
        assert!(json!(part(0, Basis::Unknown).render_receipt())["cost_microusd"].is_null(), "unknown is not zero");
        assert_eq!(json!(Usage::default().render_receipt())["cost_microusd"], 0);
    }

    #[test]
    fn records_from_before_are_written_as_they_were() {
        let line = r#"{"requests":1,"prompt_tokens":2,"cached_tokens":0,"completion_tokens":3,"cost_microusd":0,"estimated":true}"#;
        let usage: Usage = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&usage).unwrap(), line);
    }
}
