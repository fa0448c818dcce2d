//! What a debate is opened with, as programs say it: over MCP and over HTTP alike. What of it makes sense is
//! decided where `agon run` decides it.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};
use utoipa::ToSchema;

/// A debate that somebody wants to start.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Kind of debate, by name.
    #[schema(example = "exchange")]
    pub protocol: String,
    /// What is debated: the text itself; over HTTP never the name of a file.
    #[schema(max_length = 20_000, min_length = 1, example = "This house would rest.")]
    pub motion: String,
    /// The debate's id; time-ordered and unique where none is given.
    #[serde(default)]
    #[schema(pattern = "^[a-z0-9-]{1,64}$")]
    pub id: Option<String>,
    /// Rounds, in the protocol's own sense.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// Who answers at every seat that `seats` does not name.
    #[serde(default)]
    pub model: Option<String>,
    /// Who answers, by seat.
    #[serde(default)]
    pub seats: BTreeMap<String, String>,
    /// Words of the motion that everybody takes in one sense.
    #[serde(default)]
    pub definitions: BTreeMap<String, String>,
    /// What the debate is and is not about.
    #[serde(default)]
    pub scope: Option<String>,
    /// Whether cited pages are opened and looked through: `on` or `off`.
    #[serde(default)]
    #[schema(pattern = "^(on|off)$")]
    pub verify: Option<String>,
    /// How many judges, an odd number; or their models, with commas between them.
    #[serde(default)]
    #[schema(min_length = 1, example = "3")]
    pub judges: Option<String>,
    /// In which orders of the sides a judge is asked: `both` or `one`.
    #[serde(default)]
    #[schema(pattern = "^(both|one)$")]
    pub orders: Option<String>,
    /// When the debate may end before its last round: `stable`.
    #[serde(default)]
    #[schema(pattern = "^stable$")]
    pub stop: Option<String>,
    /// Whether a model may judge what it said itself.
    #[serde(default)]
    pub self_judging: bool,
    /// Whether the debate is held again with those who argue changed about.
    #[serde(default)]
    pub mirror: bool,
    /// Whether the judge's model is asked the same question alone, at the same cost.
    #[serde(default)]
    pub baseline: bool,
    /// The model that reads what the statements say of earlier ones, for the argument graph.
    #[serde(default)]
    #[schema(min_length = 1, example = "local")]
    pub extract: Option<String>,
    /// Source of all randomness.
    #[serde(default, deserialize_with = "maybe_whole")]
    pub seed: Option<u64>,
    /// Most calls.
    #[serde(default, deserialize_with = "maybe_whole")]
    #[schema(minimum = 1)]
    pub max_requests: Option<u64>,
    /// Most tokens.
    #[serde(default, deserialize_with = "maybe_whole")]
    #[schema(minimum = 1)]
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars.
    #[serde(default)]
    #[schema(exclusive_minimum = 0)]
    pub max_cost: Option<f64>,
    /// Most driven time, for example `30m`.
    #[serde(default)]
    #[schema(example = "30m")]
    pub max_time: Option<String>,
}

/// A number as large as documents of interfaces allow, which know 64 bits with a sign.
pub fn whole<'de, D: Deserializer<'de>>(number: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(number)?;
    let most = i64::MAX.unsigned_abs();
    let wrong = || D::Error::custom(format!("{number} is more than {most}"));
    (number <= most).then_some(number).ok_or_else(wrong)
}

/// The same where it may be missing.
pub fn maybe_whole<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "whole")] u64);
    Ok(Option::<Whole>::deserialize(number)?.map(|Whole(number)| number))
}
