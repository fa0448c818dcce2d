//! Two arms on the same items.

use std::collections::BTreeMap;

use serde::Serialize;

use super::sum_by_cluster;
use crate::{bootstrap::Resampling, estimate, mcnemar::McNemar, table::TableRow};

/// Chance of seeing a difference that is there, for which [`PairedDifference::items_needed`] is computed.
const POWER: f64 = 0.8;

/// Two arms compared on the items and repetitions that both have.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// The arm that is compared.
    pub arm: String,
    /// The arm that it is compared with.
    pub with: String,
    /// Of pairs of which both ended well.
    pub ended: PairedDifference,
    /// Of all pairs; an observation that did not end well is wrong.
    pub all: PairedDifference,
    /// Observations of either arm that have no partner in the other.
    pub unpaired: u64,
    /// Mean tokens of `arm` divided by those of `with`; absent where either is not known.
    pub token_ratio: Option<f64>,
}

/// How often the first of two arms was right and the second was not, and the reverse.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PairedDifference {
    /// Pairs with a gold answer.
    pub pairs: u64,
    /// Accuracy of the first minus accuracy of the second; its interval by bootstrap over clusters, its `n` clusters.
    pub difference: estimate::Estimate,
    /// Exact test of McNemar. It takes pairs as independent, which repetitions and items of one cluster are not.
    pub test: Option<McNemar>,
    /// Its p, adjusted by Holm for the number of comparisons of the report.
    pub p_adjusted: Option<f64>,
    /// Pairs that would show a difference of this size in 4 of 5 evaluations (Connor 1987). Absent without one.
    pub items_needed: Option<u64>,
}

impl PairedDifference {
    fn from_pairs(pairs: &[(usize, bool, bool)], resampling: Resampling) -> Self {
        if pairs.is_empty() {
            let nothing = estimate::Estimate::absent(0, "no pair of observations with a gold answer");
            return Self { difference: nothing, ..Self::default() };
        }
        let differences = pairs.iter().map(|(cluster, a, b)| (*cluster, f64::from(*a) - f64::from(*b)));
        let test = McNemar::from_pairs(pairs.iter().map(|(_, a, b)| (*a, *b)));
        Self {
            pairs: pairs.len() as u64,
            difference: resampling.estimate_ratio(&sum_by_cluster(differences)),
            test: Some(test),
            p_adjusted: None,
            items_needed: items_needed(test, pairs.len()),
        }
    }
}

/// Pairs that the exact test needs, by Connor's approximation, at 5 % on both sides.
fn items_needed(test: McNemar, pairs: usize) -> Option<u64> {
    let (b, c) = (test.b as f64 / pairs as f64, test.c as f64 / pairs as f64);
    let (differing, difference) = (b + c, (b - c).abs());
    if difference == 0.0 {
        return None;
    }
    let (z, z_power) = (estimate::z_two_sided(0.95), estimate::z_two_sided(2.0 * POWER - 1.0));
    let root = z * differing.sqrt() + z_power * (differing - difference * difference).max(0.0).sqrt();
    Some((root / difference).powi(2).ceil() as u64)
}

impl Comparison {
    pub(crate) fn from_rows(
        names: [&str; 2],
        rows: [&[TableRow]; 2],
        token_means: [Option<f64>; 2],
        resampling: Resampling,
    ) -> Self {
        let [first, second] = rows;
        let by_key: BTreeMap<(usize, u32), &TableRow> =
            second.iter().map(|row| ((row.item, row.repetition), row)).collect();
        let partner = |row: &&TableRow| by_key.get(&(row.item, row.repetition)).copied();
        let pairs: Vec<(&TableRow, &TableRow)> = first.iter().filter_map(|row| Some((row, partner(&row)?))).collect();
        let known = |of: fn(&TableRow) -> Option<bool>| {
            let known = pairs.iter().filter_map(|(a, b)| Some((a.cluster, of(a)?, of(b)?)));
            PairedDifference::from_pairs(&known.collect::<Vec<_>>(), resampling)
        };
        let ratio = token_means[0].zip(token_means[1]).filter(|(_, with)| *with > 0.0);
        Self {
            arm: names[0].to_owned(),
            with: names[1].to_owned(),
            ended: known(TableRow::ended_right),
            all: known(TableRow::strictly_right),
            unpaired: (first.len() + second.len() - 2 * pairs.len()) as u64,
            token_ratio: ratio.map(|(arm, with)| arm / with),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_ten_points_needs_some_hundred_items() {
        // Discordant 0.3, difference 0.1: (1.96 * 0.5477 + 0.8416 * 0.5385)^2 / 0.01 = 233.1.
        assert_eq!(items_needed(McNemar::from_counts(20, 10), 100), Some(234));
        assert_eq!(items_needed(McNemar::from_counts(10, 10), 100), None);
    }
}
