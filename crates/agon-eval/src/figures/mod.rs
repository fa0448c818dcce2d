//! The figures of an arm, and of two arms, from rows.

pub mod accuracy;
pub mod answer_changes;
pub mod availability;
pub mod cost;
pub mod judges;
pub mod orders;
pub mod paired;
pub mod pilot;

use std::collections::BTreeMap;

use crate::{bootstrap::Resampling, estimate::Estimate};

/// The mean of `values`, each with its cluster, or `why` there is none.
pub(crate) fn estimate_mean(values: impl Iterator<Item = (usize, f64)>, why: &str, resampling: Resampling) -> Estimate {
    let clusters = sum_by_cluster(values);
    if clusters.is_empty() { Estimate::absent(0, why) } else { resampling.estimate_ratio(&clusters) }
}

/// Sum and count of the values of each cluster, in the order of the clusters.
pub(crate) fn sum_by_cluster(values: impl Iterator<Item = (usize, f64)>) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let sum = sums.entry(cluster).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    sums.into_values().collect()
}
