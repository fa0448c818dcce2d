//! The values of a request that its prompt and its form depend on.

use agon_core::Request;
use serde::Deserialize;

/// The values of a request.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AskedFacts {
    /// The round that it belongs to; 0 for what comes before the first.
    pub round: u32,
    /// Number of the author whose document is criticised.
    pub target: usize,
    /// Whether lists are shown in the other order.
    pub swapped: bool,
}

impl AskedFacts {
    /// Those of `request`.
    pub fn of(request: &Request) -> Self {
        Self::deserialize(&request.facts).unwrap_or_default()
    }
}
